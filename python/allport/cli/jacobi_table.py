"""How `allport bench jacobi` prints."""

from __future__ import annotations

import statistics
from typing import Any

from allport.cli.console import console, table
from allport.units import format_seconds

__all__ = ["show"]


def show(result: dict[str, Any]) -> None:
    """A row for each variant, the quickest median marked."""
    out = console()
    grid, block = ("x".join(str(n) for n in result[key][3 - result["axes"] :]) for key in ("grid", "block"))
    out.print(
        f"Jacobi on {grid} doubles in blocks of {block}, {result['ranks']} ranks x {result['threads']} threads"
        + ("" if result["sends"] else ", no faces travel")
        + (f", lab {result['lab']}" if result["lab"] else "")
    )
    uneven = any("recovered" in found for found in result["variants"].values())
    more = ["ranks' work: most / mean", "of it won back"] if uneven else []
    right = ("an iteration", "least", "most", *more)
    rows = table("variant", "an iteration", "least", "most", "received: peak / mean", *more, right=right)
    medians = {name: statistics.median(found["seconds"]) for name, found in result["variants"].items()}
    best = min(medians, key=lambda name: medians[name])
    for name, found in result["variants"].items():
        times = [medians[name], min(found["seconds"]), max(found["seconds"])]
        peak = statistics.median(found["peak_to_mean"])
        cells = [*map(format_seconds, times), f"{peak:.1f}" if peak else ""]
        if uneven:
            back = found.get("recovered")
            cells += [f"{statistics.median(found['imbalance']):.2f}", "" if back is None else f"{100 * back:.0f} %"]
        rows.add_row(name + (" <" if name == best else ""), *cells)
    out.print(rows)
    out.print("median, least and most of rounds by turns; every variant computed the same cells")
