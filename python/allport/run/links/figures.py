"""Figures of a machine's links: medians with confidence intervals, and their conversion for a machine file."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any

from allport.machine import Machine
from allport.run.links.cases import Case

__all__ = ["CONFIDENCE", "DIFFER", "Figure", "Point", "interval", "keep"]

CONFIDENCE = 0.95
DIFFER = 0.1  # relative difference from which the two directions of an axis are written separately


def interval(samples: Sequence[float], confidence: float = CONFIDENCE) -> tuple[float, float, float]:
    """(low, high, confidence) of the median for any distribution, by two order statistics: the narrowest interval with
    at least this confidence; with too few samples minimum and maximum, with their confidence.

    P(x_(k) <= median <= x_(n-k+1)) = 1 - 2 P(B < k), B binomial with n and 1/2.
    """
    ordered, n = sorted(samples), len(samples)
    if n == 0:
        raise ValueError("samples: expected at least one")
    below = 0.5**n  # P(B <= k - 1)
    k, held = 1, 1 - 2 * below
    while k < (n + 1) // 2:
        below += math.comb(n, k) * 0.5**n
        if 1 - 2 * below < confidence:
            break
        k, held = k + 1, 1 - 2 * below
    return ordered[k - 1], ordered[n - k], max(held, 0.0)


@dataclass(frozen=True)
class Point:
    """Messages of one size: median seconds until all have arrived, and the confidence interval."""

    bytes: int
    seconds: float
    low: float
    high: float


@dataclass(frozen=True)
class Figure:
    """value: bytes/s of a message, or of all messages of a node to its neighbours (rates); seconds (starts). low, high:
    interval of the median with `confidence`. spread: median relative deviation of the samples. points: by size."""

    what: str
    group: str
    of: str
    directions: str
    ranks_each: int
    unit: str
    value: float
    low: float
    high: float
    confidence: float
    samples: int
    spread: float
    points: tuple[Point, ...]

    @staticmethod
    def of_samples(case: Case, samples: Sequence[float], points: Sequence[Point]) -> Figure:
        """The figure of single values."""
        low, high, held = interval(samples)
        value = statistics.median(samples)
        spread = statistics.median(abs(s - value) for s in samples) / value if value else 0.0
        return Figure(
            case.what, case.group, case.of, case.directions, case.ranks_each, case.unit,
            value, low, high, held, len(samples), spread, tuple(points),
        )  # fmt: skip

    def to_dict(self) -> dict[str, Any]:
        """As a dict, also to send it to another process."""
        return {**self.__dict__, "points": [p.__dict__ for p in self.points]}

    @staticmethod
    def from_dict(data: dict[str, Any]) -> Figure:
        """The inverse of to_dict()."""
        return Figure(**{**data, "points": tuple(Point(**p) for p in data["points"])})


def _directions(figures: Sequence[Figure], letter: str) -> tuple[float, float]:
    """Bytes/s of an axis's links in each direction while all pairs communicate; (0, 0) if both are equal."""
    busy = {f.directions: f for f in figures if f.of == letter and f.group == "all pairs" and f.ranks_each == 1}
    there, back = busy.get("+"), busy.get("-")
    if there is None or back is None:
        return 0.0, 0.0
    apart = there.low > back.high or back.low > there.high
    differ = max(there.value, back.value) > (1 + DIFFER) * min(there.value, back.value)
    return (there.value, back.value) if apart and differ else (0.0, 0.0)


def keep(machine: Machine, figures: Sequence[Figure], library: str) -> Machine:
    """The machine with these figures in its calibration. If the directions of an axis differ significantly and by more
    than DIFFER, its links get the rates measured with all pairs busy. A level with a bandwidth gets the rate between
    its parts. Prices and the simulator use these rates."""
    by_port: list[float] = []
    for axis in range(len(machine.axes)):
        there, back = _directions(figures, "xyzuvwst"[axis])
        by_port += [back, there]
    busy = {f.of: f.value for f in figures if f.group == "all pairs" and f.directions == "+-"}
    by_level = [busy.get(level.name, 0.0) if level.bandwidth else 0.0 for level in machine.levels]
    fits = [(f.what, f.value, f.spread, f.low, f.high) for f in figures]
    today = datetime.now(timezone.utc).date().isoformat()
    return machine.with_measured_links(by_port, by_level, fits, today, library)
