"""Errors of the Python face, and errors that all ranks share."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from allport._native import AllportError as Error

if TYPE_CHECKING:
    from allport.comm import Communicator

__all__ = ["Error", "failure", "together"]


def failure(message: str, kind: str = "argument") -> Error:
    """An Error of a kind, to be raised."""
    error = Error(message)
    error.kind = kind
    return error


def _kind(error: BaseException) -> str:
    if isinstance(error, Error):
        return error.kind
    if isinstance(error, MemoryError):
        return "memory"
    return "argument" if isinstance(error, (TypeError, ValueError)) else "io"


@contextmanager
def together(comm: Communicator) -> Iterator[None]:
    """Local work that may fail on some ranks: when it does, Error is raised on all of them, with one text.

    Whatever the body raises counts, also what nobody foresaw: the others wait. The body must not communicate.
    """
    text, kind, cause = "", "argument", None
    try:
        yield
    except Exception as error:
        # A name that is not Unicode travels as the escapes that Python prints for it.
        text = (str(error) or type(error).__name__).encode(errors="backslashreplace").decode()
        kind, cause = _kind(error), error
    try:
        comm.ensure_all_well(text, kind)
    except Error as error:
        raise error from cause
