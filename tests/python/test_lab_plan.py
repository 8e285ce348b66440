"""The lab of a grid on paper: cables, addresses, routes and files, against its machine. Needs no root."""

from __future__ import annotations

import random

import allport as ap
import pytest
from allport.lab import state, tcp
from allport.lab.files import machine_toml
from allport.lab.lab import find_cable
from allport.lab.plan import Plan, format_links, make_plan
from allport.lab.rates import axis_rates, parse_bits
from allport.lab.routes import cut_off, joined_pairs, next_ports
from allport.lab.shape import Cable, Grid
from allport.report.pages import advice
from allport.run.launch import cores

SHAPES = [
    "torus:4x4",
    "torus:3x3x3",
    "torus:4x4m",
    "mesh:3x2",
    "torus:2",
    "torus:2x2",
    "torus:2x1x3",
    "mesh:1",
    "torus:5x2m",
]


def plan_of(spec: str, rate: str | None = "40mbit") -> Plan:
    return make_plan("lab", ap.Machine.parse(spec), rate)


def walk(plan: Plan, start: int, target: int, rail: int = 0) -> list[tuple[int, int]]:
    """(node, port) of every hop that the routes make; fails when they go in circles."""
    ports = next_ports(plan, target, rail)
    hops, node = [], start
    while node != target:
        assert len(hops) <= plan.nodes, "a packet goes in circles"
        port = ports[node]
        assert port is not None, f"no route from {node} to {target}"
        hops.append((node, port))
        node = plan.ends[node][port][1]
    return hops


@pytest.mark.parametrize("spec", SHAPES)
def test_cables_are_the_machines_links(spec: str) -> None:
    plan, machine = plan_of(spec), ap.Machine.parse(spec)
    assert 2 * len(plan.cables) == machine.links
    for node in range(machine.nodes):
        for port in range(2 * len(machine.axes)):
            assert isinstance(plan.shape, Grid) and plan.shape.neighbour(node, port) == machine.neighbour(node, port)
            if machine.neighbour(node, port) is not None:
                assert plan.ends[node][port][1] == machine.neighbour(node, port)
                assert plan.link_name(node, port) == machine.link_name(machine.link(node, port))


@pytest.mark.parametrize("spec", SHAPES)
def test_routes_are_the_machines(spec: str) -> None:
    plan, machine = plan_of(spec), ap.Machine.parse(spec)
    for start in range(machine.nodes):
        for target in range(machine.nodes):
            hops = [machine.link(node, port) for node, port in walk(plan, start, target)]
            assert hops == machine.route(start, target)


def test_a_ring_of_two_has_an_address_for_each_cable() -> None:
    plan = plan_of("torus:2x3")
    assert plan.rails == 2 and (plan.address(0), plan.address(0, 1)) == ("10.77.0.100", "10.79.0.100")
    assert walk(plan, 0, 1) == [(0, 1)] and walk(plan, 0, 1, rail=1) == [(0, 0)]
    assert (plan.rail(0, 1), plan.rail(0, 0)) == (0, 1)
    assert plan_of("torus:3x3").rails == plan_of("mesh:2x2").rails == 1
    with pytest.raises(ap.Error, match=r"2 cables join these; write 0\+x or 0-x"):
        find_cable(plan, "0-1")
    assert find_cable(plan, "0+x") is not find_cable(plan, "0-x")


@pytest.mark.parametrize("spec", ["torus:4x4", "torus:3x3x3", "mesh:3x3", "torus:2x2", "torus:5"])
def test_routes_lead_round_cut_cables_and_never_in_circles(spec: str) -> None:
    draw = random.Random(7)
    rounds = 0
    while rounds < 12:
        plan = plan_of(spec)
        for cable in draw.sample(plan.cables, draw.randint(1, min(4, len(plan.cables) - 1))):
            cable.cut = cable.rerouted = True
        if cut_off(plan):
            continue
        rounds += 1
        for target in range(plan.nodes):
            for start in range(plan.nodes):
                for node, port in walk(plan, start, target):
                    assert plan.ends[node][port][0].works


def test_a_cut_without_reroute_takes_only_its_own_routes_away() -> None:
    plan = plan_of("torus:4x4")
    cable = find_cable(plan, "3-0")
    cable.cut = True
    whole = plan_of("torus:4x4")
    for target in range(16):
        for node, (now, before) in enumerate(zip(next_ports(plan, target), next_ports(whole, target))):
            lost = before is not None and plan.ends[node][before][0] is cable
            assert now == (None if lost else before)


