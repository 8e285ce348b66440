"""Errors of the Python face, and errors that all ranks share."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from allport._native import AllportError

if TYPE_CHECKING:
    from allport.comm import Communicator

__all__ = ["AllportError", "failure", "together"]


def failure(message: str, kind: str = "argument") -> AllportError:
    """An AllportError of a kind, to be raised."""
    error = AllportError(message)
    error.kind = kind
    return error


@contextmanager
def together(comm: Communicator) -> Iterator[None]:
    """Local work that may fail on some ranks: when it does, AllportError is raised on all of them.

    The body must not communicate.
    """
    text, cause = "", None
    try:
        yield
    except (AllportError, OSError, MemoryError, ValueError) as error:
        text, cause = str(error) or type(error).__name__, error
    try:
        comm.ensure_all_well(text)
    except AllportError as error:
        if cause is not None:
            error.kind = getattr(cause, "kind", "memory" if isinstance(cause, MemoryError) else "io")
        raise
