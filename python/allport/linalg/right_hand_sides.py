"""b of a system as a matrix that is distributed over all ranks, and x like it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from allport._native import Distribution
from allport.errors import failure
from allport.io import working_dtype
from allport.linalg.matrix import DistributedMatrix, distributed
from allport.whole_arrays import Whole

if TYPE_CHECKING:
    from allport.comm import Communicator


class RightHandSides:
    """b of op(A) x = b: distributed or a Whole, one or many columns."""

    def __init__(self, b: Any, n: int, dtype: Any, trans: str) -> None:
        if trans not in ("N", "T", "C"):
            raise failure(f"trans = '{trans}': expected 'N', 'T' or 'C'")
        self.given = b
        if b.shape[0] != n:
            raise failure(f"b: has {b.shape[0]} rows: expected {n}, as many as the matrix")
        self.dtype = working_dtype(dtype, b.dtype)

    @property
    def columns(self) -> int:
        """Number of right-hand sides."""
        return int(self.given.shape[1])

    def matrix(self, comm: Communicator) -> DistributedMatrix:
        """A copy that may be overwritten. Called by all ranks."""
        b = self.given
        if isinstance(b, Whole):
            rows = Distribution.balanced((b.shape[0], b.shape[1]), (comm.size, 1), list(range(comm.size)))
            return distributed(b, rows, comm, self.dtype)
        return DistributedMatrix(comm, b.distribution, b.local.astype(self.dtype, order="F", copy=True))

    def like(self, x: DistributedMatrix) -> Any:
        """x as the caller gave b: of as many dimensions. Called by all ranks."""
        if not isinstance(self.given, Whole):
            return x
        whole = np.ascontiguousarray(x.to_numpy())
        return whole[:, 0] if len(self.given.given) == 1 else whole
