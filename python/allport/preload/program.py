"""What a program is, and which MPI library it wants."""

from __future__ import annotations

import os
import re
import shutil
import stat
import subprocess
from dataclasses import dataclass
from pathlib import Path

from allport.doctor.program import libraries_of, mpi_family, scalapack_of
from allport.errors import failure
from allport.mpi import abi_name
from allport.run.mpiexec import FAMILIES

__all__ = ["Program", "examine"]


# Says which libmpi mpi4py loads, without starting MPI.
PROBE = """
import mpi4py
mpi4py.rc.initialize = False
from mpi4py import MPI
print(MPI.Get_library_version().split()[0])
with open("/proc/self/maps") as maps:
    print(next((line.split()[-1] for line in maps if "/libmpi" in line), ""))
"""


@dataclass(frozen=True)
class Program:
    """path: what is started. library: the libmpi that it loads, '' where unknown; late: only after it has started."""

    path: Path
    family: str
    library: str
    scalapack: str
    late: bool = False

    @property
    def abi(self) -> str:
        """Which drop-ins fit: its MPI library's own binary interface, or MPI 5's standard one."""
        return "mpiabi" if Path(self.library).name.startswith("libmpi_abi") else self.family


def _resolve(program: str) -> Path:
    path = Path(shutil.which(program) or program).absolute()
    if re.match(r"(mpiexec|mpirun|srun|prterun|prun)(\..*)?$", path.name):
        raise failure(
            f"program = '{program}': is a launcher, and allport exec starts one itself; leave it and its -n out"
        )
    if path.is_dir() or not path.exists():
        raise failure(f"program = '{program}': not there; give its path, or a name in PATH", "io")
    if not os.access(path, os.X_OK):
        raise failure(f"program = '{program}': is not executable; chmod +x {program}, or give what interprets it", "io")
    return path


def _interpreter(first: str) -> str | None:
    """Of a Python script, from its first line."""
    words = first.removeprefix("#!").split()
    if words and Path(words[0]).name == "env":
        words = [word for word in words[1:] if not word.startswith("-") and "=" not in word]
    return words[0] if words and re.match(r"python[\d.]*$", Path(words[0]).name) else None


def _probe(python: str, preloaded: str = "") -> tuple[list[str], str]:
    """What PROBE prints there, or why it fails."""
    env = {**os.environ, "LD_PRELOAD": preloaded} if preloaded else None
    try:
        done = subprocess.run([python, "-c", PROBE], capture_output=True, text=True, timeout=60, env=env)
    except (OSError, subprocess.TimeoutExpired) as error:
        return [], str(error)
    return (done.stdout.split("\n"), "") if done.returncode == 0 else ([], done.stderr.strip().rpartition("\n")[2])


def _of_python(python: str, path: Path, mpi: str | None) -> Program:
    """By what mpi4py loads there; Debian's MPICH, which mpi4py's wheel does not find, is brought in."""
    lines, why = _probe(python)
    if not lines and abi_name().exists():
        lines, _ = _probe(python, str(abi_name()))
        lines[1:] = [str(abi_name())] if lines else []
    family = {"Open": "openmpi", "MPICH": "mpich", "Intel(R)": "mpich"}.get(lines[0] if lines else "", "")
    if not family and mpi is None:
        raise failure(
            f"program = '{path}': is Python, and its mpi4py could not be asked for its MPI library ({python} -c 'from "
            f"mpi4py import MPI' fails: {why or 'no MPI library that is known'}); install mpi4py there, or give --mpi "
            "openmpi or --mpi mpich",
            "mpi",
        )
    return Program(path, mpi or family, lines[1] if len(lines) > 1 else "", "", late=True)


def _agrees(path: Path, family: str, mpi: str | None) -> str:
    if mpi is not None and family and mpi != family:
        raise failure(f"mpi = '{mpi}': {path} is linked with {family}; leave it out")
    return mpi or family


def examine(program: str, mpi: str | None = None) -> Program:
    """mpi: the library to assume if the program does not show it. Raises Error where nothing can be preloaded."""
    if mpi is not None and mpi not in FAMILIES:
        raise failure(f"mpi = '{mpi}': expected {' or '.join(FAMILIES)}")
    path = _resolve(program)
    with path.open("rb") as file:
        first = file.readline(200)
    if not first.startswith(b"\x7fELF"):
        python = _interpreter(first.decode(errors="replace"))
        if python is not None:
            return _of_python(python, path, mpi)
        if mpi is None:
            raise failure(
                f"program = '{path}': is a script, which does not say what MPI library it comes to; give --mpi openmpi "
                "or --mpi mpich, or the program that it starts"
            )
        return Program(path, mpi, "", "")
    libraries = libraries_of(path)
    if not libraries:
        raise failure(
            f"program = '{path}': is linked statically, and nothing can be preloaded; link it with shared libraries"
        )
    if path.stat().st_mode & (stat.S_ISUID | stat.S_ISGID):
        raise failure(
            f"program = '{path}': is set-user-ID, and the loader ignores LD_PRELOAD; copy it without that bit"
        )
    family = mpi_family(libraries)
    if not family and re.match(r"python[\d.]*$", path.name):
        return _of_python(str(path), path, mpi)
    if not family and mpi is None:
        raise failure(
            f"program = '{path}': loads no MPI library that is known (Open MPI, MPICH and what has its binary "
            "interface); where MPI is linked in statically no drop-in reaches it, and where it is loaded later "
            "give --mpi"
        )
    names = sorted((name for name in libraries if name.startswith("libmpi")), key=len)
    library = libraries[names[0]] if names else ""
    return Program(path, _agrees(path, family, mpi), library, scalapack_of(libraries))
