"""A schedule's trees on its machine, as `allport schedule show -o` draws them (Solomonik11, slide 5)."""

from __future__ import annotations

from allport.errors import Error
from allport.machine import Machine
from allport.report.draw import link_words, root_links
from allport.report.pages.links import Paper, circles, drawn_width, wires
from allport.report.pages.page import drawing, fold, paragraph
from allport.report.pages.style import KINDS
from allport.report.pages.svg import svg
from allport.report.sketch import Edge, Sketch, Strokes, edges
from allport.schedule import Schedule

__all__ = ["of_trees"]

MOST_NODES = 256
MOST_TREES = 8
MOST_OPERATIONS = 200_000


def _panel(sketch: Sketch, parts: list[tuple[str, list[Edge]]], root: int, name: str) -> str:
    paper = Paper(sketch)
    inside = wires(sketch, paper, None, str)
    shift = (0.042 if sketch.solid else 0.055) if len(parts) > 1 else 0.0
    for colour, part in parts:
        strokes = Strokes(sketch, shift)
        for edge in part:
            strokes.add(edge)
        for lines, dash in ((strokes.lines, ""), (strokes.dotted, ' stroke-dasharray="2 3"')):
            d = "".join("M" + "L".join(paper.at(p) for p in line) for line in lines)
            inside.append(f'<path d="{d}" stroke="{colour}" stroke-width="1.8" fill="none"{dash}/>')
        heads = "".join("M" + "L".join(paper.at(p) for p in head) + "Z" for head in strokes.heads)
        inside.append(f'<path d="{heads}" fill="{colour}"/>')
    inside += circles(sketch, paper, root)
    wide = round(paper.size[0])
    return svg(paper.size, name, "".join(inside), least=min(wide, 260), most=drawn_width(wide))


def of_trees(schedule: Schedule, machine: Machine) -> list[str]:
    """One drawing with all trees, then one of each; text if there are too many nodes, axes or trees."""
    too_large = machine.nodes > MOST_NODES or machine.nodes == 1 or machine.ranks != schedule.ranks
    if too_large:
        return []
    try:
        sketch = Sketch(machine)
        found = edges(schedule, machine)
    except Error:
        return []
    if not found or len(found) > MOST_OPERATIONS:
        return []
    # Routed messages may join all pairs; such a drawing would be illegible.
    if len(found) > 16 * machine.nodes:
        return [paragraph(f"{len(found):,} pairs of nodes exchange messages: too many to be drawn.", soft=True)]
    root = schedule.root // machine.ranks_per_node
    count = schedule.trees
    parts = [(KINDS[t % len(KINDS)], [e for e in found if e.tree == t]) for t in range(count)]
    whole = _panel(sketch, parts, root, f"{schedule.collective} by {schedule.algorithm} on {machine.name}")
    words = f"All {count} trees" if count > 1 else "The tree"
    drawn = [drawing(whole, f"{words}: {link_words(found)}. The root is dark; arrows have the direction of the data.")]
    if not 1 < count <= MOST_TREES:
        return drawn
    each = []
    for t, (colour, part) in enumerate(parts):
        links = root_links(sketch, part, schedule)
        title = f"Tree {t + 1}" + (f": {links}" if links else "")
        each.append(drawing(_panel(sketch, [(colour, part)], root, title), title))
    return [*drawn, fold("Each tree by itself", *each)]
