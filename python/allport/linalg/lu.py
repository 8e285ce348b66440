"""LU factorizations of distributed matrices: P A = L U, planned before, measured after, kept for many solves."""

from __future__ import annotations

import math
import os
import warnings
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from allport import _native
from allport._native import Distribution, LuPlan
from allport.errors import Error, failure, together
from allport.io import working_dtype
from allport.linalg.gemm import GemmReport
from allport.linalg.lu_file import read, write
from allport.linalg.matrix import DistributedMatrix, as_distributed, as_matrix, as_plain_matrix, distributed, world_of
from allport.linalg.right_hand_sides import RightHandSides
from allport.options import Options
from allport.plan import FACTOR_OPTIONS, RUN_OPTIONS, check_growth_bound, plan_on
from allport.plan import lu as plan_lu
from allport.reports import remember
from allport.whole_arrays import Whole, whole_arrays

if TYPE_CHECKING:
    from allport.comm import Communicator

__all__ = ["LU", "GrowthWarning", "LuPlan", "LuReport", "SingularMatrix", "lu"]

PLANNED = ("algorithm", "grid", "order", "panel", "nb", "outer_panel", "memory", "tree", "pivoting")


class SingularMatrix(Error, np.linalg.LinAlgError):
    """A system that cannot be solved because U has an exact zero on its diagonal.

    index: of the first zero pivot, counted from 0; LAPACK's INFO is index + 1.
    """

    kind = "argument"

    def __init__(self, index: int) -> None:
        super().__init__(
            f"matrix: is singular, U[{index}, {index}] is exactly zero (counted from 0; INFO = {index + 1}): "
            f"expected a matrix of full rank"
        )
        self.index = index


class GrowthWarning(UserWarning):
    """The factorization's growth factor passed the bound that was asked for: its answers may have few right digits."""


class LuReport(GemmReport):
    """What a factorization found and measured, beside what its plan predicted."""

    @property
    def info(self) -> int:
        """0, or j >= 1 when U[j - 1, j - 1] is the first exact zero (LAPACK's INFO)."""
        return int(self._data["info"])

    @property
    def growth(self) -> float:
        """max |U| / max |A|; NaN when A has NaN."""
        return number(self._data["growth"])

    def __repr__(self) -> str:
        return f"LuReport({self.seconds['total']:.4g} s, info {self.info}, as planned: {self.as_planned})"


def number(value: float | None) -> float:
    """A float of a report: JSON has no NaN and writes null."""
    return math.nan if value is None else float(value)


