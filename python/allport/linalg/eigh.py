"""Eigenvalues and eigenvectors of distributed Hermitian matrices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from allport import _native
from allport.errors import failure, together
from allport.io import working_dtype
from allport.linalg.distributions import square_distribution
from allport.linalg.matrix import DistributedMatrix, as_distributed, as_plain_matrix, world_of
from allport.options import Options
from allport.reports import Measured, remember
from allport.whole_arrays import Whole, whole_arrays

if TYPE_CHECKING:
    from allport.comm import Communicator

__all__ = ["EighReport", "EighResult", "eigh", "eigvalsh"]

OPTIONS = ("panel", "replicated", "progress")


class EighResult(NamedTuple):
    """A V = V diag(w): what `ap.eigh` returns. eigenvalues w: [k], ascending; eigenvectors V: [n, k], orthonormal."""

    eigenvalues: np.ndarray
    eigenvectors: Any


class EighReport(Measured):
    """What a computation of eigenvalues measured on this rank."""

    @property
    def seconds(self) -> dict[str, float]:
        """tridiagonal: the reduction to that form; values: its eigenvalues and vectors; vectors: their
        back-transformation."""
        return dict(self._data["seconds"])

    @property
    def panel(self) -> int:
        """Columns of a panel of the reduction."""
        return int(self._data["panel"])

    def __repr__(self) -> str:
        return f"EighReport({sum(self.seconds.values()):.4g} s, panels of {self.panel})"


def eigh(
    a: Any,
    *,
    lower: bool = True,
    eigvals_only: bool = False,
    subset_by_index: Sequence[int] | None = None,
    subset_by_value: Sequence[float] | None = None,
    check_finite: bool = True,
    comm: Communicator | None = None,
    options: Options | None = None,
) -> Any:
    """Eigenvalues and eigenvectors of a Hermitian (real: symmetric) matrix, over all ranks. Called by all ranks.

    a: numpy array [n, n] or DistributedMatrix; not changed. Returns EighResult(eigenvalues, eigenvectors), as
    numpy.linalg.eigh does: eigenvalues w [k] ascending on every rank, eigenvectors V [n, k], like `a`: an array on
    every rank, or a DistributedMatrix. With eigvals_only, as by scipy.linalg.eigh, w alone. last_report() is an
    EighReport.
    lower: the triangle that is read; the other one must agree with it or be zero.
    subset_by_index: (first, last), both included, counted from 0; subset_by_value: (low, high), low < w <= high; as by
    scipy.linalg.eigh.
    check_finite: refuse NaN, inf and a matrix that is not Hermitian, which is probed by two products with a vector.
    Whole arrays: rank 0's is the matrix; the other ranks pass theirs, of its shape and dtype, or None, unless
    options.replicated says that all have equal copies.
    options: panel (columns of a panel of the reduction), replicated, progress(columns reduced, n).
    Algorithm: Householder's reduction to tridiagonal form, then divide and conquer (Gu and Eisenstat 1995).
    Raises Error on every rank for wrong shapes, types, ranges, and matrices that are not Hermitian.
    """
    options = options or Options()
    comm = world_of(a.comm if comm is None and isinstance(a, DistributedMatrix) else comm)
    (a,) = whole_arrays(comm, as_plain_matrix, {"a": a}, replicated=options.replicated)
    with together(comm):
        options.only("eigh", *OPTIONS)
        dtype = working_dtype(a.dtype)
        if a.shape[0] != a.shape[1]:
            raise failure(f"a: is {a.shape[0]} x {a.shape[1]}: expected a square matrix")
        index = _pair(subset_by_index, "subset_by_index", int)
        value = _pair(subset_by_value, "subset_by_value", float)
    n = a.shape[0]
    matrix = as_distributed(a, square_distribution((n, n), comm.size), comm, dtype)
    found = _native.eigh(
        matrix._native,
        "L" if lower else "U",
        vectors=not eigvals_only,
        subset_by_index=index,
        subset_by_value=value,
        check=check_finite,
        panel=options.panel,
        progress=options.progress,
    )
    values = np.array(found.values, dtype=np.zeros(0, dtype).real.dtype)
    if eigvals_only:
        remember(EighReport(found.report))
        return values
    vectors = DistributedMatrix.empty(comm, square_distribution((n, len(values)), comm.size), dtype)
    found.give(vectors._native)
    columns = np.ascontiguousarray(vectors.to_numpy()) if isinstance(a, Whole) else vectors
    remember(EighReport(found.report))
    return EighResult(values, columns)


def eigvalsh(
    a: Any, *, lower: bool = True, comm: Communicator | None = None, options: Options | None = None
) -> np.ndarray:
    """Eigenvalues of a Hermitian (real: symmetric) matrix, ascending, on every rank: eigh(a, eigvals_only=True)."""
    values: np.ndarray = eigh(a, lower=lower, eigvals_only=True, comm=comm, options=options)
    return values


def _pair(given: Sequence[Any] | None, name: str, kind: type) -> Any:
    """The two bounds of a range. Raises Error where there are not two numbers."""
    if given is None:
        return None
    try:
        first, last = (kind(x) for x in given)
    except (TypeError, ValueError):
        raise failure(f"{name} = {given!r}: expected two numbers") from None
    return first, last
