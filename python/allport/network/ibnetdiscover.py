"""Reads the text that ibnetdiscover prints (infiniband-diags): switches, adapters, and which port is wired to which."""

from __future__ import annotations

import re
from dataclasses import dataclass

from allport.errors import failure
from allport.machine import Axis
from allport.network.evidence import Evidence
from allport.network.graph import Graph

__all__ = ["RATES", "graph_of"]

#: Gbit/s of one lane after encoding, by the name of its speed (InfiniBand Trade Association).
RATES = {
    "SDR": 2.0,
    "DDR": 4.0,
    "QDR": 8.0,
    "FDR10": 10.0,
    "FDR": 13.64,
    "EDR": 25.0,
    "HDR": 50.0,
    "NDR": 100.0,
    "XDR": 200.0,
}
HEADER = re.compile(r'(Switch|Ca|Rt)\s+\d{1,9}\s+"([SHR]-[0-9a-f]+)"\s*(?:#\s*"(.*?)"(?:\s.*)?)?')
PORT = re.compile(
    r"\[(\d{1,9})\](?:\[ext \d+\])?\s*(?:\([0-9a-fx]+\))?\s+"
    r'"([SHR?]-[0-9a-f]+)"\[(\d{1,9})\](?:\[ext \d+\])?\s*(?:\([0-9a-fx]+\))?\s*(?:#(.*))?'
)
#: What stands between the nodes: identifiers, chassis, and titles of groups.
BETWEEN = re.compile(
    r"(?:vendid|devid|sysimgguid|switchguid|caguid|rtguid)=.*|Chassis \d+.*|Hostname: .*|Non-Chassis Nodes|#.*"
)
WARNING = re.compile(r"ib(?:warn|panic|error): .*")
WIDTH = re.compile(r"(\d{1,3})x([A-Z]+\d*)")
#: The description that hosts give their adapters: the host's name, then the device's (rdma-ndd).
ADAPTER = re.compile(r"(\S+) (?:HCA-\d+|(?:mlx|mthca|qib|hfi|irdma|ibp|rocep|roce)\w*)(?: .*)?")


@dataclass
class _Node:
    kind: str  # Switch, Ca or Rt
    key: str  # S-0008f104004116b5
    description: str
    line: int


@dataclass
class _Port:
    peer: tuple[str, int]
    rate: str  # 4xEDR
    line: int


def graph_of(text: str, where: str, link: Axis) -> tuple[Graph, list[Evidence]]:
    """The network in the text. Adapters are one compute node where they call themselves by the same host; the network's
    own aggregation nodes (SHARP) are left out. link: has the latency. Raises Error naming the line."""
    nodes, ports, warnings = _parsed(text, where)
    names, hosts = _names(nodes)
    graph = Graph(where)
    for node in nodes.values():
        name = names.get(node.key)
        if node.kind == "Ca" and name is not None and name not in graph:
            graph.node(name, f"{where}, line {node.line}")
    for node in nodes.values():
        if node.kind != "Ca":
            graph.switch(names[node.key], f"{where}, line {node.line}")
    used: set[str] = set()
    for (key, number), port in ports.items():
        here = f"{where}, line {port.line}"
        peer = port.peer
        if peer[0] not in nodes:
            raise failure(f"{here}: {peer[0]} is not described: expected the whole output of ibnetdiscover")
        back = ports.get(peer)
        if back is not None and (back.peer != (key, number) or back.rate != port.rate):
            raise failure(
                f"{here}: port {number} of {key} leads to port {peer[1]} of {peer[0]} at {port.rate}, whose line "
                f"{back.line} says otherwise: expected both ends of a cable to agree"
            )
        if back is not None and back.line < port.line:
            continue  # the cable's other end came first
        if key in names and peer[0] in names:
            if names[key] == names[peer[0]]:
                raise failure(f"{here}: leads from {names[key]} to itself: expected two nodes")
            used.add(port.rate)
            graph.cable(names[key], names[peer[0]], _bandwidth(port.rate, here), link.latency)
    rates = ", ".join(f"{rate} {RATES[rate.split('x')[1]] * int(rate.split('x')[0]):g} Gbit/s" for rate in sorted(used))
    evidence = [Evidence("rates of links", f"after encoding: {rates or 'no links'}", where, "stated")]
    if hosts:
        evidence.append(
            Evidence("adapters of a host", f"one node, {hosts} hosts named by their adapters", where, "stated")
        )
    if left := sum(node.kind == "Ca" and node.key not in names for node in nodes.values()):
        evidence.append(Evidence("left out", f"{left} aggregation nodes of switches", where, "stated"))
    if warnings:
        evidence.append(Evidence("warnings", f"{warnings} of ibnetdiscover: parts may be missing", where, "stated"))
    return graph, evidence


