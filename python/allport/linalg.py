"""Distributed matrices and their product."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from allport import _native
from allport._native import Distribution, GemmPlan
from allport.arrays import numbers_of
from allport.distributions import root_distribution, square_distribution
from allport.errors import failure, together
from allport.io import boxes, inspect, local_block, read, scalar_of, working_dtype, write
from allport.notebook import Shown
from allport.plan import plan_gemm, plan_together, problem_of
from allport.whole_arrays import Distributed, Whole, whole_arrays

if TYPE_CHECKING:
    from allport.comm import Communicator

__all__ = [
    "DistributedMatrix",
    "Distribution",
    "GemmPlan",
    "GemmReport",
    "distribute",
    "gemm",
    "load",
]


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

    @property
    def shape(self) -> tuple[int, int]:
        """(rows, columns) of the whole matrix."""
        return self.distribution.shape

    @property
    def dtype(self) -> np.dtype:
        """float32, float64, complex64 or complex128."""
        return self.local.dtype

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
        return self.comm.bcast(whole, 0)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a .npy, .mtx or .h5:DATASET file; each rank writes its part. Called by all ranks."""
        write(path, self.comm, self.distribution, self.local)

    def __repr__(self) -> str:
        return f"DistributedMatrix({self.shape[0]} x {self.shape[1]}, {self.dtype}, {self.distribution!r})"


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


class GemmReport(Shown):
    """What a run of gemm measured, beside what its plan predicted."""

    def __init__(self, data: dict[str, Any]) -> None:
        self._data = data

    @property
    def seconds(self) -> dict[str, float]:
        """total, compute, wait and redistribute of the slowest rank."""
        return dict(self._data["seconds"])

    @property
    def as_planned(self) -> bool:
        """Whether every rank sent and received exactly what the plan said."""
        return bool(self._data["as_planned"])

    def to_dict(self) -> dict[str, Any]:
        """Everything, as `allport run gemm --json` prints it under "report"."""
        return self._data

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.seconds['total']:.4g} s, as planned: {self.as_planned})"


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


def _start_of_product(
    c: Any, beta: complex, distribution: Distribution, comm: Communicator, dtype: np.dtype, overwrite: bool
) -> DistributedMatrix:
    """What the product is added to: c itself or a copy, distributed as c is or, where c is not, as `distribution`."""
    if overwrite and isinstance(c, DistributedMatrix) and c.dtype == dtype:
        return c
    if beta == 0 or c is None:
        return DistributedMatrix.empty(
            comm, c.distribution if isinstance(c, DistributedMatrix) else distribution, dtype
        )
    if isinstance(c, Whole):
        return distributed(c, distribution, comm, dtype)
    local = c.local
    with together(comm):
        local = local.astype(dtype, order="F", copy=True)
    return DistributedMatrix(comm, c.distribution, local)


def gemm(
    a: Any,
    b: Any,
    *,
    alpha: complex = 1.0,
    beta: complex = 0.0,
    c: Any = None,
    trans_a: str = "N",
    trans_b: str = "N",
    comm: Communicator | None = None,
    plan: GemmPlan | None = None,
    algorithm: str | None = None,
    grid: str | tuple[int, ...] | None = None,
    memory: int | str | None = None,
    way: str | None = None,
    replicated: bool = False,
    overwrite: bool = False,
    progress: Callable[[int, int], None] | None = None,
    report: bool = False,
) -> Any:
    """alpha op(A) op(B) + beta C over all ranks of a communicator. Called by all ranks with equal arguments.

    a, b, c: numpy arrays or DistributedMatrix. `c` is read when beta is not 0, and not changed;
    with overwrite a distributed `c` of the product's type becomes the product: there is no second one in memory.
    Whole arrays: rank 0's is the matrix; the other ranks pass theirs, of its shape and dtype, or None; replicated=True:
    all ranks have equal copies, which is checked, and nothing is sent.
    Returns a numpy array on every rank when a and b are numpy arrays, otherwise a DistributedMatrix in the plan's
    distribution (C's own when c is distributed). With report=True returns (result, GemmReport).
    plan: of plan_gemm(); made here from algorithm, grid, memory and way when None, and from where a, b and c lie when
    all three are distributed.
    Raises AllportError on every rank for wrong shapes, types, or too little memory.
    """
    if comm is None:
        comm = next((x.comm for x in (a, b, c) if isinstance(x, DistributedMatrix)), None)
    comm = world_of(comm)
    arguments = {"a": a, "b": b, "c": c}
    a, b, c = whole_arrays(comm, as_matrix, arguments, optional=("c",), replicated=replicated)
    with together(comm):
        dtype = working_dtype(a.dtype, b.dtype, *([c.dtype] if c is not None else []))
        if dtype.kind == "f" and any(complex(x).imag for x in (alpha, beta)):
            dtype = np.result_type(dtype, np.complex64)
        if c is None and beta != 0:
            raise failure("c = None: expected a matrix because beta is not 0")
        m, n, k = problem_of(a.shape, b.shape, None if c is None else c.shape, trans_a, trans_b)
    for name, extent in (("m", m), ("n", n), ("k", k)):
        comm.ensure_agreement(name, extent)
    if plan is None:
        ways = {"trans_a": trans_a, "trans_b": trans_b, "memory": memory, "algorithm": algorithm, "grid": grid}
        ways["way"] = way
        ways["mapping"], machine = comm.mapping, comm.machine
        if all(isinstance(x, DistributedMatrix) for x in (a, b, c)):
            ways["given"], ways["reads_c"] = (a.distribution, b.distribution, c.distribution), beta != 0
        plan = plan_together(
            comm, lambda **taken: plan_gemm(m, n, k, machine, dtype=dtype, candidates=1, **{**ways, **taken})
        )
    left, right = as_distributed(a, plan.a, comm, dtype), as_distributed(b, plan.b, comm, dtype)
    result = _start_of_product(c, beta, plan.c, comm, dtype, overwrite)
    data = _native.gemm(plan, complex(alpha), left._native, right._native, complex(beta), result._native, progress)
    given = any(isinstance(x, DistributedMatrix) for x in (a, b, c))
    answer = result if given else result.to_numpy()
    return (answer, GemmReport(data)) if report else answer
