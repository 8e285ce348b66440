"""Configures the namespaces by iproute2's batch mode: cables, addresses, rates and routes."""

from __future__ import annotations

import fcntl
import shutil
import socket
import struct
import subprocess
import time
from collections.abc import Iterable
from pathlib import Path

from allport.errors import failure
from allport.lab.namespaces import in_each
from allport.lab.plan import FRONT, Cable, Plan, next_ports
from allport.lab.state import State

__all__ = [
    "Routes",
    "batch",
    "interfaces",
    "lay",
    "need_mounts",
    "need_tools",
    "routes",
    "set_links",
    "set_rate",
    "set_routes",
]

_GET_FLAGS, _UP, _RUNNING = 0x8913, 1, 64
_CARRIER_SECONDS = 10.0  # the kernel reports a carrier within a second, later on a busy machine

# Interfaces beside the ports: a veth pair within the node has the node's addresses (not every kernel has `dummy`), and
# `ctl` leads to the front node, for mpiexec's own traffic.
Routes = list[dict[str, tuple[str, str, str] | None]]  # per node: address -> (gateway, interface, source)


def need_tools() -> None:
    """Raises Error if iproute2 or util-linux is missing."""
    for tool, package in (("ip", "iproute2"), ("tc", "iproute2"), ("nsenter", "util-linux"), ("unshare", "util-linux")):
        if shutil.which(tool) is None:
            raise failure(f"lab: '{tool}' is not there; install {package}", "io")


def need_mounts() -> None:
    """Raises Error if nodes cannot have mounts of their own, e.g. in a chroot whose root is not a mount point."""
    tried = subprocess.run(
        ["unshare", "--mount", "--propagation", "slave", "true"], capture_output=True, text=True, errors="replace"
    )
    if tried.returncode != 0:
        raise failure(
            f"lab: no node can have mounts of its own: {' '.join(tried.stderr.split())}; in a chroot its root must be "
            "a mount point: mount --bind ROOT ROOT before chroot ROOT; in a container: --cap-add=SYS_ADMIN",
            "io",
        )


def batch(tool: str, lines: Iterable[str], what: str, force: bool = False) -> None:
    """Runs lines of `ip` or `tc` in the namespace of the calling thread. Raises Error with the tool's message."""
    text = "\n".join(lines)
    if not text:
        return
    command = [tool, *(["-force"] if force else []), "-batch", "-"]
    done = subprocess.run(command, input=text + "\n", capture_output=True, text=True)
    if done.returncode != 0 and not force:
        reason = " ".join(done.stderr.split()) or f"exit code {done.returncode}"
        raise failure(f"lab: {what}: {tool} says: {reason}", "io")


def interfaces(_place: int | str) -> dict[str, tuple[int, int, bool]]:
    """(bytes received, bytes sent, carrier) of each interface of the calling thread's namespace."""
    found = {}
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asker:
        for line in Path("/proc/thread-self/net/dev").read_text().splitlines()[2:]:
            name, _, rest = line.partition(":")
            numbers = rest.split()
            asked = struct.pack("256s", name.strip().encode())
            flags = struct.unpack("H", fcntl.ioctl(asker.fileno(), _GET_FLAGS, asked)[16:18])[0]
            found[name.strip()] = int(numbers[0]), int(numbers[8]), flags & (_UP | _RUNNING) == _UP | _RUNNING
    return found


def _await_carriers(state: State, cables: Iterable[Cable]) -> None:
    """Waits until both ends of the cables have a carrier, some time after they went up.

    Raises Error, naming a cable, on timeout.
    """
    plan, waiting = state.plan, [c for c in cables if c.works]
    end = time.monotonic() + _CARRIER_SECONDS
    while True:
        seen = dict(zip(range(plan.nodes), in_each(state, interfaces, range(plan.nodes))))
        waiting = [
            c
            for c in waiting
            if not (seen[c.low][plan.port_name(c.axis, 1)][2] and seen[c.high][plan.port_name(c.axis, -1)][2])
        ]
        if not waiting:
            return
        if time.monotonic() > end:
            raise failure(f"lab: {plan.cable_name(waiting[0])} has no carrier after {_CARRIER_SECONDS:.0f} s", "io")
        time.sleep(0.02)


def _tbf(plan: Plan, interface: str, bits: int, verb: str) -> str:
    return (
        f"qdisc {verb} dev {interface} root tbf rate {bits}bit burst {plan.burst_of(bits)} limit {plan.limit_of(bits)}"
    )


