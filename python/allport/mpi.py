"""Keeps mpi4py and Allport on one MPI library.

mpi4py's wheel decides when it is imported which MPI library to load; Allport was compiled for one, or, as a wheel, has
chosen one of its cores by the same rule (allport.abi). Two libraries in one process would both start up and then
misread each other's handles. Importing allport therefore tells mpi4py which library to take (environment variables
MPI4PY_MPIABI and MPI4PY_LIBMPI, unless they are set already; a wheel tells mpi4py in this process alone), and
`check()`, which everything that communicates calls first, compares what was loaded.
"""

from __future__ import annotations

import ctypes
import os
import sys
from pathlib import Path
from typing import Any, NoReturn

from allport import _native, abi


def build_info() -> dict[str, Any]:
    """What Allport was built with: version, MPI library and BLAS, compiler."""
    return dict(_native.build_info())


def family() -> str:
    """'openmpi' or 'mpich': the MPI that Allport was compiled for ('' when it is neither)."""
    return str(_native.build_info()["mpi_family"])


def interface() -> str:
    """The binary interface of MPI that Allport was compiled for: 'openmpi', 'mpich', or MPI 5's 'mpiabi'."""
    return str(_native.build_info()["mpi_abi"])


def library_version() -> str:
    """MPI_Get_library_version of the MPI that Allport is linked with."""
    return _native.mpi_library_version()


def library_path() -> str:
    """Path of the MPI library that Allport is linked with."""
    return _native.libmpi_path()


def end_job(code: int = 1) -> NoReturn:
    """Ends every rank of the job with exit code `code`, once the launcher has read what this rank has written.

    A launcher may discard output that it has not read when MPI_Abort ends the job.
    """
    from mpi4py import MPI

    sys.stdout.flush()
    sys.stderr.flush()
    _native.drain_output()
    MPI.COMM_WORLD.Abort(code)
    raise SystemExit(code)  # not reached where MPI_Abort does what it should


def guide_mpi4py() -> None:
    """Points an mpi4py that is not imported yet at Allport's MPI library. Called when allport is imported."""
    if "mpi4py.MPI" in sys.modules or not family():
        return
    _meet_abi_name()
    if abi.cores(Path(abi.__file__).parent):
        # The library is in this process for all. In the environment the interface would make other Pythons, which may
        # not import allport first, look for the library by its name alone.
        from mpi4py import _mpiabi

        if not (_mpiabi.MPIABI or os.environ.get("MPI4PY_MPIABI")):
            _mpiabi.MPIABI = interface()
        return
    os.environ.setdefault("MPI4PY_MPIABI", interface())
    if not {"MPI4PY_LIBMPI", "I_MPI_ROOT"} & os.environ.keys():
        os.environ["MPI4PY_LIBMPI"] = _native.libmpi_path()


def abi_name() -> Path:
    """A library that is called libmpi.so.12, as mpi4py's wheel asks for MPICH's, and brings in one of another name,
    libmpich.so.12, as Debian has it. Not there in a build from source for another MPI library."""
    return Path(str(_native.__file__)).parent / "mpich" / "libmpi.so.12"


def _meet_abi_name() -> None:
    bridge = abi_name()
    if bridge.exists() and Path(_native.libmpi_path()).name.startswith("libmpich"):
        ctypes.CDLL(str(bridge), mode=ctypes.RTLD_GLOBAL)


def _loaded_libraries() -> list[str]:
    """MPI libraries in this process (Linux; elsewhere empty)."""
    try:
        lines = Path("/proc/self/maps").read_text().splitlines()
    except OSError:
        return []
    names = {os.path.realpath(line.split()[-1]) for line in lines if "/libmpi" in line}
    bases = ("libmpi.so", "libmpich.so", "libmpi_abi.so", "libmpi_cray.so", "libmpi.dylib")
    bridge = os.path.realpath(abi_name().parent)
    return sorted(n for n in names if Path(n).name.startswith(bases) and not n.startswith(bridge))


