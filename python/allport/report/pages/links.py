"""Link loads of a machine: on a drawing of the machine, or sorted if it is too large to be drawn."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from html import escape

import numpy as np

from allport.errors import Error
from allport.machine import Machine, axis_letter
from allport.report.pages.page import drawing, legend, paragraph, table
from allport.report.pages.svg import Curve, curves, number, svg
from allport.report.sketch import Sketch, moved

__all__ = ["Paper", "circles", "colour", "drawn_width", "machine_drawing", "of_links", "wires"]

MOST_DRAWN = 1024  # nodes
MOST_LABELLED = 64
UNIT = 64.0
Format = Callable[[float], str]


def colour(share: float) -> str:
    """The colour of a share: from blue (0) over violet to red (1), as in `allport simulate --view`."""
    s = max(0.0, min(1.0, share))
    return f"hsl({210 + 155 * s:.0f} {60 + 30 * s:.0f}% {58 - 10 * s:.0f}%)"


def _way(port: int) -> str:
    return ("+" if port % 2 else "-") + axis_letter(port // 2)


class Paper:
    """Converts a sketch's coordinates to those of an SVG, whose y axis points down."""

    def __init__(self, sketch: Sketch) -> None:
        xs, ys = [p[0] for p in sketch.places], [p[1] for p in sketch.places]
        self.left, self.top, rim = min(xs), max(ys), 0.62
        self.size = ((max(xs) - min(xs) + 2 * rim) * UNIT, (max(ys) - min(ys) + 2 * rim) * UNIT)
        self.rim = rim

    def at(self, p: tuple[float, float]) -> str:
        return f"{number((p[0] - self.left + self.rim) * UNIT)} {number((self.top - p[1] + self.rim) * UNIT)}"


def _link_lines(sketch: Sketch, node: int, port: int, target: int) -> list[tuple[tuple[float, float], ...]]:
    """The lines of a link, beside the opposite link; one that wraps leaves at one edge and returns at the opposite
    one."""
    d = sketch.direction(port)
    long = math.hypot(*d)
    side = (d[1] / long, -d[0] / long)
    source, end = (moved(sketch.places[n], side, 0.05) for n in (node, target))
    rim = sketch.radius / long
    if not sketch.wraps(node, port):
        return [(moved(source, d, rim), moved(end, d, -rim))]
    reach = sketch.reach(d)
    return [(moved(source, d, rim), moved(source, d, reach)), (moved(end, d, -reach), moved(end, d, -rim))]


def wires(
    sketch: Sketch, paper: Paper, loads: Sequence[float] | None, say: Format, most: float | None = None
) -> list[str]:
    """The machine's links; used ones are coloured and thickened by their load."""
    machine, parts = sketch.machine, []
    most = most or (max(loads, default=0.0) if loads is not None else 0.0)
    titled = machine.links <= 3000
    for node in range(machine.nodes):
        for port in [2 * a + s for a in sketch.axes for s in (0, 1)]:
            target = machine.neighbour(node, port)
            if target is None or machine.link(node, port) in machine.dead_links:
                continue
            d = "".join(f"M{paper.at(a)}L{paper.at(b)}" for a, b in _link_lines(sketch, node, port, target))
            load = loads[machine.link(node, port)] if loads is not None else 0.0
            if load <= 0:
                parts.append(f'<path class="wire" d="{d}" stroke-width="1.2"/>')
                continue
            share = load / most
            title = f"<title>{escape(machine.link_name(machine.link(node, port)))}: {escape(say(load))}</title>"
            parts.append(
                f'<path d="{d}" stroke="{colour(share)}" stroke-width="{number(1.6 + 2.6 * share)}" '
                f'fill="none">{title if titled else ""}</path>'
            )
    return parts


def circles(sketch: Sketch, paper: Paper, dark: int | None) -> list[str]:
    """The machine's nodes, with their numbers if these are legible."""
    parts, labelled = [], sketch.machine.nodes <= MOST_LABELLED
    for node, place in enumerate(sketch.places):
        x, y = paper.at(place).split()
        kind = "dark" if node == dark else "node"
        parts.append(f'<circle class="{kind}" cx="{x}" cy="{y}" r="{number(sketch.radius * UNIT)}"/>')
        if labelled:
            ink = ' class="on-dark"' if node == dark else ""
            parts.append(f'<text{ink} x="{x}" y="{y}" dy="3.2" font-size="9" text-anchor="middle">{node}</text>')
    return parts


