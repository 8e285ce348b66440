"""Real runs of figures in a lab: kept here, each with its date and command, or measured anew."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from allport.lab.plan import format_links

__all__ = ["RANK", "LabRun", "stored"]

KEPT = Path(__file__).parent / "runs"
#: Starts a rank; the module and its arguments follow.
RANK = [sys.executable, str(Path(__file__).parents[1] / "rank.py")]


@dataclass(frozen=True)
class LabRun:
    """What a figure's `measure` found. lab, rate: as `allport lab up` takes them; data: the figure's own; links: what
    the lab's links were set to (`Plan.links()`), which the oldest runs do not tell."""

    lab: str
    rate: str
    data: dict[str, Any] = field(default_factory=dict)
    date: str = ""
    command: str = ""
    links: dict[str, Any] = field(default_factory=dict)
    anew: bool = False
    """Measured by this very command, not read from a kept file."""

    @property
    def said(self) -> str:
        """A sentence for `obtained`: where, when and how."""
        links = format_links(self.links) if self.links else f"links of {self.rate}"
        whence = "measured for this page" if self.anew else "kept"
        return (
            f"Lab: real runs on {self.lab} with {links}, all nodes on one computer, {self.date}, {whence} "
            f"({self.command})."
        )

    def to_json(self) -> str:
        """The text of a file in figures/runs."""
        kept = {k: v for k, v in asdict(self).items() if k != "anew"}
        return json.dumps(kept, indent=1) + "\n"


def stored(name: str) -> LabRun | None:
    """The run that is kept under a name; None where there is none yet."""
    path = KEPT / f"{name}.json"
    return LabRun(**json.loads(path.read_text())) if path.exists() else None
