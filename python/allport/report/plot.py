"""Charts of benchmarks."""

from __future__ import annotations

import os
from typing import Any

from allport.errors import AllportError
from allport.lab.plan import format_links

__all__ = ["benchmark", "comparison"]

OURS, THEIRS, DEFAULT, BOUND = "#0068b4", "#d1460f", "#e0a080", "#8a94a0"


def _rates(rows: list[dict[str, Any]], side: str, name: str | None) -> list[tuple[int, float, float, float]]:
    """(size, least, median, most) as bytes/s, or seconds where nothing is moved."""
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
        raise AllportError(f"plot = '{path}': expected a name that ends in .svg, .png or .pdf")
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    return plt


def _save(plt: Any, figure: Any, path: str) -> None:
    try:
        figure.savefig(path)
    except OSError as error:
        raise AllportError(f"plot = '{path}': cannot be written: {error}") from None
    finally:
        plt.close(figure)


def comparison(result: dict[str, Any], path: str) -> None:
    """Simulated time over size, a line an algorithm, and the bound: FILE.svg, .png or .pdf."""
    plt = _pyplot(path)
    rows = [r for r in result["rows"] if r["size"] > 0]
    if not rows:
        raise AllportError("plot: there is nothing to draw but empty messages")
    figure, axes = plt.subplots(figsize=(7, 4.5), constrained_layout=True)
    for name in dict.fromkeys(a for r in rows for a in r["algorithms"]):
        points = [(r["size"], r["algorithms"][name]["seconds"]) for r in rows if "seconds" in r["algorithms"][name]]
        if points:
            axes.plot(*zip(*points, strict=True), marker="o", markersize=3, label=name)
    axes.plot([r["size"] for r in rows], [r["bound"] for r in rows], color=BOUND, linestyle="--", label="bound")
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_xlabel("whole vector, bytes")
    axes.set_ylabel("seconds, simulated")
    axes.set_title(f"{result['collective']} on {result['machine']}, {result['ranks']} ranks")
    axes.grid(alpha=0.3)
    axes.legend(fontsize=8)
    _save(plt, figure, path)


def benchmark(result: dict[str, Any], path: str) -> None:
    """Bandwidth over size, ours and MPI's best and default setting, with the spread: FILE.svg, .png or .pdf."""
    plt = _pyplot(path)

    rows = [r for r in result["sizes"] if r["size"] > 0]
    if not rows:
        raise AllportError("plot: there is nothing to draw but a barrier")
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
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_xlabel("whole vector, bytes")
    axes.set_ylabel("bytes / s")
    where = f"lab {result['lab']}" if result["lab"] else result["machine"]
    said = f"{result['collective']} on {where}, {result['ranks']} ranks: median, and all samples"
    axes.set_title(said + (f"\n{format_links(result['links'])}" if result.get("links") else ""))
    axes.grid(alpha=0.3)
    axes.legend()
    _save(plt, figure, path)
