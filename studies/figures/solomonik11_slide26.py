"""Solomonik11, slide 26: strong scaling of matrix multiplication on the exascale machine."""

from __future__ import annotations

from allport import model
from allport.machine import Machine

from studies.figures.exascale_scaling import OURS, SETTINGS, VARIED, curves
from studies.figures.figure import Figure, Number, Result, Run, agrees
from studies.figures.varied import said as range_of

AXIS = (0.4, 1.0)  # Solomonik11, slide 26


def _efficiency(machine: Machine, n: int, grid: tuple[int, int, int], how: str, binomial: float) -> float:
    return model.gemm_time(machine, (n, n, n), grid, how, bn_binomial=binomial)["efficiency"]


def _make(run: Run) -> Result:
    panels, said, numbers = [], [], []
    for setting in SETTINGS:
        chart, found = curves(setting, _efficiency, run.quick)
        panels.append(chart)
        ends = ", ".join(f"{name} {v[0]:.3f} to {v[-1]:.3f}" for name, v in found.items())
        short = ", ".join(f"{name.split(' (')[0]} {v[-1]:.3f}" for name, v in found.items())
        said.append(f"{setting.name}: {ends}")
        last = [v[-1] for v in found.values()]
        numbers.append(
            Number(
                f"exascale MM efficiency at z = 64, {setting.name}",
                f"this order, axis {AXIS[0]:g} to {AXIS[1]:g}",
                short,
                how="model",
                holds=agrees(last == sorted(last, reverse=True), AXIS[0] <= min(last), max(last) <= AXIS[1]),
                why="No ordinates; n, o, L, links are ours: order and axis alone are compared.",
            )
        )
    return Result(
        panels=panels,
        got="; ".join(said) + ".",
        obtained="Model: gemm_time on preset exascale, c = z, multicasts of A and B one after the other along lines. "
        + range_of(Machine.parse("exascale")),
        why="Solomonik11 does not state n, o, L or what B_n means for a binomial tree. Both settings keep its "
        "order and stay within its axis: in the first a plane's memory is full and every tree has 33 GB/s, in the "
        "second binomial trees have 100 GB/s.",
        numbers=numbers,
    )


FIGURE = Figure(
    id="solomonik11-slide26",
    title="Exascale MM, strong scaling from the xy plane to the full torus",
    claim="2.5D with rectangular collectives keeps nearly all its efficiency, binomial loses, 2D falls below one half.",
    how=("model",),
    make=_make,
    ours=OURS,
    varied=VARIED,
)
