"""How the programs are started: as a user would, with the MPI library's own defaults (tools/mpirun sets others)."""

from __future__ import annotations

import os
import subprocess


def start(mpiexec: str, ranks: int, program: list[str], library: str | None, **variables: str) -> str:
    """Runs `program` on `ranks` ranks, which have `library` preloaded if it is given; returns what it prints.

    Raises RuntimeError with its output where the exit code is not 0.
    """
    env = os.environ | {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"} | variables
    flags = ["--oversubscribe"] if "openmpi" in mpiexec else []
    preload = ["env", f"LD_PRELOAD={library}"] if library else []
    command = [mpiexec, *flags, "-n", str(ranks), *preload, *program]
    done = subprocess.run(command, env=env, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout
