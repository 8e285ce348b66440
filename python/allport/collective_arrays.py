"""Collectives on arrays, as mpi4py has them: what each call's buffers are."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from allport import _native
from allport.arrays import ArrayLike, Operator, as_array, is_number, operator_name
from allport.errors import Error
from allport.transfer import NOTHING, Persistent, Transfer, flat_bytes

__all__ = ["Call", "CallsOn"]


@dataclass
class Call:
    """A collective on this rank's buffers. in_place: the input is a copy of what the output was."""

    what: str
    algorithm: str | None
    input: np.ndarray = field(default_factory=lambda: NOTHING)
    output: np.ndarray = field(default_factory=lambda: NOTHING)
    root: int = 0
    op: Operator = ""  # its name, once made
    blocks: list[int] | None = None  # bytes
    received: list[int] | None = None
    in_place: bool = False

    def __post_init__(self) -> None:
        self.op = operator_name(self.op)

    def arguments(self) -> tuple[Any, ...]:
        """What the compiled communicator takes."""
        reads, writes = flat_bytes(self.input, "sendbuf"), NOTHING
        if self.output.size:
            writes = flat_bytes(self.output, "buf" if self.what == "bcast" else "recvbuf", writable=True)
        typed = self.output if self.what == "bcast" else self.input
        element = typed.dtype.itemsize if self.op else 1
        return (
            self.what, reads, writes, self.root, element, self.op, typed.dtype.str, self.algorithm or "",
            self.blocks, self.received,
        )  # fmt: skip


class CallsOn:
    """What runs calls: a communicator. Its class has the methods."""

    _native: _native.Communicator

    @property
    def rank(self) -> int:
        """This process, 0 <= rank < size."""
        return self._native.rank

    @property
    def size(self) -> int:
        """Number of ranks."""
        return self._native.size

    def _run(self, call: Call) -> None:
        self._native.run_call(*call.arguments())

    def _start(self, call: Call) -> Transfer:
        return Transfer(self._native.start_call(*call.arguments()), call)

    def _prepare(self, call: Call) -> Persistent:
        if call.in_place:
            raise Error(
                "sendbuf = MPI.IN_PLACE: what is started again and again needs a buffer of its own to read from; pass "
                "another array than recvbuf"
            )
        return Persistent(self._native.prepare_call(*call.arguments()), call)


def is_in_place(given: Any) -> bool:
    """Whether it is mpi4py's MPI.IN_PLACE."""
    mpi = sys.modules.get("mpi4py.MPI")
    return mpi is not None and given is mpi.IN_PLACE


def buffer_of(given: ArrayLike, name: str, writable: bool = False) -> np.ndarray:
    """A numpy array of the same memory. Raises Error for numbers, which have none that others see, and lists."""
    if is_number(given):
        raise Error(
            f"{name}: is a {type(given).__name__}, which has no memory to send from or to receive into; pass "
            f"numpy.array({name}), or take the method of that name in lower case, which sends Python objects"
        )
    if isinstance(given, (list, tuple)):
        raise Error(
            f"{name}: is a {type(given).__name__}; expected an array, whose own type and size count (numpy.asarray "
            f"makes one of numbers); [array, counts] is for the calls with blocks of different lengths"
        )
    return as_array(given, name, writable)


def _received(given: ArrayLike | None, name: str = "recvbuf") -> np.ndarray:
    if given is None:
        raise Error(f"{name} = None: expected an array for the result on this rank")
    return buffer_of(given, name, writable=True)


def _sent(given: ArrayLike | None) -> np.ndarray:
    if given is None:
        raise Error("sendbuf = None: expected an array on this rank")
    return buffer_of(given, "sendbuf")


def _fits(data: np.ndarray, made: np.ndarray, factor: int, larger: str) -> None:
    """made holds `factor` times what data has, of the same type (larger: 'recvbuf'), or the other way round."""
    one, many = (data, made) if larger == "recvbuf" else (made, data)
    if data.dtype != made.dtype or many.size != factor * one.size:
        raise Error(
            f"recvbuf: is {made.dtype}{list(made.shape)}, sendbuf {data.dtype}{list(data.shape)}: expected one type, "
            f"and {factor} times as many elements in {larger}"
        )


def _combined(sendbuf: ArrayLike | None, recvbuf: ArrayLike | None) -> tuple[np.ndarray, np.ndarray, bool]:
    """(input, output, whether in place) of a reduction, element by element."""
    made = _received(recvbuf)
    if is_in_place(sendbuf):
        return made.copy(order="K"), made, True
    data = _sent(sendbuf)
    alike = data.dtype == made.dtype and data.size == made.size
    if not alike or (data.shape == made.shape and not _orders(data) & _orders(made)):
        raise Error(
            f"recvbuf: expected an array like sendbuf, {data.dtype}{list(data.shape)} and in its order, got "
            f"{made.dtype}{list(made.shape)}"
        )
    return data, made, False


