"""Measures a machine: parameters from short runs over its ranks, kernels, and times of MPI's and ScaLAPACK's routines.

    machine = ap.run.calibrate.run("torus:4x4")           # starts 16 ranks here
    open("mine.toml", "w").write(machine.to_toml())   # usable wherever a spec is

`python -m allport.run.calibrate JSON` is one of the ranks.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from allport import _native
from allport.machine import Machine, as_machine
from allport.notebook import with_bar
from allport.run.launch import run as launch
from allport.run.rank import as_rank, emit

if TYPE_CHECKING:
    from allport.comm import Communicator

__all__ = ["calibrate", "join", "run"]

Progress = Callable[[str, float], None]


def calibrate(
    comm: Communicator,
    *,
    quick: bool = False,
    mpi_collectives: bool = True,
    kernels: bool = True,
    scalapack: bool = True,
    progress: Progress | None = None,
) -> Machine:
    """The communicator's machine with measured parameters; machine.to_toml() includes the errors of the fits.

    quick: short messages and few repetitions, for slow links. mpi_collectives: time the MPI library's collectives, too.
    kernels: measure the rates of linear algebra kernels, by type and tile, for the prices of task graphs. scalapack:
    time ScaLAPACK's routines, if it is installed, for the decisions of its drop-in. progress: called on rank 0 with
    (what, fraction). Collective; equal on all ranks. Raises Error.
    """
    return _native.calibrate(comm._native, quick, mpi_collectives, kernels, scalapack, progress)


def join(
    machine: Machine | str | None = None,
    *,
    quick: bool = False,
    mpi_collectives: bool = True,
    kernels: bool = True,
    scalapack: bool = True,
    progress: Progress | None = None,
) -> Machine | None:
    """calibrate() on the ranks that mpiexec has started; returns the machine on rank 0, None elsewhere."""
    from allport.comm import MPI, Communicator

    comm = Communicator(MPI.COMM_WORLD, machine)
    how = {"quick": quick, "mpi_collectives": mpi_collectives, "kernels": kernels, "scalapack": scalapack}
    found = calibrate(comm, **how, progress=progress)
    return found if comm.rank == 0 else None


@with_bar("calibrating")
def run(
    machine: Machine | str,
    *,
    quick: bool = False,
    mpi_collectives: bool = True,
    kernels: bool = True,
    scalapack: bool = True,
    progress: Progress | None = None,
) -> Machine:
    """calibrate() on ranks that this process starts, as many as the machine has. Raises Error or JobFailed."""
    where = as_machine(machine)
    how = {"quick": quick, "mpi_collectives": mpi_collectives, "kernels": kernels, "scalapack": scalapack}
    job = {"machine": where.to_toml(), "how": how}

    def on_event(event: dict[str, Any]) -> None:
        if progress is not None and "phase" in event:
            progress(event["phase"], event["done"])

    result = launch("allport.run.calibrate", job, where.ranks, on_event)
    return Machine.from_toml(result["toml"])


def _work(text: str) -> dict[str, Any] | None:
    job = json.loads(text)
    found = join(
        Machine.from_toml(job["machine"]),
        **job["how"],
        progress=lambda phase, done: emit(rank=0, phase=phase, done=done),
    )
    return None if found is None else {"toml": found.to_toml()}


if __name__ == "__main__":
    sys.exit(as_rank(lambda: _work(sys.argv[1])))
