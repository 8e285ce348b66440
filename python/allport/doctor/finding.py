"""A finding: its subject, the observation, and the remedy."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Finding"]


@dataclass(frozen=True)
class Finding:
    """state: 'good'; 'note': it works, with a limitation; 'wrong': it is slow, or does not work at all.

    remedy: what to do; empty if nothing is to be done.
    """

    subject: str
    state: str
    found: str
    remedy: str = ""
