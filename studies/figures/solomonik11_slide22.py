"""Solomonik11, slide 22: the multicast model verified in one dimension."""

from __future__ import annotations

from studies.figures.multicast_verification import figure

FIGURE = figure(22, "8 nodes (8), one dimension", "8", 850)
