"""Networks of any shape as graphs, from specs and files, the optimum that their links allow each collective of long
messages, and trees that reach it.

    found = ap.network.read("topology.conf")
    print(ap.network.bound("allgather", found.topology).optimum, found.assumed)
    open("cluster.toml", "w").write(found.topology.to_toml())
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from allport import _native
from allport._native import Machine, Schedule, Topology
from allport.errors import failure
from allport.network.evidence import Evidence
from allport.network.files import FORMATS, Found, here, parse, read, read_here
from allport.network.summary import LinkClass, link_classes
from allport.select import DEFAULT_WINDOW
from allport.units import parse_bytes

__all__ = [
    "FORMATS",
    "Bound",
    "Evidence",
    "Found",
    "LinkClass",
    "Packing",
    "Topology",
    "as_topology",
    "bound",
    "here",
    "link_classes",
    "pack",
    "parse",
    "read",
    "read_here",
]


@dataclass(frozen=True)
class Bound:
    """What the links of a network allow a collective of long messages, and the set of vertices that proves it.

    optimum: for bcast and reduce the highest rate, in units of `unit`; for the others the least time, in shares (what
    one rank contributes or receives) over one unit. inside: vertices of the worst cut; members: compute nodes among
    them; capacity: of the links that leave it (enter it, for reduce, reduce-scatter and scatter), in units.
    """

    collective: str
    network: str
    root: int | None
    optimum: Fraction
    inside: tuple[int, ...]
    members: int
    capacity: int
    unit: float
    exact_capacities: bool
    reachable: bool

    @property
    def is_rate(self) -> bool:
        """Whether the optimum is a rate; else it is a time."""
        return self.collective in ("bcast", "reduce")

    def seconds(self, bytes: float) -> float:
        """The least time. bytes: of the whole message for bcast and reduce, else of one share."""
        units = float(self.optimum)
        if self.is_rate:
            return bytes / (units * self.unit) if units else 0.0
        return bytes * units / self.unit

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "collective": self.collective,
            "network": self.network,
            "root": self.root,
            "optimum": str(self.optimum),
            "optimum_is": "rate" if self.is_rate else "time",
            "unit_bytes_per_second": self.unit,
            "cut": {"vertices": list(self.inside), "compute_nodes": self.members, "capacity": self.capacity},
            "exact_capacities": self.exact_capacities,
            "kind": "optimum" if self.reachable else "bound",
        }


def as_topology(network: Topology | Machine | str) -> Topology:
    """A network from itself, a machine, a spec, or a file that read() takes. Raises Error."""
    if isinstance(network, Topology):
        return network
    return Topology.of(network) if isinstance(network, Machine) else read(network).topology


# Which bound, and whether every link is turned round first: what is combined flows as what is copied does, backwards.
_BOUNDS: dict[str, tuple[Callable[..., dict[str, Any]], bool]] = {
    "allgather": (_native.network_bound_allgather, False),
    "reduce-scatter": (_native.network_bound_allgather, True),
    "bcast": (_native.network_bound_broadcast, False),
    "reduce": (_native.network_bound_broadcast, True),
    "gather": (_native.network_bound_gather, False),
    "scatter": (_native.network_bound_gather, True),
}
COLLECTIVES = tuple(_BOUNDS)


def _as_bound(collective: str, network: str, root: int | None, found: dict[str, Any]) -> Bound:
    return Bound(
        collective=collective,
        network=network,
        root=root,
        optimum=Fraction(*found["optimum"]),
        inside=tuple(found["inside"]),
        members=found["members"],
        capacity=found["out"],
        unit=found["unit"],
        exact_capacities=found["exact_capacities"],
        reachable=found["reachable"],
    )


def bound(collective: str, network: Topology | Machine | str, root: int = 0) -> Bound:
    """The optimum of a collective of long messages, exactly, with the cut that proves it.

    collective: allgather, reduce-scatter, bcast, reduce, gather or scatter. root: a compute node, where there is one.
    Trees that reach the optimum exist where every switch has as much capacity in as out (`reachable`): Edmonds 1973 for
    bcast, Zhao et al. (ForestColl) for allgather. Raises Error.
    """
    if collective not in _BOUNDS:
        raise failure(f"collective = '{collective}': expected one of {', '.join(_BOUNDS)}")
    topology = as_topology(network)
    compute, backwards = _BOUNDS[collective]
    rooted = compute is not _native.network_bound_allgather
    graph = topology.reversed() if backwards else topology
    found = compute(graph, root) if rooted else compute(graph)
    return _as_bound(collective, topology.name, root if rooted else None, found)


@dataclass(frozen=True)
class Packing:
    """Spanning trees of a network's compute nodes, or routes of their shares, that load its links together as evenly as
    the worst cut allows, or nearly so.

    In a tree a node's route comes from its parent, a compute node, through switches, which forward and do not
    replicate. Each of a root's `trees` moves an equal part of its data; for reduce and reduce-scatter data flow from
    the leaves to the root. For gather and scatter there are `routes`, and a share has `trees` equal parts.

    bound: the optimum. reached: in its measure, a rate for bcast and reduce, else a time in shares. ratio: rate over
    the optimum. height, diameter: links from a root to the farthest node, in the trees and at least. symmetries: the
    trees of one root in so many were searched, and the others' are their images. seconds: of the search. bytes: that
    are stored.
    """

    bound: Bound
    reached: Fraction
    ratio: float
    trees: int
    height: int
    diameter: int
    symmetries: int
    seconds: float
    bytes: int
    native: _native.TreePacking | _native.RoutePacking

    def tree(self, root: int, index: int = 0) -> list[tuple[int, list[int]]]:
        """(parent, route) of each compute node: links of `Topology.links`, from the parent on; the root's parent is -1.

        For reduce and reduce-scatter data flow along the route from its end to the parent. Raises Error.
        """
        return self._trees().tree(root, index)

    def _trees(self) -> _native.TreePacking:
        if isinstance(self.native, _native.RoutePacking):
            raise failure(f"collective = '{self.bound.collective}': has routes, not trees; call routes(node)")
        return self.native

    def routes(self, node: int) -> list[tuple[int, list[int]]]:
        """(parts, links) of each route of a node's share, of gather and scatter. Raises Error."""
        if isinstance(self.native, _native.TreePacking):
            raise failure(f"collective = '{self.bound.collective}': has trees, not routes; call tree(root)")
        return self.native.routes(node)

    def check(self) -> tuple[Fraction, int]:
        """Looks at every tree of every root, or every route, link by link: what they reach, and their height.

        Raises Error where a tree does not span the compute nodes, or what is reached is not what was reported.
        """
        problem, numerator, denominator, height, _ = self.native.check()
        reached = Fraction(numerator, denominator)
        if not problem and (reached, height) != (self.reached, self.height):
            problem = f"{reached} at height {height} is reached, not {self.reached} at height {self.height}"
        if problem:
            raise failure(f"packing on {self.bound.network}: {problem}; report this as a defect", "schedule")
        return reached, height

    def schedule(
        self, bytes: int | str, *, element: int = 1, segment: int | str = "64KiB", window: int = DEFAULT_WINDOW
    ) -> Schedule:
        """A schedule whose messages go from node to node along the trees; ranks are compute nodes.

        bytes: of the message for bcast and reduce, else of one rank's block; the rest as in make_schedule(). Raises
        Error where a node has more than 64 children.
        """
        return self._trees().schedule(parse_bytes(bytes, "bytes"), element, parse_bytes(segment, "segment"), window)

    def to_dict(self) -> dict[str, Any]:
        """For JSON, without the trees."""
        return {
            "bound": self.bound.to_dict(),
            "reached": str(self.reached),
            "ratio": self.ratio,
            "trees": self.trees,
            "height": self.height,
            "diameter": self.diameter,
            "symmetries": self.symmetries,
            "seconds": self.seconds,
            "bytes": self.bytes,
        }


