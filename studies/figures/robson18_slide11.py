"""Robson18, slides 11 to 13: seconds of an iteration of Jacobi against the spread, by block size, on two machines."""

from __future__ import annotations

from studies.figures import fat_nodes as fat
from studies.figures.figure import Chart, Figure, Number, Result, Run, Series, agrees

GAIN = (20, 30)  # % less time (Robson18, slide 30, of its prototype)
SPREAD = (0.5, 2.0)  # factors of what a team costs in the band of T(S): in no source


def _make(run: Run) -> Result:
    nodes, blocks = (fat.BRIDGES, fat.SUMMIT), fat.BLOCKS[:1] if run.quick else fat.BLOCKS
    iterations = 4 if run.quick else 10
    panels, said, numbers = [], [], []
    for n, node in enumerate(nodes):
        series = []
        for b, block in enumerate(blocks):
            times = {}
            for s, spread in enumerate(node.spreads):
                done = ((n * len(blocks) + b) * len(node.spreads) + s) / (len(nodes) * len(blocks) * len(node.spreads))
                run.step(done)
                runs = 1 if run.quick else fat.RUNS
                times[spread] = fat.simulate(node, block, spread, iterations=iterations, runs=runs).median
            side = fat.GRID // block
            series.append(Series(f"{side}^2 objects of {block}^2", node.spreads, list(times.values()), "simulation"))
            expected = {k: [fat.expected(node, block, s, cost=k) for s in node.spreads] for k in (1.0, *SPREAD)}
            ends = (expected[SPREAD[0]], expected[SPREAD[1]])
            series.append(Series("T(S)", node.spreads, expected[1.0], "model", pair=True, band=ends))
            if block == blocks[0]:
                one, every = fat.gains(times)
                at = fat.best(times)
                said.append(
                    f"{node.name}: best with {at} of {node.cores} cores on an object, {100 * one:.0f} % less time than "
                    f"with one and {100 * every:.0f} % less than with all"
                )
                numbers.append(
                    Number(
                        f"less time by the best spread than by spread 1, {node.name}, 24^2 objects",
                        f"{GAIN[0]}-{GAIN[1]} % (of its prototype)",
                        f"{100 * one:.0f} % (spread {at})",
                        how="simulated",
                        holds=agrees(GAIN[0] <= 100 * one <= GAIN[1]),
                        why="Ours is the rounding of objects to cores: no cache, no memory left idle.",
                        pages=(11, 12, 13, 30),
                    )
                )
        panels.append(Chart("cores on one object", "seconds of an iteration", series, title=node.name, low=0))
    return Result(
        panels=panels,
        got="; ".join(said) + ".",
        obtained=f"Simulation of blocks_graph on {fat.GRID}^2 doubles and {fat.NODES} nodes: objects occupy teams, "
        f"faces occupy links, {iterations} iterations without a barrier, medians. A rank is a team with objects of its "
        f"own. Beside it the model T(S), in a band of {SPREAD[0]:g} to {SPREAD[1]:g} times what a team costs. Nothing "
        "here ran on either machine. " + "; ".join(fat.assumptions(node) for node in nodes) + ".",
        why=f"Robson18's ordinates are not in its text, so that only its {GAIN[0]}-{GAIN[1]} % can be compared. In "
        "ours the gain is that of whole objects: 144 on 28 cores are 6 rounds where 5.14 would do, on 44 cores 4 where "
        "3.27 would; a spread cuts the rounds finer, until a team reaches over both sockets. Where idle cores leave "
        "their share of the memory to others, which is not in the simulation, it is less. The model adds the first "
        "object's time, which blocks that need not wait for each other hide after the first iteration.",
        numbers=numbers,
    )


FIGURE = Figure(
    id="robson18-slide11",
    also=("robson18-slide12", "robson18-slide13"),
    title="Jacobi against the spread, by block size (Robson18, slides 11 to 13)",
    claim=f"Spreading an object over some cores is {GAIN[0]}-{GAIN[1]} % faster than one core each; neither end is "
    "best.",
    how=("simulation", "model"),
    make=_make,
    ours=fat.OURS,
    varied=("fat_nodes.FORK", "fat_nodes.FORK_EACH", "fat_nodes.LOSS_EACH", "fat_nodes.LOSS_ACROSS"),
)
