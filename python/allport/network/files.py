"""Networks from files, in the formats of those who wire, run and schedule them; and which of these files are here."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from allport._native import Machine, Topology
from allport.errors import Error, failure
from allport.machine import Axis, as_machine
from allport.network import ibnetdiscover, mesh_graph, nccl, slurm
from allport.network.evidence import Evidence
from allport.network.graph import Graph
from allport.network.lines import text_of
from allport.units import format_rate, format_seconds

__all__ = ["FORMATS", "Found", "evidence_here", "here", "parse", "read", "read_here", "recognised"]


@dataclass(frozen=True)
class Found:
    """A network, and what was found of it and assumed."""

    topology: Topology
    evidence: tuple[Evidence, ...] = ()

    @property
    def assumed(self) -> tuple[Evidence, ...]:
        """What no source says."""
        return tuple(e for e in self.evidence if e.sure == "assumed")


@dataclass(frozen=True)
class _Format:
    title: str
    looks: re.Pattern[str]  # what its files have, and those of the formats after it have not
    graph_of: Callable[..., tuple[Graph, list[Evidence]]]
    states_rates: bool


_Made = tuple[Graph, list[Evidence]]
_Nodes = list[str] | None


def _slurm_conf(text: str, where: str, link: Axis, nodes: _Nodes = None, topology: str | None = None) -> _Made:
    if topology is not None:
        raise failure(f"topology = '{topology}': expected none: {where} has one topology, without a name")
    return slurm.graph_of(slurm.parse_conf(text, where), link, nodes)


def _slurm_yaml(text: str, where: str, link: Axis, nodes: _Nodes = None, topology: str | None = None) -> _Made:
    return slurm.graph_of(slurm.parse_yaml(text, where, topology), link, nodes)


_FORMATS: dict[str, _Format] = {
    "nccl": _Format("NCCL's topology XML", re.compile(r"\A\s*(?:<\?xml|<!--|<system|<graphs)"), nccl.graph_of, True),
    "ibnetdiscover": _Format(
        "the output of ibnetdiscover",
        re.compile(r'^\s*(?:Switch|Ca|Rt)\s+\d+\s+"[SHR]-[0-9a-f]+"', re.MULTILINE),
        ibnetdiscover.graph_of,
        True,
    ),
    "mesh-graph": _Format(
        "tt-fabric's mesh graph descriptor",
        re.compile(r"^\s*(?:mesh_descriptors|switch_descriptors|graph_descriptors|top_level_instance)\b", re.MULTILINE),
        mesh_graph.graph_of,
        False,
    ),
    "slurm-conf": _Format(
        "Slurm's topology.conf",
        re.compile(r"^\s*(?:SwitchName|BlockName|BlockSizes)\s*=", re.MULTILINE | re.IGNORECASE),
        _slurm_conf,
        False,
    ),
    "slurm-yaml": _Format(
        "Slurm's topology.yaml", re.compile(r"^\s*(?:-\s+)?[\"']?topology[\"']?\s*:", re.MULTILINE), _slurm_yaml, False
    ),
}
FORMATS = (*_FORMATS, "toml")
SUFFIXES = (".conf", ".textproto", ".txt", ".xml", ".yaml", ".yml")


def recognised(text: str, where: str) -> str:
    """The format of a text, one of FORMATS, by its content. Raises Error."""
    for name, format_ in _FORMATS.items():
        if format_.looks.search(text):
            return name
    if re.search(r"^\s*(?:nodes|axes|network)\s*=", text, re.MULTILINE):
        return "toml"
    titles = ", ".join(f"{format_.title} ({name})" for name, format_ in _FORMATS.items())
    raise failure(f"{where}: of no known format: expected {titles}, or a list of links (toml); else name the format")


def parse(
    text: str,
    where: str,
    *,
    format: str | None = None,
    nodes: Iterable[str] | None = None,
    topology: str | None = None,
    rates: Machine | str | None = None,
) -> Found:
    """The network in a text. where: what errors call it, with the line.

    format: one of FORMATS; default: by the content. nodes: these compute nodes only, in this order; others only relay
    if they forward messages, and are left out if not. topology: the name of one in Slurm's topology.yaml. rates: the
    machine whose first axis has the latency of each link, and its bandwidth where the format states none; default:
    ALLPORT_RATES, else preset laptop. Raises Error naming the line.
    """
    chosen = format or recognised(text, where)
    if chosen not in FORMATS:
        raise failure(f"format = '{chosen}': expected one of {', '.join(FORMATS)}")
    if topology is not None and not chosen.startswith("slurm"):
        raise failure(f"topology = '{topology}': expected none: {where} is no file of Slurm's")
    wanted = None if nodes is None else list(nodes)
    if chosen == "toml":
        found = Topology.from_toml(text, where)
        if wanted is not None:
            index = {found.vertex_name(v): v for v in range(found.compute_nodes)}
            if unknown := [name for name in wanted if name not in index]:
                raise failure(f"nodes: {', '.join(unknown[:4])}: expected compute nodes of {where}")
            found = found.allocation([index[name] for name in dict.fromkeys(wanted)])
        return Found(found, (_counts(found, where),))
    link = as_machine("torus:2" if rates is None else rates).axes[0]
    more: dict[str, Any] = {"nodes": wanted, "topology": topology} if chosen.startswith("slurm") else {}
    graph, evidence = _FORMATS[chosen].graph_of(text, where, link, **more)
    made = graph.topology(wanted)
    source = rates.name if isinstance(rates, Machine) else rates or os.environ.get("ALLPORT_RATES") or "laptop"
    value = f"{format_seconds(link.latency)} of latency"
    if not _FORMATS[chosen].states_rates:
        value = f"{format_rate(link.bandwidth)}, {value}"
    stand_in = Evidence("each link", value, source, "assumed")
    return Found(made, (_counts(made, where), *evidence, stand_in))


def _counts(found: Topology, where: str) -> Evidence:
    switches = found.vertices - found.compute_nodes
    value = f"{found.compute_nodes:,} compute nodes, {switches:,} switches, {len(found.links):,} directed links"
    return Evidence("network", value, where, "stated")


def read(network: str | Path, **how: Any) -> Found:
    """The network of a spec, or of a file in one of FORMATS; `how` is parse()'s for files. Raises Error."""
    spec = str(network)
    is_spec = spec.startswith("allocation:") and not Path(spec).is_file()
    if not is_spec and (spec.endswith((".toml", *SUFFIXES)) or Path(spec).is_file()):
        return parse(text_of(spec), spec, **how)
    if any(value is not None for value in how.values()):
        raise failure(f"'{spec}': is no file: expected none of {', '.join(how)} beside a spec")
    found = Topology.parse(spec)
    return Found(found, (_counts(found, "its spec"),))


