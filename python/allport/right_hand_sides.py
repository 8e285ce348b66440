"""What users give as b of a system, as a matrix that lies on all ranks, and x like it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from allport._native import Distribution
from allport.errors import failure
from allport.io import working_dtype
from allport.linalg import DistributedMatrix, as_matrix, own_part

if TYPE_CHECKING:
    from allport.comm import Communicator


class RightHandSides:
    """b of op(A) x = b: numpy or distributed, one or many columns."""

    def __init__(self, b: Any, n: int, dtype: Any, trans: str) -> None:
        if trans not in ("N", "T", "C"):
            raise failure(f"trans = '{trans}': expected 'N', 'T' or 'C'")
        self.given = b
        self.whole = b if isinstance(b, DistributedMatrix) else as_matrix(b, "b")
        if self.whole.shape[0] != n:
            raise failure(f"b: has {self.whole.shape[0]} rows: expected {n}, as many as the matrix")
        self.dtype = working_dtype(dtype, self.whole.dtype)

    def matrix(self, comm: Communicator) -> DistributedMatrix:
        """A copy that may be overwritten. Called by all ranks."""
        if isinstance(self.whole, DistributedMatrix):
            local = self.whole.local.astype(self.dtype, order="F", copy=True)
            return DistributedMatrix(comm, self.whole.distribution, local)
        distribution = Distribution.balanced(self.whole.shape, (comm.size, 1), list(range(comm.size)))
        return DistributedMatrix(comm, distribution, own_part(self.whole, distribution, comm, self.dtype))

    def like(self, x: DistributedMatrix) -> Any:
        """x as the caller gave b."""
        if isinstance(self.whole, DistributedMatrix):
            return x
        return np.ascontiguousarray(x.to_numpy()).reshape(np.shape(self.given))
