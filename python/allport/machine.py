"""Machines: axes, links, rates, and the files that describe them."""

from __future__ import annotations

import re

from allport._native import Axis, Level, Machine, NodeRates, TopologyIds, axis_letter, preset_names
from allport.units import format_bytes, format_flops, format_rate, format_seconds

__all__ = [
    "Axis",
    "Level",
    "Machine",
    "NodeRates",
    "TopologyIds",
    "as_machine",
    "axis_letter",
    "describe",
    "file_text",
    "measured_on",
    "preset_names",
]


def as_machine(machine: Machine | str) -> Machine:
    """A machine, or the machine that a spec or the path of a machine file names."""
    return machine if isinstance(machine, Machine) else Machine.parse(str(machine))


def file_text(machine: Machine, spec: str | None) -> str:
    """A machine file. A name that is only the spec stays out: a file without one is called by its path, copies too."""
    text = machine.to_toml()
    return re.sub(r"\Aname = .*\n", "", text) if machine.name == spec else text


def measured_on(machine: Machine) -> str:
    """The date of its calibration; empty where nobody has measured its rates: a lab's file says how it is made."""
    return str(machine.to_dict().get("calibration", {}).get("date", ""))


def _shape_words(machine: Machine) -> str:
    long = [a for a in machine.axes if a.length > 1]
    if not long:
        return "a single node"
    kinds = {a.wraps for a in long}
    if len(long) == 1:
        shape = "a ring" if long[0].wraps else "a line"
    elif kinds == {True}:
        shape = f"a {len(long)}-D torus"
    elif kinds == {False}:
        shape = f"a {len(long)}-D mesh"
    else:
        shape = f"a {len(long)}-D mix of rings and open lines"
    return f"{shape} of {' x '.join(str(a.length) for a in machine.axes)} nodes"


def _axis_words(machine: Machine, index: int) -> str:
    axis, letter = machine.axes[index], axis_letter(index)
    if axis.length == 1:
        return f"{letter} has length 1 and no links."
    rate = format_rate(axis.bandwidth)
    if not axis.wraps:
        return f"Along {letter}, lines of {axis.length} open at both ends; {rate} per link and direction."
    if axis.length == 2:
        return f"Along {letter}, pairs joined by two links; {rate} per link and direction."
    return f"Along {letter}, rings of {axis.length}; {rate} per link and direction."


def _levels_words(machine: Machine) -> str:
    parts = [f"{level.count} {level.name}{'s' if level.count != 1 else ''}" for level in machine.levels]
    rates = [
        f"{format_rate(level.bandwidth)} from {level.name} to {level.name}"
        for level in machine.levels
        if level.bandwidth
    ]
    return "; ".join([" of ".join(parts), *rates])


def describe(machine: Machine) -> str:
    """The machine in words: its shape, axis by axis, and what a node has."""
    lines = [f"{machine.name} is {_shape_words(machine)}."]
    lines += [_axis_words(machine, a) for a in range(len(machine.axes))]
    ways = sum(machine.neighbour(0, p) is not None for p in range(2 * len(machine.axes)))
    node = f"Node 0 has {ways} outgoing link{'s' if ways != 1 else ''}"
    if machine.ranks_per_node > 1:
        node += f" and {machine.ranks_per_node} ranks"
        if len(machine.levels) > 1 or machine.levels[0].name != "core":
            node += f" ({_levels_words(machine)})"
    lines.append(node + f"; ranks count x-fastest, 0 to {machine.ranks - 1}.")
    if machine.dead_links:
        names = [machine.link_name(link) for link in machine.dead_links[:4]]
        more = len(machine.dead_links) - len(names)
        lines.append(f"Dead links: {', '.join(names)}{f' and {more} more' if more else ''}.")
    return "\n".join(lines)


def rates_table(machine: Machine) -> list[tuple[str, str]]:
    """(name, value) of what a node can do, in words with units."""
    r = machine.rates
    return [
        ("overhead per message end (o)", format_seconds(r.overhead)),
        ("serial share of simultaneous sends (tau)", f"{r.tau:g}"),
        *([("of their starts (tau_short)", f"{r.tau_short:g}")] if r.tau_short >= 0 else []),
        ("links driven at once", str(r.ports) if r.ports else "all"),
        ("injection limit", format_rate(r.injection) if r.injection else "none"),
        ("peak", format_flops(r.flops)),
        ("reduction operator (gamma)", f"{format_flops(r.adds, unit='add/s')}"),
        ("memory bandwidth (beta)", format_rate(r.memory_bandwidth)),
        ("memory", format_bytes(r.memory) if r.memory else "unknown, no limit"),
    ]
