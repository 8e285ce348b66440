"""The job of `allport run lu`: a matrix file in, its factors and pivots out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from allport.io import MatrixFile, inspect, working_dtype
from allport.linalg import lu_file
from allport.linalg.lu import lu
from allport.machine import Machine
from allport.options import Options
from allport.plan import check_growth_bound
from allport.plan import lu as plan_lu
from allport.run.job import Job, Laps, agree, finite, load

if TYPE_CHECKING:
    from allport._native import LuPlan
    from allport.comm import Communicator


@dataclass(kw_only=True)
class FactorJob(Job):
    """The base of jobs that factor a matrix file by LU."""

    doing = "factoring"

    a: str
    pivoting: str = "tournament"
    panel: int = 0
    nb: int = 0
    outer_panel: int = 0
    tree: str | None = None
    growth_bound: float | None = None
    fall_back: bool = False

    def plan_of(self, shape: tuple[int, int], dtype: Any, machine: Machine) -> LuPlan:
        """The factorization's plan."""
        check_growth_bound(self.growth_bound, self.fall_back)
        return plan_lu(
            *shape,
            machine,
            dtype=dtype,
            options=Options(
                pivoting=self.pivoting,
                algorithm=self.algorithm,
                grid=self.grid,
                order=self.order,
                panel=self.panel,
                nb=self.nb,
                outer_panel=self.outer_panel,
                memory=self.memory,
                tree=self.tree,
            ),
        )


@dataclass(kw_only=True)
class LuJob(FactorJob):
    """P A = L U of a matrix file; out: an .npz file of factors and pivots. check_residual: reads A again."""

    kind = "lu"

    check_residual: bool = True

    def files(self) -> MatrixFile:
        """A's header."""
        return inspect(self.a, "A")

    def plan(self, machine: Machine, files: MatrixFile) -> LuPlan:
        """The factorization's plan."""
        return self.plan_of(files.shape, working_dtype(files.dtype), machine)

    def check_output(self) -> None:
        """Raises if the factors cannot be written."""
        lu_file.check(self.out)

    def execute(self, comm: Communicator, progress: Callable[[int, int], None] | None = None) -> dict[str, Any]:
        """Loads, factors, checks, saves."""
        laps = Laps()
        job, file, planned = agree(self, comm)
        dtype, where = working_dtype(file.dtype), planned.distribution
        matrix = load(file, comm, where, dtype)
        laps.done("load")
        how = Options(growth_bound=job.growth_bound, fall_back=job.fall_back, progress=progress)
        factors = lu(matrix, comm=comm, plan=planned, overwrite_a=True, options=how)
        report = factors.report
        laps.done("lu")
        residual = factors.residual(load(file, comm, where, dtype)) if job.check_residual else None
        laps.done("check")
        factors.save(job.out)
        laps.done("save")
        more = {"checked": job.check_residual, "residual": finite(residual)}
        return job.outcome(planned, report, laps, factors.shape, dtype, **more)
