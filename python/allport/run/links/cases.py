"""The simultaneous messages that measure each figure of a machine's links."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from allport.machine import Machine, axis_letter
from allport.pattern import Pattern
from allport.schedule import Schedule, import_goal

__all__ = ["MOST_HOPS", "ROUNDS", "Case", "cases"]

MOST_HOPS = 4
SHORT = 1 << 15  # bytes of a short piece
LONG, MOST_LONG = 1 << 16, 16  # minimum bytes of a long piece; maximum pieces of a message
ROUNDS = 16  # round trips that are timed together
Pairs = list[tuple[int, int]]


@dataclass(frozen=True)
class Case:
    """Simultaneous messages between ranks, or (rounds > 0) a ping-pong.

    what: the figure's name. group: 'one pair', 'all pairs', 'neighbours' or 'start'. of: an axis's letter or a level's
    name, '' for neighbours. directions: '+', '-' or '+-'. ranks_each: ranks of a node at either end. share: number
    of a node's messages whose rates are summed.
    """

    what: str
    group: str
    of: str
    directions: str
    messages: tuple[tuple[int, int], ...]
    ranks: int
    ranks_each: int = 1
    share: int = 1
    rounds: int = 0

    @property
    def unit(self) -> str:
        """'B/s', or 's' for a message's start."""
        return "s" if self.rounds else "B/s"

    def schedule(self, bytes: int, short: bool = False) -> Schedule:
        """The schedule for messages of so many bytes, in pieces as in all schedules. short: in pieces of SHORT bytes;
        the message of a ping-pong is never cut."""
        if self.rounds:
            return _to_and_fro(self, bytes)
        all_ = [(a, b, bytes) for a, b in self.messages]
        piece = SHORT if short else max(-(-bytes // MOST_LONG), LONG)
        return Pattern(self.what, self.ranks, all_).schedule(segment=piece, window=2)


def _to_and_fro(case: Case, bytes: int) -> Schedule:
    """A ping-pong: it measures the start-up time of messages without barriers and clock differences."""
    ((a, b),) = case.messages
    blocks = [f"num_ranks {case.ranks}"]
    for rank in range(case.ranks):
        lines = []
        if rank in (a, b):
            verbs = ("send {}b to {}", "recv {}b from {}")
            for i in range(2 * case.rounds):
                verb = verbs[(i + (rank == b)) % 2].format(bytes, b if rank == a else a)
                lines += [f"l{i}: {verb} tag {i}", *([f"l{i} requires l{i - 1}"] if i else [])]
        blocks.append("\n".join([f"rank {rank} {{", *lines, "}"]))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "to-and-fro.goal"
        path.write_text("\n".join(blocks) + "\n")
        return import_goal(path)


def _messages(pairs: Pairs, directions: str) -> tuple[tuple[int, int], ...]:
    there = pairs if "+" in directions else []
    back = [(b, a) for a, b in pairs] if "-" in directions else []
    return (*there, *back)


def _alive(machine: Machine, a: int, b: int) -> bool:
    """Whether routes between nodes a and b, in both directions, have no dead link."""
    dead = set(machine.dead_links)
    return not dead or dead.isdisjoint((*machine.route(a, b), *machine.route(b, a)))


def _pairs_along(machine: Machine, axis: int) -> Pairs:
    """Nodes 0 and 1, 2 and 3, ... of every line along the axis, except pairs with a dead link between them."""
    pairs = []
    for node in range(machine.nodes):
        at = machine.coord(node)[axis]
        if at % 2 == 0 and at + 1 < machine.axes[axis].length:
            there = machine.neighbour(node, 2 * axis + 1)
            if there is not None and _alive(machine, node, there):
                pairs.append((node, there))
    return pairs


def _along(machine: Machine, axis: int) -> Iterator[Case]:
    letter, ppn = axis_letter(axis), machine.ranks_per_node
    every = _pairs_along(machine, axis)
    if not every:
        return
    for group, nodes in (("one pair", every[:1]), ("all pairs", every)):
        for each in sorted({1, ppn}):
            ranks = [(a * ppn + k, b * ppn + k) for a, b in nodes for k in range(each)]
            tail = f", {each} ranks each" if each > 1 else ""
            for directions in ("+", "-", "+-"):
                what = f"rate {letter}{directions} {group}{tail}"
                yield Case(what, group, letter, directions, _messages(ranks, directions), machine.ranks, each)


def _within(machine: Machine, level: int) -> Iterator[Case]:
    """Cases between two parts of a node: from the first rank of one part to the first rank of the next one."""
    inner = math.prod(below.count for below in machine.levels[level + 1 :])
    part, name = machine.levels[level], machine.levels[level].name
    whole = inner * part.count
    every = [
        (above + i * inner, above + (i + 1) * inner)
        for above in range(0, machine.ranks, whole)
        for i in range(0, part.count - 1, 2)
    ]
    for group, ranks in (("one pair", every[:1]), ("all pairs", every)):
        for directions in ("+", "+-"):
            what = f"rate {name}{directions} {group}"
            yield Case(what, group, name, directions, _messages(ranks, directions), machine.ranks)


def _ports(machine: Machine) -> list[int]:
    """Ports of a node in the middle: forward along every axis, then backward, each to a different node."""
    middle = machine.node([axis.length // 2 for axis in machine.axes])
    ports, seen = [], {middle}
    for port in (*range(1, 2 * len(machine.axes), 2), *range(0, 2 * len(machine.axes), 2)):
        there = machine.neighbour(middle, port)
        if there is not None and there not in seen:
            seen.add(there)
            ports.append(port)
    return ports


def _neighbours(machine: Machine) -> Iterator[Case]:
    """Cases in which every node sends to 1, 2, ... of its neighbours, and receives from as many."""
    ports, ppn = _ports(machine), machine.ranks_per_node
    for count in range(1, len(ports) + 1):
        pairs = [
            (node * ppn, there * ppn)
            for node in range(machine.nodes)
            for port in ports[:count]
            if (there := machine.neighbour(node, port)) is not None and _alive(machine, node, there)
        ]
        what = f"rate to {count} neighbour{'s' if count > 1 else ''}"
        yield Case(what, "neighbours", "", "+", tuple(pairs), machine.ranks, share=count)


def _starts(machine: Machine, axis: int) -> Iterator[Case]:
    length, ppn = machine.axes[axis].length, machine.ranks_per_node
    most = length // 2 if machine.axes[axis].wraps else length - 1
    node = 0
    for hops in range(1, min(max(most, 1), MOST_HOPS) + 1):
        there = machine.neighbour(node, 2 * axis + 1)
        if there is None or not _alive(machine, 0, there):
            return
        node = there
        what = f"start {axis_letter(axis)} over {hops} hop{'s' if hops > 1 else ''}"
        yield Case(what, "start", axis_letter(axis), "+-", ((0, node * ppn),), machine.ranks, rounds=ROUNDS)


def cases(machine: Machine) -> list[Case]:
    """All cases: the links of each axis in either and both directions, in one pair and in all pairs at once, by one
    rank of a node and by all; the same between parts of a node; messages to 1 to 2d neighbours at once; start-up times
    by hops.

    Messages are routed, so on a ring of two nodes only the positive one of the two cables is measured.
    """
    found: list[Case] = []
    for axis, shape in enumerate(machine.axes):
        if shape.length > 1:
            found += _along(machine, axis)
    for level, part in enumerate(machine.levels):
        if part.count > 1:
            found += _within(machine, level)
    found += _neighbours(machine)
    for axis, shape in enumerate(machine.axes):
        if shape.length > 1:
            found += _starts(machine, axis)
    return found
