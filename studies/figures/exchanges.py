"""Pena13, slides 14 and 15: all-to-all and allgather in all rows, or in all planes, of a grid of hosts at once."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, field

from allport import pattern
from allport.machine import Machine
from allport.pattern import Pattern

from studies.figures.figure import Bars, Chart, Number, Result, Run, Series, Table
from studies.figures.routers import (
    AXES,
    BACKPLANE,
    CHASSIS,
    EVERY,
    MATCHED,
    MORE,
    SEGMENT,
    SHARES,
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
X, Y, Z = range(3)
BLADES = {0: "M C M", 1: "C M C"}  # Y's links in a box of four routers: mezzanines and cables
Key = tuple[str, str, str]  # collective, direction, order


@functools.cache
def _exchange(machine: Machine, what: str, axes: tuple[int, ...], order: str, size: int) -> Timed:
    def pattern_of(counted: str) -> Pattern:
        return MADE[what](grid(machine), axes, size, order=counted)

    return timed(machine, *laid(machine, order, pattern_of))


def _name(axes: tuple[int, ...]) -> str:
    return "".join(AXES[a] for a in axes)


def _compared(groups: list[tuple[int, ...]], other: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The rows or planes that have Y and those that have the other axis in its place."""
    return next(
        (a, b) for a in groups for b in groups
        if Y in a and other in b and {*a} - {Y} == {*b} - {other}
    )  # fmt: skip


@dataclass(frozen=True)
class Gain:
    """How much more rate along Y than along another axis, matched, in percent by collective."""

    other: int
    case: str
    percent: dict[str, float]
    ours: bool = False


def _gain(machine: Machine, groups: list[tuple[int, ...]], other: int, size: int) -> dict[str, float]:
    with_y, without = _compared(groups, other)
    return {
        what: 100 * (_exchange(machine, what, without, MATCHED, size).seconds
                     / _exchange(machine, what, with_y, MATCHED, size).seconds - 1)
        for what in MADE
    }  # fmt: skip


