"""Solomonik11, slide 19: rectangular against binomial collectives in MM, LU and LU with pivoting."""

from __future__ import annotations

from allport import model
from allport.machine import Machine

from studies.figures import lu_runs
from studies.figures import simulated_graphs as sims
from studies.figures.figure import Bars, Figure, Number, Result, Run, Series, agrees
from studies.figures.lu_parts import lu
from studies.figures.multiply_16384 import FLAT, LAYERED

N = 131072  # Solomonik11, slide 19
AXIS = 80  # % (Solomonik11, slide 19)
WORKS = ("MM", "LU", "LU with pivoting")
VARIANTS = (("2.5D RCT", LAYERED, "rectangular"), ("2.5D BNM", LAYERED, "binomial"), ("2D BNM", FLAT, "binomial"))


def _ordered(peak: dict[str, list[float]], names: list[str]) -> list[str]:
    """In which of WORKS the variants of these names are as Solomonik11 has them, the fastest first."""
    return [work for work, (x, y, z) in zip(WORKS, zip(*(peak[name] for name in names))) if x > y > z]


def _make(run: Run) -> Result:
    bgp = Machine.parse("bgp")
    peak = {
        name: [
            100 * t["efficiency"]
            for t in (
                model.gemm_time(bgp, (N, N, N), grid, how),
                lu(bgp, N, grid, "none", how),
                lu(bgp, N, grid, "tournament", how),
            )
        ]
        for name, grid, how in VARIANTS
    }
    works = ("gemm", "none", "tournament")
    ran = {
        variant: [100 * sims.at_16384(work, N)[variant]["efficiency"] for work in works]
        for variant in ("2.5D RCT", "2.5D BNM", "2D RCT", "2D BNM")
    }
    found = "; ".join(f"{variant} {a:.0f}, {b:.0f}, {c:.0f} %" for variant, (a, b, c) in ran.items())
    said = "; ".join(f"{name} {a:.0f}, {b:.0f}, {c:.0f} %" for name, (a, b, c) in peak.items())
    names = [name for name, _, _ in VARIANTS]
    held = {how: _ordered(of, names) for how, of in (("simulated", ran), ("model", peak))}
    where = {how: ", ".join(works) or "none" for how, works in held.items()}
    return Result(
        panels=[
            Bars(
                ["MM", "LU", "LU+PVT"],
                "% of machine peak",
                [Series(name, None, values, "simulation") for name, values in ran.items()],
                title="our graphs, simulated",
            ),
            Bars(
                ["MM", "LU", "LU+PVT"],
                "% of machine peak",
                [Series(name, None, values) for name, values in peak.items()],
                title="Solomonik11's model",
            ),
            *([lu_runs.bars(run.lab, names)] if run.lab else []),
        ],
        got=f"MM, LU, LU with pivoting, simulated: {found}. By Solomonik11's model: {said}. Solomonik11's "
        f"order, 2.5D RCT before 2.5D BNM before 2D BNM, holds simulated in {where['simulated']}, by the model in "
        f"{where['model']}." + (lu_runs.said(run.lab) if run.lab else ""),
        obtained=f"{sims.said()} Model: gemm_time and lu_time (blocks tuned) on preset bgp, 32x32x16 and 128x128 "
        "processes." + (f" {run.lab.said}" if run.lab else ""),
        why=f"Solomonik11's axis ends at {AXIS} %; the model has local kernels at peak and nobody waiting, so its bars "
        "stand higher. Binomial trees are without contention here (lines of the torus), which favours them. "
        + lu_runs.WHY,
        numbers=[
            Number(
                "order 2.5D RCT > 2.5D BNM > 2D BNM holds in",
                ", ".join(WORKS),
                f"simulated: {where['simulated']}; model: {where['model']}",
                how="simulated, model",
                holds=agrees(*(work in works for works in held.values() for work in WORKS)),
                why="Simulated LU over binomial trees gains nothing by layers; the model waits for nobody.",
            ),
            Number(
                "MM at 16,384 nodes, % of peak, RCT / BNM / 2D BNM",
                f"below {AXIS}",
                "simulated "
                + " / ".join(f"{ran[variant][0]:.0f}" for variant in ("2.5D RCT", "2.5D BNM", "2D BNM"))
                + "; model "
                + " / ".join(f"{v[0]:.0f}" for v in peak.values()),
                how="simulated, model",
                holds=agrees(*(of[name][0] < AXIS for of in (ran, peak) for name in names)),
                why="Local products run at peak in ours, and nobody waits in the model.",
            ),
        ],
    )


FIGURE = Figure(
    id="solomonik11-slide19",
    title="Rectangular (RCT) against binomial (BNM) collectives, n = 131,072, 16,384 nodes",
    claim="2.5D with rectangular collectives beats 2.5D with binomial ones, and both beat 2D, in MM, LU and LU with "
    "pivoting.",
    how=("model", "simulation", "lab"),
    make=_make,
    run_name=lu_runs.NAME,
    measure=lu_runs.measure,
    ours=("bgp.overhead", "bgp.axes"),
)
