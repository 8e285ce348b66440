"""Collectives on arrays: what each call's buffers are, and what it returns."""

from __future__ import annotations

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
    """A collective on this rank's buffers; `result` is what it returns here."""

    what: str
    algorithm: str | None
    input: np.ndarray = field(default_factory=lambda: NOTHING)
    output: np.ndarray = field(default_factory=lambda: NOTHING)
    root: int = 0
    op: Operator = ""  # its name, once made
    blocks: list[int] | None = None  # bytes
    received: list[int] | None = None
    result: np.ndarray | None = None
    is_number: bool = False  # what came is no array, and so is what is returned

    def __post_init__(self) -> None:
        self.op = operator_name(self.op)

    def arguments(self) -> tuple[Any, ...]:
        """What the compiled communicator takes."""
        reads, writes = flat_bytes(self.input, "array"), NOTHING
        if self.output.size:
            writes = flat_bytes(self.output, "array" if self.what == "bcast" else "out", writable=True)
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

    def _run_rooted(self, call: Call) -> np.ndarray | None:
        self._native.run_call(*call.arguments())
        return call.result[()] if call.is_number and call.result is not None else call.result

    def _run(self, call: Call) -> np.ndarray:
        result = self._run_rooted(call)
        assert result is not None
        return result

    def _start(self, call: Call) -> Transfer:
        return Transfer(self._native.start_call(*call.arguments()), call.result, call.is_number)

    def _prepare(self, call: Call) -> Persistent:
        return Persistent(self._native.prepare_call(*call.arguments()), call.result, call.is_number)


def _result(out: ArrayLike | None, shape: tuple[int, ...], like: np.ndarray) -> np.ndarray:
    """The array for a result: a new one, or `out`, which must be like it."""
    if out is None:
        return np.empty(shape, like.dtype, order="F" if _is_fortran(like) and shape == like.shape else "C")
    made = as_array(out, "out", writable=True)
    alike = made.dtype == like.dtype and made.shape == shape
    if not alike or (shape == like.shape and made.flags.c_contiguous != like.flags.c_contiguous):
        raise Error(
            f"out: expected an array like the input, {like.dtype}{list(shape)} and in its order, "
            f"got {made.dtype}{list(made.shape)}"
        )
    return made


def _is_fortran(array: np.ndarray) -> bool:
    return array.flags.f_contiguous and not array.flags.c_contiguous


def _rows(given: ArrayLike, name: str = "array") -> np.ndarray:
    """An array whose first axis counts blocks, or rows of blocks: one behind the other."""
    return np.asarray(as_array(given, name), order="C")


def _blocks(on: CallsOn, given: ArrayLike) -> np.ndarray:
    array = _rows(given)
    if array.ndim == 0 or array.shape[0] != on.size:
        raise Error(
            f"array: expected one block a rank along the first axis, {on.size} of them, got shape {array.shape}"
        )
    return array


def _lengths(on: CallsOn, counts: Sequence[int], row: np.ndarray, name: str) -> list[int]:
    """Bytes of blocks of so many rows."""
    numbers = [int(count) for count in counts]
    if len(numbers) != on.size or min(numbers, default=0) < 0:
        raise Error(f"{name}: expected rows of each rank, {on.size} numbers >= 0, got {numbers}")
    return [number * _row_bytes(row) for number in numbers]


def _row_bytes(array: np.ndarray) -> int:
    return int(np.prod(array.shape[1:], dtype=np.int64)) * array.dtype.itemsize


def _with_rows(array: np.ndarray, rows: int, name: str) -> None:
    if array.ndim == 0 or array.shape[0] != rows:
        raise Error(f"{name}: expected {rows} rows along the first axis, by the counts, got shape {array.shape}")


def barrier(on: CallsOn, algorithm: str | None) -> Call:
    return Call("barrier", algorithm)


def bcast(on: CallsOn, array: ArrayLike, root: int, algorithm: str | None) -> Call:
    data = as_array(array, "array", writable=True)
    return Call("bcast", algorithm, output=data, root=root, result=data)


def reduce(
    on: CallsOn, array: ArrayLike, op: Operator, root: int, out: ArrayLike | None, algorithm: str | None
) -> Call:
    data = as_array(array, "array")
    if on.rank != root:
        return Call("reduce", algorithm, data, root=root, op=op)
    made = _result(out, data.shape, data)
    return Call("reduce", algorithm, data, made, root, op, result=made, is_number=out is None and is_number(array))


def allreduce(on: CallsOn, array: ArrayLike, op: Operator, out: ArrayLike | None, algorithm: str | None) -> Call:
    data = as_array(array, "array")
    made = _result(out, data.shape, data)
    return Call("allreduce", algorithm, data, made, op=op, result=made, is_number=out is None and is_number(array))


