"""Matrix files: .npy, Matrix Market and HDF5, read and written by all ranks, each its own part.

Outputs are written aside and renamed, so that a failed run leaves no file behind.
"""

from __future__ import annotations

import bz2
import gzip
import os
import re
import shutil
import tempfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from allport import _native, hdf5
from allport._native import Distribution
from allport.errors import Error, failure, together

if TYPE_CHECKING:
    from allport.comm import Communicator

__all__ = ["MatrixFile", "check_output", "ensure_writable", "inspect", "read", "scalar_of", "write"]

# The types that are computed in, by LAPACK's letters.
DTYPES = {"s": "float32", "d": "float64", "c": "complex64", "z": "complex128"}
_SCALARS = {np.dtype(name).str[1:]: letter for letter, name in DTYPES.items()}
# Compressed Matrix Market files that are read, by the ends of their names as scipy.io.mmread has them.
_UNPACKERS: dict[str, Callable[[str], Any]] = {"gz": gzip.open, "bz2": bz2.open}


@contextmanager
def replacing(path: Path, name: str) -> Iterator[Path]:
    """A file to write in place of `path`, where it is put in the end: what fails leaves no file, and spoils none.

    Raises Error, with `name` for the file, where it cannot be written.
    """
    aside = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        yield aside
        aside.replace(path)
    except OSError as error:
        raise Error(f"{name}: cannot be written: {error.strerror}") from error
    finally:
        aside.unlink(missing_ok=True)


def scalar_of(dtype: Any) -> str:
    """'s', 'd', 'c' or 'z' of float32, float64, complex64 or complex128."""
    dtype = np.dtype(dtype)
    name = dtype.str[1:]
    if name not in _SCALARS:
        raise failure(f"dtype = '{dtype}': expected float32, float64, complex64 or complex128")
    return _SCALARS[name]


def working_dtype(*dtypes: Any) -> np.dtype:
    """The type to compute in: float32, float64, complex64 or complex128. Integers and bools count as float64."""
    for d in dtypes:
        if np.dtype(d).kind not in "biufc":
            raise failure(f"dtype = '{np.dtype(d)}': expected numbers; object arrays are never unpickled")
    wide = [np.dtype("f8") if np.dtype(d).kind in "biu" else np.dtype(d) for d in dtypes]
    result = np.result_type(np.float32, *wide)
    if result.str[1:] not in _SCALARS:
        raise failure(
            f"dtype = '{result}': expected at most double precision; convert with astype('f8') or astype('c16')"
        )
    return result


@dataclass(frozen=True)
class MatrixFile:
    """What the head of a matrix file says. 1-D arrays count as one column."""

    path: str
    kind: str  # 'npy', 'mtx' or 'h5'
    shape: tuple[int, int]
    dtype: np.dtype
    dataset: str = ""
    header: Any = None
    unpacked: Any = None  # of a compressed file: its text, in a file without a name that goes with this object

    @property
    def name(self) -> str:
        """The path as the user wrote it."""
        return f"{self.path}:{self.dataset}" if self.dataset else self.path


def _split(name: str | os.PathLike[str], argument: str) -> tuple[str, str, str]:
    """(path, kind, dataset) of a file name."""
    text = os.fspath(name)
    match = re.fullmatch(r"(.*\.(?:h5|hdf5|hdf))(?::(.*))?", text, re.IGNORECASE | re.DOTALL)
    if match:
        return match.group(1), "h5", match.group(2) or ""
    stem, kind = os.path.splitext(text.lower())
    if kind[1:] in _UNPACKERS and stem.endswith(".mtx") and argument != "output":
        kind = ".mtx"
    if kind in (".gz", ".bz2", ".xz", ".zst", ".zip"):
        wanted = "written as it is; compress it afterwards" if argument == "output" else "unpacked first"
        raise failure(f"{argument} '{text}': must be {wanted}; only .mtx.gz and .mtx.bz2 are read compressed", "io")
    if kind not in (".npy", ".mtx"):
        raise failure(f"{argument} '{text}': expected a name that ends in .npy, .mtx or .h5:DATASET", "io")
    return text, kind[1:], ""