def test_where_nodes_do_not_forward_only_neighbours_reach_each_other() -> None:
    plan = make_plan("lab", ap.Machine.parse("torus:4x4"), "40mbit", forwarding=False)
    for target in range(16):
        ports = next_ports(plan, target)
        reached = {node: plan.ends[node][port][1] for node, port in enumerate(ports) if port is not None}
        assert reached == {other: target for _, other in plan.ports(target)}
    assert joined_pairs(plan) == 32 and joined_pairs(plan_of("torus:4x4")) == 120
    cable = find_cable(plan, "0-1")
    cable.cut = cable.rerouted = True
    assert cut_off(plan) == [0, 1]


def test_nodes_that_a_cut_leaves_alone() -> None:
    plan = plan_of("mesh:3")
    find_cable(plan, "1-2").cut = True
    assert cut_off(plan) == []  # not rerouted: nothing is avoided yet
    find_cable(plan, "1-2").rerouted = True
    assert cut_off(plan) == [2]


@pytest.mark.parametrize(
    ("text", "bits"),
    [("40mbit", 40e6), ("1gbit", 1e9), ("5MB/s", 40e6), ("2.5 Mbit/s", 2.5e6), ("800kbit", 800e3), ("9000bit", 9000)],
)
def test_rates(text: str, bits: float) -> None:
    assert parse_bits(text) == bits


@pytest.mark.parametrize("text", ["", "40", "40mb", "-1mbit", "0mbit", "1e3mbit", "4000gbit", "40 apples", "7kbit"])
def test_bad_rates_are_named(text: str) -> None:
    with pytest.raises(ap.Error, match=r"rate = '.*expected"):
        parse_bits(text)


def test_rates_by_axis() -> None:
    machine = ap.Machine.parse("torus:4x3x1")
    assert axis_rates("x=40mbit, y=20mbit", machine)[:2] == [40_000_000, 20_000_000]
    assert axis_rates(None, machine) == [40_000_000] * 3
    for text, part in [
        ("x=40mbit", "axis y has no rate"),
        ("x=40mbit,q=2mbit", "'q=2mbit'"),
        ("x=1mbit,x=2mbit,y=1mbit", "'x=2mbit'"),
        ("x=40mbit,20mbit", "'20mbit'"),
        ("x=fast,y=1mbit", "rate of axis x = 'fast'"),
    ]:
        with pytest.raises(ap.Error, match=part):
            axis_rates(text, machine)


def test_bad_plans_are_refused() -> None:
    for name in ("", "Lab", "a-b", "../x", "1lab", "averylongname"):
        with pytest.raises(ap.Error, match="name = "):
            make_plan(name, ap.Machine.parse("torus:4"), None)
    with pytest.raises(ap.Error, match="4,096 nodes; a lab has 1,000 at most"):
        plan_of("torus:16x16x16")
    with pytest.raises(ap.Error, match="burst = 100"):
        make_plan("lab", ap.Machine.parse("torus:4"), None, burst=100)


@pytest.mark.parametrize("name", ["../../X", "/tmp/x", "", ".", "a/b", "Lab", "a.lock", "a\n"])
def test_every_path_of_a_lab_is_of_a_checked_name(name: str) -> None:
    with pytest.raises(ap.Error, match=r"name = [\s\S]*expected up to 12 letters and digits"):
        state.folder(name)
    for act in (state.load, state.fingerprint, ap.lab.status, lambda name: state.locked(name).__enter__()):
        with pytest.raises(ap.Error, match="name = "):
            act(name)


@pytest.mark.parametrize("link", ["", "3", "3-", "99-0", "0-5", "0+z", "0*1", "0-0", "x-y"])
def test_bad_links_are_named_with_the_remedy(link: str) -> None:
    with pytest.raises(ap.Error, match=r"link = '.*(expected two neighbours|there is none; node 0 has 0-1 \(x\+\))"):
        find_cable(plan_of("torus:4x4"), link)


def test_the_machine_file_is_the_lab() -> None:
    plan = plan_of("torus:4x3m/ppn=2", "x=40mbit,y=20mbit")
    machine = ap.Machine.from_toml(machine_toml(plan))
    assert (machine.extents, machine.ranks_per_node, machine.dead_links) == ("4x3m", 2, [])
    assert [a.bandwidth for a in machine.axes] == pytest.approx([5e6 * 0.956, 2.5e6 * 0.956])
    cable: Cable = find_cable(plan, "3-0")
    cable.cut = True
    find_cable(plan, "0-4").bits = 1_000_000
    machine = ap.Machine.from_toml(machine_toml(plan))
    assert sorted(machine.dead_links) == sorted([machine.link(3, 1), machine.link(0, 0)])
    assert {e["bandwidth"] for e in machine.to_dict()["exceptions"] if not e["dead"]} == {1e6 / 8 * 0.956}


