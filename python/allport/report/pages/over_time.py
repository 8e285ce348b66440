"""Gantt charts as SVG: of task graphs, simulated or run, and of schedules segment by segment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import numpy as np

from allport.report.gantt import COLOURS, OTHER, bars
from allport.report.pages.page import drawing, legend, paragraph
from allport.report.pages.svg import number, svg
from allport.sim import ACTIVITIES, Simulation
from allport.timeline import Timeline
from allport.units import format_seconds

__all__ = ["of_segments", "of_tasks"]

MOST_ROWS = 48
FINEST = 900  # distinguishable parts of the width; shorter gaps are closed
WIDE, LEFT, ROW = 900.0, 56.0, 15.0
LINK, CPU, WORK, CRITICAL = "#2f7fd6", "#d9541e", "#159a6b", "var(--ink)"


@dataclass(frozen=True)
class _Bars:
    """Bars of one colour in a row: their vertical range in the row, begins and ends."""

    colour: str
    height: tuple[float, float]
    begin: np.ndarray
    end: np.ndarray


def _shown(count: int) -> list[int]:
    """Indices of the rows to show, evenly chosen if there are too many."""
    return np.unique(np.linspace(0, count - 1, min(count, MOST_ROWS)).astype(int)).tolist() if count else []


def _row(y: float, found: _Bars, scale: float, seconds: float) -> str:
    top, bottom = (y + ROW * share for share in found.height)
    d = "".join(
        f"M{number(LEFT + begin * scale)} {number(top)}h{number(max(width * scale, 0.4))}"
        f"V{number(bottom)}h-{number(max(width * scale, 0.4))}z"
        for begin, width in bars(found.begin, found.end, seconds / FINEST)
    )
    return f'<path d="{d}" fill="{found.colour}"/>'


def _chart(name: str, rows: Sequence[tuple[str, Sequence[_Bars]]], seconds: float) -> str:
    scale, parts = (WIDE - LEFT - 8) / seconds, []
    deep = 6 + len(rows) * (ROW + 3)
    for i in range(6):
        x = number(LEFT + i * (WIDE - LEFT - 8) / 5)
        anchor = "end" if i == 5 else "middle"
        parts.append(f'<path class="wire" d="M{x} 2V{number(deep)}"/>')
        parts.append(
            f'<text class="faint" x="{x}" y="{number(deep + 15)}" font-size="12" text-anchor="{anchor}">'
            f"{escape(format_seconds(seconds * i / 5))}</text>"
        )
    for i, (label, found) in enumerate(rows):
        y = 6 + i * (ROW + 3)
        parts.append(
            f'<text class="faint" x="{number(LEFT - 6)}" y="{number(y + 11)}" font-size="11" text-anchor="end">'
            f"{escape(label)}</text>"
        )
        parts += [_row(y, one, scale, seconds) for one in found if len(one.begin)]
    return svg((WIDE, deep + 22), name, "".join(parts), least=560, most=1040)


def of_tasks(timeline: Timeline, caption: str) -> list[str]:
    """A row for each worker, tasks coloured by kernel; tasks on the critical path, if it is known, are underlined."""
    c = {k: np.asarray(v) for k, v in timeline.columns.items()}
    tasks = c["to"] < 0
    if not tasks.any():
        return [paragraph("No task was kept.")]
    places = sorted(set(zip(c["rank"][tasks].tolist(), c["worker"][tasks].tolist(), strict=True)))
    several = max(worker for _, worker in places) > 0
    seconds = float(c["end"].max())
    if seconds <= 0:
        return [paragraph("No task took any time.")]
    critical = np.zeros(len(timeline), bool)
    critical[timeline.critical] = True
    used: dict[str, str] = {}
    rows = []
    for at in _shown(len(places)):
        rank, worker = places[at]
        here = tasks & (c["rank"] == rank) & (c["worker"] == worker)
        found = []
        for kernel in sorted(set(c["kernel"][here].tolist())):
            which = here & (c["kernel"] == kernel)
            used[kernel] = COLOURS.get(kernel, OTHER)
            found.append(_Bars(used[kernel], (0.0, 1.0), c["begin"][which], c["end"][which]))
        late = here & critical
        if late.any():
            found.append(_Bars(CRITICAL, (0.82, 1.0), c["begin"][late], c["end"][late]))
        rows.append((f"{rank}.{worker}" if several else str(rank), found))
    what = "rank.worker" if several else "rank"
    some = "" if len(rows) == len(places) else f"; {len(rows)} of {len(places)} workers"
    keys = [("no kernel" if k == "none" else k, used[k]) for k in sorted(used)] + (
        [("critical path", CRITICAL)] if critical.any() else []
    )
    return [drawing(_chart(caption, rows, seconds), f"{caption}: a row a {what}{some}."), legend(keys)]


def of_segments(run: Simulation) -> list[str]:
    """A row for each rank: the upper part shows when a link out of it was busy, the lower part when its processor
    was."""
    c = run.columns
    if not len(c["activity"]) or run.seconds <= 0:
        return []
    kinds = {ACTIVITIES.index("link"): (LINK, (0.0, 0.52)), ACTIVITIES.index("send"): (CPU, (0.56, 1.0))}
    kinds |= {ACTIVITIES.index("receive"): kinds[ACTIVITIES.index("send")]}
    kinds |= {ACTIVITIES.index(name): (WORK, (0.56, 1.0)) for name in ("combine", "copy")}
    rows, used = [], set()
    for rank in _shown(run.schedule.ranks):
        here = c["rank"] == rank
        found = []
        for colour, height in dict.fromkeys(kinds.values()):
            which = here & np.isin(c["activity"], [k for k, v in kinds.items() if v == (colour, height)])
            if which.any():
                used.add(colour)
                found.append(_Bars(colour, height, c["begin"][which], c["end"][which]))
        rows.append((str(rank), found))
    some = "" if len(rows) == run.schedule.ranks else f"; {len(rows)} of {run.schedule.ranks:,} ranks"
    names = [("links that it sends over", LINK), ("o of a message", CPU), ("combining, copying", WORK)]
    drawn = _chart(f"{run.schedule.collective} over time", rows, run.seconds)
    return [drawing(drawn, f"A row a rank{some}."), legend([(n, k) for n, k in names if k in used])]
