"""Networks of any shape as graphs, and the optimum that their links allow each collective of long messages."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from allport import _native
from allport._native import Machine, Topology
from allport.errors import failure

__all__ = ["Bound", "Topology", "as_topology", "bound"]


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
    """A network from itself, a machine, or a spec. Raises Error."""
    if isinstance(network, Topology):
        return network
    return Topology.of(network) if isinstance(network, Machine) else Topology.parse(network)


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
    return Bound(
        collective=collective,
        network=topology.name,
        root=root if rooted else None,
        optimum=Fraction(*found["optimum"]),
        inside=tuple(found["inside"]),
        members=found["members"],
        capacity=found["out"],
        unit=found["unit"],
        exact_capacities=found["exact_capacities"],
        reachable=found["reachable"],
    )
