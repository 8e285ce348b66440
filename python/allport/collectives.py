"""The registered collective algorithms and the schedules they make."""

from __future__ import annotations

from typing import Any

from allport import _native
from allport._native import Machine, Schedule
from allport.machine import as_machine
from allport.select import DEFAULT_WINDOW, explain

__all__ = ["algorithms", "make_schedule", "mst_rounds", "packing"]


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


def packing(machine: Machine | str, root: int = 0, *, to_root: bool = False) -> dict[str, Any]:
    """What the trees of algorithm 'packed' make of a machine, which may have dead links.

    'trees' of 'possible' link-disjoint spanning trees ('exact': that is the max-flow, else a limit), 'intact': most of
    them without the dead links, 'lost': fraction of the intact bandwidth, 'depth' in hops, 'how', and 'text', all in a
    sentence. to_root: for a reduction, whose data use the links the other way.
    Raises AllportError naming the nodes that dead links cut off.
    """
    return _native.packing(as_machine(machine), root, to_root)


def mst_rounds(machine: Machine | str, root: int = 0, *, both_sides: bool = False) -> int:
    """Steps of algorithm 'mst' (N + 1 parts a step on N axes) or, with both_sides, 'mst2' (2N + 1) (deck 2)."""
    return _native.mst_rounds(as_machine(machine), root, both_sides)
