"""Every collective as methods of Communicator, named as in mpi4py: Bcast, Ibcast, Bcast_init.

Written by tools/make_interfaces.py from tools/interface_table.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from allport import collective_arrays as made
from allport.arrays import ArrayLike, Operator
from allport.collective_arrays import CallsOn
from allport.transfer import Persistent, Transfer

__all__ = ["CollectiveCalls"]

#: [array, counts] or [array, (counts, displacements)]: blocks of different lengths, one behind the other.
Blocks: TypeAlias = Any


class CollectiveCalls(CallsOn):
    """What every rank of a communicator calls in one order, with buffers as in mpi4py.

    NAME() returns when this rank's part is done; INAME() at once: the result is there after Transfer.Wait();
    NAME_init() makes what Persistent.Start() starts again and again, with what the buffers hold then.
    Buffers are contiguous arrays of numpy, or of whatever has the buffer protocol or DLPack.
    algorithm: a registered one; None: by price.
    """

    def Ibarrier(self, *, algorithm: str | None = None) -> Transfer:
        """Starts Barrier()."""
        return self._start(made.barrier(self, algorithm=algorithm))

    def Barrier_init(self, *, algorithm: str | None = None) -> Persistent:
        """Prepares Barrier() for many starts."""
        return self._prepare(made.barrier(self, algorithm=algorithm))

    def Bcast(self, buf: ArrayLike, root: int = 0, *, algorithm: str | None = None) -> None:
        """Sends the root's data to every rank. buf: of one size everywhere."""
        self._run(made.bcast(self, buf, root, algorithm=algorithm))

    def Ibcast(self, buf: ArrayLike, root: int = 0, *, algorithm: str | None = None) -> Transfer:
        """Starts Bcast()."""
        return self._start(made.bcast(self, buf, root, algorithm=algorithm))

    def Bcast_init(self, buf: ArrayLike, root: int = 0, *, algorithm: str | None = None) -> Persistent:
        """Prepares Bcast() for many starts."""
        return self._prepare(made.bcast(self, buf, root, algorithm=algorithm))

    def Reduce(
        self,
        sendbuf: ArrayLike,
        recvbuf: ArrayLike | None,
        op: Operator = "sum",
        root: int = 0,
        *,
        algorithm: str | None = None,
    ) -> None:
        """Combines every rank's elements, one by one, on the root. op: MPI.SUM, PROD, MAX or MIN, numpy.add, multiply,
        maximum or minimum, or 'sum', 'prod', 'max' or 'min'. sendbuf may be MPI.IN_PLACE. recvbuf matters on the root
        only."""
        self._run(made.reduce(self, sendbuf, recvbuf, op, root, algorithm=algorithm))

    def Ireduce(
        self,
        sendbuf: ArrayLike,
        recvbuf: ArrayLike | None,
        op: Operator = "sum",
        root: int = 0,
        *,
        algorithm: str | None = None,
    ) -> Transfer:
        """Starts Reduce()."""
        return self._start(made.reduce(self, sendbuf, recvbuf, op, root, algorithm=algorithm))

    def Reduce_init(
        self,
        sendbuf: ArrayLike,
        recvbuf: ArrayLike | None,
        op: Operator = "sum",
        root: int = 0,
        *,
        algorithm: str | None = None,
    ) -> Persistent:
        """Prepares Reduce() for many starts."""
        return self._prepare(made.reduce(self, sendbuf, recvbuf, op, root, algorithm=algorithm))

    def Allreduce(
        self, sendbuf: ArrayLike, recvbuf: ArrayLike, op: Operator = "sum", *, algorithm: str | None = None
    ) -> None:
        """Combines every rank's elements, one by one, on every rank, with the same bits. op: MPI.SUM, PROD, MAX or MIN,
        numpy.add, multiply, maximum or minimum, or 'sum', 'prod', 'max' or 'min'. sendbuf may be MPI.IN_PLACE."""
        self._run(made.allreduce(self, sendbuf, recvbuf, op, algorithm=algorithm))

    def Iallreduce(
        self, sendbuf: ArrayLike, recvbuf: ArrayLike, op: Operator = "sum", *, algorithm: str | None = None
    ) -> Transfer:
        """Starts Allreduce()."""
        return self._start(made.allreduce(self, sendbuf, recvbuf, op, algorithm=algorithm))

    def Allreduce_init(
        self, sendbuf: ArrayLike, recvbuf: ArrayLike, op: Operator = "sum", *, algorithm: str | None = None
    ) -> Persistent:
        """Prepares Allreduce() for many starts."""
        return self._prepare(made.allreduce(self, sendbuf, recvbuf, op, algorithm=algorithm))

    def Scatter(
        self, sendbuf: ArrayLike | None, recvbuf: ArrayLike, root: int = 0, *, algorithm: str | None = None
    ) -> None:
        """Sends block r of the root's data to rank r. sendbuf: on the root, a block for each rank; None elsewhere."""
        self._run(made.scatter(self, sendbuf, recvbuf, root, algorithm=algorithm))

    def Iscatter(
        self, sendbuf: ArrayLike | None, recvbuf: ArrayLike, root: int = 0, *, algorithm: str | None = None
    ) -> Transfer:
        """Starts Scatter()."""
        return self._start(made.scatter(self, sendbuf, recvbuf, root, algorithm=algorithm))

    def Scatter_init(
        self, sendbuf: ArrayLike | None, recvbuf: ArrayLike, root: int = 0, *, algorithm: str | None = None
    ) -> Persistent:
        """Prepares Scatter() for many starts."""
        return self._prepare(made.scatter(self, sendbuf, recvbuf, root, algorithm=algorithm))

    def Gather(
        self, sendbuf: ArrayLike, recvbuf: ArrayLike | None, root: int = 0, *, algorithm: str | None = None
    ) -> None:
        """Collects every rank's block on the root, by rank. recvbuf: on the root, a block of each rank; None elsewhere.
        sendbuf may be MPI.IN_PLACE there."""
        self._run(made.gather(self, sendbuf, recvbuf, root, algorithm=algorithm))

    def Igather(
        self, sendbuf: ArrayLike, recvbuf: ArrayLike | None, root: int = 0, *, algorithm: str | None = None
    ) -> Transfer:
        """Starts Gather()."""
        return self._start(made.gather(self, sendbuf, recvbuf, root, algorithm=algorithm))

    def Gather_init(
        self, sendbuf: ArrayLike, recvbuf: ArrayLike | None, root: int = 0, *, algorithm: str | None = None
    ) -> Persistent:
        """Prepares Gather() for many starts."""
        return self._prepare(made.gather(self, sendbuf, recvbuf, root, algorithm=algorithm))

    def Allgather(self, sendbuf: ArrayLike, recvbuf: ArrayLike, *, algorithm: str | None = None) -> None:
        """Collects every rank's block on every rank, by rank. recvbuf: a block of each rank. sendbuf may be
        MPI.IN_PLACE."""
        self._run(made.allgather(self, sendbuf, recvbuf, algorithm=algorithm))

    def Iallgather(self, sendbuf: ArrayLike, recvbuf: ArrayLike, *, algorithm: str | None = None) -> Transfer:
        """Starts Allgather()."""
        return self._start(made.allgather(self, sendbuf, recvbuf, algorithm=algorithm))

    def Allgather_init(self, sendbuf: ArrayLike, recvbuf: ArrayLike, *, algorithm: str | None = None) -> Persistent:
        """Prepares Allgather() for many starts."""
        return self._prepare(made.allgather(self, sendbuf, recvbuf, algorithm=algorithm))

    def Reduce_scatter_block(
        self, sendbuf: ArrayLike, recvbuf: ArrayLike, op: Operator = "sum", *, algorithm: str | None = None
    ) -> None:
        """Combines every rank's elements, one by one; rank r gets block r of the result. sendbuf: a block for each
        rank. op: MPI.SUM, PROD, MAX or MIN, numpy.add, multiply, maximum or minimum, or 'sum', 'prod', 'max' or
        'min'."""
        self._run(made.reduce_scatter(self, sendbuf, recvbuf, op, algorithm=algorithm))

    def Ireduce_scatter_block(
        self, sendbuf: ArrayLike, recvbuf: ArrayLike, op: Operator = "sum", *, algorithm: str | None = None
    ) -> Transfer:
        """Starts Reduce_scatter_block()."""
        return self._start(made.reduce_scatter(self, sendbuf, recvbuf, op, algorithm=algorithm))

    def Reduce_scatter_block_init(
        self, sendbuf: ArrayLike, recvbuf: ArrayLike, op: Operator = "sum", *, algorithm: str | None = None
    ) -> Persistent:
        """Prepares Reduce_scatter_block() for many starts."""
        return self._prepare(made.reduce_scatter(self, sendbuf, recvbuf, op, algorithm=algorithm))

    def Alltoall(self, sendbuf: ArrayLike, recvbuf: ArrayLike, *, algorithm: str | None = None) -> None:
        """Sends block r to rank r, and gets block s from rank s. sendbuf, recvbuf: a block for each rank, and from
        each. sendbuf may be MPI.IN_PLACE."""
        self._run(made.alltoall(self, sendbuf, recvbuf, algorithm=algorithm))

    def Ialltoall(self, sendbuf: ArrayLike, recvbuf: ArrayLike, *, algorithm: str | None = None) -> Transfer:
        """Starts Alltoall()."""
        return self._start(made.alltoall(self, sendbuf, recvbuf, algorithm=algorithm))

    def Alltoall_init(self, sendbuf: ArrayLike, recvbuf: ArrayLike, *, algorithm: str | None = None) -> Persistent:
        """Prepares Alltoall() for many starts."""
        return self._prepare(made.alltoall(self, sendbuf, recvbuf, algorithm=algorithm))

    def Scatterv(self, sendbuf: Blocks, recvbuf: ArrayLike, root: int = 0, *, algorithm: str | None = None) -> None:
        """Sends blocks of different lengths from the root. sendbuf: [array, counts]: elements of each rank's block on
        the root, [None, counts] elsewhere."""
        self._run(made.scatterv(self, sendbuf, recvbuf, root, algorithm=algorithm))

    def Iscatterv(
        self, sendbuf: Blocks, recvbuf: ArrayLike, root: int = 0, *, algorithm: str | None = None
    ) -> Transfer:
        """Starts Scatterv()."""
        return self._start(made.scatterv(self, sendbuf, recvbuf, root, algorithm=algorithm))

    def Scatterv_init(
        self, sendbuf: Blocks, recvbuf: ArrayLike, root: int = 0, *, algorithm: str | None = None
    ) -> Persistent:
        """Prepares Scatterv() for many starts."""
        return self._prepare(made.scatterv(self, sendbuf, recvbuf, root, algorithm=algorithm))

    def Gatherv(self, sendbuf: ArrayLike, recvbuf: Blocks, root: int = 0, *, algorithm: str | None = None) -> None:
        """Collects blocks of different lengths on the root. recvbuf: [array, counts]: elements of each rank's block on
        the root, [None, counts] elsewhere."""
        self._run(made.gatherv(self, sendbuf, recvbuf, root, algorithm=algorithm))

    def Igatherv(self, sendbuf: ArrayLike, recvbuf: Blocks, root: int = 0, *, algorithm: str | None = None) -> Transfer:
        """Starts Gatherv()."""
        return self._start(made.gatherv(self, sendbuf, recvbuf, root, algorithm=algorithm))

    def Gatherv_init(
        self, sendbuf: ArrayLike, recvbuf: Blocks, root: int = 0, *, algorithm: str | None = None
    ) -> Persistent:
        """Prepares Gatherv() for many starts."""
        return self._prepare(made.gatherv(self, sendbuf, recvbuf, root, algorithm=algorithm))

    def Allgatherv(self, sendbuf: ArrayLike, recvbuf: Blocks, *, algorithm: str | None = None) -> None:
        """Collects blocks of different lengths on every rank. recvbuf: [array, counts]: elements of each rank's
        block."""
        self._run(made.allgatherv(self, sendbuf, recvbuf, algorithm=algorithm))

    def Iallgatherv(self, sendbuf: ArrayLike, recvbuf: Blocks, *, algorithm: str | None = None) -> Transfer:
        """Starts Allgatherv()."""
        return self._start(made.allgatherv(self, sendbuf, recvbuf, algorithm=algorithm))

    def Allgatherv_init(self, sendbuf: ArrayLike, recvbuf: Blocks, *, algorithm: str | None = None) -> Persistent:
        """Prepares Allgatherv() for many starts."""
        return self._prepare(made.allgatherv(self, sendbuf, recvbuf, algorithm=algorithm))

    def Reduce_scatter(
        self,
        sendbuf: ArrayLike,
        recvbuf: ArrayLike,
        recvcounts: Sequence[int] | None = None,
        op: Operator = "sum",
        *,
        algorithm: str | None = None,
    ) -> None:
        """Combines every rank's elements, one by one; rank r gets its block of the result. recvcounts: elements of each
        rank's block; None: equal blocks. op: MPI.SUM, PROD, MAX or MIN, numpy.add, multiply, maximum or minimum, or
        'sum', 'prod', 'max' or 'min'."""
        self._run(made.reduce_scatterv(self, sendbuf, recvbuf, recvcounts, op, algorithm=algorithm))

    def Ireduce_scatter(
        self,
        sendbuf: ArrayLike,
        recvbuf: ArrayLike,
        recvcounts: Sequence[int] | None = None,
        op: Operator = "sum",
        *,
        algorithm: str | None = None,
    ) -> Transfer:
        """Starts Reduce_scatter()."""
        return self._start(made.reduce_scatterv(self, sendbuf, recvbuf, recvcounts, op, algorithm=algorithm))

    def Reduce_scatter_init(
        self,
        sendbuf: ArrayLike,
        recvbuf: ArrayLike,
        recvcounts: Sequence[int] | None = None,
        op: Operator = "sum",
        *,
        algorithm: str | None = None,
    ) -> Persistent:
        """Prepares Reduce_scatter() for many starts."""
        return self._prepare(made.reduce_scatterv(self, sendbuf, recvbuf, recvcounts, op, algorithm=algorithm))

    def Alltoallv(self, sendbuf: Blocks, recvbuf: Blocks, *, algorithm: str | None = None) -> None:
        """Sends a block to every rank and gets one from each. A start sends each at once to its rank; the other forms
        first send all lengths to all ranks, choose by price, and raise on every rank if lengths differ. sendbuf,
        recvbuf: [array, counts]: elements of each rank's block, for each rank and from each."""
        self._run(made.alltoallv(self, sendbuf, recvbuf, algorithm=algorithm))

    def Ialltoallv(self, sendbuf: Blocks, recvbuf: Blocks, *, algorithm: str | None = None) -> Transfer:
        """Starts Alltoallv()."""
        return self._start(made.alltoallv(self, sendbuf, recvbuf, algorithm=algorithm))

    def Alltoallv_init(self, sendbuf: Blocks, recvbuf: Blocks, *, algorithm: str | None = None) -> Persistent:
        """Prepares Alltoallv() for many starts."""
        return self._prepare(made.alltoallv(self, sendbuf, recvbuf, algorithm=algorithm))
