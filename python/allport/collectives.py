"""The registered collective algorithms and the schedules they make."""

from __future__ import annotations

from allport import _native
from allport._native import Machine, Schedule
from allport.machine import as_machine
from allport.select import DEFAULT_WINDOW, explain

__all__ = ["algorithms", "make_schedule"]


def algorithms(collective: str | None = None) -> list[dict[str, str]]:
    """The registered algorithms, each {'collective', 'name', 'summary'}; of one collective when it is named."""
    return [a for a in _native.algorithms() if collective in (None, a["collective"])]


def make_schedule(
    collective: str,
    machine: Machine | str,
    *,
    algorithm: str | None = None,
    root: int = 0,
    bytes: int | str = 0,
    element: int = 1,
    segment: int | str | None = None,
    window: int = DEFAULT_WINDOW,
) -> Schedule:
    """The schedule of a collective ('bcast', 'reduce') over all ranks of a machine.

    bytes: of the message; a whole number of `element` bytes, which reductions never cut apart.
    segment: bytes at most that travel at once; window: segments in flight per stream.
    algorithm, segment: None takes what is predicted to be fastest.
    Raises AllportError naming the argument that is wrong.
    """
    machine = as_machine(machine)
    choice = explain(
        collective,
        machine,
        bytes=bytes,
        root=root,
        element=element,
        algorithm=algorithm,
        segment=segment,
        window=window,
    )
    return _native.make_schedule(machine, choice)
