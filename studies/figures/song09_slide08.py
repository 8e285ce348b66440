"""Song09, slide 8: weak scaling of Cholesky as a task graph on Grig."""

from __future__ import annotations

from studies.figures.weak_cholesky import figure

FIGURE = figure(8, "Grig", "grig", "Grig (64 nodes with two each; Song09, slide 15)")
