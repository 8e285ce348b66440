"""Communicators that know what part of the machine they are, and collectives on arrays, named as in mpi4py.

MPI starts when this module is imported (mpi4py does it), after a check that mpi4py and Allport use one MPI library.
From then on an exception that nobody catches ends all ranks, because the others would wait for this one for ever.
"""

from __future__ import annotations

import functools
import sys
import threading
from collections.abc import Sequence
from types import TracebackType
from typing import Any, cast

from allport import _native
from allport import mpi as _mpi
from allport._native import Machine, Schedule, Traffic
from allport.arrays import ArrayLike, Operator, operator_name
from allport.collective_arrays import buffer_of
from allport.collective_calls import CollectiveCalls
from allport.errors import Error
from allport.transfer import NOTHING, Persistent, Transfer, flat_bytes

_mpi.check()

from mpi4py import MPI  # noqa: E402  after the check, which explains what to do when this fails

if MPI.Is_initialized() and not MPI.Is_finalized():
    _mpi.check_ranks(MPI.COMM_WORLD.size)

__all__ = ["Communicator", "Persistent", "Transfer", "world"]

_hook = sys.excepthook


def _end_all(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    _hook(kind, error, trace)
    alone = not MPI.Is_initialized() or MPI.Is_finalized() or MPI.COMM_WORLD.size == 1
    if not alone and not hasattr(sys, "ps1"):
        sys.stderr.write(f"allport: rank {MPI.COMM_WORLD.rank} ends all ranks after this {kind.__name__}\n")
        _mpi.end_job()


sys.excepthook = _end_all


class _Freed:
    """What a communicator has instead of the compiled one after Free()."""

    def __getattr__(self, name: str) -> Any:
        raise Error("comm: was freed by Free(); expected a communicator that is not")


class Communicator(CollectiveCalls):
    """An MPI communicator that knows what part of the machine it is.

    comm: an mpi4py communicator, MPI.COMM_WORLD when None. Rank i of it is rank i of the machine, x-fastest.
    machine: a Machine, a spec or a machine file; None takes ALLPORT_MACHINE from the environment, else a plain line.
    mapping: where the launcher has put ranks that are elsewhere: rank r at place mapping[r] of the machine.
    Called by all ranks. Raises Error on every rank when sizes differ, ranks name different machines or
    mappings, or a mapping is no permutation.

    Methods are mpi4py's: those with a capital letter take buffers and run Allport's schedules; those in lower case
    (bcast, gather, allreduce, send, ...) pickle Python objects and are mpi4py's own, over `mpi4py`. A communicator is a
    context manager, which frees it.

    Threads: communicators that came from one by sub(), Split() and Dup() are one family, of which several threads may
    use different members at once; collectives of the same communicator come in one order on all ranks, as in MPI. Calls
    release the interpreter's lock while they communicate.
    """

    def __init__(
        self,
        comm: MPI.Comm | None = None,
        machine: Machine | str | None = None,
        mapping: Sequence[int] | None = None,
    ) -> None:
        self._mpi4py = MPI.COMM_WORLD if comm is None else comm
        if not isinstance(self._mpi4py, MPI.Comm):
            raise Error(f"comm: expected an mpi4py communicator, got {type(comm).__name__}")
        if self._mpi4py == MPI.COMM_NULL:
            raise Error("comm: expected a communicator, got MPI.COMM_NULL")
        self._owned = False
        # A spec is read where all ranks learn of it when one cannot.
        given = machine if machine is None or isinstance(machine, Machine) else str(machine)
        places = None if mapping is None else [int(place) for place in mapping]
        self._native = _native.Communicator(self._mpi4py.handle % 2**64, given, places)

    @classmethod
    def _of(cls, native: _native.Communicator, mpi4py: MPI.Comm) -> Communicator:
        made = cls.__new__(cls)
        made._native, made._mpi4py, made._owned = native, mpi4py, True
        return made

    @property
    def machine(self) -> Machine:
        """The box of the machine that this communicator is, or a plain line when it is none."""
        return self._native.machine

    @property
    def is_box(self) -> bool:
        """Whether the communicator is a line or box of its machine."""
        return self._native.is_box

    @functools.cached_property
    def mapping(self) -> tuple[int, ...]:
        """Where the ranks are: rank r at place mapping[r] of `machine`."""
        return tuple(self._native.mapping)

    @property
    def mpi4py(self) -> MPI.Comm:
        """The mpi4py communicator with the same ranks, for messages of your own."""
        return self._mpi4py

    def sub(self, members: Sequence[int]) -> Communicator:
        """Sub-communicator of `members`, ranks of this one in the new order. Called by exactly the members."""
        native = self._native.sub(list(members))
        assert isinstance(self._mpi4py, MPI.Intracomm)  # the compiled one takes no other
        group = self._mpi4py.Get_group().Incl(list(members))
        return Communicator._of(native, self._mpi4py.Create_group(group))

    @functools.cached_property
    def _parts(self) -> dict[tuple[int, ...], Communicator]:
        return {}

    def part_on(self, members: tuple[int, ...], machine: Machine, places: tuple[int, ...]) -> Communicator:
        """sub() of members that are `machine`, at these places of it; made once and kept. Called by exactly them."""
        if members not in self._parts:
            native = self._native.sub_on(list(members), machine, list(places))
            assert isinstance(self._mpi4py, MPI.Intracomm)
            group = self._mpi4py.Get_group().Incl(list(members))
            self._parts[members] = Communicator._of(native, self._mpi4py.Create_group(group))
        return self._parts[members]

    def Split(self, color: int | None = 0, key: int = 0) -> Communicator | None:
        """Ranks of equal color together, ordered by key, then rank; None for color None or MPI.UNDEFINED. Called by all
        ranks."""
        color = None if color == MPI.UNDEFINED else color
        native = self._native.split(-1 if color is None else color, key)
        part = self._mpi4py.Split(MPI.UNDEFINED if native is None or color is None else color, key)
        return None if native is None else Communicator._of(native, part)

    def Dup(self) -> Communicator:
        """The same ranks, whose collectives never meet this one's. Called by all ranks."""
        made = self.Split(0, self.rank)
        assert made is not None
        return made

    def Free(self) -> None:
        """Gives back what the communicator holds, the mpi4py communicator too where it came with sub(), Split() or
        Dup(). Called by all ranks."""
        if isinstance(self._native, _Freed):
            return
        for part in self.__dict__.pop("_parts", {}).values():
            part.Free()
        self._native = cast(_native.Communicator, _Freed())
        if self._owned and not MPI.Is_finalized():
            self._mpi4py.Free()

    def __enter__(self) -> Communicator:
        return self

    def __exit__(self, *error: object) -> None:
        self.Free()

    def Get_rank(self) -> int:
        """This process, 0 <= rank < size."""
        return self.rank

    def Get_size(self) -> int:
        """Number of ranks."""
        return self.size

    def prepare(
        self, schedule: Schedule, sendbuf: ArrayLike, recvbuf: ArrayLike | None = None, *, op: Operator = "sum"
    ) -> Persistent:
        """Binds a schedule over this communicator's machine to buffers, for many starts: blocks by position in it.

        sendbuf: of a broadcast the buffer of every rank. recvbuf: where this rank has a result: of a reduction on the
        root.
        """
        data, op = buffer_of(sendbuf, "sendbuf"), operator_name(op)
        if schedule.collective == "bcast":
            flat = flat_bytes(buffer_of(sendbuf, "sendbuf", writable=True), "sendbuf", writable=True)
            return Persistent(self._native.prepare(schedule, NOTHING, flat, op, data.dtype.str), data)
        mine = schedule.collective != "reduce" or self.rank == self._native.at_position(schedule.root)
        if mine and recvbuf is None:
            raise Error(f"recvbuf = None: expected the array for the result of {schedule.collective} on this rank")
        target = flat_bytes(buffer_of(recvbuf, "recvbuf", writable=True), "recvbuf", writable=True) if mine else NOTHING
        native = self._native.prepare(schedule, flat_bytes(data, "sendbuf"), target, op, data.dtype.str)
        return Persistent(native, (data, target))

    def Barrier(self) -> None:
        """Waits until all ranks are here."""
        self._native.barrier()

    def barrier(self) -> None:
        """Barrier()."""
        self._native.barrier()

    def bcast(self, obj: Any, root: int = 0) -> Any:
        """The root's object on every rank, pickled, by mpi4py."""
        return self._mpi4py.bcast(obj, root)

    def scatter(self, sendobj: Any, root: int = 0) -> Any:
        """Object r of the root's sequence on rank r, pickled, by mpi4py."""
        return self._mpi4py.scatter(sendobj, root)

    def gather(self, sendobj: Any, root: int = 0) -> Any:
        """The list of every rank's object on the root, None elsewhere; pickled, by mpi4py."""
        return self._mpi4py.gather(sendobj, root)

    def allgather(self, sendobj: Any) -> Any:
        """The list of every rank's object on every rank, pickled, by mpi4py."""
        return self._mpi4py.allgather(sendobj)

    def alltoall(self, sendobj: Any) -> Any:
        """Object r of each rank's sequence on rank r, in a list; pickled, by mpi4py."""
        return self._mpi4py.alltoall(sendobj)

    def reduce(self, sendobj: Any, op: MPI.Op = MPI.SUM, root: int = 0) -> Any:
        """Every rank's object combined on the root, None elsewhere; pickled, by mpi4py."""
        return self._mpi4py.reduce(sendobj, op, root)

    def allreduce(self, sendobj: Any, op: MPI.Op = MPI.SUM) -> Any:
        """Every rank's object combined on every rank, pickled, by mpi4py: numbers give a number."""
        return self._mpi4py.allreduce(sendobj, op)

    def send(self, obj: Any, dest: int, tag: int = 0) -> None:
        """Sends an object to one rank, pickled, by mpi4py."""
        self._mpi4py.send(obj, dest, tag)

    def recv(self, source: int = MPI.ANY_SOURCE, tag: int = MPI.ANY_TAG) -> Any:
        """Receives an object from one rank, pickled, by mpi4py."""
        return self._mpi4py.recv(source=source, tag=tag)

    def progress(self) -> None:
        """Moves everything in flight along; call it between pieces of local work."""
        self._native.progress()

    def schedule_for(
        self, collective: str, *, root: int = 0, bytes: int, element: int = 1, algorithm: str | None = None
    ) -> Schedule:
        """The schedule that a collective of this communicator runs."""
        return self._native.schedule_for(collective, root, bytes, element, algorithm or "")

    @property
    def counted(self) -> Traffic:
        """What this rank has sent and received since reset_counted()."""
        return self._native.counted

    def reset_counted(self) -> None:
        """Starts counting anew."""
        self._native.reset_counted()

    def ensure_all_well(self, local_error: str = "", kind: str = "argument") -> None:
        """Raises Error on every rank when any rank brings an error text: the first rank's text and kind."""
        self._native.ensure_all_well(local_error, kind)

    def ensure_agreement(self, name: str, value: int) -> None:
        """Raises Error on every rank unless all ranks pass the same value."""
        self._native.ensure_agreement(name, value)

    def __repr__(self) -> str:
        return f"Communicator(rank {self.rank} of {self.size}, {self.machine.name})"


_world: Communicator | None = None
_making_world = threading.Lock()


def world() -> Communicator:
    """The communicator of all ranks on ALLPORT_MACHINE's machine; made once."""
    global _world
    with _making_world:
        if _world is None:
            _world = Communicator(MPI.COMM_WORLD)
        return _world
