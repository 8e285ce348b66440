"""Where a scheduler puts the ranks: Solomonik11's 1/30 of a link depends on it."""

from __future__ import annotations

from allport import mapping
from allport.machine import Machine
from allport.pattern import Pattern

__all__ = ["cubes", "places_by", "scheduler_order"]


def places_by(machine: Machine, pattern: Pattern, order: str) -> list[int]:
    """The places of the pattern's ranks by one of mapping.orders()."""
    tried = mapping.choose(machine, pattern, among=(order,), refined=0, least_gain=0.0).candidates
    return next(c["places"] for c in tried if c["order"] == order)


def scheduler_order(machine: Machine) -> list[int]:
    """A place for every rank as a Cray scheduler allots them: order 'blocks' (Albing 2011; Pena13, slide 7)."""
    return places_by(machine, Pattern("any", machine.ranks, []), "blocks")


def cubes(most: int) -> list[str]:
    """Extents of boxes of 8, 16, 32, ... nodes up to `most`, as near to a cube as powers of two go."""
    sides, found = [2, 2, 2], []
    while sides[0] * sides[1] * sides[2] <= most:
        found.append("x".join(str(s) for s in sides))
        sides[sides.index(min(sides))] *= 2
    return found
