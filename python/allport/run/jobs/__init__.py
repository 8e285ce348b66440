"""The kinds of jobs, one file each: files in, files out, on all ranks of a machine."""

from __future__ import annotations

from allport.run.job import Job
from allport.run.jobs.cholesky import CholeskyJob
from allport.run.jobs.einsum import EinsumJob
from allport.run.jobs.gemm import GemmJob
from allport.run.jobs.lstsq import LstsqJob
from allport.run.jobs.lu import LuJob
from allport.run.jobs.qr import QrJob
from allport.run.jobs.solve import SolveJob

__all__ = ["KINDS", "CholeskyJob", "EinsumJob", "GemmJob", "LstsqJob", "LuJob", "QrJob", "SolveJob"]

KINDS: dict[str, type[Job]] = {
    kind.kind: kind for kind in (CholeskyJob, EinsumJob, GemmJob, LstsqJob, LuJob, QrJob, SolveJob)
}
