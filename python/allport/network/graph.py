"""A network while it is read: vertices by their names, and the links between them."""

from __future__ import annotations

from collections.abc import Iterable

from allport._native import Topology
from allport.errors import failure

__all__ = ["Graph"]

MOST_LINKS = 1 << 21


class Graph:
    """Compute nodes and switches in the order in which they are added, and directed links in theirs.

    forwards: compute nodes forward messages of others, as routers of a torus do; else only switches do.
    """

    def __init__(self, name: str, forwards: bool = False) -> None:
        self.name = name
        self.forwards = forwards
        self._nodes: dict[str, None] = {}
        self._switches: dict[str, None] = {}
        self._links: list[tuple[str, str, float, float]] = []

    def __contains__(self, name: str) -> bool:
        return name in self._nodes or name in self._switches

    def node(self, name: str, where: str) -> None:
        """Adds a compute node. where: the file and the line, for errors."""
        self._add(self._nodes, name, where)

    def switch(self, name: str, where: str) -> None:
        """Adds a switch."""
        self._add(self._switches, name, where)

    def _add(self, kind: dict[str, None], name: str, where: str) -> None:
        if name in self:
            raise failure(f"{where}: '{name}' is there already: expected another name for each node and switch")
        kind[name] = None

    def link(self, a: str, b: str, bandwidth: float, latency: float, count: int = 1) -> None:
        """Adds links in one direction, of `bandwidth` bytes/s each."""
        if len(self._links) + count > MOST_LINKS:
            raise failure(f"{self.name}: expected at most {MOST_LINKS:,} links")
        self._links += [(a, b, bandwidth, latency)] * count

    def cable(self, a: str, b: str, bandwidth: float, latency: float, count: int = 1) -> None:
        """Adds links in both directions."""
        if len(self._links) + 2 * count > MOST_LINKS:
            raise failure(f"{self.name}: expected at most {MOST_LINKS:,} links")
        self._links += [(a, b, bandwidth, latency), (b, a, bandwidth, latency)] * count

    def topology(self, nodes: Iterable[str] | None = None) -> Topology:
        """The network. nodes: these compute nodes only, in this order; the others relay if they forward messages, else
        they are left out. Raises Error."""
        chosen = list(self._nodes) if nodes is None else list(dict.fromkeys(nodes))
        if unknown := [name for name in chosen if name not in self._nodes]:
            some = ", ".join(list(self._nodes)[:4])
            raise failure(f"nodes: {', '.join(unknown[:4])}: expected nodes of {self.name}, such as {some}")
        if not chosen:
            raise failure(f"{self.name}: names no node: expected at least one")
        inside = set(chosen)
        others = [name for name in self._nodes if self.forwards and name not in inside]
        names = [*chosen, *others, *self._switches]
        index = {name: v for v, name in enumerate(names)}
        links = [(index[a], index[b], rate, late) for a, b, rate, late in self._links if a in index and b in index]
        return Topology(self.name, len(chosen), len(names) - len(chosen), links, names)
