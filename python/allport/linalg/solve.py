"""Linear systems: A x = b from a matrix and right-hand sides, refined in mixed precision where asked, and checked."""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING, Any

import numpy as np

from allport import _native
from allport._native import CholeskyPlan, LuPlan
from allport.errors import failure, together
from allport.io import working_dtype
from allport.linalg.cholesky import CholeskyReport, cholesky, copied
from allport.linalg.distributions import square_distribution
from allport.linalg.gemm import gemm
from allport.linalg.lu import LuReport, SingularMatrix, lu, number
from allport.linalg.matrix import (
    DistributedMatrix,
    TransposedMatrix,
    as_distributed,
    as_matrix,
    as_system,
    world_of,
)
from allport.linalg.right_hand_sides import RightHandSides
from allport.options import Options
from allport.plan import FACTOR_OPTIONS, check_assumption, check_growth_bound, plan_on
from allport.reports import Measured, remember, unreported
from allport.whole_arrays import Whole, whole_arrays

if TYPE_CHECKING:
    from allport.comm import Communicator

__all__ = ["SolveReport", "norm", "solve", "solve_residual"]

PLANS = {"gen": "plan.lu()", "pos": "plan.cholesky()"}
NORMS = {None: "F", 1: "1", np.inf: "I", "fro": "F", "max": "M"}
REFINED = {"f8": "float64", "c16": "complex128"}


def norm(
    a: Any, ord: float | str | None = None, *, comm: Communicator | None = None, replicated: bool = False
) -> float:
    """A norm of a matrix, by numpy.linalg.norm's names: None or 'fro', 1, numpy.inf, and 'max', the largest magnitude.

    a: DistributedMatrix or numpy array; one of one dimension is a column. NaN when an element is NaN. Called by all
    ranks.
    Whole arrays: rank 0's is the matrix; the other ranks pass theirs, of its shape and dtype, or None;
    replicated=True: all ranks have equal copies, which is checked, and nothing is sent.
    """
    comm = world_of(a.comm if comm is None and isinstance(a, DistributedMatrix) else comm)
    (a,) = whole_arrays(comm, as_matrix, {"a": a}, replicated=replicated)
    with together(comm):
        if ord not in NORMS:
            raise failure(f"ord = {ord!r}: expected None, 'fro', 1, numpy.inf or 'max'")
    return _native.norm(NORMS[ord], _matrix(a, comm)._native)


def _matrix(a: Any, comm: Communicator) -> DistributedMatrix:
    """A matrix of which only the elements matter. Called by all ranks."""
    return as_distributed(a, square_distribution(a.shape, comm.size), comm, working_dtype(a.dtype))


class SolveReport(Measured):
    """How a system was solved: what its factorization measured, the refinement, and how good x is."""

    @property
    def factorization(self) -> LuReport | CholeskyReport:
        """The report of the last factorization: a CholeskyReport with assume_a='pos'."""
        kind = CholeskyReport if self._data["assume_a"] == "pos" else LuReport
        return kind(self._data["factorization"])

    @property
    def refinement(self) -> dict[str, Any] | None:
        """{'iterations', 'fell_back', 'why'} with Options(refine=True), otherwise None."""
        return self._data["refinement"]

    @property
    def residual(self) -> float:
        """||b - op(A) x||_1 / (||op(A)||_1 ||x||_1 n eps), see solve_residual(); NaN without Options(residual=True)."""
        return number(self._data["residual"])

    def __repr__(self) -> str:
        took = self._data["seconds"]["total"]
        return f"SolveReport({took:.4g} s, residual {self.residual:.3g}, refinement {self.refinement})"


