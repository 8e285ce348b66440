"""The plan of a lab, before it is built: nodes, addresses, cables, rates and routes.

A cable joins port +a of one node with port -a of the next, so a wrapped axis of length 2 has two cables between its
pair of nodes. Routes are those of `Machine.route`: x first, the shortest direction, positive in case of a tie.
"""

from __future__ import annotations

import re
from collections import deque
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any

from allport.errors import failure
from allport.lab.tcp import DEFAULT, check
from allport.machine import Machine, axis_letter
from allport.units import format_bytes, short

__all__ = ["Cable", "Plan", "check_name", "format_bits", "format_links", "make_plan", "parse_bits", "parse_rates"]

MAX_NODES = 1000
DEFAULT_BITS = 40_000_000
FRONT = "front"  # the node that mpiexec runs on; not part of the machine
_SCALE = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9}


def parse_bits(text: str, name: str = "rate") -> int:
    """Bits per second of '40mbit', '1gbit', '40 Mbit/s' or '5MB/s'. Raises Error."""
    found = re.fullmatch(r"([0-9]+(?:\.[0-9]*)?)\s*([kmgKMG]?)(bit|bit/s|B/s)", short(text).strip())
    if found is None:
        raise failure(f"{name} = '{short(text)}': expected a rate; write 40mbit, 1gbit or 5MB/s")
    bits = float(found.group(1)) * _SCALE[found.group(2).lower()] * (8 if found.group(3) == "B/s" else 1)
    if not 8_000 <= bits <= 100e9:
        raise failure(f"{name} = '{short(text)}': expected 8kbit to 100gbit")
    return round(bits)


def format_bits(bits: int) -> str:
    """'40mbit', as tc and `parse_bits` read it."""
    for prefix, scale in (("g", 10**9), ("m", 10**6), ("k", 10**3)):
        if bits >= scale:
            return f"{bits / scale:g}{prefix}bit"
    return f"{bits}bit"


def parse_rates(text: str | None, machine: Machine) -> list[int]:
    """Bits/s for each axis: '40mbit' for all, or 'x=40mbit,y=20mbit' for each with links; None: those of the machine
    file.

    Raises Error that names the part that is wrong.
    """
    letters = [axis_letter(a) for a in range(len(machine.axes))]
    if text is None:
        if machine.name.startswith(("torus:", "mesh:")):  # their rates are a guess
            return [DEFAULT_BITS] * len(letters)
        return [max(8_000, round(8 * a.bandwidth)) for a in machine.axes]
    if "=" not in text:
        return [parse_bits(text)] * len(letters)
    bits: dict[str, int] = {}
    for part in text.split(","):
        letter, equals, rate = (s.strip() for s in part.partition("="))
        if not equals or letter not in letters or letter in bits:
            raise failure(
                f"rate = '{text}': '{part}': expected AXIS=RATE, each axis of {', '.join(letters)} once; "
                "write x=40mbit,y=20mbit"
            )
        bits[letter] = parse_bits(rate, f"rate of axis {letter}")
    for a, letter in enumerate(letters):
        if letter not in bits and machine.axes[a].length > 1:
            raise failure(f"rate = '{text}': axis {letter} has no rate; add {letter}=40mbit")
    return [bits.get(letter, DEFAULT_BITS) for letter in letters]


def check_name(name: str) -> str:
    """The name itself. Raises Error for invalid names: names are parts of paths and host names."""
    if not isinstance(name, str) or not re.fullmatch(r"[a-z][a-z0-9]{0,11}", name):
        raise failure(f"name = '{name}': expected up to 12 letters and digits, a letter first, such as lab or lab2")
    return name


def format_links(links: dict[str, Any]) -> str:
    """'links of 40mbit, bursts of 32 KiB, queues of 128 KiB, TCP reno' of `Plan.links()`."""

    def sizes(found: int | dict[str, int]) -> str:
        if isinstance(found, dict):
            return ", ".join(f"{letter}={format_bytes(size)}" for letter, size in found.items())
        return format_bytes(found)

    return (
        f"links of {links['rate']}, bursts of {sizes(links['burst'])}, queues of {sizes(links['limit'])}, "
        f"TCP {'as the kernel has it' if links['tcp'] in ('', DEFAULT) else links['tcp']}"
    )


def _octets(node: int) -> str:
    return f"{node // 100}.{100 + node % 100}"


@dataclass
class Cable:
    """Two links, one in each direction, between port +axis of `low` and port -axis of `high`."""

    low: int
    high: int
    axis: int
    bits: int  # per second and direction
    cut: bool = False
    rerouted: bool = False  # routes avoid it
    absent: bool = False  # dead in the machine file: not created

    @property
    def works(self) -> bool:
        """Whether it can carry data."""
        return not (self.cut or self.absent)

    @property
    def avoided(self) -> bool:
        """Whether routes avoid it."""
        return self.absent or (self.cut and self.rerouted)


