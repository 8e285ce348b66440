"""Finds the mpiexec of an MPI library."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from pathlib import Path

from allport import _native
from allport.errors import failure

__all__ = ["FAMILIES", "find"]

FAMILIES = ("openmpi", "mpich")
_CANDIDATES = {
    "openmpi": ("mpiexec.openmpi", "mpirun.openmpi", "mpiexec", "mpirun"),
    "mpich": ("mpiexec.mpich", "mpiexec.hydra", "mpirun.mpich", "mpiexec", "mpirun"),
}
_WORDS = {"openmpi": ("Open MPI", "OpenRTE", "PRRTE"), "mpich": ("HYDRA", "MPICH", "Intel(R) MPI")}
_PACKAGES = {"openmpi": "openmpi-bin", "mpich": "mpich"}


def _family_of(launcher: str) -> str | None:
    try:
        version = subprocess.run([launcher, "--version"], capture_output=True, text=True, timeout=20).stdout
    except (OSError, subprocess.TimeoutExpired):
        return None
    return next((f for f in FAMILIES if any(word in version for word in _WORDS[f])), None)


def find(mpi: str | None, library: str = "") -> tuple[str, str]:
    """(family, mpiexec) of the requested MPI; None: the one that Allport was built for.

    library: the libmpi that a program loads; the mpiexec of its installation is preferred.
    """
    built = str(_native.build_info()["mpi_family"])
    family = mpi or built
    if family not in FAMILIES:
        raise failure(f"mpi = '{family}': expected one of {', '.join(FAMILIES)}", "mpi")
    given = shlex.split(os.environ.get("ALLPORT_MPIEXEC", ""))
    if given and _family_of(given[0]) == family:
        return family, given[0]
    # A wheel has no mpiexec of its own, but it knows which library it has loaded.
    if not library and family == built and not _native.build_info()["mpiexec"]:
        library = _native.libmpi_path()
    for folder in Path(os.path.realpath(library)).parents[1:3] if library else ():
        beside = str(folder / "bin" / "mpiexec")
        if _family_of(beside) == family:
            return family, beside
    if family == built and shutil.which(str(_native.build_info()["mpiexec"])):
        return family, str(_native.build_info()["mpiexec"])
    for name in _CANDIDATES[family]:
        path = shutil.which(name)
        if path is not None and _family_of(path) == family:
            return family, path
    raise failure(
        f"mpi = '{family}': none of {', '.join(_CANDIDATES[family])} is its mpiexec; install it (Debian: "
        f"{_PACKAGES[family]}) or set ALLPORT_MPIEXEC",
        "mpi",
    )
