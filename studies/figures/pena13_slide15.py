"""Pena13, slide 15: plane-wise MPI_Alltoall and MPI_Allgather."""

from __future__ import annotations

from studies.figures.exchanges import result
from studies.figures.figure import Figure, Result, Run

PUBLISHED = {"alltoall": 59, "allgather": 53}


def _make(run: Run) -> Result:
    return result(run, [(0, 1), (1, 2), (0, 2)], "plane", PUBLISHED, 1 << 14 if run.quick else 1 << 16)


FIGURE = Figure(
    id="pena13-slide15",
    title="Plane-wise all-to-all and allgather on Gemini",
    claim="Plane-wise collectives, the Y direction faster: up to 59 % (alltoall) and 53 % (allgather).",
    how=("simulation",),
    make=_make,
)
