"""Deck 1 slide 22: the multicast model verified in one dimension."""

from __future__ import annotations

from allport.report.figures.figure import Figure, Result, Run
from allport.report.figures.multicast_verification import verification


def _make(run: Run) -> Result:
    return verification("8", 850, run)


FIGURE = Figure(
    id="deck1-slide22",
    title="Multicast model verified: 8 nodes (8), one dimension",
    claim="The rectangular model is an upper envelope of DCMF's measured broadcast; binomial stays far below.",
    how=("model", "simulation"),
    make=_make,
)
