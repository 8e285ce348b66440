"""Linear systems: A x = b from a matrix and right-hand sides, refined in mixed precision where asked, and checked."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
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
from allport.linalg.matrix import DistributedMatrix, as_distributed, as_matrix, as_system, world_of
from allport.linalg.right_hand_sides import RightHandSides
from allport.notebook import Shown
from allport.plan import check_assumption, check_growth_bound, plan_on
from allport.whole_arrays import Whole, whole_arrays

if TYPE_CHECKING:
    from allport.comm import Communicator

__all__ = ["SolveReport", "norm", "solve", "solve_residual"]

PLANS = {"gen": "plan.lu()", "pos": "plan.cholesky()"}
NORMS = {1: "1", np.inf: "I", "fro": "F", "max": "M"}
REFINED = {"f8": "float64", "c16": "complex128"}


def norm(a: Any, which: float | str = 1, *, comm: Communicator | None = None, replicated: bool = False) -> float:
    """A norm of a matrix: 1, numpy.inf, 'fro' or 'max'; NaN when an element is NaN. Called by all ranks.

    a: DistributedMatrix or numpy array; one of one dimension is a column.
    Whole arrays: rank 0's is the matrix; the other ranks pass theirs, of its shape and dtype, or None; replicated=True:
    all ranks have equal copies, which is checked, and nothing is sent.
    """
    comm = world_of(a.comm if comm is None and isinstance(a, DistributedMatrix) else comm)
    (a,) = whole_arrays(comm, as_matrix, {"a": a}, replicated=replicated)
    with together(comm):
        if which not in NORMS:
            raise failure(f"which = {which!r}: expected 1, numpy.inf, 'fro' or 'max'")
    return _native.norm(NORMS[which], _matrix(a, comm)._native)


def _matrix(a: Any, comm: Communicator) -> DistributedMatrix:
    """A matrix of which only the elements matter. Called by all ranks."""
    return as_distributed(a, square_distribution(a.shape, comm.size), comm, working_dtype(a.dtype))


class SolveReport(Shown):
    """How a system was solved: what its factorization measured, the refinement, and how good x is."""

    def __init__(self, data: dict[str, Any]) -> None:
        self._data = data

    @property
    def factorization(self) -> LuReport | CholeskyReport:
        """Of the last factorization that was made: CholeskyReport with assume='pos'."""
        kind = CholeskyReport if self._data["assume"] == "pos" else LuReport
        return kind(self._data["factorization"])

    @property
    def refinement(self) -> dict[str, Any] | None:
        """{'iterations', 'fell_back', 'why'} with refine=True, otherwise None."""
        return self._data["refinement"]

    @property
    def residual(self) -> float:
        """||b - op(A) x||_1 / (||op(A)||_1 ||x||_1 n eps): see solve_residual()."""
        return number(self._data["residual"])

    def to_dict(self) -> dict[str, Any]:
        """Everything, ready for JSON (NaN as None)."""
        return self._data

    def __repr__(self) -> str:
        took = self._data["seconds"]["total"]
        return f"SolveReport({took:.4g} s, residual {self.residual:.3g}, refinement {self.refinement})"


def _transposed(a: DistributedMatrix, trans: str) -> DistributedMatrix:
    """A^T or A^H; every rank transposes its part, nothing moves."""
    local = a.local.T if trans == "T" else a.local.conj().T
    return DistributedMatrix(a.comm, _native.transposed(a.distribution), np.asfortranarray(local))


def solve_residual(
    a: Any, x: Any, b: Any, trans: str = "N", *, comm: Communicator | None = None, replicated: bool = False
) -> float:
    """||b - op(A) x||_1 / (||op(A)||_1 ||x||_1 n eps), eps half the distance from 1 to the next number.

    SLATE asks for at most 50 of this without the n; ScaLAPACK's solvers for about 10. 0 for an empty system, NaN when
    anything is NaN. a [n, n], x and b [n] or [n, any number]: numpy arrays, or DistributedMatrix distributed at will,
    of one dtype. Called by all ranks.
    Whole arrays: rank 0's is the matrix; the other ranks pass theirs, of its shape and dtype, or None; replicated=True:
    all ranks have equal copies, which is checked, and nothing is sent.
    """
    if comm is None:
        comm = next((y.comm for y in (a, x, b) if isinstance(y, DistributedMatrix)), None)
    comm = world_of(comm)
    three = whole_arrays(comm, as_system, {"a": a, "x": x, "b": b}, replicated=replicated)
    a, x, b = (_matrix(y, comm) for y in three)
    n, columns = x.shape
    if n == 0 or columns == 0:
        return 0.0
    left = gemm(a, x, alpha=-1, beta=1, c=b, trans_a=trans, comm=comm)
    scale = norm(a, 1 if trans == "N" else np.inf) * norm(x) * n * float(np.finfo(a.dtype).eps) / 2
    wrong = norm(left)
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
    other = _transposed(half, "C").redistribute(a.distribution)
    diagonal = copied(half, half.dtype)
    _native.keep_triangle(diagonal._native, "U" if uplo == "L" else "L")
    half.local[...] += other.local - diagonal.local
    return half


def _solve_positive(
    a: Any, x: DistributedMatrix, uplo: str, trans: str, options: dict[str, Any], began: float, report: bool
) -> SolveReport | None:
    """x = A^-1 x for positive definite A."""
    comm = x.comm
    if trans == "T" and x.dtype.kind == "c":
        raise failure("trans = 'T': expected 'N' or 'C', which are one for a Hermitian matrix; solve with a.conj()")
    sides = copied(x, x.dtype) if report else x
    factors, found = cholesky(a, uplo=uplo, comm=comm, report=True, **options)
    ran = factors._solve(x)
    solved = time.perf_counter()
    if not report:
        return None
    whole = _hermitian(as_distributed(a, factors.factor.distribution, comm, x.dtype), uplo)
    residual = solve_residual(whole, x, sides)
    data = {"factorization": found.to_dict(), "solve": ran, "refinement": None, "trans": trans, "assume": "pos"}
    return SolveReport(
        {
            **data,
            "residual": residual if math.isfinite(residual) else None,
            "seconds": {"total": solved - began},
        }
    )


def solve(
    a: Any,
    b: Any,
    *,
    assume: str = "gen",
    uplo: str = "L",
    workers: int = 1,
    refine: bool = False,
    pivot: str = "tournament",
    trans: str = "N",
    comm: Communicator | None = None,
    plan: LuPlan | CholeskyPlan | None = None,
    algorithm: str | None = None,
    grid: str | tuple[int, ...] | None = None,
    block: int = 0,
    nb: int = 0,
    big: int = 0,
    memory: int | str | None = None,
    way: str | None = None,
    replicated: bool = False,
    growth_bound: float | None = None,
    fall_back: bool = False,
    progress: Callable[[int, int], None] | None = None,
    report: bool = False,
) -> Any:
    """x with op(A) x = b, over all ranks of a communicator. Called by all ranks with equal arguments.

    a [n, n], b [n] or [n, any number]: numpy arrays or DistributedMatrix; neither is changed. x is like b, in the wider
    type of the two.
    Whole arrays: rank 0's is the matrix; the other ranks pass theirs, of its shape and dtype, or None; replicated=True:
    all ranks have equal copies, which is checked, and nothing is sent.
    trans: 'N', 'T' or 'C': op(A) = A, A^T or A^H.
    refine: float64 and complex128 only: A is factored in half the precision and x corrected to full (LAPACK's dsgesv);
    where that does not converge A is factored in full. plan: of plan.lu(); the other arguments as in lu().
    assume: 'gen', any matrix, by LU; 'pos', Hermitian positive definite, by Cholesky: the triangle `uplo` of A is read,
    plan is of plan.cholesky(), and grid, nb, memory and workers are as in cholesky(); the others are LU's.
    With report=True returns (x, SolveReport). NaN in a or b flows into x.
    Raises SingularMatrix (an Error and numpy's LinAlgError) with the index of the zero pivot,
    NotPositiveDefinite with the leading minor, Error for wrong shapes, types, or too little memory; on every
    rank.
    """
    if comm is None:
        comm = next((x.comm for x in (a, b) if isinstance(x, DistributedMatrix)), None)
    comm = world_of(comm)
    began = time.perf_counter()
    a, b = whole_arrays(comm, as_system, {"a": a, "b": b}, replicated=replicated)
    with together(comm):
        _check_square(a)
        right = RightHandSides(b, a.shape[0], working_dtype(a.dtype), trans)
        dtype = right.dtype
        check_growth_bound(growth_bound, fall_back)
        general: dict[str, Any] = {
            "refine": refine,
            "algorithm": algorithm,
            "block": block,
            "big": big,
            "way": way,
        }
        general.update(growth_bound=growth_bound, fall_back=fall_back)
        general["pivot"] = pivot if pivot != "tournament" else None
        check_assumption(assume, general)
        if assume == "gen" and workers != 1:
            raise failure(f"workers = {workers}: is for assume='pos'; leave it out, or set OMP_NUM_THREADS for BLAS")
        if plan is not None and isinstance(plan, CholeskyPlan) != (assume == "pos"):
            raise failure(f"plan: is a {type(plan).__name__}: expected one of {PLANS[assume]} for assume='{assume}'")
        if refine and growth_bound is not None:
            raise failure(
                "growth_bound: refine=True looks at the answer instead, and factors in full precision where half does "
                "not do; leave one of them out"
            )
        if refine and dtype.str[1:] not in REFINED:
            raise failure(f"refine: needs float64 or complex128, got {dtype}; convert with astype, or refine=False")
        a = _with_dtype(a, dtype)
    if assume == "pos":
        x = right.matrix(comm)
        ways = {"plan": plan, "grid": grid, "nb": nb, "workers": workers, "memory": memory}
        told = _solve_positive(a, x, uplo, trans, ways, began, report)
        return (right.like(x), told) if report else right.like(x)
    options: dict[str, Any] = {"pivot": pivot, "algorithm": algorithm, "grid": grid, "block": block, "nb": nb}
    options.update(big=big, memory=memory, way=way)
    planned = plan if isinstance(plan, LuPlan) else None
    refinement: dict[str, Any] | None = None
    x, op = right.matrix(comm), trans
    if refine and a.shape[0] > 0:
        if planned is None:
            given = a.distribution if isinstance(a, DistributedMatrix) and trans == "N" else None
            planned = plan_on(comm, a, dtype=dtype, given=given, **options)
        a, op = as_distributed(a, planned.distribution, comm, dtype), "N"
        a = a if trans == "N" else _transposed(a, trans)
        refinement = _native.solve_refined(planned, a._native, x._native, progress)
        data = refinement.pop("factorization")
        if data["info"] > 0:
            raise SingularMatrix(data["info"] - 1)
    else:
        options.update(growth_bound=growth_bound, fall_back=fall_back)
        factors = lu(a, comm=comm, plan=planned, progress=progress, **options)
        x, data = factors.solve(x, trans), factors.report.to_dict()
        a = as_distributed(a, factors.factors.distribution, comm, dtype) if report else a
    solved = time.perf_counter()
    answer = right.like(x)
    if not report:
        return answer
    residual = solve_residual(a, x, right.matrix(comm), op)
    return answer, SolveReport(
        {
            "factorization": data,
            "refinement": refinement,
            "residual": residual if math.isfinite(residual) else None,
            "trans": trans,
            "assume": "gen",
            "seconds": {"total": solved - began},
        }
    )
