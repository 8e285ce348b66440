"""The base of jobs: they read and write matrix files, and are planned and checked before ranks are started.

The kinds of jobs are in allport.run.jobs, and `python -m allport.run.jobs JSON` is one of a job's ranks.
"""

from __future__ import annotations

import math
import os
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from allport import io
from allport.errors import failure, together
from allport.linalg.matrix import DistributedMatrix
from allport.machine import Machine
from allport.options import Options
from allport.plan import decisions, plan_together
from allport.tasks import timeline
from allport.units import format_bytes

if TYPE_CHECKING:
    from allport._native import CholeskyPlan, Distribution, QrPlan
    from allport.comm import Communicator
    from allport.io import MatrixFile

__all__ = [
    "Job",
    "Laps",
    "TiledJob",
    "agree",
    "ensure_finite",
    "ensure_room",
    "finite",
    "join",
    "load",
    "machine_for",
]


class Laps:
    """Times the parts of a run, one after the other, from its construction on. seconds: by part, in order."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._last = time.perf_counter()

    def done(self, part: str) -> None:
        """Ends a part and starts the next one."""
        now = time.perf_counter()
        self.seconds[part] = now - self._last
        self._last = now


def finite(x: float | None) -> float | None:
    """x, or None if it is not finite, which JSON cannot express."""
    return x if x is not None and math.isfinite(x) else None


def ensure_finite(name: str, local: np.ndarray, comm: Communicator, where: Callable[[], str | None]) -> None:
    """Raises Error on all ranks unless all elements of a file are finite. where: describes this rank's first one that
    is not; None if it is in a triangle that is not read."""
    with together(comm):
        if not np.isfinite(local).all() and (found := where()) is not None:
            raise failure(
                f"'{name}': {found}; expected finite numbers: replace those for which numpy.isfinite is false", "io"
            )


def load(
    file: MatrixFile, comm: Communicator, distribution: Distribution, dtype: Any, triangle: str = ""
) -> DistributedMatrix:
    """Reads a distributed matrix from its file. triangle: 'L' or 'U' if only that one is used. Collective; raises as
    io.read() does, and if an element is not finite."""
    local = io.read(file, comm, distribution, dtype)

    def first() -> str | None:
        for (row, _), (column, _), at in io.boxes(distribution, comm.rank):
            i, j = np.nonzero(~np.isfinite(local[at]))
            below = (i + row) - (j + column)
            read = below >= 0 if triangle == "L" else below <= 0 if triangle == "U" else below == below
            for r, c in zip(i[read], j[read], strict=True):
                return f"element [{r + row}, {c + column}], counted from 0, is {local[at][r, c]}"
        return None

    ensure_finite(file.name, local, comm, first)
    return DistributedMatrix(comm, distribution, local)


@dataclass(kw_only=True)
class Job:
    """A job on files. Subclasses set the kind's name and the text shown while it runs, and implement the methods
    below."""

    kind: ClassVar[str]
    doing: ClassVar[str]

    out: str
    machine: str | None = None
    ranks: int | None = None
    algorithm: str | None = None
    grid: str | tuple[int, ...] | None = None
    order: str | None = None
    memory: str | None = None

    def files(self) -> Any:
        """The headers of the input files. Raises if one cannot be used."""
        raise NotImplementedError

    def plan(self, machine: Machine, files: Any) -> Any:
        """The plan of the job; checks shapes and types."""
        raise NotImplementedError

    def check_output(self) -> None:
        """Raises if the output cannot be written."""
        io.check_output(self.out)

    def memory_per_rank(self, planned: Any, files: Any, machine: Machine) -> int:
        """Upper limit of the bytes that a rank needs."""
        return planned.memory

    def check(self, machine: Machine) -> Any:
        """Checks everything that can be checked before ranks are started; returns the plan."""
        files = self.files()
        self.check_output()
        planned = self.plan(machine, files)
        ensure_room(self.memory_per_rank(planned, files, machine), machine)
        return planned

    def decided(self, planned: Any) -> Job:
        """The job with fixed choices, so that its ranks make the same plan without a search."""
        return replace(self, **decisions(planned))

    def execute(self, comm: Communicator, progress: Callable[[int, int], None] | None = None) -> dict[str, Any]:
        """Loads, computes, saves. Collective. Returns {plan, report, output, seconds, ...} on each rank."""
        raise NotImplementedError

    def outcome(
        self, planned: Any, report: Any, laps: Laps, shape: Sequence[int], dtype: Any, **more: Any
    ) -> dict[str, Any]:
        """The result of execute(). shape, dtype: of the output; more: entries of the kind beside its report."""
        return {
            "plan": planned.to_dict(),
            "report": report.to_dict(),
            **more,
            "output": {"path": self.out, "shape": list(shape), "dtype": str(dtype)},
            "seconds": laps.seconds,
        }

    def to_dict(self) -> dict[str, Any]:
        """The job in the form that is sent to its ranks."""
        return {"kind": self.kind, **asdict(self)}


@dataclass(kw_only=True)
class TiledJob(Job):
    """The base of jobs that factor a matrix file in tiles.

    trace: file for a Chrome trace of the factorization's tasks and messages.
    """

    doing = "factoring"

    a: str
    nb: int = 0
    workers: int = 1
    trace: str | None = None

    def check_output(self) -> None:
        """Raises if the output or the trace cannot be written."""
        super().check_output()
        if self.trace is not None:
            io.ensure_writable(self.trace, "trace")

    def fixed(self) -> Options:
        """The options that are fixed for the plan."""
        return Options(grid=self.grid, order=self.order, nb=self.nb, workers=self.workers, memory=self.memory)

    def tuned(self, planned: CholeskyPlan | QrPlan, progress: Callable[[int, int], None] | None) -> Options:
        """The options of the run."""
        record = self.trace is not None
        return Options(nb=planned.nb, workers=self.workers, record=record, progress=progress)

    def write_trace(self, records: Any, comm: Communicator, title: str) -> None:
        """Rank 0 writes the recorded run of all ranks as a Chrome trace, if one was requested. Collective."""
        if self.trace is None:
            return
        ran = timeline(records, comm, title=title)
        with together(comm):
            if ran is not None:
                ran.write_trace(self.trace)


def machine_for(spec: str | None, ranks: int | None, default: int) -> Machine:
    """The machine of a run. Raises if `ranks` differs from its number of ranks."""
    spec = spec or os.environ.get("ALLPORT_MACHINE")
    if ranks is not None and ranks < 1:
        raise failure(f"ranks = {ranks}: expected at least 1")
    if spec is None:
        return Machine.flat(ranks or default)
    machine = Machine.parse(spec)
    if ranks is not None and ranks != machine.ranks:
        more = "more" if ranks > machine.ranks else "fewer"
        raise failure(
            f"ranks = {ranks}: {more} than machine '{spec}' has, {machine.ranks} "
            f"({machine.nodes} nodes x {machine.ranks_per_node}); leave -n out, or name a machine of {ranks} ranks",
            "machine",
        )
    return machine


def ensure_room(per_rank: int, machine: Machine) -> None:
    """Raises Error if the ranks on this computer need more than its free memory; the kernel would kill them during the
    run."""
    if "ALLPORT_MPIEXEC" in os.environ or not hasattr(os, "sysconf"):
        return
    had = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    had = max(had, _available())
    needed = per_rank * machine.ranks
    if needed > had:
        raise failure(
            f"memory: {machine.ranks} ranks need {needed} bytes ({format_bytes(needed)}) here and {had} "
            f"({format_bytes(had)}) are free; use fewer ranks, more nodes (ALLPORT_MPIEXEC) or float32",
            "memory",
        )


def _available() -> int:
    try:
        with open("/proc/meminfo") as info:
            return next(int(line.split()[1]) * 1024 for line in info if line.startswith("MemAvailable"))
    except (OSError, StopIteration):
        return 0


def agree(job: Any, comm: Communicator) -> tuple[Any, Any, Any]:
    """(job, files, plan) of rank 0, on all ranks. Only the plan on rank 0 has all candidates."""
    job = comm.mpi4py.bcast(job)
    files: Any = None
    with together(comm):
        files = job.files()
        job.check_output()
    return job, files, plan_together(comm, lambda **taken: replace(job, **taken).plan(comm.machine, files))


def join(job: Job, progress: Callable[[int, int], None] | None = None) -> tuple[Communicator, dict[str, Any]]:
    """Runs a job on the existing ranks of MPI_COMM_WORLD."""
    from allport.comm import MPI, Communicator

    machine = machine_for(job.machine, None, MPI.COMM_WORLD.size)
    comm = Communicator(MPI.COMM_WORLD, machine)
    with warnings.catch_warnings():
        warnings.showwarning = lambda message, *_: print(f"allport: warning: {message}", file=sys.stderr, flush=True)
        return comm, job.execute(comm, progress if comm.rank == 0 else None)