class LU:
    """P A = L U of an m x n matrix: what `ap.lu` returns and `ap.linalg.LU.load` reads.

    factors: DistributedMatrix [m, n]; U on and above the diagonal, below it L, whose unit diagonal is not stored.
    pivots: numpy int64 [min(m, n)], on every rank: row i was exchanged with row pivots[i] >= i, in order.
    pivoting: how pivots were found in the end. info: 0, or INFO >= 1 of a singular matrix. growth: max |U| / max |A|.
    norm1: of A. report: LuReport, None for factors from a file.
    Every method that computes is called by all ranks.
    """

    def __init__(
        self,
        factors: DistributedMatrix,
        pivots: np.ndarray,
        *,
        pivoting: str,
        info: int,
        growth: float,
        norm1: float,
        report: LuReport | None = None,
    ) -> None:
        self.factors, self.pivots = factors, np.ascontiguousarray(pivots, dtype=np.int64)
        self.pivoting, self.info, self.growth, self.norm1, self.report = pivoting, info, growth, norm1, report

    @property
    def shape(self) -> tuple[int, int]:
        """(m, n)."""
        return self.factors.shape

    @property
    def dtype(self) -> np.dtype:
        """float32, float64, complex64 or complex128."""
        return self.factors.dtype

    def _square(self, what: str) -> int:
        m, n = self.shape
        if m != n:
            raise failure(f"factors: are {m} x {n}: expected a square matrix for {what}")
        return n

    def solve(self, b: Any, trans: str = "N", *, replicated: bool = False) -> Any:
        """x with op(A) x = b, op(A) = A ('N'), A^T ('T') or A^H ('C').

        b: a numpy array [n] or [n, any number], or a DistributedMatrix; not changed. x is like b.
        Whole arrays: rank 0's is the matrix; the other ranks pass theirs, of its shape and dtype, or None;
        replicated=True: all ranks have equal copies, which is checked, and nothing is sent.
        Raises SingularMatrix, with the index of the zero pivot; Error for shapes that differ.
        """
        comm = self.factors.comm
        (b,) = whole_arrays(comm, as_matrix, {"b": b}, replicated=replicated)
        with together(comm):
            n = self._square("solve")
            right = RightHandSides(b, n, self.dtype, trans)
        if self.info > 0 and n > 0:
            raise SingularMatrix(self.info - 1)
        x = right.matrix(comm)
        factors = as_distributed(self.factors, self.factors.distribution, comm, x.dtype)
        _native.lu_solve(trans, factors._native, self.pivots, x._native)
        return right.like(x)

    def condition(self) -> float:
        """The condition number ||A||_1 ||A^-1||_1, estimated (Hager and Higham, LAPACK's gecon); inf when singular."""
        if self._square("a condition number") == 0:
            return 0.0
        if self.info > 0:
            return math.inf
        reciprocal = _native.lu_condition(self.factors._native, self.pivots, self.norm1)
        return math.inf if reciprocal == 0 else 1 / reciprocal

    def slogdet(self) -> tuple[Any, float]:
        """(sign, log |det A|), as numpy.linalg.slogdet: det A = sign * exp(log); (0, -inf) for a singular matrix."""
        self._square("a determinant")
        if self.info > 0:
            return self.dtype.type(0).item(), -math.inf
        phase, logarithm = _native.lu_determinant(self.factors._native, self.pivots)
        return (phase if self.dtype.kind == "c" else phase.real), logarithm

    def det(self) -> Any:
        """det A; inf or 0 where it leaves the range of float64: see slogdet()."""
        sign, logarithm = self.slogdet()
        with np.errstate(over="ignore", under="ignore"):
            return sign * float(np.exp(logarithm)) if sign != 0 else sign

    def inv(self, distribution: Distribution | None = None) -> DistributedMatrix:
        """A^-1, distributed as the factors are, or as `distribution` says.

        To solve systems take solve(), which is quicker and more accurate. Raises SingularMatrix.
        """
        comm = self.factors.comm
        with together(comm):
            n = self._square("an inverse")
        one = DistributedMatrix.eye(comm, n, self.dtype, distribution or self.factors.distribution)
        inverse: DistributedMatrix = self.solve(one)
        return inverse

    @property
    def permutation(self) -> np.ndarray:
        """numpy int64 [m] with P A = A[permutation]."""
        order = list(range(self.shape[0]))
        for i, other in enumerate(self.pivots.tolist()):
            order[i], order[other] = order[other], order[i]
        return np.array(order, dtype=np.int64)

    def p_l_u(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(P, L, U) with A = P @ L @ U, numpy arrays on every rank: [m, m], [m, k], [k, n], k = min(m, n)."""
        m, n = self.shape
        k = min(m, n)
        whole = self.factors.to_numpy()
        lower = np.tril(whole[:, :k], -1)
        lower[np.arange(k), np.arange(k)] = 1
        p = np.zeros((m, m), dtype=np.zeros(0, dtype=self.dtype).real.dtype)
        p[self.permutation, np.arange(m)] = 1
        return p, lower, np.triu(whole[:k, :])

    def residual(self, a: Any, *, replicated: bool = False) -> float:
        """||P A - L U||_1 / (||A||_1 n eps), eps half the distance from 1 to the next number; ScaLAPACK asks for <= 1.

        a: the matrix as it was before, a numpy array or a DistributedMatrix.
        Whole arrays: rank 0's is the matrix; the other ranks pass theirs, of its shape and dtype, or None;
        replicated=True: all ranks have equal copies, which is checked, and nothing is sent.
        """
        comm = self.factors.comm
        (a,) = whole_arrays(comm, as_matrix, {"a": a}, replicated=replicated)
        with together(comm):
            if tuple(a.shape) != self.shape:
                raise failure(
                    f"a: is {a.shape[0]} x {a.shape[1]}: expected {self.shape[0]} x {self.shape[1]}, as its factors"
                )
        given = as_distributed(a, self.factors.distribution, comm, self.dtype)
        return _native.lu_residual(given._native, self.factors._native, self.pivots)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes an .npz with factors, pivots, pivoting, info, growth and norm1, which LU.load and numpy.load read."""
        small = {"pivots": self.pivots, "pivoting": self.pivoting, "info": self.info}
        write(path, self.factors, {**small, "growth": self.growth, "norm1": self.norm1})

    @classmethod
    def load(
        cls,
        path: str | os.PathLike[str],
        comm: Communicator | None = None,
        *,
        distribution: Distribution | None = None,
    ) -> LU:
        """Reads what save() wrote; rank 0 reads and distributes. Called by all ranks.

        distribution: the one that a factorization here would choose, unless given. Raises Error, naming the file.
        """
        factors, small = read(path, world_of(comm), distribution)
        return cls(factors, small.pop("pivots"), **small)

    def __repr__(self) -> str:
        state = f"singular, info {self.info}" if self.info else f"growth {self.growth:.3g}"
        return f"LU({self.shape[0]} x {self.shape[1]}, {self.dtype}, {self.pivoting} pivoting, {state})"


def _working_copy(a: Any, plan: LuPlan, comm: Communicator, dtype: np.dtype, overwrite: bool) -> DistributedMatrix:
    if isinstance(a, Whole):
        return distributed(a, plan.distribution, comm, dtype)
    if overwrite:
        return a
    moved = a.redistribute(plan.distribution)
    if moved is not a:
        return moved
    local = a.local
    with together(comm):
        local = a.local.copy(order="F")
    return DistributedMatrix(comm, a.distribution, local)


def _factor(matrix: DistributedMatrix, plan: LuPlan, progress: Any, norm1: float) -> LU:
    data, pivots = _native.lu(plan, matrix._native, progress)
    report = LuReport(data)
    return LU(
        matrix,
        np.array(pivots, dtype=np.int64),
        pivoting=plan.pivoting,
        info=report.info,
        growth=report.growth,
        norm1=norm1,
        report=report,
    )


def lu(
    a: Any,
    *,
    overwrite_a: bool = False,
    comm: Communicator | None = None,
    plan: LuPlan | None = None,
    options: Options | None = None,
) -> LU:
    """P A = L U over all ranks of a communicator. Called by all ranks with equal arguments.

    a: numpy array [m, n] or DistributedMatrix. Returns LU, its factors distributed as planned. LU.report, which
    last_report() gives, too, is a LuReport.
    Whole arrays: rank 0's is the matrix; the other ranks pass theirs, of its shape and dtype, or None, unless
    options.replicated says that all have equal copies.
    overwrite_a: a distributed `a` is replaced by its factors, in its own distribution; otherwise it is not changed.
    plan: of plan.lu(); made here when None.
    options: algorithm, grid, order, panel, nb, outer_panel, memory, tree, pivoting, growth_bound, fall_back,
    replicated, progress(done, total) in panels.
    A singular matrix is no error: see LU.info. NaN and inf in A go into the factors.
    Raises Error on every rank for wrong shapes, types, or too little memory.
    """
    options = options or Options()
    comm = world_of(a.comm if comm is None and isinstance(a, DistributedMatrix) else comm)
    (a,) = whole_arrays(comm, as_plain_matrix, {"a": a}, replicated=options.replicated)
    with together(comm):
        options.only("lu", *FACTOR_OPTIONS, *RUN_OPTIONS)
        dtype = working_dtype(a.dtype)
        check_growth_bound(options.growth_bound, options.fall_back)
    m, n = a.shape
    how = options.part(*PLANNED)
    if plan is None:
        plan = plan_on(comm, a, how, dtype, a.distribution if isinstance(a, DistributedMatrix) else None)
    with together(comm):
        if plan.shape != (m, n):
            raise failure(f"plan: is for {plan.shape[0]} x {plan.shape[1]}, a is {m} x {n}")
    matrix = _working_copy(a, plan, comm, dtype, overwrite_a)
    kept: np.ndarray | None = None
    with together(comm):
        kept = matrix.local.copy(order="F") if options.fall_back else None
    norm1 = _native.norm("1", matrix._native)
    made = _factor(matrix, plan, options.progress, norm1)
    if options.growth_bound is not None and made.growth > options.growth_bound:
        again = kept is not None and made.pivoting != "partial"
        if comm.rank == 0:
            then = "; factored again with partial pivoting" if again else ""
            text = f"{made.pivoting} pivoting: growth {made.growth:.3g} exceeds {options.growth_bound:g}{then}"
            warnings.warn(text, GrowthWarning, stacklevel=2)
        if again:
            matrix.local[...] = kept
            with together(comm):
                safe = Options(pivoting="partial", memory=options.memory, tree=options.tree)
                safe = replace(safe, candidates=1, mapping=comm.mapping)
                plan = plan_lu(m, n, comm.machine, dtype=dtype, given=matrix.distribution, options=safe)
            made = _factor(matrix, plan, options.progress, norm1)
    remember(made.report)
    return made
