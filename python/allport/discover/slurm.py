"""Reads Slurm's topology.conf and topology.yaml: trees of switches, blocks, and tori with hosts named by
coordinates."""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from allport.discover import hostlist
from allport.discover.coordinates import lines_of
from allport.discover.shape import Shape, grid_of, tree_of
from allport.discover.torus import torus_of
from allport.errors import failure

__all__ = ["by_names", "find", "read"]

# Names of levels, hosts first; Slurm has none.
SWITCHES = ("host", "leaf", "pod", "spine")
BLOCKS = ("host", "block", "group", "hall")
SETTING = re.compile(r"(\w+)\s*=\s*(?:\"([^\"]*)\"|([^\s\"]\S*))")
FOLDERS = ("/etc/slurm", "/etc/slurm-llnl", "/usr/local/etc/slurm")


def find() -> Path | None:
    """The topology file of this computer's Slurm; topology.yaml takes precedence over topology.conf, as in Slurm."""
    told = os.environ.get("SLURM_CONF")
    for folder in [str(Path(told).parent)] if told else FOLDERS:
        for name in ("topology.yaml", "topology.conf"):
            if (Path(folder) / name).is_file():
                return Path(folder) / name
    return None


def _tree(source: str, hosts_of: dict[str, list[str]], below: dict[str, list[str]], kept: Kept) -> Shape:
    """The shape of a tree of switches. hosts_of, below: hosts and switches directly below each switch."""
    child = {name for names in below.values() for name in names}
    for name in sorted(child - hosts_of.keys()):
        raise failure(f"{source}: switch {name} is below another one, but not described")

    def branch(name: str, above: tuple[str, ...]) -> list:
        if name in above:
            raise failure(f"{source}: switch {name} is below itself")
        switches = [branch(inner, (*above, name)) for inner in below[name]]
        hosts = [host for host in hosts_of[name] if kept(host)]
        return [*(s for s in switches if s), *hosts]

    roots = [r for r in (branch(name, ()) for name in hosts_of if name not in child) if r]
    if not roots and hosts_of and len(child) == len(hosts_of):
        raise failure(f"{source}: every switch is below another one: expected one at the top")
    return tree_of(roots[0] if len(roots) == 1 else roots, SWITCHES, source, "switches")


def _blocks(source: str, blocks: list[list[str]], sizes: list[int], kept: Kept) -> Shape:
    """The shape of blocks of hosts. sizes: of a block, then of the larger blocks that consist of several."""
    tree: list = [left for left in ([h for h in hosts if kept(h)] for hosts in blocks) if left]
    for smaller, larger in itertools.pairwise(sizes):
        if smaller < 1 or larger % smaller:
            raise failure(f"{source}: block sizes {sizes}: expected each to be a multiple of the one before")
        count = larger // smaller
        grouped = [tree[i : i + count] for i in range(0, len(tree), count)]
        if len(grouped) > 1:
            tree = grouped
    return tree_of(tree, BLOCKS, source, "blocks")


Kept = Callable[[str], bool]


def _conf(path: Path, kept: Kept) -> Shape:
    hosts_of: dict[str, list[str]] = {}
    below: dict[str, list[str]] = {}
    blocks: list[list[str]] = []
    sizes: list[int] = []
    for number, line in lines_of(path, continued=True):
        where = f"{path}, line {number}"
        if left := SETTING.sub("", line).strip():
            raise failure(f"{where}: '{left}': expected Name=Value alone, values without blanks or in quotes")
        said = {key.lower(): quoted or plain for key, quoted, plain in SETTING.findall(line)}
        if "switchname" in said:
            name = said["switchname"]
            if name in hosts_of:
                raise failure(f"{where}: switch {name} is described twice")
            if not said.keys() & {"nodes", "switches"}:
                raise failure(f"{where}: switch {name}: expected Nodes= or Switches= below it")
            hosts_of[name] = hostlist.expand(said.get("nodes", ""))
            below[name] = hostlist.expand(said.get("switches", ""))
        elif "blockname" in said:
            blocks.append(hostlist.expand(said.get("nodes", "")))
        elif "blocksizes" in said:
            sizes = [_size(s, where) for s in said["blocksizes"].split(",")]
        elif "blocklevels" not in said:
            raise failure(
                f"{where}: '{line}': expected SwitchName=, BlockName= or BlockSizes=; tori are in topology.yaml"
            )
    if blocks and hosts_of:
        raise failure(f"{path}: has switches and blocks: expected one of the two")
    return _blocks(str(path), blocks, sizes, kept) if blocks else _tree(str(path), hosts_of, below, kept)


