"""Schedules as data, and the interpreter that is the reference for every executor."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from allport import _native
from allport._native import AllportError, Op, Piece, Program, Schedule, Slot, Traffic

__all__ = ["Op", "Piece", "Program", "Schedule", "Slot", "Traffic", "interpret"]


def _checked(schedule: Schedule, array: object, what: str) -> np.ndarray:
    a = np.ascontiguousarray(array)
    if a.dtype.hasobject:
        raise AllportError(f"{what}: expected numbers, got an array of Python objects")
    if a.nbytes != schedule.bytes:
        raise AllportError(f"{what}: has {a.nbytes} bytes; the schedule moves {schedule.bytes}")
    return a


def interpret(
    schedule: Schedule, data: np.ndarray | Sequence[np.ndarray], *, op: str = "sum", seed: int = 0
) -> list[np.ndarray | None]:
    """Runs a schedule in this process, all ranks at once, and returns what each rank ends up with.

    bcast: `data` is the root's array; every rank gets a copy.
    reduce: `data` has one array per rank; the root gets them combined by `op` ('sum', 'prod', 'max', 'min'), the
    others None.
    seed draws the interleaving of the ranks; the result never depends on it.
    Raises AllportError when the schedule cannot finish, or reads or writes outside its buffers.
    """
    ranks, empty = schedule.ranks, bytes(schedule.bytes)
    if schedule.collective == "bcast":
        sent = _checked(schedule, data, "data")
        outputs = [sent.tobytes() if r == schedule.root else empty for r in range(ranks)]
        got = _native.interpret(schedule, [b""] * ranks, outputs, op, sent.dtype.str, seed)
        return [np.frombuffer(b, dtype=sent.dtype).reshape(sent.shape).copy() for b in got]
    if schedule.collective == "reduce":
        if len(data) != ranks:
            raise AllportError(f"data: has {len(data)} arrays; expected one per rank, {ranks}")
        parts = [_checked(schedule, a, f"data[{r}]") for r, a in enumerate(data)]
        first = parts[0]
        if any(p.dtype != first.dtype or p.shape != first.shape for p in parts):
            raise AllportError("data: expected arrays of one shape and type on all ranks")
        outputs = [empty if r == schedule.root else b"" for r in range(ranks)]
        got = _native.interpret(schedule, [p.tobytes() for p in parts], outputs, op, first.dtype.str, seed)
        whole = np.frombuffer(got[schedule.root], dtype=first.dtype).reshape(first.shape).copy()
        return [whole if r == schedule.root else None for r in range(ranks)]
    raise AllportError(f"schedule: cannot interpret a {schedule.collective} on arrays yet")
