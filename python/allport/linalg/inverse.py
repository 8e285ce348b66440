"""Inverses and determinants of square matrices, by LU."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from allport.linalg.lu import lu
from allport.linalg.matrix import DistributedMatrix

if TYPE_CHECKING:
    from allport.comm import Communicator
    from allport.options import Options

__all__ = ["det", "inv", "slogdet"]


def inv(a: Any, *, comm: Communicator | None = None, options: Options | None = None) -> Any:
    """A^-1, as numpy.linalg.inv: ap.lu(a).inv(), which is like `a`. Called by all ranks with equal arguments.

    a: numpy array [n, n] or DistributedMatrix; not changed. options: as for ap.lu(). Raises SingularMatrix, with the
    index of the zero pivot; Error on every rank for wrong shapes and types.
    """
    factors = lu(a, comm=comm, options=options)
    if isinstance(a, DistributedMatrix):
        return factors.inv(a.distribution)
    return np.ascontiguousarray(factors.inv().to_numpy())


def slogdet(a: Any, *, comm: Communicator | None = None, options: Options | None = None) -> tuple[Any, float]:
    """(sign, log |det A|) of a square matrix, as numpy.linalg.slogdet: ap.lu(a).slogdet(). Called by all ranks."""
    return lu(a, comm=comm, options=options).slogdet()


def det(a: Any, *, comm: Communicator | None = None, options: Options | None = None) -> Any:
    """The determinant of a square matrix; inf or 0 beyond float64's range: see slogdet(). Called by all ranks."""
    return lu(a, comm=comm, options=options).det()