def _bandwidth(rate: str, where: str) -> float:
    """Bytes/s of 4xEDR."""
    found = WIDTH.fullmatch(rate)
    if found is None or found[2] not in RATES or int(found[1]) < 1:
        raise failure(
            f"{where}: rate '{rate}': expected lanes and a speed, as 4xHDR, of {', '.join(RATES)}; a newer "
            "ibnetdiscover names newer speeds, or write the rate into the file"
        )
    return round(int(found[1]) * RATES[found[2]] * 1e9 / 8)


def _parsed(text: str, where: str) -> tuple[dict[str, _Node], dict[tuple[str, int], _Port], int]:
    """Nodes by their keys, ports by node and number, and the number of warnings."""
    nodes: dict[str, _Node] = {}
    ports: dict[tuple[str, int], _Port] = {}
    warnings, current = 0, ""
    for number, line in enumerate(text.splitlines(), 1):
        line = line.strip()
        here = f"{where}, line {number}"
        if header := HEADER.fullmatch(line):
            current = header[2]
            if current in nodes:
                raise failure(f"{here}: {current} is described twice")
            nodes[current] = _Node(header[1], current, (header[3] or "").strip(), number)
        elif port := PORT.fullmatch(line):
            if not current:
                raise failure(f"{here}: a port without a node: expected a line as 'Switch 36 \"S-...\"' before it")
            if (current, int(port[1])) in ports:
                raise failure(f"{here}: port {port[1]} of {current} is described twice")
            # The rate is the last word but for --full's `s=4 w=2 v=5`, or a slot's.
            words = (port[4] or "").rpartition('"')[2].split()
            rate = next((word for word in words if "x" in word or "?" in word), "")
            ports[current, int(port[1])] = _Port((port[2], int(port[3])), rate, number)
        elif WARNING.fullmatch(line):
            warnings += 1
        elif line and not BETWEEN.fullmatch(line):
            raise failure(
                f"{here}: '{line[:80]}': expected what ibnetdiscover prints without -l, -p or -g's titles: a node "
                "(Switch, Ca, Rt), its ports, or identifiers"
            )
    return nodes, ports, warnings


def _names(nodes: dict[str, _Node]) -> tuple[dict[str, str], int]:
    """Names by key, none for aggregation nodes; and the number of hosts that name their adapters."""
    names: dict[str, str] = {}
    hosts: dict[str, str] = {}
    for node in nodes.values():
        if node.kind == "Ca" and "Aggregation Node" in node.description:
            continue
        if node.kind == "Ca" and (adapter := ADAPTER.fullmatch(node.description)):
            hosts[node.key] = adapter[1]
        names[node.key] = node.description
    taken: dict[str, int] = {}
    for key, name in names.items():
        if key not in hosts:
            taken[name] = taken.get(name, 0) + 1
    for host in set(hosts.values()):
        taken[host] = taken.get(host, 0) + 1
    for key, name in names.items():
        said = hosts.get(key, name)
        # What several call themselves, or nothing, is told apart by the identifier.
        unclear = not said or taken[said] > 1
        names[key] = said if not unclear else f"{said} {key}".strip()
    return names, len(set(hosts.values()))
