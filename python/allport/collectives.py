"""The registered collective algorithms: names, prices, schedules."""

from __future__ import annotations

from allport import _native
from allport._native import AllportError, Machine, Schedule
from allport.machine import as_machine
from allport.units import parse_bytes

__all__ = ["algorithms", "make_schedule", "prices"]

DEFAULT_SEGMENT = 64 * 1024
DEFAULT_WINDOW = 2


def algorithms(collective: str | None = None) -> list[dict[str, str]]:
    """The registered algorithms, each {'collective', 'name', 'summary'}; of one collective when it is named."""
    return [a for a in _native.algorithms() if collective in (None, a["collective"])]


def prices(
    collective: str,
    machine: Machine | str,
    *,
    root: int = 0,
    bytes: int | str = 0,
    element: int = 1,
    segment: int | str = DEFAULT_SEGMENT,
    window: int = DEFAULT_WINDOW,
) -> list[dict[str, object]]:
    """Every algorithm of a collective with its predicted seconds, cheapest first.

    Each is {'name', 'trees', 'seconds', 'why_not'}; those that cannot serve come last and say why.
    """
    table = _native.prices(
        collective, as_machine(machine), root, parse_bytes(bytes, "bytes"), element, parse_bytes(segment, "segment"), window
    )
    return sorted(table, key=lambda row: (row["seconds"] is None, row["seconds"] or 0.0))


def make_schedule(
    collective: str,
    machine: Machine | str,
    *,
    algorithm: str | None = None,
    root: int = 0,
    bytes: int | str = 0,
    element: int = 1,
    segment: int | str = DEFAULT_SEGMENT,
    window: int = DEFAULT_WINDOW,
) -> Schedule:
    """The schedule of a collective ('bcast', 'reduce') over all ranks of a machine.

    bytes: of the message; a whole number of `element` bytes, which reductions never cut apart.
    segment: bytes at most that travel at once; window: segments in flight per stream.
    algorithm: a name of algorithms(), or None for the one with the lowest price.
    Raises AllportError naming the argument that is wrong.
    """
    machine, size, cut = as_machine(machine), parse_bytes(bytes, "bytes"), parse_bytes(segment, "segment")
    if algorithm is None:
        table = prices(collective, machine, root=root, bytes=size, element=element, segment=cut, window=window)
        if not table or table[0]["seconds"] is None:
            raise AllportError(f"collective = '{collective}': no registered algorithm serves {machine.name}")
        algorithm = str(table[0]["name"])
    return _native.make_schedule(collective, machine, algorithm, root, size, element, cut, window)