def _unpacked(path: str, argument: str) -> Any:
    """The text of a compressed file, in a temporary file; None for others."""
    unpack = _UNPACKERS.get(os.path.splitext(path)[1].lower().lstrip("."))
    if unpack is None:
        return None
    text = tempfile.TemporaryFile()  # noqa: SIM115 - it is closed with the MatrixFile that has it
    try:
        with unpack(path) as packed:
            shutil.copyfileobj(packed, text, 1 << 20)
        text.flush()
    except (OSError, EOFError, zlib.error) as error:
        text.close()
        raise failure(f"{argument} '{path}': cannot be unpacked: {error}", "io") from error
    return text


@contextmanager
def _native_path(path: str, unpacked: Any) -> Iterator[str]:
    """Where the C++ reader finds a file; its errors name the file as the user wrote it."""
    there = path if unpacked is None else f"/proc/self/fd/{unpacked.fileno()}"
    try:
        yield there
    except Error as error:
        if unpacked is None:
            raise
        text = re.sub(r"'/proc/self/fd/\d+'", lambda _: f"'{path}', unpacked", str(error))  # of the rank that failed
        raise failure(text, error.kind) from error


def inspect(name: str | os.PathLike[str], argument: str = "file") -> MatrixFile:
    """Reads the head of a matrix file. No MPI. Raises Error naming the file when it is not usable."""
    path, kind, dataset = _split(name, argument)
    if not os.path.isfile(path):
        folder = os.path.abspath(os.path.dirname(path))
        raise failure(f"{argument} '{path}': there is no such file in {folder}; check its path", "io")
    if kind == "h5":
        shape, dtype, found = hdf5.head(path, dataset, argument)
        working_dtype(dtype)
        return MatrixFile(path, "h5", shape, dtype, found)
    try:
        if kind == "npy":
            npy = _native.read_npy_header(path)
            return MatrixFile(path, kind, npy.shape, np.dtype(npy.dtype if npy.dtype != "b1" else "?"), header=npy)
        unpacked = _unpacked(path, argument)
        with _native_path(path, unpacked) as there:
            mtx = _native.read_mtx_header(there)
        dtype = np.dtype("c16" if mtx.complex else "f8")
        return MatrixFile(path, kind, mtx.shape, dtype, header=mtx, unpacked=unpacked)
    except Error as error:
        raise failure(f"{argument} {error}", error.kind) from error  # which begins with the path


def local_block(distribution: Distribution, rank: int, dtype: Any) -> np.ndarray:
    """An empty column-major array for a rank's part."""
    return np.empty(distribution.local_shape(rank), dtype=dtype, order="F")


def boxes(
    distribution: Distribution, rank: int
) -> Iterator[tuple[tuple[int, int], tuple[int, int], tuple[slice, slice]]]:
    """(rows, columns, where in the local part) of every contiguous box that a rank owns."""
    for g, l, n in distribution.row_runs(rank):
        for cg, cl, cn in distribution.col_runs(rank):
            if n and cn:
                yield (g, g + n), (cg, cg + cn), (slice(l, l + n), slice(cl, cl + cn))


def read(file: MatrixFile, comm: Communicator, distribution: Distribution, dtype: Any) -> np.ndarray:
    """This rank's part of a file, [local rows, local columns], column-major. Called by all ranks of `comm`.

    .npy: each rank reads its own boxes. Matrix Market: each rank reads a byte range and sends entries to their owners
    (entries that are given twice add up); of compressed ones each rank unpacks the whole. HDF5: ranks take
    turns. Raises Error on every rank, also where ranks see different files.
    """
    matrix: Any = None
    local, scalar = np.empty(0), ""
    with together(comm):
        if distribution.shape != file.shape:
            raise failure(f"distribution: has shape {distribution.shape}, the file '{file.name}' {file.shape}")
        scalar = scalar_of(dtype)
        if file.dtype.kind == "c" and np.dtype(dtype).kind != "c":
            raise failure(f"file '{file.name}' holds complex numbers: expected a complex matrix to read them into")
        local = local_block(distribution, comm.rank, dtype)
        matrix = _native.Matrix(comm._native, distribution, local)
    for name, value in (("rows", file.shape[0]), ("columns", file.shape[1]), ("type to read", ord(scalar))):
        comm.ensure_agreement(f"{name} of '{file.name}'", value)
    if file.kind == "h5":
        mine = boxes(distribution, comm.rank)
        _in_turns(comm, lambda turn: hdf5.read_boxes(file.path, file.dataset, mine, local))
    else:
        load = _native.load_npy if file.kind == "npy" else _native.load_mtx
        with _native_path(file.path, file.unpacked) as there:
            load(there, matrix)
    return local