def drawn_width(wide: int) -> int:
    """Maximum width in pixels of a drawing with so many nodes in a row: nodes of small machines are drawn larger."""
    return min(max(round(1.5 * wide), 320), 900)


def machine_drawing(
    machine: Machine,
    loads: Sequence[float] | None,
    say: Format,
    name: str,
    *,
    dark: int | None = None,
    most: float | None = None,
) -> str:
    """The machine as SVG, its links coloured and thickened by their loads [link ids]; '' if it cannot be drawn.

    say: formats a load. dark: a node to mark. most: the load drawn in red; default: the largest.
    """
    if machine.nodes > MOST_DRAWN or machine.nodes == 1:
        return ""
    try:
        sketch = Sketch(machine)
    except Error:
        return ""
    paper = Paper(sketch)
    inside = "".join(wires(sketch, paper, loads, say, most) + circles(sketch, paper, dark))
    wide = round(paper.size[0])
    return svg(paper.size, name, inside, least=min(wide, 17 * round(math.sqrt(machine.nodes))), most=drawn_width(wide))


def _ramp(most: float, say: Format) -> str:
    keys = [(say(most * share), colour(share)) for share in (0.0, 0.25, 0.5, 0.75, 1.0)]
    return legend([("unused", "var(--line)"), *keys])


def _sorted_loads(machine: Machine, loads: np.ndarray, say: Format, what: str) -> str:
    ports, found = 2 * len(machine.axes), []
    for port in range(ports):
        if machine.axes[port // 2].length < 2:
            continue
        y = np.sort(loads[port::ports])[::-1]
        if len(y) > 400:  # as many as are distinguishable; the first is the busiest
            y = y[np.linspace(0, len(y) - 1, 400).astype(int)]
        x = np.linspace(0.0, 1.0, len(y)) if len(y) > 1 else np.array([0.0])
        found.append(Curve(_way(port), x.tolist(), y.tolist(), steps=True))
    percent: Format = lambda share: f"{100 * share:.0f} %"  # noqa: E731
    axes = ("links of an axis and direction, most loaded first", what)
    drawn, keys = curves(f"{what}, sorted", found, axes, (percent, say))
    return drawing(drawn, f"{what}: links of each axis and direction, sorted") + legend(keys)


def of_links(
    machine: Machine,
    loads: Sequence[float] | np.ndarray,
    say: Format,
    what: str,
    *,
    dark: int | None = None,
    most: float | None = None,
) -> list[str]:
    """Link loads [link ids] on a drawing of the machine, by axis and direction, and sorted.

    what: the quantity, e.g. 'busy share of links'. most: the end of the scale, which is red: 1.0 for shares, or a
    common scale of several drawings; default: the largest load.
    """
    values = np.asarray(loads, dtype=float)
    if machine.nodes == 1:
        return [paragraph(f"{machine.name} is one node: no links.")]
    if not values.any():
        return [paragraph("Nothing went over the links.")]
    most = most or float(values.max())
    picture = machine_drawing(machine, values.tolist(), say, f"{what} on {machine.name}", dark=dark, most=most)
    caption = "nodes are circles, the two directions of a link lie side by side, those that wrap leave over the rim"
    if machine.dead_links:
        caption += f"; {len(machine.dead_links)} dead links are left out"
    parts = []
    if picture:
        parts += [drawing(picture, f"{what}: {caption}."), _ramp(most, say)]
    else:
        parts.append(paragraph(f"{machine.name} is too large, or has too many axes, to be drawn.", soft=True))
    ports, rows = 2 * len(machine.axes), []
    for port in range(ports):
        part = values[port::ports]
        used = part > 0
        if used.any():
            rows.append([_way(port), f"{int(used.sum()):,}", say(float(part[used].mean())), say(float(part.max()))])
    parts.append(table(f"{what}, by axis and direction", ["links", "used", "mean of these", "most"], rows))
    if not picture:
        parts.append(_sorted_loads(machine, values, say, what))
    return parts
