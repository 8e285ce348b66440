"""Factors in .npz files that numpy.load reads, too: rank 0 reads and writes, blocks of lines go to the others.

Members: factors [m, n] (stored, not compressed), pivots int64 [min(m, n)], pivoting, info, growth, norm1.
Between two pieces all ranks learn whether rank 0 has read or written the last one: nobody waits for what never comes.
"""

from __future__ import annotations

import os
import zipfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from allport._native import Distribution
from allport.errors import Error, failure, together
from allport.io import aside, ensure_writable, local_block, scalar_of
from allport.linalg.matrix import DistributedMatrix
from allport.options import PIVOTING, Options
from allport.plan import lu as plan_lu

if TYPE_CHECKING:
    from allport.comm import Communicator

__all__ = ["check", "read", "write"]

TAG = 4711
PIECE = 1 << 26  # bytes that travel at once
DAMAGED = "not a readable .npz file"
SMALL = ("pivots", "pivoting", "info", "growth", "norm1")


def check(path: str | os.PathLike[str]) -> None:
    """Raises Error unless factors can be written at `path`."""
    text = os.fspath(path)
    if not text.lower().endswith(".npz"):
        raise failure(f"output '{text}': expected a name that ends in .npz", "io")
    ensure_writable(text)


def _by_columns(shape: tuple[int, int], ranks: int) -> Distribution:
    return Distribution.balanced(shape, (1, ranks), list(range(ranks)))


def _by_rows(shape: tuple[int, int], ranks: int) -> Distribution:
    return Distribution.balanced(shape, (ranks, 1), list(range(ranks)))