def _size(text: Any, where: str) -> int:
    if not str(text).strip().isdecimal():
        raise failure(f"{where}: block size '{text}': expected a number of hosts")
    return int(str(text))


def _entries(value: Any, key: str, where: str) -> Iterable[dict[str, Any]]:
    if not isinstance(value, list) or not all(isinstance(entry, dict) and key in entry for entry in value):
        raise failure(f"{where}: expected a list of entries, each with '{key}:'")
    return value


def _yaml(path: Path, kept: Kept, wanted: str | None) -> Shape:
    try:
        import yaml
    except ImportError:
        raise failure(f"{path}: needs PyYAML to be read: pip install 'allport[slurm]'", "unsupported") from None
    try:
        told = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise failure(f"{path}: cannot be read: {error}", "io") from None
    all_ = list(_entries(told, "topology", str(path)))
    names = [str(entry["topology"]) for entry in all_]
    usual = [n for n, entry in zip(names, all_, strict=True) if entry.get("cluster_default") is True] or names
    name = wanted or usual[0]
    if name not in names:
        raise failure(f"topology = '{name}': expected one of {', '.join(names)} in {path}")
    entry, where = all_[names.index(name)], f"{path}, topology {name}"
    if isinstance(tree := entry.get("tree"), dict):
        switches = list(_entries(tree.get("switches"), "switch", where))
        hosts_of = {str(s["switch"]): hostlist.expand(str(s.get("nodes") or "")) for s in switches}
        below = {str(s["switch"]): hostlist.expand(str(s.get("children") or "")) for s in switches}
        return _tree(where, hosts_of, below, kept)
    if isinstance(block := entry.get("block"), dict):
        blocks = [hostlist.expand(str(b.get("nodes") or "")) for b in _entries(block.get("blocks"), "block", where)]
        return _blocks(where, blocks, [_size(s, where) for s in block.get("block_sizes") or []], kept)
    if isinstance(torus := entry.get("torus3d"), dict):
        return torus_of(torus, where, kept)
    kinds = sorted(entry.keys() - {"topology", "cluster_default"})
    raise failure(
        f"{where}: is {', '.join(kinds) or 'nothing'}: expected a tree, blocks or torus3d; of other kinds write the "
        "places of the hosts into a file of coordinates"
    )


def read(path: str | Path, nodes: Iterable[str] | None = None, topology: str | None = None) -> Shape:
    """The network in a topology.conf or topology.yaml, by the file's suffix. nodes: only these hosts. topology: the
    name of one in a topology.yaml; default: the cluster's default. Raises Error."""
    chosen = None if nodes is None else set(nodes)

    def kept(host: str) -> bool:
        return chosen is None or host in chosen

    path = Path(path)
    return _yaml(path, kept, topology) if path.suffix in (".yaml", ".yml") else _conf(path, kept)


def by_names(nodes: list[str], source: str) -> Shape | None:
    """The torus of hosts named by their coordinates, as for Slurm's 3d_torus; None if they are not."""
    places = {host: hostlist.coordinates(host) for host in nodes}
    if not nodes or any(place is None for place in places.values()):
        return None
    return grid_of({host: place for host, place in places.items() if place is not None}, source)
