"""Where a scheduler puts the ranks: Solomonik11's 1/30 of a link depends on it."""

from __future__ import annotations

from collections.abc import Iterator

from allport.machine import Machine

__all__ = ["cubes", "scheduler_order"]


def _there_and_back(count: int, turn: int) -> range:
    return range(count) if turn % 2 == 0 else range(count - 1, -1, -1)


def _blocks(machine: Machine, block: tuple[int, ...]) -> Iterator[tuple[int, int, int, int]]:
    nx, ny, nz = (axis.length // b for axis, b in zip(machine.axes, block))
    row = 0
    for k in range(nz):
        for j in _there_and_back(ny, k):
            for i in _there_and_back(nx, row):
                yield i, j, k, row
            row += 1


def scheduler_order(machine: Machine, block: tuple[int, int, int] = (4, 2, 8)) -> list[int]:
    """A node for every rank as a Cray scheduler allots them: blocks of 4 x 2 x 8 one beside the other, to and fro, and
    within a block z fastest, then y, then x (Pena13; Albing 2011). Axes shorter than a block's side take it whole."""
    sides = tuple(min(b, axis.length) for b, axis in zip(block, machine.axes))
    order = []
    for i, j, k, row in _blocks(machine, sides):
        line = 0
        for x in _there_and_back(sides[0], row):
            for y in _there_and_back(sides[1], line // sides[1]):
                line += 1
                for z in _there_and_back(sides[2], line - 1):
                    at = (i * sides[0] + x, j * sides[1] + y, k * sides[2] + z)
                    order.append(machine.node(at))
    return order


def cubes(most: int) -> list[str]:
    """Extents of boxes of 8, 16, 32, ... nodes up to `most`, as near to a cube as powers of two go."""
    sides, found = [2, 2, 2], []
    while sides[0] * sides[1] * sides[2] <= most:
        found.append("x".join(str(s) for s in sides))
        sides[sides.index(min(sides))] *= 2
    return found
