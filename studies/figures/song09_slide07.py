"""Song09, slide 7: weak scaling of Cholesky as a task graph on the Altix."""

from __future__ import annotations

from studies.figures.weak_cholesky import figure

FIGURE = figure(7, "the Altix", "altix", "SGI Altix 3700 BX2 (Song09, slide 12)")
