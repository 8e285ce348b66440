"""How to start the next run: compares the stored results of loop Selectors from runs with other ranks and threads."""

from __future__ import annotations

import os

from allport import _native
from allport.doctor.finding import Finding
from allport.errors import failure

__all__ = ["examine"]


def examine(path: str) -> list[Finding]:
    """A finding for each site of loops in the file. Raises Error if the file does not exist or has another format."""
    if not os.path.exists(path):
        raise failure(f"select_file = '{path}': not there; a run with ALLPORT_SELECT_FILE={path} makes it", "io")
    found: list[Finding] = []
    for advice in _native.loop_advice(path):
        better = advice["change"] and advice["compared"]
        subject = f"loops of {advice['site']}"
        found.append(Finding(subject, "note" if better else "good", advice["found"], advice["change"]))
    if not found:
        text = f"{path} knows of no loops; a LoopSelector with a site writes what it finds out"
        found.append(Finding("loops", "good", text))
    return found
