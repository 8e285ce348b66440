"""The job of `allport run einsum`: two tensor files in, their contraction out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from allport.errors import failure, together
from allport.io import ensure_writable, working_dtype
from allport.machine import Machine
from allport.options import Options
from allport.reports import last_report
from allport.run.job import Job, Laps, ensure_finite
from allport.tensors.contract import einsum
from allport.tensors.contraction import of_einsum
from allport.tensors.search import best_plan, plan_on, problem_of
from allport.tensors.tensor import inspect_tensor
from allport.tensors.tensor import load as load_tensor

if TYPE_CHECKING:
    from allport.comm import Communicator
    from allport.tensors.plan import ContractionPlan, Problem

Files = tuple[np.ndarray, np.ndarray]


@dataclass(kw_only=True)
class EinsumJob(Job):
    """out = einsum(subscripts, a, b), all of them .npy files of any number of axes."""

    kind = "einsum"
    doing = "contracting"

    subscripts: str
    a: str
    b: str

    def files(self) -> Files:
        """The files a and b; no data are read."""
        return inspect_tensor(self.a, "A"), inspect_tensor(self.b, "B")

    def problem(self, machine: Machine, files: Files) -> Problem:
        """The problem to plan; checks subscripts, shapes and types. Files are read in the distributions that the
        product needs."""
        a, b = files
        return problem_of(
            of_einsum(self.subscripts, a.shape, b.shape),
            machine,
            working_dtype(a.dtype, b.dtype),
            options=Options(algorithm=self.algorithm, grid=self.grid, memory=self.memory),
        )

    def plan(self, machine: Machine, files: Files) -> ContractionPlan:
        """The plan of the job."""
        return best_plan(self.problem(machine, files))

    def check_output(self) -> None:
        """Raises if the output cannot be written."""
        if not self.out.lower().endswith(".npy"):
            raise failure(f"output '{self.out}': expected a name that ends in .npy", "io")
        ensure_writable(self.out)

    def decided(self, planned: Any) -> Job:
        """The job itself: its ranks receive rank 0's choice."""
        return self

    def execute(self, comm: Communicator, progress: Callable[[int, int], None] | None = None) -> dict[str, Any]:
        """Loads, contracts, saves."""
        laps = Laps()
        job = comm.mpi4py.bcast(self)
        problem: Any = None
        with together(comm):
            job.check_output()
            problem = job.problem(comm.machine, job.files())
        planned = plan_on(comm, problem)
        a, b = load_tensor(job.a, comm, distribution=planned.a), load_tensor(job.b, comm, distribution=planned.b)
        for name, tensor in ((job.a, a), (job.b, b)):
            ensure_finite(name, tensor.local, comm, lambda: "has elements that are infinite or not a number")
        laps.done("load")
        result = einsum(job.subscripts, a, b, comm=comm, plan=planned, options=Options(progress=progress))
        report = last_report()
        laps.done("einsum")
        result.save(job.out)
        laps.done("save")
        return job.outcome(planned, report, laps, result.shape, result.dtype)
