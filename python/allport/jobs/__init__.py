"""The kinds of jobs, one file each: files in, files out, on all ranks of a machine."""

from __future__ import annotations

from allport.job import Job
from allport.jobs.gemm import GemmJob
from allport.jobs.lu import LuJob
from allport.jobs.solve import SolveJob

__all__ = ["KINDS", "GemmJob", "LuJob", "SolveJob"]

KINDS: dict[str, type[Job]] = {kind.kind: kind for kind in (GemmJob, LuJob, SolveJob)}
