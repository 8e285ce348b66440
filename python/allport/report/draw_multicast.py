"""Drawings of multicasts: senders, receivers and destinations of each step (Song09)."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from allport.errors import Error
from allport.machine import TopologyIds
from allport.multicast import Share, id_text
from allport.report.draw import FAINT, INK, PAPER, save

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["multicast"]

MOST_RANKS = 512
DELIVERS, RELAYS = "#0068b4", "#d1460f"


def _places(parts: dict[int, Share]) -> dict[int, tuple[float, float]]:
    """Positions of ranks: steps go to the right; the receivers of a rank are below each other, next to it."""
    place: dict[int, tuple[float, float]] = {}
    step = {next(iter(parts)): 0}
    for rank, part in parts.items():
        for hop in part.hops:
            step[hop.next] = step[rank] + 1
    row = 0.0
    stack = [(next(iter(parts)), False)]
    while stack:
        rank, seen = stack.pop()
        below = [hop.next for hop in parts[rank].hops]
        if not below:
            place[rank] = (float(step[rank]), -row)
            row += 1.0
        elif seen:
            place[rank] = (float(step[rank]), (place[below[0]][1] + place[below[-1]][1]) / 2)
        else:
            stack.append((rank, True))
            stack.extend((other, False) for other in reversed(below))
    return place


def multicast(ids: TopologyIds, parts: dict[int, Share], path: str | os.PathLike[str] | None = None) -> Figure:
    """Draws the result of multicast.shares(): the source black, destinations blue, ranks that only relay orange.

    An arrow names the destinations of its message. path: also writes .svg, .png or .pdf.
    Returns the matplotlib Figure. Raises Error beyond 512 ranks.
    """
    from matplotlib.figure import Figure

    if len(parts) > MOST_RANKS:
        raise Error(f"destinations: {len(parts)} ranks take part; drawings show at most {MOST_RANKS}")
    place = _places(parts)
    steps = max(x for x, _ in place.values())
    rows = max(-y for _, y in place.values())
    figure = Figure(figsize=(2.0 + 2.2 * steps, 0.9 + 0.55 * rows), facecolor=PAPER)
    ax = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    ax.set_axis_off()
    ax.set_xlim(-0.45, steps + 0.45)
    ax.set_ylim(-rows - 0.8, 0.8)
    for rank, part in parts.items():
        x, y = place[rank]
        colour = INK if part.source is None else DELIVERS if part.deliver else RELAYS
        box = {"boxstyle": "round,pad=0.35", "facecolor": colour, "edgecolor": colour}
        ax.text(x, y, id_text(ids, rank), color=PAPER, ha="center", va="center", family="monospace", bbox=box, zorder=3)
        for hop in part.hops:
            to = place[hop.next]
            ax.annotate(
                "", to, (x, y), arrowprops={"arrowstyle": "->", "color": INK, "shrinkA": 20, "shrinkB": 20}, zorder=1
            )
            names = [id_text(ids, r) for r in hop.destinations]
            words = ", ".join(names) if len(names) <= 4 else f"{len(names)} ranks"
            middle = ((x + to[0]) / 2, (y + to[1]) / 2)
            under = {"facecolor": PAPER, "edgecolor": FAINT, "pad": 1.5}
            ax.text(*middle, words, fontsize=9, color=INK, ha="center", va="center", bbox=under, zorder=2)
    if path is not None:
        save(figure, path)
    return figure
