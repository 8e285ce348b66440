"""A rank's side of a job: its identity, its events for the launcher, and its end."""

from __future__ import annotations

import json
import os
import sys
import time
import traceback
from collections.abc import Callable
from typing import Any

from allport.errors import Error
from allport.mpi import end_job, joined_size

__all__ = ["as_rank", "emit", "joined_rank", "joined_size", "leave_together"]

MARK = "@allport "  # prefix of a line for the launcher
RANK_NAMES = ("OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID")


def joined_rank() -> int:
    """This process's rank as set by mpiexec or srun; 0 if it was not started by one."""
    return int(next((os.environ[n] for n in RANK_NAMES if os.environ.get(n, "").isdigit()), "0"))


def emit(**event: Any) -> None:
    """Sends an event to the launcher: one line on standard output."""
    sys.stdout.write(MARK + json.dumps(event) + "\n")
    sys.stdout.flush()


def leave_together(patience: float = 5.0) -> None:
    """Waits until the other ranks fail, too. If they do not, the error is on this rank only and ends the job.

    If a rank exited at once, mpiexec would kill the others, perhaps before one of them has reported the reason.
    """
    from mpi4py import MPI

    if not MPI.Is_initialized() or MPI.Is_finalized():
        return
    sys.stdout.flush()
    sys.stderr.flush()
    others = MPI.COMM_WORLD.Ibarrier()
    end = time.monotonic() + patience
    while not others.Test():
        if time.monotonic() > end:
            end_job()
        time.sleep(0.01)


def as_rank(work: Callable[[], dict[str, Any] | None]) -> int:
    """The main function of a rank: runs `work`, emits rank 0's result or this rank's error; returns the exit code."""
    rank = joined_rank()
    try:
        result = work()
    except Error as error:  # nearly always raised on every rank, so MPI can be finalized
        emit(rank=rank, error=str(error))
        leave_together()
        return 1
    except ImportError as error:
        emit(rank=rank, error=str(error))
        return 1
    except BaseException as error:  # on this rank only: the others must not wait for it
        emit(rank=rank, error=f"{type(error).__name__}: {error}")
        if os.environ.get("ALLPORT_DEBUG") == "1":
            traceback.print_exc()
        end_job()
    if rank == 0:
        emit(rank=0, result=result)
    return 0
