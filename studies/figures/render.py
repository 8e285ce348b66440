"""Results as SVG, PNG and CSV. The same result gives the same files."""

from __future__ import annotations

import csv
import io
import itertools
import math
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from allport.report import draw

from studies.figures.figure import Bars, Chart, Picture, Result, Series, Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

__all__ = ["INK", "LINE", "PAPER", "rows_of", "write_csv", "write_pictures"]

# The page replaces these three by its own for light and dark.
INK, LINE, PAPER = "#1d2733", "#c3cad2", "#fffffe"
COLOURS = ("#2f7fd6", "#d9541e", "#159a6b", "#b0478f", "#c98a00", "#4aa8c9", "#7d67cf", "#8a8f1a")
LIMIT = "#8a94a0"
MARKERS = "osD^vP*X"
WIDE, HIGH = 5.0, 3.4  # inches: on a phone letters keep their size
LETTERS = 62  # of 9 points that the width has place for
MOST_LETTERS = 78  # a row of a table; longer ones are broken into lines, so that letters stay legible on a phone


def _style(series: Series, index: int) -> dict[str, Any]:
    if series.origin == "limit":
        return {"color": LIMIT, "linestyle": (0, (4, 3)), "linewidth": 1.2}
    colour = COLOURS[index % len(COLOURS)]
    if series.origin == "model":
        return {"color": colour, "linewidth": 1.6}
    marker = MARKERS[index % len(MARKERS)]
    return {"color": colour, "linewidth": 0.8, "marker": marker, "markersize": 4.2, "linestyle": (0, (1, 1))}


def _plain(value: float, _position: object = None) -> str:
    """4096, 0.25, 1e+06: never 10 to a power, which has no letters of its own in every font."""
    return f"{value:,.0f}".replace(",", " ") if 1 <= abs(value) < 1e6 and value == round(value) else f"{value:.3g}"


def _axes_of(ax: Axes, x: str, y: str, title: str) -> None:
    ax.set_xlabel(x, color=INK)
    ax.set_ylabel(y, color=INK)
    if title:
        ax.set_title(title, color=INK, fontsize=10, loc="left")
    ax.grid(color=LINE, linewidth=0.5)
    ax.set_axisbelow(True)
    ax.tick_params(colors=INK, which="both", labelsize=9)
    for spine in ax.spines.values():
        spine.set_color(LINE)


def _legend(ax: Axes, count: int) -> None:
    if count > 1:
        ax.legend(
            fontsize=8.5, labelcolor=INK, facecolor=PAPER, edgecolor=LINE, framealpha=0.0, ncols=2 if count > 4 else 1,
            loc="upper center", bbox_to_anchor=(0.5, -0.2), borderaxespad=0.0, handlelength=2.4, columnspacing=1.2,
        )  # fmt: skip


