"""Compares measured link rates with those in a machine file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from allport.errors import failure
from allport.machine import Machine
from allport.run.links.figures import Figure
from allport.units import format_rate, format_seconds

__all__ = ["TOLERANCE", "Drift", "compare", "stored"]

TOLERANCE = 0.1


@dataclass(frozen=True)
class Drift:
    """A figure: (value, low, high) as stored and now. drifted: the change exceeds the tolerance, and the intervals are
    disjoint."""

    what: str
    unit: str
    stored: tuple[float, float, float]
    now: tuple[float, float, float]
    tolerance: float

    @property
    def change(self) -> float:
        """Relative change: 0.2 is a fifth more than stored; 1 if the stored value is 0 and the new one is not."""
        return self.now[0] / self.stored[0] - 1 if self.stored[0] else float(self.now[0] > 0)

    @property
    def apart(self) -> bool:
        """Whether the intervals are disjoint."""
        return self.now[1] > self.stored[2] or self.stored[1] > self.now[2]

    @property
    def drifted(self) -> bool:
        """Whether the change is significant and exceeds the tolerance."""
        return self.apart and abs(self.change) > self.tolerance

    @property
    def text(self) -> str:
        """A line of text."""
        show = format_rate if self.unit == "B/s" else format_seconds
        word = "drifted" if self.drifted else "as stored" if abs(self.change) <= self.tolerance else "not sure"
        return f"{self.what}: {show(self.stored[0])} stored, {show(self.now[0])} now, {self.change:+.0%}: {word}"

    def to_dict(self) -> dict[str, Any]:
        """For programs."""
        return {
            "what": self.what,
            "unit": self.unit,
            "stored": list(self.stored),
            "now": list(self.now),
            "change": self.change,
            "tolerance": self.tolerance,
            "drifted": self.drifted,
        }


def stored(machine: Machine) -> dict[str, tuple[float, float, float]]:
    """(value, low, high) of the figures in a machine's calibration that have a confidence interval."""
    fits = machine.to_dict().get("calibration", {}).get("fits", [])
    return {fit["what"]: (fit["value"], fit["low"], fit["high"]) for fit in fits if "low" in fit}


def compare(machine: Machine, now: Sequence[Figure], tolerance: float = TOLERANCE) -> list[Drift]:
    """The figures present in both, in the order of `now`. Raises Error if there is none."""
    if not 0 <= tolerance < float("inf"):
        raise failure(f"tolerance = {tolerance}: expected a share >= 0, as 0.1 for a tenth")
    kept = stored(machine)
    found = [Drift(f.what, f.unit, kept[f.what], (f.value, f.low, f.high), tolerance) for f in now if f.what in kept]
    if not found:
        raise failure(
            f"machine = '{machine.name}': its file has no figures of links that were measured now, too; "
            "`allport machine calibrate -o FILE.toml` writes them"
        )
    return found
