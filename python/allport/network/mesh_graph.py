"""Reads tt-fabric's mesh graph descriptors (textproto): meshes of devices, switches of devices, and graphs of them."""

from __future__ import annotations

import itertools
import math
import re
from dataclasses import dataclass
from typing import NoReturn

from allport.errors import failure
from allport.machine import Axis
from allport.network.evidence import Evidence
from allport.network.graph import Graph
from allport.network.textproto import Message, Value, parse

__all__ = ["graph_of"]

#: Fields by message; those that say nothing about links are read over.
FIELDS = {
    "file": "mesh_descriptors switch_descriptors graph_descriptors top_level_instance pinnings",
    "mesh_descriptors": "name arch device_topology host_topology channels express_connections",
    "switch_descriptors": "name arch device_topology host_topology channels express_connections",
    "device_topology": "dims dim_types types",
    "channels": "count policy",
    "express_connections": "src dst",
    "graph_descriptors": "name type instances channels graph_topology connections",
    "graph_topology": "layout_type channels assign_z_direction",
    "connections": "nodes channels directional assign_z_direction routing_direction",
    "instances": "mesh switch graph",
    "nodes": "mesh switch graph",
    "top_level_instance": "mesh switch graph",
    "mesh": "mesh_descriptor mesh_id device_id",
    "switch": "switch_descriptor switch_id device_id",
    "graph": "graph_descriptor graph_id mesh switch graph",
}
MOST_DEVICES = 1 << 20
MOST_DEPTH = 32  # graphs within each other


@dataclass(frozen=True)
class _Instance:
    """A mesh, a switch or a graph that exists. devices: their vertices; none of a graph. inner: by id."""

    descriptor: str
    devices: tuple[str, ...]
    inner: dict[int, _Instance]