def solve_residual(
    a: Any, x: Any, b: Any, trans: str = "N", *, comm: Communicator | None = None, replicated: bool = False
) -> float:
    """||b - op(A) x||_1 / (||op(A)||_1 ||x||_1 n eps), eps half the distance from 1 to the next number.

    SLATE asks for at most 50 of this without the n; ScaLAPACK's solvers for about 10. 0 for an empty system, NaN when
    anything is NaN. a [n, n], x and b [n] or [n, any number]: numpy arrays, or DistributedMatrix distributed at will,
    of one dtype. Called by all ranks.
    Whole arrays: rank 0's is the matrix; the other ranks pass theirs, of its shape and dtype, or None;
    replicated=True: all ranks have equal copies, which is checked, and nothing is sent.
    """
    if comm is None:
        comm = next((y.comm for y in (a, x, b) if isinstance(y, DistributedMatrix)), None)
    comm = world_of(comm)
    three = whole_arrays(comm, as_system, {"a": a, "x": x, "b": b}, replicated=replicated)
    with together(comm):
        if trans not in ("N", "T", "C"):
            raise failure(f"trans = '{trans}': expected 'N', 'T' or 'C'")
    a, x, b = (_matrix(y, comm) for y in three)
    n, columns = x.shape
    if n == 0 or columns == 0:
        return 0.0
    with unreported():
        left = gemm(a if trans == "N" else TransposedMatrix(a, trans), x, b, alpha=-1, beta=1, comm=comm)
    scale = norm(a, 1 if trans == "N" else np.inf) * norm(x, 1) * n * float(np.finfo(a.dtype).eps) / 2
    wrong = norm(left, 1)
    if wrong == 0:
        return 0.0
    return wrong / scale if scale != 0 else math.inf if wrong > 0 else math.nan


def _check_square(a: Any) -> None:
    if a.shape[0] != a.shape[1]:
        raise failure(f"a: is {a.shape[0]} x {a.shape[1]}: expected a square matrix")


def _with_dtype(a: Any, dtype: np.dtype) -> Any:
    if isinstance(a, Whole):
        return a.astype(dtype)
    return a if a.dtype == dtype else DistributedMatrix(a.comm, a.distribution, a.local.astype(dtype, order="F"))


def _hermitian(a: DistributedMatrix, uplo: str) -> DistributedMatrix:
    """All of a Hermitian matrix of which one triangle is looked at. Called by all ranks."""
    half = copied(a, a.dtype)
    _native.keep_triangle(half._native, uplo)
    other = half.H.materialize().redistribute(a.distribution)
    diagonal = copied(half, half.dtype)
    _native.keep_triangle(diagonal._native, "U" if uplo == "L" else "L")
    half.local[...] += other.local - diagonal.local
    return half


def _finite(x: float) -> float | None:
    return x if math.isfinite(x) else None


def _solve_positive(
    a: Any, x: DistributedMatrix, lower: bool, trans: str, plan: CholeskyPlan | None, options: Options
) -> dict[str, Any]:
    """x = A^-1 x for positive definite A; what the report says."""
    comm, began = x.comm, time.perf_counter()
    if trans == "T" and x.dtype.kind == "c":
        raise failure("trans = 'T': expected 'N' or 'C', which are one for a Hermitian matrix; solve with a.conj()")
    sides = copied(x, x.dtype) if options.residual else x
    how = options.part("grid", "order", "nb", "workers", "memory", "progress")
    factors = cholesky(a, lower=lower, comm=comm, plan=plan, options=how)
    ran = factors._solve(x)
    data: dict[str, Any] = {
        "factorization": factors.report.to_dict(),
        "solve": ran,
        "refinement": None,
        "residual": None,
    }
    data["seconds"] = {"total": time.perf_counter() - began}
    if options.residual:
        whole = _hermitian(as_distributed(a, factors.factor.distribution, comm, x.dtype), "L" if lower else "U")
        data["residual"] = _finite(solve_residual(whole, x, sides))
    return data


