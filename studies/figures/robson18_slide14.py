"""Robson18, slide 14: the same grid on more nodes of Summit."""

from __future__ import annotations

from studies.figures import fat_nodes as fat
from studies.figures.figure import Chart, Figure, Number, Result, Run, Series


def _make(run: Run) -> Result:
    counts = [1, 4] if run.quick else [1, 2, 4, 8, 16]
    node, block = fat.SUMMIT, fat.BLOCKS[0]
    times: dict[int, list[float]] = {spread: [] for spread in (1, 4, 11, 22, 44)}
    for c, count in enumerate(counts):
        for s, spread in enumerate(times):
            run.step((c * len(times) + s) / (len(counts) * len(times)))
            runs = 1 if run.quick else fat.RUNS
            times[spread].append(fat.simulate(node, block, spread, iterations=6, runs=runs, nodes=count).median)
    last = {spread: values[-1] for spread, values in times.items()}
    at = fat.best(last)
    gain, _ = fat.gains(last)
    series = [Series(f"spread {spread}", counts, values, "simulation") for spread, values in times.items()]
    return Result(
        panels=[Chart("nodes", "seconds of an iteration", series, log_y=True)],
        got=f"On {counts[-1]} nodes spread {at} takes {100 * gain:.0f} % less time than spread 1 "
        f"({last[at]:.3g} beside {last[1]:.3g} s).",
        obtained=f"Simulation as for Robson18, slide 11, {fat.GRID}^2 doubles in 24^2 objects, 6 iterations. "
        f"{fat.assumptions(node)}.",
        why="Robson18's curves are not in its text. With 24^2 objects on 16 nodes there are 36 for 44 cores: one core "
        "each leaves 8 idle, whatever the network does.",
        numbers=[
            Number(
                f"less time by the best spread, {counts[-1]} nodes",
                "not in the text",
                f"{100 * gain:.0f} %",
                how="simulated",
                why="The talk's curves are not in its text; ours is objects rounded to cores.",
            )
        ],
    )


FIGURE = Figure(
    id="robson18-slide14",
    title="Scaling of spread Jacobi on Summit",
    claim="Spreading scales over nodes.",
    how=("simulation",),
    make=_make,
    ours=fat.OURS,
)
