"""Distributed matrices: made, read, redistributed, gathered."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np

from allport import _native
from allport._native import Distribution
from allport.arrays import numbers_of
from allport.errors import failure, together
from allport.io import boxes, inspect, local_block, read, scalar_of, working_dtype, write
from allport.linalg.distributions import root_distribution, square_distribution
from allport.whole_arrays import Distributed, Whole

if TYPE_CHECKING:
    from allport.comm import Communicator

__all__ = ["DistributedMatrix", "Distribution", "TransposedMatrix", "distribute", "load"]


class DistributedMatrix(Distributed):
    """A matrix distributed over the ranks of a communicator.

    local: this rank's part, [local rows, local columns], column-major; a view that may be written.
    """

    def __init__(self, comm: Communicator, distribution: Distribution, local: np.ndarray) -> None:
        scalar_of(local.dtype)
        if tuple(local.shape) != distribution.local_shape(comm.rank):
            raise failure(
                f"local: has shape {local.shape}; expected {distribution.local_shape(comm.rank)} on rank {comm.rank}"
            )
        self.comm, self.distribution, self.local = comm, distribution, np.asfortranarray(local)

    @classmethod
    def empty(cls, comm: Communicator, distribution: Distribution, dtype: Any = "f8") -> DistributedMatrix:
        """A matrix with undefined contents. Called by all ranks; raises on all when one has too little memory."""
        local = np.empty(0)
        with together(comm):
            local = local_block(distribution, comm.rank, dtype)
        return cls(comm, distribution, local)

    @classmethod
    def zeros(
        cls, comm: Communicator, shape: tuple[int, int], dtype: Any = "f8", distribution: Distribution | None = None
    ) -> DistributedMatrix:
        """A matrix of zeros in balanced blocks, or as `distribution` says."""
        made = cls.empty(comm, distribution or square_distribution(shape, comm.size), dtype)
        made.local[...] = 0
        return made

    @classmethod
    def eye(
        cls, comm: Communicator, n: int, dtype: Any = "f8", distribution: Distribution | None = None
    ) -> DistributedMatrix:
        """The identity of n rows and columns, distributed as by zeros()."""
        made = cls.zeros(comm, (n, n), dtype, distribution)
        for (r0, r1), (c0, c1), where in boxes(made.distribution, comm.rank):
            made.local[where] = np.eye(r1 - r0, c1 - c0, r0 - c0)
        return made

    @property
    def shape(self) -> tuple[int, int]:
        """(rows, columns) of the whole matrix."""
        return self.distribution.shape

    @property
    def dtype(self) -> np.dtype:
        """float32, float64, complex64 or complex128."""
        return self.local.dtype

    @property
    def T(self) -> TransposedMatrix:
        """A^T as gemm() takes it; nothing is moved."""
        return TransposedMatrix(self, "T")

    @property
    def H(self) -> TransposedMatrix:
        """A^H, conjugated and transposed, as gemm() takes it; nothing is moved."""
        return TransposedMatrix(self, "C")

    @property
    def _native(self) -> _native.Matrix:
        """As the compiled functions take it: a view of this rank's part."""
        return _native.Matrix(self.comm._native, self.distribution, self.local)

    def redistribute(self, distribution: Distribution) -> DistributedMatrix:
        """The same matrix in another distribution. Called by all ranks."""
        if distribution == self.distribution:
            return self
        moved = DistributedMatrix.empty(self.comm, distribution, self.dtype)
        _native.redistribute(self._native, moved._native)
        return moved

    def gather(self, root: int = 0) -> np.ndarray | None:
        """The whole matrix on the root, None elsewhere. Called by all ranks."""
        whole = self.redistribute(root_distribution(self.shape, root))
        return whole.local if self.comm.rank == root else None

    def to_numpy(self) -> np.ndarray:
        """The whole matrix on every rank. Called by all ranks."""
        whole = self.gather(0)
        with together(self.comm):
            whole = np.empty(self.shape, dtype=self.dtype, order="F") if whole is None else whole
        self.comm.Bcast(whole, 0)
        return whole

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a .npy, .mtx or .h5:DATASET file; each rank writes its part. Called by all ranks."""
        write(path, self.comm, self.distribution, self.local)

    def __repr__(self) -> str:
        return f"DistributedMatrix({self.shape[0]} x {self.shape[1]}, {self.dtype}, {self.distribution!r})"


class TransposedMatrix(Distributed):
    """A^T or A^H of a distributed matrix, for gemm(): A.T and A.H make it.

    of: the matrix, whose part of this rank is local. trans: 'T' or 'C'.
    """

    def __init__(self, of: DistributedMatrix, trans: str) -> None:
        self.of, self.trans, self.comm, self.local = of, trans, of.comm, of.local

    @property
    def shape(self) -> tuple[int, int]:
        """(rows, columns) of the whole matrix."""
        rows, columns = self.of.shape
        return columns, rows

    def materialize(self) -> DistributedMatrix:
        """A matrix of its own: each rank transposes its part, nothing moves. Local."""
        local = self.of.local.T if self.trans == "T" else self.of.local.conj().T
        distribution = _native.transposed(self.of.distribution)
        return DistributedMatrix(self.of.comm, distribution, np.asfortranarray(local))

    def to_numpy(self) -> np.ndarray:
        """The whole matrix on every rank. Called by all ranks."""
        return self.materialize().to_numpy()

    def __repr__(self) -> str:
        return f"{self.of!r}.{'T' if self.trans == 'T' else 'H'}"


def op(a: DistributedMatrix, trans: str) -> DistributedMatrix | TransposedMatrix:
    """op(A) as gemm() takes it: A for 'N', A.T for 'T', A.H for 'C'."""
    return a if trans == "N" else TransposedMatrix(a, trans)


def world_of(comm: Communicator | None) -> Communicator:
    """The communicator, or all ranks as a plain line when None."""
    if comm is not None:
        return comm
    from allport.comm import world

    return world()


def load(
    path: str | os.PathLike[str],
    comm: Communicator | None = None,
    *,
    distribution: Distribution | None = None,
    dtype: Any = None,
) -> DistributedMatrix:
    """Reads a .npy, .mtx or .h5:DATASET file; each rank reads its part only. Called by all ranks.

    distribution: balanced blocks unless given. dtype: the file's, with integers as float64, unless given.
    """
    comm = world_of(comm)
    file: Any = None
    with together(comm):
        file = inspect(path)
    kind = working_dtype(file.dtype) if dtype is None else np.dtype(dtype)
    distribution = distribution or square_distribution(file.shape, comm.size)
    return DistributedMatrix(comm, distribution, read(file, comm, distribution, kind))


def as_matrix(x: Any, name: str) -> Any:
    """An array in one or two dimensions as [rows, columns]; one is a column. A distributed matrix as it is."""
    if isinstance(x, DistributedMatrix):
        return x
    if isinstance(x, TransposedMatrix):
        raise failure(f"{name}: is a transposed view, which gemm alone takes; {name}.materialize() makes a matrix")
    if isinstance(x, Distributed):
        raise failure(f"{name}: is a {type(x).__name__}; expected a matrix: {name}.to_matrix(rows) makes one")
    if x.ndim not in (1, 2):
        raise failure(f"{name}: has {x.ndim} dimensions; expected 1 or 2")
    return x.reshape(-1, 1) if x.ndim == 1 else x


def as_plain_matrix(x: Any, name: str) -> Any:
    """As as_matrix(), of two dimensions only."""
    if not isinstance(x, Distributed) and x.ndim != 2:
        raise failure(f"{name}: has {x.ndim} dimensions; expected 2")
    return as_matrix(x, name)


def as_system(x: Any, name: str) -> Any:
    """a of a system in two dimensions, b in one or two."""
    return as_plain_matrix(x, name) if name == "a" else as_matrix(x, name)


def distribute(
    array: np.ndarray | None,
    comm: Communicator | None = None,
    *,
    root: int = 0,
    distribution: Distribution | None = None,
) -> DistributedMatrix:
    """Distributes root's array over all ranks. Called by all ranks; `array` is looked at on the root only."""
    comm = world_of(comm)
    head, whole = None, None
    with together(comm):
        if comm.rank == root:
            if array is None:
                raise failure(f"array: expected an array on rank {root}, got None")
            whole = as_matrix(numbers_of(array, "array"), "array")
            head = (whole.shape, working_dtype(whole.dtype))
    shape, dtype = comm.mpi4py.bcast(head, root)
    return _from_root(whole, shape, dtype, distribution or square_distribution(shape, comm.size), comm, root)


