"""How the figures of a machine's links are shown, and what has become of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from allport.cli.console import console, table
from allport.units import format_rate, format_seconds

if TYPE_CHECKING:
    import allport as ap


def _show(unit: str, value: float) -> str:
    return format_rate(value) if unit == "B/s" else format_seconds(value)


def show_links(figures: Sequence[ap.run.links.Figure]) -> None:
    """A row each: median and interval."""
    rows = table("links", "median", "from", "to", "confidence", "samples", right=("median", "from", "to", "samples"))
    for f in figures:
        shown = [_show(f.unit, v) for v in (f.value, f.low, f.high)]
        held = "exact" if f.samples == 1 else f"{100 * f.confidence:.0f} %"
        rows.add_row(f.what, *shown, held, str(f.samples))
    console().print(rows)


def show_drifts(stored: str, drifts: Sequence[ap.run.links.Drift]) -> None:
    """A row each, and the sentence that matters."""
    rows = table("links", "stored", "now", "change", "", right=("stored", "now", "change"))
    for d in drifts:
        word = "drifted" if d.drifted else "" if abs(d.change) <= d.tolerance else "not sure"
        rows.add_row(d.what, _show(d.unit, d.stored[0]), _show(d.unit, d.now[0]), f"{d.change:+.1%}", word)
    out = console()
    out.print(rows)
    away = [d.what for d in drifts if d.drifted]
    share = f"{100 * drifts[0].tolerance:g} %"
    if away:
        out.print(f"\n{len(away)} of {len(drifts)} figures are more than {share} off {stored}: {', '.join(away)}")
    else:
        out.print(f"\nnone of {len(drifts)} figures is surely more than {share} off {stored}")
