"""Robson18, slide 16: the same without messages. Is it communication that spreading helps, or something else?"""

from __future__ import annotations

from studies.figures import fat_nodes as fat
from studies.figures.figure import Chart, Figure, Number, Result, Run, Series


def _make(run: Run) -> Result:
    node, block = fat.SUMMIT, fat.BLOCKS[0]
    iterations, runs = (4, 1) if run.quick else (10, fat.RUNS)
    found: dict[bool, dict[int, float]] = {True: {}, False: {}}
    for s, spread in enumerate(node.spreads):
        for sends in found:
            run.step((2 * s + (not sends)) / (2 * len(node.spreads)))
            outcome = fat.simulate(node, block, spread, iterations=iterations, runs=runs, sends=sends)
            found[sends][spread] = outcome.median
    gain = {sends: fat.gains(times)[0] for sends, times in found.items()}
    kept = gain[False] / gain[True] if gain[True] else 0.0
    label = {True: "with messages", False: "without"}
    series = [Series(label[sends], node.spreads, list(t.values()), "simulation") for sends, t in found.items()]
    return Result(
        panels=[Chart("cores on one object", "seconds of an iteration", series, low=0)],
        got=f"The best spread takes {100 * gain[True]:.0f} % less time than spread 1 with messages, "
        f"{100 * gain[False]:.0f} % less without: {100 * kept:.0f} % of the gain remain.",
        obtained=f"Simulation as for Robson18, slide 13, {iterations} iterations; without: no face travels, no object "
        f"waits for another. {fat.assumptions(node)}.",
        why="Robson18 asks whether its gain is caching's alone and gives no number. In ours there is no cache at "
        "all, and what remains is the rounding of objects to cores: faces of 60 KB on a link of 23 GB/s take "
        "microseconds beside objects of tenths of a second. `allport bench jacobi --no-send` is the real form of it on "
        "any machine.",
        numbers=[
            Number(
                "of the gain, remaining without messages",
                "not said",
                f"{100 * kept:.0f} %",
                how="simulated",
                why="The talk asks the question and gives no number; ours has no cache.",
            )
        ],
    )


FIGURE = Figure(
    id="robson18-slide16",
    title="Spreading without messages, Summit",
    claim="What happens when communication is eliminated: are effects just from improved caching?",
    how=("simulation",),
    make=_make,
    ours=fat.OURS,
)
