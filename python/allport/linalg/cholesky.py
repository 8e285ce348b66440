"""Cholesky factorizations of distributed positive definite matrices: A = L L^H or U^H U, kept for many solves."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from allport import _native
from allport._native import CholeskyPlan
from allport.errors import Error, failure, together
from allport.io import working_dtype
from allport.linalg.matrix import DistributedMatrix, as_distributed, as_matrix, as_plain_matrix, distributed, world_of
from allport.linalg.right_hand_sides import RightHandSides
from allport.notebook import Shown
from allport.plan import cholesky as plan_cholesky
from allport.plan import plan_together
from allport.whole_arrays import Whole, whole_arrays

if TYPE_CHECKING:
    from allport.comm import Communicator

__all__ = ["Cholesky", "CholeskyPlan", "CholeskyReport", "NotPositiveDefinite", "cholesky"]


class NotPositiveDefinite(Error, np.linalg.LinAlgError):
    """A matrix that has no Cholesky factor.

    minor: order of the first leading minor that is not positive definite (or has a NaN), counted from 1: LAPACK's INFO.
    """

    kind = "argument"

    def __init__(self, minor: int) -> None:
        super().__init__(
            f"matrix: is not positive definite, its leading minor of order {minor} is not (INFO = {minor}): "
            f"expected a Hermitian positive definite matrix; for others take lu, or solve with assume='gen'"
        )
        self.minor = minor


class FactorReport(Shown):
    """What a factorization in tiles measured."""

    def __init__(self, data: dict[str, Any], records: dict[str, Any] | None = None) -> None:
        self._data = data
        #: With record=True what tasks and messages did on this rank, for ap.graph.timeline(report.records, comm).
        self.records = records

    @property
    def seconds(self) -> dict[str, float]:
        """total of the slowest rank, and busy: in kernels, over all workers of all ranks."""
        return dict(self._data["seconds"])

    def to_dict(self) -> dict[str, Any]:
        """Everything, as `allport run` prints it with --json under "report"."""
        return self._data


class CholeskyReport(FactorReport):
    """What a factorization found and measured."""

    @property
    def info(self) -> int:
        """0, or the order of the first leading minor that is not positive definite (LAPACK's INFO)."""
        return int(self._data["info"])

    def __repr__(self) -> str:
        return f"CholeskyReport({self.seconds['total']:.4g} s, info {self.info}, {self._data['tasks']} tasks)"


class Cholesky:
    """A = L L^H ('L') or U^H U ('U') of an n x n matrix: what `ap.cholesky` returns.

    factor: DistributedMatrix [n, n], L or U, zeros on the other side of the diagonal; where the matrix was overwritten
    its other triangle is as it was. uplo: 'L' or 'U'. info: 0, or INFO >= 1 with check=False. report: CholeskyReport.
    Every method that computes is called by all ranks.
    """

    def __init__(
        self, factor: DistributedMatrix, *, uplo: str, report: CholeskyReport, nb: int = 0, workers: int = 1
    ) -> None:
        self.factor, self.uplo, self.report = factor, uplo, report
        self.info, self._nb, self._workers = report.info, nb, workers

    @property
    def shape(self) -> tuple[int, int]:
        """(n, n)."""
        return self.factor.shape

    @property
    def dtype(self) -> np.dtype:
        """float32, float64, complex64 or complex128."""
        return self.factor.dtype

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
        return _native.cholesky_solve(factor._native, self.uplo, x._native, self._options())

    def clear_other_triangle(self) -> None:
        """Zeros on the other side of the diagonal, where a matrix was overwritten. Local."""
        _native.keep_triangle(self.factor._native, self.uplo)

    def logdet(self) -> float:
        """log det A, which does not overflow."""
        self._complete()
        return _native.cholesky_log_determinant(self.factor._native)

    def residual(self, a: Any, *, replicated: bool = False) -> float:
        """||A - L L^H||_1 / (||A||_1 n eps), eps half the distance from 1 to the next number.

        a: the matrix as it was before, a numpy array or a DistributedMatrix; its triangle `uplo` is looked at.
        Whole arrays: rank 0's is the matrix; the other ranks pass theirs, of its shape and dtype, or None;
        replicated=True: all ranks have equal copies, which is checked, and nothing is sent.
        """
        comm = self.factor.comm
        (a,) = whole_arrays(comm, as_matrix, {"a": a}, replicated=replicated)
        with together(comm):
            if tuple(a.shape) != self.shape:
                raise failure(f"a: is {a.shape[0]} x {a.shape[1]}: expected {self.shape[0]} x {self.shape[1]}")
        given = as_distributed(a, self.factor.distribution, comm, self.dtype)
        return _native.cholesky_residual(given._native, self.factor._native, self.uplo)

    def __repr__(self) -> str:
        state = f"not positive definite, info {self.info}" if self.info else "complete"
        return f"Cholesky({self.shape[0]} x {self.shape[1]}, {self.dtype}, uplo {self.uplo}, {state})"


def copied(a: DistributedMatrix, dtype: np.dtype) -> DistributedMatrix:
    """A matrix of its own with a's elements, in that type. Called by all ranks."""
    local = a.local
    with together(a.comm):
        local = a.local.astype(dtype, order="F", copy=True)
    return DistributedMatrix(a.comm, a.distribution, local)


def cholesky(
    a: Any,
    *,
    uplo: str = "L",
    comm: Communicator | None = None,
    plan: CholeskyPlan | None = None,
    grid: str | tuple[int, ...] | None = None,
    nb: int = 0,
    workers: int = 1,
    memory: int | str | None = None,
    replicated: bool = False,
    overwrite: bool = False,
    check: bool = True,
    report: bool = False,
    record: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> Any:
    """A = L L^H (uplo 'L') or U^H U ('U') over all ranks of a communicator. Called by all ranks with equal arguments.

    a: numpy array [n, n] or DistributedMatrix; only its triangle `uplo` is read. Returns Cholesky,
    its factor distributed as planned, or as a distributed `a` is where neither plan, grid nor memory is given.
    Whole arrays: rank 0's is the matrix; the other ranks pass theirs, of its shape and dtype, or None; replicated=True:
    all ranks have equal copies, which is checked, and nothing is sent.
    overwrite: a distributed `a` is replaced by its factor; otherwise it is not changed.
    plan, grid, memory: of and as in plan.cholesky(). nb: of the tiles; 0: chosen. workers: threads on each rank.
    With report=True returns (Cholesky, CholeskyReport). record: keep what every task and message did.
    progress: called now and then with the tasks of this rank that are done, and all that it has.
    Raises NotPositiveDefinite on every rank, with the leading minor, unless check=False: then see Cholesky.info.
    Raises Error on every rank for wrong shapes, types, or too little memory.
    """
    comm = world_of(a.comm if comm is None and isinstance(a, DistributedMatrix) else comm)
    (a,) = whole_arrays(comm, as_plain_matrix, {"a": a}, replicated=replicated)
    with together(comm):
        dtype = working_dtype(a.dtype)
        if a.shape[0] != a.shape[1]:
            raise failure(f"a: is {a.shape[0]} x {a.shape[1]}: expected a square matrix")
        if uplo not in ("L", "U"):
            raise failure(f"uplo = '{uplo}': expected 'L' or 'U'")
        if plan is not None and plan.shape != tuple(a.shape):
            raise failure(f"plan: is for {plan.n} x {plan.n}, a is {a.shape[0]} x {a.shape[1]}")
    in_place = isinstance(a, DistributedMatrix) and plan is None and grid is None and memory is None
    if plan is None and not in_place:
        n, machine = a.shape[0], comm.machine
        ways: dict[str, Any] = {"grid": grid, "nb": nb, "workers": workers, "memory": memory}
        plan = plan_together(
            comm,
            lambda **taken: plan_cholesky(n, machine, dtype=dtype, uplo=uplo, candidates=1, **{**ways, **taken}),
        )
    if isinstance(a, Whole):
        assert plan is not None
        matrix = distributed(a, plan.distribution, comm, dtype)
    else:
        moved = a if overwrite or plan is None else a.redistribute(plan.distribution)
        matrix = moved if overwrite or moved is not a else copied(a, dtype)
    nb = plan.nb if plan is not None and not overwrite else nb
    options = _native.TiledOptions(nb=nb, workers=workers, record=record, progress=progress)
    made = CholeskyReport(*_native.cholesky(matrix._native, uplo, options))
    if check and made.info > 0:
        raise NotPositiveDefinite(made.info)
    factors = Cholesky(matrix, uplo=uplo, report=made, nb=nb, workers=workers)
    if not overwrite:
        factors.clear_other_triangle()
    return (factors, made) if report else factors
