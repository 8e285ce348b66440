"""Distributed matrices and their product."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from allport import _native
from allport._native import GemmPlan, Layout
from allport.errors import failure, together
from allport.io import boxes, inspect, local_block, read, scalar_of, working_dtype, write
from allport.layouts import root_layout, square_layout
from allport.plan import plan_gemm, plan_together, problem_of

if TYPE_CHECKING:
    from allport.comm import Communicator

__all__ = [
    "DistributedMatrix",
    "GemmPlan",
    "GemmReport",
    "Layout",
    "distribute",
    "gemm",
    "load",
]


class DistributedMatrix:
    """A matrix dealt to the ranks of a communicator.

    local: this rank's part, [local rows, local columns], column-major; a view that may be written.
    """

    def __init__(self, comm: Communicator, layout: Layout, local: np.ndarray) -> None:
        scalar_of(local.dtype)
        if tuple(local.shape) != layout.local_shape(comm.rank):
            raise failure(
                f"local: has shape {local.shape}; expected {layout.local_shape(comm.rank)} on rank {comm.rank}"
            )
        self.comm, self.layout, self.local = comm, layout, np.asfortranarray(local)

    @classmethod
    def empty(cls, comm: Communicator, layout: Layout, dtype: Any = "f8") -> DistributedMatrix:
        """A matrix with undefined contents. Called by all ranks; raises on all when one has too little memory."""
        local = np.empty(0)
        with together(comm):
            local = local_block(layout, comm.rank, dtype)
        return cls(comm, layout, local)

    @classmethod
    def zeros(
        cls, comm: Communicator, shape: tuple[int, int], dtype: Any = "f8", layout: Layout | None = None
    ) -> DistributedMatrix:
        """A matrix of zeros in balanced blocks, or as `layout` says."""
        made = cls.empty(comm, layout or square_layout(shape, comm.size), dtype)
        made.local[...] = 0
        return made

    @property
    def shape(self) -> tuple[int, int]:
        """(rows, columns) of the whole matrix."""
        return self.layout.shape

    @property
    def dtype(self) -> np.dtype:
        """float32, float64, complex64 or complex128."""
        return self.local.dtype

    def redistribute(self, layout: Layout) -> DistributedMatrix:
        """The same matrix in another layout. Called by all ranks."""
        if layout == self.layout:
            return self
        moved = DistributedMatrix.empty(self.comm, layout, self.dtype)
        native = self.comm._native
        _native.redistribute(native, scalar_of(self.dtype), self.layout, self.local, layout, moved.local)
        return moved

    def gather(self, root: int = 0) -> np.ndarray | None:
        """The whole matrix on the root, None elsewhere. Called by all ranks."""
        whole = self.redistribute(root_layout(self.shape, root))
        return whole.local if self.comm.rank == root else None

    def to_numpy(self) -> np.ndarray:
        """The whole matrix on every rank. Called by all ranks."""
        whole = self.gather(0)
        with together(self.comm):
            whole = np.empty(self.shape, dtype=self.dtype, order="F") if whole is None else whole
        return self.comm.bcast(whole, 0)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a .npy, .mtx or .h5:DATASET file; each rank writes its part. Called by all ranks."""
        write(path, self.comm, self.layout, self.local)

    def __repr__(self) -> str:
        return f"DistributedMatrix({self.shape[0]} x {self.shape[1]}, {self.dtype}, {self.layout!r})"


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
    layout: Layout | None = None,
    dtype: Any = None,
) -> DistributedMatrix:
    """Reads a .npy, .mtx or .h5:DATASET file; each rank reads its part only. Called by all ranks.

    layout: balanced blocks unless given. dtype: the file's, with integers as float64, unless given.
    """
    comm = world_of(comm)
    file: Any = None
    with together(comm):
        file = inspect(path)
    kind = working_dtype(file.dtype) if dtype is None else np.dtype(dtype)
    layout = layout or square_layout(file.shape, comm.size)
    return DistributedMatrix(comm, layout, read(file, comm, layout, kind))


def as_matrix(array: Any, name: str) -> np.ndarray:
    """Anything like an array of numbers in one or two dimensions as [rows, columns]; 1-D is one column."""
    a = np.asarray(array)
    if a.ndim not in (1, 2):
        raise failure(f"{name}: has {a.ndim} dimensions; expected 1 or 2")
    working_dtype(a.dtype)
    return a.reshape(-1, 1) if a.ndim == 1 else a


def whole_matrix(a: Any) -> Any:
    """A distributed matrix as it is, an array of two dimensions as numpy's."""
    if not isinstance(a, DistributedMatrix) and np.ndim(a) != 2:
        raise failure(f"a: has {np.ndim(a)} dimensions; expected 2")
    return a if isinstance(a, DistributedMatrix) else as_matrix(a, "a")


