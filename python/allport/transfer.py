"""Collectives in flight on numpy arrays: what a start returns, and how arrays lie in memory for it. Starts no MPI."""

from __future__ import annotations

from typing import Any

import numpy as np

from allport import _native
from allport.errors import Error

__all__ = ["NOTHING", "Persistent", "Transfer", "flat_bytes"]

NOTHING = np.zeros(0, dtype=np.uint8)


def flat_bytes(array: Any, name: str, writable: bool = False) -> np.ndarray:
    """The array's bytes as they lie in memory."""
    if not isinstance(array, np.ndarray):
        raise Error(f"{name}: expected a numpy array, got {type(array).__name__}")
    if array.dtype.hasobject:
        raise Error(f"{name}: expected numbers, got an array of Python objects")
    if writable and not array.flags.writeable:
        raise Error(f"{name}: expected a writable array")
    if array.flags.c_contiguous:
        return array.reshape(-1).view(np.uint8)
    if array.flags.f_contiguous:
        return array.T.reshape(-1).view(np.uint8)
    remedy = "numpy.ascontiguousarray makes one"
    if writable:
        remedy = f"pass a copy, b = numpy.ascontiguousarray({name}), and write it back: {name}[...] = b"
    raise Error(f"{name}: expected a contiguous array, got strides {array.strides}; {remedy}")


class Transfer:
    """A collective in flight. Its arrays must not be touched before it is done."""

    def __init__(self, native: _native.Transfer, result: np.ndarray | None, is_number: bool = False) -> None:
        self._native, self._result, self._is_number = native, result, is_number

    def test(self) -> bool:
        """Moves things along; True when done."""
        return self._native.test()

    def wait(self) -> np.ndarray | None:
        """Returns the result when it is there: the array, or None where a reduction has its root elsewhere."""
        self._native.wait()
        return self._result[()] if self._is_number and self._result is not None else self._result

    @property
    def active(self) -> bool:
        """Whether it is still under way."""
        return self._native.active


class Persistent:
    """A schedule bound to its arrays, to be started many times, one start at a time."""

    def __init__(self, native: _native.Persistent, result: np.ndarray | None, is_number: bool = False) -> None:
        self._native, self._result, self._is_number = native, result, is_number

    def start(self) -> Transfer:
        """Starts it; the Transfer's wait() returns the result."""
        return Transfer(self._native.start(), self._result, self._is_number)
