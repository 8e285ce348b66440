"""Solomonik11, slide 34: the latency lower bound of LU."""

from __future__ import annotations

from allport import model
from allport.machine import Machine

from studies.figures import simulated_graphs as sims
from studies.figures.figure import Chart, Figure, Number, Result, Run, Series, near
from studies.figures.lu_parts import lu

N = 65536  # Solomonik11, slides 35 and 36
NODES = tuple(sims.SCALING)
VARIANTS = {"2D": False, "2.5D": True}
GRIDS = ((16, 16, 1), (16, 16, 2), (16, 16, 4), (16, 16, 8), (16, 16, 16))  # of our runs: c varies


def _make(run: Run) -> Result:
    bgp = Machine.parse("bgp")
    least = model.lu_least_blocks(2048, 8)
    ds = [2**i for i in range(2, 13)]
    p, c = 2048, 8
    share = model.lu_cost(N, (16, 16, 8), (64, 1024))["flops"]
    path = Chart(
        "d, diagonal blocks",
        "critical path / even share",
        [
            Series("flops", ds, [model.lu_path(N, d)["flops"] / share for d in ds]),
            Series("words", ds, [model.lu_path(N, d)["words"] / (N * N / (c * p) ** 0.5) for d in ds]),
            Series("even share", ds, [1.0] * len(ds), "limit"),
        ],
        title=f"P = {p}, c = {c}: d must reach {least['by_flops']:.0f} by flops, {least['by_words']:.0f} by words",
        log_y=True,
    )
    ranks, blocks, needed_flops, needed_words = [], [], [], []
    for grid in GRIDS:
        ranks.append(grid[0] * grid[1] * grid[2])
        bound = model.lu_least_blocks(ranks[-1], grid[2])
        needed_flops.append(bound["by_flops"])
        needed_words.append(bound["by_words"])
        blocks.append(N / lu(bgp, N, grid, "none", "rectangular")["blocks"][0])
    chain = Chart(
        "nodes (16 x 16 x c)",
        "blocks one after the other",
        [
            Series("our tuned 2.5D LU, n/b", ranks, blocks),
            Series("sqrt(cp), bandwidth", ranks, needed_words),
            Series("sqrt(p), flops", ranks, needed_flops),
        ],
        title=f"n = {N:,} on BG/P",
        log_y=True,
    )
    chains = {v: sims.scaling_of("tournament", N, layers, "longest_tasks") for v, layers in VARIANTS.items()}
    works = {v: sims.scaling_of("tournament", N, layers, "path_over_share") for v, layers in VARIANTS.items()}
    simulated = Chart(
        "nodes",
        "tasks on the longest path",
        [
            *(Series(f"{variant}, simulated", NODES, values, "simulation") for variant, values in chains.items()),
            Series("sqrt(p), flops", NODES, [model.lu_least_blocks(p, 1)["by_flops"] for p in NODES], "limit"),
        ],
        title=f"our graphs of LU with tournaments, n = {N:,}",
        log_y=True,
    )
    said = "; ".join(
        f"{v} has {chains[v][-1]:.0f} tasks in a chain, whose work is {works[v][-1]:.2f} of an even share"
        for v in VARIANTS
    )
    return Result(
        panels=[path, chain, simulated],
        got="d blocks put 2n^3/3d^2 flops and n^2/d words on the critical path; an even share asks for d = sqrt(p) "
        f"= {least['by_flops']:.0f} and sqrt(cp) = {least['by_words']:.0f} at p = {p}, c = {c}. Words times messages "
        f"is n^2 whatever d. The tuned 2.5D LU has {blocks[0]:.0f} to {blocks[-1]:.0f} blocks in the chain, above "
        f"the bound everywhere. Of our graphs on {NODES[-1]} nodes {said}.",
        obtained=f"{sims.said()} Model: lu_path and lu_least_blocks (counted), and lu_blocks of 2.5D LU on preset bgp.",
        why="They do not: it is Solomonik11's bound. That the algorithm sits above it by a factor is because start-ups "
        "are cheap beside the panel's critical path at this n, so small blocks win.",
        numbers=[
            Number(
                "LU: least blocks, p = 2048, c = 8",
                "sqrt(p), sqrt(cp)",
                f"{least['by_flops']:.0f}, {least['by_words']:.0f}",
                how="counted",
                holds=near(1.0, least["by_flops"] / p**0.5, least["by_words"] / (c * p) ** 0.5),
                why="A formula: module model's, counted; p and c are an example of ours.",
            )
        ],
    )


FIGURE = Figure(
    id="solomonik11-slide34",
    title="A latency lower bound of LU: the critical path of the diagonal blocks",
    claim="Flops ask for d = Omega(sqrt(p)) blocks or messages, bandwidth for d = Omega(sqrt(cp)).",
    how=("model", "simulation"),
    make=_make,
    ours=("bgp.overhead", "bgp.axes"),
)
