"""Loads the core that was compiled for the MPI library of this process.

A wheel holds the core once for each binary interface of MPI: 'openmpi' and 'mpich' are those that these libraries
have always had (Intel MPI, MVAPICH and Cray have MPICH's), 'mpiabi' is the standard one of MPI 5. The library that
mpi4py takes or would take says which: by the environment variables MPI4PY_MPIABI and MPI4PY_LIBMPI; otherwise it is
libmpi in the environment's lib folder, then where the loader looks. A build from source holds one core, linked with its
MPI library, and nothing is done here.
"""

from __future__ import annotations

import contextlib
import ctypes
import importlib
import importlib.machinery
import importlib.util
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

__all__ = ["load_core"]

CORE = "allport._native"
# What each interface's library is called, beside libmpi.so, which may be any.
_NAMES = {
    "openmpi": ("libmpi.so.40",),
    "mpich": ("libmpi.so.12", "libmpich.so.12"),
    "mpiabi": ("libmpi_abi.so.1", "libmpi_abi.so.0"),
}
_REMEDY = (
    "pip install 'allport[mpich]' (or [openmpi], [impi]) brings one into this environment; "
    "MPI4PY_LIBMPI=/path/to/libmpi.so names one that is elsewhere"
)


class _Symbol(ctypes.Structure):
    """Dl_info of dladdr(3)."""

    _fields_ = (
        ("file", ctypes.c_char_p),
        ("base", ctypes.c_void_p),
        ("name", ctypes.c_char_p),
        ("at", ctypes.c_void_p),
    )


def cores(package: Path) -> dict[str, Path]:
    """The wheel's cores by their interface; empty in a build from source."""
    found = {path.name.split(".")[1]: path for path in package.glob("_native.*.abi3.so")}
    return {abi: path for abi, path in found.items() if abi in _NAMES}


def interface_of(library: ctypes.CDLL) -> str:
    """Of a library that is loaded, as mpi4py tells them apart."""
    if hasattr(library, "MPI_Abi_get_version"):
        major, minor = ctypes.c_int(0), ctypes.c_int(0)
        if library.MPI_Abi_get_version(ctypes.byref(major), ctypes.byref(minor)) == 0 and major.value > 0:
            return "mpiabi"
    return "openmpi" if hasattr(library, "ompi_mpi_comm_self") else "mpich"


def path_of(library: ctypes.CDLL) -> str:
    """The file that its MPI functions are in, which may be another one than was opened."""
    symbol = _Symbol()
    address = ctypes.cast(library.MPI_Get_version, ctypes.c_void_p)
    if ctypes.CDLL(None).dladdr(address, ctypes.byref(symbol)) == 0 or not symbol.file:
        return str(library._name)
    return os.path.realpath(os.fsdecode(symbol.file))


def _opened(name: str) -> ctypes.CDLL | None:
    try:
        library = ctypes.CDLL(name, mode=os.RTLD_LAZY | os.RTLD_LOCAL)
    except OSError:
        return None
    return library if hasattr(library, "MPI_Get_version") else None


def _extension_of_mpi4py() -> str | None:
    """The file of mpi4py.MPI, where that is imported already or was built for one MPI library."""
    module = sys.modules.get("mpi4py.MPI")
    if module is not None:
        return getattr(module, "__file__", None)
    import mpi4py

    for folder in mpi4py.__path__:
        for suffix in importlib.machinery.EXTENSION_SUFFIXES:
            alone = Path(folder) / f"MPI{suffix}"
            if alone.is_file():
                return str(alone)
    return None


def _wanted() -> str | None:
    """The MPI library that mpi4py is set to use: by mpi4py._mpiabi.MPIABI, or by the environment."""
    from mpi4py import _mpiabi

    given = getattr(_mpiabi, "MPIABI", None) or os.environ.get("MPI4PY_MPIABI")
    if given is None:
        return None
    name = given.lower().translate({ord(c): None for c in " -_"})
    return "mpich" if name == "impi" else name


def _of_interface(wanted: str, folders: Sequence[str]) -> ctypes.CDLL | None:
    """Under the names of that interface's library: in the folders, then where the loader looks."""
    for name in _NAMES[wanted]:
        for folder in [*filter(None, folders), ""]:
            found = _opened(os.path.join(folder, name))
            if found is not None and interface_of(found) == wanted:
                return found
    return None


def find_mpi() -> ctypes.CDLL:
    """The MPI library that mpi4py has loaded or would load, opened. Raises ImportError where there is none."""
    try:
        extension = _extension_of_mpi4py()
    except ImportError as error:
        raise ImportError(f"allport needs mpi4py ({error}): pip install 'mpi4py>=4.1'") from error
    if extension is not None:
        found = _opened(extension)
        if found is None:
            raise ImportError(f"the MPI library of {extension} does not load; {_REMEDY}")
        return found
    _mpiabi: Any = importlib.import_module("mpi4py._mpiabi")
    wanted = _wanted()
    if wanted is not None and wanted not in _NAMES:
        raise ImportError(f"MPI4PY_MPIABI = '{wanted}': expected one of {', '.join(_NAMES)}")
    named = getattr(_mpiabi, "LIBMPI", None) or os.environ.get("MPI4PY_LIBMPI")
    # Which it is asked for first, so that no other is loaded on the way to it.
    found = None
    if wanted is not None and named is None and not hasattr(ctypes.CDLL(None), "MPI_Get_version"):
        found = _of_interface(wanted, _mpiabi._dlopen_rpath())
        if found is not None:
            return found
    with contextlib.suppress(RuntimeError):
        found = _mpiabi._dlopen_libmpi(named)
    if named is not None and found is None:
        raise ImportError(f"MPI4PY_LIBMPI = '{named}': cannot be loaded as an MPI library; {_REMEDY}")
    if found is not None and (named is not None or wanted in (None, interface_of(found))):
        return found
    # None is found under the names that mpi4py knows: Debian's MPICH has a name of its own.
    found = _of_interface("mpich", _mpiabi._dlopen_rpath()) if wanted is None else None
    if found is not None:
        return found
    asked = "" if wanted is None else f" with the interface '{wanted}' that MPI4PY_MPIABI asks for"
    raise ImportError(f"allport found no MPI library{asked}; {_REMEDY}")


def load_core() -> ModuleType | None:
    """Puts the core that fits into sys.modules as allport._native; None in a build from source."""
    held = cores(Path(__file__).parent)
    if not held or CORE in sys.modules:
        return None
    library = find_mpi()
    interface, path = interface_of(library), path_of(library)
    if interface not in held:
        raise ImportError(
            f"{path} has the MPI interface '{interface}', and this allport holds cores for {', '.join(sorted(held))}; "
            f"{_REMEDY}"
        )
    # The core names no MPI library, and so takes its functions from whichever is there for all.
    ctypes.CDLL(path, mode=os.RTLD_LAZY | os.RTLD_GLOBAL)
    loader = importlib.machinery.ExtensionFileLoader(CORE, str(held[interface]))
    spec = importlib.util.spec_from_file_location(CORE, held[interface], loader=loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[CORE] = module
    try:
        loader.exec_module(module)
    except ImportError:
        del sys.modules[CORE]
        raise
    return module


def _is_command() -> bool:
    """Whether this process is `allport ...` or `python -m allport ...`."""
    return Path(sys.argv[0]).name == "allport" or sys.orig_argv[1:3] == ["-m", "allport"]


try:
    load_core()
except ImportError as _error:
    if not _is_command():
        raise
    sys.stderr.write(f"allport: {_error}\n")
    raise SystemExit(1) from None
