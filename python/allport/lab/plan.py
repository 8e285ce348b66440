"""The plan of a lab, before it is built: nodes, switches, addresses, cables and rates; `routes` has its routes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any

from allport.errors import Error, failure
from allport.lab.paths import count_rails, distances, spread
from allport.lab.rates import axis_rates, check_bits, format_bits, network_rates
from allport.lab.shape import Cable, Grid, Network, is_title
from allport.lab.tcp import DEFAULT, check
from allport.machine import Machine
from allport.network import Topology
from allport.units import format_bytes, short

__all__ = ["Plan", "as_network", "check_name", "format_links", "make_plan"]

MAX_NODES = 1000  # of a grid
MAX_NETWORK = (64, 32)  # nodes and switches of any other network
FRONT = "front"  # where mpiexec runs; not part of the machine
CONTROL_SUBNET = "10.78.0.0/16"
# Networks whose rates are a guess, and allocations of them.
_PRESET = re.compile(r"(.*@)?(fattree|dragonfly|rails|full|hypercube|ring|random|torus|mesh):")
_RAILS = (77, 79, 80, 81, 82, 83, 84, 85)  # the second byte of the addresses of each rail


def check_name(name: str) -> str:
    """The name itself. Raises Error for invalid names: names are parts of paths and host names."""
    if not isinstance(name, str) or not re.fullmatch(r"[a-z][a-z0-9]{0,11}", name):
        raise failure(f"name = '{name}': expected up to 12 letters and digits, a letter first, such as lab or lab2")
    return name


def as_network(network: Machine | Topology | str) -> Machine | Topology:
    """The machine, or else the graph, that a spec or the path of a file names. Raises Error."""
    if not isinstance(network, str):
        return network
    try:
        return Machine.parse(network)
    except Error:
        return Topology.parse(network)


def format_links(links: dict[str, Any]) -> str:
    """'links of 40mbit, bursts of 32 KiB, queues of 128 KiB, TCP reno' of `Plan.links()`."""

    def sizes(found: int | dict[str, int]) -> str:
        if isinstance(found, dict):
            return ", ".join(f"{name}={format_bytes(size)}" for name, size in found.items())
        return format_bytes(found)

    return (
        f"links of {links['rate']}, bursts of {sizes(links['burst'])}, queues of {sizes(links['limit'])}, "
        f"TCP {'as the kernel has it' if links['tcp'] in ('', DEFAULT) else links['tcp']}"
    )


def _octets(vertex: int) -> str:
    return f"{vertex // 100}.{100 + vertex % 100}"


@dataclass
class Plan:
    """A lab's plan. All code that builds, uses or removes the lab reads it."""

    name: str
    spec: str
    shape: Grid | Network
    ranks_per_node: int
    bits: list[int]  # of each group of cables
    burst: int | None = None  # bytes, as asked for; see burst_of
    limit: int | None = None
    tcp: str = ""  # congestion control: as requested; after `up` the actual one
    forwarding: bool = True  # nodes forward packets of others; switches always do
    cables: list[Cable] = field(default_factory=list)

    @property
    def nodes(self) -> int:
        """Number of nodes, which are the vertices 0, 1, ..."""
        return self.shape.nodes

    @property
    def vertices(self) -> int:
        """Number of nodes and switches."""
        return self.shape.nodes + self.shape.switches

    @property
    def ranks(self) -> int:
        """Number of places for ranks."""
        return self.nodes * self.ranks_per_node

    def forwards(self, vertex: int) -> bool:
        """Whether it forwards packets of others."""
        return self.forwarding or vertex >= self.nodes

    def title(self, vertex: int) -> str:
        """'(3,0)' in a grid, else '3' or 's0' or the vertex's own name."""
        return self.shape.title(vertex)

    def label(self, place: int | str) -> str:
        """What it is called in names of hosts, namespaces and links: '3', 's0' or 'front'."""
        if isinstance(place, str):
            return place
        return str(place) if place < self.nodes else f"s{place - self.nodes}"

    def vertex(self, label: str) -> int | None:
        """The vertex of a label; None if there is none."""
        found = re.fullmatch(r"(s?)([0-9]{1,9})", label)
        if found is None or int(found[2]) >= (self.shape.switches if found[1] else self.nodes):
            return None
        return int(found[2]) + (self.nodes if found[1] else 0)

    def host(self, place: int | str) -> str:
        """Host name of a vertex."""
        return f"{self.name}-{self.label(place)}"

    def namespace(self, place: int | str) -> str:
        """Name of a vertex's network namespace."""
        return f"allport-{self.name}-{self.label(place)}"

    def places(self) -> list[int | str]:
        """All vertices and the front."""
        return [*range(self.vertices), FRONT]

    def address(self, vertex: int, rail: int = 0) -> str:
        """Address of a vertex on a rail."""
        return f"10.{_RAILS[rail]}.{_octets(vertex)}"

    def subnet(self, rail: int) -> str:
        """The addresses of a rail."""
        return f"10.{_RAILS[rail]}.0.0/16"

    def rail_interface(self, rail: int) -> str:
        """The interface that has a vertex's address on a rail."""
        return f"node{rail // 2 + 1 if rail > 1 else ''}{'+-'[rail % 2]}"

    def control(self, node: int | str) -> str:
        """Address of a node on the control network."""
        return "10.78.255.254" if node == FRONT else f"10.78.{_octets(int(node))}"

    def port_name(self, port: int) -> str:
        """Interface of a port: 'x+' in a grid, else 'p1'."""
        return self.shape.port_name(port)

    def port_text(self, vertex: int, port: int) -> str:
        """A link as commands name it: '3+x' or '3:p1'."""
        return self.label(vertex) + self.shape.port_text(port)

    @cached_property
    def ends(self) -> list[dict[int, tuple[Cable, int]]]:
        """For each vertex, by port: the cable and the vertex at its other end. In a grid x first, + before -."""
        made: list[dict[int, tuple[Cable, int]]] = [{} for _ in range(self.vertices)]
        for cable in self.cables:
            made[cable.low][cable.low_port] = (cable, cable.high)
            made[cable.high][cable.high_port] = (cable, cable.low)
        return [dict(sorted(e.items(), key=lambda item: self.shape.port_order(item[0]))) for e in made]

    @cached_property
    def rails(self) -> int:
        """Number of addresses of each vertex: as many as the most cables, or routes over switches only, that join two
        nodes by ports of their own."""
        return count_rails(self.ends, self.nodes)

    @cached_property
    def _spread(self) -> list[list[dict[int, int]]]:
        return spread(self.ends, self.nodes, self.rails, self.forwards, self.bits)

    def first_port(self, vertex: int, target: int, rail: int = 0) -> int | None:
        """The first port of a vertex's route to a node when all cables work; None if it is the node or cannot reach
        it."""
        if isinstance(self.shape, Network):
            return self._spread[target][rail].get(vertex)
        port = self.shape.next_port(vertex, target, rail)
        alone = port is not None and not self.forwarding and self.ends[vertex][port][1] != target
        return None if alone else port

    def rail(self, vertex: int, port: int) -> int:
        """The rail on which a vertex reaches the neighbour at a port by that port."""
        other = self.ends[vertex][port][1]
        if self.rails == 1 or other >= self.nodes:
            return 0
        return next((rail for rail in range(self.rails) if self.first_port(vertex, other, rail) == port), 0)

    def ports(self, vertex: int) -> list[tuple[int, int]]:
        """(port, neighbour) of the ports that have a cable."""
        return [(port, other) for port, (cable, other) in self.ends[vertex].items() if not cable.absent]

    def link_name(self, vertex: int, port: int) -> str:
        """'(3,0)+x -> (0,0)', as the library names links; '3:p1 -> s0' in a network that is no grid."""
        return f"{self.title(vertex)}{self.shape.port_text(port)} -> {self.title(self.ends[vertex][port][1])}"

    def cable_name(self, c: Cable) -> str:
        """'link 3-0, (3,0)+x -> (0,0)'."""
        return f"link {self.label(c.low)}-{self.label(c.high)}, {self.link_name(c.low, c.low_port)}"

    def burst_of(self, bits: int) -> int:
        """Bytes that a link of this rate sends at once after a pause: as requested, else 32 KiB, or 2 ms of a faster
        link because of the resolution of the kernel's timer."""
        return self.burst if self.burst is not None else max(32_768, bits // 8 // 500)

    def limit_of(self, bits: int) -> int:
        """Bytes that may be queued for a link of this rate: as requested, else 128 KiB or four bursts."""
        return self.limit if self.limit is not None else max(131_072, 4 * self.burst_of(bits))

    def links(self) -> dict[str, Any]:
        """The settings on which all results in this lab depend: rate (of a grid as `up` takes it, else of each group of
        links), burst and limit (bytes; by axis, or by rate, if they differ) and tcp."""
        used = sorted({c.group for c in self.cables}) or [0]
        rates = {self.shape.group_name(g, format_bits(self.bits[g])): self.bits[g] for g in used}

        def by_group(values: dict[str, int]) -> int | dict[str, int]:
            return next(iter(values.values())) if len(set(values.values())) == 1 else values

        if len(set(rates.values())) == 1:
            rate = format_bits(self.bits[used[0]])
        elif isinstance(self.shape, Grid):
            rate = ",".join(f"{name}={format_bits(bits)}" for name, bits in rates.items())
        else:
            rate = " and ".join(rates)
        return {
            "rate": rate,
            "burst": by_group({name: self.burst_of(bits) for name, bits in rates.items()}),
            "limit": by_group({name: self.limit_of(bits) for name, bits in rates.items()}),
            "tcp": self.tcp,
        }

    def to_dict(self) -> dict[str, Any]:
        """For the state file."""
        return asdict(self)


def make_plan(
    name: str,
    network: Machine | Topology,
    rate: str | None,
    burst: int | None = None,
    limit: int | None = None,
    tcp: str | None = None,
    forwarding: bool = True,
) -> Plan:
    """The plan of a lab with the nodes of a machine, or the nodes and switches of a graph. Raises Error."""
    check_name(name)
    for what, value in (("burst", burst), ("limit", limit)):
        if value is not None and not 2_000 <= value <= 64 << 20:
            raise failure(f"{what} = {value}: expected 2000 bytes (more than a packet) to 64MiB")
    congestion = check(tcp) if tcp else ""
    settings: dict[str, Any] = {"burst": burst, "limit": limit, "tcp": congestion, "forwarding": forwarding}
    if isinstance(network, Machine):
        plan = _of_machine(name, network, rate, settings)
    else:
        plan = _of_graph(name, network, rate, settings)
    check_bits(plan.bits)
    for value in plan.bits:
        if plan.limit_of(value) < plan.burst_of(value):
            raise failure(
                f"limit = {plan.limit_of(value)}: a burst of {plan.burst_of(value)} bytes must find room in the queue; "
                f"expected a limit of that at least, or a smaller burst"
            )
    return plan


def _of_machine(name: str, machine: Machine, rate: str | None, settings: dict[str, Any]) -> Plan:
    if machine.nodes > MAX_NODES:
        raise failure(f"machine = '{machine.name}': {machine.nodes:,} nodes; a lab has {MAX_NODES:,} at most")
    grid = Grid([a.length for a in machine.axes], [a.wraps for a in machine.axes])
    bits = axis_rates(rate, machine)
    dead = set(machine.dead_links)
    cables = []
    for axis, low, high in grid.cables():
        links = {machine.link(low, 2 * axis + 1), machine.link(high, 2 * axis)}
        if len(links & dead) == 1:
            raise failure(
                f"machine = '{machine.name}': {machine.link_name(machine.link(low, 2 * axis + 1))} is dead in one "
                "direction only; a lab's cables are dead in both directions or not at all"
            )
        cables.append(Cable(low, high, 2 * axis + 1, 2 * axis, axis, bits[axis], absent=bool(links & dead)))
    return Plan(name, machine.name, grid, machine.ranks_per_node, bits, cables=cables, **settings)


def _of_graph(name: str, graph: Topology, rate: str | None, settings: dict[str, Any]) -> Plan:
    nodes, switches = graph.compute_nodes, graph.vertices - graph.compute_nodes
    if nodes > MAX_NETWORK[0] or switches > MAX_NETWORK[1]:
        raise failure(
            f"network = '{graph.name}': {nodes:,} nodes and {switches:,} switches; a lab of a network that is no grid "
            f"has {MAX_NETWORK[0]} nodes and {MAX_NETWORK[1]} switches at most"
        )
    names = [graph.vertex_name(v) for v in range(graph.vertices)]
    if names == [f"node {v}" if v < nodes else f"switch {v - nodes}" for v in range(graph.vertices)]:
        names = []
    for title in names:
        if not is_title(title):
            raise failure(
                f"network = '{graph.name}': the vertex '{short(title)}' has a name that a lab cannot show; expected up "
                "to 64 printable characters without ;"
            )
    pairs = _pairs(graph)
    bandwidths = sorted({bandwidth for _, _, bandwidth in pairs})
    bits = network_rates(rate, bandwidths, guessed=_PRESET.match(graph.name) is not None)
    used = [0] * graph.vertices
    cables = []
    for low, high, bandwidth in pairs:
        group = bandwidths.index(bandwidth)
        cables.append(Cable(low, high, used[low], used[high], group, bits[group]))
        used[low], used[high] = used[low] + 1, used[high] + 1
    plan = Plan(name, graph.name, Network(nodes, switches, names), 1, bits, cables=cables, **settings)
    reached = distances(plan.ends, 0, lambda _vertex: True)
    lost = next((v for v in range(nodes) if v not in reached), None)
    if lost is not None:
        raise failure(
            f"network = '{graph.name}': no links lead from {graph.vertex_name(lost)} to {graph.vertex_name(0)}; a lab "
            "is of a connected network"
        )
    return plan


def _pairs(graph: Topology) -> list[tuple[int, int, float]]:
    """(low, high, bytes/s) of every cable, in the order in which the graph's links name their ends first."""
    found: dict[tuple[int, int], list[float]] = {}
    for a, b, bandwidth, _latency in graph.links:
        found.setdefault((a, b), []).append(bandwidth)
    made = []
    for (a, b), forth in found.items():
        back = found.get((b, a), [])
        if sorted(forth) != sorted(back):
            raise failure(
                f"network = '{graph.name}': links from {graph.vertex_name(a)} to {graph.vertex_name(b)} of "
                f"{_rates_text(forth)}, and back of {_rates_text(back)}; a lab's cables have the same rate in both "
                "directions"
            )
        if a < b:
            made += [(a, b, bandwidth) for bandwidth in sorted(forth)]
    return made


def _rates_text(bandwidths: Sequence[float]) -> str:
    return " and ".join(format_bits(round(8 * b)) for b in sorted(bandwidths)) or "no rate"