def _pieces(lines: int, line_bytes: int) -> Iterator[slice]:
    step = max(1, PIECE // max(1, line_bytes))
    for begin in range(0, lines, step):
        yield slice(begin, min(begin + step, lines))


@contextmanager
def _about(what: str, otherwise: str) -> Iterator[None]:
    """Errors name the file. zipfile, zlib and numpy raise a dozen kinds for what a damaged one holds."""
    try:
        yield
    except MemoryError:
        raise
    except Error as error:
        raise failure(f"{what}: {error}", error.kind) from error
    except Exception as error:
        reason = getattr(error, "strerror", None) or error or type(error).__name__
        raise failure(f"{what}: {otherwise} ({reason})", "io") from error


class _Lines:
    """The lines of a file in blocks, one of consecutive lines for each rank, which travel in pieces to or from rank 0.

    own: [lines, length], this rank's block. Made by all ranks; raises on all when one has too little memory.
    """

    def __init__(self, comm: Communicator, blocks: Distribution, own: np.ndarray, by_columns: bool) -> None:
        self.comm, self.own = comm, own
        shapes = (blocks.local_shape(rank) for rank in range(comm.size))
        self.shapes = [shape[::-1] if by_columns else shape for shape in shapes]
        self.buffer = np.empty(0, dtype=own.dtype)
        with together(comm):
            self.buffer = np.empty(self._longest(comm.rank), dtype=own.dtype)

    def _longest(self, rank: int) -> int:
        """Elements of the longest piece that a rank sends or receives."""
        mine = self.shapes if rank == 0 else self.shapes[rank : rank + 1]
        return max(min(lines, max(1, PIECE // max(1, n * self.own.itemsize))) * n for lines, n in mine)

    def _travelling(self) -> Iterator[tuple[int, slice, np.ndarray]]:
        """(owner, which of its lines, room for them) of all pieces in the file's order; the room counts on rank 0."""
        for rank, (lines, length) in enumerate(self.shapes):
            for piece in _pieces(lines, length * self.own.itemsize):
                count = piece.stop - piece.start
                at_hand = self.comm.rank in (0, rank)
                yield rank, piece, self.buffer[: count * length].reshape(count, length) if at_hand else self.buffer

    def to_root(self, member: IO[bytes] | None, name: str) -> None:
        """Appends all lines to rank 0's `member`."""
        me = self.comm.rank
        for rank, piece, room in self._travelling():
            if me == rank:
                room[...] = self.own[piece]
            if rank != 0 and me == rank:
                self.comm.mpi4py.Send(room, 0, TAG)
            elif rank != 0 and me == 0:
                self.comm.mpi4py.Recv(room, rank, TAG)
            with together(self.comm), _about(f"output '{name}'", "cannot be written"):
                if member is not None and room.size:
                    member.write(room.data.cast("B"))

    def from_root(self, member: IO[bytes] | None, name: str) -> None:
        """Fills every rank's lines from where rank 0's `member` stands."""
        me = self.comm.rank
        for rank, piece, room in self._travelling():
            with together(self.comm), _about(f"file '{name}'", DAMAGED):
                if member is not None and room.size:
                    data = member.read(room.nbytes)
                    if len(data) != room.nbytes:
                        raise failure("ends before its factors do", "io")
                    room[...] = np.frombuffer(data, dtype=room.dtype).reshape(room.shape)
            if rank != 0 and me == 0:
                self.comm.mpi4py.Send(room, rank, TAG)
            elif rank != 0 and me == rank:
                self.comm.mpi4py.Recv(room, 0, TAG)
            if me == rank:
                self.own[piece] = room


@contextmanager
def _archive(
    comm: Communicator, path: str, mode: Any, what: str, otherwise: str
) -> Iterator[tuple[zipfile.ZipFile | None, ExitStack]]:
    """Rank 0's zip file, None elsewhere, and what else it opens there. That it cannot be opened or closed is an error
    on all ranks; after another error it is closed without a word, for that error is the one to tell."""
    files, archive = ExitStack(), None
    try:
        with together(comm), _about(what, otherwise):
            if comm.rank == 0:
                archive = files.enter_context(zipfile.ZipFile(path, mode, allowZip64=True))
        yield archive, files
        with together(comm), _about(what, otherwise):
            files.close()
    except BaseException:
        with suppress(Exception):
            files.close()
        raise


def write(path: str | os.PathLike[str], factors: DistributedMatrix, small: dict[str, Any]) -> None:
    """Writes factors and what goes with them. Called by all ranks; the file takes its name when it is whole."""
    comm, name = factors.comm, ""
    with together(comm):
        check(path)
        name = os.fspath(path)
    blocks = _by_columns(factors.shape, comm.size)
    block = factors.redistribute(blocks).local
    lines = _Lines(comm, blocks, block.T, by_columns=True)
    about = (f"output '{name}'", "cannot be written")
    with aside(comm, name) as part, _archive(comm, part, "w", *about) as (archive, files):
        member: Any = None
        with together(comm), _about(*about):
            if archive is not None:
                for key, value in small.items():
                    with archive.open(f"{key}.npy", "w") as entry:
                        np.lib.format.write_array(entry, np.asarray(value), allow_pickle=False)
                member = files.enter_context(archive.open("factors.npy", "w", force_zip64=True))
                described = {"descr": block.dtype.str, "fortran_order": True, "shape": tuple(factors.shape)}
                np.lib.format.write_array_header_1_0(member, described)
        lines.to_root(member, name)


def _head(member: IO[bytes]) -> tuple[tuple[int, ...], bool, np.dtype]:
    version = np.lib.format.read_magic(member)
    reader = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    return reader(member)


def _array(archive: zipfile.ZipFile, name: str, most: int) -> np.ndarray:
    """A member of at most so many elements: what its head says is not believed."""
    with archive.open(f"{name}.npy") as member:
        shape, _, dtype = _head(member)
        count = int(np.prod(shape, dtype=object))
        if not 0 <= count <= most or dtype.hasobject or dtype.itemsize > 1024:
            raise failure(f"its {name} are {dtype} of shape {shape}; expected what LU.save() writes", "io")
        data = member.read(count * dtype.itemsize)
        return np.frombuffer(data, dtype=dtype, count=count).reshape(shape)


def _contents(archive: zipfile.ZipFile) -> tuple[dict[str, Any], tuple[tuple[int, int], bool, str]]:
    names = set(archive.namelist())
    missing = {"factors.npy", "pivots.npy"} - names
    if missing:
        raise failure(f"has no {sorted(missing)[0][:-4]}; expected what LU.save() writes", "io")
    with archive.open("factors.npy") as member:
        shape, fortran, dtype = _head(member)
        bytes_left = archive.getinfo("factors.npy").file_size - member.tell()
    if len(shape) != 2 or min(shape) < 0:
        raise failure(f"its factors have shape {shape}; expected rows x columns", "io")
    scalar_of(dtype)
    if not dtype.isnative:
        raise failure("its factors have the other byte order; expected this computer's", "io")
    if bytes_left != shape[0] * shape[1] * dtype.itemsize:
        raise failure(f"has {bytes_left} bytes of factors; expected {shape[0]} x {shape[1]} of {dtype}", "io")
    found = {n: _array(archive, n, min(shape) if n == "pivots" else 1) for n in SMALL if f"{n}.npy" in names}
    pivots, rows = found["pivots"], np.arange(min(shape))
    if pivots.dtype.kind != "i" or pivots.shape != rows.shape or (pivots < rows).any() or (pivots >= shape[0]).any():
        raise failure(f"its pivots do not fit factors of {shape[0]} x {shape[1]}", "io")
    pivoting, info = str(found.get("pivoting", "partial")), int(found.get("info", 0))
    plain = {
        "pivots": pivots.astype(np.int64),
        "pivoting": pivoting,
        "info": info,
        "growth": float(found.get("growth", np.nan)),
        "norm1": float(found.get("norm1", np.nan)),
    }
    if pivoting not in PIVOTING:
        raise failure(f"its pivoting is {pivoting!a}; expected one of {', '.join(PIVOTING)}", "io")
    if not 0 <= info <= min(shape):
        raise failure(f"its info is {info}; expected 0..{min(shape)}", "io")
    return plain, ((shape[0], shape[1]), fortran, dtype.str)


def _small(path: str) -> tuple[dict[str, Any], tuple[tuple[int, int], bool, str]]:
    """What goes with the factors, and (shape, Fortran order, dtype) of the factors themselves."""
    with _about(f"file '{path}'", DAMAGED), zipfile.ZipFile(path) as archive:
        return _contents(archive)


def read(
    path: str | os.PathLike[str], comm: Communicator, distribution: Distribution | None
) -> tuple[DistributedMatrix, dict[str, Any]]:
    """(factors, what goes with them) of a file. Called by all ranks; raises on all."""
    name = os.fspath(path)
    told: Any = None
    with together(comm):
        told = _small(name) if comm.rank == 0 else None
    small, (shape, fortran, kind) = comm.mpi4py.bcast(told, 0)
    dtype = np.dtype(kind)
    blocks = (_by_columns if fortran else _by_rows)(shape, comm.size)
    block = np.empty(0)
    with together(comm):
        if distribution is None:
            m, n = shape
            how = Options(pivoting=small["pivoting"], candidates=1, mapping=comm.mapping)
            plan = plan_lu(m, n, comm.machine, dtype=dtype, options=how)
            distribution = plan.distribution
        if distribution.shape != shape:
            raise failure(f"distribution: has shape {distribution.shape}, the factors in '{name}' {shape}")
        block = local_block(blocks, comm.rank, dtype)
    lines = _Lines(comm, blocks, block.T if fortran else block, by_columns=fortran)
    about = (f"file '{name}'", DAMAGED)
    with _archive(comm, name, "r", *about) as (archive, files):
        member: Any = None
        with together(comm), _about(*about):
            if archive is not None:
                member = files.enter_context(archive.open("factors.npy"))
                _head(member)
        lines.from_root(member, name)
    return DistributedMatrix(comm, blocks, block).redistribute(distribution), small
