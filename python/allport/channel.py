"""Multicasts that nobody expects, on MPI: ap.multicast.Channel. MPI starts when this module is imported."""

from __future__ import annotations

import contextlib
import operator
from collections.abc import Iterable
from types import TracebackType
from typing import Any

import numpy as np

from allport import _native
from allport.arrays import ArrayLike
from allport.collective_arrays import buffer_of
from allport.comm import MPI, Communicator, world
from allport.errors import Error, together
from allport.transfer import flat_bytes
from allport.units import parse_bytes

__all__ = ["Channel", "Sending"]

Destinations = int | Iterable[int] | None
ANY = -1
TAG = "a number, 0 <= tag < 2 ** 31"
_abandoned: list[dict[int, np.ndarray]] = []  # of channels that nobody closed: MPI may still read the buffers


class Sending:
    """A message that isend() or Isend() has started, as mpi4py's Request."""

    def __init__(self, channel: _native.Channel, number: int) -> None:
        self._channel, self._number = channel, number

    def Test(self) -> bool:
        """Progresses communication; True when the message has left this rank, so that its buffer may change."""
        return self._channel.is_sent(self._number)

    def Wait(self) -> bool:
        """Returns True when the message has left this rank."""
        self._channel.wait_sent(self._number)
        return True


def _whole(value: Any, name: str, expected: str) -> int:
    try:
        return operator.index(value)
    except TypeError:
        raise Error(f"{name} = {value!r}: expected {expected}") from None


