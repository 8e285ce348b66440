"""Collectives through the simulator, by name: what the figures with the origin 'simulation' share."""

from __future__ import annotations

from allport.collectives import make_schedule
from allport.machine import Machine
from allport.sim import simulate

__all__ = ["seconds", "sizes"]

PER_RANK = ("scatter", "gather", "allgather")


def sizes(first: int, last: int, factor: int = 4) -> list[int]:
    """first, first * factor, ... up to and with last."""
    found = [first]
    while found[-1] * factor < last:
        found.append(found[-1] * factor)
    return [*found, last] if found[-1] < last else found


def seconds(
    collective: str,
    algorithm: str,
    machine: Machine,
    bytes: int,
    *,
    whole: bool = False,
    most: int = 0,
    element: int = 1,
    placement: list[int] | None = None,
) -> float:
    """Simulated seconds, links first come first served. Segments are those that are predicted to be fastest; whole: one
    message, uncut; most: not shorter than that the longest slice has so many segments."""
    vector = bytes * machine.ranks if collective in PER_RANK else bytes
    segment = max(vector, 1) if whole else None
    if most and not whole and bytes > most * 1024:
        segment = -(-bytes // most) // 8 * 8
    schedule = make_schedule(collective, machine, algorithm=algorithm, bytes=bytes, segment=segment, element=element)
    return simulate(schedule, machine, placement=placement).seconds
