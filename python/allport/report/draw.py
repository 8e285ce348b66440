"""Drawings of schedules: the spanning trees of a broadcast or reduction on their torus (deck 1, slide 5)."""

from __future__ import annotations

import math
import os
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from allport.errors import AllportError
from allport.machine import Machine, as_machine, axis_letter
from allport.schedule import Schedule

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["edges", "trees"]

MOST_NODES = 4096
COLOURS = ("#0068b4", "#d1460f", "#008a5e", "#a3357f", "#e09600", "#3aa6dd", "#6b4fbb", "#7a8b00")
INK, FAINT, PAPER = "#1d2733", "#d5dbe1", "#ffffff"
# A box is seen from the front and above: y recedes, z rises from sheet to sheet far enough that sheets do not overlap.
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
    """Every message stream of a schedule between different nodes, read off all ranks' programs."""
    per_node, found = machine.ranks_per_node, set()
    for rank in range(schedule.ranks):
        for op in schedule.program(rank).ops:
            if op.kind == "send" and op.peer // per_node != rank // per_node:
                found.add(Edge(op.channel % schedule.trees, rank // per_node, op.peer // per_node, op.port))
    return sorted(found, key=lambda e: (e.tree, e.source, e.target, e.port))


def _slant(deep: int) -> float:
    """How far the receding axis leans, so that uprights of different depth stay apart."""

    def apart(lean: float) -> float:
        gaps = [abs(lean * d - round(lean * d)) for d in range(1, min(deep, 12))]
        return min(gaps, default=1.0)

    return max((0.25 + 0.01 * i for i in range(26)), key=apart)


class _Sketch:
    """Where nodes and links of a machine lie on paper."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.axes = [a for a, axis in enumerate(machine.axes) if axis.length > 1]
        if len(self.axes) > 3:
            raise AllportError(
                f"machine = '{machine.name}': has {len(self.axes)} axes longer than 1; drawings show at most 3"
            )
        if machine.nodes > MOST_NODES:
            raise AllportError(
                f"machine = '{machine.name}': has {machine.nodes} nodes; drawings show at most {MOST_NODES}"
            )
        # A line is drawn along x, whatever its axis is called; row 0 of a plane is at the bottom.
        ways: list[Point] = [(1.0, 0.0), (0.0, 1.0)]
        if len(self.axes) == 3:
            deep = machine.axes[self.axes[1]].length
            ways = [(1.0, 0.0), (_slant(deep), RISE), (0.0, max((deep - 1) * RISE + 0.72, 1.0))]
        self.steps: dict[int, Point] = dict(zip(self.axes, ways, strict=False))
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
        """How far a stub sticks out, in steps: about half a unit, less along the receding axis."""
        length = math.hypot(*d)
        return min(0.5, 0.62 * length) / length

    def wraps(self, node: int, port: int) -> bool:
        a = port // 2
        return self.machine.coord(node)[a] == (self.machine.axes[a].length - 1 if port % 2 else 0)


def _moved(p: Point, d: Point, by: float) -> Point:
    return (p[0] + d[0] * by, p[1] + d[1] * by)


class _Strokes:
    """Lines and arrowheads of one panel, gathered so that thousands are drawn at once."""

    def __init__(self, sketch: _Sketch, shift: float) -> None:
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
        source, target = _moved(source, side, self.shift), _moved(target, side, self.shift)
        if not self.sketch.wraps(edge.source, edge.port):
            self._arrow(source, target)
            return
        # Round the back: out over the rim, and in again over the opposite one.
        length = math.hypot(*d)
        reach, rim = self.sketch.reach(d), self.sketch.radius / length
        out, back = _moved(source, d, reach), _moved(target, d, -reach)
        middle = _moved(source, d, rim + 0.55 * (reach - rim))
        self.lines.append([_moved(source, d, rim), middle])
        self.dotted.append([middle, out])
        entry = _moved(target, d, -(rim + 0.75 * (reach - rim)))
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
        # A shifted line meets the circle nearer to its middle.
        gap = math.sqrt(max(radius**2 - self.shift**2, 0.0)) + 0.02
        tip = _moved(target, d, -gap)
        head = min(self.sketch.head, 0.6 * length)
        self.lines.append([_moved(source, d, gap if leave is None else leave), _moved(tip, d, -0.8 * head)])
        self._head(tip, d, head)

    def _head(self, tip: Point, d: Point, size: float) -> None:
        side = (d[1], -d[0])
        base = _moved(tip, d, -size)
        self.heads.append(
            [tip, _moved(base, side, 0.40 * size), _moved(tip, d, -0.75 * size), _moved(base, side, -0.40 * size)]
        )

    def _curve(self, source: Point, target: Point) -> None:
        d = (target[0] - source[0], target[1] - source[1])
        length = math.hypot(*d)
        knee = _moved(_moved(source, d, 0.5), self._side(d), -(0.12 if length < 1.1 else 0.2) * length)
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
        self._head(_moved(target, d, -gap), d, self.sketch.head)

    def paint(self, ax: Axes, colour: str, width: float, z: float) -> None:
        from matplotlib.collections import LineCollection, PolyCollection

        style = {"colors": colour, "linewidths": width, "zorder": z}
        ax.add_collection(LineCollection(self.lines, capstyle="butt", **style))
        ax.add_collection(LineCollection(self.dotted, linestyles=(0, (1.0, 1.0)), **style))
        ax.add_collection(PolyCollection(self.heads, facecolors=colour, edgecolors="none", zorder=z + 0.1))


def _background(ax: Axes, sketch: _Sketch) -> None:
    from matplotlib.collections import LineCollection

    machine, lines = sketch.machine, []
    for node in range(machine.nodes):
        for port in [2 * a + s for a in sketch.axes for s in (0, 1)]:
            other = machine.neighbour(node, port)
            if other is None or machine.link(node, port) in machine.dead_links:
                continue
            d = sketch.direction(port)
            if not sketch.wraps(node, port):
                if port % 2:
                    lines.append([sketch.places[node], sketch.places[other]])
            else:
                lines.append([sketch.places[node], _moved(sketch.places[node], d, sketch.reach(d))])
    ax.add_collection(LineCollection(lines, colors=FAINT, linewidths=0.9, zorder=1))


def _nodes(ax: Axes, sketch: _Sketch, root: int, labels: bool, scale: float) -> None:
    from matplotlib.collections import PatchCollection
    from matplotlib.patches import Circle

    r = sketch.radius
    others = [Circle(p, r) for n, p in enumerate(sketch.places) if n != root]
    ax.add_collection(PatchCollection(others, facecolor=PAPER, edgecolor=INK, linewidth=0.8, zorder=5))
    ax.add_patch(Circle(sketch.places[root], 1.25 * r, facecolor=INK, edgecolor=INK, linewidth=0.8, zorder=6))
    if not labels:
        return
    size = (4.6 if sketch.solid else 6.2) * scale
    for n, p in enumerate(sketch.places):
        colour = PAPER if n == root else INK
        ax.text(*p, str(n), ha="center", va="center_baseline", fontsize=size, color=colour, zorder=7)


def _first_ways(sketch: _Sketch, part: list[Edge], schedule: Schedule) -> str:
    """How the root's node takes part in a tree: 'root sends +x'."""
    root = schedule.root // sketch.machine.ranks_per_node
    mine = [e for e in part if (e.source if schedule.collective == "bcast" else e.target) == root]
    ports = sorted({e.port for e in mine if e.port >= 0})
    if not ports:
        return ""
    if schedule.collective != "bcast":  # a link into the root arrives from the opposite side
        ports = sorted(p ^ 1 for p in ports)
    ways = ", ".join(("+" if p % 2 else "−") + axis_letter(p // 2) for p in ports)
    return f"root {'sends' if schedule.collective == 'bcast' else 'receives from'} {ways}"


def _panel(ax: Axes, sketch: _Sketch, parts: list[tuple[str, list[Edge]]], root: int, scale: float) -> None:
    combined = len(parts) > 1
    _background(ax, sketch)
    for colour, part in parts:
        shift = 0.042 if sketch.solid else 0.055
        strokes = _Strokes(sketch, shift if combined else 0.0)
        for edge in part:
            strokes.add(edge)
        strokes.paint(ax, colour, (1.0 if sketch.solid else 1.5) * scale, 3)
    xs, ys = [p[0] for p in sketch.places], [p[1] for p in sketch.places]
    _nodes(ax, sketch, root, labels=sketch.machine.nodes <= 64, scale=scale)
    rim = 0.62
    ax.set_xlim(min(xs) - rim, max(xs) + rim)
    ax.set_ylim(min(ys) - rim, max(ys) + rim)
    ax.set_aspect("equal")
    ax.axis("off")


def _link_words(all_edges: list[Edge]) -> str:
    used = Counter((e.source, e.port) for e in all_edges if e.port >= 0)
    routed = sum(e.port < 0 for e in all_edges)
    if routed:
        return f"{routed} messages, routed by the network"
    shared = sum(n > 1 for n in used.values())
    return f"{len(used)} directed links, " + ("none used twice" if not shared else f"{shared} used more than once")


def _title(ax: Axes, text: str, below: str, size: float, colour: str = INK) -> None:
    ax.set_title(text, fontsize=size, color=colour, fontweight="bold", pad=16 if below else 6)
    if below:
        ax.text(0.5, 1.0, below, transform=ax.transAxes, ha="center", va="bottom", fontsize=0.8 * size, color="#5a6672")


def trees(schedule: Schedule, machine: Machine | str, path: str | os.PathLike[str] | None = None) -> Figure:
    """Draws a schedule's trees on their machine: one panel a tree, and one with all of them combined.

    Arrows go the way the data go; a link that wraps leaves over one rim and comes back over the opposite one. The root
    is black. Machines of up to three axes longer than 1 and 4096 nodes. path: also writes .svg, .png or .pdf.
    Returns the matplotlib Figure. Raises AllportError for what cannot be drawn.
    """
    from matplotlib.figure import Figure

    machine = as_machine(machine)
    if machine.ranks != schedule.ranks:
        raise AllportError(f"machine = '{machine.name}': has {machine.ranks} ranks, the schedule {schedule.ranks}")
    sketch = _Sketch(machine)
    found = edges(schedule, machine)
    count = schedule.trees
    parts = [(COLOURS[t % len(COLOURS)], [e for e in found if e.tree == t]) for t in range(count)]
    root = schedule.root // machine.ranks_per_node

    xs, ys = [p[0] for p in sketch.places], [p[1] for p in sketch.places]
    wide, high = max(xs) - min(xs) + 1.24, max(ys) - min(ys) + 1.24
    rows = 1 if count < 3 else 2
    stacked = wide > 3 * high  # lines and flat boxes: one below the other
    unit = min((4.6 if sketch.solid else 3.4) / max(wide, high), 0.72) if not stacked else min(9.0 / wide, 0.72)
    figure = Figure(facecolor=PAPER)
    _arrange(figure, schedule, sketch, parts, found, (rows, stacked, unit * wide, unit * high + 0.55), root)
    what = {"bcast": "Broadcast from", "reduce": "Reduction to"}.get(schedule.collective, schedule.collective)
    figure.suptitle(
        f"{what} rank {schedule.root} on {machine.name}: {schedule.algorithm}",
        fontsize=12,
        color=INK,
        y=0.985,
        va="top",
    )
    if path is not None:
        save(figure, path)
    return figure


def _arrange(
    figure: Figure,
    schedule: Schedule,
    sketch: _Sketch,
    parts: list[tuple[str, list[Edge]]],
    found: list[Edge],
    size: tuple[int, bool, float, float],
    root: int,
) -> None:
    rows, stacked, wide, high = size
    count = len(parts)
    columns = 1 if stacked else math.ceil(count / rows)
    down = count + (count > 1) if stacked else rows
    across = columns if stacked or count == 1 else columns + (rows if count > 1 else 0)
    figure.set_size_inches(max(across * wide, 4.2), down * high + 0.5)
    top = 1 - 0.62 / figure.get_figheight()
    grid = figure.add_gridspec(
        down, across, left=0.01, right=0.99, bottom=0.02, top=top - 0.01, wspace=0.04, hspace=0.24
    )
    for t, (colour, part) in enumerate(parts):
        ax = figure.add_subplot(grid[t, 0] if stacked else grid[t // columns, t % columns])
        _panel(ax, sketch, [(colour, part)], root, 1.0)
        _title(ax, f"Spanning tree {t + 1}", _first_ways(sketch, part, schedule), 9.5, colour)
    if count > 1:
        ax = figure.add_subplot(grid[count, 0] if stacked else grid[:, columns:])
        _panel(ax, sketch, parts, root, 1.0 if stacked or rows == 1 else 1.35)
        _title(
            ax,
            "Both trees combined" if count == 2 else f"All {count} trees combined",
            _link_words(found),
            9.5 if stacked or rows == 1 else 11.5,
        )


def save(figure: Figure, path: str | os.PathLike[str]) -> None:
    """Writes a figure aside and renames it, so that no partial file is ever left at `path`."""
    import matplotlib

    name = os.fspath(path)
    kind = os.path.splitext(name)[1].lower().lstrip(".")
    if kind not in ("svg", "png", "pdf"):
        raise AllportError(f"output = '{name}': expected a name that ends in .svg, .png or .pdf")
    aside = f"{name}.part{os.getpid()}"
    # The same drawing gives the same file: no date, no random identifiers.
    metadata = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(kind)
    try:
        with matplotlib.rc_context({"svg.hashsalt": "allport", "svg.fonttype": "none"}):
            figure.savefig(aside, format=kind, dpi=160, metadata=metadata)
        os.replace(aside, name)
    except OSError as error:
        raise AllportError(f"output = '{name}': cannot be written ({error.strerror})") from error
    finally:
        if os.path.exists(aside):
            os.unlink(aside)