def _in_turns(comm: Communicator, work: Callable[[int], None]) -> None:
    """work(turn) on one rank after the other; where one fails, nobody goes on and all raise its error."""
    for turn in range(comm.size):
        with together(comm):
            if turn == comm.rank:
                work(turn)


def ensure_writable(path: str | os.PathLike[str], argument: str = "output") -> None:
    """Raises Error, naming the argument, unless a file can be written at `path`."""
    text = os.fspath(path)
    folder = os.path.dirname(text) or "."
    if not os.path.isdir(folder):
        raise failure(f"{argument} '{text}': there is no folder '{folder}'; make it first", "io")
    if os.path.isdir(text):
        raise failure(f"{argument} '{text}': is a folder; name a file in it", "io")
    if os.path.exists(text) and not os.path.isfile(text):
        raise failure(f"{argument} '{text}': is no regular file, and would be replaced by one; name another", "io")
    if not os.access(folder, os.W_OK):
        raise failure(f"{argument} '{text}': folder '{folder}' may not be written to; choose another", "io")


def check_output(name: str | os.PathLike[str]) -> None:
    """Raises Error unless a matrix can be written at `name`."""
    path, kind, dataset = _split(name, "output")
    ensure_writable(path)
    if kind == "h5":
        hdf5.check_place(path, dataset)


@contextmanager
def aside(comm: Communicator, path: str | os.PathLike[str]) -> Iterator[str]:
    """A path to write to, equal on all ranks, that takes the place of `path` when all went well. Called by all ranks.

    What is raised in the body must be raised on all of them.
    """
    name = comm.mpi4py.bcast(f"{os.fspath(path)}.part{os.getpid()}" if comm.rank == 0 else None)
    try:
        yield name
        comm.barrier()
        with together(comm):
            if comm.rank == 0:
                os.replace(name, path)
    finally:
        if comm.rank == 0:
            with suppress(OSError):  # it has its name, or was never made
                os.unlink(name)


def write(name: str | os.PathLike[str], comm: Communicator, distribution: Distribution, local: np.ndarray) -> None:
    """Writes a distributed matrix. Called by all ranks; raises Error on every rank, and leaves no partial file.

    .npy: each rank writes its own boxes. HDF5: ranks take turns; everything else in an existing file
    stays. Matrix Market (array format): columns are gathered into blocks that ranks append in turns.
    """
    with together(comm):
        check_output(name)
    path, kind, dataset = _split(name, "output")
    if kind == "npy":
        _native.save_npy(path, _native.Matrix(comm._native, distribution, local))
        return
    with aside(comm, path) as part:
        if kind == "mtx":
            _write_mtx(path, part, comm, distribution, local)
            return
        with together(comm):
            if comm.rank == 0:
                hdf5.create(path, part, dataset, distribution.shape, local.dtype)
        mine = boxes(distribution, comm.rank)
        _in_turns(comm, lambda turn: hdf5.write_boxes(path, part, dataset, mine, local))


def _write_mtx(path: str, part: str, comm: Communicator, distribution: Distribution, local: np.ndarray) -> None:
    columns = Distribution.balanced(distribution.shape, (1, comm.size), list(range(comm.size)))
    block = np.empty(0)
    with together(comm):
        block = local_block(columns, comm.rank, local.dtype)
    native = comm._native
    _native.redistribute(_native.Matrix(native, distribution, local), _native.Matrix(native, columns, block))

    def append(turn: int) -> None:
        # Only rank 0 makes the file: on a disk that another rank does not share, there is none to append to.
        try:
            with open(part, "w" if turn == 0 else "r+") as out:
                out.seek(0, os.SEEK_END)
                if turn == 0:
                    field = "complex" if np.iscomplexobj(local) else "real"
                    rows, cols = distribution.shape
                    out.write(f"%%MatrixMarket matrix array {field} general\n{rows} {cols}\n")
                _append_columns(out, block)
        except OSError as error:
            raise failure(f"output '{path}': cannot be written: {error.strerror}", "io") from error

    _in_turns(comm, append)


def _append_columns(out: Any, block: np.ndarray) -> None:
    # repr of a float is the shortest text that reads back to the same bits.
    for column in block.T:
        if np.iscomplexobj(block):
            out.writelines(f"{float(z.real)!r} {float(z.imag)!r}\n" for z in column)
        elif block.dtype == np.float32:
            out.writelines(f"{x!s}\n" for x in column)
        else:
            out.writelines(f"{x!r}\n" for x in column.tolist())
