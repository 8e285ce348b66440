"""Strong scaling of LU, n = 65,536 on 256 to 2048 nodes of BG/P: Solomonik11, slides 35 and 36, share it."""

from __future__ import annotations

from functools import partial

from allport import model
from allport.machine import Machine

from studies.figures import lu_runs
from studies.figures import simulated_graphs as sims
from studies.figures.figure import CLOSE, Chart, Number, Result, Run, Series, agrees
from studies.figures.lu_parts import lu
from studies.figures.varied import band
from studies.figures.varied import said as range_of

__all__ = ["OURS", "VARIED", "scaling"]

N = 65536  # Solomonik11, slides 35 and 36
NODES = (256, 512, 1024, 2048)  # Solomonik11, slides 35 and 36
OURS = ("bgp.overhead", "bgp.axes", "bgp.memory")
VARIED = ("bgp.overhead", "bgp.axes")


def scaling(pivoting: str, rivals: dict[str, tuple[bool, str]], why: str, run: Run) -> Result:
    """% of peak of 2.5D and 2D LU. rivals: what Solomonik11 has besides, as simulated_graphs.scaling takes it."""
    bgp = Machine.parse("bgp")
    jobs: dict[str, list[tuple[tuple[int, int, int], str]]] = {
        name: [] for name in ("2.5D LU, rectangular", "2D LU, rectangular", "2D LU, binomial")
    }
    grids = []
    for i, p in enumerate(NODES):
        run.step(i / len(NODES))
        grid = model.lu_grid(bgp, N, p, pivoting, "rectangular")
        grids.append(f"{p}: {'x'.join(str(s) for s in grid)}")
        flat = model.flat_grid(p)
        for name, g, how in zip(jobs, (grid, flat, flat), ("rectangular", "rectangular", "binomial")):
            jobs[name].append((g, how))

    def percent(machine: Machine, name: str) -> list[float]:
        return [100 * lu(machine, N, g, pivoting, how)["efficiency"] for g, how in jobs[name]]

    peak = {name: percent(bgp, name) for name in jobs}
    bands = {name: band(bgp, partial(percent, name=name)) for name in jobs}
    ideal = Series("ideal scaling of 256 nodes", NODES, [peak["2.5D LU, rectangular"][0]] * len(NODES), "limit")
    ends = "; ".join(f"{name} {v[0]:.0f} to {v[-1]:.0f} %" for name, v in peak.items())
    variants = sims.scaling(pivoting, N, rivals)
    found = "; ".join(f"{name} {v[0]:.0f} to {v[-1]:.0f} %" for name, v in variants.items())
    gain = peak["2.5D LU, rectangular"][-1] / peak["2D LU, binomial"][-1]
    left = {name: v[-1] / v[0] for name, v in variants.items()}
    last = {name: v[-1] for name, v in variants.items()}
    return Result(
        panels=[
            Chart(
                "nodes",
                "% of machine peak",
                [Series(k, NODES, v, "simulation") for k, v in variants.items()],
                title="our graphs, simulated",
                low=0,
                high=105,
            ),
            Chart(
                "nodes",
                "% of machine peak",
                [*(Series(k, NODES, v, band=bands[k]) for k, v in peak.items()), ideal],
                title="Solomonik11's model",
                low=0,
                high=105,
            ),
            *([lu_runs.curve(run.lab, pivoting)] if run.lab else []),
        ],
        got=f"Simulated: {found}. By Solomonik11's model: {ends}, from 256 to 2048 nodes."
        + (lu_runs.said(run.lab) if run.lab else ""),
        obtained=f"{sims.said()} Model: lu_time on preset bgp, blocks tuned, the fastest number of copies that "
        "fits in 2 GiB a "
        f"node ({', '.join(grids)}). {range_of(bgp)}" + (f" {run.lab.said}" if run.lab else ""),
        why="The model's kernels run at peak, so all curves stand higher than Solomonik11's, and lines without "
        f"contention favour 2D. {why} " + lu_runs.WHY,
        numbers=[
            Number(
                f"LU, pivoting {pivoting}, n = {N:,}, % of peak on {NODES[0]} to {NODES[-1]} nodes",
                "2.5D near ideal, 2D droops" + "".join(f", {name} lowest" for name in rivals),
                f"simulated {found}; model, at the end: 2.5D over 2D binomial {gain:.2f}x",
                how="simulated, model",
                holds=agrees(
                    left["2.5D RCT"] >= 1 - CLOSE,
                    left["2D BNM"] < 1 - CLOSE,
                    left["2D RCT"] < 1 - CLOSE,
                    last["2.5D RCT"] > last["2D RCT"],
                    *(last[name] == min(last.values()) for name in rivals),
                ),
                why="2D droops over binomial trees alone; over rectangular ones it keeps up with 2.5D.",
            )
        ],
    )
