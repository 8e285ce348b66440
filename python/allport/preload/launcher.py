"""What starts a program's ranks: the mpiexec of its MPI library, and its options on one computer."""

from __future__ import annotations

import os
import shlex
import shutil

from allport.errors import failure
from allport.preload.program import Program
from allport.run.launch import cores
from allport.run.mpiexec import find

__all__ = ["command"]


def command(program: Program, ranks: int, given: str | None) -> tuple[list[str], dict[str, str]]:
    """The launcher up to where the program stands, and what its own environment gets."""
    text = given if given is not None else os.environ.get("ALLPORT_MPIEXEC", "")
    if text:
        words = shlex.split(text)
        if shutil.which(words[0]) is None:
            raise failure(f"launcher = '{text}': is not there; give a path, or a name in PATH with its options", "mpi")
        return [*words, "-n", str(ranks)], {}
    words, around = [find(program.family, program.library)[1], "-n", str(ranks)], {}
    if program.family == "openmpi":
        if hasattr(os, "geteuid") and os.geteuid() == 0:
            words.append("--allow-run-as-root")
        # More ranks than cores: else it refuses, and ranks that wait would keep the others from their core.
        if ranks > cores() and "SLURM_JOB_ID" not in os.environ and "PBS_NODEFILE" not in os.environ:
            words += ["--oversubscribe", "--bind-to", "none"]
            around["OMPI_MCA_mpi_yield_when_idle"] = "1"
    return words, around
