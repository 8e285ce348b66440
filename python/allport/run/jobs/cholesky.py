"""The job of `allport run cholesky`: a matrix file in, its factor out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from allport.errors import failure
from allport.io import MatrixFile, inspect, working_dtype
from allport.linalg.cholesky import cholesky
from allport.machine import Machine
from allport.plan import cholesky as plan_cholesky
from allport.run.job import Laps, TiledJob, agree, finite, load

if TYPE_CHECKING:
    from allport._native import CholeskyPlan
    from allport.comm import Communicator


@dataclass(kw_only=True)
class CholeskyJob(TiledJob):
    """A = U^H U, or L L^H if `lower`, of a matrix file; out: the factor. check_residual: reads A again."""

    kind = "cholesky"

    lower: bool = False
    check_residual: bool = True

    def files(self) -> MatrixFile:
        """A's header."""
        return inspect(self.a, "A")

    def plan(self, machine: Machine, files: MatrixFile) -> CholeskyPlan:
        """The factorization's plan."""
        rows, cols = files.shape
        if rows != cols:
            raise failure(f"A '{files.name}': is {rows} x {cols}; expected a square matrix")
        return plan_cholesky(rows, machine, dtype=working_dtype(files.dtype), lower=self.lower, options=self.fixed())

    def memory_per_rank(self, planned: CholeskyPlan, files: MatrixFile, machine: Machine) -> int:
        """The factorization's memory; the check holds A, L and their product at the same time."""
        whole = files.shape[0] ** 2 * working_dtype(files.dtype).itemsize // machine.ranks
        return max(planned.memory, 5 * whole if self.check_residual else 0)

    def execute(self, comm: Communicator, progress: Callable[[int, int], None] | None = None) -> dict[str, Any]:
        """Loads, factors, checks, saves."""
        laps = Laps()
        job, file, planned = agree(self, comm)
        dtype, where = working_dtype(file.dtype), planned.distribution
        triangle = "L" if job.lower else "U"
        matrix = load(file, comm, where, dtype, triangle)
        laps.done("load")
        how = job.tuned(planned, progress)
        factors = cholesky(matrix, lower=job.lower, comm=comm, overwrite_a=True, options=how)
        report = factors.report
        factors.clear_other_triangle()
        laps.done("cholesky")
        job.write_trace(report.records, comm, f"Cholesky of {file.name}")
        residual = factors.residual(load(file, comm, where, dtype, triangle)) if job.check_residual else None
        laps.done("check")
        factors.factor.save(job.out)
        laps.done("save")
        more = {"checked": job.check_residual, "residual": finite(residual), "trace": job.trace}
        return job.outcome(planned, report, laps, factors.shape, dtype, **more)