def _gains(groups: list[tuple[int, ...]], size: int) -> list[Gain]:
    """By what no source says: how slow the fifth X link is, and where blades and chassis begin in the box."""
    wirings = [(f"every fifth X link at {share:g} of the others' cables", share, 1.0) for share in SHARES[1:]]
    wirings.insert(0, ("X all cables (Kerbyson et al. 2012)", 1.0, 1.0))
    wirings.append(("every fifth X link a cable, the others backplanes", SLOW, BACKPLANE))
    found = [
        Gain(X, f"{text}; Y {links}", _gain(box(slow, lanes, blade), groups, X, size),
             ours=(slow, lanes, blade) == (SLOW, 1.0, 0))
        for text, slow, lanes in wirings
        for blade, links in BLADES.items()
    ]  # fmt: skip
    for chassis, text in ((CHASSIS, "Z within a chassis"), (CHASSIS // 2, "Z across two chassis")):
        for blade, links in BLADES.items():
            machine = box(SLOW, 1.0, blade, chassis)
            ours = (chassis, blade) == (CHASSIS, 0)
            found.append(Gain(Z, f"{text}; Y {links}", _gain(machine, groups, Z, size), ours))
    return found


def _band(gains: list[Gain], published: dict[str, int]) -> tuple[Bars, Table]:
    places, least, ours, most, said = [], [], [], [], []
    for other in (X, Z):
        of = [g for g in gains if g.other == other]
        for what in MADE:
            places.append(f"{what}, beside {AXES[other]}")
            least.append(min(g.percent[what] for g in of))
            most.append(max(g.percent[what] for g in of))
            ours.append(next(g.percent[what] for g in of if g.ours))
            said.append(float(published[what]))
    series = [
        Series("least", None, least, "simulation"),
        Series("as drawn above", None, ours, "simulation"),
        Series("most", None, most, "simulation"),
        Series("published (beside what is not said)", None, said, "limit"),
    ]
    bars = Bars(places, "% more rate along Y", series, title="Y's gain, by what no source says")
    rows: list[list[object]] = [
        [AXES[g.other], g.case + (" (above)" if g.ours else ""), *(round(g.percent[w], 1) + 0.0 for w in MADE)]
        for g in gains
    ]
    rows.append(["not said", "published, at most", *published.values()])
    return bars, Table(["beside", "links", *(f"{w}, %" for w in MADE)], rows, "more rate along Y, matched")


@dataclass
class Asked:
    """groups: the axes of each kind of row or plane; word: row or plane; published: gains in percent; lengths: bytes of
    a block. found: by collective, direction and order, the longest block last."""

    groups: list[tuple[int, ...]]
    word: str
    published: dict[str, int]
    lengths: list[int]
    machine: Machine = field(default_factory=box)
    found: dict[Key, list[Timed]] = field(default_factory=dict)

    @property
    def names(self) -> list[str]:
        return [_name(g) for g in self.groups]

    def simulate(self, run: Run) -> None:
        """Fills `found`: all lengths matched, the longest one under the other orders, too."""
        jobs = [(w, g, MATCHED, self.lengths) for w in MADE for g in self.groups]
        jobs += [(w, g, order, self.lengths[-1:]) for w in MADE for g in self.groups for order in MORE]
        for i, (what, axes, order, wanted) in enumerate(jobs):
            run.step(0.6 * i / len(jobs))
            times = [_exchange(self.machine, what, axes, order, n) for n in wanted]
            self.found[what, _name(axes), order] = times

    def last(self, what: str, name: str, order: str = MATCHED) -> Timed:
        """Of the longest block."""
        return self.found[what, name, order][-1]

    def with_y(self, what: str) -> str:
        """The fastest direction with Y."""
        return min((n for n in self.names if "Y" in n), key=lambda n: self.last(what, n).seconds)


def _panels(asked: Asked) -> list[Chart | Bars | Table]:
    charts = [
        Chart(
            "block, bytes",
            "microseconds",
            [Series(n, asked.lengths, [1e6 * t.seconds for t in asked.found[what, n, MATCHED]], "simulation")
             for n in asked.names],
            title=f"{what} in all {asked.word}s at once, {MATCHED}",
            log_y=True,
        )
        for what in MADE
    ]  # fmt: skip
    bars = [
        Bars(asked.names, "microseconds", [
            Series(order, None, [1e6 * asked.last(what, n, order).seconds for n in asked.names], "simulation")
            for order in (*MORE, MATCHED)
        ], title=f"{what}, blocks of {asked.lengths[-1] >> 10} KiB")
        for what in MADE
    ]  # fmt: skip
    return [*charts, *bars]


def _busiest(asked: Asked) -> Table:
    rows = [
        [what, n, order, *asked.last(what, n, order).row]
        for what in MADE for n in asked.names for order in (*MORE, MATCHED)
    ]  # fmt: skip
    columns = [
        "exchange",
        f"{asked.word}s along",
        "order",
        "microseconds",
        "busiest link",
        "its MB",
        "its microseconds",
    ]
    return Table(columns, rows, "and the busiest link of each")


def _numbers(asked: Asked, gains: list[Gain]) -> list[Number]:
    numbers = []
    for what in MADE:
        told = f"up to {asked.published[what]} %"
        for other in (X, Z):
            of = [g for g in gains if g.other == other]
            low, high = (round(edge(g.percent[what] for g in of)) for edge in (min, max))
            ours = round(next(g.percent[what] for g in of if g.ours))
            with_y, without = _compared(asked.groups, other)
            label = f"{what}: {asked.word}s along {_name(with_y)} beside {_name(without)}, rate"
            numbers.append(Number(label, told, f"{ours:+d} % ({low:+d} to {high:+d} %)"))
        name = asked.with_y(what)
        for order in MORE:
            text = saved(asked.last(what, name, order).seconds, asked.last(what, name).seconds)
            numbers.append(Number(f"{what}: {asked.word}s along {name}, {MATCHED} beside {order}", told, text))
    return numbers


def _got(asked: Asked) -> str:
    said = []
    for what in MADE:
        took = ", ".join(
            f"{1e6 * t.seconds:.0f} us along {n} (busiest: {t.link}, {1e6 * t.link_seconds:.0f} us)"
            for n in asked.names if (t := asked.last(what, n))
        )  # fmt: skip
        name, beside = asked.with_y(what), []
        for order in MORE:
            its = asked.last(what, name, order)
            text = saved(its.seconds, asked.last(what, name).seconds)
            beside.append(f"{text} beside {order}, held up by {its.link} ({1e6 * its.link_seconds:.0f} us)")
        said.append(
            f"{what.capitalize()} of {asked.lengths[-1] >> 10} KiB in all {asked.word}s, matched: {took}. Along {name} "
            f"that is {' and '.join(beside)}."
        )
    return " ".join(said)


def _needed(asked: Asked, what: str) -> str:
    """The shares of the fifth X link, for either place of the blades, that would give what is published."""
    with_y, without = _compared(asked.groups, X)
    shares = []
    for blade in BLADES:
        machine = box(SLOW, 1.0, blade)
        x, y = (_exchange(machine, what, g, MATCHED, asked.lengths[-1]) for g in (without, with_y))
        wanted = y.seconds * (1 + asked.published[what] / 100)
        if "X" not in x.link.split("->")[0]:
            return ""
        shares.append(SLOW * x.link_seconds / (wanted - (x.seconds - x.link_seconds)))
    text = " to ".join(dict.fromkeys(f"{share:.2f}" for share in sorted(shares)))
    return f"{asked.published[what]} % ({what}) would take {text}"


def _why(asked: Asked, gains: list[Gain]) -> str:
    x, y, z = (axis.bandwidth / 1e9 for axis in asked.machine.axes)

    def span(chosen: list[Gain]) -> str:
        parts = []
        for what in MADE:
            low, high = (round(edge(g.percent[what] for g in chosen)) for edge in (min, max))
            parts.append(f"{low} to {high} % ({what})" if low < high else f"{low} % ({what})")
        return " and ".join(parts)

    cables = [g for g in gains if g.other == X and g.case.startswith("X all cables")]
    word, needed = asked.word, [text for what in MADE if (text := _needed(asked, what))]
    return (
        f"Rates are those of Gemini's ports and lanes: {x:.1f} GB/s on a pair of X cables, {y:.1f} on a Y cable, twice "
        f"that on a Y mezzanine, {z:.1f} on a Z backplane. A {word} along X or Z has as many routers as hosts, and the "
        f"twin hosts' {word}s share its links; along Y it passes half as many and shares none, which makes up for Y's "
        f"half of the links. What Y gains beside X from sources alone, with X of cables throughout, is {span(cables)}. "
        "The rest takes the slower fifth X link of Pena13, slide 7: of the "
        f"others' rate, {' and '.join(needed) if needed else 'no share of it is what holds up'}. The kinds of links "
        f"allow {', '.join(f'{share:g}' for share in SHARES)}. Beside Z, whose backplanes are faster, Y gains "
        f"{span([g for g in gains if g.other == Z])}, most where the box crosses chassis. What remains: Pena13 says "
        "neither beside what its gains are, nor whether they are of time or rate, nor where its jobs lay; its MPI's "
        "algorithms and pipelines are not ours."
    )


def result(run: Run, groups: list[tuple[int, ...]], word: str, published: dict[str, int], most: int) -> Result:
    """groups: the axes of each kind of row or plane; word: row or plane; published: gains; most: bytes of a block."""
    asked = Asked(groups, word, published, sizes(1 << 10, most, 64 if run.quick else 8))
    asked.simulate(run)
    gains = _gains(groups, asked.lengths[-1])
    bars, table = _band(gains, published)
    return Result(
        panels=[*_panels(asked), bars, table, _busiest(asked)],
        got=_got(asked),
        obtained=f"Simulation of all {word}s of {'x'.join(map(str, grid(asked.machine)))} hosts at once, on "
        f"{asked.machine.extents} routers of figures/machines/blue-waters.toml (axes open: a box of contiguous nodes): "
        f"all-to-all sends to every other member, allgather goes round a ring; pieces of {SEGMENT >> 10} KiB, first "
        "come first served. The matched grid counts the two hosts of a router as neighbours along Y. As drawn, every "
        f"fifth X link (from x = {EVERY - 1}) has {SLOW:g} of the others' rate, a cable beside a backplane (ours), Y's "
        f"links are {BLADES[0]} (mezzanine, cable), and Z's are one chassis' backplane.",
        why=_why(asked, gains),
        numbers=_numbers(asked, gains),
    )