def test_the_machine_file_says_what_links_save_up_and_who_shares_cores() -> None:
    plan = make_plan("lab", ap.Machine.parse("torus:64x2"), "40mbit", burst=16 << 10)
    known = ap.Machine.from_toml(machine_toml(plan)).to_dict()
    fits = {fit["what"]: fit["value"] for fit in known["calibration"]["fits"]}
    assert fits["burst"] == 16 << 10
    shared = cores()
    if shared < 128:
        assert fits["cores"] == shared
        assert known["flops"] * 128 == pytest.approx(60e9 * shared)
    assert not known["calibration"]["date"]  # nothing was measured
    assert "calibration" not in ap.Machine.from_toml(machine_toml(plan, {})).to_dict()
    assert not advice.calibrated(ap.Machine.from_toml(machine_toml(plan)))


def test_dead_links_of_a_machine_file_are_never_laid() -> None:
    text = 'axes = [ { length = 4, bandwidth = "1 MB/s", latency = "1 us" } ]\n[[link]]\n'
    text += "from = [0]\nto = [1]\ndead = true\n"
    plan = make_plan("lab", ap.Machine.from_toml(text), None)
    assert [c.absent for c in plan.cables] == [True, False, False, False]
    assert plan.bits == [8_000_000]
    assert [hop[0] for hop in walk(plan, 0, 1)] == [0, 3, 2]
    with pytest.raises(ap.Error, match="dead in one direction only"):
        make_plan("lab", ap.Machine.from_toml(text + "both_directions = false\n"), None)


class Kernel:
    """A network namespace that may choose some congestion controls."""

    def __init__(self, own: str, may: set[str], there: set[str]) -> None:
        self.now, self.may, self.there = own, may, there

    def write(self, name: str) -> None:
        if name not in self.there:
            raise FileNotFoundError(2, "No such file or directory")
        if name not in self.may:
            raise PermissionError(1, "Operation not permitted")
        self.now = name


@pytest.mark.parametrize(
    ("own", "may", "taken"),
    [
        ("bbr", {"reno", "bbr", "cubic"}, "cubic"),
        ("bbr", {"reno", "bbr"}, "reno"),
        ("bbr", {"bbr"}, "bbr"),
        ("cubic", {"cubic"}, "cubic"),
        ("dctcp", set(), "dctcp"),
    ],
)
@pytest.mark.parametrize("there", [{"reno", "bbr", "cubic", "dctcp"}, {"reno", "bbr", "dctcp"}])
def test_the_best_tcp_that_a_namespace_may_choose(own: str, may: set[str], taken: str, there: set[str]) -> None:
    kernel = Kernel(own, may, there)
    if taken not in there:
        taken = "reno" if "reno" in may else own
    assert tcp.choose(None, lambda: kernel.now, kernel.write) == taken == kernel.now


def test_a_tcp_that_is_asked_for_is_taken_or_refused() -> None:
    kernel = Kernel("bbr", {"reno", "bbr"}, {"reno", "bbr", "cubic"})
    assert tcp.choose("bbr", lambda: kernel.now, kernel.write) == "bbr"
    for name in ("cubic", "vegas"):
        with pytest.raises(ap.Error, match=f"tcp = '{name}': a network namespace may not choose it here"):
            tcp.choose(name, lambda: kernel.now, kernel.write)
    assert kernel.now == "bbr"
    with pytest.raises(ap.Error, match=r"tcp = '\.\./x': expected a congestion control"):
        make_plan("lab", ap.Machine.parse("torus:4"), None, tcp="../x")


def test_bursts_and_queues_are_taken_as_given() -> None:
    machine = ap.Machine.parse("torus:4x4")
    given = make_plan("lab", machine, "x=40mbit,y=1gbit", burst=16 << 10, limit=20_000)
    assert {(given.burst_of(bits), given.limit_of(bits)) for bits in given.bits} == {(16_384, 20_000)}
    own = make_plan("lab", machine, "x=40mbit,y=1gbit", tcp="reno")
    assert own.links() == {
        "rate": "x=40mbit,y=1gbit",
        "burst": {"x": 32_768, "y": 250_000},
        "limit": {"x": 131_072, "y": 1_000_000},
        "tcp": "reno",
    }
    half = make_plan("lab", machine, "40mbit", burst=16 << 10, limit=64 << 10, tcp="reno").links()
    assert half == {"rate": "40mbit", "burst": 16_384, "limit": 65_536, "tcp": "reno"}
    assert format_links(half) == "links of 40mbit, bursts of 16 KiB, queues of 64 KiB, TCP reno"
    assert "x=32 KiB, y=244 KiB" in format_links(own.links())
    with pytest.raises(ap.Error, match="limit = 8000: a burst of 32768 bytes must find room in the queue"):
        make_plan("lab", machine, "40mbit", limit=8_000)
