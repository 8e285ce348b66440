"""Matrix files: .npy, Matrix Market and HDF5, read and written by all ranks, each its own part.

Outputs are written aside and renamed, so that a failed run leaves no file behind.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from allport import _native
from allport._native import Layout
from allport.errors import AllportError, failure, together

if TYPE_CHECKING:
    from allport.comm import Communicator

__all__ = ["MatrixFile", "check_output", "ensure_writable", "inspect", "read", "scalar_of", "write"]

_SCALARS = {"f4": "s", "f8": "d", "c8": "c", "c16": "z"}


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
    kind = os.path.splitext(text)[1].lower().lstrip(".")
    if kind not in ("npy", "mtx"):
        raise failure(f"{argument} '{text}': expected a name that ends in .npy, .mtx or .h5:DATASET", "io")
    return text, kind, ""


def _h5py() -> Any:
    try:
        import h5py
    except ImportError as error:
        raise failure("HDF5 files need h5py; pip install h5py", "unsupported") from error
    return h5py


def _open_dataset(file: Any, path: str, dataset: str) -> Any:
    h5py = _h5py()
    found: list[str] = []
    file.visititems(lambda name, item: found.append(name) if isinstance(item, h5py.Dataset) else None)
    if not dataset and len(found) == 1:
        return file[found[0]]
    if dataset not in file or not isinstance(file[dataset], h5py.Dataset):
        names = ", ".join(found[:8]) or "none"
        raise failure(f"file '{path}': dataset '{dataset}' not found; it has {names}; write {path}:DATASET", "io")
    return file[dataset]


def _inspect_h5(path: str, dataset: str) -> MatrixFile:
    h5py = _h5py()
    try:
        with h5py.File(path, "r") as file:
            data = _open_dataset(file, path, dataset)
            if len(data.shape or ()) not in (1, 2):
                raise failure(f"file '{path}:{dataset}': has shape {data.shape}; expected 1 or 2 dimensions", "io")
            working_dtype(data.dtype)
            shape = (data.shape[0], data.shape[1] if len(data.shape) == 2 else 1)
            return MatrixFile(path, "h5", shape, data.dtype, data.name.lstrip("/"))
    except OSError as error:
        raise failure(f"file '{path}': not a readable HDF5 file ({error})", "io") from error


def inspect(name: str | os.PathLike[str], argument: str = "file") -> MatrixFile:
    """Reads the head of a matrix file. No MPI. Raises AllportError naming the file when it is not usable."""
    path, kind, dataset = _split(name, argument)
    if not os.path.isfile(path):
        folder = os.path.abspath(os.path.dirname(path))
        raise failure(f"{argument} '{path}': there is no such file in {folder}; check its path", "io")
    if kind == "h5":
        return _inspect_h5(path, dataset)
    try:
        head = (_native.read_npy_header if kind == "npy" else _native.read_mtx_header)(path)
    except AllportError as error:
        raise failure(f"{argument} {error}", error.kind) from error  # which begins with the path
    if kind == "npy":
        return MatrixFile(path, kind, head.shape, np.dtype(head.dtype if head.dtype != "b1" else "?"), header=head)
    return MatrixFile(path, kind, head.shape, np.dtype("c16" if head.complex else "f8"), header=head)


def local_block(layout: Layout, rank: int, dtype: Any) -> np.ndarray:
    """An empty column-major array for a rank's part."""
    return np.empty(layout.local_shape(rank), dtype=dtype, order="F")


def boxes(layout: Layout, rank: int) -> Iterator[tuple[tuple[int, int], tuple[int, int], tuple[slice, slice]]]:
    """(rows, columns, where in the local part) of every contiguous box that a rank owns."""
    for g, l, n in layout.row_runs(rank):
        for cg, cl, cn in layout.col_runs(rank):
            if n and cn:
                yield (g, g + n), (cg, cg + cn), (slice(l, l + n), slice(cl, cl + cn))


def read(file: MatrixFile, comm: Communicator, layout: Layout, dtype: Any) -> np.ndarray:
    """This rank's part of a file, [local rows, local columns], column-major. Called by all ranks of `comm`.

    .npy: each rank reads its own boxes. Matrix Market: each rank reads a byte range and sends entries to their owners
    (entries that are given twice add up). HDF5: ranks take turns. Raises AllportError on every rank.
    """
    if layout.shape != file.shape:
        raise failure(f"layout: has shape {layout.shape}, the file '{file.name}' {file.shape}")
    local = np.empty(0)
    with together(comm):
        local = local_block(layout, comm.rank, dtype)
    if file.kind == "h5":
        _read_h5(file, comm, layout, local)
    else:
        load = _native.load_npy if file.kind == "npy" else _native.load_mtx
        load(comm._native, file.path, scalar_of(dtype), layout, local)
    return local


