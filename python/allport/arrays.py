"""What is taken for an array: numpy's, and whatever has the buffer protocol or DLPack on the CPU. No copies."""

from __future__ import annotations

from typing import Any

import numpy as np

from allport import _native
from allport._native import AllportError

__all__ = ["ArrayLike", "as_array", "numbers_of"]

#: A numpy array, or an object with the buffer protocol or with __dlpack__ in memory of the CPU.
ArrayLike = Any


def as_array(given: ArrayLike, name: str, writable: bool = False) -> np.ndarray:
    """A numpy array of the same memory. Raises AllportError naming the argument where there is none."""
    if isinstance(given, np.ndarray):
        array = given
    elif (viewed := _by_buffer(given)) is not None:
        array = viewed
    elif hasattr(given, "__dlpack__"):
        array = _by_dlpack(given, name)
    else:
        raise AllportError(
            f"{name}: expected a numpy array, or one with the buffer protocol or DLPack, got {type(given).__name__}"
        )
    if array.dtype.hasobject:
        raise AllportError(f"{name}: expected numbers, got an array of Python objects")
    if writable and not array.flags.writeable:
        raise AllportError(f"{name}: expected a writable array")
    return array


def numbers_of(given: Any, name: str) -> np.ndarray:
    """As numpy.asarray, also of what has nothing but DLPack."""
    if hasattr(given, "__dlpack__") and not isinstance(given, np.ndarray) and not hasattr(given, "__array__"):
        return as_array(given, name)
    return np.asarray(given)


def _by_buffer(given: Any) -> np.ndarray | None:
    try:
        view = memoryview(given)
    except TypeError:
        return None
    return np.asarray(view)


def _by_dlpack(given: Any, name: str) -> np.ndarray:
    kind = given.__dlpack_device__()[0] if hasattr(given, "__dlpack_device__") else 1
    if kind != 1:  # kDLCPU
        raise AllportError(f"{name}: expected memory of the CPU, got DLPack's device {int(kind)}; copy it there first")
    try:
        return _native.dlpack_array(given)
    except TypeError as error:
        raise AllportError(
            f"{name}: expected numbers that numpy has, too, by DLPack, got {type(given).__name__}"
        ) from error
