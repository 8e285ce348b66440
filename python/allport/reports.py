"""The report of the last computation, for functions that return the result alone."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from allport.notebook import Shown

__all__ = ["Measured", "last_report", "remember", "unreported"]

_last = threading.local()


class Measured(Shown):
    """What a computation found and measured."""

    def __init__(self, data: dict[str, Any]) -> None:
        self._data = data

    def to_dict(self) -> dict[str, Any]:
        """Everything, ready for JSON: what `allport run --json` prints under "report"."""
        return self._data


def last_report() -> Any:
    """What the last gemm, lu, cholesky, qr, lstsq, solve, eigh, einsum or tensordot of this thread measured on this
    rank: a linalg.GemmReport, linalg.LuReport, tensors.ContractionReport, ...; None before the first."""
    return getattr(_last, "report", None)


def remember(report: Any) -> None:
    """Makes a report the one that last_report() returns."""
    _last.report = report


@contextmanager
def unreported() -> Iterator[None]:
    """Computations within are parts of another, or checks of it: last_report() stays as it is."""
    report = last_report()
    try:
        yield
    finally:
        remember(report)