def _read_h5(file: MatrixFile, comm: Communicator, layout: Layout, local: np.ndarray) -> None:
    h5py, text = _h5py(), ""
    for turn in range(comm.size):
        if turn == comm.rank:
            try:
                with h5py.File(file.path, "r") as handle:
                    data = _open_dataset(handle, file.path, file.dataset)
                    for (r0, r1), (c0, c1), where in boxes(layout, comm.rank):
                        box = data[r0:r1, c0:c1] if data.ndim == 2 else data[r0:r1, None]
                        local[where] = box
            except (OSError, AllportError) as error:
                text = f"file '{file.name}': {error}"
        comm.barrier()
    comm.ensure_all_well(text)


def ensure_writable(path: str | os.PathLike[str], argument: str = "output") -> None:
    """Raises AllportError, naming the argument, unless a file can be written at `path`."""
    text = os.fspath(path)
    folder = os.path.dirname(text) or "."
    if not os.path.isdir(folder):
        raise failure(f"{argument} '{text}': there is no folder '{folder}'; make it first", "io")
    if os.path.isdir(text):
        raise failure(f"{argument} '{text}': is a folder; name a file in it", "io")
    if not os.access(folder, os.W_OK):
        raise failure(f"{argument} '{text}': folder '{folder}' may not be written to; choose another", "io")


def check_output(name: str | os.PathLike[str]) -> None:
    """Raises AllportError unless a matrix can be written at `name`."""
    path, kind, dataset = _split(name, "output")
    ensure_writable(path)
    if kind == "h5":
        _h5py()
        if not dataset:
            raise failure(f"output '{path}': expected a dataset's name; write {path}:DATASET", "io")


@contextmanager
def _aside(comm: Communicator, path: str) -> Iterator[str]:
    """A path to write to, equal on all ranks, that takes the place of `path` when all went well."""
    aside = comm.mpi4py.bcast(f"{path}.part{os.getpid()}" if comm.rank == 0 else None)
    try:
        yield aside
        comm.barrier()
        with together(comm):
            if comm.rank == 0:
                os.replace(aside, path)
    finally:
        if comm.rank == 0 and os.path.exists(aside):
            os.unlink(aside)


def write(name: str | os.PathLike[str], comm: Communicator, layout: Layout, local: np.ndarray) -> None:
    """Writes a distributed matrix. Called by all ranks; raises AllportError on every rank, and leaves no partial file.

    .npy: each rank writes its own boxes. HDF5: ranks take turns; other datasets of an existing file
    stay. Matrix Market (array format): columns are gathered into blocks that ranks append in turns.
    """
    with together(comm):
        check_output(name)
    path, kind, dataset = _split(name, "output")
    if kind == "npy":
        _native.save_npy(comm._native, path, scalar_of(local.dtype), layout, local)
        return
    with _aside(comm, path) as aside:
        if kind == "mtx":
            _write_mtx(aside, comm, layout, local)
        else:
            _write_h5(path, aside, dataset, comm, layout, local)


def _write_h5(path: str, aside: str, dataset: str, comm: Communicator, layout: Layout, local: np.ndarray) -> None:
    h5py, text = _h5py(), ""
    for turn in range(comm.size):
        if turn == comm.rank:
            try:
                if turn == 0 and os.path.exists(path):
                    shutil.copyfile(path, aside)
                with h5py.File(aside, "a") as handle:
                    if turn == 0:
                        if dataset in handle:
                            del handle[dataset]
                        handle.create_dataset(dataset, shape=layout.shape, dtype=local.dtype)
                    for (r0, r1), (c0, c1), where in boxes(layout, comm.rank):
                        handle[dataset][r0:r1, c0:c1] = local[where]
            except (OSError, ValueError, RuntimeError) as error:
                text = f"output '{path}:{dataset}': {error}"
        comm.barrier()
    comm.ensure_all_well(text)


def _write_mtx(aside: str, comm: Communicator, layout: Layout, local: np.ndarray) -> None:
    columns = Layout.balanced(layout.shape, (1, comm.size), list(range(comm.size)))
    block = local_block(columns, comm.rank, local.dtype)
    _native.redistribute(comm._native, scalar_of(local.dtype), layout, local, columns, block)
    text = ""
    for turn in range(comm.size):
        if turn == comm.rank:
            try:
                with open(aside, "w" if turn == 0 else "a") as out:
                    if turn == 0:
                        field = "complex" if np.iscomplexobj(local) else "real"
                        out.write(f"%%MatrixMarket matrix array {field} general\n{layout.shape[0]} {layout.shape[1]}\n")
                    _append_columns(out, block)
            except OSError as error:
                text = f"output '{aside}': {error.strerror}"
        comm.barrier()
    comm.ensure_all_well(text)


def _append_columns(out: Any, block: np.ndarray) -> None:
    # repr of a float is the shortest text that reads back to the same bits.
    for column in block.T:
        if np.iscomplexobj(block):
            out.writelines(f"{float(z.real)!r} {float(z.imag)!r}\n" for z in column)
        elif block.dtype == np.float32:
            out.writelines(f"{x!s}\n" for x in column)
        else:
            out.writelines(f"{x!r}\n" for x in column.tolist())
