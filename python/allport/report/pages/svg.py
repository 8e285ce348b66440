"""Curves as SVG text, in the page's colours, without fonts, scripts and identifiers that could clash."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape

from allport.report.pages.style import ink

__all__ = ["Curve", "covered", "curves", "number", "svg"]

WIDE, HIGH = 640, 320
LEFT, RIGHT, TOP, BOTTOM = 76, 16, 10, 46
Format = Callable[[float], str]


@dataclass(frozen=True)
class Curve:
    """Points of a curve; low and high: a band around it. dashed: a limit, not a measurement."""

    label: str
    x: Sequence[float]
    y: Sequence[float]
    low: Sequence[float] = ()
    high: Sequence[float] = ()
    dashed: bool = False
    steps: bool = False


def number(value: float) -> str:
    """A coordinate, rounded to visible precision."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text


def svg(size: tuple[float, float], name: str, inside: str, *, least: int = 0, most: int = 0) -> str:
    """An <svg> that fills the available width, between `least` and `most` pixels."""
    wide, high = number(size[0]), number(size[1])
    style = f"width:100%;{f'min-width:{least}px;' if least else ''}{f'max-width:{most}px;' if most else ''}"
    return (
        f'<svg viewBox="0 0 {wide} {high}" role="img" aria-label="{escape(name)}" style="{style}">'
        f"<title>{escape(name)}</title>{inside}</svg>"
    )


