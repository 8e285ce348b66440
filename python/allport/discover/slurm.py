"""Shapes of networks from Slurm's topology.conf and topology.yaml: trees of switches, blocks, and tori with hosts named
by coordinates."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from allport.discover.shape import Shape, grid_of, tree_of
from allport.network import hostlist, slurm, slurm_torus
from allport.network.lines import text_of

__all__ = ["by_names", "read"]

# Names of levels, hosts first; Slurm has none.
SWITCHES = ("host", "leaf", "pod", "spine")
BLOCKS = ("host", "block", "group", "hall")


Wanted = Callable[[str], bool]


def _tree(told: slurm.Description, wanted: Wanted) -> Shape:
    """The shape of a tree of switches."""
    child = {name for switch in told.switches.values() for name in switch.switches}

    def branch(name: str) -> list:
        switch = told.switches[name]
        return [*(s for s in map(branch, switch.switches) if s), *filter(wanted, switch.hosts)]

    roots = [r for r in (branch(name) for name in told.switches if name not in child) if r]
    return tree_of(roots[0] if len(roots) == 1 else roots, SWITCHES, told.where, "switches")


def _blocks(told: slurm.Description, wanted: Wanted) -> Shape:
    """The shape of blocks of hosts."""
    left = [hosts for hosts in ([*filter(wanted, hosts)] for hosts in told.blocks.values()) if hosts]
    return tree_of(slurm.grouped(left, told.sizes), BLOCKS, told.where, "blocks")


def read(path: str | Path, nodes: Iterable[str] | None = None, topology: str | None = None) -> Shape:
    """The network in a topology.conf or topology.yaml, by the file's suffix. nodes: only these hosts. topology: the
    name of one in a topology.yaml; default: the cluster's default. Raises Error."""
    chosen = None if nodes is None else set(nodes)

    def wanted(host: str) -> bool:
        return chosen is None or host in chosen

    text, where = text_of(path), str(path)
    is_yaml = Path(path).suffix in (".yaml", ".yml")
    told = slurm.parse_yaml(text, where, topology) if is_yaml else slurm.parse_conf(text, where)
    if told.tori:
        torus = slurm_torus.chosen(told.tori, told.where, wanted)
        return grid_of(torus.places, f"{told.where}, torus {torus.name}", torus.lengths, (True, True, True))
    return _blocks(told, wanted) if told.blocks else _tree(told, wanted)


def by_names(nodes: list[str], source: str) -> Shape | None:
    """The torus of hosts named by their coordinates, as for Slurm's 3d_torus; None if they are not."""
    places = {host: hostlist.coordinates(host) for host in nodes}
    if not nodes or any(place is None for place in places.values()):
        return None
    return grid_of({host: place for host, place in places.items() if place is not None}, source)
