"""The job of `allport run lstsq`: a matrix file and right-hand sides in, the least squares solution out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from allport.errors import failure
from allport.io import MatrixFile, inspect, working_dtype
from allport.linalg.distributions import square_distribution
from allport.linalg.qr import lstsq
from allport.machine import Machine
from allport.plan import qr as plan_qr
from allport.reports import last_report
from allport.run.job import Laps, TiledJob, agree, load
from allport.run.jobs.solve import is_vector, save_like

if TYPE_CHECKING:
    from allport._native import QrPlan
    from allport.comm import Communicator

Files = tuple[MatrixFile, MatrixFile]


@dataclass(kw_only=True)
class LstsqJob(TiledJob):
    """out = the x that minimizes ||b - a x||, or its own norm where a has more columns than rows; all of them files."""

    kind = "lstsq"

    b: str

    def files(self) -> Files:
        """a and b."""
        return inspect(self.a, "A"), inspect(self.b, "B")

    def dtype(self, files: Files) -> np.dtype:
        """The type of the computation."""
        return working_dtype(*(f.dtype for f in files))

    def plan(self, machine: Machine, files: Files) -> QrPlan:
        """The plan for A, or for A^H if A has more columns than rows; checks shapes."""
        a, b = files
        if b.shape[0] != a.shape[0]:
            raise failure(f"B '{b.name}': has {b.shape[0]} rows; expected {a.shape[0]}, as many as A")
        m, n = a.shape
        return plan_qr(max(m, n), min(m, n), machine, dtype=self.dtype(files), options=self.fixed())

    def memory_per_rank(self, planned: QrPlan, files: Files, machine: Machine) -> int:
        """Memory of the factorization, of A^H if it is factored, of b and x in two distributions, and of R twice."""
        (m, n), columns = files[0].shape, files[1].shape[1]
        more = (m * n if m < n else 0) + 2 * min(m, n) ** 2 + 3 * (m + n) * columns
        return planned.memory + more * self.dtype(files).itemsize // machine.ranks

    def execute(self, comm: Communicator, progress: Callable[[int, int], None] | None = None) -> dict[str, Any]:
        """Loads, solves, saves."""
        laps = Laps()
        job, files, planned = agree(self, comm)
        dtype = job.dtype(files)
        spread = square_distribution(files[1].shape, comm.size)
        m, n = files[0].shape
        where = planned.distribution if m >= n else square_distribution((m, n), comm.size)
        a, b = load(files[0], comm, where, dtype), load(files[1], comm, spread, dtype)
        laps.done("load")
        x = lstsq(a, b, comm=comm, overwrite_a=True, options=job.tuned(planned, progress))
        report = last_report()
        laps.done("lstsq")
        job.write_trace(report.records, comm, f"Least squares with {files[0].name}")
        shape = save_like(x, job.out, is_vector(files[1]))
        laps.done("save")
        return job.outcome(planned, report, laps, shape, dtype, trace=job.trace)
