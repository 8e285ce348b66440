"""Pena13, slide 16: halo exchange in two and three dimensions under three orders of ranks."""

from __future__ import annotations

from dataclasses import dataclass

from allport import pattern
from allport.machine import Machine
from allport.pattern import Pattern

from studies.figures.figure import Bars, Chart, Figure, Number, Result, Run, Series, Table
from studies.figures.order_runs import NAME, in_the_lab, measure
from studies.figures.routers import CART, MATCHED, MORE, PLAIN, SEGMENT, Timed, box, grid, laid, saved, timed

ORDERS = (PLAIN, CART, MATCHED)
ELEMENT = 8


@dataclass(frozen=True)
class Halo:
    """lengths: of the grid of hosts; cells: of a host along each axis; matched: the order that lays it on the links."""

    what: str
    lengths: tuple[int, ...]
    cells: tuple[int, ...]
    matched: str
    published: dict[str, str]


def _two(machine: Machine) -> tuple[int, int]:
    """A grid of all hosts, as square as it goes."""
    x, y, z = grid(machine)
    return (x * y // 2, 2 * z) if y > 1 else (x, z)


def _halos(machine: Machine, quick: bool) -> list[Halo]:
    scale = (64, 256) if quick else (64, 256, 1024)
    flat, cube = [], []
    for n in scale:
        two = {PLAIN: "1.4 %", CART: "4 %"}
        flat.append(Halo("2D", _two(machine), (n * 8, n * 8), "matched", two))
        three = {PLAIN: "up to 5 % (beside MPI-assisted sorting)", CART: "up to 5 %"}
        cube.append(Halo("3D", grid(machine), (n // 4,) * 3, "paired", three))
    return [*flat, *cube]


def _bytes(halo: Halo) -> int:
    """Of a message to one neighbour."""
    volume = 1
    for cells in halo.cells[1:]:
        volume *= cells
    return ELEMENT * volume


def _make(run: Run) -> Result:
    machine = box()
    halos = _halos(machine, run.quick)
    found: dict[tuple[str, int, str], Timed] = {}
    for i, halo in enumerate(halos):
        run.step(i / len(halos))
        for order in ORDERS:

            def pattern_of(counted: str, halo: Halo = halo) -> Pattern:
                return pattern.halo(halo.lengths, local=halo.cells, element=ELEMENT, order=counted, periodic=False)

            found[halo.what, _bytes(halo), order] = timed(machine, *laid(machine, order, pattern_of, halo.matched))
    panels: list[Chart | Bars | Table] = []
    numbers, said, rows = [], [], []
    for what in ("2D", "3D"):
        kind = [h for h in halos if h.what == what]
        lengths = [_bytes(h) for h in kind]
        title = f"{what}: {'x'.join(map(str, kind[0].lengths))} hosts"
        series = [
            Series(order, lengths, [1e6 * found[what, n, order].seconds for n in lengths], "simulation")
            for order in ORDERS
        ]
        panels.append(Chart("message, bytes", "microseconds of an exchange", series, title=title, log_y=True))
        last = {order: found[what, lengths[-1], order] for order in ORDERS}
        rows += [[what, lengths[-1], order, *t.row] for order, t in last.items()]
        for order in MORE:
            # The share of communication in a step that makes so much of it what Pena13 has of the whole.
            gain = 1 - last[MATCHED].seconds / last[order].seconds
            numbers.append(
                Number(f"{what} halo, {MATCHED} over {order}", kind[0].published[order],
                       f"{saved(last[order].seconds, last[MATCHED].seconds)}, the exchange alone")
            )  # fmt: skip
            percent = {("2D", PLAIN): 1.4, ("2D", CART): 4.0}.get((what, order), 5.0)
            if gain > 0:
                said.append(
                    f"{what}: matching saves {100 * gain:.0f} % of the exchange under {order}, whose busiest link "
                    f"{last[order].link} takes {1e6 * last[order].link_seconds:.0f} us, beside "
                    f"{1e6 * last[MATCHED].link_seconds:.0f} of {last[MATCHED].link}; Pena13's {percent:g} % are "
                    f"that of a whole step, if the exchange is {percent / gain:.0f} % of it."
                )
            else:
                said.append(f"{what}: matching saves nothing of the exchange under {order}.")
    real = [in_the_lab(run.lab, "halo")] if run.lab else []
    columns = ["halo", "bytes", "order", "microseconds", "busiest link", "its MB", "its microseconds"]
    return Result(
        panels=[
            *panels,
            Table(columns, rows, "longest messages, and the busiest link"),
            *(table for table, _ in real),
        ],
        got=" ".join(said) + "".join(text for _, text in real),
        obtained=f"Simulation of one exchange of faces, all hosts at once, not periodic, on {machine.extents} routers "
        f"of figures/machines/blue-waters.toml, messages in pieces of {SEGMENT >> 10} KiB. Plain numbers the grid X "
        "fastest, Cart_create Z fastest (Cray ignores reorder), both along the scheduler's blocks of 4 x 2 x 8; "
        "Custom lays it along the network, hosts of a router beside each other along Y in 3D."
        + (f" {run.lab.said}" if run.lab else ""),
        why="Pena13 times whole steps of a stencil, of which the exchange is a small part, and does not give that "
        "part; an exchange alone shows the whole effect of the order.",
        numbers=numbers,
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
