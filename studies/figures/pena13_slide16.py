"""Pena13, slide 16: halo exchange in two and three dimensions under three orders of ranks, alone and in whole steps."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

from allport import pattern
from allport.machine import Machine
from allport.pattern import Pattern

from studies.figures.figure import Chart, Figure, Number, Result, Run, Series, Table
from studies.figures.order_runs import NAME, in_the_lab, measure
from studies.figures.routers import CART, MATCHED, MORE, PLAIN, SEGMENT, Timed, box, grid, laid, saved, timed

ORDERS = (PLAIN, CART, MATCHED)
ELEMENT = 8
#: Bytes a second that a host's sweeps get of memory: STREAM's 11.1 GB/s on each of four chips of two Interlagos
#: processors (Kerbyson et al. 2012).
MEMORY = 4 * 11.1e9
#: Bytes of memory traffic for a cell of a sweep: read and written once; the written line read, too; two more rows or
#: planes read again because caches hold none. Which holds is in no source: the second is taken, the others are a band.
TRAFFIC = (16, 24, 40)
TAKEN = TRAFFIC[1]
PUBLISHED = {("2D", PLAIN): 1.4, ("2D", CART): 4.0, ("3D", PLAIN): 5.0, ("3D", CART): 5.0}
SAID = {("3D", order): "up to 5 % (beside MPI-assisted sorting)" for order in MORE}


@dataclass(frozen=True)
class Halo:
    """lengths: of the grid of hosts; cells: of a host along each axis; matched: the order that lays it on the links."""

    what: str
    lengths: tuple[int, ...]
    cells: tuple[int, ...]
    matched: str

    @property
    def bytes(self) -> int:
        """Of a message to one neighbour."""
        return ELEMENT * math.prod(self.cells[1:])

    def sweep(self, traffic: float) -> float:
        """Seconds of a host's computation in a step."""
        return math.prod(self.cells) * traffic / MEMORY


@dataclass(frozen=True)
class Step:
    """A halo and its exchange under each order."""

    halo: Halo
    exchange: dict[str, Timed]

    def saves(self, order: str, traffic: float = TAKEN) -> float:
        """Percent of a step's time that matching saves; traffic 0: of the exchange's."""
        whole = self.exchange[order].seconds + self.halo.sweep(traffic)
        return 100 * (self.exchange[order].seconds - self.exchange[MATCHED].seconds) / whole


