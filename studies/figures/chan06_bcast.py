"""Chan06: broadcasts compared, short- and long-vector algorithms."""

from __future__ import annotations

from studies.figures.figure import Figure, Number, Result, Run, agrees
from studies.figures.old_and_new import PLOTS, against, compare

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

    def fastest(i: int, *others: str) -> str:
        """Of all but MPI's textbook and the others, at the i-th size."""
        return min((k for k in found if k not in ("MPI's textbook", *others)), key=lambda k: found[k][i])

    ends = {end: fastest(i) for end, i in (("short", 0), ("long", -1))}
    own = {end: fastest(i, "rectangular trees") for end, i in (("short", 0), ("long", -1))}
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
            Number(
                "fastest broadcast, 8 B / 4 MB",
                "new MST / new scatter + allgather",
                f"{ends['short']} / {ends['long']}; of Chan06's own {own['short']} / {own['long']}",
                how="simulated",
                holds=agrees(
                    *(ends[e] == k for e, k in (("short", "new MST"), ("long", "new scatter + allgather"))),
                    *(own[e] == k for e, k in (("short", "new MST"), ("long", "new scatter + allgather"))),
                ),
                why="Rectangular trees are Solomonik11's: Chan06 did not have them among its curves.",
            )
        ],
    )


FIGURE = Figure(
    id="chan06-bcast",
    title="Broadcast: old and new algorithms",
    claim="New algorithms beat old ones; scatter and allgather are best for long vectors.",
    how=("simulation", "model"),
    make=_make,
    pages=PLOTS,
    ours=("bgp.overhead", "bgp.axes"),
)
