"""Pena13, slides 14 and 15: all-to-all and allgather in all rows, or in all planes, of a grid of hosts at once."""

from __future__ import annotations

from collections.abc import Callable

from allport import pattern
from allport.machine import Machine
from allport.pattern import Pattern

from studies.figures.figure import Bars, Chart, Number, Result, Run, Series, Table
from studies.figures.routers import (
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
from studies.figures.simulated import sizes

__all__ = ["result"]

MADE: dict[str, Callable[..., Pattern]] = {"alltoall": pattern.alltoall, "allgather": pattern.allgather}
SWEPT = (1.0, SLOW, 0.6, 0.5)
Key = tuple[str, str, str]  # collective, direction, order


def _exchange(machine: Machine, what: str, axes: list[int], order: str, size: int) -> Timed:
    def pattern_of(counted: str) -> Pattern:
        return MADE[what](grid(machine), axes, size, order=counted)

    return timed(machine, *laid(machine, order, pattern_of))


def _name(axes: list[int]) -> str:
    return "".join(AXES[a] for a in axes)


def _sweep(groups: list[list[int]], published: dict[str, int], size: int) -> Table:
    """Y's gain over X as a rate, by how slow the X links across cabinets are, for no source says it."""
    with_y = next(g for g in groups if 1 in g and 0 not in g)
    with_x = next(g for g in groups if 0 in g and 1 not in g)
    rows: list[list[object]] = []
    for slow in SWEPT:
        machine = box(slow)
        gains = []
        for what in MADE:
            x, y = (_exchange(machine, what, g, MATCHED, size).seconds for g in (with_x, with_y))
            gains.append(round(100 * (x / y - 1), 1) + 0.0)
        rows.append([slow, *gains])
    rows.append(["published", *published.values()])
    columns = ["X links across cabinets, share of the others", *(f"{what}, %" for what in MADE)]
    return Table(columns, rows, f"more rate along {_name(with_y)} than along {_name(with_x)}, matched")


def result(run: Run, groups: list[list[int]], word: str, published: dict[str, int], most: int) -> Result:
    """groups: the axes of each kind of row or plane; word: row or plane; published: gains; most: bytes of a block."""
    machine = box()
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
    rows = [[what, n, order, *found[what, n, order][-1].row] for what in MADE for n in names for order in orders]
    columns = ["exchange", f"{word}s along", "order", "microseconds", "busiest link", "its MB", "its microseconds"]
    sweep = _sweep(groups, published, lengths[-1])
    numbers: list[Number] = []
    said, needed = [], []
    for what in MADE:
        matched = {n: found[what, n, MATCHED] for n in names}
        with_y = min((n for n in names if "Y" in n), key=lambda n: matched[n][-1].seconds)
        here = matched[with_y]
        for other in (n for n in names if "Y" not in n):
            best = max(range(len(lengths)), key=lambda i: matched[other][i].seconds / here[i].seconds)
            gain = matched[other][best].seconds / here[best].seconds
            label = f"{what}: {word}s along {with_y} beside {other}, at best ({lengths[best]} bytes)"
            numbers.append(Number(label, f"up to {published[what]} %", saved(gain, 1.0)))
            if "X" in other and matched[other][-1].link == matched[names[0]][-1].link:
                slow = SLOW * matched[other][-1].link_seconds / here[-1].link_seconds / (1 + published[what] / 100)
                needed.append(f"{slow:.2f} ({what})")
        beside = []
        for order in MORE:
            its = found[what, with_y, order][-1]
            text = saved(its.seconds, here[-1].seconds)
            beside.append(f"{text} beside {order}, held up by {its.link} ({1e6 * its.link_seconds:.0f} us)")
            label = f"{what}: {word}s along {with_y}, {MATCHED} beside {order}"
            numbers.append(Number(label, f"up to {published[what]} %", text))
        took = ", ".join(
            f"{1e6 * matched[n][-1].seconds:.0f} us along {n} (busiest: {matched[n][-1].link}, "
            f"{1e6 * matched[n][-1].link_seconds:.0f} us)" for n in names
        )  # fmt: skip
        said.append(
            f"{what.capitalize()} of {lengths[-1] >> 10} KiB in all {word}s, matched: {took}. Along {with_y} that is "
            f"{' and '.join(beside)}."
        )
    return Result(
        panels=[*charts, *bars, sweep, Table(columns, rows, "and the busiest link of each")],
        got=" ".join(said),
        obtained=f"Simulation of all {word}s of {'x'.join(map(str, grid(machine)))} hosts at once, on "
        f"{machine.extents} routers of figures/machines/blue-waters.toml (axes open: a box of contiguous nodes): "
        f"all-to-all sends to every other member, allgather goes round a ring; pieces of {SEGMENT >> 10} KiB, first "
        "come first served. The "
        f"matched grid counts the two hosts of a router as neighbours along Y. An X link across a cabinet has {SLOW:g} "
        "of the others' rate.",
        why=_why(word, machine, needed),
        numbers=numbers,
    )


def _why(word: str, machine: Machine, needed: list[str]) -> str:
    x, y, z = (axis.bandwidth / 1e9 for axis in machine.axes)
    told = (
        f"; as rates, its gains over X would take X links across cabinets of {' and '.join(needed)} of the others' rate"
    )
    return (
        f"A {word} along X or Z has as many routers as hosts, and the twin hosts' {word}s share its links; along Y it "
        f"passes half as many routers and shares none. With links of {x:.1f}, {y:.1f} and {z:.1f} GB/s along X, Y and "
        "Z an X and a Y link have alike loads for their rates, so that Y gains over X by the slow X links alone, and "
        "loses to Z, which Pena13 says is faster without saying how much. Pena13 does not say beside what its "
        f"gains are, nor whether they are of time or of rate{told if needed else ''}. Orders that do not match put "
        "some rows on fast links and others on each other's: Plain's and Cart_create's worst directions are slower "
        "than any matched one."
    )
