"""Reads Slurm's topology.conf and topology.yaml: trees of switches, blocks of hosts, and tori."""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from allport.errors import failure
from allport.machine import Axis
from allport.network import hostlist, slurm_torus
from allport.network.evidence import Evidence
from allport.network.graph import Graph
from allport.network.lines import lines_of

__all__ = ["Description", "Switch", "find", "graph_of", "grouped", "parse_conf", "parse_yaml"]

SETTING = re.compile(r"(\w+)\s*=\s*(?:\"([^\"]*)\"|([^\s\"]\S*))")
LINE = "line of the file"  # a key that the reader of YAML adds to each mapping
FOLDERS = ("/etc/slurm", "/etc/slurm-llnl", "/usr/local/etc/slurm")


def find() -> Path | None:
    """The topology file of this computer's Slurm; topology.yaml takes precedence over topology.conf, as in Slurm."""
    told = os.environ.get("SLURM_CONF")
    for folder in [str(Path(told).parent)] if told else FOLDERS:
        for name in ("topology.yaml", "topology.conf"):
            if (Path(folder) / name).is_file():
                return Path(folder) / name
    return None


@dataclass(frozen=True)
class Switch:
    """Hosts and switches directly below a switch. where: the file and the line."""

    hosts: list[str]
    switches: list[str]
    where: str


@dataclass
class Description:
    """One topology: switches, or blocks, or tori. sizes: of a block, then of the larger blocks that consist of several.
    where: the file, and the topology's name if it has one."""

    where: str
    switches: dict[str, Switch] = field(default_factory=dict)
    blocks: dict[str, list[str]] = field(default_factory=dict)
    sizes: list[int] = field(default_factory=list)
    tori: list[slurm_torus.Torus] = field(default_factory=list)

    def add_switch(self, name: str, hosts: str, switches: str, where: str) -> None:
        """Raises Error if the switch is there already."""
        if name in self.switches:
            raise failure(f"{where}: switch {name} is described twice")
        self.switches[name] = Switch(hostlist.expand(hosts), hostlist.expand(switches), where)

    def add_block(self, name: str, hosts: str, where: str) -> None:
        """Raises Error if the block is there already."""
        if name in self.blocks:
            raise failure(f"{where}: block {name} is described twice")
        self.blocks[name] = hostlist.expand(hosts)

    def checked(self) -> Description:
        """Raises Error where switches are missing or below themselves, or sizes do not fit."""
        for switch in self.switches.values():
            for name in switch.switches:
                if name not in self.switches:
                    raise failure(f"{switch.where}: switch {name} is below another one, but not described")
        if self.switches and len({n for s in self.switches.values() for n in s.switches}) == len(self.switches):
            raise failure(f"{self.where}: every switch is below another one: expected one at the top")
        _upwards(self)
        for smaller, larger in itertools.pairwise(self.sizes):
            if smaller < 1 or larger <= smaller or larger % smaller:
                sizes = f"{self.where}: block sizes {self.sizes}"
                raise failure(f"{sizes}: expected each to be a multiple of the one before, and larger")
        return self


def _upwards(told: Description) -> list[str]:
    """The switches, each after those below it. Raises Error if one is below itself."""
    left = {name: len(set(switch.switches)) for name, switch in told.switches.items()}
    above: dict[str, list[str]] = {name: [] for name in told.switches}
    for name, switch in told.switches.items():
        for inner in dict.fromkeys(switch.switches):
            above[inner].append(name)
    order = [name for name, count in left.items() if count == 0]
    for name in order:  # grows on the go
        for outer in above[name]:
            left[outer] -= 1
            if left[outer] == 0:
                order.append(outer)
    if len(order) < len(left):
        name = next(name for name, count in left.items() if count)
        raise failure(f"{told.switches[name].where}: switch {name} is below itself, or above one that is")
    return order