def pack(collective: str, network: Topology | Machine | str, root: int = 0, *, height: int | None = None) -> Packing:
    """Packs spanning trees of routes for long messages; for gather and scatter, routes of all shares.

    collective, root: as in bound(). height: links from a root to a node at most, at some cost of rate; None: two links
    more than the diameter, and more where the rate would be less than 0.98 of the optimum. Without switches and limit
    the trees of bcast and reduce reach the optimum exactly, up to 64 trees; gather and scatter reach it on any
    network. Raises Error.
    """
    if collective not in _BOUNDS:
        raise failure(f"collective = '{collective}': expected one of {', '.join(_BOUNDS)}")
    topology = as_topology(network)
    native: _native.TreePacking | _native.RoutePacking
    if height is not None and height < 1:
        raise failure(f"height = {height}: expected 1 link or more")
    if collective in ("gather", "scatter"):
        if height is not None:
            raise failure(f"height = {height}: expected none for {collective}, which has routes; leave it out")
        native = _native.network_routes(topology, collective, root)
        trees = native.parts
    else:
        native = _native.network_pack(topology, collective.replace("-", "_"), root, height or 0)
        trees = native.trees
    report = native.report
    rooted = collective not in ("allgather", "reduce-scatter")
    return Packing(
        bound=_as_bound(collective, topology.name, root if rooted else None, report["bound"]),
        reached=Fraction(*report["reached"]),
        ratio=report["ratio"],
        trees=trees,
        height=report["height"],
        diameter=report["diameter"],
        symmetries=report["symmetries"],
        seconds=report["seconds"],
        bytes=report["bytes"],
        native=native,
    )
