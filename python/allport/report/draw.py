"""Drawings of schedules: the spanning trees of a broadcast or reduction on their torus (Solomonik11, slide 5)."""

from __future__ import annotations

import functools
import math
import os
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from allport.errors import Error
from allport.machine import Machine, as_machine, axis_letter
from allport.report.sketch import Edge, Point, Sketch, Strokes, edges, moved
from allport.schedule import Schedule

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["edges", "trees"]

MANY = 512  # with more nodes, these are drawn as dots and unused links are omitted
COLOURS = ("#0068b4", "#d1460f", "#008a5e", "#a3357f", "#e09600", "#3aa6dd", "#6b4fbb", "#7a8b00")
INK, FAINT, PAPER = "#1d2733", "#d5dbe1", "#ffffff"


def _joined(lines: Sequence[Sequence[Point]], closed: bool = False) -> Any:
    """Lines or outlines as one path, so that thousands are one SVG element."""
    from matplotlib.path import Path

    codes = [c for line in lines for c in (Path.MOVETO, *[Path.LINETO] * (len(line) - 1), *[Path.CLOSEPOLY] * closed)]
    points = [p for line in lines for p in (*line, *[line[0]] * closed)]
    path = Path(points or [(0.0, 0.0)], codes or [Path.MOVETO])
    path.should_simplify = False
    return path


def _paint(strokes: Strokes, ax: Axes, colour: str, width: float, z: float) -> None:
    from matplotlib.patches import PathPatch

    drawn = functools.partial(PathPatch, fill=False, edgecolor=colour, linewidth=width, zorder=z)
    ax.add_patch(drawn(_joined(strokes.lines), capstyle="butt"))
    if strokes.dotted:
        ax.add_patch(drawn(_joined(strokes.dotted), linestyle=(0, (1.0, 1.0))))
    few = len(strokes.sketch.places) > MANY  # simpler arrowheads, which are visible only in an enlarged drawing
    heads = _joined([head[:2] + head[3:] if few else head for head in strokes.heads], closed=True)
    ax.add_patch(PathPatch(heads, facecolor=colour, edgecolor="none", zorder=z + 0.1))


def _background(ax: Axes, sketch: Sketch) -> None:
    from matplotlib.patches import PathPatch

    machine, lines = sketch.machine, []
    if machine.nodes > MANY:
        return
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
                lines.append([sketch.places[node], moved(sketch.places[node], d, sketch.reach(d))])
    ax.add_patch(PathPatch(_joined(lines), fill=False, edgecolor=FAINT, linewidth=0.9, zorder=1))


def _nodes(ax: Axes, sketch: Sketch, root: int, labels: bool, scale: float) -> None:
    from matplotlib.collections import EllipseCollection
    from matplotlib.patches import Circle, PathPatch

    r = sketch.radius
    others = [p for n, p in enumerate(sketch.places) if n != root]
    if len(others) < MANY:
        look = {"facecolor": PAPER, "edgecolor": INK, "linewidth": 0.8, "zorder": 5}
        around = {"offsets": others, "offset_transform": ax.transData}
        ax.add_collection(EllipseCollection([2 * r], [2 * r], [0], units="xy", **around, **look))
    else:
        dots = _joined([(p, p) for p in others])
        ax.add_patch(PathPatch(dots, fill=False, edgecolor=INK, linewidth=0.6, capstyle="round", zorder=5))
    ax.add_patch(Circle(sketch.places[root], 1.25 * r, facecolor=INK, edgecolor=INK, linewidth=0.8, zorder=6))
    if not labels:
        return
    size = (4.6 if sketch.solid else 6.2) * scale
    for n, p in enumerate(sketch.places):
        colour = PAPER if n == root else INK
        ax.text(*p, str(n), ha="center", va="center_baseline", fontsize=size, color=colour, zorder=7)


