"""The main job: two matrix files in, their product out. `python -m allport.job JSON` is one of its ranks."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from allport.errors import failure
from allport.io import MatrixFile, check_output, inspect, read, working_dtype
from allport.machine import Machine
from allport.units import format_bytes, parse_bytes

if TYPE_CHECKING:
    from allport._native import GemmPlan
    from allport.comm import Communicator

__all__ = ["GemmJob", "check", "execute", "machine_for"]


@dataclass
class GemmJob:
    """out = alpha op(a) op(b) + beta c_in, all of them files."""

    a: str
    b: str
    out: str
    c_in: str | None = None
    machine: str | None = None
    ranks: int | None = None
    algorithm: str | None = None
    grid: str | None = None
    panel: int = 0
    memory: str | None = None
    alpha: tuple[float, float] = (1.0, 0.0)
    beta: tuple[float, float] = (0.0, 0.0)
    trans_a: str = "N"
    trans_b: str = "N"

    @property
    def scale(self) -> complex:
        """alpha."""
        return complex(*self.alpha)

    @property
    def keep(self) -> complex:
        """beta."""
        return complex(*self.beta)


def machine_for(spec: str | None, ranks: int | None, default: int) -> Machine:
    """The machine of a run, and the ranks that fill it. Raises when more or fewer ranks are asked for than it has."""
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


def _files(job: GemmJob) -> tuple[MatrixFile, MatrixFile, MatrixFile | None]:
    return inspect(job.a), inspect(job.b), inspect(job.c_in) if job.c_in else None


def plan(
    job: GemmJob, machine: Machine, files: tuple[MatrixFile, MatrixFile, MatrixFile | None], **more: Any
) -> GemmPlan:
    """The plan of a job; checks shapes and types on the way."""
    from allport.linalg import plan_gemm, problem_of

    a, b, c = files
    if job.keep != 0 and c is None:
        raise failure("beta: is not 0, so C must be given; pass --c-in C0.npy")
    m, n, k = problem_of(a.shape, b.shape, None if c is None else c.shape, job.trans_a, job.trans_b)
    return plan_gemm(
        m,
        n,
        k,
        machine,
        dtype=dtype_of(job, files),
        trans_a=job.trans_a,
        trans_b=job.trans_b,
        algorithm=job.algorithm,
        grid=job.grid,
        panel=job.panel,
        memory=job.memory,
        **more,
    )


def dtype_of(job: GemmJob, files: tuple[MatrixFile, MatrixFile, MatrixFile | None]) -> Any:
    """The type that the job computes in."""
    dtypes = [f.dtype for f in files if f is not None]
    is_complex = job.scale.imag != 0 or job.keep.imag != 0
    return working_dtype(*dtypes, *(["c8"] if is_complex else []))


def check(job: GemmJob, machine: Machine) -> tuple[GemmPlan, tuple[MatrixFile, MatrixFile, MatrixFile | None]]:
    """Everything that can be found wrong before ranks are started: files, shapes, types, output, memory, plan."""
    files = _files(job)
    check_output(job.out)
    if job.memory:
        parse_bytes(job.memory, "memory")
    planned = plan(job, machine, files)
    _ensure_room(planned, machine)
    return planned, files


def decided(job: GemmJob, planned: GemmPlan) -> GemmJob:
    """The job with its choices made: planning it again looks at one candidate, not at all of them."""
    chosen = planned.to_dict()["chosen"]
    grid = "x".join(str(g) for g in chosen["grid"])
    return replace(job, algorithm=chosen["algorithm"], grid=grid, panel=chosen["panel"])


def _ensure_room(planned: GemmPlan, machine: Machine) -> None:
    """All ranks of one computer share its memory; what does not fit would be killed half-way."""
    if "ALLPORT_MPIEXEC" in os.environ or not hasattr(os, "sysconf"):
        return
    had = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    had = max(had, _available())
    needed = planned.memory * machine.ranks
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


def execute(job: GemmJob, comm: Communicator, progress: Callable[[int, int], None] | None = None) -> dict[str, Any]:
    """Loads, multiplies, saves; called by all ranks. Returns {plan, report, output, seconds} on each."""
    from allport import linalg
    from allport.errors import together

    began = time.perf_counter()
    first: Any = None
    planned: Any = None
    files: Any = None
    with together(comm):
        files = _files(job)
        if comm.rank == 0:
            first = plan(job, comm.machine, files)
    job = comm.mpi4py.bcast(decided(job, first) if first is not None else None)
    with together(comm):
        planned = plan(job, comm.machine, files)
    dtype = dtype_of(job, files)
    a, b, c = files
    local_a, local_b = read(a, comm, planned.a, dtype), read(b, comm, planned.b, dtype)
    old = (
        linalg.DistributedMatrix(comm, planned.c, read(c, comm, planned.c, dtype))
        if c is not None and job.keep
        else None
    )
    loaded = time.perf_counter()
    product, report = linalg.gemm(
        linalg.DistributedMatrix(comm, planned.a, local_a),
        linalg.DistributedMatrix(comm, planned.b, local_b),
        alpha=job.scale,
        beta=job.keep,
        c=old,
        trans_a=job.trans_a,
        trans_b=job.trans_b,
        comm=comm,
        plan=planned,
        progress=progress,
        report=True,
    )
    multiplied = time.perf_counter()
    product.save(job.out)
    ended = time.perf_counter()
    return {
        "plan": (first or planned).to_dict(),
        "report": report.to_dict(),
        "output": {"path": job.out, "shape": list(product.shape), "dtype": str(dtype)},
        "seconds": {"load": loaded - began, "gemm": multiplied - loaded, "save": ended - multiplied},
    }


def join(job: GemmJob, progress: Callable[[int, int], None] | None = None) -> tuple[Communicator, dict[str, Any]]:
    """Runs a job on the ranks of MPI_COMM_WORLD, which are there already."""
    from allport.comm import MPI, Communicator

    machine = machine_for(job.machine, None, MPI.COMM_WORLD.size)
    comm = Communicator(MPI.COMM_WORLD, machine)
    return comm, execute(job, comm, progress if comm.rank == 0 else None)


def leave_together(patience: float = 5.0) -> None:
    """Waits for the other ranks to fail, too; when they do not, the error is this rank's alone and ends the job.

    A rank that left at once would make mpiexec kill the others, and with them the one that says why.
    """
    from mpi4py import MPI

    if not MPI.Is_initialized() or MPI.Is_finalized():
        return
    sys.stdout.flush()
    sys.stderr.flush()
    others = MPI.COMM_WORLD.Ibarrier()
    end = time.monotonic() + patience
    while not others.Test():
        if time.monotonic() > end:
            MPI.COMM_WORLD.Abort(1)
        time.sleep(0.01)


def _work(text: str) -> dict[str, Any]:
    from allport.launch import emit

    values = json.loads(text)
    _, result = join(
        GemmJob(**{**values, "alpha": tuple(values["alpha"]), "beta": tuple(values["beta"])}),
        lambda done, total: emit(rank=0, done=done, total=total),
    )
    return result


def as_json(job: GemmJob) -> dict[str, Any]:
    """The job as its ranks are told it."""
    return asdict(job)


if __name__ == "__main__":
    from allport.launch import as_rank

    sys.exit(as_rank(lambda: _work(sys.argv[1])))
