"""Chan06: scatters compared."""

from __future__ import annotations

from studies.figures.figure import Figure, Number, Result, Run, agrees
from studies.figures.old_and_new import PLOTS, against, compare

CURVES = (
    ("new MST, N+1 parts", "mst", True),
    ("new MST, 2N+1 parts", "mst2", True),
    ("rectangular trees", "rectangular", False),
)


def _make(run: Run) -> Result:
    chart, found, messages, machine = compare("scatter", CURVES, run, per_rank=True)
    said = against(found, messages)
    mpi = said("new MST, 2N+1 parts", "MPI's textbook")
    trees = said("rectangular trees", "new MST, 2N+1 parts")
    gain = found["MPI's textbook"][-1] / found["new MST, 2N+1 parts"][-1]
    return Result(
        panels=[chart],
        got=f"{mpi}; {trees}.",
        obtained=f"Simulation of algorithms mst, mst2 and rectangular on {machine.name} {machine.extents}, root 0; "
        "the old binary tree by model, as MPI's textbook has it.",
        why="As Chan06 says. Sizes are of the whole vector and begin at 8 bytes a rank.",
        numbers=[
            Number(
                "scatter of 4 MB, old MST (model) / new",
                "new faster",
                f"{gain:.1f}x",
                how="simulated, model",
                holds=agrees(gain > 1),
                why="Preset bgp stands for BG/L; the old tree is a model, the new one simulated.",
            )
        ],
    )


FIGURE = Figure(
    id="chan06-scatter",
    title="Scatter: old and new minimum spanning trees",
    claim="The generalised minimum-spanning-tree scatter attains the lower bounds for latency and bandwidth.",
    how=("simulation", "model"),
    make=_make,
    pages=PLOTS,
    ours=("bgp.overhead", "bgp.axes"),
)