def root_links(sketch: Sketch, part: list[Edge], schedule: Schedule) -> str:
    """The root's links in a tree: 'root sends +x'."""
    root = schedule.root // sketch.machine.ranks_per_node
    mine = [e for e in part if (e.source if schedule.collective == "bcast" else e.target) == root]
    ports = sorted({e.port for e in mine if e.port >= 0})
    if not ports:
        return ""
    if schedule.collective != "bcast":  # a link into the root arrives from the opposite side
        ports = sorted(p ^ 1 for p in ports)
    links = ", ".join(("+" if p % 2 else "−") + axis_letter(p // 2) for p in ports)
    return f"root {'sends' if schedule.collective == 'bcast' else 'receives from'} {links}"


def _panel(ax: Axes, sketch: Sketch, parts: list[tuple[str, list[Edge]]], root: int, scale: float) -> None:
    combined = len(parts) > 1
    _background(ax, sketch)
    for colour, part in parts:
        shift = 0.042 if sketch.solid else 0.055
        strokes = Strokes(sketch, shift if combined else 0.0)
        for edge in part:
            strokes.add(edge)
        thin = 0.35 if sketch.machine.nodes > MANY else 1.0
        _paint(strokes, ax, colour, (1.0 if sketch.solid else 1.5) * thin * scale, 3)
    xs, ys = [p[0] for p in sketch.places], [p[1] for p in sketch.places]
    _nodes(ax, sketch, root, labels=sketch.machine.nodes <= 64, scale=scale)
    rim = 0.62
    ax.set_xlim(min(xs) - rim, max(xs) + rim)
    ax.set_ylim(min(ys) - rim, max(ys) + rim)
    ax.set_aspect("equal")
    ax.axis("off")


def link_words(all_edges: list[Edge]) -> str:
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
    """Draws a schedule's trees on their machine: one panel for each tree, and one for all.

    Arrows have the direction of the data; a link that wraps leaves at one edge and returns at the opposite one. The
    root is black. Machines have up to three axes longer than 1 and 4096 nodes; above 512 nodes these are dots and
    unused links are omitted. path: also writes .svg, .png or .pdf.
    Returns the matplotlib Figure. Raises Error for a machine that cannot be drawn.
    """
    from matplotlib.figure import Figure

    machine = as_machine(machine)
    if machine.ranks != schedule.ranks:
        raise Error(f"machine = '{machine.name}': has {machine.ranks} ranks, the schedule {schedule.ranks}")
    sketch = Sketch(machine)
    found = edges(schedule, machine)
    count = schedule.trees
    parts = [(COLOURS[t % len(COLOURS)], [e for e in found if e.tree == t]) for t in range(count)]
    root = schedule.root // machine.ranks_per_node

    xs, ys = [p[0] for p in sketch.places], [p[1] for p in sketch.places]
    wide, high = max(xs) - min(xs) + 1.24, max(ys) - min(ys) + 1.24
    rows = 1 if count < 3 else 2
    stacked = wide > 3 * high  # wide drawings: one below the other
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
    sketch: Sketch,
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
        _title(ax, f"Spanning tree {t + 1}", root_links(sketch, part, schedule), 9.5, colour)
    if count > 1:
        ax = figure.add_subplot(grid[count, 0] if stacked else grid[:, columns:])
        _panel(ax, sketch, parts, root, 1.0 if stacked or rows == 1 else 1.35)
        _title(
            ax,
            "Both trees combined" if count == 2 else f"All {count} trees combined",
            link_words(found),
            9.5 if stacked or rows == 1 else 11.5,
        )


def _shortened(drawn: re.Match[str]) -> str:
    """Shortens an SVG path of straight lines: integers in hundredths of a point, relative to the previous point."""
    if re.search("[CQ]", drawn[1]):
        return drawn[0]
    text, x, y = "", 0, 0
    for command, numbers in re.findall("([MLz])([^MLz]*)", drawn[1]):
        if command == "z":
            text += "z"
            continue
        a, b = (round(100 * float(number)) for number in numbers.split())
        left, down = (a, b) if command == "M" else (a - x, b - y)
        x, y = a, b
        if command == "M" or (left and down):
            text += f"{command if command == 'M' else 'l'}{left / 100:g} {down / 100:g}"
        else:
            text += f"h{left / 100:g}" if left or not down else f"v{down / 100:g}"
    return f' d="{text.replace(" -", "-")}"'


def save(figure: Figure, path: str | os.PathLike[str]) -> None:
    """Writes a figure to a temporary file and renames it, so that `path` is never a partial file."""
    import matplotlib

    name = os.fspath(path)
    kind = os.path.splitext(name)[1].lower().lstrip(".")
    if kind not in ("svg", "png", "pdf"):
        raise Error(f"output = '{name}': expected a name that ends in .svg, .png or .pdf")
    aside = f"{name}.part{os.getpid()}"
    # The same drawing gives the same file: no date, no random identifiers.
    metadata = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(kind)
    try:
        with matplotlib.rc_context({"svg.hashsalt": "allport", "svg.fonttype": "none"}):
            figure.savefig(aside, format=kind, dpi=160, metadata=metadata)
        if kind == "svg":
            text = Path(aside).read_text(encoding="utf-8")
            Path(aside).write_text(re.sub(r' d="([^"]*)"', _shortened, text), encoding="utf-8")
        os.replace(aside, name)
    except OSError as error:
        raise Error(f"output = '{name}': cannot be written ({error.strerror})") from error
    finally:
        if os.path.exists(aside):
            os.unlink(aside)