class _Scale:
    """Maps values to coordinates."""

    def __init__(self, values: Sequence[float], ends: tuple[float, float], log: bool, base: int) -> None:
        self.log, self.base = log, base
        self.begin, self.end = ends
        self.low, self.high = min(values), max(values)
        if not log:
            self.low = min(self.low, 0.0)
        if self.low == self.high:
            self.low, self.high = (self.low / 2, self.high * 2) if log else (self.low, self.low + 1.0)
        self.step = 0.0 if log else _nice((self.high - self.low) / 5)
        if not log:
            self.high = math.ceil(self.high / self.step - 1e-9) * self.step

    def at(self, value: float) -> float:
        if self.log:
            share = math.log(value / self.low) / math.log(self.high / self.low)
        else:
            share = (value - self.low) / (self.high - self.low)
        return self.begin + share * (self.end - self.begin)

    def ticks(self) -> list[float]:
        if not self.log:
            count = round((self.high - self.low) / self.step)
            return [self.low + i * self.step for i in range(count + 1)]
        first = math.ceil(math.log(self.low, self.base) - 1e-9)
        last = math.floor(math.log(self.high, self.base) + 1e-9)
        every = max(1, -(-(last - first + 1) // 7))
        found = [float(self.base) ** p for p in range(first, last + 1, every)]
        return found if len(found) > 1 else [self.low, self.high]


def _nice(step: float) -> float:
    """The smallest of 1, 2 or 5 times a power of ten that is >= step."""
    power = 10.0 ** math.floor(math.log10(step)) if step > 0 else 1.0
    return next(f * power for f in (1, 2, 5, 10) if f * power >= step * (1 - 1e-9))


def _axes(x: _Scale, y: _Scale, names: tuple[str, str], formats: tuple[Format, Format]) -> list[str]:
    parts = []
    for value in y.ticks():
        at = number(y.at(value))
        parts.append(f'<path class="wire" d="M{LEFT} {at}H{WIDE - RIGHT}"/>')
        parts.append(
            f'<text class="faint" x="{LEFT - 6}" y="{at}" dy="4" font-size="12" text-anchor="end">'
            f"{escape(formats[1](value))}</text>"
        )
    for value in x.ticks():
        at = number(x.at(value))
        parts.append(f'<path class="wire" d="M{at} {HIGH - BOTTOM}v5"/>')
        parts.append(
            f'<text class="faint" x="{at}" y="{HIGH - BOTTOM + 19}" font-size="12" text-anchor="middle">'
            f"{escape(formats[0](value))}</text>"
        )
    middle = (LEFT + WIDE - RIGHT) / 2
    parts.append(
        f'<text x="{number(middle)}" y="{HIGH - 6}" font-size="12.5" text-anchor="middle">{escape(names[0])}</text>'
    )
    down = (TOP + HIGH - BOTTOM) / 2
    parts.append(
        f'<text transform="translate(13 {number(down)}) rotate(-90)" font-size="12.5" text-anchor="middle">'
        f"{escape(names[1])}</text>"
    )
    return parts


def _path(xs: Sequence[float], ys: Sequence[float], steps: bool) -> str:
    text = ""
    for i, (x, y) in enumerate(zip(xs, ys, strict=True)):
        text += f"M{number(x)} {number(y)}" if i == 0 else (f"H{number(x)}V{number(y)}" if steps else "")
        text += "" if i == 0 or steps else f"L{number(x)} {number(y)}"
    return text


Place = tuple[float, float]


def covered(places: Sequence[Place], earlier: Sequence[Sequence[Place]], near: float) -> list[bool]:
    """For each point, whether an earlier curve has a point there, to within `near` in both directions."""
    return [any(abs(x - a) <= near and abs(y - b) <= near for one in earlier for a, b in one) for x, y in places]


def _drawn(places: Sequence[Place], hidden: Sequence[bool], style: str) -> str:
    """A curve, dashed where it coincides with an earlier one, so that both are visible."""
    parts: dict[bool, list[list[Place]]] = {False: [], True: []}
    for i in range(1, len(places)):
        on = hidden[i - 1] and hidden[i]
        piece = parts[on][-1] if parts[on] and parts[on][-1][-1] == places[i - 1] else None
        if piece is None:
            parts[on].append([places[i - 1], places[i]])
        else:
            piece.append(places[i])
    text = ""
    for on, pieces in parts.items():
        d = "".join(_path([p[0] for p in piece], [p[1] for p in piece], False) for piece in pieces)
        dash = ' stroke-dasharray="9 9"' if on else ""
        text += f'<path d="{d}" fill="none" {style}{dash}/>' if d else ""
    return text


def curves(
    name: str,
    found: Sequence[Curve],
    axes: tuple[str, str],
    formats: tuple[Format, Format],
    *,
    log: tuple[bool, bool] = (False, False),
    base: tuple[int, int] = (2, 10),
) -> tuple[str, list[tuple[str, str]]]:
    """Curves over one axis, and the legend of their colours. Points <= 0 on a logarithmic axis are omitted."""
    kept = [c for c in (_possible(c, log) for c in found) if len(c.x)]
    if not kept:
        return "", []
    x = _Scale([v for c in kept for v in c.x], (LEFT, WIDE - RIGHT), log[0], base[0])
    y = _Scale([v for c in kept for v in (*c.y, *c.low, *c.high)], (HIGH - BOTTOM, TOP), log[1], base[1])
    parts, keys, drawn, dashes = _axes(x, y, axes, formats), [], list[list[Place]](), False
    for curve in kept:
        colour = "var(--soft)" if curve.dashed else ink(len(drawn))
        xs, ys = [x.at(v) for v in curve.x], [y.at(v) for v in curve.y]
        if len(curve.low):
            edge = [(x.at(v), y.at(w)) for v, w in zip(curve.x, curve.high, strict=True)]
            edge += [(x.at(v), y.at(w)) for v, w in zip(curve.x, curve.low, strict=True)][::-1]
            points = " ".join(f"{number(a)},{number(b)}" for a, b in edge)
            parts.append(f'<polygon points="{points}" fill="{colour}" opacity="0.18"/>')
        style = f'stroke="{colour}" stroke-width="2"'
        if curve.dashed or curve.steps:
            dash = ' stroke-dasharray="6 4"' if curve.dashed else ""
            parts.append(f'<path d="{_path(xs, ys, curve.steps)}" fill="none" {style}{dash}/>')
            keys.append((curve.label, colour))
            if curve.steps:
                drawn.append([])
            continue
        places = list(zip(xs, ys, strict=True))
        hidden = covered(places, drawn, 1.5)
        dashes = dashes or any(a and b for a, b in itertools.pairwise(hidden))
        drawn.append(places)
        parts.append(_drawn(places, hidden, style))
        keys.append((curve.label, colour))
        for on, px, py, vx, vy in zip(hidden, xs, ys, curve.x, curve.y, strict=True):
            said = f"{curve.label}: {formats[0](vx)}, {formats[1](vy)}"
            parts.append(
                f'<circle cx="{number(px)}" cy="{number(py)}" r="{2 if on else 3.5}" fill="{colour}">'
                f"<title>{escape(said)}</title></circle>"
            )
    if dashes:
        keys.append(("dashes of two colours: two curves on each other", "transparent"))
    return svg((WIDE, HIGH), name, "".join(parts), least=380, most=820), keys


def _possible(curve: Curve, log: tuple[bool, bool]) -> Curve:
    columns = [curve.x, curve.y, *([curve.low, curve.high] if len(curve.low) else [])]
    rows = [
        row
        for row in zip(*columns, strict=True)
        if all(math.isfinite(v) for v in row) and not (log[0] and row[0] <= 0) and not (log[1] and min(row[1:]) <= 0)
    ]
    kept = [list(column) for column in zip(*rows)] if rows else [[] for _ in columns]
    band = kept[2:] if len(curve.low) else [[], []]
    return Curve(curve.label, kept[0], kept[1], band[0], band[1], curve.dashed, curve.steps)
