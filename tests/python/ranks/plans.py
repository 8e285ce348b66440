"""Counts what each rank plans: in the calls of the public API, and in jobs on files (`plans.py A.npy FOLDER`)."""

import json
import os
import runpy
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import allport as ap
import numpy as np
from allport import _native

planned: list[str] = []


def counted(name: str) -> Callable[..., Any]:
    plan = getattr(_native, name)

    def call(*arguments: Any) -> Any:
        planned.append(name)
        return plan(*arguments)

    return call


for planner in ("plan_gemm", "plan_lu"):
    setattr(_native, planner, counted(planner))


def expect(what: str, wanted: list[str], work: Callable[[], Any]) -> None:
    """All ranks check themselves: one that planned more or less often ends the job."""
    planned.clear()
    work()
    assert planned == wanted, f"{what}: planned {planned}, expected {wanted}"


def api(comm: Any) -> None:
    a = np.random.default_rng(1).random((24, 24)) + 24 * np.eye(24)
    spread = ap.distribute(a, comm)
    for matrix in (a, spread):
        expect("gemm", ["plan_gemm"], lambda m=matrix: ap.gemm(m, m, comm=comm))
        expect("lu", ["plan_lu"], lambda m=matrix: ap.lu(m, comm=comm))
        expect("solve", ["plan_lu"], lambda m=matrix: ap.solve(m, a[:, 0], comm=comm))
        expect(
            "refined", ["plan_lu"], lambda m=matrix: ap.solve(m, a[:, 0], comm=comm, options=ap.Options(refine=True))
        )
    plan = ap.plan.lu(24, 24, comm.machine)
    expect("lu with a plan", [], lambda: ap.lu(a, comm=comm, plan=plan))


def jobs(a: str, folder: str) -> None:
    out = {"gemm": f"{folder}/C.npy", "lu": f"{folder}/F.npz", "solve": f"{folder}/X.npy"}
    expect("run gemm", ["plan_gemm"], lambda: ap.run.job.join(ap.run.jobs.GemmJob(a=a, b=a, out=out["gemm"])))
    expect("run lu", ["plan_lu"], lambda: ap.run.job.join(ap.run.jobs.LuJob(a=a, out=out["lu"])))
    # Beside the factorization's, the plan of the product that its residual is.
    wanted = ["plan_lu", "plan_gemm"]
    expect("run solve", wanted, lambda: ap.run.job.join(ap.run.jobs.SolveJob(a=a, b=a, out=out["solve"])))


if "ALLPORT_COUNT_PLANS" in os.environ:  # started as a rank of a job
    try:
        runpy.run_module("allport.run.jobs", run_name="__main__")
    finally:
        rank = ap.run.launch.joined_rank()
        Path(os.environ["ALLPORT_COUNT_PLANS"], f"{rank}.json").write_text(json.dumps(planned))
else:
    comm = ap.Communicator(machine="torus:2x2" if ap.run.launch.joined_size() == 4 else None)
    api(comm)
    jobs(*sys.argv[1:])
    if comm.rank == 0:
        print("planned once")
