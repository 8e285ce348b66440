"""Shortest routes over a graph of cables, spread evenly over equal ones."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence

from allport.lab.shape import Cable

__all__ = ["MAX_RAILS", "Ends", "count_rails", "distances", "nearer", "spread"]

#: For each vertex, by port: the cable and the vertex at its other end.
Ends = Sequence[dict[int, tuple[Cable, int]]]
Forwards = Callable[[int], bool]
#: For each vertex, by port: the time that routes take of its link.
Load = Sequence[dict[int, float]]

MAX_RAILS = 8
_ROUNDS = 8


def distances(ends: Ends, target: int, forwards: Forwards, avoid: bool = True) -> dict[int, int]:
    """Hops to `target` from every vertex that reaches it over vertices that forward. avoid: not over cables that routes
    avoid."""
    hops = {target: 0}
    queue = deque([target])
    while queue:
        vertex = queue.popleft()
        if vertex != target and not forwards(vertex):
            continue
        for cable, other in ends[vertex].values():
            if other not in hops and not (avoid and cable.avoided):
                hops[other] = hops[vertex] + 1
                queue.append(other)
    return hops


def nearer(
    ends: Ends, hops: dict[int, int], vertex: int, target: int, forwards: Forwards, avoid: bool = True
) -> list[int]:
    """The ports of a vertex that begin its shortest routes, in order. hops: of `distances`."""
    here = hops.get(vertex, 0)
    return [
        port
        for port, (cable, other) in ends[vertex].items()
        if hops.get(other, here) < here and (other == target or forwards(other)) and not (avoid and cable.avoided)
    ]


def count_rails(ends: Ends, nodes: int) -> int:
    """How many ports of a node begin shortest routes to another node that pass switches only, where that is most: the
    number of addresses of a node, each of which leads over a port of its own."""

    def switch(vertex: int) -> bool:
        return vertex >= nodes

    most = 1
    for target in range(nodes):
        hops = distances(ends, target, switch, avoid=False)
        for vertex in hops:
            if vertex < nodes:
                most = max(most, len(nearer(ends, hops, vertex, target, switch, avoid=False)))
    return min(most, MAX_RAILS)


def spread(ends: Ends, nodes: int, rails: int, forwards: Forwards, bits: Sequence[int]) -> list[list[dict[int, int]]]:
    """For each target and rail, the port of every vertex's route, all of them shortest.

    Targets are treated in turn: each vertex, nearest first, takes the path with the fewest routes to other targets on
    its links, a route counting as the time that it takes of its link; the rails of one target take different ports of a
    vertex that has several. Rounds repeat this for each target against the routes to all others, until none changes.
    `bits`: the rate of each group of cables.
    """
    trees = [_Trees(ends, target, nodes, forwards) for target in range(nodes)]
    seconds = [min(bits) / rate for rate in bits]
    load: Load = [dict.fromkeys(ports, 0.0) for ports in ends]
    for _ in range(_ROUNDS):
        changed = [tree.choose(load, rails, seconds) for tree in trees]
        if not any(changed):
            break
    return [tree.chosen for tree in trees]


class _Trees:
    """The routes to one target, a tree for each rail: ports by vertex."""

    def __init__(self, ends: Ends, target: int, nodes: int, forwards: Forwards) -> None:
        self.ends, self.target, self.nodes = ends, target, nodes
        hops = distances(ends, target, forwards, avoid=False)
        near = sorted((v for v in hops if v != target), key=lambda v: (hops[v], v))
        self.ports = {v: nearer(ends, hops, v, target, forwards, avoid=False) for v in near}  # nearest vertex first
        self.chosen: list[dict[int, int]] = []

    def choose(self, load: Load, rails: int, seconds: Sequence[float]) -> bool:
        """Chooses against the load of all other targets, and adds to it. Returns whether anything has changed."""
        before, self.chosen = self.chosen, []
        for tree in before:
            self._add(load, tree, seconds, -1.0)
        for _ in range(rails):
            self.chosen.append(self._tree(load))
            self._add(load, self.chosen[-1], seconds, 1.0)
        return self.chosen != before

    def _tree(self, load: Load) -> dict[int, int]:
        cost = {self.target: 0.0}
        made: dict[int, int] = {}
        for vertex, ports in self.ports.items():
            costs = [load[vertex][port] + cost[self.ends[vertex][port][1]] for port in ports]
            taken = [sum(tree[vertex] == port for tree in self.chosen) for port in ports]
            # Rounded, so that sums of fractions in another order are equal; then the lowest port.
            _, _, best = min(zip(taken, (round(c, 6) for c in costs), range(len(ports))))
            made[vertex], cost[vertex] = ports[best], costs[best]
        return made

    def _add(self, load: Load, tree: dict[int, int], seconds: Sequence[float], sign: float) -> None:
        """Adds the routes of all nodes to the load of their links, or takes them off."""
        flow = {vertex: 1 if vertex < self.nodes else 0 for vertex in tree}
        for vertex in reversed(tree):  # the farthest first
            cable, other = self.ends[vertex][tree[vertex]]
            load[vertex][tree[vertex]] += sign * flow[vertex] * seconds[cable.group]
            if other in flow:
                flow[other] += flow[vertex]
