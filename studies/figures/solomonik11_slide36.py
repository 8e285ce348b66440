"""Solomonik11, slide 36: strong scaling of LU with tournament pivoting."""

from __future__ import annotations

from studies.figures import lu_runs
from studies.figures.figure import Figure, Result, Run
from studies.figures.lu_scaling import OURS, VARIED, scaling


def _make(run: Run) -> Result:
    return scaling(
        "tournament",
        {"PDGETRF": (False, "in steps")},
        "PDGETRF pivots column by column: one reduction of a process column for each. Solomonik11 prints no ordinates.",
        run,
    )


FIGURE = Figure(
    id="solomonik11-slide36",
    title="Strong scaling of LU with tournament pivoting, n = 65,536",
    claim="2.5D LU stays near ideal scaling, 2D LU droops, ScaLAPACK's PDGETRF is lowest.",
    how=("model", "simulation", "lab"),
    make=_make,
    run_name=lu_runs.NAME,
    measure=lu_runs.measure,
    ours=OURS,
    varied=VARIED,
)
