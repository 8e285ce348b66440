"""Collectives against the MPI library's best setting, side by side in one run, every byte checked.

result = ap.bench.run(ap.bench.Job("bcast", sizes=["4MB"], machine="torus:4x4"))
"""

from __future__ import annotations

from allport.bench.beside_mpi import FINALISTS, run
from allport.bench.job import Job, block_of, contract_name, element_of, sizes_of

__all__ = ["FINALISTS", "Job", "block_of", "contract_name", "element_of", "run", "sizes_of"]
