"""The lab for real: namespaces, packets over the right links at the right rate, faults, and nothing left behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import allport as ap
import pytest
from allport.lab import Lab
from lab_rig import NAME, Flow, namespaces, sent, why_not

HERE = Path(__file__).parent


if WHY := why_not():
    pytest.skip(f"the lab {WHY}", allow_module_level=True)


def test_comes_up_whole_and_goes_without_a_trace(up: Callable[..., Lab]) -> None:
    before = namespaces()
    lab = up("torus:4x4", "x=40mbit,y=20mbit")
    assert namespaces() - before == {f"allport-{NAME}-{n}" for n in [*range(16), "front"]}
    host = subprocess.run([*lab.node_command(7), "hostname"], capture_output=True, text=True)
    assert host.stdout == f"{NAME}-7\n" and os.uname().nodename != f"{NAME}-7"
    shown = subprocess.run([*lab.node_command(7), "tc", "qdisc"], capture_output=True, text=True).stdout
    rates = {line.split()[4]: line.split("rate ")[1].split()[0] for line in shown.splitlines() if "tbf" in line}
    assert rates == {"x+": "40Mbit", "x-": "40Mbit", "y+": "20Mbit", "y-": "20Mbit"}
    assert [row["state"] for row in ap.lab.status(NAME)["links"]] == ["up"] * 32
    with pytest.raises(ap.Error, match=f"lab '{NAME}' is up"):
        Lab.up("torus:2", name=NAME)
    inside = subprocess.Popen([*lab.node_command(3), "sleep", "600"])
    time.sleep(0.2)
    assert ap.lab.take_down(NAME)["ended_processes"] == 1
    assert inside.wait(timeout=5) != 0
    assert namespaces() == before and not [f for f in os.listdir("/run/allport-lab") if f.startswith(NAME)]
    with pytest.raises(ap.Error, match=f"no lab '{NAME}' is up"):
        Lab.attach(NAME)


def allowed_tcp() -> list[str]:
    """What this machine lets a network namespace choose."""
    return Path("/proc/sys/net/ipv4/tcp_allowed_congestion_control").read_text().split()


def test_all_nodes_have_the_best_tcp_that_is_allowed_and_the_lab_says_which(up: Callable[..., Lab]) -> None:
    lab = up("torus:3")
    expected = next((name for name in ("cubic", "reno") if name in allowed_tcp()), None)
    ask = ["cat", "/proc/sys/net/ipv4/tcp_congestion_control"]
    has = {
        subprocess.run([*lab.node_command(n), *ask], capture_output=True, text=True, check=True).stdout.strip()
        for n in range(3)
    }
    assert has == {lab.plan.tcp} and expected in (lab.plan.tcp, None)
    assert Lab.attach(NAME).plan.tcp == ap.lab.status(NAME)["set"]["tcp"] == lab.plan.tcp
    assert f"TCP {lab.plan.tcp}" in Path(lab.machine_file).read_text()


def test_tcp_can_be_left_as_the_kernel_has_it(up: Callable[..., Lab]) -> None:
    ask = ["cat", "/proc/sys/net/ipv4/tcp_congestion_control", "/proc/sys/net/ipv4/tcp_no_metrics_save"]
    fresh = subprocess.run(["unshare", "--net", *ask], capture_output=True, text=True, check=True).stdout
    lab = up("torus:3", tcp="default")
    assert subprocess.run([*lab.node_command(1), *ask], capture_output=True, text=True, check=True).stdout == fresh
    assert ap.lab.status(NAME)["set"]["tcp"] == "default"
    assert "TCP as the kernel has it" in Path(lab.machine_file).read_text()


def test_a_tcp_that_is_not_allowed_is_refused_and_leaves_nothing(up: Callable[..., Lab]) -> None:
    before = namespaces()
    there = Path("/proc/sys/net/ipv4/tcp_available_congestion_control").read_text().split()
    refused = next((name for name in there if name not in allowed_tcp()), "nosuchtcp")
    with pytest.raises(ap.Error, match=f"tcp = '{refused}': a network namespace may not choose it here"):
        up("torus:3", tcp=refused)
    assert namespaces() == before and NAME not in ap.lab.names()
    assert up("torus:3", tcp=allowed_tcp()[-1]).plan.tcp == allowed_tcp()[-1]


@pytest.mark.parametrize(("burst", "limit"), [(16 << 10, 64 << 10), (64 << 10, 256 << 10), (4 << 10, 8 << 10)])
def test_bursts_and_queues_are_the_kernels(up: Callable[..., Lab], burst: int, limit: int) -> None:
    lab = up("torus:3x2m", "x=40mbit,y=100mbit", burst=burst, limit=limit)
    shown = subprocess.run([*lab.node_command(1), "tc", "-raw", "qdisc"], capture_output=True, text=True).stdout
    links = [line for line in shown.splitlines() if "tbf" in line]
    assert len(links) == 3
    for line in links:
        assert f"burst {burst >> 10}Kb" in line and f"limit {limit >> 10}Kb" in line
    assert [(row["burst"], row["limit"]) for row in ap.lab.status(NAME)["links"]] == [(burst, limit)] * 9
    Flow(lab, 0, 4, 300_000).rates()
    lab.throttle("0-1", "10mbit")
    shown = subprocess.run([*lab.node_command(0), "tc", "-raw", "qdisc"], capture_output=True, text=True).stdout
    assert all(f"burst {burst >> 10}Kb" in line for line in shown.splitlines() if "tbf" in line)


def test_a_benchmark_sets_the_links_and_its_result_says_how(
    allport: Callable[..., subprocess.CompletedProcess[str]], up: Callable[..., Lab], tmp_path: Path
) -> None:
    short = ["--sizes", "64KiB", "--against", "none", "--rounds", 1, "--iterations", 1, "--measured", "times.json"]
    made = allport(
        "bench", "bcast", "--lab", "torus:2", "--burst", "16KiB", "--limit", "64KiB", *short, "-o", "result.json"
    )
    assert made.returncode == 0, made.stderr
    links = json.loads((tmp_path / "result.json").read_text())["links"]
    assert (links["rate"], links["burst"], links["limit"]) == ("40mbit", 16_384, 65_536)
    assert f"links of 40mbit, bursts of 16 KiB, queues of 64 KiB, TCP {links['tcp']}" in made.stdout
    up("torus:2")
    late = allport("bench", "bcast", "--lab", NAME, "--burst", "16KiB", *short)
    assert late.returncode == 1 and f"burst = 16384: lab '{NAME}' is up already, with links of 40mbit" in late.stderr
    nowhere = allport("bench", "bcast", "--limit", "64KiB", *short)
    assert nowhere.returncode == 1 and "limit = 65536: is of a lab's links; give a lab" in nowhere.stderr


def test_two_labs_do_not_meet(up: Callable[..., Lab]) -> None:
    one, two = up("mesh:2"), up("torus:3", name=f"{NAME}b")
    Flow(one, 0, 1, 200_000).rates()
    assert sum(sent(two).values()) < 5_000
    one.down()
    assert ap.lab.names().count(two.name) == 1 and Flow(two, 0, 1, 1_000).rates()


def test_leaves_the_namespaces_of_others_alone(up: Callable[..., Lab]) -> None:
    stranger = f"allport-{NAME}-1"
    subprocess.run(["ip", "netns", "add", stranger], check=True)
    try:
        with pytest.raises(ap.Error, match=f"network namespace {stranger} is there and not from a lab"):
            up("torus:4")
        assert NAME not in ap.lab.names() and f"allport-{NAME}-0" not in namespaces()
    finally:
        subprocess.run(["ip", "netns", "delete", stranger], check=True)
    up("torus:4")
    subprocess.run(["ip", "netns", "delete", stranger], check=True)  # ours, replaced behind our back
    subprocess.run(["ip", "netns", "add", stranger], check=True)
    try:
        assert ap.lab.take_down(NAME)["left_alone"] == [stranger]
        assert stranger in namespaces()
    finally:
        subprocess.run(["ip", "netns", "delete", stranger], check=True)


@pytest.mark.parametrize("step", ["namespaces.make", "wires.lay", "files.write_all"])
def test_clears_what_a_crash_has_left(step: str) -> None:
    before, module = namespaces(), step.split(".")[0]
    code = f"""
