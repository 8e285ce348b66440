"""Gantt charts of task graphs, simulated or run (Solomonik11, slide 34)."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np

from allport.errors import failure
from allport.report.draw import INK, PAPER, save
from allport.timeline import Timeline

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["COLOURS", "OTHER", "bars", "chart"]

MOST_ROWS = 64
FINEST = 2_000  # distinguishable parts of the width; shorter gaps are closed
# Okabe and Ito's palette for all kinds of colour vision; the same as in drawings of graphs.
COLOURS = {
    "gemm": "#56b4e9",
    "syrk": "#009e73",
    "trsm": "#e69f00",
    "potrf": "#d55e00",
    "panel": "#cc79a7",
    "add": "#f0e442",
    "copy": "#999999",
    "geqrt": "#d55e00",
    "tpqrt": "#e69f00",
    "gemqrt": "#009e73",
    "tpmqrt": "#56b4e9",
}
OTHER = "#8a94a0"


def bars(begin: np.ndarray, end: np.ndarray, gap: float) -> list[tuple[float, float]]:
    """(begin, width) of intervals; intervals less than `gap` apart are merged."""
    order = np.argsort(begin, kind="stable")
    begin, end = begin[order], np.maximum.accumulate(end[order])
    opens = np.concatenate(([True], begin[1:] > end[:-1] + gap))
    first = np.nonzero(opens)[0]
    last = np.concatenate((first[1:] - 1, [len(begin) - 1]))
    return [(float(b), float(e - b)) for b, e in zip(begin[first], end[last], strict=True)]


def chart(timeline: Timeline, path: str | os.PathLike[str] | None = None, *, title: str | None = None) -> Figure:
    """A row for each worker, at most 64 evenly chosen ones, with its tasks coloured by kernel; tasks on the critical
    path, if it is known, are underlined. path: also writes .svg, .png or .pdf. Returns the matplotlib Figure.
    """
    from matplotlib.figure import Figure
    from matplotlib.patches import Patch

    c = {k: np.asarray(v) for k, v in timeline.columns.items()}
    tasks = c["to"] < 0
    if not tasks.any():
        raise failure("gantt: nothing was recorded; simulate with trace=True, run with record=True")
    places: list[tuple[int, int]] = sorted(
        set(zip(c["rank"][tasks].tolist(), c["worker"][tasks].tolist(), strict=True))
    )
    shown = [places[x] for x in np.unique(np.linspace(0, len(places) - 1, min(len(places), MOST_ROWS)).astype(int))]
    several = max(worker for _, worker in places) > 0
    seconds = float(c["end"].max())
    figure = Figure(figsize=(10.0, 1.4 + 0.22 * len(shown)), facecolor=PAPER, layout="constrained")
    ax = figure.add_subplot()
    critical = np.zeros(len(timeline), bool)
    critical[timeline.critical] = True
    used: dict[str, Any] = {}
    for y, (rank, worker) in enumerate(shown):
        here = tasks & (c["rank"] == rank) & (c["worker"] == worker)
        for kernel in sorted(set(c["kernel"][here].tolist())):
            which = here & (c["kernel"] == kernel)
            colour = COLOURS.get(kernel, OTHER)
            used[kernel] = Patch(color=colour, label=kernel)
            ax.broken_barh(bars(c["begin"][which], c["end"][which], seconds / FINEST), (y - 0.4, 0.8), color=colour)
        late = here & critical
        if late.any():
            ax.broken_barh(bars(c["begin"][late], c["end"][late], 0.0), (y + 0.3, 0.14), color=INK)
    ax.set_ylim(len(shown) - 0.4, -0.6)
    ax.set_xlim(0.0, seconds)
    ax.set_yticks(range(len(shown)), [f"{r}.{w}" if several else str(r) for r, w in shown], fontsize=7)
    ax.set_xlabel("seconds")
    ax.set_ylabel("rank.worker" if several else "rank")
    some = "" if len(shown) == len(places) else f" ({len(shown)} of {len(places)} workers)"
    ax.set_title((title or timeline.title) + some, fontsize=10)
    handles = [used[k] for k in sorted(used)]
    if critical.any():
        handles.append(Patch(color=INK, label="critical path"))
    figure.legend(handles=handles, loc="outside lower center", ncols=len(handles), fontsize=8)
    if path is not None:
        save(figure, path)
    return figure
