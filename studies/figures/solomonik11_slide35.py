"""Solomonik11, slide 35: strong scaling of LU without pivoting."""

from __future__ import annotations

from studies.figures import lu_runs
from studies.figures.figure import Figure, Result, Run
from studies.figures.lu_scaling import OURS, VARIED, scaling


def _make(run: Run) -> Result:
    return scaling("none", {}, "Solomonik11 prints no ordinates.", run)


FIGURE = Figure(
    id="solomonik11-slide35",
    title="Strong scaling of LU without pivoting, n = 65,536",
    claim="2.5D LU stays near ideal scaling from 256 to 2048 nodes, 2D LU droops.",
    how=("model", "simulation", "lab"),
    make=_make,
    run_name=lu_runs.NAME,
    measure=lu_runs.measure,
    ours=OURS,
    varied=VARIED,
)
