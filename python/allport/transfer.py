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
    """A collective in flight, as mpi4py's Request. Its buffers must not be touched before it is done."""

    def __init__(self, native: _native.Transfer, buffers: object = None) -> None:
        self._native, self._buffers = native, buffers  # which stay in memory as long as this

    def Test(self) -> bool:
        """Moves things along; True when done."""
        return self._native.test()

    def Wait(self) -> bool:
        """Returns True when it is done: results are in the buffers then."""
        self._native.wait()
        return True

    @property
    def active(self) -> bool:
        """Whether it is still under way."""
        return self._native.active


class Persistent:
    """A schedule bound to its buffers, to be started many times, one start at a time, as mpi4py's Prequest."""

    def __init__(self, native: _native.Persistent, buffers: object = None) -> None:
        self._native: _native.Persistent | None = native
        self._buffers = buffers
        self._transfer: Transfer | None = None

    def Start(self) -> Transfer:
        """Starts it. Wait() and Test() of this, or of the Transfer that is returned, report when it is done."""
        if self._native is None:
            raise Error("persistent: was freed; expected one that is not")
        self._transfer = Transfer(self._native.start(), self._buffers)
        return self._transfer

    def Wait(self) -> bool:
        """Returns True when what was started last is done."""
        return self._transfer.Wait() if self._transfer is not None else True

    def Test(self) -> bool:
        """Moves what was started last along; True when done."""
        return self._transfer.Test() if self._transfer is not None else True

    def Free(self) -> None:
        """Waits for what was started last, and gives back what it holds."""
        self.Wait()
        self._native, self._transfer, self._buffers = None, None, None