def _ticks(ax: Axes, chart: Chart) -> None:
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullFormatter, NullLocator

    xs = sorted({x for s in chart.series for x in (s.x or ())})
    if chart.log_x:
        ax.set_xscale("log", base=2)
        few = xs if len(xs) <= 7 else xs[:: -(-len(xs) // 7)]
        ax.xaxis.set_major_locator(FixedLocator(few))
        ax.xaxis.set_minor_locator(NullLocator())
    ax.xaxis.set_major_formatter(FuncFormatter(_plain))
    if chart.log_y:
        ax.set_yscale("log")
        ax.yaxis.set_minor_formatter(NullFormatter())
    ax.yaxis.set_major_formatter(FuncFormatter(_plain))


def _chart(ax: Axes, chart: Chart) -> None:
    drawn = 0
    for series in chart.series:
        drawn -= series.pair
        style = _style(series, drawn)
        drawn += series.origin != "limit"
        points = [(x, y) for x, y in zip(series.x or (), series.y) if y is not None]
        if points:
            ax.plot(*zip(*points), label=series.label, **style)
        if series.band:
            ax.fill_between(series.x or (), *series.band, color=style["color"], alpha=0.15, linewidth=0)
    _ticks(ax, chart)
    ax.set_ylim(bottom=chart.low, top=chart.high)
    _axes_of(ax, chart.x, chart.y, chart.title)
    _legend(ax, len(chart.series))


def _bars(ax: Axes, bars: Bars) -> None:
    places, count = range(len(bars.places)), len(bars.series)
    width = 0.6 if bars.stacked else 0.8 / max(count, 1)
    below = [0.0] * len(bars.places)
    for i, series in enumerate(bars.series):
        heights = [y or 0.0 for y in series.y]
        shift = 0.0 if bars.stacked else (i - (count - 1) / 2) * width
        at = [p + shift for p in places]
        colour = COLOURS[i % len(COLOURS)]
        drawn = ax.bar(
            at, heights, width * 0.94, bottom=below if bars.stacked else None, color=colour, label=series.label
        )
        if bars.stacked:
            below = [b + h for b, h in zip(below, heights)]
        elif count * len(bars.places) <= 12:
            ax.bar_label(drawn, [f"{h:.3g}" if h else "" for h in heights], fontsize=8, color=INK, padding=1)
    ax.set_xticks(list(places), list(bars.places))
    _axes_of(ax, "", bars.y, bars.title)
    ax.grid(axis="x", visible=False)
    _legend(ax, count)


def _untangle(canvas: Canvas, drawn: Sequence[tuple[Axes, Chart | Bars | Table]]) -> None:
    """Labels of an x axis that would overlap: names stand upright, of numbers those are left out that have no place."""
    from matplotlib.ticker import FixedLocator

    canvas.draw_without_rendering()
    upright = []
    for ax, panel in drawn:
        labels = [label for label in ax.get_xticklabels() if label.get_text()]
        boxes = [label.get_window_extent() for label in labels]
        if isinstance(panel, Table) or all(a.x1 + 3 <= b.x0 for a, b in itertools.pairwise(boxes)):
            continue
        if isinstance(panel, Bars):
            for label in labels:
                label.set(rotation=90, fontsize=8)
            upright.append((ax, labels))
            continue
        free, places = -math.inf, []
        for label, box in zip(labels, boxes):
            if box.x0 >= free + 3:
                free = box.x1
                places.append(label.get_position()[0])
        ax.xaxis.set_major_locator(FixedLocator(places))
    if not upright:
        return
    canvas.draw_without_rendering()
    for ax, labels in upright:
        if legend := ax.get_legend():
            low = min(label.get_window_extent().y0 for label in labels)
            below = ax.transAxes.inverted().transform((0.0, low))[1]
            legend.set_bbox_to_anchor((0.5, below - 0.06), transform=ax.transAxes)


def _table(ax: Axes, table: Table) -> None:
    from matplotlib.transforms import Bbox

    ax.axis("off")
    if table.title:
        ax.set_title(table.title, color=INK, fontsize=10, loc="left")
    # Columns are as wide as their longest line, and the letters small enough for all of them.
    heads, *cells = lines = _lines(table)
    wide = [2 + max(len(line) for row in lines for line in row[i].split("\n")) for i in range(len(heads))]
    drawn = ax.table(
        cells, colLabels=heads, colWidths=[w / sum(wide) for w in wide], loc="upper center", cellLoc="right",
        bbox=Bbox.unit(),
    )  # fmt: skip
    for (row, _), cell in drawn.get_celld().items():
        cell.set_height(_height(lines[row]))
    drawn.auto_set_font_size(False)
    drawn.set_fontsize(min(9.0, 9.0 * LETTERS / sum(wide)))
    for cell in drawn.get_celld().values():
        cell.set_edgecolor(LINE)
        cell.set_facecolor("none")
        cell.get_text().set_color(INK)


def _cell(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _lines(table: Table) -> list[list[str]]:
    """The texts of a table, its heads first, broken so that rows have at most MOST_LETTERS where words allow it."""
    texts = [list(table.columns), *([_cell(v) for v in row] for row in table.rows)]
    wide = [max(len(row[i]) for row in texts) for i in range(len(table.columns))]
    words = [max(len(w) for row in texts for w in row[i].split() or [""]) for i in range(len(wide))]
    while sum(wide) + 2 * len(wide) > MOST_LETTERS:
        room, widest = max((wide[i] - words[i], i) for i in range(len(wide)))
        if room <= 0:
            break
        wide[widest] -= 1
    return [["\n".join(textwrap.wrap(text, max(1, w))) for text, w in zip(row, wide)] for row in texts]


def _height(row: list[str]) -> float:
    """Inches."""
    return 0.1 + 0.16 * max(text.count("\n") + 1 for text in row)


def _canvas(panels: Sequence[Chart | Bars | Table]) -> Canvas:
    import matplotlib
    from matplotlib.figure import Figure

    heights = [
        0.26 + sum(map(_height, _lines(p))) if isinstance(p, Table) else HIGH + 0.2 * len(p.series) for p in panels
    ]
    with matplotlib.rc_context({"font.family": ["DejaVu Sans"], "font.size": 9.5}):
        canvas = Figure(figsize=(WIDE, sum(heights)), facecolor=PAPER, layout="constrained")
        axes = canvas.subplots(len(panels), 1, squeeze=False, height_ratios=heights)[:, 0]
        for ax, panel in zip(axes, panels):
            ax.set_facecolor("none")
            if isinstance(panel, Chart):
                _chart(ax, panel)
            elif isinstance(panel, Bars):
                _bars(ax, panel)
            else:
                _table(ax, panel)
        _untangle(canvas, list(zip(axes, panels)))
    return canvas


def write_pictures(result: Result, stem: str) -> list[str]:
    """Writes STEM.svg and STEM.png and returns their paths; none where there is nothing to draw."""
    if not result.panels:
        return []
    paths = [f"{stem}.svg", f"{stem}.png"]
    first = result.panels[0]
    if isinstance(first, Picture):
        for path in paths:
            first.draw(path)
        return paths
    canvas = _canvas([panel for panel in result.panels if not isinstance(panel, Picture)])
    for path in paths:
        draw.save(canvas, path)
    return paths


def rows_of(result: Result) -> list[list[object]]:
    """All data in long form, first the names of the columns: panel, series, origin, x, y; or a table's own."""
    tables = [p.data if isinstance(p, Picture) else p for p in result.panels if isinstance(p, Picture | Table)]
    if tables and len(tables) == len(result.panels):
        return [list(tables[0].columns), *[list(row) for t in tables for row in t.rows]]
    rows: list[list[object]] = [["panel", "series", "origin", "x", "y"]]
    for panel in result.panels:
        if isinstance(panel, Chart | Bars):
            for s in panel.series:
                xs = panel.places if isinstance(panel, Bars) else s.x or ()
                rows += [[panel.title, s.label, s.origin, x, y] for x, y in zip(xs, s.y) if y is not None]
                for end, ys in zip(("least", "most"), s.band or ()):
                    rows += [[panel.title, f"{s.label}, {end}", s.origin, x, y] for x, y in zip(xs, ys)]
        elif isinstance(panel, Table):
            rows += [
                [panel.title, column, "table", row[0], value]
                for row in panel.rows
                for column, value in zip(panel.columns[1:], row[1:])
            ]
    return rows


def write_csv(rows: list[list[object]]) -> str:
    """The rows as CSV text."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()
