"""Labs of networks that are no grids, for real: switches, several links a node, and nodes that do not forward."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable

import allport as ap
import pytest
from allport.lab import Lab
from allport.lab.routes import next_ports
from allport.network import Topology
from lab_rig import NAME, Flow, namespaces, sent, why_not
from test_lab_network_plan import planes

if WHY := why_not():
    pytest.skip(f"the lab {WHY}", allow_module_level=True)


def route(lab: Lab, start: int, target: int) -> set[str]:
    """The links of a route by name."""
    plan, ports, vertex, found = lab.plan, next_ports(lab.plan, target), start, set()
    while vertex != target:
        port = ports[vertex]
        assert port is not None
        found.add(plan.link_name(vertex, port))
        vertex = plan.ends[vertex][port][1]
    return found


def connect(lab: Lab, start: int, target: int) -> str:
    """What a node is told that connects to a port of another where nobody listens."""
    code = "import socket, sys; socket.create_connection((sys.argv[1], 9), 5)"
    run = [*lab.node_command(start), sys.executable, "-c", code, lab.plan.address(target)]
    return subprocess.run(run, capture_output=True, text=True).stderr


def test_a_fat_tree_is_built_of_nodes_and_switches(up: Callable[..., Lab]) -> None:
    before = namespaces()
    lab = up("fattree:2x4/2", "8mbit")
    assert namespaces() - before == {f"allport-{NAME}-{p}" for p in [*range(8), "s0", "s1", "s2", "s3", "front"]}
    shown = ap.lab.status(NAME)
    assert [row["switch"] for row in shown["switches"]] == ["s0", "s1", "s2", "s3"]
    assert [row["state"] for row in shown["links"]] == ["up"] * 12 and shown["machine_file"] is None
    for start, target in ((0, 7), (7, 0), (1, 6), (2, 3)):
        then = sent(lab)
        (rate,) = Flow(lab, start, target, 1_000_000).rates()
        assert 0.75e6 < rate < 1.05e6
        moved = {link: after - then[link] for link, after in sent(lab).items()}
        assert {link for link, size in moved.items() if size > 900_000} == route(lab, start, target)
        assert all(size < 60_000 for link, size in moved.items() if link not in route(lab, start, target))
    assert ap.lab.take_down(NAME)["left_alone"] == [] and namespaces() == before


def test_cables_between_switches_are_cut_rerouted_throttled_and_restored(up: Callable[..., Lab]) -> None:
    lab = up("fattree:2x2", "8mbit")
    spine = next(hop for hop in route(lab, 0, 3) if hop.startswith("s0")).split(" -> ")[1]
    lab.cut(f"s0-{spine}")
    assert "unreachable" in connect(lab, 0, 3) or "No route to host" in connect(lab, 0, 3)
    assert "Connection refused" in connect(lab, 0, 1)
    lab.cut(f"s0-{spine}", reroute=True)
    assert Flow(lab, 0, 3, 200_000).rates()[0] > 0.7e6
    lab.restore(f"s0-{spine}")
    lab.throttle(f"s0-{spine}", "2mbit")
    assert 0.15e6 < Flow(lab, 0, 3, 400_000).rates()[0] < 0.28e6
    with pytest.raises(ap.Error, match="no route around it: node 1, 2, 3 would be cut off; nothing was changed"):
        lab.cut("0-s0", reroute=True)


def test_each_rail_has_its_address_and_its_rate(up: Callable[..., Lab]) -> None:
    lab = up(planes(3), "8mbit")
    flows = [Flow(lab, 0, 2, 800_000, 7000 + rail, rail=rail) for rail in (0, 1)]
    assert all(0.7e6 < rate < 1.05e6 for flow in flows for rate in flow.rates())
    moved = sent(lab)
    assert all(moved[f"0:p{port} -> s{port}"] > 800_000 for port in (0, 1))


def test_rates_follow_the_network(up: Callable[..., Lab]) -> None:
    lab = up("rails:2x2", "1mbit")
    shown = subprocess.run([*lab.node_command(3), "tc", "qdisc"], capture_output=True, text=True).stdout
    rates = {line.split()[4]: line.split("rate ")[1].split()[0] for line in shown.splitlines() if "tbf" in line}
    assert rates == {"p0": "12Mbit", "p1": "1Mbit"}
    assert Flow(lab, 0, 3, 50_000).rates()  # of another box and rail: a node forwards


def test_nodes_that_do_not_forward_reach_neighbours_alone(up: Callable[..., Lab]) -> None:
    lab = up("ring:4", "8mbit", forwarding=False)
    forwards = ["cat", "/proc/sys/net/ipv4/ip_forward"]
    assert subprocess.run([*lab.node_command(1), *forwards], capture_output=True, text=True).stdout == "0\n"
    assert not ap.lab.status(NAME)["forwarding"]
    for target in (1, 3):
        assert "Connection refused" in connect(lab, 0, target)
    assert "unreachable" in connect(lab, 0, 2) or "No route to host" in connect(lab, 0, 2)
    # Not even by a route of the node's own.
    subprocess.run([*lab.node_command(0), "ip", "route", "add", "10.77.0.102/32", "via", "10.77.0.101", "dev", "p0",
                    "onlink"], check=True)  # fmt: skip
    assert "timed out" in connect(lab, 0, 2) or "No route to host" in connect(lab, 0, 2)
    assert Flow(lab, 0, 1, 200_000).rates()[0] > 0.7e6


NEIGHBOURS = """
import array, os, sys
from mpi4py import MPI
world = MPI.COMM_WORLD
rank, ranks = world.rank, world.size
got = array.array("d", [0.0]) * 20_000
for step in (1, ranks - 1):
    world.Sendrecv(array.array("d", [float(rank)]) * 20_000, (rank + step) % ranks, 0, got, (rank - step) % ranks, 0)
    assert set(got) == {float((rank - step) % ranks)}, (rank, step)
