"""Pena13's machine and its orders of ranks: a box of Gemini routers with two hosts each, and three ways to fill it."""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from allport import mapping
from allport.machine import Machine
from allport.pattern import Pattern
from allport.run import links
from allport.sim import Model, simulate

from studies.figures.placements import places_by

__all__ = [
    "AXES", "BACKPLANE", "CART", "CHASSIS", "EVERY", "MATCHED", "MORE", "PLAIN", "SHARES", "SLOW", "Timed", "box",
    "counted", "grid", "laid", "named", "pair", "saved", "timed",
]  # fmt: skip

AXES = "XYZ"
#: Rates of a lane beside a cable's (LDMS).
BACKPLANE, MEZZANINE = 5.0 / 3.125, 6.25 / 3.125
#: Every fifth X link crosses a cabinet and is slower (Pena13, slide 7). How slow is in no source, and Kerbyson et al.
#: 2012 have all X links between cabinets. By kinds of links it can be: not slower; a cable beside a backplane; a cable
#: beside a mezzanine. The second is taken, the others are the band; which one is right is in no source.
EVERY, SHARES = 5, (1.0, 1 / BACKPLANE, 1 / MEZZANINE)
SLOW = SHARES[1]
CHASSIS = 8  # routers along Z on one backplane (derived, see the machine file)
SEGMENT = 1 << 16
PLAIN, CART, MATCHED = "Plain (X-Y-Z)", "Cart_create (Z-Y-X)", "Custom (matched)"
MORE = (PLAIN, CART)


def _link(at: tuple[int, int, int], axis: str, bandwidth: float) -> str:
    return f'[[link]]\nfrom = {list(at)}\naxis = "{axis}"\ndirection = "+"\nbandwidth = {bandwidth!r}\n'


@functools.cache
def box(slow: float = SLOW, x_lanes: float = 1.0, blade: int = 0, chassis: int = CHASSIS) -> Machine:
    """The machine file figures/machines/blue-waters.toml with links that differ from their axis.

    slow: the rate of every fifth X link beside the others. x_lanes: rate of X's lanes beside a cable's. blade: the y
    of the first pair of routers of a blade, 0 or 1; a mezzanine joins them, the others are joined by cables. chassis:
    how many of the box's first routers along Z are in one chassis; a cable leads to the next one.
    """
    text = (Path(__file__).parent / "machines" / "blue-waters.toml").read_text()
    x, y, z = Machine.from_toml(text).axes
    different = []
    for i, j, k in itertools.product(range(x.length), range(y.length), range(z.length)):
        factor = x_lanes * (slow if i % EVERY == EVERY - 1 else 1.0)
        if i + 1 < x.length and factor != 1.0:
            different.append(_link((i, j, k), "x", factor * x.bandwidth))
        if j + 1 < y.length and j % 2 == blade:
            different.append(_link((i, j, k), "y", MEZZANINE * y.bandwidth))
        if k + 1 < z.length and (k + 1 - chassis) % CHASSIS == 0:
            different.append(_link((i, j, k), "z", z.bandwidth / BACKPLANE))
    return Machine.from_toml("\n".join([text, *different]))


def pair(machine: Machine, axis: int, at: int, what: str, *, each: int = 1, directions: str = "+") -> links.Case:
    """Messages between neighbours along an axis, the first at `at` on it; each: hosts of a router that send."""
    ppn = machine.ranks_per_node
    a, b = (machine.node([n if i == axis else 0 for i in range(3)]) * ppn for n in (at, at + 1))
    there = [(a + host, b + host) for host in range(each)]
    back = [(to, sender) for sender, to in there] if directions == "+-" else []
    name = f"rate {what}{directions}, {each} each"
    return links.Case(name, "one pair", what, directions, (*there, *back), machine.ranks, each)


def grid(machine: Machine) -> tuple[int, int, int]:
    """Of the hosts: the two of a router count as neighbours along Y."""
    x, y, z = (axis.length for axis in machine.axes)
    return x, 2 * y, z


def named(text: str) -> str:
    """A link's name as Pena13 calls its axes."""
    return re.sub(r"([+-])([xyz])", lambda m: m[1] + m[2].upper(), text)


def counted(order: str) -> str:
    """How a pattern counts its grid under an order: 'C', Z fastest, or 'F', X fastest."""
    return "C" if order == CART else "F"


def laid(
    machine: Machine, order: str, pattern_of: Callable[[str], Pattern], matched: str = "paired"
) -> tuple[Pattern, list[int]]:
    """The pattern that a program sends under an order of its grid, and its ranks' places.

    The scheduler fills blocks of 4 x 2 x 8 (Pena13, slide 7). Plain numbers the grid with X fastest, Cart_create with Z
    fastest, both over the scheduler's order of hosts; Custom lays the grid along the network. matched: by which of
    mapping.orders(): 'paired', hosts of a router beside each other along Y, or 'matched', any grid.
    """
    pattern = pattern_of(counted(order))
    return pattern, places_by(machine, pattern, matched if order == MATCHED else "blocks")


@dataclass(frozen=True)
class Timed:
    """seconds: simulated. link, link_bytes, link_seconds: the busiest one, and what it takes to carry its bytes."""

    seconds: float
    link: str
    link_bytes: int
    link_seconds: float

    @property
    def row(self) -> list[Any]:
        """For a table: microseconds, and the busiest link."""
        return [1e6 * self.seconds, self.link, self.link_bytes / 1e6, 1e6 * self.link_seconds]


def timed(machine: Machine, pattern: Pattern, places: list[int]) -> Timed:
    """Everything begins at once; o is spent by each host's one processor."""
    schedule = pattern.schedule(segment=SEGMENT, window=2)
    seconds = simulate(schedule, machine, model=Model(overheads="serial"), places=places).seconds
    score = mapping.score(machine, pattern, places)
    link = named(str(score["busiest_link"])) if score["busiest_link"] else "none"
    return Timed(seconds, link, int(score["busiest_link_bytes"]), float(score["busiest_link_s"]))


def saved(before: float, after: float) -> str:
    """Both readings of Pena13's percentages: less time, and more rate."""
    if abs(after / before - 1) < 5e-3:
        return "as much time"
    if after > before:
        return f"{100 * (after / before - 1):.0f} % more time"
    return f"{100 * (1 - after / before):.0f} % less time ({100 * (before / after - 1):.0f} % more rate)"