def distribute(
    array: np.ndarray | None, comm: Communicator | None = None, *, root: int = 0, layout: Layout | None = None
) -> DistributedMatrix:
    """Deals root's array to all ranks. Called by all ranks; `array` is looked at on the root only."""
    comm = world_of(comm)
    head, whole = None, None
    with together(comm):
        if comm.rank == root:
            given = as_matrix(array, "array") if array is not None else None
            if given is None:
                raise failure(f"array: expected an array on rank {root}, got None")
            whole = np.asfortranarray(given, dtype=working_dtype(given.dtype))
            head = (whole.shape, whole.dtype.str)
    shape, dtype = comm.mpi4py.bcast(head, root)
    on_root = root_layout(shape, root)
    local = whole if whole is not None else np.empty((0, 0), dtype=dtype, order="F")
    return DistributedMatrix(comm, on_root, local.reshape(on_root.local_shape(comm.rank))).redistribute(
        layout or square_layout(shape, comm.size)
    )


class GemmReport:
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
        return f"GemmReport({self.seconds['total']:.4g} s, as planned: {self.as_planned})"


def own_part(whole: np.ndarray, layout: Layout, comm: Communicator, dtype: np.dtype) -> np.ndarray:
    """This rank's part of an array that every rank has. Called by all ranks."""
    local = np.empty(0)
    with together(comm):
        local = local_block(layout, comm.rank, dtype)
        for (r0, r1), (c0, c1), where in boxes(layout, comm.rank):
            local[where] = whole[r0:r1, c0:c1]
    return local


def _operand(x: Any, layout: Layout, comm: Communicator, dtype: np.dtype) -> tuple[Layout, np.ndarray]:
    if not isinstance(x, DistributedMatrix):
        return layout, own_part(x, layout, comm, dtype)
    local = x.local
    with together(comm):
        local = local.astype(dtype, order="F", copy=False)
    return x.layout, local


def _start_of_product(
    c: Any, beta: complex, layout: Layout, comm: Communicator, dtype: np.dtype, overwrite: bool
) -> DistributedMatrix:
    """What the product is added to: c itself or a copy of it, in its layout or, where c is not distributed, layout."""
    if overwrite and isinstance(c, DistributedMatrix) and c.dtype == dtype:
        return c
    if beta == 0 or c is None:
        return DistributedMatrix.empty(comm, c.layout if isinstance(c, DistributedMatrix) else layout, dtype)
    if not isinstance(c, DistributedMatrix):
        return DistributedMatrix(comm, layout, own_part(c, layout, comm, dtype))
    local = c.local
    with together(comm):
        local = local.astype(dtype, order="F", copy=True)
    return DistributedMatrix(comm, c.layout, local)


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
    overwrite: bool = False,
    progress: Callable[[int, int], None] | None = None,
    report: bool = False,
) -> Any:
    """alpha op(A) op(B) + beta C over all ranks of a communicator. Called by all ranks with equal arguments.

    a, b, c: numpy arrays that every rank has, or DistributedMatrix. `c` is read when beta is not 0, and not changed;
    with overwrite a distributed `c` of the product's type becomes the product: there is no second one in memory.
    Returns a numpy array on every rank when a and b are numpy arrays, otherwise a DistributedMatrix in the plan's
    layout (C's own when c is distributed). With report=True returns (result, GemmReport).
    plan: of plan_gemm(); made here from algorithm, grid and memory when None.
    Raises AllportError on every rank for wrong shapes, types, or too little memory.
    """
    if comm is None:
        comm = next((x.comm for x in (a, b, c) if isinstance(x, DistributedMatrix)), None)
    comm = world_of(comm)
    with together(comm):
        a, b, c = (x if x is None or isinstance(x, DistributedMatrix) else as_matrix(x, "matrix") for x in (a, b, c))
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
        machine = comm.machine
        plan = plan_together(
            comm, lambda **taken: plan_gemm(m, n, k, machine, dtype=dtype, candidates=1, **{**ways, **taken})
        )
    a_layout, a_local = _operand(a, plan.a, comm, dtype)
    b_layout, b_local = _operand(b, plan.b, comm, dtype)
    result = _start_of_product(c, beta, plan.c, comm, dtype, overwrite)
    data = _native.gemm(
        comm._native,
        plan,
        scalar_of(dtype),
        complex(alpha),
        a_layout,
        a_local,
        b_layout,
        b_local,
        complex(beta),
        result.layout,
        result.local,
        progress,
    )
    given = any(isinstance(x, DistributedMatrix) for x in (a, b, c))
    answer = result if given else result.to_numpy()
    return (answer, GemmReport(data)) if report else answer
