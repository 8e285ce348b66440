"""Pena13's machine and its orders of ranks: a box of Gemini routers with two hosts each, and three ways to fill it."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from allport import mapping
from allport.machine import Machine
from allport.pattern import Pattern
from allport.sim import Model, simulate

from studies.figures.placements import places_by

__all__ = [
    "AXES", "CART", "MATCHED", "MORE", "PLAIN", "SLOW", "Timed", "box", "grid", "laid", "named", "saved", "timed",
]  # fmt: skip

AXES = "XYZ"
SLOW, EVERY = 0.75, 5  # of an X link that crosses a cabinet, every fifth (Pena13, slide 7); how slow is in no source
SEGMENT = 1 << 16
PLAIN, CART, MATCHED = "Plain (X-Y-Z)", "Cart_create (Z-Y-X)", "Custom (matched)"
MORE = (PLAIN, CART)


@functools.cache
def box(slow: float = SLOW) -> Machine:
    """The machine file figures/machines/blue-waters.toml, with every fifth X link slower."""
    text = (Path(__file__).parent / "machines" / "blue-waters.toml").read_text()
    x, y, z = Machine.from_toml(text).axes
    links = [
        f'[[link]]\nfrom = [{i}, {j}, {k}]\naxis = "x"\ndirection = "+"\nbandwidth = {slow * x.bandwidth!r}\n'
        for i in range(EVERY - 1, x.length - 1, EVERY)
        for j in range(y.length)
        for k in range(z.length)
    ]
    return Machine.from_toml("\n".join([text, *links]))


def grid(machine: Machine) -> tuple[int, int, int]:
    """Of the hosts: the two of a router count as neighbours along Y."""
    x, y, z = (axis.length for axis in machine.axes)
    return x, 2 * y, z


def named(text: str) -> str:
    """A link's name as Pena13 calls its axes."""
    return re.sub(r"([+-])([xyz])", lambda m: m[1] + m[2].upper(), text)


def laid(
    machine: Machine, order: str, pattern_of: Callable[[str], Pattern], matched: str = "paired"
) -> tuple[Pattern, list[int]]:
    """The pattern that a program sends under an order of its grid, and its ranks' places.

    The scheduler fills blocks of 4 x 2 x 8 (Pena13, slide 7). Plain numbers the grid with X fastest, Cart_create with Z
    fastest, both over the scheduler's order of hosts; Custom lays the grid along the network. matched: by which of
    mapping.orders(): 'paired', hosts of a router beside each other along Y, or 'matched', any grid.
    """
    pattern = pattern_of("C" if order == CART else "F")
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
