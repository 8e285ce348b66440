"""The libraries that put Allport under programs which never heard of it.

    LD_PRELOAD=$(allport dropin mpi) ALLPORT_MACHINE=torus:4x4 mpiexec -n 16 ./program

docs/concepts/dropin.md tells what is taken, and docs/reference/dropin.md which environment it reads.
"""

from __future__ import annotations

from pathlib import Path

from allport import _native
from allport import mpi as _mpi
from allport.errors import failure

__all__ = ["library"]

_FAMILIES = ("openmpi", "mpich")


def _places(name: str) -> list[Path]:
    """Where a build may have put the library, the best first."""
    package = Path(str(_native.__file__)).parent
    found = [package / "dropin" / name]
    # A source tree: the trees of `make setup` and `make test`, then whatever was built last.
    root = Path(__file__).resolve().parents[2]
    if (root / "dropin" / "mpi").is_dir():
        found += [root / "build" / tree / "dropin" / "mpi" / name for tree in ("release", *_FAMILIES)]
        others = (root / "build").glob(f"*/dropin/mpi/{name}")
        found += sorted(others, key=lambda path: path.stat().st_mtime, reverse=True)
    return found


def library(interface: str = "mpi", mpi: str | None = None) -> str:
    """Path of the library to preload.

    interface: 'mpi'. mpi: 'openmpi' or 'mpich', the MPI library of the program; None: the one that Allport was built
    for. Raises AllportError when it is not built.
    """
    if interface != "mpi":
        raise failure(f"interface = '{interface}': expected mpi")
    family = mpi if mpi is not None else (_mpi.family() or _FAMILIES[0])
    if family not in _FAMILIES:
        raise failure(f"mpi = '{family}': expected one of {', '.join(_FAMILIES)}")
    for path in _places(f"liballport_mpi-{family}.so"):
        if path.is_file():
            return str(path)
    raise failure(
        f"the drop-in for {family} is not built; with {family} installed, `make setup` builds it "
        f"(or cmake --build BUILD --target allport_mpi in a build tree of that MPI)",
        "io",
    )
