"""The shape of a network as a source describes it: axes or switches, and the host at each place; and its machine."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from allport.errors import failure
from allport.machine import Machine
from allport.network.evidence import Evidence

__all__ = ["ABSENT", "Evidence", "Level", "Shape", "grid_of", "tree_of"]

ABSENT = "-"  # a place without a host
MOST_LEVELS = 4  # maximum in a machine file


@dataclass(frozen=True)
class Level:
    """The parts of each part of the level above. streams: number of senders below one part that its uplink serves at
    full rate."""

    name: str
    count: int
    streams: int = 1


@dataclass(frozen=True)
class Shape:
    """lengths, wraps: axes of the grid, x first. levels: below a node of the grid, outermost first. hosts: the name at
    every place, x fastest, inner levels first, without the levels within a host; ABSENT if there is none."""

    lengths: tuple[int, ...]
    wraps: tuple[bool, ...]
    levels: tuple[Level, ...]
    hosts: tuple[str, ...]
    evidence: tuple[Evidence, ...] = ()
    memory: int = 0
    inside: bool = False  # levels of one host only: its "hosts" are ranks

    @property
    def places(self) -> int:
        """Number of places for hosts."""
        return math.prod(self.lengths) * math.prod(level.count for level in self.levels)

    def within(self, levels: Sequence[Level], memory: int, evidence: Sequence[Evidence]) -> Shape:
        """The shape with the levels inside each host. If there are more levels than a machine file allows, the
        innermost are merged."""
        inner = [level for level in levels if level.count > 1]
        while len(self.levels) + len(inner) > MOST_LEVELS and len(inner) > 1:
            inner[-2:] = [Level(inner[-1].name, inner[-2].count * inner[-1].count)]
        if len(self.levels) + len(inner) > MOST_LEVELS:
            inner = []
            evidence = [*evidence, Evidence("left out", "what is within a host", "a machine file's levels", "stated")]
        return replace(
            self,
            levels=(*self.levels, *inner),
            memory=memory * max(1, math.prod(level.count for level in self.levels)),
            evidence=(*self.evidence, *evidence),
        )

    def machine(self, name: str, rates: Machine) -> Machine:
        """The machine, with the link rates of the axes of `rates`, or of its first axis if the numbers of axes
        differ."""
        axes = list(rates.axes) if len(rates.axes) == len(self.lengths) else [rates.axes[0]] * len(self.lengths)
        lines = [f'name = "{name}"', f"overhead = {rates.rates.overhead!r}", f"memory = {self.memory}"]
        ends = [
            f"  {{ length = {length}, wraps = {str(wraps).lower()}, bandwidth = {axis.bandwidth!r}, "
            f"latency = {axis.latency!r} }},"
            for length, wraps, axis in zip(self.lengths, self.wraps, axes, strict=True)
        ]
        lines += ["axes = [", *ends, "]"]
        if self.levels:
            parts = []
            for level in self.levels:
                network = level.name not in ("socket", "numa", "core")
                rate = f", bandwidth = {axes[0].bandwidth * level.streams!r}, latency = {axes[0].latency!r}"
                parts.append(f'  {{ name = "{level.name}", count = {level.count}{rate if network else ""} }},')
            lines += ["levels = [", *parts, "]"]
        return Machine.from_toml("\n".join(lines) + "\n")


def grid_of(
    at: Mapping[str, tuple[int, ...]],
    source: str,
    lengths: tuple[int, ...] | None = None,
    wraps: tuple[bool, ...] | None = None,
) -> Shape:
    """A torus or mesh of hosts at coordinates; several hosts at one place are a level of hosts. lengths, wraps: as the
    source states them; default: up to the largest coordinate, all rings. Raises Error."""
    if not at:
        raise failure(f"{source}: names no host")
    axes = len(next(iter(at.values())))
    known = lengths or tuple(max(place[a] for place in at.values()) + 1 for a in range(axes))
    for host, place in at.items():
        if len(place) != len(known) or any(not 0 <= x < n for x, n in zip(place, known, strict=True)):
            raise failure(f"{source}: {host} is at {place}: expected {len(known)} coordinates below {known}")
    here: dict[tuple[int, ...], list[str]] = {}
    for host, place in at.items():
        here.setdefault(place, []).append(host)
    most = max(len(hosts) for hosts in here.values())
    hosts: list[str] = []
    for node in range(math.prod(known)):
        digits: list[int] = []
        rest = node
        for length in known:
            digits.append(rest % length)
            rest //= length
        found = here.get(tuple(digits), [])
        hosts += found + [ABSENT] * (most - len(found))
    size = "x".join(map(str, known))
    evidence = [
        Evidence("shape", f"{size}, {len(at)} hosts", source, "stated"),
        Evidence(
            "ends of axes",
            ", ".join("ring" if w else "open" for w in wraps) if wraps else "rings",
            source if wraps else "no source says",
            "stated" if wraps else "assumed",
        ),
    ]
    if most > 1:
        evidence.append(Evidence("hosts on a router", str(most), source, "stated"))
    if empty := hosts.count(ABSENT):
        evidence.append(Evidence("places without a host", str(empty), source, "stated"))
    levels = (Level("host", most),) if most > 1 else ()
    return Shape(known, wraps or (True,) * len(known), levels, tuple(hosts), tuple(evidence))


Tree = "str | list[Tree]"  # a host, or the branches below a switch


def _depth(tree: object) -> int:
    return 0 if isinstance(tree, str) else 1 + max((_depth(t) for t in tree), default=0)  # type: ignore[attr-defined]


def _once(tree: object, seen: dict[str, int]) -> object:
    """The tree without repeated hosts and empty branches; seen: number of occurrences of each host."""
    if isinstance(tree, str):
        seen[tree] = seen.get(tree, 0) + 1
        return tree if seen[tree] == 1 else []
    return [left for left in (_once(branch, seen) for branch in tree) if left]  # type: ignore[attr-defined]


def tree_of(tree: list, names: Sequence[str], source: str, what: str) -> Shape:
    """The shape of hosts below switches, given as nested lists. names: of the levels, innermost (hosts) first. Smaller
    branches get places without hosts; a host below several switches counts below the first. Raises Error."""
    seen: dict[str, int] = {}
    tree = _once(tree, seen)  # type: ignore[assignment]
    again = [host for host, times in seen.items() if times > 1]
    depth = _depth(tree)
    while depth > MOST_LEVELS or depth > len(names):  # the outermost switches are merged
        tree = [t for switch in tree for t in ([switch] if isinstance(switch, str) else switch)]
        depth = _depth(tree)
    if depth == 0 or not tree:
        raise failure(f"{source}: names no host")
    counts = [0] * depth

    def measure(branch: object, below: int) -> None:
        children = [branch] if isinstance(branch, str) else branch
        counts[below - 1] = max(counts[below - 1], len(children))  # type: ignore[arg-type]
        for child in children:  # type: ignore[attr-defined]
            if below > 1:
                measure(child, below - 1)

    measure(tree, depth)
    hosts: list[str] = []

    def fill(branch: object, below: int) -> None:
        size = math.prod(counts[: below - 1])
        children = [branch] if isinstance(branch, str) else list(branch)  # type: ignore[call-overload]
        for child in children:
            if below == 1:
                hosts.append(str(child))
            else:
                fill(child, below - 1)
        hosts.extend([ABSENT] * (size * (counts[below - 1] - len(children))))

    fill(tree, depth)
    levels = tuple(Level(names[below], counts[below], math.prod(counts[:below])) for below in reversed(range(depth)))
    present = len(hosts) - hosts.count(ABSENT)
    words = " x ".join(f"{level.count} {level.name}" for level in levels)
    evidence = [
        Evidence(what, f"{words}, {present} hosts", source, "stated"),
        Evidence("uplinks", "as fast as all below them", "no source says", "assumed"),
    ]
    if again:
        several = f"{len(again)} below several {what}, each counted below the first: {again[0]}"
        evidence.append(Evidence("hosts", several + (", ..." if len(again) > 1 else ""), source, "stated"))
    if present < len(hosts):
        evidence.append(Evidence("places without a host", str(len(hosts) - present), "uneven branches", "stated"))
    return Shape((1,), (False,), levels, tuple(hosts), tuple(evidence))
