"""Machines with other constants: how far a figure depends on what no source says."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from allport.machine import Machine

__all__ = ["band", "corners", "said", "varied"]


@dataclass(frozen=True)
class Range:
    """Factors for the presets' o and L (starts), and for the rate of a link."""

    starts: tuple[float, float]
    links: tuple[float, float]


RANGES = {
    # o = L = 0.2 to 1 us in no source; links of 375 to 425 MB/s, the raw rate (Solomonik11, slides 22 to 24).
    "bgp": Range((0.4, 2.0), (1.0, 425 / 375)),
    "exascale": Range((0.4, 2.0), (0.5, 2.0)),  # in no source
}


def varied(machine: Machine, *, starts: float = 1.0, links: float = 1.0, adds: float = 1.0) -> Machine:
    """The machine with so many times its o and L, rates of links, and rate of the reduction operator."""
    axes = ",\n".join(
        f"  {{ length = {a.length}, wraps = {str(a.wraps).lower()}, bandwidth = {links * a.bandwidth!r}, "
        f"latency = {starts * a.latency!r} }}"
        for a in machine.axes
    )
    text = re.sub(r"(?ms)^axes = \[.*?^\]", f"axes = [\n{axes}\n]", machine.to_toml())
    rates = {"overhead": starts * machine.rates.overhead, "adds": adds * machine.rates.adds}
    for key, value in rates.items():
        text = re.sub(rf"(?m)^{key} = .*$", f"{key} = {value!r}", text)
    return Machine.from_toml(text)


def _range(machine: Machine) -> Range:
    return RANGES[machine.name.partition(":")[0]]


def corners(machine: Machine) -> tuple[Machine, Machine]:
    """A preset with the longest start-ups and slowest links of its range, and with the shortest and fastest."""
    of = _range(machine)
    return varied(machine, starts=of.starts[1], links=of.links[0]), varied(
        machine, starts=of.starts[0], links=of.links[1]
    )


def band(machine: Machine, values: Callable[[Machine], list[float]]) -> tuple[list[float], list[float]]:
    """The values at both corners, the lower ones first: a Series' band."""
    ends = [values(corner) for corner in corners(machine)]
    return [min(pair) for pair in zip(*ends)], [max(pair) for pair in zip(*ends)]


def said(machine: Machine) -> str:
    """The range in words, for a figure's text."""
    of, o, link = _range(machine), machine.rates.overhead, machine.axes[0].bandwidth
    low, high = (f"{1e6 * factor * o:g}" for factor in of.starts)
    slow, fast = (f"{1e-9 * factor * link:.3g}" for factor in of.links)
    return f"Bands: o and L of {low} to {high} us, links of {slow} to {fast} GB/s."
