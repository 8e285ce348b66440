"""The product of distributed matrices: alpha op(A) op(B) + beta C."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from allport import _native
from allport._native import Distribution, GemmPlan
from allport.errors import failure, together
from allport.io import working_dtype
from allport.linalg.matrix import DistributedMatrix, as_distributed, as_matrix, distributed, world_of
from allport.notebook import Shown
from allport.plan import gemm as plan_gemm
from allport.plan import plan_together, problem_of
from allport.whole_arrays import Whole, whole_arrays

if TYPE_CHECKING:
    from allport.comm import Communicator

__all__ = ["GemmPlan", "GemmReport", "gemm"]


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
    plan: of plan.gemm(); made here from algorithm, grid, memory and way when None, and from where a, b and c lie when
    all three are distributed.
    Raises Error on every rank for wrong shapes, types, or too little memory.
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
