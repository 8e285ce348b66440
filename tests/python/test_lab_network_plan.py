"""The lab of a network that is no grid on paper: cables, rates, addresses and routes, against its graph. Needs no
root."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import combinations, permutations

import allport as ap
import pytest
from allport.lab import mpiexec, state
from allport.lab.lab import find_cable
from allport.lab.plan import FRONT, Plan, as_network, make_plan
from allport.lab.routes import cut_off, joined_pairs, next_ports, routes
from allport.lab.shape import Cable
from allport.network import Topology

NETWORKS = [
    "ring:4",
    "ring:7",
    "full:5",
    "hypercube:8",
    "fattree:2x4/2",
    "fattree:4x4",
    "fattree:k=4",
    "dragonfly:a=2,p=2,h=1",
    "rails:4x2",
    "random:12,3,1",
]


def planes(nodes: int = 4, count: int = 2) -> Topology:
    """Nodes with a link to each of some switches."""
    links = [(v, nodes + s, 1e6, 1e-6) for v in range(nodes) for s in range(count)]
    return Topology(f"{count} planes", nodes, count, links + [(b, a, rate, late) for a, b, rate, late in links])


def plan_of(network: str | Topology, rate: str | None = "40mbit", forwarding: bool = True) -> Plan:
    return make_plan("lab", as_network(network), rate, forwarding=forwarding)


def walk(plan: Plan, start: int, target: int, rail: int = 0) -> Iterator[tuple[int, int]]:
    """(vertex, port) of every hop that the routes make; fails when they go in circles."""
    ports, vertex, hops = next_ports(plan, target, rail), start, 0
    while vertex != target:
        assert hops <= plan.vertices, "a packet goes in circles"
        port = ports[vertex]
        assert port is not None, f"no route from {vertex} to {target}"
        yield vertex, port
        vertex, hops = plan.ends[vertex][port][1], hops + 1


def hops_of(graph: Topology, target: int) -> list[int]:
    """Hops from every vertex, by relaxing all links until none is shorter."""
    far = graph.vertices
    hops = [0 if v == target else far for v in range(graph.vertices)]
    for _ in range(graph.vertices):
        for a, b, *_ in graph.links:
            hops[a] = min(hops[a], hops[b] + 1)
    return hops


def loads(plan: Plan) -> Counter[tuple[int, int]]:
    """Routes between nodes over every link."""
    pairs = permutations(range(plan.nodes), 2)
    return Counter(hop for a, b in pairs for rail in range(plan.rails) for hop in walk(plan, a, b, rail))


@pytest.mark.parametrize("spec", NETWORKS)
def test_cables_are_the_networks_links_with_its_rates(spec: str) -> None:
    plan, graph = plan_of(spec), Topology.parse(spec)
    slowest = min(bandwidth for *_, bandwidth, _ in graph.links)
    expected = Counter((a, b, round(40e6 * bandwidth / slowest)) for a, b, bandwidth, _ in graph.links)
    made: Counter[tuple[int, int, int]] = Counter()
    for vertex, ends in enumerate(plan.ends):
        assert list(ends) == list(range(len(ends)))
        made.update((vertex, other, cable.bits) for cable, other in ends.values())
    assert made == expected


@pytest.mark.parametrize("spec", NETWORKS)
def test_every_node_reaches_every_other_by_a_shortest_route(spec: str) -> None:
    plan, graph = plan_of(spec), Topology.parse(spec)
    for target in range(plan.nodes):
        hops = hops_of(graph, target)
        for start in range(plan.nodes):
            assert len(list(walk(plan, start, target))) == hops[start]
    assert plan_of(spec).to_dict() == plan.to_dict() and routes(plan_of(spec)) == routes(plan)


EVEN = ["ring:4", "ring:8", "full:5", "fattree:2x4/2", "fattree:4x4", "fattree:4x4/4", "rails:4x2"]


@pytest.mark.parametrize("spec", EVEN)
def test_routes_are_spread_evenly_where_the_network_is_symmetric(spec: str) -> None:
    plan = plan_of(spec)
    kinds: dict[tuple[bool, bool, int], set[int]] = {}
    for (vertex, port), routed in loads(plan).items():
        cable, other = plan.ends[vertex][port]
        kinds.setdefault((vertex < plan.nodes, other < plan.nodes, cable.bits), set()).add(routed)
    assert all(len(found) == 1 for found in kinds.values()), kinds
    assert len(loads(plan)) == 2 * len(plan.cables), "a link is on no route"


@pytest.mark.parametrize("spec", ["hypercube:16", "fattree:k=4", "random:16,4,1"])
def test_no_link_has_twice_the_average_of_routes(spec: str) -> None:
    plan = plan_of(spec)
    found = {hop: routed for hop, routed in loads(plan).items() if hop[0] >= plan.nodes or plan.shape.switches == 0}
    assert max(found.values()) < 2 * sum(found.values()) / len(found)


@pytest.mark.parametrize("network", [*NETWORKS, planes()])
def test_names_and_addresses_are_unique(network: str | Topology) -> None:
    plan = plan_of(network)
    places = plan.places()
    for names in (
        [plan.host(p) for p in places],
        [plan.namespace(p) for p in places],
        [plan.address(v, rail) for v in range(plan.vertices) for rail in range(plan.rails)]
        + [plan.control(p) for p in [*range(plan.nodes), FRONT]],
    ):
        assert len(set(names)) == len(names)
    own = {plan.rail_interface(rail) for rail in range(8)} | {"ctl", "lo"}
    for vertex in range(plan.vertices):
        names = [*(plan.port_name(port) for port, _ in plan.ports(vertex)), *own]
        assert len(set(names)) == len(names) and all(len(name) < 16 for name in names)
        assert plan.vertex(plan.label(vertex)) == vertex


def test_planes_have_an_address_each_and_share_no_link() -> None:
    for count in (2, 3):
        plan = plan_of(planes(4, count))
        assert plan.rails == count
        for a, b in permutations(range(4), 2):
            hops = [hop for rail in range(count) for hop in walk(plan, a, b, rail)]
            assert len(hops) == 2 * count == len(set(hops))
    assert {plan_of(spec).rails for spec in NETWORKS} == {1}
    twice = Topology("twice", 2, 0, [(a, 1 - a, 1e6, 0.0) for a in (0, 1, 0, 1)])
    plan = plan_of(twice)
    assert plan.rails == 2 and {plan.rail(0, 0), plan.rail(0, 1)} == {0, 1}


def test_rates_of_a_preset_are_in_proportion_and_of_a_file_its_own() -> None:
    assert plan_of("rails:4x2", "2MB/s").bits == [16_000_000, 192_000_000]
    assert plan_of("rails:4x2", None).bits == [40_000_000, 480_000_000]
    assert plan_of(planes(), None).bits == [8_000_000]
    part = Topology("allocation:0,1@ring:4", 2, 2, planes(2).links)
    assert plan_of(part, None).bits == [40_000_000]
    links = plan_of("rails:4x2").links()
    assert links["rate"] == "40mbit and 480mbit"
    assert links["burst"] == {"40mbit": 32_768, "480mbit": 120_000}
    with pytest.raises(ap.Error, match="links of 120gbit follow from the network's bandwidths; expected 8kbit to 100g"):
        plan_of("rails:4x2", "10gbit")
    with pytest.raises(ap.Error, match="rate = 'x=40mbit': expected a rate"):
        plan_of("ring:4", "x=40mbit")


@pytest.mark.parametrize(
    ("network", "what"),
    [
        ("full:65", "network = 'full:65': 65 nodes and 0 switches; .* has 64 nodes and 32 switches at most"),
        ("fattree:k=6", "54 nodes and 45 switches; .* has 64 nodes and 32 switches at most"),
        ("fatree:2x4", "'fatree': expected torus, mesh"),
        ("fattree:2x4/3", "a divisor of 4 nodes of a leaf"),
        (Topology("one way", 2, 0, [(0, 1, 1e6, 0.0)]), "links from node 0 to node 1 of 8mbit, and back of no rate"),
        (Topology("uneven", 2, 0, [(0, 1, 1e6, 0.0), (1, 0, 2e6, 0.0)]), "of 8mbit, and back of 16mbit"),
        (Topology("apart", 3, 0, [(0, 1, 1e6, 0.0), (1, 0, 1e6, 0.0)]), "no links lead from node 2 to node 0"),
        (Topology("names", 2, 0, [(0, 1, 1e6, 0.0), (1, 0, 1e6, 0.0)], ["a", "b;c"]), "the vertex 'b;c' has a name"),
    ],
)
def test_networks_that_no_lab_can_be_are_refused(network: str | Topology, what: str) -> None:
    with pytest.raises(ap.Error, match=what):
        plan_of(network)


@pytest.mark.parametrize(
    ("spec", "pairs"), [("ring:4", 4), ("full:4", 6), ("fattree:2x4/2", 28), ("rails:4x2", 16), ("hypercube:8", 12)]
)
def test_without_forwarding_routes_pass_switches_only(spec: str, pairs: int) -> None:
    plan = plan_of(spec, forwarding=False)
    joined = [(a, b) for a, b in combinations(range(plan.nodes), 2) if plan.first_port(a, b) is not None]
    assert len(joined) == joined_pairs(plan) == pairs
    for a, b in joined:
        for one, other in ((a, b), (b, a)):
            assert all(vertex == one or vertex >= plan.nodes for vertex, _ in walk(plan, one, other))
    known = routes(plan)
    for a, b in permutations(range(plan.nodes), 2):
        assert (known[a][plan.address(b)] is not None) == ((min(a, b), max(a, b)) in joined)


@pytest.mark.parametrize("spec", ["fattree:2x4/2", "ring:5", "rails:4x2"])
def test_routes_lead_round_cut_cables(spec: str) -> None:
    for chosen in range(len(plan_of(spec).cables)):
        plan = plan_of(spec)
        cable: Cable = plan.cables[chosen]
        cable.cut = cable.rerouted = True
        alone = {cable.low} if len(plan.ends[cable.low]) == 1 else set()  # a node with no other link
        lost = set(range(1, plan.nodes)) if alone == {0} else alone  # of those that shall reach node 0
        assert set(cut_off(plan)) == lost
        for a, b in permutations(set(range(plan.nodes)) - alone, 2):
            assert all(plan.ends[vertex][port][0].works for vertex, port in walk(plan, a, b))


def test_without_forwarding_no_route_leads_round_a_cable_between_nodes() -> None:
    plan = plan_of("ring:4", forwarding=False)
    plan.cables[0].cut = plan.cables[0].rerouted = True
    assert cut_off(plan) == [0, 1]
    assert next_ports(plan, 1)[0] is None and next_ports(plan, 3)[0] is not None


def test_links_are_named_by_vertices_or_ports() -> None:
    plan = plan_of("fattree:2x4/2")
    cable: Cable = find_cable(plan, "0-s0")
    assert find_cable(plan, "0:p0") is find_cable(plan, "s0-0") is cable
    assert plan.cable_name(cable) == "link 0-s0, 0:p0 -> s0"
    assert find_cable(plan, "s0-s2") is find_cable(plan, "s2:p0")
    for link in ("0-8", "0-s9", "0:p1", "9-s0", "0+x", "s4-s0", "", "0:x"):
        with pytest.raises(ap.Error, match=r"such as 0-1 or 0-s0.* s0 to s3|there is none; node 0 has 0-s0"):
            find_cable(plan, link)
    twice = plan_of(Topology("twice", 2, 0, [(a, 1 - a, 1e6, 0.0) for a in (0, 1, 0, 1)], ["left", "right"]))
    assert twice.cable_name(twice.cables[1]) == "link 0-1, left:p1 -> right"
    with pytest.raises(ap.Error, match="2 cables join these; write 0:p0 or 0:p1"):
        find_cable(twice, "0-1")


def test_ranks_get_a_machine_only_in_a_grid(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ALLPORT_MACHINE", raising=False)
    monkeypatch.delenv("ALLPORT_RATES", raising=False)
    _, env = mpiexec.command(plan_of("ring:4"))
    assert "ALLPORT_MACHINE" not in env and "ALLPORT_RATES" not in env
    _, env = mpiexec.command(plan_of("torus:4"))
    assert env["ALLPORT_MACHINE"] == env["ALLPORT_RATES"] == str(state.folder("lab") / "machine.toml")
    with pytest.raises(ap.Error, match=r"lab 'lab' \(ring:4\): its network is no grid of axes"):
        ap.lab.Lab(plan_of("ring:4")).machine_file  # noqa: B018
