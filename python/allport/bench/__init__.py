"""Benchmarks of collectives beside the MPI library's best setting in one run; every byte is checked.

result = ap.bench.run(ap.bench.Job("bcast", sizes=["4MB"], machine="torus:4x4"))
"""

from __future__ import annotations

from types import ModuleType
from typing import TYPE_CHECKING

from allport.bench.beside_mpi import FINALISTS, run
from allport.bench.job import Job, block_of, contract_name, element_of, sizes_of
from allport.submodules import submodule

if TYPE_CHECKING:
    from allport.bench import calls as calls
    from allport.bench import compare as compare
    from allport.bench import jacobi as jacobi
    from allport.bench import measured as measured
    from allport.bench import places as places
    from allport.bench import rivals as rivals

__all__ = ["FINALISTS", "Job", "block_of", "contract_name", "element_of", "run", "sizes_of"]


def __getattr__(name: str) -> ModuleType:
    return submodule(__name__, name)
