"""A job's load on the cores: ranks x threads of BLAS and OpenMP."""

from __future__ import annotations

from collections.abc import Mapping

from allport.doctor.finding import Finding
from allport.doctor.processors import Processors

__all__ = ["examine", "threads_of"]

# Variables in each library's order of precedence.
_BLAS = {
    "openblas": ("OPENBLAS_NUM_THREADS", "GOTO_NUM_THREADS", "OMP_NUM_THREADS"),
    "mkl": ("MKL_NUM_THREADS", "OMP_NUM_THREADS"),
    "blis": ("BLIS_NUM_THREADS", "OMP_NUM_THREADS"),
}


def _first_number(text: str) -> int | None:
    first = text.split(",")[0].strip()  # OMP_NUM_THREADS may list levels
    return int(first) if first.isdigit() and int(first) > 0 else None


def _family(blas: str) -> str:
    return next((name for name in _BLAS if name in blas.lower()), "openblas")


def threads_of(blas: str, environment: Mapping[str, str], cores: int) -> tuple[int, str]:
    """Threads of each rank's BLAS, and the variable that sets them; all cores if none does."""
    for variable in _BLAS[_family(blas)]:
        count = _first_number(environment.get(variable, ""))
        if count is not None:
            return count, variable
    return cores, ""


def examine(processors: Processors, ranks: int | None, blas: str, environment: Mapping[str, str]) -> Finding:
    """ranks: on this computer; None: unknown, one per core is assumed, and problems are only notes."""
    cores = processors.usable_cores()
    count = ranks or cores
    threads, variable = threads_of(blas, environment, cores)
    said = f"{variable}={threads}" if variable else "no variable says how many, so each rank takes every core"
    found = f"{count} ranks x {threads} BLAS threads on {cores} cores ({said})"
    name = variable or _BLAS[_family(blas)][0]
    wrong = "note" if ranks is None else "wrong"
    share = max(1, cores // count)
    if count > cores:
        remedy = (
            f"no more than {cores} ranks; else {name}=1, and idle ranks must give their core away (Open MPI: "
            "--mca mpi_yield_when_idle 1; MPICH's do not)"
        )
        return Finding("load", wrong, found, remedy)
    if count * threads > cores:
        return Finding("load", wrong, found, f"{name}={share}: {count} x {share} of {cores} cores; allport run does it")
    if count * (threads + 1) <= cores:
        idle = cores - count * threads
        return Finding("load", "note", f"{found}: {idle} idle", f"{name}={share}, or more ranks")
    return Finding("load", "good", found)
