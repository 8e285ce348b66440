"""Measures the figures: with MPI, on the simulator, or with any function that runs a schedule."""

from __future__ import annotations

import json
import statistics
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from allport import _native
from allport.errors import failure
from allport.machine import Machine, as_machine
from allport.run.launch import run as launch
from allport.run.links.cases import Case, cases
from allport.run.links.figures import Figure, Point, interval
from allport.run.rank import emit
from allport.schedule import Schedule
from allport.sim import Model, simulate

if TYPE_CHECKING:
    from allport.comm import Communicator

__all__ = [
    "FULL",
    "QUICK",
    "START_BYTES",
    "join",
    "measure",
    "measured_by",
    "run",
    "simulated",
    "transport_name",
    "work",
]

Progress = Callable[[str, float], None]
Timer = Callable[[Schedule], Sequence[float]]
"""Runs a schedule several times; returns the seconds of each run, until the slowest rank has finished."""

QUICK = (1 << 10, 1 << 14, 1 << 17, 1 << 20)
FULL = (*QUICK, 4 << 20)
START_BYTES = 8
REPEATS, QUICK_REPEATS = 15, 7
BUDGET = 2.5  # seconds for the repetitions of one size; three are always run


def _in_short_pieces(chosen: Sequence[Case], bytes: int, timer: Timer) -> bool:
    """Whether messages in both directions are faster in short pieces: over TCP, Open MPI uses a rendezvous for more
    than 64 KiB, whose answer waits behind the other message, as if the link were half-duplex."""
    crossing = next((case for case in chosen if case.directions == "+-" and not case.rounds), None)
    if crossing is None:
        return False
    short, long = (statistics.median(timer(crossing.schedule(bytes, short=pieces))) for pieces in (True, False))
    return short < 0.9 * long


def _points(
    case: Case, sizes: Sequence[int], timer: Timer, short: bool = False
) -> tuple[list[Point], list[Sequence[float]]]:
    timed = [timer(case.schedule(size, short)) for size in sizes]
    points = [Point(size, statistics.median(t), *interval(t)[:2]) for size, t in zip(sizes, timed, strict=True)]
    return points, timed


def _figure(case: Case, sizes: Sequence[int], timer: Timer, short: bool) -> Figure:
    """A figure. A rate is the slope between the two longest sizes, independent of start-up times and token buckets."""
    if case.rounds:
        points, (there_and_back,) = _points(case, (START_BYTES,), timer)
        return Figure.of_samples(case, [t / (2 * case.rounds) for t in there_and_back], points)
    points, timed = _points(case, sizes, timer, short)
    more, longer, shorter = sizes[-1] - sizes[-2], timed[-1], timed[-2]
    slopes = [(a - b) / more for a, b in zip(longer, shorter, strict=False)]
    if min(slopes) <= 0:  # only noise: use the time of the longest message
        slopes = [t / sizes[-1] for t in longer]
    return Figure.of_samples(case, [case.share / slope for slope in slopes], points)


def measured_by(
    machine: Machine | str,
    timer: Timer,
    *,
    sizes: Sequence[int] = QUICK,
    among: Sequence[Case] | None = None,
    progress: Progress | None = None,
) -> list[Figure]:
    """The figures, measured by a function that runs schedules over the machine's ranks. among: some of cases(machine).
    sizes: of messages, ascending, at least two. Raises Error."""
    if len(sizes) < 2 or list(sizes) != sorted(set(sizes)) or sizes[0] < 1:
        raise failure(f"sizes = {list(sizes)}: expected at least two, ascending, from 1 byte on")
    chosen = cases(as_machine(machine)) if among is None else list(among)
    short = _in_short_pieces(chosen, sizes[-2], timer)
    found = []
    for i, case in enumerate(chosen):
        if progress is not None:
            progress(case.what, i / len(chosen))
        found.append(_figure(case, sizes, timer, short))
    return found


def simulated(
    machine: Machine | str,
    *,
    quick: bool = False,
    sharing: str = "fifo",
    overheads: str = "serial",
    among: Sequence[Case] | None = None,
    progress: Progress | None = None,
) -> list[Figure]:
    """The simulator's figures: the exact consequences of a machine file's rates. Raises Error."""
    where = as_machine(machine)

    def timer(schedule: Schedule) -> list[float]:
        return [simulate(schedule, where, model=Model(sharing=sharing, overheads=overheads)).seconds]

    return measured_by(where, timer, sizes=QUICK if quick else FULL, among=among, progress=progress)


def transport_name(on: str) -> str:
    """The transport of the messages, for a machine file's calibration: the MPI library, or the simulator."""
    return str(_native.mpi_library_name()) if on == "mpi" else "Allport's simulator"


def measure(comm: Communicator, *, quick: bool = False, progress: Progress | None = None) -> list[Figure]:
    """The figures measured by the communicator's ranks on its machine. quick: short messages and few repetitions, for
    slow links. progress: called on rank 0. Collective; equal on all ranks. Raises Error."""

    def timer(schedule: Schedule) -> list[float]:
        seconds, _ = _native.measure(comm._native, schedule, QUICK_REPEATS if quick else REPEATS, BUDGET)
        return list(seconds)

    own = progress if comm.rank == 0 else None
    return measured_by(comm.machine, timer, sizes=QUICK if quick else FULL, progress=own)


def join(
    machine: Machine | str | None = None, *, quick: bool = False, progress: Progress | None = None
) -> list[Figure] | None:
    """measure() on the ranks that mpiexec has started; returns the figures on rank 0, None elsewhere."""
    from allport.comm import MPI, Communicator

    comm = Communicator(MPI.COMM_WORLD, machine)
    found = measure(comm, quick=quick, progress=progress)
    return found if comm.rank == 0 else None


def run(machine: Machine | str, *, quick: bool = False, progress: Progress | None = None) -> list[Figure]:
    """measure() on ranks that this process starts, as many as the machine has. Raises Error or JobFailed."""
    where = as_machine(machine)
    job = {"machine": where.to_toml(), "quick": quick}

    def on_event(event: dict[str, Any]) -> None:
        if progress is not None and "phase" in event:
            progress(event["phase"], event["done"])

    result = launch("allport.run.links", job, where.ranks, on_event)
    return [Figure.from_dict(f) for f in result["figures"]]


def work(text: str) -> dict[str, Any] | None:
    """One rank's part of run()."""
    job = json.loads(text)
    found = join(
        Machine.from_toml(job["machine"]),
        quick=job["quick"],
        progress=lambda phase, done: emit(rank=0, phase=phase, done=done),
    )
    return None if found is None else {"figures": [f.to_dict() for f in found]}
