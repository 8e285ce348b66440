"""Gangs of task graphs: tasks that run at the same time, one a rank, because their bodies communicate."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import prod
from typing import Any, NamedTuple

import numpy as np

from allport import _native
from allport.errors import failure
from allport.transfer import flat_bytes

__all__ = ["Gang", "GangCollective", "GangContext", "gang_tuple"]

Operator = str | Callable[[np.ndarray, np.ndarray], Any]


class GangCollective(NamedTuple):
    """A collective that the members of a gang call together while they run, so that it can be counted beforehand.

    what: 'bcast', 'reduce' or 'allreduce'. size: elements, or a shape, of each member's array. root: an index among
    the members. times: so often, one after the other. dtype: the graph's own when None.
    """

    what: str
    size: int | tuple[int, ...]
    root: int = 0
    times: int = 1
    dtype: Any = None


class Gang(NamedTuple):
    """What TaskGraph.gang() gives: tasks of different ranks that run at the same time; the first one names the gang.

    collectives: what they call together. expected_bytes, expected_messages: what each member sends beside these on
    average, which depends on the data, and is counted apart.
    """

    members: Iterable[Any]
    collectives: Iterable[GangCollective] = ()
    expected_bytes: float = 0.0
    expected_messages: float = 0.0


def gang_tuple(got: Any, dtype: np.dtype) -> tuple[Any, ...] | None:
    """A Gang as the compiled module takes it, with bytes in the place of shapes; None where it is None."""
    if got is None:
        return None
    if not isinstance(got, Gang):
        raise failure(f"expected an ap.graph.Gang, or None; got {got!r:.80}", "schedule")
    collectives = []
    for one in got.collectives:
        if not isinstance(one, GangCollective):
            raise failure(f"collectives of a gang: expected ap.graph.GangCollective, got {one!r:.80}", "schedule")
        element = dtype if one.dtype is None else np.dtype(one.dtype)
        extents = one.size if isinstance(one.size, tuple) else (one.size,)
        collectives.append((one.what, one.root, prod(extents) * element.itemsize, element.itemsize, one.times))
    return tuple(got.members), collectives, got.expected_bytes, got.expected_messages


class GangContext:
    """How a body of a gang's member communicates with the others, by numpy arrays. Members are named by their index.

    A member that waits for another one releases the interpreter's lock. All raise Error when the run has failed
    elsewhere; a body lets it pass.
    """

    def __init__(self, native: _native.BodyContext, dtype: np.dtype) -> None:
        self._native, self._dtype = native, dtype

    @property
    def rank(self) -> int:
        """This member's place among Gang.members."""
        return self._native.gang_me()

    @property
    def size(self) -> int:
        """How many members the gang has."""
        return self._native.gang_members()

    def send(self, to: int, array: np.ndarray) -> None:
        """Sends a contiguous array to another member; it is copied, and the call returns at once.

        What one member sends another is received in that order. Measured as Count.expected_bytes.
        """
        self._native.gang_send(to, flat_bytes(array, "array"))

    def receive(self, source: int, dtype: Any = None) -> np.ndarray:
        """Waits for what another member has sent: an array of one dimension, the caller's own.

        dtype: the graph's own when None; must be the sender's, for it does not travel.
        """
        element = self._dtype if dtype is None else np.dtype(dtype)
        values: Any = self._native.gang_receive(source)
        if element.hasobject or element.itemsize == 0 or values.size % element.itemsize:
            raise failure(f"dtype = '{element}': expected what member {source} has sent, {values.size} bytes")
        return values.view(element)

    def bcast(self, array: np.ndarray, root: int = 0) -> np.ndarray:
        """Sends the root's array into everyone's, all of one size, and returns it. Called by all members."""
        self._native.gang_broadcast(root, flat_bytes(array, "array", writable=True))
        return array

    def reduce(self, array: np.ndarray, op: Operator = "sum", root: int = 0) -> np.ndarray | None:
        """Everyone's arrays, of one shape and dtype, combined: a new array on the root, None elsewhere.

        op: 'sum', 'prod', 'max' or 'min', element by element, or a function of two arrays that gives one like them. It
        must be associative and commutative: the order is the same on every run, though not the members'.
        """
        result = np.array(array, order="C")
        self._native.gang_reduce(root, flat_bytes(result, "array", writable=True), *_operator(op, result))
        return result if self.rank == root else None

    def allreduce(self, array: np.ndarray, op: Operator = "sum") -> np.ndarray:
        """As reduce(), and the result on every member, which may write into it."""
        result = np.array(array, order="C")
        flat = flat_bytes(result, "array", writable=True)
        self._native.gang_reduce(0, flat, *_operator(op, result))
        self._native.gang_broadcast(0, flat)
        return result


def _operator(op: Operator, like: np.ndarray) -> tuple[Any, str]:
    if not callable(op):
        return op, like.dtype.str
    shape, dtype = like.shape, like.dtype

    def combine(left: np.ndarray, right: np.ndarray, out: np.ndarray) -> None:
        both = np.asarray(op(left.view(dtype).reshape(shape), right.view(dtype).reshape(shape)))
        if both.shape != shape:
            raise failure(f"op: gave an array of shape {both.shape}; expected {shape}, as its arguments have")
        out.view(dtype).reshape(shape)[...] = both

    return combine, ""
