"""Cholesky factorizations of distributed positive definite matrices: A = L L^H or U^H U, kept for many solves."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from allport import _native
from allport._native import CholeskyPlan
from allport.errors import Error, failure, together
from allport.io import working_dtype
from allport.linalg.matrix import DistributedMatrix, as_distributed, as_matrix, as_plain_matrix, distributed, world_of
from allport.linalg.right_hand_sides import RightHandSides
from allport.options import Options
from allport.plan import cholesky as plan_cholesky
from allport.plan import plan_together
from allport.reports import Measured, remember
from allport.whole_arrays import Whole, whole_arrays

if TYPE_CHECKING:
    from allport.comm import Communicator

__all__ = ["Cholesky", "CholeskyPlan", "CholeskyReport", "NotPositiveDefinite", "cholesky"]


#: Options of factorizations in tiles that their plans take.
TILED = ("grid", "order", "nb", "workers", "memory")


class NotPositiveDefinite(Error, np.linalg.LinAlgError):
    """A matrix that has no Cholesky factor.

    minor: order of the first leading minor that is not positive definite (or has a NaN), counted from 1: LAPACK's INFO.
    """

    kind = "argument"

    def __init__(self, minor: int) -> None:
        super().__init__(
            f"matrix: is not positive definite, its leading minor of order {minor} is not (INFO = {minor}): "
            f"expected a Hermitian positive definite matrix; for others take lu, or solve with assume_a='gen'"
        )
        self.minor = minor


class FactorReport(Measured):
    """What a factorization in tiles measured."""

    def __init__(self, data: dict[str, Any], records: dict[str, Any] | None = None) -> None:
        super().__init__(data)
        #: With Options(record=True) what tasks and messages did on this rank, for graph.timeline(report.records, comm).
        self.records = records

    @property
    def seconds(self) -> dict[str, float]:
        """total of the slowest rank, and busy: in kernels, over all workers of all ranks."""
        return dict(self._data["seconds"])


class CholeskyReport(FactorReport):
    """What a factorization found and measured."""

    @property
    def info(self) -> int:
        """0, or the order of the first leading minor that is not positive definite (LAPACK's INFO)."""
        return int(self._data["info"])

    def __repr__(self) -> str:
        return f"CholeskyReport({self.seconds['total']:.4g} s, info {self.info}, {self._data['tasks']} tasks)"


class Cholesky:
    """A = L L^H or U^H U of an n x n matrix: what `ap.cholesky` returns.

    factor: DistributedMatrix [n, n], L or U, zeros on the other side of the diagonal; where the matrix was overwritten
    its other triangle is as it was. lower: whether it is L. info: 0, or INFO >= 1 with check=False. report:
    CholeskyReport.
    Every method that computes is called by all ranks.
    """

    def __init__(
        self, factor: DistributedMatrix, *, lower: bool, report: CholeskyReport, nb: int = 0, workers: int = 1
    ) -> None:
        self.factor, self.lower, self.report = factor, lower, report
        self.info, self._nb, self._workers = report.info, nb, workers

    @property
    def shape(self) -> tuple[int, int]:
        """(n, n)."""
        return self.factor.shape

    @property
    def dtype(self) -> np.dtype:
        """float32, float64, complex64 or complex128."""
        return self.factor.dtype

    @property
    def _uplo(self) -> str:
        return "L" if self.lower else "U"

    def _complete(self) -> None:
        if self.info > 0:
            raise NotPositiveDefinite(self.info)

    def solve(self, b: Any, *, replicated: bool = False) -> Any:
        """x with A x = b.

        b: a numpy array [n] or [n, any number], or a DistributedMatrix; not changed. x is like b.
        Whole arrays: rank 0's is the matrix; the other ranks pass theirs, of its shape and dtype, or None;
        replicated=True: all ranks have equal copies, which is checked, and nothing is sent.
        Raises NotPositiveDefinite with the leading minor; Error for shapes that differ.
        """
        comm = self.factor.comm
        (b,) = whole_arrays(comm, as_matrix, {"b": b}, replicated=replicated)
        with together(comm):
            right = RightHandSides(b, self.shape[0], self.dtype, "N")
        self._complete()
        x = right.matrix(comm)
        self._solve(x)
        return right.like(x)

    def _options(self) -> _native.TiledOptions:
        return _native.TiledOptions(nb=self._nb, workers=self._workers)

    def _solve(self, x: DistributedMatrix) -> dict[str, Any]:
        factor = as_distributed(self.factor, self.factor.distribution, self.factor.comm, x.dtype)
        return _native.cholesky_solve(factor._native, self._uplo, x._native, self._options())

    def clear_other_triangle(self) -> None:
        """Zeros on the other side of the diagonal, where a matrix was overwritten. Local."""
        _native.keep_triangle(self.factor._native, self._uplo)

    def logdet(self) -> float:
        """log det A, which does not overflow."""
        self._complete()
        return _native.cholesky_log_determinant(self.factor._native)

    def residual(self, a: Any, *, replicated: bool = False) -> float:
        """||A - L L^H||_1 / (||A||_1 n eps), eps half the distance from 1 to the next number.

        a: the matrix as it was before, a numpy array or a DistributedMatrix; only the triangle that was
        factored is looked at.
        Whole arrays: rank 0's is the matrix; the other ranks pass theirs, of its shape and dtype, or None;
        replicated=True: all ranks have equal copies, which is checked, and nothing is sent.
        """
        comm = self.factor.comm
        (a,) = whole_arrays(comm, as_matrix, {"a": a}, replicated=replicated)
        with together(comm):
            if tuple(a.shape) != self.shape:
                raise failure(f"a: is {a.shape[0]} x {a.shape[1]}: expected {self.shape[0]} x {self.shape[1]}")
        given = as_distributed(a, self.factor.distribution, comm, self.dtype)
        return _native.cholesky_residual(given._native, self.factor._native, self._uplo)

    def __repr__(self) -> str:
        state = f"not positive definite, info {self.info}" if self.info else "complete"
        return f"Cholesky({self.shape[0]} x {self.shape[1]}, {self.dtype}, {self._uplo}, {state})"


def copied(a: DistributedMatrix, dtype: np.dtype) -> DistributedMatrix:
    """A matrix of its own with a's elements, in that type. Called by all ranks."""
    local = a.local
    with together(a.comm):
        local = a.local.astype(dtype, order="F", copy=True)
    return DistributedMatrix(a.comm, a.distribution, local)


OPTIONS = ("grid", "order", "nb", "workers", "memory", "replicated", "record", "progress")


def cholesky(
    a: Any,
    *,
    lower: bool = False,
    overwrite_a: bool = False,
    check: bool = True,
    comm: Communicator | None = None,
    plan: CholeskyPlan | None = None,
    options: Options | None = None,
) -> Cholesky:
    """A = U^H U, or L L^H where `lower`, over all ranks of a communicator. Called by all ranks with equal arguments.

    a: numpy array [n, n] or DistributedMatrix; only its upper triangle is read, or the lower one where `lower`, as by
    scipy.linalg.cholesky. Returns Cholesky, its factor distributed as planned, or as a distributed `a` is where neither
    plan, grid, order nor memory is given. Cholesky.report, which last_report() gives, too, is a CholeskyReport.
    Whole arrays: rank 0's is the matrix; the other ranks pass theirs, of its shape and dtype, or None, unless
    options.replicated says that all have equal copies.
    overwrite_a: a distributed `a` is replaced by its factor; otherwise it is not changed.
    plan: of plan.cholesky(). options: grid, order, nb (rows and columns of a tile), workers, memory, replicated,
    record, progress(done, total) in tasks of this rank.
    Raises NotPositiveDefinite on every rank, with the leading minor, unless check=False: then see Cholesky.info.
    Raises Error on every rank for wrong shapes, types, or too little memory.
    """
    options = options or Options()
    comm = world_of(a.comm if comm is None and isinstance(a, DistributedMatrix) else comm)
    (a,) = whole_arrays(comm, as_plain_matrix, {"a": a}, replicated=options.replicated)
    with together(comm):
        options.only("cholesky", *OPTIONS)
        dtype = working_dtype(a.dtype)
        if a.shape[0] != a.shape[1]:
            raise failure(f"a: is {a.shape[0]} x {a.shape[1]}: expected a square matrix")
        if plan is not None and plan.shape != tuple(a.shape):
            raise failure(f"plan: is for {plan.n} x {plan.n}, a is {a.shape[0]} x {a.shape[1]}")
    fixed = options.grid is not None or options.order is not None or options.memory is not None
    if plan is None and (fixed or not isinstance(a, DistributedMatrix)):
        n, machine = a.shape[0], comm.machine
        how = replace(options.part(*TILED), candidates=1)
        plan = plan_together(
            comm,
            lambda **taken: plan_cholesky(n, machine, dtype=dtype, lower=lower, options=replace(how, **taken)),
        )
    if isinstance(a, Whole):
        assert plan is not None
        matrix = distributed(a, plan.distribution, comm, dtype)
    else:
        moved = a if overwrite_a or plan is None else a.redistribute(plan.distribution)
        matrix = moved if overwrite_a or moved is not a else copied(a, dtype)
    nb = plan.nb if plan is not None and not overwrite_a else options.nb
    tiled = _native.TiledOptions(nb=nb, workers=options.workers, record=options.record, progress=options.progress)
    uplo = "L" if lower else "U"
    made = CholeskyReport(*_native.cholesky(matrix._native, uplo, tiled))
    remember(made)
    if check and made.info > 0:
        raise NotPositiveDefinite(made.info)
    factors = Cholesky(matrix, lower=lower, report=made, nb=nb, workers=options.workers)
    if not overwrite_a:
        factors.clear_other_triangle()
    return factors
