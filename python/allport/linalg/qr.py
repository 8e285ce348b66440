"""QR factorizations and least squares with distributed matrices of any shape."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from allport import _native
from allport._native import QrPlan
from allport.errors import Error, failure, together
from allport.io import working_dtype
from allport.linalg.cholesky import TILED, FactorReport, copied
from allport.linalg.distributions import square_distribution
from allport.linalg.matrix import DistributedMatrix, as_plain_matrix, as_system, distributed, world_of
from allport.linalg.right_hand_sides import RightHandSides
from allport.options import Options
from allport.plan import plan_together
from allport.plan import qr as plan_qr
from allport.reports import Measured, remember
from allport.whole_arrays import Whole, whole_arrays

if TYPE_CHECKING:
    from allport.comm import Communicator

__all__ = ["LstsqReport", "QRResult", "QrPlan", "QrReport", "RankDeficient", "lstsq", "qr"]

MODES = ("reduced", "r")


class QRResult(NamedTuple):
    """A = Q R: what `ap.qr` returns. Q: [m, k], R: [k, n], k = min(m, n)."""

    Q: Any
    R: Any


class QrReport(FactorReport):
    """What a factorization measured; making Q's columns is not in its seconds."""

    def __repr__(self) -> str:
        return f"QrReport({self.seconds['total']:.4g} s, {self._data['tasks']} tasks)"


class RankDeficient(Error, np.linalg.LinAlgError):
    """A least squares problem whose solution is not unique.

    column: the first, counted from 0, that depends on those before it, to rounding; with more columns than rows, the
    first such row. rank: an estimate of the matrix' rank.
    """

    kind = "argument"

    def __init__(self, column: int, rank: int, shape: tuple[int, int]) -> None:
        m, n = shape
        what = "column" if m >= n else "row"
        super().__init__(
            f"a: has not full rank, {what} {column} (counted from 0) depends on those before it, to rounding "
            f"(rank about {rank} of {min(m, n)}): expected independent {what}s; leave out those that depend on others"
        )
        self.column, self.rank = column, rank


class LstsqReport(Measured):
    """What a least squares solution found and measured."""

    def __init__(self, data: dict[str, Any], records: dict[str, Any] | None = None) -> None:
        super().__init__(data)
        #: With Options(record=True) what tasks and messages of the factorization did on this rank, as QrReport.records.
        self.records = records

    @property
    def residuals(self) -> np.ndarray:
        """||b - A x|| in the 2-norm, of each right-hand side: float64 [right-hand sides]."""
        return np.array([math.nan if r is None else r for r in self._data["residuals"]], dtype=np.float64)

    @property
    def condition(self) -> float:
        """||R||_1 ||R^-1||_1, estimated (Hager and Higham, LAPACK's trcon); inf where rounding hides it."""
        reciprocal = self._data["condition_reciprocal"]
        return math.nan if reciprocal is None else math.inf if reciprocal == 0 else 1 / reciprocal

    @property
    def factorization(self) -> QrReport:
        """Of A, or of A^H where it has fewer rows than columns."""
        return QrReport(self._data["factorization"])

    def __repr__(self) -> str:
        return f"LstsqReport({self.factorization.seconds['total']:.4g} s, condition about {self.condition:.3g})"


OPTIONS = ("grid", "order", "nb", "workers", "memory", "replicated", "record", "progress")


def _working_copy(
    a: Any, comm: Communicator, dtype: np.dtype, plan: QrPlan | None, options: Options, overwrite_a: bool
) -> tuple[DistributedMatrix, _native.TiledOptions]:
    """A matrix that may be overwritten, and how it is factored; a numpy array goes where the plan wants it."""
    m, n = a.shape
    nb, machine = options.nb, comm.machine
    with together(comm):
        if plan is not None and plan.shape != (m, n):
            raise failure(f"plan: is for {plan.shape[0]} x {plan.shape[1]}, a is {m} x {n}")
    fixed = options.grid is not None or options.order is not None or options.memory is not None
    if plan is None and (fixed or not isinstance(a, DistributedMatrix)):
        how = replace(options.part(*TILED), candidates=1)
        plan = plan_together(comm, lambda **taken: plan_qr(m, n, machine, dtype=dtype, options=replace(how, **taken)))
    if plan is not None:
        nb = plan.nb
    if plan is None:
        matrix = a if overwrite_a and a.dtype == dtype else copied(a, dtype)
    elif isinstance(a, DistributedMatrix):
        moved = a.redistribute(plan.distribution)
        own = moved is not a or (overwrite_a and a.dtype == dtype)
        matrix = moved if own and moved.dtype == dtype else copied(moved, dtype)
    else:
        matrix = distributed(a, plan.distribution, comm, dtype)
    return matrix, _native.TiledOptions(
        nb=nb, workers=options.workers, record=options.record, progress=options.progress
    )