def _from_root(
    whole: np.ndarray | None,
    shape: tuple[int, int],
    dtype: np.dtype,
    distribution: Distribution,
    comm: Communicator,
    root: int = 0,
) -> DistributedMatrix:
    """root's array, distributed: a matrix of its own. Called by all ranks."""
    on_root = root_distribution(shape, root)
    local = np.empty(0)
    with together(comm):
        if whole is None:
            local = local_block(on_root, comm.rank, dtype)
        elif distribution == on_root:
            local = np.array(whole, dtype=dtype, order="F")
        else:
            local = np.asfortranarray(whole, dtype=dtype)
    return DistributedMatrix(comm, on_root, local).redistribute(distribution)


def own_part(whole: np.ndarray, distribution: Distribution, comm: Communicator, dtype: np.dtype) -> np.ndarray:
    """This rank's part of an array that every rank has. Called by all ranks."""
    local = np.empty(0)
    with together(comm):
        local = local_block(distribution, comm.rank, dtype)
        for (r0, r1), (c0, c1), where in boxes(distribution, comm.rank):
            local[where] = whole[r0:r1, c0:c1]
    return local


def as_distributed(x: Any, distribution: Distribution, comm: Communicator, dtype: np.dtype) -> DistributedMatrix:
    """x in that type: a distributed matrix as it is distributed, a Whole distributed so. Called by all ranks."""
    if isinstance(x, Whole):
        return distributed(x, distribution, comm, dtype)
    local = x.local
    with together(comm):
        local = local.astype(dtype, order="F", copy=False)
    return x if local is x.local else DistributedMatrix(x.comm, x.distribution, local)


def distributed(x: Whole, distribution: Distribution, comm: Communicator, dtype: np.dtype) -> DistributedMatrix:
    """A whole array in that type as a matrix of its own. Called by all ranks."""
    if x.everywhere and x.array is not None:
        return DistributedMatrix(comm, distribution, own_part(x.array, distribution, comm, dtype))
    return _from_root(x.array, (x.shape[0], x.shape[1]), dtype, distribution, comm)
