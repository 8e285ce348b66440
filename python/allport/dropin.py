"""The libraries that put Allport under programs which never heard of it.

    LD_PRELOAD=$(allport dropin mpi) ALLPORT_MACHINE=torus:4x4 mpiexec -n 16 ./program
    LD_PRELOAD=$(allport dropin scalapack) mpiexec -n 16 ./solver

docs/concepts/dropin.md tells what is taken; docs/reference/dropin.md and docs/reference/scalapack.md which environment
they read.
"""

from __future__ import annotations

from pathlib import Path

from allport import _native
from allport import mpi as _mpi
from allport.errors import failure

__all__ = ["library"]

_FAMILIES = ("openmpi", "mpich")
_ABIS = (*_FAMILIES, "mpiabi")
_INTERFACES = ("mpi", "scalapack")
_SANITIZED = ("asan", "tsan")


def _places(interface: str, name: str) -> list[Path]:
    """Where a build may have put the library, the best first."""
    package = Path(str(_native.__file__)).parent
    found = [package / "dropin" / name]
    # A source tree: the trees of `make setup` and `make test`, then whatever was built last. A library with a sanitizer
    # in it cannot be preloaded into programs without.
    root = Path(__file__).resolve().parents[2]
    if (root / "dropin" / interface).is_dir():
        found += [root / "build" / tree / "dropin" / interface / name for tree in ("release", *_FAMILIES)]
        built = (root / "build").glob(f"*/dropin/{interface}/{name}")
        others = [path for path in built if path.parents[2].name not in _SANITIZED]
        found += sorted(others, key=lambda path: path.stat().st_mtime, reverse=True)
    return found


def library(interface: str = "mpi", mpi: str | None = None, *, ilp64: bool = False) -> str:
    """Path of the library to preload.

    interface: 'mpi' or 'scalapack'. mpi: 'openmpi' or 'mpich', the MPI library of the program, or 'mpiabi' where it was
    built for MPI 5's standard binary interface (only wheels hold these); None: what Allport itself was built for.
    ilp64: the ScaLAPACK drop-in with 64-bit integers. Raises Error when it is not built.
    """
    if interface not in _INTERFACES:
        raise failure(f"interface = '{interface}': expected {' or '.join(_INTERFACES)}")
    family = mpi if mpi is not None else (_mpi.interface() or _FAMILIES[0])
    if family not in _ABIS:
        raise failure(f"mpi = '{family}': expected one of {', '.join(_ABIS)}")
    if ilp64 and interface != "scalapack":
        raise failure(f"ilp64 = True: expected False for {interface}, which has no integers of its own")
    target = f"allport_{interface}"
    name = f"lib{target}-{'ilp64-' if ilp64 else ''}{family}.so"
    for path in _places(interface, name):
        if path.is_file():
            return str(path)
    option = ", configured with -DALLPORT_ILP64=ON," if ilp64 else ""
    raise failure(
        f"the {interface} drop-in for {family} is not built; with {family} installed, `make setup` builds it "
        f"(or cmake --build BUILD --target {target}{'_ilp64' if ilp64 else ''} in a build tree{option} of that MPI)",
        "io",
    )