def qr(
    a: Any,
    mode: str = "reduced",
    *,
    overwrite_a: bool = False,
    comm: Communicator | None = None,
    plan: QrPlan | None = None,
    options: Options | None = None,
) -> Any:
    """A = Q R over all ranks of a communicator, by tiles and trees. Called by all ranks with equal arguments.

    a: numpy array [m, n] of any shape, or DistributedMatrix; the factors are like it. mode: as numpy.linalg.qr has it:
    'reduced' returns QRResult(Q, R), Q [m, k], R [k, n], k = min(m, n), R's diagonal real and of any sign; 'r' R alone.
    last_report() is a QrReport then.
    Whole arrays: rank 0's is the matrix; the other ranks pass theirs, of its shape and dtype, or None, unless
    options.replicated says that all have equal copies.
    overwrite_a: a distributed `a` may be destroyed. plan: of plan.qr(). NaN and inf flow into the factors.
    options: grid, order, nb (rows and columns of a tile), workers, memory, replicated, record,
    progress(done, total) in tasks of this rank.
    Raises Error on every rank for wrong shapes, types, or too little memory.
    """
    options = options or Options()
    comm = world_of(a.comm if comm is None and isinstance(a, DistributedMatrix) else comm)
    (a,) = whole_arrays(comm, as_plain_matrix, {"a": a}, replicated=options.replicated)
    with together(comm):
        options.only("qr", *OPTIONS)
        dtype = working_dtype(a.dtype)
        if mode not in MODES:
            raise failure(f"mode = '{mode}': expected 'reduced' (Q and R) or 'r' (R alone)")
    matrix, tiled = _working_copy(a, comm, dtype, plan, options, overwrite_a)
    m, n = a.shape
    k = min(m, n)
    r = DistributedMatrix.empty(comm, square_distribution((k, n), comm.size), dtype)
    q = DistributedMatrix.empty(comm, square_distribution((m, k), comm.size), dtype) if mode == "reduced" else None
    columns = None if q is None else q._native
    report = QrReport(*_native.qr(matrix._native, columns, r._native, tiled))

    def like(x: DistributedMatrix) -> Any:
        return np.ascontiguousarray(x.to_numpy()) if isinstance(a, Whole) else x

    result = like(r) if q is None else QRResult(like(q), like(r))
    remember(report)
    return result


def lstsq(
    a: Any,
    b: Any,
    *,
    overwrite_a: bool = False,
    comm: Communicator | None = None,
    plan: QrPlan | None = None,
    options: Options | None = None,
) -> Any:
    """The x that minimizes ||b - A x||; with more columns than rows, of those with A x = b the one of least norm.

    Called by all ranks with equal arguments. a [m, n], b [m] or [m, any number]: numpy arrays or DistributedMatrix.
    x [n] or [n, any number] is like b, in the wider type of the two. b is not changed, nor is a but for overwrite_a,
    with which a distributed `a` may be destroyed. last_report() is a LstsqReport then.
    Whole arrays: rank 0's is the matrix; the other ranks pass theirs, of its shape and dtype, or None, unless
    options.replicated says that all have equal copies.
    plan: of plan.qr() for A's shape. options: as for qr(). NaN in a or b flows into x.
    Raises RankDeficient (an Error and numpy's LinAlgError) with the first column that depends on those before
    it, Error for wrong shapes, types, or too little memory; on every rank.
    """
    options = options or Options()
    if comm is None:
        comm = next((x.comm for x in (a, b) if isinstance(x, DistributedMatrix)), None)
    comm = world_of(comm)
    a, b = whole_arrays(comm, as_system, {"a": a, "b": b}, replicated=options.replicated)
    with together(comm):
        options.only("lstsq", *OPTIONS)
        right = RightHandSides(b, a.shape[0], working_dtype(a.dtype), "N")
    m, n = a.shape
    columns = right.columns
    matrix, tiled = _working_copy(a, comm, right.dtype, plan, options, overwrite_a)
    sides = right.matrix(comm)
    x = DistributedMatrix.empty(comm, square_distribution((n, columns), comm.size), right.dtype)
    data, records = _native.least_squares(matrix._native, sides._native, x._native, tiled)
    if data["dependent"] is not None:
        raise RankDeficient(data["dependent"], data["rank"], (m, n))
    answer = right.like(x)
    remember(LstsqReport(data, records))
    return answer
