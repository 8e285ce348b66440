"""Deck 5 slide 7: weak scaling of Cholesky as a task graph on the Altix."""

from __future__ import annotations

from allport.report.figures.figure import Figure, Result, Run
from allport.report.figures.weak_cholesky import NAME, make, measure


def _make(run: Run) -> Result:
    return make("altix", "SGI Altix 3700 BX2 (slide 12)", run)


FIGURE = Figure(
    id="deck5-slide7",
    title="Weak scaling of Cholesky as a task graph, the Altix",
    claim="Cholesky by dynamic scheduling of its graph stays near dgemm's rate on up to 128 processors, above pdpotrf.",
    how=("simulation", "real run"),
    make=_make,
    run_name=NAME,
    measure=measure,
)
