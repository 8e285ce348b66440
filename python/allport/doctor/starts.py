"""How the next run is best started: what the Selectors of loops remember of runs that were started in other ways."""

from __future__ import annotations

import os

from allport import _native
from allport.doctor.finding import Finding
from allport.errors import failure

__all__ = ["examine"]


def examine(path: str) -> list[Finding]:
    """One for each site of loops in the file. Raises Error where it is not there, or no such file."""
    if not os.path.exists(path):
        raise failure(f"select_file = '{path}': not there; a run with ALLPORT_SELECT_FILE={path} makes it", "io")
    found: list[Finding] = []
    for advice in _native.loop_advice(path):
        better = advice["change"] and advice["compared"]
        subject = f"loops of {advice['site']}"
        found.append(Finding(subject, "note" if better else "good", advice["found"], advice["change"]))
    if not found:
        told = f"{path} knows of no loops; a LoopSelector with a site writes what it finds out"
        found.append(Finding("loops", "good", told))
    return found
