"""Deck 1 slide 24: the multicast model verified in three dimensions."""

from __future__ import annotations

from allport.report.figures.figure import Figure, Result, Run
from allport.report.figures.multicast_verification import verification


def _make(run: Run) -> Result:
    return verification("8x8x8", 2550, run)


FIGURE = Figure(
    id="deck1-slide24",
    title="Multicast model verified: 512 nodes (8x8x8), three dimensions",
    claim="The rectangular model is an upper envelope of DCMF's measured broadcast; binomial stays far below.",
    how=("model", "simulation"),
    make=_make,
)
