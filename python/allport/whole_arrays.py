"""Whole arrays that callers pass: rank 0's is the matrix, as in distribute(); the others' are compared with it."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from allport.arrays import numbers_of
from allport.errors import failure, together
from allport.io import working_dtype

if TYPE_CHECKING:
    from allport.comm import Communicator

__all__ = ["Distributed", "Whole", "whole_arrays"]

#: Bytes of an array that are hashed at a time.
_AT_ONCE = 1 << 22


class Distributed:
    """What is distributed over the ranks of a communicator: no rank has all of it, so that it is no numpy array."""

    comm: Communicator
    local: np.ndarray

    @property
    def shape(self) -> tuple[int, ...]:
        """Its extents."""
        raise NotImplementedError

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NoReturn:
        raise TypeError(
            f"a {type(self).__name__} is no numpy array, because each rank has a part of it: take .to_numpy() for the "
            f"whole on every rank, .gather() for the whole on rank 0, or .local for this rank's part"
        )

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        known = {np.shape: tuple(self.shape), np.ndim: len(self.shape), np.size: math.prod(self.shape)}
        if function in known and args == (self,) and not kwargs:
            return known[function]
        # numpy.sum and its like, which else fail in words of numpy's own, or ask for .sum().
        try:
            self.__array__()
        except TypeError as error:
            raise TypeError(f"numpy.{function.__name__}: {error}") from None


@dataclass(frozen=True)
class Whole:
    """An array that rank 0 has all of; shape and type are known on all ranks.

    shape: as it is computed with; given: as the caller passed it. array: numpy's on rank 0, and on the others where
    `everywhere` says that all have equal copies; None elsewhere.
    """

    shape: tuple[int, ...]
    given: tuple[int, ...]
    dtype: np.dtype
    array: np.ndarray | None
    everywhere: bool = False

    def astype(self, dtype: Any) -> Whole:
        """The same in another type, which its elements get when they are distributed."""
        return replace(self, dtype=np.dtype(dtype))

    def __str__(self) -> str:
        return f"an array {self.dtype}{list(self.given)}"


def whole_arrays(
    comm: Communicator,
    read: Callable[[Any, str], Any],
    arguments: Mapping[str, Any],
    *,
    optional: tuple[str, ...] = (),
    replicated: bool = False,
) -> list[Any]:
    """Arguments by name as computations take them: what is distributed as it is, arrays as Whole, None as None.

    read(argument, name): Distributed or a numpy array of what a caller passed. optional: names that rank 0 may pass
    None for. replicated: every rank has an equal copy, which is proven by a checksum.
    Called by all ranks. Raises Error on every rank where one cannot read its argument, rank 0 has none, shapes
    or types differ, or copies do.
    """
    if all(isinstance(x, Whole) for x in arguments.values()):
        return list(arguments.values())
    mine: list[Any] = []
    with together(comm):
        mine = [None if x is None else _read(read, x, name) for name, x in arguments.items()]
        for name, x in zip(arguments, mine, strict=True):
            if x is None and name not in optional and (comm.rank == 0 or replicated):
                where = f"rank {comm.rank}" if replicated else "rank 0, whose array is taken"
                raise failure(f"{name} = None: expected an array on {where}, or a distributed one on every rank")
    if comm.size == 1:
        return [replace(x, everywhere=True) if isinstance(x, Whole) else x for x in mine]
    of_rank_0 = comm.mpi4py.bcast([bool(replicated), *map(_head, mine)] if comm.rank == 0 else None, 0)
    with together(comm):
        if bool(replicated) != of_rank_0[0]:
            raise failure(
                f"replicated = {replicated}: is {of_rank_0[0]} on rank 0: expected the same on all ranks", "mismatch"
            )
        for name, x, head in zip(arguments, mine, of_rank_0[1:], strict=True):
            if _head(x) != head and not (x is None and isinstance(head, Whole)):
                raise failure(
                    f"{name}: is {_text(_head(x))} on rank {comm.rank}, {_text(head)} on rank 0: expected the same on "
                    f"all ranks, or an array on rank 0 and None on the others",
                    "mismatch",
                )
    if replicated:
        return [_proven(comm, name, x) for name, x in zip(arguments, mine, strict=True)]
    return [
        head if isinstance(head, Whole) and comm.rank > 0 else x for x, head in zip(mine, of_rank_0[1:], strict=True)
    ]


def _read(read: Callable[[Any, str], Any], x: Any, name: str) -> Any:
    if isinstance(x, Distributed):
        return read(x, name)
    plain = numbers_of(x, name)
    working_dtype(plain.dtype)
    made = read(plain, name)
    return Whole(made.shape, plain.shape, made.dtype, made)


def _head(x: Any) -> Any:
    """What must be the same on all ranks."""
    if isinstance(x, Whole):
        return replace(x, array=None)
    return None if x is None else (type(x).__name__, x.shape, x.dtype)


def _text(head: Any) -> str:
    if head is None or isinstance(head, Whole):
        return str(head)
    name, shape, dtype = head
    return f"a {name} {dtype}{list(shape)}"


def _proven(comm: Communicator, name: str, x: Any) -> Any:
    """An array of which all ranks have equal copies. Called by all ranks."""
    if not isinstance(x, Whole) or x.array is None:
        return x
    digest = hashlib.blake2b(digest_size=7)
    with together(comm):
        array = np.atleast_1d(x.array)
        rows = max(1, _AT_ONCE // max(1, array[:1].nbytes))
        for at in range(0, len(array), rows):
            digest.update(array[at : at + rows].tobytes())
    value = int.from_bytes(digest.digest(), "little")
    comm.ensure_agreement(f"{name} (replicated), checksum of its elements", value)
    return replace(x, everywhere=True)
