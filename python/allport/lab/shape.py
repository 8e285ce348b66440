"""The shapes of labs: grids of axes, and networks of any other shape, with what their nodes and ports are called.

Vertices are the nodes 0, 1, ... and after them the switches. A port is a number at its vertex.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from allport.machine import axis_letter

__all__ = ["Cable", "Grid", "Network", "is_title"]


def is_title(name: str) -> bool:
    """Whether a vertex of a lab may have this name, which stands in files and variables with entries split by ;"""
    return 0 < len(name) <= 64 and name.isprintable() and ";" not in name


@dataclass
class Cable:
    """Two links, one each way, between a port of `low` and a port of `high`."""

    low: int
    high: int
    low_port: int
    high_port: int
    group: int  # whose rate it has: its axis in a grid, else its bandwidth's place among those of the network
    bits: int  # per second and direction
    cut: bool = False
    rerouted: bool = False  # routes avoid it
    absent: bool = False  # dead in the machine file: not created

    @property
    def works(self) -> bool:
        """Whether it can carry data."""
        return not (self.cut or self.absent)

    @property
    def avoided(self) -> bool:
        """Whether routes avoid it."""
        return self.absent or (self.cut and self.rerouted)


@dataclass(frozen=True)
class Grid:
    """A torus, a mesh or a mix of both. Nodes are numbered x-fastest; port 2a + 1 leads in positive direction of axis
    a, port 2a in negative direction, as in `Machine`."""

    lengths: list[int]
    wraps: list[bool]

    @property
    def nodes(self) -> int:
        """Number of nodes."""
        return math.prod(self.lengths)

    @property
    def switches(self) -> int:
        """None: nodes forward."""
        return 0

    def coordinates(self, node: int) -> list[int]:
        """One per axis."""
        out = []
        for length in self.lengths:
            out.append(node % length)
            node //= length
        return out

    def neighbour(self, node: int, port: int) -> int | None:
        """The neighbour at a port; None at an open end and on an axis of length 1."""
        axis, at = port // 2, self.coordinates(node)
        length, to = self.lengths[axis], at[axis] + (1 if port % 2 else -1)
        if length == 1 or (not 0 <= to < length and not self.wraps[axis]):
            return None
        at[axis] = to % length
        out = 0
        for a in reversed(range(len(at))):
            out = out * self.lengths[a] + at[a]
        return out

    def cables(self) -> list[tuple[int, int, int]]:
        """(axis, low, high) of every cable: from port 2 axis + 1 of `low` to port 2 axis of `high`.

        A wrapped axis of length 2 has two cables between its pair of nodes.
        """
        axes, nodes = range(len(self.lengths)), range(self.nodes)
        ends = ((axis, low, self.neighbour(low, 2 * axis + 1)) for axis in axes for low in nodes)
        return [(axis, low, high) for axis, low, high in ends if high is not None]

    def next_port(self, node: int, target: int, rail: int) -> int | None:
        """The first port of the route; None at the target. Routes are those of `Machine.route`: x first, the shortest
        direction; a tie is resolved as positive for rail 0, as negative for rail 1."""
        for axis, (here, there) in enumerate(zip(self.coordinates(node), self.coordinates(target))):
            if here == there:
                continue
            length = self.lengths[axis]
            if not self.wraps[axis]:
                return 2 * axis + (there > here)
            up = (there - here) % length
            return 2 * axis + (rail == 0 if 2 * up == length else 2 * up < length)
        return None

    def title(self, node: int) -> str:
        """'(3,0)'."""
        return f"({','.join(map(str, self.coordinates(node)))})"

    def port_name(self, port: int) -> str:
        """Its network interface: 'x+'."""
        return axis_letter(port // 2) + "-+"[port % 2]

    def port_text(self, port: int) -> str:
        """As links are named, after their node: '+x'."""
        return "-+"[port % 2] + axis_letter(port // 2)

    def port_order(self, port: int) -> tuple[int, int]:
        """Sorts ports: x first, positive before negative."""
        return port // 2, -(port % 2)

    def parse_port(self, text: str) -> int | None:
        """The port of '+x'; None if there is none of that name."""
        return next((port for port in range(2 * len(self.lengths)) if self.port_text(port) == text), None)

    def group_name(self, group: int, _bits: str) -> str:
        """What cables of one rate are called: by their axis."""
        return axis_letter(group)

    @property
    def link_help(self) -> str:
        """How a link is named."""
        letters = ", ".join(axis_letter(a) for a in range(len(self.lengths)))
        return (
            "expected two neighbours such as 3-4 or a node and a port such as 3+x; "
            f"nodes are 0 to {self.nodes - 1}, axes {letters}"
        )


@dataclass(frozen=True)
class Network:
    """Any other network. The ports of each vertex are 0, 1, ... in the order of its cables."""

    nodes: int
    switches: int
    names: list[str]  # of the vertices; empty: their numbers

    def title(self, vertex: int) -> str:
        """'3', or 's0' for a switch, unless it has a name."""
        if self.names:
            return self.names[vertex]
        return str(vertex) if vertex < self.nodes else f"s{vertex - self.nodes}"

    def port_name(self, port: int) -> str:
        """Its network interface: 'p1'."""
        return f"p{port}"

    def port_text(self, port: int) -> str:
        """As links are named, after their vertex: ':p1'."""
        return f":p{port}"

    def port_order(self, port: int) -> tuple[int, int]:
        """Sorts ports."""
        return port, 0

    def parse_port(self, text: str) -> int | None:
        """The port of ':p1'; None if that is no port's name."""
        return int(text[2:]) if text[:2] == ":p" and text[2:].isdecimal() else None

    def group_name(self, _group: int, bits: str) -> str:
        """What cables of one rate are called: by that."""
        return bits

    @property
    def link_help(self) -> str:
        """How a link is named."""
        last = f"s0 to s{self.switches - 1}" if self.switches else "none"
        return (
            "expected two neighbours such as 0-1 or 0-s0, or one of them and its port such as 0:p1; "
            f"nodes are 0 to {self.nodes - 1}, switches {last}"
        )
