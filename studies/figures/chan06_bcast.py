"""Chan06: broadcasts compared, short- and long-vector algorithms."""

from __future__ import annotations

from studies.figures.figure import Figure, Number, Result, Run
from studies.figures.old_and_new import against, compare

CURVES = (
    ("old MST", "binomial", True),
    ("new MST", "mst2", True),
    ("old scatter + allgather", "scatter_allgather", False),
    ("new scatter + allgather", "long", False),
    ("rectangular trees", "rectangular", False),
)


def _make(run: Run) -> Result:
    chart, found, messages, machine = compare("bcast", CURVES, run)
    said = against(found, messages)
    ends = {
        end: min((k for k in found if k != "MPI's textbook"), key=lambda k: found[k][i])
        for end, i in (("short", 0), ("long", -1))
    }
    return Result(
        panels=[chart],
        got=f"{said('new MST', 'old MST')}; {said('new scatter + allgather', 'old scatter + allgather')}. Fastest "
        f"for the shortest vector: {ends['short']}, for the longest: {ends['long']}.",
        obtained="Simulation of algorithms binomial, mst2, scatter_allgather, long and rectangular on "
        f"{machine.name} {machine.extents}, root 0; MPI's textbook algorithms by model (rank order, one message at a "
        "time).",
        why="As Chan06 says for its own algorithms. Rectangular trees are Solomonik11's, which Chan06 did not have; "
        "MPI's curve is a model of the textbook algorithms, not IBM's MPI.",
        numbers=[
            Number("fastest broadcast, 8 B / 4 MB", "MST / scatter + allgather", f"{ends['short']} / {ends['long']}")
        ],
    )


FIGURE = Figure(
    id="chan06-bcast",
    title="Broadcast: old and new algorithms",
    claim="New algorithms beat old ones; scatter and allgather are best for long vectors.",
    how=("simulation", "model"),
    make=_make,
)
