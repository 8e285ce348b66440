"""Geometry of drawings: positions of a machine's nodes and links, and the lines of a schedule's edges."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from allport.errors import Error
from allport.machine import Machine
from allport.schedule import Schedule

__all__ = ["MOST_NODES", "Edge", "Point", "Sketch", "Strokes", "edges", "moved"]

MOST_NODES = 4096
# Boxes are drawn from the front and above: y recedes, z rises from plane to plane so far that planes do not overlap.
RISE = 0.46
Point = tuple[float, float]


@dataclass(frozen=True)
class Edge:
    """A directed tree edge between two nodes; port -1: the network routes it."""

    tree: int
    source: int
    target: int
    port: int


def edges(schedule: Schedule, machine: Machine) -> list[Edge]:
    """All message streams of a schedule between different nodes, from all ranks' programs."""
    per_node, found = machine.ranks_per_node, set()
    for rank in range(schedule.ranks):
        for op in schedule.program(rank).ops:
            if op.kind == "send" and op.peer // per_node != rank // per_node:
                found.add(Edge(op.channel % schedule.trees, rank // per_node, op.peer // per_node, op.port))
    return sorted(found, key=lambda e: (e.tree, e.source, e.target, e.port))


def _slant(deep: int) -> float:
    """Slant of the receding axis, so that vertical lines of different depth do not overlap."""

    def apart(lean: float) -> float:
        gaps = [abs(lean * d - round(lean * d)) for d in range(1, min(deep, 12))]
        return min(gaps, default=1.0)

    return max((0.25 + 0.01 * i for i in range(26)), key=apart)


class Sketch:
    """Positions of a machine's nodes and links in a drawing."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.axes = [a for a, axis in enumerate(machine.axes) if axis.length > 1]
        if len(self.axes) > 3:
            raise Error(f"machine = '{machine.name}': has {len(self.axes)} axes longer than 1; drawings show at most 3")
        if machine.nodes > MOST_NODES:
            raise Error(f"machine = '{machine.name}': has {machine.nodes} nodes; drawings show at most {MOST_NODES}")
        # A one-dimensional machine is drawn along x; row 0 of a plane is at the bottom.
        steps: list[Point] = [(1.0, 0.0), (0.0, 1.0)]
        if len(self.axes) == 3:
            deep = machine.axes[self.axes[1]].length
            steps = [(1.0, 0.0), (_slant(deep), RISE), (0.0, max((deep - 1) * RISE + 0.72, 1.0))]
        self.steps: dict[int, Point] = dict(zip(self.axes, steps, strict=False))
        self.solid = len(self.axes) == 3
        self.radius = 0.115 if self.solid else 0.14
        self.head = 0.125 if self.solid else 0.15
        self.places = [self._place(machine.coord(n)) for n in range(machine.nodes)]

    def _place(self, at: Any) -> Point:
        return (
            sum(at[a] * self.steps[a][0] for a in self.axes),
            sum(at[a] * self.steps[a][1] for a in self.axes),
        )

    def direction(self, port: int) -> Point:
        sign = 1.0 if port % 2 else -1.0
        return (sign * self.steps[port // 2][0], sign * self.steps[port // 2][1])

    @staticmethod
    def reach(d: Point) -> float:
        """Length of a stub in steps: about half a unit, less along the receding axis."""
        length = math.hypot(*d)
        return min(0.5, 0.62 * length) / length

    def wraps(self, node: int, port: int) -> bool:
        a = port // 2
        return self.machine.coord(node)[a] == (self.machine.axes[a].length - 1 if port % 2 else 0)


def moved(p: Point, d: Point, by: float) -> Point:
    return (p[0] + d[0] * by, p[1] + d[1] * by)


class Strokes:
    """Lines and arrowheads of one panel, collected so that thousands are drawn at once."""

    def __init__(self, sketch: Sketch, shift: float) -> None:
        self.sketch, self.shift = sketch, shift
        self.lines: list[list[Point]] = []
        self.dotted: list[list[Point]] = []
        self.heads: list[list[Point]] = []

    def add(self, edge: Edge) -> None:
        source, target = self.sketch.places[edge.source], self.sketch.places[edge.target]
        if edge.port < 0:
            self._curve(source, target)
            return
        d = self.sketch.direction(edge.port)
        side = self._side(d)
        source, target = moved(source, side, self.shift), moved(target, side, self.shift)
        if not self.sketch.wraps(edge.source, edge.port):
            self._arrow(source, target)
            return
        # Wrap-around: out at one edge, and in again at the opposite one.
        length = math.hypot(*d)
        reach, rim = self.sketch.reach(d), self.sketch.radius / length
        out, back = moved(source, d, reach), moved(target, d, -reach)
        middle = moved(source, d, rim + 0.55 * (reach - rim))
        self.lines.append([moved(source, d, rim), middle])
        self.dotted.append([middle, out])
        entry = moved(target, d, -(rim + 0.75 * (reach - rim)))
        self.dotted.append([back, entry])
        self._arrow(entry, target, leave=0.0)

    @staticmethod
    def _side(d: Point) -> Point:
        length = math.hypot(*d)
        return (d[1] / length, -d[0] / length)

    def _arrow(self, source: Point, target: Point, leave: float | None = None) -> None:
        d = (target[0] - source[0], target[1] - source[1])
        length = math.hypot(*d)
        d = (d[0] / length, d[1] / length)
        radius = self.sketch.radius
        # A shifted line meets the circle nearer to the middle.
        gap = math.sqrt(max(radius**2 - self.shift**2, 0.0)) + 0.02
        tip = moved(target, d, -gap)
        head = min(self.sketch.head, 0.6 * length)
        self.lines.append([moved(source, d, gap if leave is None else leave), moved(tip, d, -0.8 * head)])
        self._head(tip, d, head)

    def _head(self, tip: Point, d: Point, size: float) -> None:
        side = (d[1], -d[0])
        base = moved(tip, d, -size)
        self.heads.append(
            [tip, moved(base, side, 0.40 * size), moved(tip, d, -0.75 * size), moved(base, side, -0.40 * size)]
        )

    def _curve(self, source: Point, target: Point) -> None:
        d = (target[0] - source[0], target[1] - source[1])
        length = math.hypot(*d)
        knee = moved(moved(source, d, 0.5), self._side(d), -(0.12 if length < 1.1 else 0.2) * length)
        points = []
        for i in range(25):
            t = i / 24
            points.append(
                tuple(
                    (1 - t) ** 2 * s + 2 * t * (1 - t) * k + t * t * e
                    for s, k, e in zip(source, knee, target, strict=True)
                )
            )
        gap = self.sketch.radius + 0.02
        points = [p for p in points if math.dist(p, source) > gap and math.dist(p, target) > gap + 0.08]
        if len(points) < 2:
            return
        self.lines.append(points)  # type: ignore[arg-type]
        last = points[-1]
        d = (target[0] - last[0], target[1] - last[1])
        reach = math.hypot(*d)
        d = (d[0] / reach, d[1] / reach)
        self._head(moved(target, d, -gap), d, self.sketch.head)
