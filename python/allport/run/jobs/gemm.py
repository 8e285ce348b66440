"""The job of `allport run gemm`: two matrix files in, their product out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from allport.errors import failure
from allport.io import MatrixFile, inspect, working_dtype
from allport.linalg import gemm as products
from allport.linalg.matrix import op
from allport.machine import Machine
from allport.options import Options
from allport.plan import gemm as plan_gemm
from allport.plan import problem_of
from allport.reports import last_report
from allport.run.job import Job, Laps, agree, load

if TYPE_CHECKING:
    from allport._native import GemmPlan
    from allport.comm import Communicator

Files = tuple[MatrixFile, MatrixFile, MatrixFile | None]


@dataclass(kw_only=True)
class GemmJob(Job):
    """out = alpha op(a) op(b) + beta c_in, all of them files. alpha, beta: (real, imaginary); trans: for a and b."""

    kind = "gemm"
    doing = "multiplying"

    a: str
    b: str
    c_in: str | None = None
    panel: int = 0
    alpha: tuple[float, float] = (1.0, 0.0)
    beta: tuple[float, float] = (0.0, 0.0)
    trans: str = "NN"
    tree: str | None = None

    @property
    def scale(self) -> complex:
        """alpha."""
        return complex(*self.alpha)

    @property
    def keep(self) -> complex:
        """beta."""
        return complex(*self.beta)

    def files(self) -> Files:
        """a, b and c_in."""
        return inspect(self.a, "A"), inspect(self.b, "B"), inspect(self.c_in, "C0") if self.c_in else None

    def dtype(self, files: Files) -> Any:
        """The type of the computation."""
        dtypes = [f.dtype for f in files if f is not None]
        is_complex = self.scale.imag != 0 or self.keep.imag != 0
        return working_dtype(*dtypes, *(["c8"] if is_complex else []))

    def plan(self, machine: Machine, files: Files) -> GemmPlan:
        """The plan of the job; checks shapes and types."""
        a, b, c = files
        if self.keep != 0 and c is None:
            raise failure("beta: is not 0, so C must be given; pass --c-in C0.npy")
        m, n, k = problem_of(a.shape, b.shape, None if c is None else c.shape, self.trans)
        return plan_gemm(
            m,
            n,
            k,
            machine,
            dtype=self.dtype(files),
            trans=self.trans,
            options=Options(
                algorithm=self.algorithm,
                grid=self.grid,
                order=self.order,
                panel=self.panel,
                memory=self.memory,
                tree=self.tree,
            ),
        )

    def execute(self, comm: Communicator, progress: Callable[[int, int], None] | None = None) -> dict[str, Any]:
        """Loads, multiplies, saves."""
        laps = Laps()
        job, files, planned = agree(self, comm)
        dtype = job.dtype(files)
        a, b, c = files
        left, right = load(a, comm, planned.a, dtype), load(b, comm, planned.b, dtype)
        old = load(c, comm, planned.c, dtype) if c is not None and job.keep else None
        laps.done("load")
        product = products.gemm(
            op(left, job.trans[0]),
            op(right, job.trans[1]),
            old,
            alpha=job.scale,
            beta=job.keep,
            comm=comm,
            plan=planned,
            options=Options(overwrite_c=True, progress=progress),
        )
        report = last_report()
        laps.done("gemm")
        product.save(job.out)
        laps.done("save")
        return job.outcome(planned, report, laps, product.shape, dtype)
