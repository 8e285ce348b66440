"""HDF5 datasets as matrices. No MPI; h5py is loaded when the first is named.

Whatever h5py raises (it knows a dozen kinds) comes out as Error that names file and dataset.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from io import FileIO
from typing import Any

import numpy as np

from allport.errors import Error, failure

__all__ = ["check_place", "create", "head", "read_boxes", "write_boxes"]

Box = tuple[tuple[int, int], tuple[int, int], tuple[slice, slice]]


def _h5py() -> Any:
    try:
        import h5py
    except ImportError as error:
        raise failure("HDF5 files need h5py; pip install h5py", "unsupported") from error
    return h5py


class _Writable(FileIO):
    """A file whose writes never fail in HDF5's sight: a file that HDF5 cannot flush it cannot close either, and it
    complains at any time until the process ends. What went wrong is kept, to be raised when HDF5 has let go."""

    trouble: OSError | None = None

    def write(self, data: Any) -> int:
        """All of it, or from the first failure on nothing more."""
        left = memoryview(data).cast("B")
        try:
            while len(left) and self.trouble is None:
                left = left[super().write(left) or 0 :]
        except OSError as error:
            self.trouble = error
        return memoryview(data).nbytes

    def truncate(self, size: int | None = None) -> int:
        """As FileIO's, when nothing has failed yet."""
        try:
            if self.trouble is None:
                return super().truncate(size)
        except OSError as error:
            self.trouble = error
        return size or 0


@contextmanager
def _writing(path: str, mode: str, what: str) -> Iterator[Any]:
    """The HDF5 file `path`, which 'w' makes and 'r+' finds."""
    h5py = _h5py()
    try:
        with _Writable(path, "w+" if mode == "w" else mode) as below:
            try:
                with h5py.File(below, mode) as file:
                    yield file
            except Exception:
                if below.trouble is None:
                    raise
            if below.trouble is not None:
                raise below.trouble
    except (Error, MemoryError):
        raise
    except Exception as error:
        reason = getattr(error, "strerror", None) or error
        raise failure(f"{what}: cannot be written ({reason})", "io") from error


@contextmanager
def _opened(path: str, what: str, wrong: str) -> Iterator[Any]:
    h5py = _h5py()
    try:
        with h5py.File(path, "r") as file:
            yield file
    except (Error, MemoryError):
        raise
    except Exception as error:
        raise failure(f"{what}: {wrong} ({error})", "io") from error


def _dataset(file: Any, path: str, dataset: str) -> Any:
    h5py = _h5py()
    found: list[str] = []
    file.visititems(lambda name, item: found.append(name) if isinstance(item, h5py.Dataset) else None)
    if not dataset and len(found) == 1:
        return file[found[0]]
    if dataset not in file or not isinstance(file[dataset], h5py.Dataset):
        names = ", ".join(found[:8]) or "none"
        raise failure(f"file '{path}': dataset '{dataset}' not found; it has {names}; write {path}:DATASET", "io")
    return file[dataset]


def head(path: str, dataset: str, argument: str) -> tuple[tuple[int, int], np.dtype, str]:
    """(shape, dtype, full name) of a dataset; '' names the only one of a file. 1-D counts as one column."""
    with _opened(path, f"{argument} '{path}'", "not a readable HDF5 file") as file:
        data = _dataset(file, path, dataset)
        if len(data.shape or ()) not in (1, 2):
            raise failure(f"file '{path}:{dataset}': has shape {data.shape}; expected 1 or 2 dimensions", "io")
        return (data.shape[0], data.shape[1] if len(data.shape) == 2 else 1), data.dtype, data.name.lstrip("/")


def read_boxes(path: str, dataset: str, boxes: Iterable[Box], local: np.ndarray) -> None:
    """Reads boxes (rows, columns, where in local) of a dataset."""
    with _opened(path, f"file '{path}:{dataset}'", "cannot be read") as file:
        data = _dataset(file, path, dataset)
        for (r0, r1), (c0, c1), where in boxes:
            local[where] = data[r0:r1, c0:c1] if data.ndim == 2 else data[r0:r1, None]


def check_place(path: str, dataset: str) -> None:
    """Raises Error unless a matrix can become `dataset` of the file without taking anything else away.

    An older dataset of that name is replaced; a group, a link or a path that leads through a dataset is not.
    """
    h5py = _h5py()
    parts = [part for part in dataset.split("/") if part not in ("", ".")]
    if not parts:
        raise failure(f"output '{path}:{dataset}': expected a dataset's name; write {path}:DATASET", "io")
    if not os.path.exists(path):
        return
    with _opened(path, f"output '{path}'", "not an HDF5 file that a dataset can be added to") as place:
        for depth, part in enumerate(parts):
            name, link = "/".join(parts[: depth + 1]), place.get(part, getlink=True)
            if link is None:
                return
            if not isinstance(link, h5py.HardLink):
                raise failure(f"output '{path}:{dataset}': '{name}' is a link; name what it points to", "io")
            place, last = place[part], depth + 1 == len(parts)
            if last and isinstance(place, h5py.Group):
                inside = ", ".join(list(place)[:8]) or "nothing yet"
                raise failure(
                    f"output '{path}:{dataset}': is a group, which holds {inside}; expected a dataset's name; "
                    f"write {path}:{name}/DATASET, or another name",
                    "io",
                )
            if not last and not isinstance(place, h5py.Group):
                raise failure(
                    f"output '{path}:{dataset}': '{name}' is not a group, so nothing can be put into it; "
                    "expected another name",
                    "io",
                )


def create(path: str, aside: str, dataset: str, shape: tuple[int, int], dtype: np.dtype) -> None:
    """Makes `aside` a copy of the file `path`, if there is one, with a new `dataset` of undefined contents."""
    check_place(path, dataset)
    is_there = os.path.exists(path)
    if is_there:
        try:
            shutil.copyfile(path, aside)
        except OSError as error:
            raise failure(f"output '{path}': cannot be copied aside: {error.strerror}", "io") from error
    with _writing(aside, "r+" if is_there else "w", f"output '{path}:{dataset}'") as file:
        if dataset in file:
            del file[dataset]
        file.create_dataset(dataset, shape=shape, dtype=dtype)


def write_boxes(path: str, aside: str, dataset: str, boxes: Iterable[Box], local: np.ndarray) -> None:
    """Writes boxes of a dataset of `aside` that create() made; errors name `path`."""
    with _writing(aside, "r+", f"output '{path}:{dataset}'") as file:
        for (r0, r1), (c0, c1), where in boxes:
            file[dataset][r0:r1, c0:c1] = local[where]
