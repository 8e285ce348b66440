"""BLAS threads of ranks that share a computer; looked at before BLAS is loaded, which reads its settings once."""

from __future__ import annotations

import os

LOCAL_SIZES = ("OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", "PMI_LOCAL_SIZE", "SLURM_NTASKS_PER_NODE")


def share_cores() -> None:
    """Gives each rank its share of the cores that it may use, unless the environment says otherwise."""
    local = next((int(os.environ[n]) for n in LOCAL_SIZES if os.environ.get(n, "").isdigit()), 0)
    if local < 2 or {"OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"} & os.environ.keys():
        return
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    total = os.cpu_count() or 1
    # A rank that is bound to fewer cores than there are has its share already.
    share = cores if cores < total else max(1, cores // local)
    os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = str(share)


share_cores()
