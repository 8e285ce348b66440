"""Pictures of figures that are no charts: task graphs as ap.graph.draw() has them, IDs with the table of a rank."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from allport import graph, multicast
from allport.machine import TopologyIds
from allport.report import draw

from studies.figures.render import COLOURS, INK, LINE, PAPER, WIDE

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["Drawn", "drawn", "ids_and_table", "task_graph"]

LETTERS = 8.5  # points, which a phone shows legibly at this width
ON_COLOUR = "#111111"  # of letters in coloured boxes, on light and dark pages
#: What an element of the drawing's SVG is, with its attributes.
ELEMENT = re.compile(r"<(line|rect|text|title)\b([^>]*)>(?:([^<]*)</)?")
ATTRIBUTE = re.compile(r'([\w-]+)="([^"]*)"')


class Drawn:
    """The tasks and edges of a graph's drawing: tasks as (name, what the drawing says of it), edges by their colour."""

    def __init__(self, made: Any) -> None:
        self.tasks: list[tuple[str, str, dict[str, str]]] = []
        self.edges: list[dict[str, str]] = []
        self.size = (1.0, 1.0)
        text = graph.draw(made)
        box = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', text)
        assert box
        self.size = float(box[1]), float(box[2])
        said, shape = "", dict[str, str]()
        for kind, attributes, content in ELEMENT.findall(text):
            has = dict(ATTRIBUTE.findall(attributes))
            if kind == "line" and has.get("class") == "edge":
                self.edges.append(has)
            elif kind == "title":
                said = content
            elif kind == "rect" and "rx" in has:
                shape = has
            elif kind == "text" and "text-anchor" in has:
                self.tasks.append((content, said, shape))

    @property
    def critical(self) -> int:
        """Tasks of the path that the drawing marks as the longest."""
        return 1 + sum(float(edge["stroke-width"]) > 1 for edge in self.edges)


def _blank(high: float) -> tuple[Figure, Any]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(WIDE, high), facecolor=PAPER)
    ax = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    ax.set_axis_off()
    return figure, ax


def task_graph(of: Drawn, path: str, legend: tuple[tuple[str, str], ...]) -> None:
    """Draws it with letters of LETTERS points. legend: (colour of an edge, what it means)."""
    from matplotlib.patches import FancyBboxPatch

    wide = of.size[0]
    high = max(float(shape["y"]) + float(shape["height"]) for _, _, shape in of.tasks) + 14
    below = 18.0 * len(legend) + 6
    figure, ax = _blank(WIDE * (high + below) / wide)
    ax.set_xlim(0, wide)
    ax.set_ylim(high + below, 0)
    for edge in of.edges:
        ends = [(float(edge[f"x{i}"]), float(edge[f"y{i}"])) for i in (1, 2)]
        dashes = (0, (3, 2)) if edge.get("stroke-dasharray") else "-"
        arrow = {"arrowstyle": "->", "color": edge["stroke"], "linestyle": dashes, "shrinkA": 0, "shrinkB": 0,
                 "linewidth": min(float(edge["stroke-width"]), 1.8)}  # fmt: skip
        ax.annotate("", ends[1], ends[0], arrowprops=arrow, zorder=1)
    for name, _, shape in of.tasks:
        x, y, w, h = (float(shape[key]) for key in ("x", "y", "width", "height"))
        ax.add_patch(FancyBboxPatch((x, y), w, h, boxstyle="round,pad=0,rounding_size=10", facecolor=shape["fill"],
                                    edgecolor=ON_COLOUR, linewidth=0.6, zorder=2))  # fmt: skip
        ax.text(x + w / 2, y + h / 2, name, ha="center", va="center", fontsize=LETTERS, color=ON_COLOUR, zorder=3)
    for i, (colour, meaning) in enumerate(legend):
        y = high + 10 + 18 * i
        ax.plot([10, 40], [y, y], color=colour, linewidth=1.6)
        ax.text(48, y, meaning, va="center", fontsize=LETTERS, color=INK)
    draw.save(figure, path)


def _prefixes(ids: TopologyIds) -> list[tuple[int, list[tuple[str, list[int]]]]]:
    """(digits of the prefix, its (prefix, ranks) in order) from none to all digits."""
    levels = []
    for digits in range(ids.digits + 1):
        groups: dict[str, list[int]] = {}
        for position in range(ids.ranks):
            rank = ids.rank_at(position)
            groups.setdefault(multicast.id_text(ids, rank)[:digits], []).append(position)
        levels.append((digits, list(groups.items())))
    return levels


def ids_and_table(ids: TopologyIds, rank: int, path: str) -> None:
    """IDs as a tree of prefixes, and below it a rank's table: for each row the ranks behind its entries.

    Digits are one letter each.
    """
    table = multicast.table(ids, rank)
    rows = len(table)
    figure, ax = _blank(0.5 * (ids.digits + 1) + 0.42 * (rows + 1) + 0.2)
    ax.set_xlim(-1.9, ids.ranks - 0.4)
    ax.set_ylim(-(rows + 1) * 0.84 - 0.1, ids.digits + 0.6)
    place: dict[str, float] = {}
    for digits, groups in _prefixes(ids):
        for prefix, positions in groups:
            x, y = sum(positions) / len(positions), float(ids.digits - digits)
            place[prefix] = x
            if digits:
                ax.plot([place[prefix[:-1]], x], [y + 1, y], color=LINE, linewidth=1.2, zorder=1)
            own = digits == ids.digits and positions[0] == ids.position(rank)
            face = INK if own else PAPER
            ax.text(x, y, prefix or "all", ha="center", va="center", fontsize=LETTERS, family="monospace", zorder=2,
                    color=PAPER if own else INK,
                    bbox={"boxstyle": "round,pad=0.25", "facecolor": face, "edgecolor": LINE})  # fmt: skip
    ax.text(-1.8, -0.75, f"table of {multicast.id_text(ids, rank)}", fontsize=LETTERS, color=INK, va="center")
    for i, row in enumerate(table):
        y = -(i + 1.75) * 0.84 + 0.1
        ax.text(-1.8, y, f"row {i}", fontsize=LETTERS, color=INK, va="center")
        for entry in row:
            text = multicast.id_text(ids, entry.next)
            behind = [p for p in range(ids.ranks) if multicast.id_text(ids, ids.rank_at(p))[: i + 1] == text[: i + 1]]
            ax.plot([behind[0] - 0.35, behind[-1] + 0.35], [y, y], color=COLOURS[i], linewidth=14, alpha=0.3,
                    solid_capstyle="butt", zorder=1)  # fmt: skip
            ax.text(sum(behind) / len(behind), y, text, ha="center", va="center", fontsize=LETTERS,
                    family="monospace", color=INK, zorder=2)  # fmt: skip
    draw.save(figure, path)


def drawn(made: Any) -> Drawn:
    """What ap.graph.draw() makes of a graph, to be drawn at a figure's width."""
    return Drawn(made)
