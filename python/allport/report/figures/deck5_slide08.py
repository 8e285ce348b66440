"""Deck 5 slide 8: weak scaling of Cholesky as a task graph on Grig."""

from __future__ import annotations

from allport.report.figures.figure import Figure, Result, Run
from allport.report.figures.weak_cholesky import NAME, make, measure


def _make(run: Run) -> Result:
    return make("grig", "Grig (64 nodes with two each; slide 15)", run)


FIGURE = Figure(
    id="deck5-slide8",
    title="Weak scaling of Cholesky as a task graph, Grig",
    claim="Cholesky by dynamic scheduling of its graph stays near dgemm's rate on up to 128 processors, above pdpotrf.",
    how=("simulation", "real run"),
    make=_make,
    run_name=NAME,
    measure=measure,
)
