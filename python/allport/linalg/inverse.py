"""Inverses and determinants of square distributed matrices, by LU."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from allport.errors import failure, together
from allport.io import boxes
from allport.linalg.lu import lu
from allport.linalg.matrix import DistributedMatrix
from allport.options import Options

if TYPE_CHECKING:
    from allport.comm import Communicator

__all__ = ["det", "inv", "slogdet"]


def inv(a: Any, *, comm: Communicator | None = None, options: Options | None = None) -> Any:
    """A^-1 over all ranks, as numpy.linalg.inv. Called by all ranks with equal arguments.

    a: numpy array [n, n] or DistributedMatrix; not changed. The inverse is like it. To solve systems take ap.solve or
    ap.lu, which are quicker and more accurate. options: as for ap.lu(). Raises SingularMatrix, with the index of the
    zero pivot; Error on every rank for wrong shapes and types.
    """
    factors = lu(a, comm=comm, options=options)
    world, (m, n) = factors.factors.comm, factors.shape
    with together(world):
        if m != n:
            raise failure(f"a: is {m} x {n}: expected a square matrix")
    where = a.distribution if isinstance(a, DistributedMatrix) else factors.factors.distribution
    one = DistributedMatrix.zeros(world, (n, n), factors.dtype, where)
    for (r0, r1), (c0, c1), place in boxes(where, world.rank):
        one.local[place] = np.eye(r1 - r0, c1 - c0, r0 - c0)
    inverse: DistributedMatrix = factors.solve(one)
    return inverse if isinstance(a, DistributedMatrix) else np.ascontiguousarray(inverse.to_numpy())


def slogdet(a: Any, *, comm: Communicator | None = None, options: Options | None = None) -> tuple[Any, float]:
    """(sign, log |det A|) of a square matrix, as numpy.linalg.slogdet: ap.lu(a).slogdet(). Called by all ranks."""
    return lu(a, comm=comm, options=options).slogdet()


def det(a: Any, *, comm: Communicator | None = None, options: Options | None = None) -> Any:
    """The determinant of a square matrix; inf or 0 beyond float64's range: see slogdet(). Called by all ranks."""
    return lu(a, comm=comm, options=options).det()
