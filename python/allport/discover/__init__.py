"""Discovers the machine: from a file of coordinates, Slurm's files, host names, or measured latencies; and the levels
within a host.

    found = ap.discover.discover(coordinates="hosts.txt")
    open("mine.toml", "w").write(found.machine.to_toml())
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from allport.discover import coordinates as _coordinates
from allport.discover import hwloc, latencies, pmix, slurm
from allport.discover.shape import ABSENT, Evidence, Shape, grid_of
from allport.errors import failure
from allport.machine import Machine, as_machine
from allport.network import files, hostlist
from allport.network.slurm import find as find_slurm

__all__ = ["ABSENT", "Discovery", "Evidence", "discover", "latencies", "pmix"]


@dataclass(frozen=True)
class Discovery:
    """hosts: the host name at every place, in the order of ranks; '-' if there is none. evidence: what was found, its
    source, and how certain it is."""

    machine: Machine
    hosts: tuple[str, ...]
    evidence: tuple[Evidence, ...]

    def to_dict(self) -> dict[str, Any]:
        """As a dict."""
        return {
            "machine": self.machine.to_dict(),
            "hosts": list(self.hosts),
            "evidence": [e.to_dict() for e in self.evidence],
        }


def _network(
    coordinates: str | Path | None,
    slurm_file: str | Path | None,
    nodes: list[str] | None,
    topology: str | None,
    measured: Shape | None,
    named_by_place: bool,
) -> Shape:
    """The network by the first available source, the most certain first."""
    if coordinates is not None:
        return _coordinates.read(coordinates)
    if slurm_file is not None:
        return slurm.read(slurm_file, nodes, topology)
    if measured is not None:
        return measured
    source = "the names of hosts"
    if nodes and named_by_place and (named := slurm.by_names(nodes, source)):
        return named
    if (found := find_slurm()) is not None:
        return slurm.read(found, nodes, topology)
    if nodes and len(nodes) > 1:
        line = grid_of({host: (i,) for i, host in enumerate(nodes)}, source, wraps=(False,))
        unknown = Evidence("network", "unknown: a line in the order of the names", "no source says", "assumed")
        return Shape(line.lengths, line.wraps, (), line.hosts, (unknown,))
    alone = Evidence("network", "none: this computer alone", "no source names other hosts", "assumed")
    return Shape((1,), (False,), (), (nodes[0] if nodes else os.uname().nodename,), (alone,))


def discover(
    *,
    coordinates: str | Path | None = None,
    slurm_file: str | Path | None = None,
    nodes: str | Sequence[str] | None = None,
    topology: str | None = None,
    measured: Shape | None = None,
    within: bool = True,
    name: str = "discovered",
    rates: Machine | str = "laptop",
) -> Discovery:
    """The machine, by the first of these sources that is given or found.

    coordinates: a file of lines `host x y z`. slurm_file: a topology.conf or topology.yaml; topology: the name of one
    in the latter. measured: the result of latencies.join() or run(), or of pmix.join(). nodes: Slurm's host list, or
    names; default: those of the job (SLURM_JOB_NODELIST); hosts named by boxes of coordinates (tux[000x133]) are a
    torus. Then Slurm's own files. within: add the sockets, NUMA domains and cores of this computer, assumed equal on
    every host. rates: the machine whose link rates are used until the network is calibrated. Evidence also names the
    networks that this computer describes as graphs, which `allport network` reads. Raises Error naming the file and the
    line.
    """
    if coordinates is not None and slurm_file is not None:
        raise failure("coordinates, slurm_file: expected one of the two")
    told = nodes if nodes is not None else os.environ.get("SLURM_JOB_NODELIST")
    hosts = hostlist.expand(told) if isinstance(told, str) else None if told is None else list(told)
    named_by_place = isinstance(told, str) and hostlist.has_boxes(told)
    shape = _network(coordinates, slurm_file, hosts, topology, measured, named_by_place)
    if within and not shape.inside:
        shape = shape.within(*hwloc.read())
    where = as_machine(rates)
    stand_in = Evidence("rates of links", where.name, "not measured: allport machine calibrate", "assumed")
    graphs = files.evidence_here(slurm_file)
    return Discovery(shape.machine(name, where), shape.hosts, (*shape.evidence, stand_in, *graphs))
