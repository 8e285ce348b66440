"""Solomonik11, slide 23: the multicast model verified in two dimensions."""

from __future__ import annotations

from studies.figures.multicast_verification import figure

FIGURE = figure(23, "64 nodes (8x8), two dimensions", "8x8", 1700)