import os, signal
from allport.lab import Lab, {module}
whole = {step}
def half(state):
    whole(state)
    os.kill(os.getpid(), signal.SIGKILL)
{step} = half
Lab.up("torus:3", "1mbit", "{NAME}")
"""
    assert subprocess.run([sys.executable, "-c", code]).returncode == -signal.SIGKILL
    assert namespaces() != before
    assert "left by a crash" in ap.lab.status(NAME)["state"]
    with pytest.raises(ap.Error, match="left half made"):
        Lab.attach(NAME)
    if step == "wires.lay":
        Lab.up("torus:3", "1mbit", NAME).down()  # clears it, too
    else:
        ap.lab.take_down(NAME)
    assert namespaces() == before


def test_an_error_or_a_signal_while_coming_up_leaves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    before = namespaces()

    def fails(_state: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("allport.lab.files.write_all", fails)
    with pytest.raises(KeyboardInterrupt):
        Lab.up("torus:3", "1mbit", NAME)
    assert namespaces() == before and NAME not in ap.lab.names()


@pytest.mark.parametrize("spec", ["torus:4x2m", "mesh:3x2", "torus:3x3x3", "torus:1x3"])
def test_messages_take_the_links_of_the_route(up: Callable[..., Lab], spec: str) -> None:
    lab, machine = up(spec), ap.Machine.parse(spec)
    for source, target in [(0, machine.nodes - 1), (machine.nodes - 1, 0), (1, machine.nodes // 2)]:
        if source == target:
            continue
        before = sent(lab)
        Flow(lab, source, target, 300_000).rates()
        moved = {link: after - before[link] for link, after in sent(lab).items()}
        carried = {link for link, size in moved.items() if size > 250_000}
        assert carried == {machine.link_name(link) for link in machine.route(source, target)}
        assert all(size < 60_000 for link, size in moved.items() if link not in carried)


def test_both_cables_of_a_ring_of_two(up: Callable[..., Lab]) -> None:
    lab = up("torus:2x1", "8mbit")
    plus, minus = Flow(lab, 0, 1, 1_000_000, 7000), Flow(lab, 0, 1, 1_000_000, 7001, rail=1)
    assert [0.75e6 < rate < 1.05e6 for rate in plus.rates() + minus.rates()] == [True, True]
    moved = sent(lab)
    assert all(moved[link] > 1_000_000 for link in ("(0,0)+x -> (1,0)", "(0,0)-x -> (1,0)"))


def test_a_link_carries_its_rate_each_way_at_once_and_is_shared(up: Callable[..., Lab]) -> None:
    lab = up("torus:5", "8mbit")
    both = Flow(lab, 0, 1, 1_500_000, both=True).rates()
    assert len(both) == 2 and all(0.75e6 < rate < 1.02e6 for rate in both)
    flows = [Flow(lab, 0, 2, 800_000, 7001), Flow(lab, 1, 2, 800_000, 7002)]  # both over 1+x -> 2
    start = time.monotonic()
    assert all(rate < 0.95e6 for flow in flows for rate in flow.rates())
    assert 1.5 < time.monotonic() - start < 4
    lab.throttle("0-1", "2mbit")
    assert 0.15e6 < Flow(lab, 0, 1, 400_000).rates()[0] < 0.28e6
    assert ap.lab.status(NAME)["links"][0]["state"] == "up, throttled"
    lab.restore("0-1")
    assert Flow(lab, 0, 1, 500_000).rates()[0] > 0.7e6


def test_cut_and_reroute(up: Callable[..., Lab]) -> None:
    lab = up("torus:4")
    lab.cut("0-1")
    assert ap.lab.status(NAME)["links"][0]["state"] == "cut"
    tried = [
        *lab.node_command(0),
        sys.executable,
        "-c",
        "import socket, sys; socket.create_connection((sys.argv[1], 9), 5)",
    ]
    told = subprocess.run([*tried, lab.plan.address(1)], capture_output=True, text=True).stderr
    assert "Network is unreachable" in told or "No route to host" in told
    assert "Connection refused" in subprocess.run([*tried, lab.plan.address(3)], capture_output=True, text=True).stderr
    lab.cut("0-1", reroute=True)
    before = sent(lab)
    Flow(lab, 0, 1, 300_000).rates()
    moved = {link for link, size in sent(lab).items() if size - before[link] > 250_000}
    assert moved == {"(0)-x -> (3)", "(3)-x -> (2)", "(2)-x -> (1)"}
    assert ap.Machine.parse(lab.machine_file).dead_links
    with pytest.raises(ap.Error, match="no route around it: node 1, 2, 3 would be cut off; nothing was changed"):
        lab.cut("3-0", reroute=True)
    assert Flow(lab, 0, 1, 1_000).rates()
    lab.restore("0-1")
    Flow(lab, 0, 1, 300_000).rates()
    assert sent(lab)["(0)+x -> (1)"] > 250_000
    with pytest.raises(ap.Error, match="neither cut nor throttled"):
        lab.restore("0-1")
