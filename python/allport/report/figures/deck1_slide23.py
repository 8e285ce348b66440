"""Deck 1 slide 23: the multicast model verified in two dimensions."""

from __future__ import annotations

from allport.report.figures.figure import Figure, Result, Run
from allport.report.figures.multicast_verification import verification


def _make(run: Run) -> Result:
    return verification("8x8", 1700, run)


FIGURE = Figure(
    id="deck1-slide23",
    title="Multicast model verified: 64 nodes (8x8), two dimensions",
    claim="The rectangular model is an upper envelope of DCMF's measured broadcast; binomial stays far below.",
    how=("model", "simulation"),
    make=_make,
)
