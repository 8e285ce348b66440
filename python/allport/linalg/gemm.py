"""The product of distributed matrices: alpha op(A) op(B) + beta C."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from allport import _native
from allport._native import Distribution, GemmPlan
from allport.errors import failure, together
from allport.io import working_dtype
from allport.linalg.matrix import DistributedMatrix, TransposedMatrix, as_distributed, as_matrix, distributed, world_of
from allport.options import Options
from allport.plan import plan_product, plan_together, problem_of
from allport.reports import Measured, remember
from allport.whole_arrays import Whole, whole_arrays

if TYPE_CHECKING:
    from allport.comm import Communicator

__all__ = ["GemmPlan", "GemmReport", "gemm"]


class GemmReport(Measured):
    """What a run of gemm measured, beside what its plan predicted."""

    @property
    def seconds(self) -> dict[str, float]:
        """total, compute, wait and redistribute of the slowest rank."""
        return dict(self._data["seconds"])

    @property
    def as_planned(self) -> bool:
        """Whether every rank sent and received exactly what the plan said."""
        return bool(self._data["as_planned"])

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


OPTIONS = ("algorithm", "grid", "order", "panel", "memory", "tree", "overwrite_c", "replicated", "progress")


def gemm(
    a: Any,
    b: Any,
    c: Any = None,
    *,
    alpha: complex = 1.0,
    beta: complex = 0.0,
    comm: Communicator | None = None,
    plan: GemmPlan | None = None,
    options: Options | None = None,
) -> Any:
    """alpha A B + beta C over all ranks of a communicator. Called by all ranks with equal arguments.

    a, b, c: numpy arrays or DistributedMatrix; of a distributed A, A.T and A.H are taken as they are. `c` is read when
    beta is not 0, and not changed, unless options.overwrite_c makes it the product.
    Whole arrays: rank 0's is the matrix; the other ranks pass theirs, of its shape and dtype, or None, unless
    options.replicated says that all have equal copies.
    Returns a numpy array on every rank when a and b are numpy arrays, otherwise a DistributedMatrix in the plan's
    distribution (C's own when c is distributed). last_report() is a GemmReport then.
    plan: of plan.gemm(); made here when None, and from where a, b and c are when all three are distributed.
    options: algorithm, grid, order, panel, memory, tree, overwrite_c, replicated, progress.
    Raises Error on every rank for wrong shapes, types, or too little memory.
    """
    options = options or Options()
    (a, trans_a), (b, trans_b) = _operand(a), _operand(b)
    trans = trans_a + trans_b
    if comm is None:
        comm = next((x.comm for x in (a, b, c) if isinstance(x, DistributedMatrix)), None)
    comm = world_of(comm)
    arguments = {"a": a, "b": b, "c": c}
    a, b, c = whole_arrays(comm, as_matrix, arguments, optional=("c",), replicated=options.replicated)
    with together(comm):
        options.only("gemm", *OPTIONS)
        dtype = working_dtype(a.dtype, b.dtype, *([c.dtype] if c is not None else []))
        if dtype.kind == "f" and any(complex(x).imag for x in (alpha, beta)):
            dtype = np.result_type(dtype, np.complex64)
        if c is None and beta != 0:
            raise failure("c = None: expected a matrix because beta is not 0")
        m, n, k = problem_of(a.shape, b.shape, None if c is None else c.shape, trans)
    for name, extent in (("m", m), ("n", n), ("k", k)):
        comm.ensure_agreement(name, extent)
    if plan is None:
        given, machine = None, comm.machine
        if all(isinstance(x, DistributedMatrix) for x in (a, b, c)):
            given = (a.distribution, b.distribution, c.distribution)
        how = options.part("algorithm", "grid", "order", "panel", "memory", "tree")
        how = replace(how, candidates=1, mapping=comm.mapping)
        reads_c = given is not None and beta != 0
        plan = plan_together(
            comm,
            lambda **taken: plan_product(m, n, k, machine, dtype, trans, given, reads_c, replace(how, **taken)),
        )
    left, right = as_distributed(a, plan.a, comm, dtype), as_distributed(b, plan.b, comm, dtype)
    result = _start_of_product(c, beta, plan.c, comm, dtype, options.overwrite_c)
    data = _native.gemm(
        plan, complex(alpha), left._native, right._native, complex(beta), result._native, options.progress
    )
    given_distributed = any(isinstance(x, DistributedMatrix) for x in (a, b, c))
    answer = result if given_distributed else result.to_numpy()
    remember(GemmReport(data))
    return answer


def _operand(x: Any) -> tuple[Any, str]:
    """An operand as it is stored, and its op."""
    return (x.of, x.trans) if isinstance(x, TransposedMatrix) else (x, "N")
