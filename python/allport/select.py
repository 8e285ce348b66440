"""Which algorithm and segment a collective gets, and why."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from allport import _native
from allport._native import Choice, Machine
from allport.machine import as_machine
from allport.sim import placement_of
from allport.units import parse_bytes

__all__ = ["Choice", "best_cuts", "chosen", "explain", "explain_among"]

DEFAULT_WINDOW = 2


def select_options(algorithm: str | None, segment: int | str | None, window: int) -> _native.SelectOptions:
    segments = [] if segment is None else [parse_bytes(segment, "segment")]
    return _native.SelectOptions(algorithm=algorithm or "", segments=segments, window=window)


def chosen(
    collective: str,
    machine: Machine | str,
    *,
    bytes: int | str,
    root: int = 0,
    element: int = 1,
    algorithm: str | None = None,
    segment: int | str | None = None,
    window: int = DEFAULT_WINDOW,
    placement: str | Sequence[int] | None = None,
) -> Choice:
    """explain() with a window, too."""
    size = parse_bytes(bytes, "bytes")
    where = as_machine(machine)
    options = select_options(algorithm, segment, window)
    if places := placement_of(placement, where, where.ranks):
        options.place(where, places)
    return _native.choose(collective, where, root, size, element, options)


def explain(
    collective: str,
    machine: Machine | str,
    *,
    bytes: int | str,
    root: int = 0,
    element: int = 1,
    algorithm: str | None = None,
    segment: int | str | None = None,
    placement: str | Sequence[int] | None = None,
) -> Choice:
    """The cheapest algorithm and segment of a collective, with the price of every other.

    algorithm, segment: fix them; None leaves them open. str(choice) is a text, choice.to_dict() has every candidate
    with its predicted seconds, or the reason why it cannot serve. placement: the node of each rank, as many on each as
    it has places, or 'random:SEED'; ours is then priced for where the root is, MPI's own for its rank order.
    Raises Error when none can.
    """
    return chosen(
        collective,
        machine,
        bytes=bytes,
        root=root,
        element=element,
        algorithm=algorithm,
        segment=segment,
        placement=placement,
    )


def explain_among(
    collective: str,
    machine: Machine | str,
    members: Sequence[int],
    *,
    bytes: int | str,
    root: int = 0,
    element: int = 1,
    algorithm: str | None = None,
    segment: int | str | None = None,
) -> Choice:
    """explain() where some of a machine's ranks take part, in the order of members; the root by its index there.

    The members are a box of the machine, or any ranks, which have trees over the network among them
    (choice.to_dict()["network"] has their number). Raises Error when no algorithm can serve.
    """
    size = parse_bytes(bytes, "bytes")
    options = select_options(algorithm, segment, DEFAULT_WINDOW)
    return _native.choose_among(collective, as_machine(machine), list(members), root, size, element, options)


def best_cuts(candidates: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The cheapest cut of every algorithm, cheapest first; those that cannot serve last."""
    best: dict[str, dict[str, Any]] = {}
    for c in candidates:
        known = best.get(c["algorithm"])
        if known is None or c.get("predicted_s", 0.0) < known.get("predicted_s", 0.0):
            best[c["algorithm"]] = c
    return sorted(best.values(), key=lambda c: c.get("predicted_s", float("inf")))
