"""Solomonik11, slide 27: strong scaling of LU on the exascale machine."""

from __future__ import annotations

from allport.machine import Machine

from studies.figures.exascale_scaling import OURS, SETTINGS, VARIED, curves
from studies.figures.figure import Figure, Number, Result, Run, agrees
from studies.figures.lu_parts import lu
from studies.figures.varied import said as range_of

AXIS = (0.0, 1.0)  # Solomonik11, slide 27


def _efficiency(machine: Machine, n: int, grid: tuple[int, int, int], how: str, binomial: float) -> float:
    return lu(machine, n, grid, "none", how, bn_binomial=binomial)["efficiency"]


def _make(run: Run) -> Result:
    panels, said, numbers, orders = [], [], [], []
    for i, setting in enumerate(SETTINGS):
        run.step(i / len(SETTINGS))
        chart, found = curves(setting, _efficiency, run.quick)
        panels.append(chart)
        rect, layered, flat = (v[-1] for v in found.values())
        ordered = rect > layered > flat
        kept = "keeps the published order at z = 64" if ordered else "has binomial above rectangular at z = 64"
        orders.append(f"n = {setting.n:,} {kept}")
        ends = ", ".join(f"{name} {v[0]:.2f} to {v[-1]:.2f}" for name, v in found.items())
        short = ", ".join(f"{name.split(' (')[0]} {v[-1]:.2f}" for name, v in found.items())
        said.append(f"{setting.name}: {ends}")
        numbers.append(
            Number(
                f"exascale LU efficiency at z = 64, {setting.name}",
                f"this order, axis {AXIS[0]:g} to {AXIS[1]:g}",
                short,
                how="model",
                holds=agrees(ordered, AXIS[0] <= min(rect, layered, flat), max(rect, layered, flat) <= AXIS[1]),
                why="No ordinates; n, o, L, links are ours; with small n start-ups decide.",
            )
        )
    return Result(
        panels=panels,
        got="; ".join(said) + ".",
        obtained="Model: lu_time without pivoting on preset exascale, c = z, b and Bg tuned for every point; 2D on "
        "the most square grid. Idle time of the critical path is in it, waiting for slower ranks is not. "
        + range_of(Machine.parse("exascale")),
        why=f"Solomonik11 states neither n nor block sizes. {'; '.join(orders)}: with the smaller matrix start-ups "
        "decide, and the model charges a rectangular multicast 2o + L for each of a line's 64 hops but a binomial "
        "tree for 6, and gives the tree three times the links. LU falls more than MM because its panels are a chain "
        "of n/b steps that does not shrink with z. 2D broadcasts W = n^2/sqrt(p) words here; counted with 2.5D's "
        "panel pieces, 1.5 times that, it would fall to 0.30.",
        numbers=numbers,
    )


FIGURE = Figure(
    id="solomonik11-slide27",
    title="Exascale LU, strong scaling from the xy plane to the full torus",
    claim="2.5D LU with rectangular collectives scales best, with binomial ones less, 2D LU collapses.",
    how=("model",),
    make=_make,
    ours=OURS,
    varied=VARIED,
)
