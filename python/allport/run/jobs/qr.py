"""The job of `allport run qr`: a matrix file in, R and optionally Q out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from allport import io
from allport.io import MatrixFile, inspect, working_dtype
from allport.linalg.gemm import gemm
from allport.linalg.matrix import DistributedMatrix
from allport.linalg.qr import qr
from allport.linalg.solve import norm
from allport.machine import Machine
from allport.plan import qr as plan_qr
from allport.reports import last_report
from allport.run.job import Laps, TiledJob, agree, finite, load

if TYPE_CHECKING:
    from allport._native import QrPlan
    from allport.comm import Communicator


def quality(a: DistributedMatrix, q: DistributedMatrix, r: DistributedMatrix) -> dict[str, float | None]:
    """residual, ||A - Q R||_1 / (||A||_1 m eps), and orthogonality, ||I - Q^H Q||_1 / (m eps), eps being half the
    distance from 1 to the next number; 0 for empty matrices, None if not finite. Collective."""
    m, k = q.shape
    unit = m * float(np.finfo(a.dtype).eps) / 2
    if k == 0:
        return {"residual": 0.0, "orthogonality": 0.0}
    wrong, size = norm(gemm(q, r, a, alpha=-1, beta=1), 1), norm(a, 1)
    gram = gemm(q.H, q)
    gram.local[...] -= DistributedMatrix.eye(a.comm, k, a.dtype, gram.distribution).local
    found = {"residual": wrong / (size * unit) if size else wrong, "orthogonality": norm(gram, 1) / unit}
    return {name: finite(value) for name, value in found.items()}


@dataclass(kw_only=True)
class QrJob(TiledJob):
    """A = Q R of a matrix file; out: R. q_out: Q's first min(m, n) columns. check_residual: reads A again."""

    kind = "qr"

    q_out: str | None = None
    check_residual: bool = True

    def files(self) -> MatrixFile:
        """A's header."""
        return inspect(self.a, "A")

    def plan(self, machine: Machine, files: MatrixFile) -> QrPlan:
        """The factorization's plan."""
        m, n = files.shape
        return plan_qr(m, n, machine, dtype=working_dtype(files.dtype), options=self.fixed())

    def check_output(self) -> None:
        """Raises if R, Q or the trace cannot be written."""
        super().check_output()
        if self.q_out is not None:
            io.check_output(self.q_out)

    def memory_per_rank(self, planned: QrPlan, files: MatrixFile, machine: Machine) -> int:
        """Memory of the factorization, with Q and R; the check holds A, Q, R and two products at the same time."""
        m, n = files.shape
        k = min(m, n)
        size = working_dtype(files.dtype).itemsize
        factors = (k * n + (3 * m * k if self._wants_q() else 0)) * size // machine.ranks
        check = (2 * m * n + m * k + k * n + 2 * k * k) * size // machine.ranks
        return max(planned.memory + factors, check if self.check_residual else 0)

    def _wants_q(self) -> bool:
        return self.check_residual or self.q_out is not None

    def execute(self, comm: Communicator, progress: Callable[[int, int], None] | None = None) -> dict[str, Any]:
        """Loads, factors, checks, saves."""
        laps = Laps()
        job, file, planned = agree(self, comm)
        dtype, where = working_dtype(file.dtype), planned.distribution
        matrix = load(file, comm, where, dtype)
        laps.done("load")
        mode = "reduced" if job._wants_q() else "r"
        result = qr(matrix, mode, comm=comm, overwrite_a=True, options=job.tuned(planned, progress))
        report = last_report()
        q, r = result if mode == "reduced" else (None, result)
        laps.done("qr")
        job.write_trace(report.records, comm, f"QR of {file.name}")
        found: dict[str, float | None] = {"residual": None, "orthogonality": None}
        if q is not None and job.check_residual:
            found = quality(load(file, comm, where, dtype), q, r)
        laps.done("check")
        r.save(job.out)
        if q is not None and job.q_out is not None:
            q.save(job.q_out)
        laps.done("save")
        return {
            "plan": planned.to_dict(),
            "report": report.to_dict(),
            "checked": job.check_residual,
            **found,
            "trace": job.trace,
            "output": {"path": job.out, "q_path": job.q_out, "shape": list(r.shape), "dtype": str(dtype)},
            "seconds": laps.seconds,
        }
