"""Factors in .npz files that numpy.load reads, too: rank 0 reads and writes, blocks of lines go to the others.

Members: factors [m, n] (stored, not compressed), pivots int64 [min(m, n)], pivot, info, growth, norm1.
"""

from __future__ import annotations

import os
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from allport._native import Layout
from allport.errors import failure, together
from allport.io import ensure_writable, local_block, scalar_of
from allport.linalg import DistributedMatrix

if TYPE_CHECKING:
    from allport.comm import Communicator

__all__ = ["check", "read", "write"]

TAG = 4711
PIECE = 1 << 26  # bytes that travel at once


def check(path: str | os.PathLike[str]) -> None:
    """Raises AllportError unless factors can be written at `path`."""
    text = os.fspath(path)
    if not text.lower().endswith(".npz"):
        raise failure(f"output '{text}': expected a name that ends in .npz", "io")
    ensure_writable(text)


def _by_columns(shape: tuple[int, int], ranks: int) -> Layout:
    return Layout.balanced(shape, (1, ranks), list(range(ranks)))


def _by_rows(shape: tuple[int, int], ranks: int) -> Layout:
    return Layout.balanced(shape, (ranks, 1), list(range(ranks)))


def _pieces(lines: int, line_bytes: int) -> Iterator[slice]:
    step = max(1, PIECE // max(1, line_bytes))
    for begin in range(0, lines, step):
        yield slice(begin, min(begin + step, lines))


def write(path: str | os.PathLike[str], factors: DistributedMatrix, small: dict[str, Any]) -> None:
    """Writes factors and what goes with them. Called by all ranks; the file takes its name when it is whole."""
    comm, text = factors.comm, ""
    with together(comm):
        check(path)
    block = factors.redistribute(_by_columns(factors.shape, comm.size)).local
    if comm.rank != 0:
        for piece in _pieces(block.shape[1], block.shape[0] * block.itemsize):
            comm.mpi4py.Send(block.T[piece], 0, TAG)
    else:
        aside = Path(f"{os.fspath(path)}.part{os.getpid()}")
        columns = _incoming(factors, block)
        try:
            with zipfile.ZipFile(aside, "w", allowZip64=True) as archive:
                for name, value in small.items():
                    with archive.open(f"{name}.npy", "w") as member:
                        np.lib.format.write_array(member, np.asarray(value), allow_pickle=False)
                with archive.open("factors.npy", "w", force_zip64=True) as member:
                    head = {"descr": block.dtype.str, "fortran_order": True, "shape": tuple(factors.shape)}
                    np.lib.format.write_array_header_1_0(member, head)
                    for lines in columns:
                        member.write(memoryview(lines).cast("B") if lines.size else b"")
            os.replace(aside, path)
        except OSError as error:
            text = f"output '{os.fspath(path)}': {error.strerror or error}"
            for _ in columns:  # the other ranks are sending
                pass
        finally:
            aside.unlink(missing_ok=True)
    comm.ensure_all_well(text)


def _incoming(factors: DistributedMatrix, own: np.ndarray) -> Iterator[np.ndarray]:
    """Rank 0: the columns of all ranks in order, a few at a time, each a row of the array."""
    comm, layout = factors.comm, _by_columns(factors.shape, factors.comm.size)
    yield np.ascontiguousarray(own.T)
    for rank in range(1, comm.size):
        rows, columns = layout.local_shape(rank)
        for piece in _pieces(columns, rows * own.itemsize):
            lines = np.empty((piece.stop - piece.start, rows), dtype=own.dtype)
            comm.mpi4py.Recv(lines, rank, TAG)
            yield lines


def _small(path: str | os.PathLike[str]) -> tuple[dict[str, Any], tuple[tuple[int, int], bool, str]]:
    """What goes with the factors, and (shape, Fortran order, dtype) of the factors themselves."""
    text = os.fspath(path)
    try:
        with zipfile.ZipFile(text) as archive:
            names = set(archive.namelist())
            missing = {"factors.npy", "pivots.npy"} - names
            if missing:
                raise failure(f"file '{text}': has no {sorted(missing)[0][:-4]}; expected what LU.save() writes", "io")
            found = {}
            for name in ("pivots", "pivot", "info", "growth", "norm1"):
                if f"{name}.npy" in names:
                    with archive.open(f"{name}.npy") as member:
                        found[name] = np.lib.format.read_array(member, allow_pickle=False)
            with archive.open("factors.npy") as member:
                shape, fortran, dtype = _head(member)
    except (OSError, zipfile.BadZipFile, ValueError) as error:
        if getattr(error, "kind", None):
            raise
        raise failure(f"file '{text}': not a readable .npz file ({error})", "io") from error
    scalar_of(dtype)
    if not dtype.isnative:
        raise failure(f"file '{text}': its factors have the other byte order; expected this computer's", "io")
    pivots, rows = found["pivots"], np.arange(min(shape))
    if pivots.dtype.kind != "i" or pivots.shape != rows.shape or (pivots < rows).any() or (pivots >= shape[0]).any():
        raise failure(f"file '{text}': its pivots do not fit factors of {shape[0]} x {shape[1]}", "io")
    plain = {
        "pivots": pivots.astype(np.int64),
        "pivot": str(found.get("pivot", "partial")),
        "info": int(found.get("info", 0)),
        "growth": float(found.get("growth", np.nan)),
        "norm1": float(found.get("norm1", np.nan)),
    }
    return plain, (shape, fortran, dtype.str)


def _head(member: IO[bytes]) -> tuple[tuple[int, int], bool, np.dtype]:
    version = np.lib.format.read_magic(member)
    reader = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    shape, fortran, dtype = reader(member)
    if len(shape) != 2:
        raise failure(f"factors: have {len(shape)} dimensions; expected 2", "io")
    return shape, fortran, dtype


def read(
    path: str | os.PathLike[str], comm: Communicator, layout: Layout | None
) -> tuple[DistributedMatrix, dict[str, Any]]:
    """(factors, what goes with them) of a file. Called by all ranks; raises on all."""
    from allport.factor import plan_lu

    told: Any = None
    with together(comm):
        told = _small(path) if comm.rank == 0 else None
    small, (shape, fortran, kind) = comm.mpi4py.bcast(told, 0)
    dtype = np.dtype(kind)
    blocks = (_by_columns if fortran else _by_rows)(shape, comm.size)
    block = np.empty(0)
    with together(comm):
        layout = layout or plan_lu(*shape, comm.machine, dtype=dtype, pivot=small["pivot"], candidates=1).layout
        block = local_block(blocks, comm.rank, dtype)
    text = _deal(path, comm, blocks, block, fortran) if comm.rank == 0 else _receive(comm, block, fortran)
    comm.ensure_all_well(text)
    return DistributedMatrix(comm, blocks, block).redistribute(layout), small


def _receive(comm: Communicator, block: np.ndarray, fortran: bool) -> str:
    lines = block.T if fortran else block
    for piece in _pieces(lines.shape[0], lines.shape[1] * block.itemsize):
        part = np.empty((piece.stop - piece.start, lines.shape[1]), dtype=block.dtype)
        comm.mpi4py.Recv(part, 0, TAG)
        lines[piece] = part
    return ""


def _deal(path: str | os.PathLike[str], comm: Communicator, blocks: Layout, own: np.ndarray, fortran: bool) -> str:
    """Rank 0: each rank's lines in the file's order. What goes wrong is told at the end: the others wait for lines."""
    text = ""
    with zipfile.ZipFile(os.fspath(path)) as archive, archive.open("factors.npy") as member:
        _head(member)
        for rank in range(comm.size):
            rows, columns = blocks.local_shape(rank)
            count, length = (columns, rows) if fortran else (rows, columns)
            for piece in _pieces(count, length * own.itemsize):
                part = np.zeros((piece.stop - piece.start, length), dtype=own.dtype)
                try:
                    data = b"" if text else member.read(part.nbytes)
                    if len(data) == part.nbytes:
                        part = np.frombuffer(data, dtype=own.dtype).reshape(part.shape)
                    elif not text:
                        text = f"file '{os.fspath(path)}': ends before its factors do"
                except (OSError, zipfile.BadZipFile, EOFError) as error:
                    text = f"file '{os.fspath(path)}': {error}"
                if rank == 0:
                    (own.T if fortran else own)[piece] = part
                else:
                    comm.mpi4py.Send(part, rank, TAG)
    return text