def _solve_general(
    a: Any, x: DistributedMatrix, trans: str, plan: LuPlan | None, options: Options
) -> tuple[DistributedMatrix, dict[str, Any]]:
    """x of op(A) x = b by LU, x being b at first, and what the report says."""
    comm, dtype, op, began = x.comm, x.dtype, trans, time.perf_counter()
    sides = copied(x, dtype) if options.residual else x
    how = options.part(*(name for name in FACTOR_OPTIONS if name not in ("growth_bound", "fall_back")))
    refinement: dict[str, Any] | None = None
    if options.refine and a.shape[0] > 0:
        if plan is None:
            given = a.distribution if isinstance(a, DistributedMatrix) and trans == "N" else None
            plan = plan_on(comm, a, how, dtype, given)
        a, op = as_distributed(a, plan.distribution, comm, dtype), "N"
        a = a if trans == "N" else TransposedMatrix(a, trans).materialize()
        refinement = _native.solve_refined(plan, a._native, x._native, options.progress)
        found = refinement.pop("factorization")
        if found["info"] > 0:
            raise SingularMatrix(found["info"] - 1)
    else:
        factors = lu(a, comm=comm, plan=plan, options=options.part(*FACTOR_OPTIONS, "progress"))
        assert factors.report is not None
        x, found = factors.solve(x, trans), factors.report.to_dict()
        if options.residual:
            a = as_distributed(a, factors.factors.distribution, comm, dtype)
    data: dict[str, Any] = {"factorization": found, "refinement": refinement, "residual": None}
    data["seconds"] = {"total": time.perf_counter() - began}
    if options.residual:
        data["residual"] = _finite(solve_residual(a, x, sides, op))
    return x, data


def _check_general(options: Options, dtype: np.dtype) -> None:
    """Raises Error where options contradict each other."""
    check_growth_bound(options.growth_bound, options.fall_back)
    if options.refine and options.growth_bound is not None:
        raise failure(
            f"options.growth_bound = {options.growth_bound:g}: expected none with options.refine, which looks at the "
            "answer instead and factors in full precision where half does not do"
        )
    if options.refine and dtype.str[1:] not in REFINED:
        raise failure(f"options.refine = True: expected float64 or complex128, got {dtype}; leave it out")


def solve(
    a: Any,
    b: Any,
    *,
    assume_a: str = "gen",
    lower: bool = False,
    trans: str = "N",
    comm: Communicator | None = None,
    plan: LuPlan | CholeskyPlan | None = None,
    options: Options | None = None,
) -> Any:
    """x with op(A) x = b, over all ranks of a communicator. Called by all ranks with equal arguments.

    a [n, n], b [n] or [n, any number]: numpy arrays or DistributedMatrix; neither is changed. x is like b, in the wider
    type of the two. last_report() is a SolveReport then.
    Whole arrays: rank 0's is the matrix; the other ranks pass theirs, of its shape and dtype, or None, unless
    options.replicated says that all have equal copies.
    assume_a: as scipy.linalg.solve has it: 'gen', any matrix, by LU; 'pos', Hermitian positive definite, by Cholesky:
    the upper triangle of A is read, or the lower one where `lower`. trans: 'N', 'T' or 'C': op(A) = A, A^T or A^H.
    plan: of plan.lu(), or of plan.cholesky() for 'pos'.
    options: those of lu() and refine, or, for 'pos', grid, order, nb, workers and memory; replicated, progress, and
    residual for the report. refine, for float64 and complex128: A is factored in half the precision, in full where x
    does not converge. NaN in a or b flows into x.
    Raises SingularMatrix (an Error and numpy's LinAlgError) with the index of the zero pivot, NotPositiveDefinite with
    the leading minor, Error for wrong shapes, types, or too little memory; on every rank.
    """
    options = options or Options()
    if comm is None:
        comm = next((x.comm for x in (a, b) if isinstance(x, DistributedMatrix)), None)
    comm = world_of(comm)
    a, b = whole_arrays(comm, as_system, {"a": a, "b": b}, replicated=options.replicated)
    with together(comm):
        check_assumption(assume_a, options)
        _check_square(a)
        right = RightHandSides(b, a.shape[0], working_dtype(a.dtype), trans)
        _check_general(options, right.dtype)
        if plan is not None and isinstance(plan, CholeskyPlan) != (assume_a == "pos"):
            kind = type(plan).__name__
            raise failure(f"plan: is a {kind}: expected one of {PLANS[assume_a]} for assume_a='{assume_a}'")
        a = _with_dtype(a, right.dtype)
    x = right.matrix(comm)
    if assume_a == "pos":
        data = _solve_positive(a, x, lower, trans, plan if isinstance(plan, CholeskyPlan) else None, options)
    else:
        x, data = _solve_general(a, x, trans, plan if isinstance(plan, LuPlan) else None, options)
    answer = right.like(x)
    remember(SolveReport({**data, "trans": trans, "assume_a": assume_a}))
    return answer
