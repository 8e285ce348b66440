"""Dense linear algebra and the collectives under it, at the speed of all of a machine's links at once.

    import allport as ap

    machine = ap.Machine.parse("torus:4x4")
    schedule = ap.make_schedule("bcast", machine, algorithm="rectangular", root=0, bytes=1 << 20)
    print(ap.verify.prove(schedule, machine))

    from mpi4py import MPI
    comm = ap.Communicator(MPI.COMM_WORLD, machine="torus:4x4")
    c = ap.gemm(a, b, comm=comm)

Import allport before mpi4py, so that both use the same MPI library. MPI itself is started only when something of
room comm or linalg is first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from allport import threads  # noqa: F401  first: BLAS reads its settings when it is loaded

from allport import abi  # noqa: F401  isort: skip  then which core there is
from allport import mpi as mpi  # isort: skip
from allport import _native
from allport._native import AllportError, build_info

if TYPE_CHECKING:
    from allport import (
        bench,
        candidates,
        collectives,
        comm,
        discover,
        doctor,
        dropin,
        errors,
        graph,
        io,
        lab,
        linalg,
        machine,
        mapping,
        model,
        multicast,
        notebook,
        pattern,
        plan,
        preload,
        schedule,
        select,
        sim,
        tasks,
        tensors,
        units,
        verify,
    )
    from allport.bench import calls, compare, jacobi, measured, places, rivals
    from allport.candidates import SimulatedCandidate, simulate_candidates
    from allport.collectives import algorithms, load_algorithms, make_schedule, register_algorithm
    from allport.comm import Communicator
    from allport.graph import (
        Edge,
        Task,
        TaskGraph,
        TaskSimulation,
        Work,
        cholesky_graph,
        cholesky_solve_graph,
        gemm_graph,
        lu_graph,
        lu_solve_graph,
        qr_graph,
    )
    from allport.linalg.cholesky import Cholesky, CholeskyReport, NotPositiveDefinite, cholesky
    from allport.linalg.gemm import GemmReport, gemm
    from allport.linalg.lu import LU, GrowthWarning, LuReport, SingularMatrix, load_lu, lu
    from allport.linalg.matrix import DistributedMatrix, Distribution, distribute, load
    from allport.linalg.qr import LstsqReport, QrReport, QRResult, RankDeficient, lstsq, qr
    from allport.linalg.solve import SolveReport, norm, solve, solve_residual
    from allport.machine import Axis, Level, Machine, NodeRates, TopologyIds, preset_names
    from allport.mapping import RankOrder, dims
    from allport.pattern import Pattern
    from allport.plan import (
        CholeskyPlan,
        GemmPlan,
        LuPlan,
        QrPlan,
        gemm_algorithms,
        lu_algorithms,
        plan_cholesky,
        plan_gemm,
        plan_lu,
        plan_qr,
    )
    from allport.report import draw, gantt, pages, plot, reproduce, trace
    from allport.run import calibrate, job, jobs, launch, links
    from allport.schedule import Op, Piece, Program, Schedule, Slot, Traffic, interpret
    from allport.select import Choice, explain
    from allport.sim import Simulation, simulate
    from allport.tasks import run_graph
    from allport.tensors.contract import ContractionReport, einsum, tensordot
    from allport.tensors.distribution import TensorDistribution
    from allport.tensors.plan import ContractionPlan
    from allport.tensors.search import plan_einsum, plan_tensordot
    from allport.tensors.tensor import DistributedTensor, distribute_tensor, load_tensor
    from allport.transfer import Transfer
    from allport.verify import Report, prove

Error = AllportError
__version__: str = str(build_info()["version"])

# Names, and the modules below allport that they come from.
_ROOMS = {
    "bench": "bench", "calibrate": "run.calibrate", "calls": "bench.calls", "candidates": "candidates",
    "collectives": "collectives", "comm": "comm", "compare": "bench.compare", "discover": "discover",
    "doctor": "doctor", "draw": "report.draw", "dropin": "dropin", "errors": "errors",
    "gantt": "report.gantt", "graph": "graph", "io": "io", "jacobi": "bench.jacobi", "job": "run.job",
    "jobs": "run.jobs", "lab": "lab", "launch": "run.launch", "linalg": "linalg", "links": "run.links",
    "machine": "machine", "mapping": "mapping", "measured": "bench.measured", "model": "model",
    "multicast": "multicast", "notebook": "notebook",
    "pages": "report.pages", "pattern": "pattern", "places": "bench.places",
    "plan": "plan", "plot": "report.plot", "preload": "preload",
    "reproduce": "report.reproduce", "rivals": "bench.rivals", "schedule": "schedule", "select": "select",
    "sim": "sim", "tasks": "tasks", "tensors": "tensors", "trace": "report.trace",
    "units": "units", "verify": "verify",
}  # fmt: skip
_HOMES = {
    "Axis": "machine",
    "Cholesky": "linalg.cholesky",
    "CholeskyPlan": "plan",
    "CholeskyReport": "linalg.cholesky",
    "Choice": "select",
    "Communicator": "comm",
    "ContractionPlan": "tensors.plan",
    "ContractionReport": "tensors.contract",
    "DistributedMatrix": "linalg.matrix",
    "DistributedTensor": "tensors.tensor",
    "GemmPlan": "plan",
    "GemmReport": "linalg.gemm",
    "GrowthWarning": "linalg.lu",
    "LU": "linalg.lu",
    "Distribution": "linalg.matrix",
    "Edge": "graph",
    "Gang": "graph",
    "Level": "machine",
    "LstsqReport": "linalg.qr",
    "LuPlan": "plan",
    "LuReport": "linalg.lu",
    "Machine": "machine",
    "NodeRates": "machine",
    "NotPositiveDefinite": "linalg.cholesky",
    "Op": "schedule",
    "Pattern": "pattern",
    "Piece": "schedule",
    "Program": "schedule",
    "QRResult": "linalg.qr",
    "QrPlan": "plan",
    "QrReport": "linalg.qr",
    "RankDeficient": "linalg.qr",
    "RankOrder": "mapping",
    "dims": "mapping",
    "Report": "verify",
    "Schedule": "schedule",
    "Simulation": "sim",
    "SimulatedCandidate": "candidates",
    "SingularMatrix": "linalg.lu",
    "Slot": "schedule",
    "SolveReport": "linalg.solve",
    "Talk": "graph",
    "Task": "graph",
    "TaskGraph": "graph",
    "TaskSimulation": "graph",
    "TensorDistribution": "tensors.distribution",
    "TopologyIds": "machine",
    "Traffic": "schedule",
    "Transfer": "transfer",
    "Work": "graph",
    "algorithms": "collectives",
    "cholesky": "linalg.cholesky",
    "cholesky_graph": "graph",
    "cholesky_solve_graph": "graph",
    "distribute": "linalg.matrix",
    "distribute_tensor": "tensors.tensor",
    "einsum": "tensors.contract",
    "explain": "select",
    "gemm": "linalg.gemm",
    "gemm_algorithms": "plan",
    "gemm_graph": "graph",
    "interpret": "schedule",
    "load": "linalg.matrix",
    "load_algorithms": "collectives",
    "load_lu": "linalg.lu",
    "load_tensor": "tensors.tensor",
    "lstsq": "linalg.qr",
    "lu": "linalg.lu",
    "lu_algorithms": "plan",
    "lu_graph": "graph",
    "lu_solve_graph": "graph",
    "make_schedule": "collectives",
    "norm": "linalg.solve",
    "plan_cholesky": "plan",
    "plan_einsum": "tensors.search",
    "plan_gemm": "plan",
    "plan_lu": "plan",
    "plan_qr": "plan",
    "plan_tensordot": "tensors.search",
    "preset_names": "machine",
    "prove": "verify",
    "qr": "linalg.qr",
    "qr_graph": "graph",
    "register_algorithm": "collectives",
    "run_graph": "tasks",
    "simulate": "sim",
    "simulate_candidates": "candidates",
    "solve": "linalg.solve",
    "solve_residual": "linalg.solve",
    "tensordot": "tensors.contract",
}

__all__ = [
    "LU",
    "AllportError",
    "Axis",
    "Choice",
    "Cholesky",
    "CholeskyPlan",
    "CholeskyReport",
    "Communicator",
    "ContractionPlan",
    "ContractionReport",
    "DistributedMatrix",
    "DistributedTensor",
    "Distribution",
    "Edge",
    "Error",
    "Gang",
    "GemmPlan",
    "GemmReport",
    "GrowthWarning",
    "Level",
    "LstsqReport",
    "LuPlan",
    "LuReport",
    "Machine",
    "NodeRates",
    "NotPositiveDefinite",
    "Op",
    "Pattern",
    "Piece",
    "Program",
    "QRResult",
    "QrPlan",
    "QrReport",
    "RankDeficient",
    "RankOrder",
    "Report",
    "Schedule",
    "SimulatedCandidate",
    "Simulation",
    "SingularMatrix",
    "Slot",
    "SolveReport",
    "Talk",
    "Task",
    "TaskGraph",
    "TaskSimulation",
    "TensorDistribution",
    "TopologyIds",
    "Traffic",
    "Transfer",
    "Work",
    "algorithms",
    "bench",
    "build_info",
    "calibrate",
    "calls",
    "candidates",
    "cholesky",
    "cholesky_graph",
    "cholesky_solve_graph",
    "collectives",
    "comm",
    "compare",
    "dims",
    "discover",
    "distribute",
    "distribute_tensor",
    "doctor",
    "draw",
    "dropin",
    "einsum",
    "errors",
    "explain",
    "gantt",
    "gemm",
    "gemm_algorithms",
    "gemm_graph",
    "graph",
    "interpret",
    "io",
    "jacobi",
    "job",
    "jobs",
    "lab",
    "launch",
    "linalg",
    "links",
    "load",
    "load_algorithms",
    "load_lu",
    "load_tensor",
    "lstsq",
    "lu",
    "lu_algorithms",
    "lu_graph",
    "lu_solve_graph",
    "machine",
    "make_schedule",
    "mapping",
    "measured",
    "model",
    "mpi",
    "multicast",
    "norm",
    "notebook",
    "pages",
    "pattern",
    "places",
    "plan",
    "plan_cholesky",
    "plan_einsum",
    "plan_gemm",
    "plan_lu",
    "plan_qr",
    "plan_tensordot",
    "plot",
    "preload",
    "preset_names",
    "prove",
    "qr",
    "qr_graph",
    "register_algorithm",
    "reproduce",
    "rivals",
    "run_graph",
    "schedule",
    "select",
    "sim",
    "simulate",
    "simulate_candidates",
    "solve",
    "solve_residual",
    "tasks",
    "tensordot",
    "tensors",
    "trace",
    "units",
    "verify",
]


def _shown_in_a_notebook(thing: Any) -> str | None:
    return importlib.import_module("allport.notebook").page_of(thing)


for _kind in "CholeskyPlan Choice GemmPlan LuPlan Machine Pattern QrPlan Schedule TaskGraph".split():
    getattr(_native, _kind)._repr_html_ = _shown_in_a_notebook


def _pickled(thing: Any) -> Any:
    return importlib.import_module("allport.pickling").reduced(thing)


for _kind in "CholeskyPlan GemmPlan LuPlan Machine QrPlan Schedule".split():
    getattr(_native, _kind).__reduce__ = _pickled


def __getattr__(name: str) -> Any:
    # They come in when first used: a look at a machine does not pay for numpy, matplotlib or MPI.
    if name in _ROOMS:
        return importlib.import_module(f"allport.{_ROOMS[name]}")
    if name in _HOMES:
        return getattr(importlib.import_module(f"allport.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'allport' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted(__all__)
