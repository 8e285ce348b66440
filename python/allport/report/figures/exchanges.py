"""Deck 4 slides 14 and 15: all-to-all and allgather in all rows, or in all planes, of a grid of hosts at once."""

from __future__ import annotations

from collections.abc import Callable

from allport import pattern
from allport.machine import Machine
from allport.pattern import Pattern
from allport.report.figures.figure import Bars, Chart, Number, Result, Run, Series, Table
from allport.report.figures.routers import (
    AXES,
    MATCHED,
    MORE,
    SEGMENT,
    SLOW,
    Timed,
    box,
    grid,
    laid,
    saved,
    timed,
)
from allport.report.figures.simulated import sizes

__all__ = ["result"]

MADE: dict[str, Callable[..., Pattern]] = {"alltoall": pattern.alltoall, "allgather": pattern.allgather}
Key = tuple[str, str, str]  # collective, direction, order


def _exchange(machine: Machine, what: str, axes: list[int], order: str, size: int) -> Timed:
    def pattern_of(counted: str) -> Pattern:
        return MADE[what](grid(machine), axes, size, order=counted)

    return timed(machine, *laid(machine, order, pattern_of))


def _name(axes: list[int]) -> str:
    return "".join(AXES[a] for a in axes)


def result(run: Run, groups: list[list[int]], word: str, deck: dict[str, int], most: int) -> Result:
    """groups: the axes of each kind of row or plane; word: 'row' or 'plane'; deck: its gains; most: bytes of a block."""
    machine = box(run.quick)
    lengths = sizes(1 << 10, most, 64 if run.quick else 8)
    found: dict[Key, list[Timed]] = {}
    jobs = [(w, g, MATCHED, lengths) for w in MADE for g in groups]
    jobs += [(w, g, order, lengths[-1:]) for w in MADE for g in groups for order in MORE]
    for i, (what, axes, order, wanted) in enumerate(jobs):
        run.step(i / len(jobs))
        found[what, _name(axes), order] = [_exchange(machine, what, axes, order, n) for n in wanted]
    names = [_name(g) for g in groups]
    charts = [
        Chart(
            "block, bytes",
            "microseconds",
            [Series(n, lengths, [1e6 * t.seconds for t in found[what, n, MATCHED]], "simulation") for n in names],
            title=f"{what} in all {word}s at once, {MATCHED}",
            log_y=True,
        )
        for what in MADE
    ]
    orders = (*MORE, MATCHED)
    bars = [
        Bars(names, "microseconds", [
            Series(order, None, [1e6 * found[what, n, order][-1].seconds for n in names], "simulation")
            for order in orders
        ], title=f"{what}, blocks of {lengths[-1] >> 10} KiB")
        for what in MADE
    ]  # fmt: skip
    rows = [
        [what, n, order, *found[what, n, order][-1].row] for what in MADE for n in names for order in orders
    ]
    columns = ["exchange", f"{word}s along", "order", "microseconds", "busiest link", "its MB", "its microseconds"]
    numbers, said = [], []
    for what in MADE:
        matched = {n: found[what, n, MATCHED] for n in names}
        with_y = min((n for n in names if "Y" in n), key=lambda n: matched[n][-1].seconds)
        others = sorted((n for n in names if "Y" not in n), key=lambda n: -matched[n][-1].seconds)
        for other in others:
            best = max(range(len(lengths)), key=lambda i: matched[other][i].seconds / matched[with_y][i].seconds)
            text = saved(matched[other][best].seconds, matched[with_y][best].seconds)
            label = f"{what}: {word}s along {with_y} over {other}, at best ({lengths[best]} bytes)"
            numbers.append(Number(label, f"up to {deck[what]} %", text))
        by_order = {order: found[what, with_y, order][-1] for order in orders}
        ours = by_order[MATCHED]
        gains = []
        for order in MORE:
            gains.append(f"{saved(by_order[order].seconds, ours.seconds)} over {order}, which {by_order[order].link} "
                         f"holds up for {1e6 * by_order[order].link_seconds:.0f} us")  # fmt: skip
            numbers.append(Number(f"{what} along {with_y}: {MATCHED} over {order}", f"up to {deck[what]} %",
                                  saved(by_order[order].seconds, ours.seconds)))  # fmt: skip
        held = "; ".join(f"{n} by {matched[n][-1].link} ({1e6 * matched[n][-1].link_seconds:.0f} us)" for n in names)
        said.append(
            f"{what.capitalize()} of {lengths[-1] >> 10} KiB in all {word}s takes "
            f"{', '.join(f'{1e6 * matched[n][-1].seconds:.0f} us along {n}' for n in names)} when matched, held up {held}. "
            f"Along {with_y} matching saves {' and '.join(gains)}."
        )
    return Result(
        panels=[*charts, *bars, Table(columns, rows, "and the busiest link of each")],
        got=" ".join(said),
        obtained=f"Simulation of all {word}s of {'x'.join(map(str, grid(machine)))} hosts at once, on {machine.extents} "
        "routers of figures/machines/blue-waters.toml (axes open: a box of contiguous nodes): all-to-all sends to every "
        f"other member, allgather goes round a ring; pieces of {SEGMENT >> 10} KiB, first come first served. The "
        f"matched grid counts the two hosts of a router as neighbours along Y. An X link across a cabinet has {SLOW:g} of "
        "the others' rate.",
        why=_why(word, machine),
        numbers=numbers,
    )


def _why(word: str, machine: Machine) -> str:
    x, y, z = (axis.bandwidth / 1e9 for axis in machine.axes)
    return (
        f"A {word} along X or Z has as many routers as hosts, and the twin hosts' {word}s share its links; one along Y "
        f"passes half as many routers and shares none. With links of {x:.1f}, {y:.1f} and {z:.1f} GB/s along X, Y and Z "
        f"an X and a Y link then have alike loads for their rates, so that Y gains over X by the slow X links alone, "
        "and loses to Z, which the deck says is faster without saying how much. The deck's gains are larger: it does "
        "not say beside what, in time or rate, nor how long rows were. Beside orders that do not match, where rows "
        "share links with each other, the simulated gains are larger than the deck's."
    )