class Channel:
    """Messages from any rank at any time to any set of ranks, which need not expect them (Song09).

    comm: a Communicator; None: world(). Called by all ranks. No communicator is made for a set: the message lists its
    destinations, and ranks on its way forward it whenever they call a method of the channel (progress() does nothing
    else). Methods are mpi4py's: those with a capital letter take buffers, those in lower case pickle Python objects.

    tree, segment: how every message goes ('flat', 'chain', 'prefix', 'segmented', 'kary', 'axes') and in segments of
    how many bytes; None: by predicted time, on the communicator's machine or, if that has no rates of its own and ranks
    share computers, on those.

    A context manager, which closes it. Messages of one source can overtake each other; tags separate them. If a rank
    leaves the block by an exception, waits for a message that nobody sends, or has not received all of its messages,
    every rank gets an Error that says so. Threads as with Communicator; one at a time waits in recv() or Recv(), and
    its rank counts as one that sends nothing until that returns: programs whose other threads send receive by iprobe().
    """

    def __init__(
        self, comm: Communicator | None = None, *, tree: str | None = None, segment: int | str | None = None
    ) -> None:
        self._comm = world() if comm is None else comm
        if not isinstance(self._comm, Communicator):
            raise Error(f"comm: expected an allport.Communicator, got {type(comm).__name__}")
        with together(self._comm):
            cut = 0 if segment is None else parse_bytes(segment, "segment")
            name = "" if tree is None else str(tree)
        self._sending: dict[int, np.ndarray] = {}  # buffers of Isend(), by number
        self._rank, self._size = self._comm.rank, self._comm.size
        self._native = _native.Channel(self._comm._native, name, cut)

    def __del__(self) -> None:
        native = getattr(self, "_native", None)
        if native is not None and not native.is_closed:
            _abandoned.append(self._sending)

    @property
    def comm(self) -> Communicator:
        """The communicator whose ranks are meant."""
        return self._comm

    def _to(self, dest: Destinations) -> list[int]:
        if dest is None:
            return list(range(self._size))
        ranks = dest if isinstance(dest, Iterable) else [dest]
        return [_whole(rank, "dest", "a rank, several of them, or None for all") for rank in ranks]

    @staticmethod
    def _from(source: int, tag: int) -> tuple[int, int]:
        rank = ANY if source == MPI.ANY_SOURCE else _whole(source, "source", "a rank or MPI.ANY_SOURCE")
        return rank, ANY if tag == MPI.ANY_TAG else _whole(tag, "tag", "a tag or MPI.ANY_TAG")

    @staticmethod
    def _fill(status: MPI.Status | None, envelope: tuple[int, int, int, int, bool]) -> None:
        if status is not None:
            status.Set_source(envelope[0])
            status.Set_tag(envelope[1])
            status.Set_elements(MPI.BYTE, envelope[2])

    def send(self, obj: Any, dest: Destinations, tag: int = 0) -> None:
        """Sends a pickled object to a rank, to several, or to all (None), and returns when it has left this rank.

        Each gets it once, also the sender if it is one of them. Raises Error on a rank that does not exist.
        """
        self.isend(obj, dest, tag).Wait()

    def isend(self, obj: Any, dest: Destinations, tag: int = 0) -> Sending:
        """Starts to send a pickled object, and returns at once. Test(), Wait() and all other methods progress it."""
        return Sending(self._native, self._native.post(self._to(dest), _whole(tag, "tag", TAG), MPI.pickle.dumps(obj)))

    def Send(self, buf: ArrayLike, dest: Destinations, tag: int = 0) -> None:
        """Sends a buffer to a rank, to several, or to all (None), and returns when the buffer may change."""
        self._native.send(self._to(dest), _whole(tag, "tag", TAG), flat_bytes(buffer_of(buf, "buf"), "buf"))

    def Isend(self, buf: ArrayLike, dest: Destinations, tag: int = 0) -> Sending:
        """Starts to send a buffer, and returns at once: Wait() or Test() says when it may change.

        The channel refers to the buffer until then.
        """
        data = flat_bytes(buffer_of(buf, "buf"), "buf")
        for done in [n for n in list(self._sending) if self._native.is_sent(n)]:
            self._sending.pop(done, None)
        number = self._native.start(self._to(dest), _whole(tag, "tag", TAG), data)
        self._sending[number] = data
        return Sending(self._native, number)

    def recv(self, source: int = MPI.ANY_SOURCE, tag: int = MPI.ANY_TAG, status: MPI.Status | None = None) -> Any:
        """Waits for an object that send() has sent. status: an MPI.Status, which gets source, tag and bytes.

        Returns when this rank has also forwarded it to the ranks that get it from here.
        Raises Error, on every rank, when no such message can come any more because every other rank waits or has closed
        the channel; on this rank when the message is a buffer, which stays to be received by Recv().
        """
        envelope, data = self._native.receive_object(*self._from(source, tag))
        self._fill(status, envelope)
        return MPI.pickle.loads(data)

    def Recv(
        self,
        buf: ArrayLike,
        source: int = MPI.ANY_SOURCE,
        tag: int = MPI.ANY_TAG,
        status: MPI.Status | None = None,
    ) -> None:
        """Waits for a buffer that Send() or Isend() has sent; `buf` may be longer. Errors as of recv().

        A message that is longer than `buf` is an Error, and stays to be received.
        """
        into = flat_bytes(buffer_of(buf, "buf", writable=True), "buf", writable=True)
        self._fill(status, self._native.receive(into, *self._from(source, tag)))

    def iprobe(self, source: int = MPI.ANY_SOURCE, tag: int = MPI.ANY_TAG, status: MPI.Status | None = None) -> bool:
        """Progresses communication; whether such a message is here: recv() or Recv() then returns at once."""
        envelope = self._native.probe(*self._from(source, tag))
        if envelope is not None:
            self._fill(status, envelope)
        return envelope is not None

    def Iprobe(self, source: int = MPI.ANY_SOURCE, tag: int = MPI.ANY_TAG, status: MPI.Status | None = None) -> bool:
        """iprobe()"""
        return self.iprobe(source, tag, status)

    def progress(self) -> None:
        """Receives, forwards and sends what can progress: call it between pieces of local work."""
        self._native.progress()

    def close(self) -> None:
        """Called by all ranks: waits until every message has reached its destinations.

        Raises Error on every rank if any rank has failed, waits for a message that nobody sends, or has not received
        all of its messages.
        """
        self._end("")

    def _end(self, failure: str) -> None:
        try:
            self._native.close(failure)
        finally:
            if self._native.is_closed:
                self._sending.clear()

    def __enter__(self) -> Channel:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None or error is None:
            self.close()
            return
        with contextlib.suppress(Error):  # the exception that this rank leaves with says more
            self._end(f"channel: rank {self._rank} failed: {kind.__name__}: {error}")
