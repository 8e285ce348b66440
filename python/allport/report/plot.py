"""Charts of benchmarks."""

from __future__ import annotations

import itertools
import math
import os
from collections.abc import Sequence
from typing import Any

from allport.errors import Error
from allport.lab.plan import format_links
from allport.report.pages.style import ink
from allport.report.pages.svg import covered
from allport.run.links import Figure

__all__ = ["benchmark", "comparison", "links"]

OURS, THEIRS, DEFAULT, BOUND = "#0068b4", "#d1460f", "#e0a080", "#8a94a0"


def _rates(rows: list[dict[str, Any]], side: str, name: str | None) -> list[tuple[int, float, float, float]]:
    """(size, least, median, most) in bytes/s, or in seconds if no bytes are moved."""
    found = []
    for row in rows:
        wanted = name or row[f"{side}_best"]
        if wanted is not None and wanted in row[side]:
            t = row[side][wanted]
            size = row["size"]
            found.append((size, *((size / t[k] if size else t[k]) for k in ("most", "median", "least"))))
    return found


def _pyplot(path: str) -> Any:
    if os.path.splitext(path)[1] not in (".svg", ".png", ".pdf"):
        raise Error(f"plot = '{path}': expected a name that ends in .svg, .png or .pdf")
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    return plt


def _save(plt: Any, figure: Any, path: str) -> None:
    import matplotlib

    # The same drawing gives the same file: no date, no random identifiers.
    metadata = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}.get(os.path.splitext(path)[1])
    try:
        with matplotlib.rc_context({"svg.hashsalt": "allport"}):
            figure.savefig(path, metadata=metadata)
    except OSError as error:
        raise Error(f"plot = '{path}': cannot be written: {error}") from None
    finally:
        plt.close(figure)


def _log_log(axes: Any, x: str, y: str, legend: float | None = None) -> None:
    """Sets logarithmic scales, names of axes, grid and legend (its size in points)."""
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    axes.grid(alpha=0.3)
    axes.legend(fontsize=legend)


def comparison(result: dict[str, Any], path: str) -> None:
    """Plots simulated time over size, a line for each algorithm, and the bound: FILE.svg, .png or .pdf."""
    plt = _pyplot(path)
    rows = [r for r in result["rows"] if r["size"] > 0]
    if not rows:
        raise Error("plot: there is nothing to draw but empty messages")
    figure, axes = plt.subplots(figsize=(7, 4.5), constrained_layout=True)
    drawn: list[list[tuple[float, float]]] = []
    for name in dict.fromkeys(a for r in rows for a in r["algorithms"]):
        points = [(r["size"], r["algorithms"][name]["seconds"]) for r in rows if "seconds" in r["algorithms"][name]]
        if not points:
            continue
        places = [(math.log2(x), 16 * math.log10(max(y, 1e-12))) for x, y in points]
        # A curve that coincides with another one is dashed, so that both are visible.
        hidden = any(a and b for a, b in itertools.pairwise(covered(places, drawn, 0.1)))
        colour, dash = ink(len(drawn)), (0, (4, 4)) if hidden else "-"
        drawn.append(places)
        axes.plot(*zip(*points, strict=True), color=colour, linestyle=dash, marker="o",
                  markersize=2 if hidden else 4, label=name)  # fmt: skip
    axes.plot([r["size"] for r in rows], [r["bound"] for r in rows], color=BOUND, linestyle="--", label="bound")
    axes.set_title(f"{result['collective']} on {result['machine']}, {result['ranks']} ranks")
    _log_log(axes, "whole vector, bytes", "seconds, simulated", 8)
    _save(plt, figure, path)


