"""Proofs: what a schedule delivers, that it ends, and what its links carry."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from allport import _native
from allport._native import Machine, Schedule
from allport.machine import as_machine
from allport.notebook import Shown

__all__ = ["Report", "prove"]


class Report(Shown):
    """A proof, or a counterexample. True when the schedule is right."""

    def __init__(self, data: dict[str, Any], text: str) -> None:
        self._data, self._text = data, text

    @property
    def ok(self) -> bool:
        """Whether nothing was found."""
        return bool(self._data["ok"])

    @property
    def findings(self) -> list[dict[str, Any]]:
        """What is wrong, minimal counterexample first: kind, rank, op, segment, piece, message."""
        return list(self._data["findings"])

    @property
    def counts(self) -> dict[str, Any]:
        """Operations, streams, messages, segments, bytes moved, scratch bytes, depth."""
        return dict(self._data["counts"])

    @property
    def links(self) -> dict[str, Any]:
        """Loads of the machine's directed links, and whether trees share one."""
        return dict(self._data["links"])

    def to_dict(self) -> dict[str, Any]:
        """What `allport schedule verify --json` prints."""
        return self._data

    def __bool__(self) -> bool:
        return self.ok

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"Report(ok={self.ok}, findings={len(self.findings)})"


def prove(
    schedule: Schedule,
    machine: Machine | str,
    *,
    links: bool = True,
    disjoint: bool = False,
    max_findings: int = 20,
    progress: Callable[[str, float], None] | None = None,
) -> Report:
    """Proves that a schedule keeps its promise on a machine, or shows where it breaks it.

    Every rank gets every byte (a reduction: every contribution) exactly once; no deadlock even with synchronous
    sends; no two accesses to the same bytes without an order; loads of all links.
    links: compute loads and times. disjoint: two trees over one link are a finding.
    progress(phase, fraction) is called now and then. A wrong schedule is reported, not raised.
    """
    data, text = _native.prove(schedule, as_machine(machine), links, disjoint, max_findings, progress)
    return Report(data, text)
