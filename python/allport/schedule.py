"""Schedules as data, and the interpreter that is the reference for every executor."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from allport import _native
from allport._native import Contract, Cut, Machine, Op, Piece, Program, Schedule, Slot, Traffic
from allport.errors import Error
from allport.io import replacing
from allport.machine import as_machine

__all__ = [
    "Contract",
    "Cut",
    "Op",
    "Piece",
    "Program",
    "Schedule",
    "Slot",
    "Traffic",
    "export_goal",
    "export_msccl",
    "import_goal",
    "interpret",
]


def _checked(schedule: Schedule, array: object, what: str) -> np.ndarray:
    a = np.ascontiguousarray(array)
    if a.dtype.hasobject:
        raise Error(f"{what}: expected numbers, got an array of Python objects")
    if a.nbytes != schedule.bytes:
        raise Error(f"{what}: has {a.nbytes} bytes; the schedule moves {schedule.bytes}")
    return a


def interpret(
    schedule: Schedule, data: np.ndarray | Sequence[np.ndarray], *, op: str = "sum", seed: int = 0
) -> list[np.ndarray | None]:
    """Runs a schedule in this process, all ranks at once, and returns what each rank ends up with.

    bcast: `data` is the root's array; every rank gets a copy, of a multicast the root and the targets, the others None.
    reduce: `data` has one array per rank; the root gets them combined by `op` ('sum', 'prod', 'max', 'min'), the
    others None.
    seed draws the interleaving of the ranks; the result never depends on it.
    Raises Error when the schedule cannot finish, or reads or writes outside its buffers.
    """
    ranks, empty = schedule.ranks, bytes(schedule.bytes)
    if schedule.collective == "bcast":
        sent = _checked(schedule, data, "data")
        outputs = [sent.tobytes() if r == schedule.root else empty for r in range(ranks)]
        got = _native.interpret(schedule, [b""] * ranks, outputs, op, sent.dtype.str, seed)
        wanted = range(ranks) if schedule.targets is None else {schedule.root, *schedule.targets}
        whole = [np.frombuffer(b, dtype=sent.dtype).reshape(sent.shape).copy() for b in got]
        return [a if r in wanted else None for r, a in enumerate(whole)]
    if schedule.collective == "reduce":
        if len(data) != ranks:
            raise Error(f"data: has {len(data)} arrays; expected one per rank, {ranks}")
        parts = [_checked(schedule, a, f"data[{r}]") for r, a in enumerate(data)]
        first = parts[0]
        if any(p.dtype != first.dtype or p.shape != first.shape for p in parts):
            raise Error("data: expected arrays of one shape and type on all ranks")
        outputs = [empty if r == schedule.root else b"" for r in range(ranks)]
        got = _native.interpret(schedule, [p.tobytes() for p in parts], outputs, op, first.dtype.str, seed)
        whole = np.frombuffer(got[schedule.root], dtype=first.dtype).reshape(first.shape).copy()
        return [whole if r == schedule.root else None for r in range(ranks)]
    raise Error(f"schedule: cannot interpret a {schedule.collective} on arrays yet")


def _costs(machine: Machine | str | None) -> tuple[float, float]:
    return (0.0, 0.0) if machine is None else _native.exchange_costs(as_machine(machine))


def _write(file: str | os.PathLike[str], write: Callable[[str, str], None]) -> None:
    """write gets the path to write to, and the name for errors."""
    path = Path(file)
    with replacing(path, str(path)) as aside:
        write(str(aside), str(path))


def export_goal(
    schedule: Schedule,
    file: str | os.PathLike[str],
    *,
    machine: Machine | str | None = None,
    most_segments: int = 20_000_000,
) -> None:
    """Writes a schedule as GOAL text, which LogGOPSim and its kin read: one send, recv or calc per segment.

    machine: its rates give the nanoseconds of operators and copies; without one these are 0.
    Comments keep what GOAL cannot say, so import_goal gives an equal schedule back. See docs/reference/exchange.md.
    Raises Error when there are more than most_segments segments, or the file cannot be written.
    """
    operators, copies = _costs(machine)
    _write(file, lambda path, name: _native.export_goal(schedule, path, name, operators, copies, most_segments))


def import_goal(file: str | os.PathLike[str], *, machine: Machine | str | None = None) -> Schedule:
    """Reads GOAL text: the schedule that export_goal wrote, operation for operation, or one from elsewhere.

    One from elsewhere has collective 'none': it can be simulated and its programs be read, but there is no promise to
    prove. machine: its rate of copies; a `calc` becomes a copy that takes as long, and is refused without a machine.
    Raises Error 'FILE:LINE: expected ..., got ...'.
    """
    return _native.import_goal(str(file), str(file), _costs(machine)[1])


def export_msccl(
    schedule: Schedule,
    file: str | os.PathLike[str],
    *,
    channels: int = 32,
    peers: int = 32,
    blocks: int = 128,
    steps: int = 64,
    count: int = 71,
    chunks: int = 32768,
) -> None:
    """Writes a schedule as MSCCL XML, which Microsoft's collective communication library runs on GPUs.

    channels, peers (connections of a GPU, channel and direction), blocks (threadblocks of a GPU), steps (of a
    threadblock), count (chunks in a step), chunks (in a buffer): what the reader takes; msccl-executor-nccl's unless
    given, older MSCCL has 256 steps.
    Raises Error naming what MSCCL cannot express: barriers, blocks of different lengths, 0 bytes, or more than
    these limits.
    """
    limits = _native.MscclLimits(channels=channels, peers=peers, blocks=blocks, steps=steps, count=count, chunks=chunks)
    _write(file, lambda path, name: _native.export_msccl(schedule, path, name, limits))