def scatter(on: CallsOn, array: ArrayLike | None, out: ArrayLike, root: int, algorithm: str | None) -> Call:
    made = as_array(out, "out", writable=True)
    if on.rank != root:
        return Call("scatter", algorithm, output=made, root=root, result=made)
    if array is None:
        raise Error("array: expected the blocks of all ranks on the root, got None")
    data = _blocks(on, array)
    if data.shape[1:] != made.shape or data.dtype != made.dtype:
        raise Error(f"out: expected a block of the array, {data.dtype}{data.shape[1:]}, got {made.dtype}{made.shape}")
    return Call("scatter", algorithm, data, made, root, result=made)


def gather(on: CallsOn, array: ArrayLike, root: int, out: ArrayLike | None, algorithm: str | None) -> Call:
    data = _rows(array)
    if on.rank != root:
        return Call("gather", algorithm, data, root=root)
    made = _result(out, (on.size, *data.shape), data)
    return Call("gather", algorithm, data, made, root, result=made)


def allgather(on: CallsOn, array: ArrayLike, out: ArrayLike | None, algorithm: str | None) -> Call:
    data = _rows(array)
    made = _result(out, (on.size, *data.shape), data)
    return Call("allgather", algorithm, data, made, result=made)


def reduce_scatter(on: CallsOn, array: ArrayLike, op: Operator, out: ArrayLike | None, algorithm: str | None) -> Call:
    data = _blocks(on, array)
    made = _result(out, data.shape[1:], data)
    return Call("reduce_scatter", algorithm, data, made, op=op, result=made)


def alltoall(on: CallsOn, array: ArrayLike, out: ArrayLike | None, algorithm: str | None) -> Call:
    data = _blocks(on, array)
    made = _result(out, data.shape, data)
    return Call("alltoall", algorithm, data, made, result=made)


def scatterv(
    on: CallsOn, array: ArrayLike | None, out: ArrayLike, counts: Sequence[int], root: int, algorithm: str | None
) -> Call:
    made = as_array(out, "out", writable=True)
    if made.ndim == 0:
        raise Error("out: expected rows along the first axis, got a single number")
    blocks = _lengths(on, counts, made, "counts")
    _with_rows(made, int(counts[on.rank]), "out")
    if on.rank != root:
        return Call("scatter", algorithm, output=made, root=root, blocks=blocks, result=made)
    if array is None:
        raise Error("array: expected the rows of all ranks on the root, got None")
    data = _rows(array)
    _with_rows(data, sum(map(int, counts)), "array")
    if data.shape[1:] != made.shape[1:] or data.dtype != made.dtype:
        raise Error(f"out: expected rows of the array, {data.dtype}{data.shape[1:]}, got {made.dtype}{made.shape[1:]}")
    return Call("scatter", algorithm, data, made, root, blocks=blocks, result=made)


def gatherv(
    on: CallsOn, array: ArrayLike, counts: Sequence[int], root: int, out: ArrayLike | None, algorithm: str | None
) -> Call:
    data = _rows(array)
    blocks = _lengths(on, counts, data, "counts")
    _with_rows(data, int(counts[on.rank]), "array")
    if on.rank != root:
        return Call("gather", algorithm, data, root=root, blocks=blocks)
    made = _result(out, (sum(map(int, counts)), *data.shape[1:]), data)
    return Call("gather", algorithm, data, made, root, blocks=blocks, result=made)


def allgatherv(
    on: CallsOn, array: ArrayLike, counts: Sequence[int], out: ArrayLike | None, algorithm: str | None
) -> Call:
    data = _rows(array)
    blocks = _lengths(on, counts, data, "counts")
    _with_rows(data, int(counts[on.rank]), "array")
    made = _result(out, (sum(map(int, counts)), *data.shape[1:]), data)
    return Call("allgather", algorithm, data, made, blocks=blocks, result=made)


def reduce_scatterv(
    on: CallsOn, array: ArrayLike, counts: Sequence[int], op: Operator, out: ArrayLike | None, algorithm: str | None
) -> Call:
    data = _rows(array)
    blocks = _lengths(on, counts, data, "counts")
    _with_rows(data, sum(map(int, counts)), "array")
    made = _result(out, (int(counts[on.rank]), *data.shape[1:]), data)
    return Call("reduce_scatter", algorithm, data, made, op=op, blocks=blocks, result=made)


def alltoallv(
    on: CallsOn,
    array: ArrayLike,
    counts: Sequence[int],
    received: Sequence[int],
    out: ArrayLike | None,
    algorithm: str | None,
) -> Call:
    data = _rows(array)
    blocks = _lengths(on, counts, data, "counts")
    expected = _lengths(on, received, data, "received")
    _with_rows(data, sum(map(int, counts)), "array")
    made = _result(out, (sum(map(int, received)), *data.shape[1:]), data)
    return Call("alltoall", algorithm, data, made, blocks=blocks, received=expected, result=made)
