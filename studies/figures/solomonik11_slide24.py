"""Solomonik11, slide 24: the multicast model verified in three dimensions."""

from __future__ import annotations

from studies.figures.multicast_verification import figure

FIGURE = figure(24, "512 nodes (8x8x8), three dimensions", "8x8x8", 2550)