print("ALLPORT_MACHINE" in os.environ, flush=True)
"""


def test_mpi_starts_over_the_control_network_and_sends_to_neighbours(
    up: Callable[..., Lab], capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ALLPORT_MACHINE", raising=False)
    lab = up("ring:4", "20mbit", forwarding=False)
    assert ap.lab.run(lab, ["timeout", "-s", "KILL", "60", sys.executable, "-c", NEIGHBOURS]) == 0
    assert capfd.readouterr().out.split() == ["False"] * 4
    assert all(size > 160_000 for size in sent(lab).values())
    assert all(node["control"] < 200_000 for node in ap.lab.status(NAME)["nodes"])


ALL = """
from mpi4py import MPI
world = MPI.COMM_WORLD
assert world.allreduce(world.rank) == world.size * (world.size - 1) // 2
assert world.alltoall([(world.rank, other) for other in range(world.size)]) == [
    (other, world.rank) for other in range(world.size)
]
if world.rank == 0:
    print("all", flush=True)
"""


@pytest.mark.parametrize("network", ["full:4", "fattree:2x4/2", planes()])
def test_mpi_programs_run_on_any_network(
    up: Callable[..., Lab], capfd: pytest.CaptureFixture[str], network: str | Topology
) -> None:
    lab = up(network, "20mbit", forwarding=network != "full:4")
    assert ap.lab.run(lab, ["timeout", "-s", "KILL", "60", sys.executable, "-c", ALL]) == 0
    assert capfd.readouterr().out == "all\n"


def test_commands(allport: Callable[..., subprocess.CompletedProcess[str]], up: Callable[..., Lab]) -> None:
    made = json.loads(allport("lab", "up", "ring:4", "--no-forwarding", "--name", NAME, "--json").stdout)
    try:
        assert (made["nodes"], made["switches"], made["cables"], made["joined_pairs"]) == (4, 0, 4, 4)
        shown = allport("lab", "status", "--name", NAME).stdout
        assert "nodes do not forward packets of others" in shown and "0:p1 -> 3" in shown
        assert "cut" in allport("lab", "cut", "0:p0", "--name", NAME).stdout
        assert "as new" in allport("lab", "restore", "0-1", "--name", NAME).stdout
    finally:
        assert allport("lab", "down", "--name", NAME).returncode == 0
    told = allport("lab", "up", "fattree:2x2", "--no-forwarding", "--name", NAME).stdout
    try:
        assert "4 nodes, 4 switches, 8 cables" in told and "6 of 6 pairs reach each other over the links" in told
        assert "s0" in allport("lab", "status", "--name", NAME).stdout
    finally:
        assert allport("lab", "down", "--name", NAME).returncode == 0
    large = allport("lab", "up", "full:65", "--name", NAME)
    assert large.returncode == 1 and "64 nodes and 32 switches at most" in " ".join(large.stderr.split())


def test_a_benchmark_says_that_it_needs_a_machine(
    allport: Callable[..., subprocess.CompletedProcess[str]],
) -> None:
    before = {*ap.lab.names()}
    done = allport("bench", "bcast", "--lab", "ring:4", "--sizes", "8", "--against", "none")
    assert done.returncode == 1 and "its network is no grid of axes" in " ".join(done.stderr.split())
    assert not [name for name in {*ap.lab.names()} - before if name.startswith("bench")]