@dataclass
class Plan:
    """A lab's plan. All code that builds, uses or removes the lab reads it."""

    name: str
    spec: str
    lengths: list[int]
    wraps: list[bool]
    ranks_per_node: int
    bits: list[int]  # per axis
    burst: int | None = None  # bytes, as asked for; see burst_of
    limit: int | None = None
    tcp: str = ""  # congestion control: as requested; after `up` the actual one
    cables: list[Cable] = field(default_factory=list)

    @property
    def nodes(self) -> int:
        """Number of nodes; nodes are numbered x-fastest."""
        product = 1
        for length in self.lengths:
            product *= length
        return product

    @property
    def ranks(self) -> int:
        """Number of places for ranks."""
        return self.nodes * self.ranks_per_node

    @property
    def twofold(self) -> bool:
        """Whether a pair of nodes has two cables (a wrapped axis of length 2); nodes then have two addresses."""
        return any(length == 2 and wraps for length, wraps in zip(self.lengths, self.wraps))

    def coordinates(self, node: int) -> list[int]:
        """One per axis."""
        out = []
        for length in self.lengths:
            out.append(node % length)
            node //= length
        return out

    def title(self, node: int) -> str:
        """'(3,0)'."""
        return f"({','.join(map(str, self.coordinates(node)))})"

    def host(self, node: int | str) -> str:
        """Host name of a node."""
        return f"{self.name}-{node}"

    def namespace(self, node: int | str) -> str:
        """Name of a node's network namespace."""
        return f"allport-{self.name}-{node}"

    def places(self) -> list[int | str]:
        """All nodes and the front."""
        return [*range(self.nodes), FRONT]

    def address(self, node: int, direction: int = 1) -> str:
        """Address of a node. If pairs have two cables, a node has two addresses; messages to that of direction -1 go in
        negative direction where both are equally short."""
        return f"10.{77 if direction > 0 else 79}.{_octets(node)}"

    def control(self, node: int | str) -> str:
        """Address of a node on the control network."""
        return "10.78.255.254" if node == FRONT else f"10.78.{_octets(int(node))}"

    def neighbour(self, node: int, axis: int, sign: int) -> int | None:
        """The neighbour at a port; None at an open end and on an axis of length 1."""
        length, at = self.lengths[axis], self.coordinates(node)
        to = at[axis] + sign
        if length == 1 or (not 0 <= to < length and not self.wraps[axis]):
            return None
        at[axis] = to % length
        out = 0
        for a in reversed(range(len(at))):
            out = out * self.lengths[a] + at[a]
        return out

    def port_name(self, axis: int, sign: int) -> str:
        """Interface of a port: 'x+'."""
        return axis_letter(axis) + ("+" if sign > 0 else "-")

    @cached_property
    def ends(self) -> list[dict[tuple[int, int], tuple[Cable, int]]]:
        """For each node, by port (axis, sign): the cable and the node at its other end; x first, + before -."""
        made: list[dict[tuple[int, int], tuple[Cable, int]]] = [{} for _ in range(self.nodes)]
        for cable in self.cables:
            made[cable.low][cable.axis, 1] = (cable, cable.high)
            made[cable.high][cable.axis, -1] = (cable, cable.low)
        return [dict(sorted(e.items(), key=lambda item: (item[0][0], -item[0][1]))) for e in made]

    def ports(self, node: int) -> list[tuple[int, int, int]]:
        """(axis, sign, neighbour) of the ports that have a cable."""
        return [(a, sign, other) for (a, sign), (cable, other) in self.ends[node].items() if not cable.absent]

    def direction(self, node: int, axis: int, sign: int) -> int:
        """The direction of the neighbour's address to which a port leads: -1 for x- if two cables join the pair."""
        return -1 if self.lengths[axis] == 2 and self.wraps[axis] and sign < 0 else 1

    def link_name(self, node: int, axis: int, sign: int) -> str:
        """'(3,0)+x -> (0,0)', as the library names links."""
        other = self.neighbour(node, axis, sign)
        assert other is not None
        return f"{self.title(node)}{'+' if sign > 0 else '-'}{axis_letter(axis)} -> {self.title(other)}"

    def cable_name(self, c: Cable) -> str:
        """'link 3-0, (3,0)+x -> (0,0)'."""
        return f"link {c.low}-{c.high}, {self.link_name(c.low, c.axis, 1)}"

    def burst_of(self, bits: int) -> int:
        """Bytes that a link of this rate sends at once after a pause: as requested, else 32 KiB, or 2 ms of a faster
        link because of the resolution of the kernel's timer."""
        return self.burst if self.burst is not None else max(32_768, bits // 8 // 500)

    def limit_of(self, bits: int) -> int:
        """Bytes that may be queued for a link of this rate: as requested, else 128 KiB or four bursts."""
        return self.limit if self.limit is not None else max(131_072, 4 * self.burst_of(bits))

    def links(self) -> dict[str, Any]:
        """The settings on which all results in this lab depend: rate (as `up` takes it), burst and limit (bytes; by
        axis if axes differ) and tcp."""
        rates = [bits for bits, length in zip(self.bits, self.lengths) if length > 1] or self.bits
        letters = [axis_letter(a) for a, length in enumerate(self.lengths) if length > 1] or ["x"]

        def by_axis(values: list[int]) -> int | dict[str, int]:
            return values[0] if len(set(values)) == 1 else dict(zip(letters, values))

        pairs = [f"{letter}={format_bits(bits)}" for letter, bits in zip(letters, rates)]
        return {
            "rate": format_bits(rates[0]) if len(set(rates)) == 1 else ",".join(pairs),
            "burst": by_axis([self.burst_of(bits) for bits in rates]),
            "limit": by_axis([self.limit_of(bits) for bits in rates]),
            "tcp": self.tcp,
        }

    def to_dict(self) -> dict[str, Any]:
        """For the state file."""
        return asdict(self)


def make_plan(
    name: str,
    machine: Machine,
    rate: str | None,
    burst: int | None = None,
    limit: int | None = None,
    tcp: str | None = None,
) -> Plan:
    """The plan of a lab with the machine's nodes. Raises Error."""
    check_name(name)
    if machine.nodes > MAX_NODES:
        raise failure(f"machine = '{machine.name}': {machine.nodes:,} nodes; a lab has {MAX_NODES:,} at most")
    for what, value in (("burst", burst), ("limit", limit)):
        if value is not None and not 2_000 <= value <= 64 << 20:
            raise failure(f"{what} = {value}: expected 2000 bytes (more than a packet) to 64MiB")
    bits = parse_rates(rate, machine)
    plan = Plan(
        name=name,
        spec=machine.name,
        lengths=[a.length for a in machine.axes],
        wraps=[a.wraps for a in machine.axes],
        ranks_per_node=machine.ranks_per_node,
        bits=bits,
        burst=burst,
        limit=limit,
        tcp=check(tcp) if tcp else "",
    )
    for value in bits:
        if plan.limit_of(value) < plan.burst_of(value):
            raise failure(
                f"limit = {plan.limit_of(value)}: a burst of {plan.burst_of(value)} bytes must find room in the queue; "
                f"expected a limit of that at least, or a smaller burst"
            )
    dead = set(machine.dead_links)
    for axis in range(len(plan.lengths)):
        for node in range(plan.nodes):
            other = plan.neighbour(node, axis, 1)
            if other is None:
                continue
            both = {machine.link(node, 2 * axis + 1), machine.link(other, 2 * axis)}
            if len(both & dead) == 1:
                raise failure(
                    f"machine = '{machine.name}': {plan.link_name(node, axis, 1)} is dead in one direction only; "
                    "a lab's cables are dead in both directions or not at all"
                )
            plan.cables.append(Cable(node, other, axis, bits[axis], absent=bool(both & dead)))
    return plan


def _dimension_ordered(plan: Plan, node: int, target: int, direction: int) -> tuple[int, int] | None:
    """The first port of the route; None at the target."""
    for axis, (here, there) in enumerate(zip(plan.coordinates(node), plan.coordinates(target))):
        if here == there:
            continue
        length = plan.lengths[axis]
        if not plan.wraps[axis]:
            return axis, 1 if there > here else -1
        up = (there - here) % length
        return axis, (direction if 2 * up == length else 1 if 2 * up < length else -1)
    return None


def next_ports(plan: Plan, target: int, direction: int = 1) -> list[tuple[int, int] | None]:
    """For each node the port (axis, sign) of its route to `target`; None at the target itself, and if the port's cable
    is cut and not rerouted.

    With rerouted or absent cables, a node keeps its dimension-ordered route if it uses none of them; any other node
    takes the first port that brings it nearer. So every step shortens the distance, and packets cannot loop.
    """
    ordered = [_dimension_ordered(plan, node, target, direction) for node in range(plan.nodes)]
    if all(c.works for c in plan.cables):
        return ordered
    distance = None
    chosen: list[tuple[int, int] | None] = []
    for node in range(plan.nodes):
        step = ordered[node]
        if step is not None and _meets_avoided(plan, ordered, node):
            distance = distance or _distances(plan, target)
            nearer = (
                port
                for port, (cable, other) in plan.ends[node].items()
                if not cable.avoided and distance[other] < distance[node]
            )
            step = next(nearer, None)
        chosen.append(None if step is not None and plan.ends[node][step][0].cut else step)
    return chosen


def _meets_avoided(plan: Plan, ordered: list[tuple[int, int] | None], node: int) -> bool:
    while (step := ordered[node]) is not None:
        cable, node = plan.ends[node][step]
        if cable.avoided:
            return True
    return False


def _distances(plan: Plan, target: int) -> list[int]:
    """Hops from every node to `target` over cables that are not avoided; more than the number of nodes: unreachable."""
    far = plan.nodes + 1
    distance = [far] * plan.nodes
    distance[target] = 0
    queue = deque([target])
    while queue:
        node = queue.popleft()
        for cable, other in plan.ends[node].values():
            if not cable.avoided and distance[other] == far:
                distance[other] = distance[node] + 1
                queue.append(other)
    return distance


def cut_off(plan: Plan) -> list[int]:
    """Nodes that cannot reach node 0 without avoided cables."""
    return [node for node, hops in enumerate(_distances(plan, 0)) if hops > plan.nodes]