class _Reader:
    def __init__(self, text: str, where: str, link: Axis) -> None:
        self.where = where
        self.link = link
        self.graph = Graph(where, forwards=True)
        self.file = self.checked(parse(text, where), "file")
        self.channels = self.total = 0

    def fail(self, at: Value | Message, message: str) -> NoReturn:
        raise failure(f"{self.where}, line {at.line}: {message}")

    def checked(self, message: Message, name: str) -> Message:
        """The message if it has known fields only."""
        known = FIELDS[name].split()
        for field, value in message.fields:
            if field not in known:
                self.fail(value, f"{field} in {name}: expected one of {', '.join(known)}")
        return message

    def messages(self, message: Message, name: str) -> list[Message]:
        """All messages of a field."""
        found = [value for field, value in message.fields if field == name]
        for value in found:
            if not isinstance(value, Message):
                self.fail(value, f"{name}: expected {{ ... }}")
        return [self.checked(m, name) for m in found if isinstance(m, Message)]

    def message(self, message: Message, name: str) -> Message | None:
        """The only message of a field, if it is there."""
        found = self.messages(message, name)
        if len(found) > 1:
            self.fail(found[1], f"{name}: expected it once")
        return found[0] if found else None

    def values(self, message: Message, name: str) -> list[Value]:
        found = [value for field, value in message.fields if field == name]
        for value in found:
            if isinstance(value, Message):
                self.fail(value, f"{name}: expected a value, not {{ ... }}")
        return [v for v in found if isinstance(v, Value)]

    def word(self, message: Message, name: str) -> str:
        found = self.values(message, name)
        if len(found) != 1:
            self.fail(message, f"{name}: expected it once")
        return found[0].word

    def number(self, message: Message, name: str, least: int, absent: int | None = None) -> int:
        found = self.values(message, name)
        if not found and absent is not None:
            return absent
        if len(found) != 1 or not re.fullmatch(r"\d{1,9}", found[0].word) or int(found[0].word) < least:
            self.fail(found[0] if found else message, f"{name}: expected one whole number from {least} on")
        return int(found[0].word)

    def count(self, message: Message, name: str) -> int:
        """Channels of a connection."""
        found = self.message(message, "channels")
        if found is None:
            self.fail(message, f"{name}: expected channels {{ count: N }}")
        count = self.number(found, "count", 1)
        self.channels = max(self.channels, count)
        return count

    def descriptor(self, kind: str, name: str, at: Message) -> Message:
        found = [m for m in self.messages(self.file, f"{kind}_descriptors") if self.word(m, "name") == name]
        if len(found) != 1:
            self.fail(at, f"{kind}_descriptor '{name}': expected one of {kind}_descriptors, described once")
        return found[0]

    def read(self) -> None:
        top = self.message(self.file, "top_level_instance")
        if top is None:
            self.fail(self.file, "expected a top_level_instance")
        self.instance(top, "", 0)

    def reference(self, node: Message) -> tuple[str, Message, str, int]:
        """(mesh, switch or graph; the reference itself; its descriptor's name; its number)."""
        kinds = [kind for kind, _ in node.fields]
        if len(kinds) != 1:
            self.fail(node, "expected one of mesh, switch and graph")
        kind = kinds[0]
        inner = self.message(node, kind)
        assert inner is not None
        return kind, inner, self.word(inner, f"{kind}_descriptor"), self.number(inner, f"{kind}_id", 0, 0)

    def instance(self, node: Message, prefix: str, depth: int) -> _Instance:
        """Makes what a reference names: its devices and links."""
        kind, at, name, number = self.reference(node)
        if depth > MOST_DEPTH:
            self.fail(at, f"expected at most {MOST_DEPTH} graphs within each other")
        told = self.descriptor(kind, name, at)
        own = f"{prefix}{kind} {number} "
        if kind != "graph":
            return _Instance(name, self.devices(told, kind, own), {})
        inner: dict[int, _Instance] = {}
        for one in self.messages(told, "instances"):
            id_ = self.reference(one)[3]
            if id_ in inner:
                self.fail(one, f"number {id_} is there already: expected another one for each instance of {name}")
            inner[id_] = self.instance(one, own if depth else "", depth + 1)
        found = _Instance(name, (), inner)
        self.connect(told, found)
        return found

    def devices(self, told: Message, kind: str, prefix: str) -> tuple[str, ...]:
        """Adds the devices of a mesh, in row-major order, and the links between neighbours."""
        topology = self.message(told, "device_topology")
        dims = [self.size(v) for v in self.values(topology, "dims")] if topology else []
        self.total += math.prod(dims)
        if topology is None or not dims or self.total > MOST_DEVICES:
            self.fail(told, f"device_topology: expected dims of 1 to {MOST_DEVICES:,} devices in all")
        types = [v for key in ("dim_types", "types") for v in self.values(topology, key)]
        for type_ in types:
            if type_.word not in ("LINE", "RING"):
                self.fail(type_, f"{type_.word}: expected LINE or RING")
        if len(types) > len(dims):
            self.fail(topology, f"dim_types: expected at most {len(dims)}, one for each of dims")
        rings = [t.word == "RING" for t in types] + [False] * (len(dims) - len(types))
        places = list(itertools.product(*map(range, dims)))
        names = tuple(f"{prefix}device {i}" for i in range(len(places)))
        for name in names:
            add = self.graph.node if kind == "mesh" else self.graph.switch
            add(name, f"{self.where}, line {told.line}")
        index = dict(zip(places, names, strict=True))
        count = self.count(told, kind)
        for place in places:
            for axis, length in enumerate(dims):
                # A ring of one or two devices has no link of its own that closes it.
                if place[axis] + 1 < length or (rings[axis] and length > 2):
                    there = (*place[:axis], (place[axis] + 1) % length, *place[axis + 1 :])
                    self.graph.cable(index[place], index[there], self.link.bandwidth, self.link.latency, count)
        for express in self.messages(told, "express_connections"):
            a, b = (self.number(express, key, 0, 0) for key in ("src", "dst"))
            if a == b or max(a, b) >= len(names):
                self.fail(express, f"src {a}, dst {b}: expected two devices below {len(names)}")
            self.graph.cable(names[a], names[b], self.link.bandwidth, self.link.latency, count)
        return names

    def size(self, value: Value) -> int:
        if not re.fullmatch(r"[1-9]\d{0,6}", value.word):
            self.fail(value, f"dims: {value.word}: expected a whole number of devices from 1 on")
        return int(value.word)

    def device(self, node: Message, of: _Instance) -> str:
        """The vertex that a connection's end names."""
        kind, at, name, number = self.reference(node)
        found = of.inner.get(number)
        if found is None or found.descriptor != name:
            self.fail(at, f"{kind} {name} {number}: expected one of the graph's instances")
        if kind == "graph":
            inner = [(key, value) for key, value in at.fields if key in ("mesh", "switch", "graph")]
            if len(inner) != 1:
                self.fail(at, f"graph {number}: which of its devices is linked is not stated; name mesh and device_id")
            return self.device(Message(at.line, inner), found)
        if not self.values(at, "device_id") and len(found.devices) != 1:
            self.fail(at, f"{kind} {number}: which of its devices is linked is not stated; add device_id")
        id_ = self.number(at, "device_id", 0, 0)
        if id_ >= len(found.devices):
            self.fail(at, f"device_id {id_}: expected a device below {len(found.devices)}")
        return found.devices[id_]

    def connect(self, told: Message, graph: _Instance) -> None:
        """Adds the links between the instances of a graph."""
        for connection in self.messages(told, "connections"):
            ends = [self.device(node, graph) for node in self.messages(connection, "nodes")]
            if len(ends) != 2 or ends[0] == ends[1]:
                self.fail(connection, "nodes: expected two, which differ")
            count = self.count(connection, "connections")
            directed = any(v.word in ("true", "True", "t", "1") for v in self.values(connection, "directional"))
            add = self.graph.link if directed else self.graph.cable
            add(ends[0], ends[1], self.link.bandwidth, self.link.latency, count)
        layouts = [value for field, value in told.fields if field == "graph_topology"]
        if layouts:
            self.lay_out(told, layouts[0], graph)

    def lay_out(self, told: Message, at: Value | Message, graph: _Instance) -> None:
        """Adds the links of a graph_topology: newer descriptors have a message there, older ones the layout alone, and
        its channels beside it."""
        layout = at.word if isinstance(at, Value) else self.word(self.checked(at, "graph_topology"), "layout_type")
        if layout not in ("RING", "ALL_TO_ALL"):
            self.fail(at, f"graph_topology: {layout}: expected RING or ALL_TO_ALL")
        count = self.count(at if isinstance(at, Message) else told, "graph_topology")
        for number, member in graph.inner.items():
            if len(member.devices) != 1:
                self.fail(
                    at,
                    f"graph_topology: which devices of {member.descriptor} {number} are linked is not stated; write "
                    "connections with device_id in its place",
                )
        members = [member.devices[0] for member in graph.inner.values()]
        for i, j in itertools.combinations(range(len(members)), 2):
            if layout == "ALL_TO_ALL" or j == i + 1 or (i == 0 and j == len(members) - 1):
                self.graph.cable(members[i], members[j], self.link.bandwidth, self.link.latency, count)


def graph_of(text: str, where: str, link: Axis) -> tuple[Graph, list[Evidence]]:
    """The network in the text: devices of meshes compute and forward, those of switches forward. link: of one channel,
    whose rate the descriptor does not state. Raises Error naming the line."""
    reader = _Reader(text, where, link)
    reader.read()
    most = Evidence("channels of a connection", f"{reader.channels} at most, each a link", where, "stated")
    return reader.graph, [most]
