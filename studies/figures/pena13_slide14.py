"""Pena13, slide 14: row-wise MPI_Alltoall and MPI_Allgather."""

from __future__ import annotations

from studies.figures.exchanges import result
from studies.figures.figure import Figure, Result, Run
from studies.figures.order_runs import NAME, in_the_lab, measure

PUBLISHED = {"alltoall": 74, "allgather": 54}


def _make(run: Run) -> Result:
    made = result(run, [(0,), (1,), (2,)], "row", PUBLISHED, 1 << 16 if run.quick else 1 << 18)
    if run.lab is None:
        made.not_run = ["not run here: the same in a lab; as root, python studies pena13-slide14 --run."]
        return made
    table, said = in_the_lab(run.lab, "rows")
    made.panels = [*made.panels, table]
    made.got += said
    made.obtained += f" {run.lab.said}"
    return made


FIGURE = Figure(
    id="pena13-slide14",
    title="Row-wise all-to-all and allgather on Gemini",
    claim="Topology matching exploited by row-wise collectives, the Y direction faster: up to 74 % (alltoall) and 54 % "
    "(allgather).",
    how=("simulation", "lab"),
    make=_make,
    run_name=NAME,
    measure=measure,
)