def parse_conf(text: str, where: str) -> Description:
    """The topology in the text of a topology.conf. where: the file, for errors. Raises Error."""
    found = Description(where)
    for number, line in lines_of(text, continued=True):
        here = f"{where}, line {number}"
        if left := SETTING.sub("", line).strip():
            raise failure(f"{here}: '{left}': expected Name=Value alone, values without blanks or in quotes")
        said = {key.lower(): quoted or plain for key, quoted, plain in SETTING.findall(line)}
        if "switchname" in said:
            name = said["switchname"]
            if not said.keys() & {"nodes", "switches"}:
                raise failure(f"{here}: switch {name}: expected Nodes= or Switches= below it")
            found.add_switch(name, said.get("nodes", ""), said.get("switches", ""), here)
        elif "blockname" in said:
            found.add_block(said["blockname"], said.get("nodes", ""), here)
        elif "blocksizes" in said:
            found.sizes = [_size(s, here) for s in said["blocksizes"].split(",")]
        elif "blocklevels" not in said:
            raise failure(
                f"{here}: '{line}': expected SwitchName=, BlockName= or BlockSizes=; tori are in topology.yaml"
            )
    if found.blocks and found.switches:
        raise failure(f"{where}: has switches and blocks: expected one of the two")
    return found.checked()


def _size(text: Any, where: str) -> int:
    if not str(text).strip().isdecimal() or len(str(text)) > 9:
        raise failure(f"{where}: block size '{text}': expected a number of hosts")
    return int(str(text))


def _entries(value: Any, key: str, where: str) -> Iterable[dict[str, Any]]:
    if not isinstance(value, list) or not all(isinstance(entry, dict) and key in entry for entry in value):
        raise failure(f"{where}: expected a list of entries, each with '{key}:'")
    return value


def _loaded(text: str, where: str) -> Any:
    """The YAML of a text, its mappings with the numbers of their lines."""
    try:
        import yaml
    except ImportError:
        raise failure(f"{where}: needs PyYAML to be read: pip install 'allport[slurm]'", "unsupported") from None

    class Loader(yaml.SafeLoader):
        def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
            return {**super().construct_mapping(node, deep), LINE: node.start_mark.line + 1}

    try:
        return yaml.load(text, Loader)
    except (yaml.YAMLError, ValueError, TypeError, RecursionError) as error:
        raise failure(f"{where}: cannot be read: {error}", "io") from None


def parse_yaml(text: str, where: str, topology: str | None = None) -> Description:
    """A topology in the text of a topology.yaml. topology: its name; default: the cluster's default. Raises Error."""
    all_ = list(_entries(_loaded(text, where), "topology", where))
    names = [str(entry["topology"]) for entry in all_]
    defaults = [n for n, entry in zip(names, all_, strict=True) if entry.get("cluster_default") is True] or names
    if not defaults:
        raise failure(f"{where}: names no topology: expected a list of entries, each with 'topology:'")
    name = topology or defaults[0]
    if name not in names:
        raise failure(f"topology = '{name}': expected one of {', '.join(names)} in {where}")
    entry = all_[names.index(name)]
    found = Description(f"{where}, topology {name}")
    if isinstance(tree := entry.get("tree"), dict):
        for s in _entries(tree.get("switches"), "switch", found.where):
            here = f"{where}, line {s[LINE]}"
            found.add_switch(str(s["switch"]), str(s.get("nodes") or ""), str(s.get("children") or ""), here)
    elif isinstance(block := entry.get("block"), dict):
        for b in _entries(block.get("blocks"), "block", found.where):
            found.add_block(str(b["block"]), str(b.get("nodes") or ""), f"{where}, line {b[LINE]}")
        sizes = block.get("block_sizes") or []
        if not isinstance(sizes, list):
            raise failure(f"{found.where}: block_sizes: expected a list of numbers of hosts")
        found.sizes = [_size(s, found.where) for s in sizes]
    elif isinstance(torus := entry.get("torus3d"), dict):
        found.tori = slurm_torus.tori(torus, found.where)
    else:
        kinds = sorted(str(kind) for kind in entry.keys() - {"topology", "cluster_default", LINE})
        raise failure(
            f"{found.where}: is {', '.join(kinds) or 'nothing'}: expected a tree, blocks or torus3d; of other kinds "
            "write the places of the hosts into a file of coordinates"
        )
    return found.checked()