def _parcel(plan: Plan, bits: int) -> int:
    """Bytes that TCP passes to a link at once (GSO): as many as the token bucket passes whole, headers included.

    Larger segments would be split packet by packet, which takes most of the CPU time, and two of them would overflow
    the queue.
    """
    return min(plan.burst_of(bits) * 9 // 10, 65_536)


def routes(plan: Plan) -> Routes:
    """Every node's routes to the addresses of all other nodes; None if the route's cable is cut."""
    made: Routes = [{} for _ in range(plan.nodes)]
    for direction in (1, -1) if plan.twofold else (1,):
        for target in range(plan.nodes):
            address = plan.address(target, direction)
            for node, port in enumerate(next_ports(plan, target, direction)):
                if node == target:
                    continue
                if port is None:
                    made[node][address] = None
                    continue
                gateway = plan.address(plan.ends[node][port][1])
                made[node][address] = (gateway, plan.port_name(*port), plan.address(node, direction))
    return made


def _route_lines(wanted: dict[str, tuple[str, str, str] | None], verb: str) -> list[str]:
    return [
        f"route {verb} {address}/32 via {to[0]} dev {to[1]} onlink src {to[2]}" if to else f"route del {address}/32"
        for address, to in wanted.items()
        if to or verb != "add"
    ]


def lay(state: State) -> None:
    """Creates all cables of a new lab with their rates, addresses and routes."""
    plan = state.plan
    lines = []
    for c in plan.cables:
        if not c.absent:
            low, high = plan.namespace(c.low), plan.namespace(c.high)
            ends = plan.port_name(c.axis, 1), plan.port_name(c.axis, -1)
            lines.append(f"link add {ends[0]} netns {low} type veth peer name {ends[1]} netns {high}")
    for node in range(plan.nodes):
        space = plan.namespace(node)
        lines.append(f"link add node+ netns {space} type veth peer name node- netns {space}")
        lines.append(f"link add ctl netns {space} type veth peer name n{node} netns {plan.namespace(FRONT)}")
    batch("ip", lines, "laying cables")
    wanted = routes(plan)

    def one(place: int | str) -> None:
        batch(
            "ip", _front_lines(plan) if isinstance(place, str) else _node_lines(plan, place, wanted), plan.host(place)
        )
        if not isinstance(place, str):
            batch("tc", _rate_lines(plan, place), plan.host(place))

    in_each(state, one)
    _await_carriers(state, plan.cables)


def _front_lines(plan: Plan) -> list[str]:
    lines = ["link set lo up", *(f"link set n{node} up" for node in range(plan.nodes))]
    lines.append(f"addr add {plan.control(FRONT)}/16 dev n0 noprefixroute")
    return lines + [f"route add {plan.control(node)}/32 dev n{node}" for node in range(plan.nodes)]


def _node_lines(plan: Plan, node: int, wanted: Routes) -> list[str]:
    lines = ["link set lo up", "link set node+ up", "link set node- up", "link set ctl up"]
    for axis, sign, _ in plan.ports(node):
        parcel = _parcel(plan, plan.ends[node][axis, sign][0].bits)
        lines.append(f"link set {plan.port_name(axis, sign)} up gso_max_size {parcel}")
    lines.append(f"addr add {plan.address(node)}/16 dev node+ noprefixroute")
    if plan.twofold:
        lines.append(f"addr add {plan.address(node, -1)}/16 dev node- noprefixroute")
    lines.append(f"addr add {plan.control(node)}/16 dev ctl noprefixroute")
    lines.append(f"route add 10.78.0.0/16 via {plan.control(FRONT)} dev ctl onlink src {plan.control(node)}")
    return lines + _route_lines(wanted[node], "add")


def _rate_lines(plan: Plan, node: int) -> list[str]:
    return [
        _tbf(plan, plan.port_name(axis, sign), plan.ends[node][axis, sign][0].bits, "add")
        for axis, sign, _ in plan.ports(node)
    ]


def set_rate(state: State, cable: Cable) -> None:
    """Sets the planned rate at both ends of a cable."""
    plan = state.plan

    def one(place: int | str) -> None:
        for node, sign in ((cable.low, 1), (cable.high, -1)):
            if place == node:
                line = _tbf(plan, plan.port_name(cable.axis, sign), cable.bits, "replace")
                batch("tc", [line], plan.host(place))

    in_each(state, one, {cable.low, cable.high})


def set_links(state: State, cable: Cable, wanted: str) -> None:
    """Sets both ends of a cable 'up', and waits until it passes packets, or 'down'."""
    plan = state.plan

    def one(place: int | str) -> None:
        for node, sign in ((cable.low, 1), (cable.high, -1)):
            if place == node:
                batch("ip", [f"link set {plan.port_name(cable.axis, sign)} {wanted}"], plan.host(place))

    in_each(state, one, {cable.low, cable.high})
    if wanted == "up":
        _await_carriers(state, [cable])


def set_routes(state: State, before: Routes, touched: Iterable[int]) -> int:
    """Changes the kernel's routes from `before` to the plan's. touched: nodes whose interfaces went up or down, where
    the kernel has dropped routes. Returns the number of nodes that changed."""
    now, touched = routes(state.plan), set(touched)
    changes = {
        node: now[node] if node in touched else {a: w for a, w in now[node].items() if w != before[node][a]}
        for node in range(state.plan.nodes)
    }
    changed = [node for node, some in changes.items() if some]

    def one(place: int | str) -> None:
        lines = _route_lines(changes[int(place)], "replace")
        batch("ip", [line for line in lines if " del " not in line], state.plan.host(place))
        batch("ip", [line for line in lines if " del " in line], state.plan.host(place), force=True)

    in_each(state, one, changed)
    return len(changed)
