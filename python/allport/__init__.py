"""Dense linear algebra and the collectives under it, at the speed of all of a machine's links at once.

    import allport as ap

    machine = ap.Machine.parse("torus:4x4")
    schedule = ap.make_schedule("bcast", machine, algorithm="rectangular", root=0, bytes=1 << 20)
    print(ap.verify.prove(schedule, machine))

    from mpi4py import MPI
    comm = ap.Communicator(MPI.COMM_WORLD, machine="torus:4x4")
    c = ap.gemm(a, b, comm=comm)

Import allport before mpi4py, so that both use the same MPI library. MPI itself is started only when a communicator or
a distributed matrix is first made.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from allport import threads  # noqa: F401  first: BLAS reads its settings when it is loaded

from allport import abi  # noqa: F401  isort: skip  then which core there is
from allport import mpi as mpi  # isort: skip
from allport import _native
from allport._native import AllportError as Error

# The public names that are no modules, each with the module that has it; and the public modules. Both are imported
# when they are first used: a look at a machine does not pay for numpy, matplotlib or MPI.
_HOMES = {
    "Communicator": "comm",
    "DistributedMatrix": "linalg.matrix",
    "DistributedTensor": "tensors.tensor",
    "Distribution": "linalg.matrix",
    "Error": "errors",
    "Machine": "machine",
    "NotPositiveDefinite": "linalg.cholesky",
    "Options": "options",
    "RankDeficient": "linalg.qr",
    "Schedule": "schedule",
    "SingularMatrix": "linalg.lu",
    "TaskGraph": "graph",
    "cholesky": "linalg.cholesky",
    "distribute": "linalg.matrix",
    "einsum": "tensors.contract",
    "explain": "select",
    "gemm": "linalg.gemm",
    "last_report": "reports",
    "load": "linalg.matrix",
    "lstsq": "linalg.qr",
    "lu": "linalg.lu",
    "make_schedule": "collectives",
    "qr": "linalg.qr",
    "simulate": "sim",
    "solve": "linalg.solve",
    "tensordot": "tensors.contract",
}
_MODULES = (
    "bench",
    "collectives",
    "discover",
    "doctor",
    "graph",
    "io",
    "lab",
    "linalg",
    "loops",
    "machine",
    "mapping",
    "model",
    "mpi",
    "multicast",
    "network",
    "pattern",
    "plan",
    "report",
    "run",
    "schedule",
    "sim",
    "tensors",
    "units",
    "verify",
)

if TYPE_CHECKING:  # the same for type checkers; tests/python/test_interface.py compares
    from allport import (
        bench as bench,
    )
    from allport import (
        collectives as collectives,
    )
    from allport import (
        discover as discover,
    )
    from allport import (
        doctor as doctor,
    )
    from allport import (
        graph as graph,
    )
    from allport import (
        io as io,
    )
    from allport import (
        lab as lab,
    )
    from allport import (
        linalg as linalg,
    )
    from allport import (
        loops as loops,
    )
    from allport import (
        machine as machine,
    )
    from allport import (
        mapping as mapping,
    )
    from allport import (
        model as model,
    )
    from allport import (
        multicast as multicast,
    )
    from allport import (
        network as network,
    )
    from allport import (
        pattern as pattern,
    )
    from allport import (
        plan as plan,
    )
    from allport import (
        report as report,
    )
    from allport import (
        run as run,
    )
    from allport import (
        schedule as schedule,
    )
    from allport import (
        sim as sim,
    )
    from allport import (
        tensors as tensors,
    )
    from allport import (
        units as units,
    )
    from allport import (
        verify as verify,
    )
    from allport.collectives import make_schedule as make_schedule
    from allport.comm import Communicator as Communicator
    from allport.graph import TaskGraph as TaskGraph
    from allport.linalg.cholesky import NotPositiveDefinite as NotPositiveDefinite
    from allport.linalg.cholesky import cholesky as cholesky
    from allport.linalg.gemm import gemm as gemm
    from allport.linalg.lu import SingularMatrix as SingularMatrix
    from allport.linalg.lu import lu as lu
    from allport.linalg.matrix import DistributedMatrix as DistributedMatrix
    from allport.linalg.matrix import Distribution as Distribution
    from allport.linalg.matrix import distribute as distribute
    from allport.linalg.matrix import load as load
    from allport.linalg.qr import RankDeficient as RankDeficient
    from allport.linalg.qr import lstsq as lstsq
    from allport.linalg.qr import qr as qr
    from allport.linalg.solve import solve as solve
    from allport.machine import Machine as Machine
    from allport.options import Options as Options
    from allport.reports import last_report as last_report
    from allport.schedule import Schedule as Schedule
    from allport.select import explain as explain
    from allport.sim import simulate as simulate
    from allport.tensors.contract import einsum as einsum
    from allport.tensors.contract import tensordot as tensordot
    from allport.tensors.tensor import DistributedTensor as DistributedTensor

__all__ = sorted([*_HOMES, *_MODULES])  # type: ignore[assignment]
__version__: str = str(_native.build_info()["version"])

Error.__name__ = Error.__qualname__ = "Error"  # as tracebacks show it: allport.Error
Error.__module__ = "allport"


def _shown_in_a_notebook(thing: Any) -> str | None:
    return importlib.import_module("allport.notebook").page_of(thing)


for _kind in "CholeskyPlan Choice GemmPlan LuPlan Machine Pattern QrPlan Schedule TaskGraph".split():
    getattr(_native, _kind)._repr_html_ = _shown_in_a_notebook


def _pickled(thing: Any) -> Any:
    return importlib.import_module("allport.pickling").reduced(thing)


for _kind in "CholeskyPlan GemmPlan LuPlan Machine QrPlan Schedule".split():
    getattr(_native, _kind).__reduce__ = _pickled


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(importlib.import_module(f"allport.{_HOMES[name]}"), name)
    if name in _MODULES:
        return importlib.import_module(f"allport.{name}")
    raise AttributeError(f"module 'allport' has no attribute '{name}'")


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
