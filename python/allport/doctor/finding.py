"""What was looked at, what was found, and what to change."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Finding"]


@dataclass(frozen=True)
class Finding:
    """state: 'good'; 'note': works, but there is something to know; 'wrong': slow, or does not work at all.

    remedy: what to do about it; empty where there is nothing to do.
    """

    subject: str
    state: str
    found: str
    remedy: str = ""
