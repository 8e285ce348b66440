"""The job of `allport run solve`: a matrix file and right-hand sides in, the solution out."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from allport.errors import failure, together
from allport.io import MatrixFile, inspect, working_dtype
from allport.linalg import solve as systems
from allport.linalg.distributions import square_distribution
from allport.linalg.matrix import DistributedMatrix
from allport.machine import Machine
from allport.options import Options
from allport.plan import cholesky as plan_cholesky
from allport.reports import last_report
from allport.run.job import Laps, agree, load
from allport.run.jobs.lu import FactorJob

if TYPE_CHECKING:
    from allport._native import CholeskyPlan, LuPlan
    from allport.comm import Communicator

Files = tuple[MatrixFile, MatrixFile]


def is_vector(file: MatrixFile) -> bool:
    """Whether a .npy file holds a 1-D array."""
    return file.kind == "npy" and file.header.dimensions == 1


def save_like(x: DistributedMatrix, out: str, vector: bool) -> list[int]:
    """Writes x, as a 1-D array if b's .npy file has one, and returns the shape in the file. Collective."""
    if not (vector and out.lower().endswith(".npy")):
        x.save(out)
        return list(x.shape)
    whole = x.gather(0)
    with together(x.comm):
        if whole is not None:
            aside = f"{out}.part{os.getpid()}.npy"
            try:
                np.save(aside, whole[:, 0])
                os.replace(aside, out)
            finally:
                if os.path.exists(aside):
                    os.unlink(aside)
    return [x.shape[0]]


@dataclass(kw_only=True)
class SolveJob(FactorJob):
    """out = op(a)^-1 b, all of them files."""

    kind = "solve"

    b: str
    trans: str = "N"
    refine: bool = False
    assume_a: str = "gen"
    lower: bool = False
    workers: int = 1

    def files(self) -> Files:
        """a and b."""
        return inspect(self.a, "A"), inspect(self.b, "B")

    def dtype(self, files: Files) -> np.dtype:
        """The type of the computation."""
        return working_dtype(*(f.dtype for f in files))

    def plan(self, machine: Machine, files: Files) -> LuPlan | CholeskyPlan:
        """The factorization's plan; checks shapes and types."""
        a, b = files
        if a.shape[0] != a.shape[1]:
            raise failure(f"A '{a.name}': is {a.shape[0]} x {a.shape[1]}; expected a square matrix")
        if b.shape[0] != a.shape[0]:
            raise failure(f"B '{b.name}': has {b.shape[0]} rows; expected {a.shape[0]}, as many as A")
        if self.trans not in ("N", "T", "C"):
            raise failure(f"trans = '{self.trans}': expected 'N', 'T' or 'C'")
        dtype = self.dtype(files)
        if self.refine and self.growth_bound is not None:
            raise failure("options.growth_bound: expected none with options.refine, which looks at the answer instead")
        if self.refine and dtype not in (np.float64, np.complex128):
            raise failure(f"options.refine: expected float64 or complex128, the files have {dtype}; leave it out")
        self._check_assumption()
        if self.assume_a == "gen":
            return self.plan_of(a.shape, dtype, machine)
        how = Options(grid=self.grid, order=self.order, nb=self.nb, workers=self.workers, memory=self.memory)
        return plan_cholesky(a.shape[0], machine, dtype=dtype, lower=self.lower, options=how)

    def _check_assumption(self) -> None:
        names = ("refine", "algorithm", "panel", "outer_panel", "tree", "growth_bound", "fall_back")
        if self.assume_a not in ("gen", "pos"):
            raise failure(
                f"assume_a = '{self.assume_a}': expected 'gen' (any matrix) or 'pos' (Hermitian positive definite)"
            )
        given = {name: getattr(self, name) for name in names}
        given["pivoting"] = self.pivoting if self.pivoting != "tournament" else None
        for name, value in given.items():
            if self.assume_a == "pos" and value:
                raise failure(f"options.{name} = {value!r}: expected none with assume_a = 'pos'")
        if self.assume_a == "gen" and self.workers != 1:
            raise failure(
                f"options.workers = {self.workers}: expected 1 unless assume_a = 'pos'; OMP_NUM_THREADS is for BLAS"
            )

    def memory_per_rank(self, planned: LuPlan | CholeskyPlan, files: Files, machine: Machine) -> int:
        """Memory of the factorization, of a second A (four if A is completed from one triangle), and of b, x and b - A
        x."""
        size, (n, columns) = self.dtype(files).itemsize, files[1].shape
        copies = 1 if self.assume_a == "gen" else 4
        return planned.memory + (copies * n * n + 3 * n * columns) * size // machine.ranks

    def execute(self, comm: Communicator, progress: Callable[[int, int], None] | None = None) -> dict[str, Any]:
        """Loads, solves, checks, saves."""
        laps = Laps()
        job, files, planned = agree(self, comm)
        dtype = job.dtype(files)
        spread = square_distribution(files[1].shape, comm.size)
        triangle = "" if job.assume_a == "gen" else "L" if job.lower else "U"
        a = load(files[0], comm, planned.distribution, dtype, triangle)
        b = load(files[1], comm, spread, dtype)
        laps.done("load")
        how = Options(workers=job.workers)
        if job.assume_a == "gen":
            how = Options(refine=job.refine, growth_bound=job.growth_bound, fall_back=job.fall_back)
        how = replace(how, residual=True, progress=progress)
        which: dict[str, Any] = {"assume_a": job.assume_a, "lower": job.lower, "trans": job.trans}
        x = systems.solve(a, b, comm=comm, plan=planned, options=how, **which)
        report = last_report()
        laps.done("solve")
        shape = save_like(x, job.out, is_vector(files[1]))
        laps.done("save")
        data, took = report.to_dict(), laps.seconds
        solve = data["seconds"]["total"]
        return {
            "plan": planned.to_dict(),
            "report": data["factorization"],
            **({"solve": data["solve"]} if job.assume_a == "pos" else {}),
            "refinement": data["refinement"],
            "residual": data["residual"],
            "output": {"path": job.out, "shape": shape, "dtype": str(dtype)},
            "seconds": {"load": took["load"], "solve": solve, "check": took["solve"] - solve, "save": took["save"]},
        }
