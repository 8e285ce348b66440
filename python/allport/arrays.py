"""What is taken for an array: numpy's, and whatever has the buffer protocol or DLPack on the CPU. No copies."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from allport import _native
from allport.errors import Error

if TYPE_CHECKING:
    from mpi4py import MPI

__all__ = ["ArrayLike", "Operator", "as_array", "numbers_of", "operator_name"]

#: A numpy array, or an object with the buffer protocol or with __dlpack__ in memory of the CPU.
ArrayLike = Any

#: How elements are combined: mpi4py's MPI.SUM, PROD, MAX or MIN, numpy.add, multiply, maximum or minimum, or 'sum',
#: 'prod', 'max' or 'min'.
Operator: TypeAlias = "str | MPI.Op | np.ufunc"

OPERATORS = ("sum", "prod", "max", "min")
UFUNCS = {np.add: "sum", np.multiply: "prod", np.maximum: "max", np.minimum: "min"}


def as_array(given: ArrayLike, name: str, writable: bool = False) -> np.ndarray:
    """A numpy array of the same memory, of a number one without axes. Raises Error naming the argument."""
    if isinstance(given, np.ndarray):
        array = given
    elif is_number(given):
        if writable:
            raise Error(
                f"{name}: is a {type(given).__name__}, which cannot be written; pass numpy.array({name}) and look at "
                f"that afterwards"
            )
        array = np.asarray(given)
    elif (viewed := _by_buffer(given)) is not None:
        array = viewed
    elif hasattr(given, "__dlpack__"):
        array = _by_dlpack(given, name)
    else:
        raise Error(
            f"{name}: expected a numpy array, or one with the buffer protocol or DLPack, got {type(given).__name__}; "
            f"numpy.asarray makes one of numbers"
        )
    if array.dtype.hasobject:
        raise Error(f"{name}: expected numbers, got an array of Python objects")
    if writable and not array.flags.writeable:
        raise Error(f"{name}: expected a writable array")
    return array


def is_number(given: Any) -> bool:
    """Whether it is one of Python's or numpy's numbers, and not an array."""
    return isinstance(given, (bool, int, float, complex, np.generic))


def operator_name(op: Operator) -> str:
    """The name of an operator, given so or as mpi4py has it. Raises Error for what has none."""
    if isinstance(op, str):
        return op
    if isinstance(op, np.ufunc) and op in UFUNCS:
        return UFUNCS[op]
    mpi = sys.modules.get("mpi4py.MPI")
    for name in OPERATORS if mpi is not None and isinstance(op, mpi.Op) else ():
        if op == getattr(mpi, name.upper()):
            return name
    raise Error(
        f"op = {op!r}: expected MPI.SUM, MPI.PROD, MPI.MAX or MPI.MIN, numpy.add, multiply, maximum or minimum, or "
        f"'sum', 'prod', 'max' or 'min'; comm.mpi4py has collectives for other operators"
    )


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
        raise Error(f"{name}: expected memory of the CPU, got DLPack's device {int(kind)}; copy it there first")
    try:
        return _native.dlpack_array(given)
    except TypeError as error:
        raise Error(f"{name}: expected numbers that numpy has, too, by DLPack, got {type(given).__name__}") from error
