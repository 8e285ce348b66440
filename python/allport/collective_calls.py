"""Every collective as methods of Communicator: blocking, started, prepared.

Written by tools/make_interfaces.py from tools/interface_table.py.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from allport import collective_arrays as made
from allport.arrays import ArrayLike, Operator
from allport.collective_arrays import CallsOn
from allport.transfer import Persistent, Transfer

__all__ = ["CollectiveCalls"]


class CollectiveCalls(CallsOn):
    """What every rank of a communicator calls in one order.

    NAME() returns when this rank's part is done; start_NAME() at once: Transfer.wait() returns the result;
    prepare_NAME() makes what start() starts again and again, with what the arrays hold then. algorithm: a
    registered one; None: by price. out: an array for the result; None: a new one.
    """

    def start_barrier(self, algorithm: str | None = None) -> Transfer:
        """Starts barrier()."""
        return self._start(made.barrier(self, algorithm=algorithm))

    def prepare_barrier(self, algorithm: str | None = None) -> Persistent:
        """Prepares barrier() for many starts."""
        return self._prepare(made.barrier(self, algorithm=algorithm))

    def bcast(self, array: ArrayLike, root: int = 0, algorithm: str | None = None) -> np.ndarray:
        """Sends the root's data to every rank. array: of one size everywhere; returned."""
        return self._run(made.bcast(self, array, root, algorithm=algorithm))

    def start_bcast(self, array: ArrayLike, root: int = 0, algorithm: str | None = None) -> Transfer:
        """Starts bcast()."""
        return self._start(made.bcast(self, array, root, algorithm=algorithm))

    def prepare_bcast(self, array: ArrayLike, root: int = 0, algorithm: str | None = None) -> Persistent:
        """Prepares bcast() for many starts."""
        return self._prepare(made.bcast(self, array, root, algorithm=algorithm))

    def reduce(
        self,
        array: ArrayLike,
        op: Operator = "sum",
        root: int = 0,
        out: ArrayLike | None = None,
        algorithm: str | None = None,
    ) -> np.ndarray | None:
        """Combines every rank's elements, one by one, on the root. op: 'sum', 'prod', 'max' or 'min', or mpi4py's
        MPI.SUM, PROD, MAX or MIN. A number gives a number. None where the root is elsewhere."""
        return self._run_rooted(made.reduce(self, array, op, root, out, algorithm=algorithm))

    def start_reduce(
        self,
        array: ArrayLike,
        op: Operator = "sum",
        root: int = 0,
        out: ArrayLike | None = None,
        algorithm: str | None = None,
    ) -> Transfer:
        """Starts reduce()."""
        return self._start(made.reduce(self, array, op, root, out, algorithm=algorithm))

    def prepare_reduce(
        self,
        array: ArrayLike,
        op: Operator = "sum",
        root: int = 0,
        out: ArrayLike | None = None,
        algorithm: str | None = None,
    ) -> Persistent:
        """Prepares reduce() for many starts."""
        return self._prepare(made.reduce(self, array, op, root, out, algorithm=algorithm))

    def allreduce(
        self, array: ArrayLike, op: Operator = "sum", algorithm: str | None = None, *, out: ArrayLike | None = None
    ) -> np.ndarray:
        """Combines every rank's elements, one by one, on every rank, with the same bits. op: 'sum', 'prod', 'max' or
        'min', or mpi4py's MPI.SUM, PROD, MAX or MIN. A number gives a number."""
        return self._run(made.allreduce(self, array, op, out, algorithm=algorithm))

    def start_allreduce(
        self, array: ArrayLike, op: Operator = "sum", algorithm: str | None = None, *, out: ArrayLike | None = None
    ) -> Transfer:
        """Starts allreduce()."""
        return self._start(made.allreduce(self, array, op, out, algorithm=algorithm))

    def prepare_allreduce(
        self, array: ArrayLike, op: Operator = "sum", algorithm: str | None = None, *, out: ArrayLike | None = None
    ) -> Persistent:
        """Prepares allreduce() for many starts."""
        return self._prepare(made.allreduce(self, array, op, out, algorithm=algorithm))

    def scatter(
        self, array: ArrayLike | None, out: ArrayLike, root: int = 0, algorithm: str | None = None
    ) -> np.ndarray:
        """Sends block r of the root's data to rank r. array: on the root, a block for each rank along the first axis;
        None elsewhere."""
        return self._run(made.scatter(self, array, out, root, algorithm=algorithm))

    def start_scatter(
        self, array: ArrayLike | None, out: ArrayLike, root: int = 0, algorithm: str | None = None
    ) -> Transfer:
        """Starts scatter()."""
        return self._start(made.scatter(self, array, out, root, algorithm=algorithm))

    def prepare_scatter(
        self, array: ArrayLike | None, out: ArrayLike, root: int = 0, algorithm: str | None = None
    ) -> Persistent:
        """Prepares scatter() for many starts."""
        return self._prepare(made.scatter(self, array, out, root, algorithm=algorithm))

    def gather(
        self, array: ArrayLike, root: int = 0, algorithm: str | None = None, *, out: ArrayLike | None = None
    ) -> np.ndarray | None:
        """Collects every rank's block on the root, by rank. The blocks come along a new first axis; None where the root
        is elsewhere."""
        return self._run_rooted(made.gather(self, array, root, out, algorithm=algorithm))

    def start_gather(
        self, array: ArrayLike, root: int = 0, algorithm: str | None = None, *, out: ArrayLike | None = None
    ) -> Transfer:
        """Starts gather()."""
        return self._start(made.gather(self, array, root, out, algorithm=algorithm))

    def prepare_gather(
        self, array: ArrayLike, root: int = 0, algorithm: str | None = None, *, out: ArrayLike | None = None
    ) -> Persistent:
        """Prepares gather() for many starts."""
        return self._prepare(made.gather(self, array, root, out, algorithm=algorithm))

    def allgather(self, array: ArrayLike, algorithm: str | None = None, *, out: ArrayLike | None = None) -> np.ndarray:
        """Collects every rank's block on every rank, by rank. The blocks come along a new first axis."""
        return self._run(made.allgather(self, array, out, algorithm=algorithm))

    def start_allgather(
        self, array: ArrayLike, algorithm: str | None = None, *, out: ArrayLike | None = None
    ) -> Transfer:
        """Starts allgather()."""
        return self._start(made.allgather(self, array, out, algorithm=algorithm))

    def prepare_allgather(
        self, array: ArrayLike, algorithm: str | None = None, *, out: ArrayLike | None = None
    ) -> Persistent:
        """Prepares allgather() for many starts."""
        return self._prepare(made.allgather(self, array, out, algorithm=algorithm))

    def reduce_scatter(
        self, array: ArrayLike, op: Operator = "sum", algorithm: str | None = None, *, out: ArrayLike | None = None
    ) -> np.ndarray:
        """Combines every rank's elements, one by one; rank r gets block r of the result. array: a block for each rank
        along the first axis. op: 'sum', 'prod', 'max' or 'min', or mpi4py's MPI.SUM, PROD, MAX or MIN."""
        return self._run(made.reduce_scatter(self, array, op, out, algorithm=algorithm))

    def start_reduce_scatter(
        self, array: ArrayLike, op: Operator = "sum", algorithm: str | None = None, *, out: ArrayLike | None = None
    ) -> Transfer:
        """Starts reduce_scatter()."""
        return self._start(made.reduce_scatter(self, array, op, out, algorithm=algorithm))

    def prepare_reduce_scatter(
        self, array: ArrayLike, op: Operator = "sum", algorithm: str | None = None, *, out: ArrayLike | None = None
    ) -> Persistent:
        """Prepares reduce_scatter() for many starts."""
        return self._prepare(made.reduce_scatter(self, array, op, out, algorithm=algorithm))

    def alltoall(self, array: ArrayLike, algorithm: str | None = None, *, out: ArrayLike | None = None) -> np.ndarray:
        """Sends block r to rank r, and gets block s from rank s. array: a block for each rank along the first axis."""
        return self._run(made.alltoall(self, array, out, algorithm=algorithm))

    def start_alltoall(
        self, array: ArrayLike, algorithm: str | None = None, *, out: ArrayLike | None = None
    ) -> Transfer:
        """Starts alltoall()."""
        return self._start(made.alltoall(self, array, out, algorithm=algorithm))

    def prepare_alltoall(
        self, array: ArrayLike, algorithm: str | None = None, *, out: ArrayLike | None = None
    ) -> Persistent:
        """Prepares alltoall() for many starts."""
        return self._prepare(made.alltoall(self, array, out, algorithm=algorithm))

    def scatterv(
        self,
        array: ArrayLike | None,
        out: ArrayLike,
        counts: Sequence[int],
        root: int = 0,
        algorithm: str | None = None,
    ) -> np.ndarray:
        """Sends blocks of different lengths from the root. array: on the root, rows along the first axis; None
        elsewhere. counts: rows of each rank, the same on every rank."""
        return self._run(made.scatterv(self, array, out, counts, root, algorithm=algorithm))

    def start_scatterv(
        self,
        array: ArrayLike | None,
        out: ArrayLike,
        counts: Sequence[int],
        root: int = 0,
        algorithm: str | None = None,
    ) -> Transfer:
        """Starts scatterv()."""
        return self._start(made.scatterv(self, array, out, counts, root, algorithm=algorithm))

    def prepare_scatterv(
        self,
        array: ArrayLike | None,
        out: ArrayLike,
        counts: Sequence[int],
        root: int = 0,
        algorithm: str | None = None,
    ) -> Persistent:
        """Prepares scatterv() for many starts."""
        return self._prepare(made.scatterv(self, array, out, counts, root, algorithm=algorithm))

    def gatherv(
        self,
        array: ArrayLike,
        counts: Sequence[int],
        root: int = 0,
        algorithm: str | None = None,
        *,
        out: ArrayLike | None = None,
    ) -> np.ndarray | None:
        """Collects blocks of different lengths on the root. counts: rows of each rank, the same on every rank. None
        where the root is elsewhere."""
        return self._run_rooted(made.gatherv(self, array, counts, root, out, algorithm=algorithm))

    def start_gatherv(
        self,
        array: ArrayLike,
        counts: Sequence[int],
        root: int = 0,
        algorithm: str | None = None,
        *,
        out: ArrayLike | None = None,
    ) -> Transfer:
        """Starts gatherv()."""
        return self._start(made.gatherv(self, array, counts, root, out, algorithm=algorithm))

    def prepare_gatherv(
        self,
        array: ArrayLike,
        counts: Sequence[int],
        root: int = 0,
        algorithm: str | None = None,
        *,
        out: ArrayLike | None = None,
    ) -> Persistent:
        """Prepares gatherv() for many starts."""
        return self._prepare(made.gatherv(self, array, counts, root, out, algorithm=algorithm))

    def allgatherv(
        self, array: ArrayLike, counts: Sequence[int], algorithm: str | None = None, *, out: ArrayLike | None = None
    ) -> np.ndarray:
        """Collects blocks of different lengths on every rank. counts: rows of each rank, the same on every rank."""
        return self._run(made.allgatherv(self, array, counts, out, algorithm=algorithm))

    def start_allgatherv(
        self, array: ArrayLike, counts: Sequence[int], algorithm: str | None = None, *, out: ArrayLike | None = None
    ) -> Transfer:
        """Starts allgatherv()."""
        return self._start(made.allgatherv(self, array, counts, out, algorithm=algorithm))

    def prepare_allgatherv(
        self, array: ArrayLike, counts: Sequence[int], algorithm: str | None = None, *, out: ArrayLike | None = None
    ) -> Persistent:
        """Prepares allgatherv() for many starts."""
        return self._prepare(made.allgatherv(self, array, counts, out, algorithm=algorithm))

    def reduce_scatterv(
        self,
        array: ArrayLike,
        counts: Sequence[int],
        op: Operator = "sum",
        algorithm: str | None = None,
        *,
        out: ArrayLike | None = None,
    ) -> np.ndarray:
        """Combines every rank's elements, one by one; rank r gets its block of the result. counts: rows of each rank,
        the same on every rank. op: 'sum', 'prod', 'max' or 'min', or mpi4py's MPI.SUM, PROD, MAX or MIN."""
        return self._run(made.reduce_scatterv(self, array, counts, op, out, algorithm=algorithm))

    def start_reduce_scatterv(
        self,
        array: ArrayLike,
        counts: Sequence[int],
        op: Operator = "sum",
        algorithm: str | None = None,
        *,
        out: ArrayLike | None = None,
    ) -> Transfer:
        """Starts reduce_scatterv()."""
        return self._start(made.reduce_scatterv(self, array, counts, op, out, algorithm=algorithm))

    def prepare_reduce_scatterv(
        self,
        array: ArrayLike,
        counts: Sequence[int],
        op: Operator = "sum",
        algorithm: str | None = None,
        *,
        out: ArrayLike | None = None,
    ) -> Persistent:
        """Prepares reduce_scatterv() for many starts."""
        return self._prepare(made.reduce_scatterv(self, array, counts, op, out, algorithm=algorithm))

    def alltoallv(
        self,
        array: ArrayLike,
        counts: Sequence[int],
        received: Sequence[int],
        algorithm: str | None = None,
        *,
        out: ArrayLike | None = None,
    ) -> np.ndarray:
        """Sends a block to every rank and gets one from each. A start sends each at once to its rank; the other forms
        first tell all ranks all lengths, choose by price, and refuse on every rank what does not fit. counts: rows for
        each rank. received: rows from each."""
        return self._run(made.alltoallv(self, array, counts, received, out, algorithm=algorithm))

    def start_alltoallv(
        self,
        array: ArrayLike,
        counts: Sequence[int],
        received: Sequence[int],
        algorithm: str | None = None,
        *,
        out: ArrayLike | None = None,
    ) -> Transfer:
        """Starts alltoallv()."""
        return self._start(made.alltoallv(self, array, counts, received, out, algorithm=algorithm))

    def prepare_alltoallv(
        self,
        array: ArrayLike,
        counts: Sequence[int],
        received: Sequence[int],
        algorithm: str | None = None,
        *,
        out: ArrayLike | None = None,
    ) -> Persistent:
        """Prepares alltoallv() for many starts."""
        return self._prepare(made.alltoallv(self, array, counts, received, out, algorithm=algorithm))
