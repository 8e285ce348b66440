"""Drawings of a pattern's link loads under two orders of ranks."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from allport.errors import Error
from allport.machine import axis_letter
from allport.mapping import RankOrder
from allport.pattern import link_bytes
from allport.report.draw import INK, PAPER, save

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["loads"]


def loads(chosen: RankOrder, path: str | os.PathLike[str] | None = None) -> Figure:
    """Seconds that each link takes to transfer its bytes; the links of an axis and direction are sorted, the largest
    first.

    One panel for the job's own order and one for the chosen order, on the same scale. path: also writes .svg, .png or
    .pdf. Returns the matplotlib Figure. Raises Error for a machine of one node.
    """
    from matplotlib.figure import Figure

    machine = chosen.machine
    long = [a for a, axis in enumerate(machine.axes) if axis.length > 1]
    if not long:
        raise Error(f"machine = '{machine.name}': one node has no links to draw")
    ports = 2 * len(machine.axes)
    figure = Figure(figsize=(9.0, 3.6), facecolor=PAPER, layout="constrained")
    panels = figure.subplots(1, 2, sharey=True)
    sides = [("given", chosen.given["places"]), (chosen.order, chosen.places)]
    for ax, (name, places) in zip(panels, sides, strict=True):
        bytes_ = link_bytes(machine, chosen.pattern, places)
        for a in long:
            for port, sign, style in ((2 * a + 1, "+", "-"), (2 * a, "-", ":")):
                seconds = sorted((b / machine.axes[a].bandwidth for b in bytes_[port::ports]), reverse=True)
                ax.plot(seconds, style, color=f"C{a}", label=f"{sign}{axis_letter(a)}", drawstyle="steps-mid")
        ax.set_title(name, fontsize=10, color=INK)
        ax.set_xlabel("links of an axis and direction, most loaded first")
        ax.set_ylim(bottom=0)
    panels[0].set_ylabel("seconds to transfer its bytes")
    panels[1].legend(fontsize=8)
    figure.suptitle(f"{chosen.pattern.name} on {machine.name}", fontsize=11, color=INK)
    if path is not None:
        save(figure, path)
    return figure