def benchmark(result: dict[str, Any], path: str) -> None:
    """Plots bandwidth over size of Allport and of MPI's best and default settings, with the spread: FILE.svg, .png or
    .pdf."""
    plt = _pyplot(path)

    rows = [r for r in result["sizes"] if r["size"] > 0]
    if not rows:
        raise Error("plot: there is nothing to draw but a barrier")
    figure, axes = plt.subplots(figsize=(7, 4.5), constrained_layout=True)
    for side, name, label, colour in (
        ("ours", None, f"Allport ({'preloaded' if result['through'] == 'preload' else 'direct'})", OURS),
        ("mpi", None, f"{result['library']}, best setting of each size", THEIRS),
        ("mpi", "default", f"{result['library']}, default", DEFAULT),
    ):
        points = _rates(rows, side, name)
        if points:
            x, low, middle, high = zip(*points, strict=True)
            axes.plot(x, middle, marker="o", markersize=4, color=colour, label=label)
            axes.fill_between(x, low, high, color=colour, alpha=0.2, linewidth=0)
    bounds = [(r["size"], r["size"] / r["bound"]) for r in rows if r["bound"] > 0]
    if bounds:
        axes.plot(*zip(*bounds, strict=True), color=BOUND, linestyle="--", label="bound of the links")
    where = f"lab {result['lab']}" if result["lab"] else result["machine"]
    said = f"{result['collective']} on {where}, {result['ranks']} ranks: median, and all samples"
    axes.set_title(said + (f"\n{format_links(result['links'])}" if result.get("links") else ""))
    _log_log(axes, "whole vector, bytes", "bytes / s")
    _save(plt, figure, path)


def _rates_by_size(axes: Any, figures: Sequence[Figure]) -> None:
    """Bytes of a message over its seconds: solid lines for one direction, dashed lines for both."""
    for f in figures:
        colour = f"C{list(dict.fromkeys(g.of for g in figures)).index(f.of)}"
        style = {"+": "-", "-": ":", "+-": "--"}[f.directions]
        x = [p.bytes for p in f.points]
        axes.plot(x, [p.bytes / p.seconds for p in f.points], style, color=colour, marker="o", markersize=3)
        axes.fill_between(x, [p.bytes / p.high for p in f.points], [p.bytes / p.low for p in f.points],
                          color=colour, alpha=0.15, linewidth=0)  # fmt: skip
        axes.plot([], [], style, color=colour, label=f"{f.of}{f.directions}")
    _log_log(axes, "message, bytes", "bytes/s of a message", 7)


def _rates_as_bars(axes: Any, figures: Sequence[Figure]) -> None:
    places = range(len(figures))
    values = [f.value for f in figures]
    below = [f.value - f.low for f in figures]
    above = [f.high - f.value for f in figures]
    axes.bar(places, values, yerr=[below, above], color=OURS, ecolor=BOUND, capsize=3)
    axes.set_xticks(list(places), [f.what.removeprefix("rate ") for f in figures], rotation=75, fontsize=7)
    axes.set_ylabel("bytes/s, 95 % interval")
    axes.grid(alpha=0.3, axis="y")


def links(figures: Sequence[Figure], machine: str, path: str) -> None:
    """Plots a machine's links: rate over size alone and with all links busy, every rate with its interval, and the rate
    of a node to 1 to 2d neighbours at once: FILE.svg, .png or .pdf. Raises Error."""
    plt = _pyplot(path)
    rates = [f for f in figures if f.group in ("one pair", "all pairs")]
    if not rates:
        raise Error(f"plot: machine '{machine}' has no links and no levels to draw")
    drawn, panels = plt.subplots(2, 2, figsize=(11, 8), constrained_layout=True)
    for axes, group in zip(panels[0], ("one pair", "all pairs"), strict=True):
        _rates_by_size(axes, [f for f in rates if f.group == group and f.ranks_each == 1])
        axes.set_title(f"{group} at once: - up, : down, -- both directions" if group == "all pairs" else group)
    _rates_as_bars(panels[1][0], rates)
    at_once = [f for f in figures if f.group == "neighbours"]
    last = panels[1][1]
    last.errorbar(
        [int(f.what.split()[2]) for f in at_once],
        [f.value for f in at_once],
        yerr=[[f.value - f.low for f in at_once], [f.high - f.value for f in at_once]],
        marker="o", capsize=3, color=OURS, ecolor=BOUND,
    )  # fmt: skip
    last.set_xlabel("neighbours that every node sends to at once")
    last.set_ylabel("bytes/s out of a node")
    last.set_ylim(bottom=0)
    last.grid(alpha=0.3)
    drawn.suptitle(f"Links of {machine}")
    _save(plt, drawn, path)
