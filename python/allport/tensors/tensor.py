"""Distributed tensors: made from arrays and files, moved, gathered, and seen as matrices."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from allport import _native
from allport.arrays import numbers_of
from allport.errors import failure, together
from allport.io import aside, ensure_writable, scalar_of, working_dtype
from allport.linalg.matrix import DistributedMatrix, world_of
from allport.tensors.distribution import Hop, TensorDistribution, hops, natural_distribution
from allport.whole_arrays import Distributed

if TYPE_CHECKING:
    from allport.comm import Communicator

__all__ = ["DistributedTensor", "TensorDistribution", "distribute", "load"]


def ranks_in_order(comm: Communicator) -> list[int]:
    """The communicator's ranks in the order of their places in the machine."""
    places = comm.mapping
    return sorted(range(comm.size), key=lambda rank: places[rank])


def travel(comm: Communicator, source: TensorDistribution, target: TensorDistribution, local: np.ndarray) -> np.ndarray:
    """A rank's part of a tensor in another distribution; `local` itself where it lies so. Called by all ranks."""
    for hop in hops(source, target):
        local = _take(comm, hop, local)
    return local


def _take(comm: Communicator, hop: Hop, local: np.ndarray) -> np.ndarray:
    part, moved = np.empty((0, 0)), np.empty((0, 0))
    target = hop.target.distribution
    shape = target.local_shape(comm.rank)
    turned = tuple(shape[g] for g in hop.target.order)
    with together(comm):
        part = hop.source.part(local, comm.rank)
        if hop.moves:
            moved = np.empty(hop.target.native.local_shape(comm.rank), dtype=local.dtype, order="F")
    if hop.moves:
        native = comm._native
        _native.redistribute(
            _native.Matrix(native, hop.source.native, part), _native.Matrix(native, hop.target.native, moved)
        )
        part = moved
    if target.position(comm.rank) is None:
        return np.zeros(shape, dtype=local.dtype)
    taken = part.T.reshape(turned).transpose(np.argsort(hop.target.order))
    return np.ascontiguousarray(taken).reshape(shape)