def here(slurm_file: str | Path | None = None) -> list[tuple[str, str]]:
    """(format, path or command) of the networks that this computer describes: Slurm's file, the files that NCCL's and
    tt-fabric's environment variables name, and ibnetdiscover."""
    first = slurm_file or slurm.find()
    found = [("slurm", str(first))] if first is not None else []
    for format_, path in (
        ("nccl", os.environ.get("NCCL_TOPO_FILE") or "/var/run/nvidia-topologyd/virtualTopology.xml"),
        ("mesh-graph", os.environ.get("TT_MESH_GRAPH_DESC_PATH")),
    ):
        if path is not None and Path(path).is_file():
            found.append((format_, path))
    if command := shutil.which("ibnetdiscover"):
        found.append(("ibnetdiscover", command))
    return found


def read_here(source: tuple[str, str], **how: Any) -> Found:
    """The network that one of here() describes; `how` is parse()'s. Raises Error."""
    format_, path = source
    if format_ != "ibnetdiscover":
        return read(path, **how)
    try:
        done = subprocess.run([path], capture_output=True, text=True, timeout=120, errors="replace")
    except (OSError, subprocess.SubprocessError) as error:
        raise failure(f"{path}: {error}", "io") from None
    if done.returncode != 0:
        said = (done.stderr or done.stdout).strip().splitlines()[-1:] or ["says nothing"]
        raise failure(f"{path}: exits with {done.returncode}: {said[0]}; it needs a port of InfiniBand, and root", "io")
    return parse(done.stdout, path, **{**how, "format": format_})


def evidence_here(slurm_file: str | Path | None = None) -> list[Evidence]:
    """What each of here() gives."""
    found = []
    for source in here(slurm_file):
        try:
            value = read_here(source).evidence[0].value
            found.append(Evidence("network as a graph", value, source[1], "stated"))
        except Error as error:
            found.append(Evidence("network as a graph", f"cannot be read: {error}", source[1], "stated"))
    return found