def _orders(array: np.ndarray) -> set[str]:
    """The orders that an array's memory is in; both where it has none, which flat_bytes() refuses."""
    found = {name for name, has in (("C", array.flags.c_contiguous), ("F", array.flags.f_contiguous)) if has}
    return found or {"C", "F"}


def _own_block(on: CallsOn, made: np.ndarray) -> np.ndarray:
    """This rank's block of a result that is received in place, copied."""
    if made.size % on.size != 0 or not made.flags.c_contiguous:
        raise Error(f"recvbuf: expected a contiguous array of {on.size} equal blocks, got {list(made.shape)}")
    length = made.size // on.size
    return made.reshape(-1)[on.rank * length : (on.rank + 1) * length].copy()


def _vector(on: CallsOn, given: Any, name: str, writable: bool = False) -> tuple[np.ndarray, list[int]]:
    """(array, elements of each rank's block) of [array, counts], [array, (counts, displacements)] or an array of equal
    blocks."""
    spec = list(given) if isinstance(given, (list, tuple)) else [given]
    if len(spec) == 2:
        spec = [spec[0], *_counts_and_displacements(spec[1])]
    if len(spec) > 3:
        raise Error(f"{name}: expected [array, counts] or [array, (counts, displacements)]; the array's type counts")
    if spec[0] is None:
        raise Error(f"{name} = None: expected an array on this rank")
    array = buffer_of(spec[0], name, writable)
    if len(spec) == 1 or spec[1] is None:
        if array.size % on.size != 0:
            raise Error(f"{name}: has {array.size} elements; expected [array, counts], or {on.size} equal blocks")
        return array, [array.size // on.size] * on.size
    counts = _counts(on, spec[1], name)
    if array.size != sum(counts):
        raise Error(f"{name}: has {array.size} elements; expected {sum(counts)}, the sum of its counts")
    if len(spec) == 3 and spec[2] is not None and [int(n) for n in spec[2]] != [0, *itertools.accumulate(counts)][:-1]:
        raise Error(f"{name}: expected displacements of blocks that follow each other without gaps, got {spec[2]}")
    return array, counts


def _counts_and_displacements(given: Any) -> tuple[Any, Any]:
    """(counts, displacements) of such a pair; (counts, None) of counts alone."""
    paired = isinstance(given, (list, tuple)) and len(given) == 2 and np.ndim(given[0]) == 1
    return (given[0], given[1]) if paired else (given, None)


def _counts(on: CallsOn, given: Sequence[int], name: str) -> list[int]:
    try:
        counts = [int(count) for count in given]
    except TypeError:
        counts = []
    if len(counts) != on.size or min(counts, default=0) < 0:
        raise Error(f"{name}: expected counts of elements, {on.size} numbers >= 0, got {given}")
    return counts


def _bytes(array: np.ndarray, counts: list[int]) -> list[int]:
    return [count * array.dtype.itemsize for count in counts]


def _one_of(on: CallsOn, array: np.ndarray, counts: list[int], name: str, other: np.ndarray | None) -> None:
    """An array is this rank's block of what has these counts."""
    if array.size != counts[on.rank]:
        raise Error(f"{name}: has {array.size} elements; expected {counts[on.rank]}, this rank's count")
    if other is not None and array.dtype != other.dtype:
        raise Error(f"recvbuf and sendbuf: are {array.dtype} and {other.dtype}; expected one type")


def barrier(on: CallsOn, algorithm: str | None) -> Call:
    return Call("barrier", algorithm)


def bcast(on: CallsOn, buf: ArrayLike, root: int, algorithm: str | None) -> Call:
    return Call("bcast", algorithm, output=buffer_of(buf, "buf", writable=True), root=root)


def reduce(
    on: CallsOn, sendbuf: ArrayLike, recvbuf: ArrayLike | None, op: Operator, root: int, algorithm: str | None
) -> Call:
    if on.rank != root:
        return Call("reduce", algorithm, _sent(sendbuf), root=root, op=op)
    data, made, in_place = _combined(sendbuf, recvbuf)
    return Call("reduce", algorithm, data, made, root, op, in_place=in_place)


def allreduce(on: CallsOn, sendbuf: ArrayLike, recvbuf: ArrayLike, op: Operator, algorithm: str | None) -> Call:
    data, made, in_place = _combined(sendbuf, recvbuf)
    return Call("allreduce", algorithm, data, made, op=op, in_place=in_place)


def scatter(on: CallsOn, sendbuf: ArrayLike | None, recvbuf: ArrayLike, root: int, algorithm: str | None) -> Call:
    made = _received(recvbuf)
    if on.rank != root:
        return Call("scatter", algorithm, output=made, root=root)
    data = _sent(sendbuf)
    _fits(data, made, on.size, "sendbuf")
    return Call("scatter", algorithm, data, made, root)


def gather(on: CallsOn, sendbuf: ArrayLike, recvbuf: ArrayLike | None, root: int, algorithm: str | None) -> Call:
    if on.rank != root:
        return Call("gather", algorithm, _sent(sendbuf), root=root)
    made, in_place = _received(recvbuf), is_in_place(sendbuf)
    data = _own_block(on, made) if in_place else _sent(sendbuf)
    _fits(data, made, on.size, "recvbuf")
    return Call("gather", algorithm, data, made, root, in_place=in_place)


def allgather(on: CallsOn, sendbuf: ArrayLike, recvbuf: ArrayLike, algorithm: str | None) -> Call:
    made, in_place = _received(recvbuf), is_in_place(sendbuf)
    data = _own_block(on, made) if in_place else _sent(sendbuf)
    _fits(data, made, on.size, "recvbuf")
    return Call("allgather", algorithm, data, made, in_place=in_place)


def reduce_scatter(on: CallsOn, sendbuf: ArrayLike, recvbuf: ArrayLike, op: Operator, algorithm: str | None) -> Call:
    data, made = _sent(sendbuf), _received(recvbuf)
    _fits(data, made, on.size, "sendbuf")
    return Call("reduce_scatter", algorithm, data, made, op=op)


def alltoall(on: CallsOn, sendbuf: ArrayLike, recvbuf: ArrayLike, algorithm: str | None) -> Call:
    made, in_place = _received(recvbuf), is_in_place(sendbuf)
    data = made.copy(order="K") if in_place else _sent(sendbuf)
    _fits(data, made, 1, "recvbuf")
    if data.size % on.size != 0:
        raise Error(f"sendbuf: has {data.size} elements; expected a block for each of {on.size} ranks")
    return Call("alltoall", algorithm, data, made, in_place=in_place)


def scatterv(on: CallsOn, sendbuf: Any, recvbuf: ArrayLike, root: int, algorithm: str | None) -> Call:
    made = _received(recvbuf)
    if on.rank != root:
        counts = _counts(on, _counts_on_others(sendbuf), "sendbuf")
        _one_of(on, made, counts, "recvbuf", None)
        return Call("scatter", algorithm, output=made, root=root, blocks=_bytes(made, counts))
    data, counts = _vector(on, sendbuf, "sendbuf")
    _one_of(on, made, counts, "recvbuf", data)
    return Call("scatter", algorithm, data, made, root, blocks=_bytes(data, counts))


def gatherv(on: CallsOn, sendbuf: ArrayLike, recvbuf: Any, root: int, algorithm: str | None) -> Call:
    data = _sent(sendbuf)
    if on.rank != root:
        counts = _counts(on, _counts_on_others(recvbuf), "recvbuf")
        _one_of(on, data, counts, "sendbuf", None)
        return Call("gather", algorithm, data, root=root, blocks=_bytes(data, counts))
    made, counts = _vector(on, recvbuf, "recvbuf", writable=True)
    _one_of(on, data, counts, "sendbuf", made)
    return Call("gather", algorithm, data, made, root, blocks=_bytes(data, counts))


def _counts_on_others(spec: Any) -> Any:
    """The counts of [None, counts], which ranks other than the root pass."""
    counts = spec[1] if isinstance(spec, (list, tuple)) and len(spec) > 1 else None
    if counts is None:
        raise Error("counts: expected [None, counts] on ranks other than the root: all ranks need the counts")
    return _counts_and_displacements(counts)[0]


def allgatherv(on: CallsOn, sendbuf: ArrayLike, recvbuf: Any, algorithm: str | None) -> Call:
    made, counts = _vector(on, recvbuf, "recvbuf", writable=True)
    data = _sent(sendbuf)
    _one_of(on, data, counts, "sendbuf", made)
    return Call("allgather", algorithm, data, made, blocks=_bytes(data, counts))


def reduce_scatterv(
    on: CallsOn,
    sendbuf: ArrayLike,
    recvbuf: ArrayLike,
    recvcounts: Sequence[int] | None,
    op: Operator,
    algorithm: str | None,
) -> Call:
    made = _received(recvbuf)
    data, counts = _vector(on, [sendbuf, recvcounts], "sendbuf")
    _one_of(on, made, counts, "recvbuf", data)
    return Call("reduce_scatter", algorithm, data, made, op=op, blocks=_bytes(data, counts))


def alltoallv(on: CallsOn, sendbuf: Any, recvbuf: Any, algorithm: str | None) -> Call:
    data, counts = _vector(on, sendbuf, "sendbuf")
    made, received = _vector(on, recvbuf, "recvbuf", writable=True)
    if data.dtype != made.dtype:
        raise Error(f"recvbuf and sendbuf: are {made.dtype} and {data.dtype}; expected one type")
    return Call("alltoall", algorithm, data, made, blocks=_bytes(data, counts), received=_bytes(made, received))