class DistributedTensor(Distributed):
    """A tensor distributed over the ranks of a communicator.

    local: this rank's part, C-ordered, a dimension for each group of axes of the distribution; it may be written.
    """

    __array_ufunc__ = None  # numpy's numbers leave products with us to __rmul__

    def __init__(self, comm: Communicator, distribution: TensorDistribution, local: np.ndarray) -> None:
        scalar_of(local.dtype)
        shape = distribution.local_shape(comm.rank)
        if tuple(local.shape) != shape:
            raise failure(f"local: has shape {local.shape}; expected {shape} on rank {comm.rank}")
        if max(distribution.ranks) >= comm.size:
            raise failure(
                f"distribution: has rank {max(distribution.ranks)}; expected ranks of a communicator of {comm.size}"
            )
        self.comm, self.distribution, self.local = comm, distribution, np.ascontiguousarray(local).reshape(shape)

    @classmethod
    def zeros(
        cls,
        comm: Communicator,
        shape: Sequence[int],
        dtype: Any = "f8",
        distribution: TensorDistribution | None = None,
    ) -> DistributedTensor:
        """A tensor of zeros, a block a rank, or as `distribution` says. Called by all ranks."""
        made = distribution or natural_distribution(shape, ranks_in_order(comm))
        local = np.empty(0)
        with together(comm):
            if made.shape != tuple(shape):
                raise failure(f"distribution: is of shape {made.shape}; expected {tuple(shape)}")
            scalar_of(dtype)
            local = np.zeros(made.local_shape(comm.rank), dtype=dtype)
        return cls(comm, made, local)

    @property
    def shape(self) -> tuple[int, ...]:
        """Of the whole tensor."""
        return self.distribution.shape

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """Elements of the whole tensor."""
        return math.prod(self.shape)

    @property
    def dtype(self) -> np.dtype:
        """float32, float64, complex64 or complex128."""
        return self.local.dtype

    def redistribute(self, distribution: TensorDistribution) -> DistributedTensor:
        """The same tensor in another distribution. Called by all ranks."""
        if distribution == self.distribution:
            return self
        with together(self.comm):
            hops(self.distribution, distribution)  # finds what is wrong with it
            if max(distribution.ranks) >= self.comm.size:
                raise failure(f"distribution: has rank {max(distribution.ranks)}; there are {self.comm.size}")
        local = travel(self.comm, self.distribution, distribution, self.local)
        with together(self.comm):
            local = local.copy() if np.may_share_memory(local, self.local) else local
        return DistributedTensor(self.comm, distribution, local)

    def gather(self, root: int = 0) -> np.ndarray | None:
        """The whole tensor on the root, None elsewhere. Called by all ranks."""
        whole = self.redistribute(TensorDistribution.whole_on(self.shape, root))
        return whole.local if self.comm.rank == root else None

    def to_numpy(self) -> np.ndarray:
        """The whole tensor on every rank. Called by all ranks."""
        whole = self.gather(0)
        with together(self.comm):
            whole = np.empty(self.shape, dtype=self.dtype) if whole is None else whole
        self.comm.Bcast(whole, 0)
        return whole

    def transpose(self, *axes: int) -> DistributedTensor:
        """Axes in another order, reversed when none is named, as numpy's; nothing moves, and `local` is shared."""
        order = [int(a) for a in axes] or list(range(self.ndim))[::-1]
        if sorted(a % max(self.ndim, 1) for a in order) != list(range(self.ndim)):
            raise failure(f"axes = {tuple(axes)}: expected each of {self.ndim} axes once")
        where = {a % self.ndim: new for new, a in enumerate(order)}
        own = self.distribution
        turned = TensorDistribution(
            tuple(self.shape[a] for a in order),
            tuple(tuple(where[a] for a in group) for group in own.groups),
            own.cuts,
            own.ranks,
        )
        return DistributedTensor(self.comm, turned, self.local)

    def conj(self) -> DistributedTensor:
        """Complex conjugate, element by element."""
        return DistributedTensor(self.comm, self.distribution, self.local.conj())

    def astype(self, dtype: Any) -> DistributedTensor:
        """In another of the four types."""
        scalar_of(dtype)
        return DistributedTensor(self.comm, self.distribution, self.local.astype(dtype))

    def _with(self, other: Any, what: Any) -> DistributedTensor:
        if not isinstance(other, DistributedTensor):
            raise failure(
                f"other: expected a DistributedTensor, got {type(other).__name__}; tensors.distribute() makes one"
            )
        if other.shape != self.shape:
            raise failure(f"other: has shape {other.shape}; expected {self.shape}")
        there = other.redistribute(self.distribution)
        return DistributedTensor(self.comm, self.distribution, what(self.local, there.local))

    def __add__(self, other: Any) -> DistributedTensor:
        """Sum, distributed as the first. Called by all ranks."""
        return self._with(other, np.add)

    def __sub__(self, other: Any) -> DistributedTensor:
        """Difference, distributed as the first. Called by all ranks."""
        return self._with(other, np.subtract)

    def __mul__(self, number: Any) -> DistributedTensor:
        """Times a number."""
        if np.ndim(number) != 0 or isinstance(number, DistributedTensor):
            raise failure("other: expected a number; einsum() multiplies tensors")
        product = np.asarray(self.local * number)
        return DistributedTensor(self.comm, self.distribution, product.astype(working_dtype(product.dtype), copy=False))

    __rmul__ = __mul__

    def __neg__(self) -> DistributedTensor:
        return DistributedTensor(self.comm, self.distribution, -self.local)

    def to_matrix(self, rows: int) -> DistributedMatrix:
        """As a matrix: the first `rows` axes counted as one are its rows, the others its columns, as numpy's reshape
        counts. Nothing travels where axes are cut by themselves; the part is copied. Called by all ranks."""
        if not 0 <= rows <= self.ndim:
            raise failure(f"rows = {rows}: expected 0 to {self.ndim} axes")
        axes = list(range(self.ndim))
        view = self.distribution.as_matrix(axes[rows:], axes[:rows])
        if view is None:
            return self.redistribute(self.distribution.unfused()).to_matrix(rows)
        return DistributedMatrix(self.comm, view.native, np.array(view.part(self.local, self.comm.rank), order="F"))

    @classmethod
    def from_matrix(
        cls, matrix: DistributedMatrix, shape: Sequence[int], distribution: TensorDistribution | None = None
    ) -> DistributedTensor:
        """A matrix as a tensor: leading axes of `shape` are its rows, the others its columns. Called by all ranks."""
        shape, comm = tuple(int(n) for n in shape), matrix.comm
        sides = [(math.prod(shape[:r]), math.prod(shape[r:])) for r in range(len(shape) + 1)]
        rows = sides.index(matrix.shape) if matrix.shape in sides else -1
        if rows < 0:
            raise failure(
                f"shape = {shape}: expected axes of which the first have {matrix.shape[0]} indices and the others "
                f"{matrix.shape[1]}, "
                "the matrix' rows and columns"
            )
        blocks = natural_distribution(shape, ranks_in_order(comm))
        view = blocks.as_matrix(range(rows, len(shape)), range(rows))
        assert view is not None, "blocks are any matrix"
        part = matrix.redistribute(view.native).local
        local = np.zeros(blocks.local_shape(comm.rank), dtype=matrix.dtype)
        if blocks.position(comm.rank) is not None:
            turned = np.ascontiguousarray(part.T).reshape([local.shape[g] for g in view.order])
            local = turned.transpose(np.argsort(view.order)).copy()
        made = cls(comm, blocks, local)
        return made if distribution is None else made.redistribute(distribution)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a .npy file; each rank writes its part. Called by all ranks."""
        _write(path, self.redistribute(self.distribution.unfused()))

    def __repr__(self) -> str:
        return f"DistributedTensor({self.dtype}, {self.distribution})"


def distribute(
    array: Any,
    comm: Communicator | None = None,
    *,
    root: int = 0,
    distribution: TensorDistribution | None = None,
) -> DistributedTensor:
    """Distributes root's array, of any number of axes, over all ranks: a block a rank, or as `distribution` says.

    Called by all ranks; `array` is looked at on the root only.
    """
    comm = world_of(comm)
    head, whole = None, None
    with together(comm):
        if comm.rank == root:
            if array is None:
                raise failure(f"array: expected an array on rank {root}, got None")
            given = numbers_of(array, "array")
            whole = np.asarray(given, dtype=working_dtype(given.dtype), order="C")
            head = (whole.shape, whole.dtype.str)
    shape, dtype = comm.mpi4py.bcast(head, root)
    there = TensorDistribution.whole_on(shape, root)
    local = whole if whole is not None else np.zeros(there.local_shape(comm.rank), dtype=dtype)
    return DistributedTensor(comm, there, local).redistribute(
        distribution or natural_distribution(shape, ranks_in_order(comm))
    )


def _name(path: str | os.PathLike[str], argument: str) -> str:
    text = os.fspath(path)
    if not text.lower().endswith(".npy"):
        raise failure(f"{argument} '{text}': expected a name that ends in .npy", "io")
    return text


def inspect_tensor(path: str | os.PathLike[str], argument: str = "file") -> np.ndarray:
    """A .npy file's array, of which nothing is read yet. No MPI. Raises Error naming the file."""
    text = _name(path, argument)
    try:
        whole = np.load(text, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError) as error:
        raise failure(f"{argument} '{text}': cannot be read: {error}", "io") from None
    working_dtype(whole.dtype)
    return whole