def joined_size() -> int | None:
    """Number of ranks when this process was started by mpiexec, mpirun or srun; None when it was not."""
    env = os.environ
    for name in ("OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS", "PMIX_SIZE"):
        if env.get(name, "").isdigit():
            return int(env[name])
    # srun gives each task these; sbatch's own shell has SLURM_NTASKS, too, but no rank of PMI.
    if ("PMIX_RANK" in env or "PMI_RANK" in env) and env.get("SLURM_NTASKS", "").isdigit():
        return int(env["SLURM_NTASKS"])
    return None


def _right_launcher() -> str:
    """What starts programs of Allport's MPI library, in words."""
    beside = Path(os.path.realpath(_native.libmpi_path())).parents[1] / "bin" / "mpiexec"
    own = str(beside) if beside.is_file() else str(_native.build_info()["mpiexec"])
    return f"start it with {own or f'the mpiexec of {_native.libmpi_path()}'}, or use `allport run` and `allport exec`"


def _warn_of_another_launcher() -> None:
    # MPICH ends such a process while it starts, in words that name neither.
    if family() == "mpich" and os.environ.get("OMPI_COMM_WORLD_RANK") == "0" and "mpi4py.MPI" not in sys.modules:
        sys.stderr.write(
            f"allport: warning: Open MPI's mpiexec has started this program, whose MPI library is "
            f"{_words(_native.mpi_library_version())}; where that does not start, {_right_launcher()}\n"
        )


def check_ranks(size: int) -> None:
    """size: of MPI_COMM_WORLD. Raises ImportError where mpiexec has started more processes, which do not see each
    other: it belongs to another MPI library."""
    started = joined_size()
    if size == 1 and started is not None and started > 1:
        raise ImportError(
            f"mpiexec has started {started} processes, and each is alone: that mpiexec belongs to another MPI library "
            f"than {_words(_native.mpi_library_version())}, which is used here; {_right_launcher()}"
        )


def _words(version: str) -> str:
    return " ".join(version.partition("\n")[0].partition(",")[0].split()[:4]).rstrip("\0")


def check() -> None:
    """Imports mpi4py.MPI and makes sure that it uses Allport's MPI library.

    Raises ImportError that says what to set or install when it does not.
    """
    remedy = (
        f"import allport before mpi4py, or set MPI4PY_MPIABI={interface()} and "
        f"MPI4PY_LIBMPI={_native.libmpi_path()} in the environment; an mpi4py that was built from source must be "
        f"rebuilt with this MPI's mpicc: MPICC=... pip install --force-reinstall --no-binary mpi4py mpi4py"
    )
    ours = _native.mpi_library_version()
    _warn_of_another_launcher()
    try:
        from mpi4py import MPI
    except ImportError as error:
        if interface() == "mpiabi" and "mpi4py" in sys.modules:
            raise ImportError(
                f"this mpi4py has no module for MPI's standard interface, which {_native.libmpi_path()} has ({error}): "
                "unset MPI4PY_MPIABI and MPI4PY_LIBMPI, or compile one for it: MPICC=mpicc_abi pip install "
                "--force-reinstall --no-binary mpi4py mpi4py"
            ) from error
        raise ImportError(
            f"mpi4py cannot be imported ({error}); Allport was built for {_words(ours)} ({_native.libmpi_path()}): "
            f"pip install 'mpi4py>=4.1', then {remedy}"
        ) from error
    theirs = MPI.Get_library_version()
    loaded = _loaded_libraries()
    if theirs.strip("\0 \n") != ours.strip("\0 \n") or len(loaded) > 1:
        raise ImportError(
            f"mpi4py and Allport use different MPI libraries: mpi4py has {_words(theirs)}, Allport was built for "
            f"{_words(ours)} ({_native.libmpi_path()}; loaded: {', '.join(loaded) or 'unknown'}). Remedy: {remedy}"
        )


guide_mpi4py()