def _two(machine: Machine) -> tuple[int, int]:
    """A grid of all hosts, as square as it goes."""
    x, y, z = grid(machine)
    return (x * y // 2, 2 * z) if y > 1 else (x, z)


def _steps(run: Run, machine: Machine) -> dict[str, list[Step]]:
    scale = (64, 256) if run.quick else (32, 64, 128, 256, 512, 1024)
    found: dict[str, list[Step]] = {"2D": [], "3D": []}
    for i, n in enumerate(scale):
        run.step(i / len(scale))
        for halo in (
            Halo("2D", _two(machine), (n * 8, n * 8), "matched"),
            Halo("3D", grid(machine), (n // 2,) * 3, "paired"),
        ):

            def pattern_of(counted: str, halo: Halo = halo) -> Pattern:
                return pattern.halo(halo.lengths, local=halo.cells, element=ELEMENT, order=counted, periodic=False)

            times = {order: timed(machine, *laid(machine, order, pattern_of, halo.matched)) for order in ORDERS}
            found[halo.what].append(Step(halo, times))
    return found


def _side(steps: list[Step], order: str, percent: float, traffic: float) -> float | None:
    """Cells of a host along an axis where matching saves so much of a step; None outside of all sizes."""
    points = [(math.log(s.halo.cells[0]), s.saves(order, traffic)) for s in steps]
    for (x0, y0), (x1, y1) in pairwise(points):
        if y1 <= percent <= y0:
            return math.exp(x0 + (x1 - x0) * (y0 - percent) / (y0 - y1)) if y0 > y1 else math.exp(x0)
    return None


def _sides(steps: list[Step], order: str, percent: float) -> str:
    """The same in words, with the band."""
    sides = [_side(steps, order, percent, traffic) for traffic in TRAFFIC]
    axes = len(steps[0].halo.cells)
    if sides[1] is None:
        return "at no size drawn"
    known = [side for side in sides if side is not None]
    return f"at {sides[1]:.0f}^{axes} cells a host ({min(known):.0f}^{axes} to {max(known):.0f}^{axes})"


def _charts(what: str, steps: list[Step]) -> list[Chart]:
    title = f"{what}: {'x'.join(map(str, steps[0].halo.lengths))} hosts"
    lengths = [s.halo.bytes for s in steps]
    cells = [math.prod(s.halo.cells) for s in steps]
    exchanges = [
        Series(order, lengths, [1e6 * s.exchange[order].seconds for s in steps], "simulation") for order in ORDERS
    ]
    saves = []
    for order in MORE:
        saves.append(Series(f"over {order}", cells, [s.saves(order) for s in steps], "simulation"))
        for traffic in (TRAFFIC[0], TRAFFIC[-1]):
            label = f"the same, {traffic} bytes a cell"
            saves.append(Series(label, cells, [s.saves(order, traffic) for s in steps], "model", pair=True))
    for percent in sorted({PUBLISHED[what, order] for order in MORE}):
        saves.append(Series(f"published {percent:g} %", cells, [percent] * len(cells), "limit"))
    return [
        Chart("message, bytes", "microseconds of an exchange", exchanges, title=title, log_y=True),
        Chart("cells of a host", "% of a step that matching saves", saves, title=f"{what}: exchange and computation"),
    ]


def _said(what: str, steps: list[Step]) -> str:
    last = steps[-1]
    words = []
    for order in MORE:
        its, ours = last.exchange[order], last.exchange[MATCHED]
        if its.seconds <= ours.seconds:
            words.append(f"{what}: matching saves nothing of the exchange under {order}.")
            continue
        words.append(
            f"{what}: matching saves {last.saves(order, 0):.0f} % of the exchange under {order}, whose busiest link "
            f"{its.link} takes {1e6 * its.link_seconds:.0f} us, beside {1e6 * ours.link_seconds:.0f} of {ours.link}; "
            f"of a step with its computation {steps[0].saves(order):.1f} % ({steps[0].halo.cells[0]} cells an axis) to "
            f"{last.saves(order):.1f} % ({last.halo.cells[0]}), and Pena13's {PUBLISHED[what, order]:g} % "
            f"{_sides(steps, order, PUBLISHED[what, order])}."
        )
    return " ".join(words)


def _numbers(what: str, steps: list[Step]) -> list[Number]:
    found = []
    for order in MORE:
        percent = PUBLISHED[what, order]
        alone = saved(steps[-1].exchange[order].seconds, steps[-1].exchange[MATCHED].seconds)
        of_step = f"{percent:g} % of a step {_sides(steps, order, percent)}; {alone} of the exchange alone"
        found.append(Number(f"{what} halo, {MATCHED} over {order}", SAID.get((what, order), f"{percent:g} %"), of_step))
    return found


def _remains(steps: list[Step]) -> str:
    """Whether one size gives both of the published 2D gains."""
    ratio = PUBLISHED["2D", CART] / PUBLISHED["2D", PLAIN]
    ours = [s.saves(CART) / s.saves(PLAIN) for s in steps if s.saves(PLAIN) > 0]
    text = f"{min(ours):.1f} to {max(ours):.1f} times" if ours else "not comparably"
    return (
        f"What remains in 2D: Pena13 gains {ratio:.1f} times as much over Cart_create as over Plain, ours {text} as "
        "much. Pena13 does not say how many processes a host had, how large their parts were, nor where in the torus; "
        "processes of one host that are neighbours in the grid exchange within it."
    )


def _make(run: Run) -> Result:
    machine = box()
    steps = _steps(run, machine)
    rows = [
        [what, "x".join(map(str, s.halo.cells)), s.halo.bytes, order, *s.exchange[order].row,
         1e6 * s.halo.sweep(TAKEN), s.saves(order) if order != MATCHED else 0.0]
        for what, kind in steps.items() for s in kind for order in ORDERS
    ]  # fmt: skip
    columns = [
        "halo",
        "cells",
        "bytes",
        "order",
        "us",
        "busiest link",
        "its MB",
        "its us",
        "computation, us",
        "% saved",
    ]
    real = [in_the_lab(run.lab, "halo")] if run.lab else []
    return Result(
        panels=[
            *(chart for what, kind in steps.items() for chart in _charts(what, kind)),
            Table(columns, rows, "exchanges, the busiest link of each, computation, and what a step saves"),
            *(table for table, _ in real),
        ],
        got=" ".join(_said(what, kind) for what, kind in steps.items()) + "".join(text for _, text in real),
        obtained=f"Simulation of one exchange of faces, all hosts at once, not periodic, on {machine.extents} routers "
        f"of figures/machines/blue-waters.toml, messages in pieces of {SEGMENT >> 10} KiB. Plain numbers the grid X "
        "fastest, Cart_create Z fastest (Cray ignores reorder), both along the scheduler's blocks of 4 x 2 x 8; "
        "Custom lays it along the network, hosts of a router beside each other along Y in 3D. A step is an exchange, "
        f"then a sweep over the host's cells at {TAKEN} bytes a cell ({TRAFFIC[0]} and {TRAFFIC[-1]}: the band) and "
        f"{MEMORY / 1e9:.1f} GB/s of memory (STREAM, Kerbyson et al. 2012)." + (f" {run.lab.said}" if run.lab else ""),
        why="Pena13 times whole steps. An exchange alone shows the whole effect of the order; with the computation of "
        "its cells, which grow faster than their faces, little of it is left. " + _remains(steps["2D"]),
        numbers=[number for what, kind in steps.items() for number in _numbers(what, kind)],
        not_run=[] if run.lab else ["not run here: the same in a lab; as root, python studies pena13-slide16 --run."],
    )


FIGURE = Figure(
    id="pena13-slide16",
    title="2D and 3D halo exchange on Gemini under three orders of ranks",
    claim="2D: Cart_create is worst, matching gains 1.4 % over Plain and 4 % over Cart_create; 3D: matching "
    "outperforms MPI-assisted sorting by up to 5 %.",
    how=("simulation", "lab"),
    make=_make,
    run_name=NAME,
    measure=measure,
)