def load(
    path: str | os.PathLike[str],
    comm: Communicator | None = None,
    *,
    distribution: TensorDistribution | None = None,
    dtype: Any = None,
) -> DistributedTensor:
    """Reads a .npy file of any number of axes; each rank reads its part only. Called by all ranks.

    distribution: a block a rank unless given. dtype: the file's, with integers as float64, unless given.
    """
    comm = world_of(comm)
    whole, local, blocks = np.empty(0), np.empty(0), distribution
    with together(comm):
        whole = inspect_tensor(path)
        if distribution is not None and distribution.shape != whole.shape:
            raise failure(f"distribution: is of shape {distribution.shape}, the file '{path}' of {whole.shape}")
        kind = working_dtype(whole.dtype) if dtype is None else np.dtype(dtype)
        scalar_of(kind)
        if whole.dtype.kind == "c" and kind.kind != "c":
            raise failure(f"file '{path}' holds complex numbers: expected a complex type to read them into")
    comm.ensure_agreement(f"shape of '{path}'", hash_of(whole.shape))
    comm.ensure_agreement(f"type to read '{path}' into", ord(scalar_of(kind)))
    blocks = (distribution or natural_distribution(whole.shape, ranks_in_order(comm))).unfused()
    with together(comm):
        box, local = blocks.box(comm.rank), np.zeros(blocks.local_shape(comm.rank), dtype=kind)
        if box is not None:
            local[...] = whole.transpose([g[0] for g in blocks.groups])[tuple(slice(*ends) for ends in box)]
    made = DistributedTensor(comm, blocks, local)
    return made if distribution is None else made.redistribute(distribution)


