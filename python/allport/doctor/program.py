"""Which drop-in suits a program, by the libraries that the dynamic loader finds for it."""

from __future__ import annotations

import os
import re
import shutil
import stat
import subprocess
from pathlib import Path

from allport import dropin
from allport.doctor.finding import Finding
from allport.errors import Error, failure

__all__ = ["examine", "libraries_of", "mpi_family", "scalapack_of"]

_ELF = b"\x7fELF"


def libraries_of(path: Path) -> dict[str, str]:
    """The libraries that the loader would load, by name; empty for a static program.

    Raises Error if a library is missing.
    """
    # The loader prints them without starting the program.
    env = {**os.environ, "LC_ALL": "C"}
    env.pop("LD_PRELOAD", None)
    done = subprocess.run(["ldd", str(path)], capture_output=True, text=True, env=env)
    missing = re.findall(r"^\s*(\S+) => not found", done.stdout, re.MULTILINE)
    if missing:
        raise failure(
            f"program = '{path}': {', '.join(missing)} cannot be found; load the module that it was built with, or "
            "set LD_LIBRARY_PATH",
            "io",
        )
    return dict(re.findall(r"^\s*(\S+) => (\S+)", done.stdout, re.MULTILINE))


def mpi_family(libraries: dict[str, str]) -> str:
    """'openmpi', 'mpich' (also for MPI libraries with its ABI: Intel, Cray, MVAPICH), or '' without MPI."""
    names = " ".join(libraries)
    if re.search(r"\blibmpi(_\w+)?\.so\.(40|20|12\.\d)|libopen-(rte|pal)|libprrte", names) and "libopen" in names:
        return "openmpi"
    if re.search(
        r"\blibmpich(\w*)\.so|\blibmpi(fort)?\.so\.12\b|\blibmpi_abi\.so|\blibmpi_(cray|gnu|intel|nvidia)\w*\.so", names
    ):
        return "mpich"
    if re.search(r"\blibmpi\.so\.(20|40)\b", names):
        return "openmpi"
    return ""


def scalapack_of(libraries: dict[str, str]) -> str:
    """The ScaLAPACK library that the program loads; '' if none."""
    return next((name for name in libraries if re.search(r"scalapack|libsci", name)), "")


def _resolve(program: str) -> Path:
    found = shutil.which(program) or program
    path = Path(found)
    if not path.is_file():
        raise failure(f"program = '{program}': not there; give its path", "io")
    return path


def _script(path: Path) -> Finding:
    first = path.read_bytes()[:200].split(b"\n")[0].decode(errors="replace")
    text = f"{path} is a script ({first})" if first.startswith("#!") else f"{path} is no ELF program"
    remedy = "give the program that it starts; for Python with mpi4py: allport doctor $(python -c "
    remedy += '"import mpi4py.MPI as m; print(m.__file__)")'
    return Finding("program", "note", text, remedy)


def _fits(interface: str, family: str, abi: str, found: str, ilp64: bool = False) -> Finding:
    try:
        library = dropin.library(interface, abi, ilp64=ilp64)
    except Error as error:
        return Finding(f"{interface} drop-in", "wrong", found, str(error))
    machine = "ALLPORT_MACHINE=torus:4x4 " if interface == "mpi" else ""
    give = f"mpiexec -x LD_PRELOAD={library}" if family == "openmpi" else f"mpiexec -genv LD_PRELOAD {library}"
    return Finding(f"{interface} drop-in", "good", found, f"{machine}{give} ...")


def examine(program: str) -> list[Finding]:
    """Examines a program. Raises Error if it does not exist, or if the loader cannot load it."""
    path = _resolve(program)
    with path.open("rb") as file:
        if file.read(4) != _ELF:
            return [_script(path)]
    libraries = libraries_of(path)
    if not libraries:
        static = "is linked statically: nothing can be preloaded"
        return [Finding("program", "wrong", f"{path} {static}", "link it with shared libraries")]
    found: list[Finding] = []
    if path.stat().st_mode & (stat.S_ISUID | stat.S_ISGID):
        remedy = "a copy without the bit, started by the user who may"
        found.append(Finding("program", "wrong", f"{path} is set-user-ID: the loader ignores LD_PRELOAD", remedy))
    family = mpi_family(libraries)
    if not family:
        known = "loads no MPI library that is known (Open MPI, MPICH and what has its binary interface)"
        remedy = "if MPI is linked in statically, no drop-in reaches it"
        return [*found, Finding("program", "note", f"{path} {known}", remedy)]
    mpis = sorted(name for name in libraries if name.startswith("libmpi"))
    which = min(mpis, key=len)
    abi = "mpiabi" if which.startswith("libmpi_abi") else family
    found.append(_fits("mpi", family, abi, f"loads {which}: {'Open MPI' if family == 'openmpi' else 'MPICH'}"))
    scalapack = scalapack_of(libraries)
    if scalapack:
        found.append(_fits("scalapack", family, abi, f"loads {scalapack}", "ilp64" in scalapack))
    else:
        text = "loads no ScaLAPACK; one that is linked in statically cannot be reached"
        found.append(Finding("scalapack drop-in", "note", text))
    return found