def grouped(blocks: list, sizes: list[int]) -> list:
    """Blocks as nested lists: larger blocks hold as many as their sizes say, in the order of the file."""
    for smaller, larger in itertools.pairwise(sizes):
        count = larger // smaller
        groups = [blocks[i : i + count] for i in range(0, len(blocks), count)]
        if len(groups) > 1:
            blocks = groups
    return blocks


def graph_of(told: Description, link: Axis, nodes: Iterable[str] | None = None) -> tuple[Graph, list[Evidence]]:
    """The network of a topology. Each host has a link as `link` is; a switch's links upwards are together as fast as
    all hosts below it, because no source says how fast they are. nodes: of several tori the one that has these hosts.
    Raises Error."""
    if told.tori:
        return _torus(told, link, None if nodes is None else set(nodes)), []
    graph = Graph(told.where)
    if told.blocks:
        _blocks(graph, told, link)
    else:
        _tree(graph, told, link)
    return graph, [Evidence("links between switches", "as fast as all hosts below them", "no source says", "assumed")]


def _tree(graph: Graph, told: Description, link: Axis) -> None:
    below: dict[str, set[str]] = {}
    parents: dict[str, int] = dict.fromkeys(told.switches, 0)
    for switch in told.switches.values():
        for inner in dict.fromkeys(switch.switches):
            parents[inner] += 1
        for host in switch.hosts:
            if host not in graph:  # a host may be below several switches
                graph.node(host, switch.where)
    for name in _upwards(told):
        switch = told.switches[name]
        below[name] = {*switch.hosts}.union(*(below[inner] for inner in switch.switches))
        if not below[name]:
            continue
        graph.switch(name, switch.where)
        for host in dict.fromkeys(switch.hosts):
            graph.cable(host, name, link.bandwidth, link.latency)
        for inner in dict.fromkeys(switch.switches):
            if below[inner]:
                graph.cable(inner, name, link.bandwidth * len(below[inner]) / parents[inner], link.latency)


def _blocks(graph: Graph, told: Description, link: Axis) -> None:
    for hosts in told.blocks.values():
        for host in hosts:
            graph.node(host, told.where)

    def add(tree: Any) -> tuple[str, int, list[str]]:
        """Adds a block or a group of them: its switch, how many hosts it has, and its blocks."""
        if isinstance(tree, str):
            graph.switch(tree, told.where)
            for host in told.blocks[tree]:
                graph.cable(host, tree, link.bandwidth, link.latency)
            return tree, len(told.blocks[tree]), [tree]
        inside = [add(inner) for inner in tree]
        if len(inside) == 1:
            return inside[0]
        names = [name for _, _, blocks in inside for name in blocks]
        group = f"{names[0]} to {names[-1]}"
        graph.switch(group, told.where)
        for inner, hosts, _ in inside:
            if hosts:
                graph.cable(inner, group, link.bandwidth * hosts, link.latency)
        return group, sum(hosts for _, hosts, _ in inside), names

    add(grouped(list(told.blocks), told.sizes))


def _torus(told: Description, link: Axis, nodes: set[str] | None) -> Graph:
    part = slurm_torus.chosen(told.tori, told.where, lambda host: nodes is None or host in nodes)
    torus = next(whole for whole in told.tori if part.places.items() <= whole.places.items())
    graph = Graph(f"{told.where}, torus {torus.name}", forwards=True)
    at = {place: host for host, place in torus.places.items()}
    for host in torus.places:
        graph.node(host, told.where)
    places = list(itertools.product(*(range(n) for n in torus.lengths)))
    for place in places:
        if place not in at:
            at[place] = f"({','.join(map(str, place))})"
            graph.switch(at[place], told.where)
    for place in places:
        for axis, length in enumerate(torus.lengths):
            if length > 1:
                next_ = (*place[:axis], (place[axis] + 1) % length, *place[axis + 1 :])
                graph.cable(at[place], at[next_], link.bandwidth, link.latency)
    return graph
