"""The job of `allport run cholesky`: a matrix file in, its factor out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from allport.errors import failure
from allport.io import MatrixFile, ensure_writable, inspect, working_dtype
from allport.machine import Machine
from allport.plan import plan_cholesky
from allport.positive_definite import cholesky
from allport.run.job import Job, Laps, agree, finite, load

if TYPE_CHECKING:
    from allport._native import CholeskyPlan
    from allport.comm import Communicator


@dataclass(kw_only=True)
class CholeskyJob(Job):
    """A = L L^H or U^H U of a matrix file; out: the factor as a matrix. check_residual: A is read again for it.

    trace: what every task and message did goes there, as a Chrome trace.
    """

    kind = "cholesky"
    doing = "factoring"

    a: str
    uplo: str = "L"
    nb: int = 0
    workers: int = 1
    check_residual: bool = True
    trace: str | None = None

    def files(self) -> MatrixFile:
        """A's head."""
        return inspect(self.a, "A")

    def check_output(self) -> None:
        """The factor's file, and the trace's."""
        super().check_output()
        if self.trace is not None:
            ensure_writable(self.trace, "trace")

    def plan(self, machine: Machine, files: MatrixFile) -> CholeskyPlan:
        """The factorization's plan."""
        rows, cols = files.shape
        if rows != cols:
            raise failure(f"A '{files.name}': is {rows} x {cols}; expected a square matrix")
        ways: dict[str, Any] = {"grid": self.grid, "order": self.order, "nb": self.nb, "workers": self.workers}
        return plan_cholesky(
            rows, machine, dtype=working_dtype(files.dtype), uplo=self.uplo, memory=self.memory, **ways
        )

    def memory_per_rank(self, planned: CholeskyPlan, files: MatrixFile, machine: Machine) -> int:
        """Of the factorization; the check holds A, L and their product at once."""
        whole = files.shape[0] ** 2 * working_dtype(files.dtype).itemsize // machine.ranks
        return max(planned.memory, 5 * whole if self.check_residual else 0)

    def execute(self, comm: Communicator, progress: Callable[[int, int], None] | None = None) -> dict[str, Any]:
        """Loads, factors, checks, saves."""
        laps = Laps()
        job, file, planned = agree(self, comm)
        dtype, where = working_dtype(file.dtype), planned.distribution
        matrix = load(file, comm, where, dtype)
        laps.done("load")
        ways: dict[str, Any] = {"nb": planned.nb, "workers": job.workers, "record": job.trace is not None}
        ways["progress"] = progress
        factors, report = cholesky(matrix, uplo=job.uplo, comm=comm, overwrite=True, report=True, **ways)
        factors.clear_other_triangle()
        laps.done("cholesky")
        job.write_trace(job.trace, report.records, comm, f"Cholesky of {file.name}")
        residual = factors.residual(load(file, comm, where, dtype)) if job.check_residual else None
        laps.done("check")
        factors.factor.save(job.out)
        laps.done("save")
        return {
            "plan": planned.to_dict(),
            "report": report.to_dict(),
            "checked": job.check_residual,
            "residual": finite(residual),
            "trace": job.trace,
            "output": {"path": job.out, "shape": list(factors.shape), "dtype": str(dtype)},
            "seconds": laps.seconds,
        }