def hash_of(value: object) -> int:
    """A number of what prints alike, the same on every rank."""
    import zlib

    return zlib.crc32(repr(value).encode())


def _runs(shape: tuple[int, ...], box: Sequence[tuple[int, int]]) -> Iterator[tuple[int, tuple[int, ...]]]:
    """(offset in elements, leading indices) of a block's pieces that lie together in the C-ordered whole."""
    axes = len(shape)
    while axes > 0 and box[axes - 1] == (0, shape[axes - 1]):
        axes -= 1
    leading = max(axes - 1, 0)
    strides = [math.prod(shape[a + 1 :]) for a in range(len(shape))]
    for index in np.ndindex(*(end - begin for begin, end in box[:leading])):
        at = sum((i + box[a][0]) * strides[a] for a, i in enumerate(index))
        yield at + (box[leading][0] * strides[leading] if axes > 0 else 0), index


def _write(path: str | os.PathLike[str], tensor: DistributedTensor) -> None:
    comm, own = tensor.comm, tensor.distribution
    order = [group[0] for group in own.groups]
    name = ""
    with together(comm):
        name = _name(path, "output")
        ensure_writable(name)
    with aside(comm, name) as part:
        head = 0
        with together(comm):
            if comm.rank == 0:
                with open(part, "wb") as file:
                    form = {"descr": tensor.dtype.str, "fortran_order": False, "shape": tensor.shape}
                    np.lib.format.write_array_header_1_0(file, form)
                    head = file.tell()
                    file.truncate(head + tensor.size * tensor.dtype.itemsize)
        head = comm.mpi4py.bcast(head)
        with together(comm):
            box = own.box(comm.rank)
            if box is not None and tensor.local.size:
                ends = [box[order.index(a)] for a in range(tensor.ndim)]
                local = np.ascontiguousarray(tensor.local.transpose(np.argsort(order)))
                try:
                    with open(part, "r+b", buffering=0) as file:
                        for at, index in _runs(tensor.shape, ends):
                            _put(file.fileno(), local[index], head + at * local.itemsize)
                except OSError as error:
                    raise failure(f"output '{name}': cannot be written: {error.strerror}", "io") from error


def _put(file: int, piece: np.ndarray, at: int) -> None:
    rest = np.ascontiguousarray(piece).reshape(-1).view(np.uint8).data
    while rest:
        done = os.pwrite(file, rest, at)
        rest, at = rest[done:], at + done
