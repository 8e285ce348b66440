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
from allport.lab.plan import CONTROL_SUBNET, FRONT, Plan
from allport.lab.routes import Routes, routes
from allport.lab.shape import Cable
from allport.lab.state import State

__all__ = [
    "batch",
    "interfaces",
    "lay",
    "need_mounts",
    "need_tools",
    "set_links",
    "set_rate",
    "set_routes",
]

_GET_FLAGS, _UP, _RUNNING = 0x8913, 1, 64
_CARRIER_SECONDS = 10.0  # the kernel reports a carrier within a second, later on a busy machine

# Interfaces beside the ports: a veth pair within the vertex has its addresses (not every kernel has `dummy`), and `ctl`
# leads from a node to the front, for mpiexec's own traffic.


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


def _sides(cable: Cable) -> tuple[tuple[int, int], tuple[int, int]]:
    """(vertex, port) of both ends."""
    return (cable.low, cable.low_port), (cable.high, cable.high_port)


def _await_carriers(state: State, cables: Iterable[Cable]) -> None:
    """Waits until both ends of the cables have a carrier, some time after they went up.

    Raises Error, naming a cable, on timeout.
    """
    plan, waiting = state.plan, [c for c in cables if c.works]
    end = time.monotonic() + _CARRIER_SECONDS
    while True:
        seen = in_each(state, interfaces, range(plan.vertices))
        waiting = [c for c in waiting if not all(seen[vertex][plan.port_name(port)][2] for vertex, port in _sides(c))]
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
            low, high = ((plan.port_name(port), plan.namespace(vertex)) for vertex, port in _sides(c))
            lines.append(f"link add {low[0]} netns {low[1]} type veth peer name {high[0]} netns {high[1]}")
    for vertex in range(plan.vertices):
        space = plan.namespace(vertex)
        for first, second in _rail_pairs(plan):
            lines.append(f"link add {first} netns {space} type veth peer name {second} netns {space}")
        if vertex < plan.nodes:
            lines.append(f"link add ctl netns {space} type veth peer name n{vertex} netns {plan.namespace(FRONT)}")
    batch("ip", lines, "laying cables")
    planned = routes(plan)

    def one(place: int | str) -> None:
        lines = _front_lines(plan) if isinstance(place, str) else _vertex_lines(plan, place, planned)
        batch("ip", lines, plan.host(place))
        if not isinstance(place, str):
            batch("tc", _rate_lines(plan, place), plan.host(place))

    in_each(state, one)
    _await_carriers(state, plan.cables)


def _front_lines(plan: Plan) -> list[str]:
    lines = ["link set lo up", *(f"link set n{node} up" for node in range(plan.nodes))]
    lines.append(f"addr add {plan.control(FRONT)}/16 dev n0 noprefixroute")
    return lines + [f"route add {plan.control(node)}/32 dev n{node}" for node in range(plan.nodes)]


def _rail_pairs(plan: Plan) -> list[tuple[str, str]]:
    """The pairs of interfaces within a vertex that have its addresses."""
    return [(plan.rail_interface(rail), plan.rail_interface(rail + 1)) for rail in range(0, plan.rails, 2)]


def _vertex_lines(plan: Plan, vertex: int, planned: Routes) -> list[str]:
    lines = ["link set lo up", *(f"link set {name} up" for pair in _rail_pairs(plan) for name in pair)]
    for port, _ in plan.ports(vertex):
        parcel = _parcel(plan, plan.ends[vertex][port][0].bits)
        lines.append(f"link set {plan.port_name(port)} up gso_max_size {parcel}")
    for rail in range(plan.rails):
        lines.append(f"addr add {plan.address(vertex, rail)}/16 dev {plan.rail_interface(rail)} noprefixroute")
    if vertex < plan.nodes:
        control = plan.control(vertex)
        lines += ["link set ctl up", f"addr add {control}/16 dev ctl noprefixroute"]
        lines.append(f"route add {CONTROL_SUBNET} via {plan.control(FRONT)} dev ctl onlink src {control}")
    return lines + _route_lines(planned[vertex], "add")


def _rate_lines(plan: Plan, vertex: int) -> list[str]:
    return [_tbf(plan, plan.port_name(port), plan.ends[vertex][port][0].bits, "add") for port, _ in plan.ports(vertex)]


def set_rate(state: State, cable: Cable) -> None:
    """Sets the planned rate at both ends of a cable."""
    plan = state.plan

    def one(place: int | str) -> None:
        for vertex, port in _sides(cable):
            if place == vertex:
                line = _tbf(plan, plan.port_name(port), cable.bits, "replace")
                batch("tc", [line], plan.host(place))

    in_each(state, one, {cable.low, cable.high})


def set_links(state: State, cable: Cable, wanted: str) -> None:
    """Sets both ends of a cable 'up', and waits until it passes packets, or 'down'."""
    plan = state.plan

    def one(place: int | str) -> None:
        for vertex, port in _sides(cable):
            if place == vertex:
                batch("ip", [f"link set {plan.port_name(port)} {wanted}"], plan.host(place))

    in_each(state, one, {cable.low, cable.high})
    if wanted == "up":
        _await_carriers(state, [cable])


def set_routes(state: State, before: Routes, touched: Iterable[int]) -> int:
    """Changes the kernel's routes from `before` to the plan's. touched: vertices whose interfaces went up or
    down, where the kernel has dropped routes. Returns the number of vertices that changed."""
    now, touched = routes(state.plan), set(touched)
    changes = {
        vertex: now[vertex] if vertex in touched else {a: w for a, w in now[vertex].items() if w != before[vertex][a]}
        for vertex in range(state.plan.vertices)
    }
    changed = [vertex for vertex, new in changes.items() if new]

    def one(place: int | str) -> None:
        lines = _route_lines(changes[int(place)], "replace")
        batch("ip", [line for line in lines if " del " not in line], state.plan.host(place))
        batch("ip", [line for line in lines if " del " in line], state.plan.host(place), force=True)

    in_each(state, one, changed)
    return len(changed)
