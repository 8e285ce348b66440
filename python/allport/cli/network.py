"""allport network: networks of any shape, from specs and files: what their links allow, and trees that reach it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any

import typer

import allport as ap
from allport.cli import completion
from allport.cli.console import console, ensure_outputs, print_json, show_evidence, table
from allport.cli.options import Json, example, machine_of, size_of
from allport.network import hostlist
from allport.units import format_bytes, format_rate, format_seconds

app = typer.Typer(
    help="Networks of any shape: what their links allow, trees that reach it, files.", no_args_is_help=True
)

NETWORKS = "fattree:k=16, dragonfly:a=8,p=4,h=4, rails:32x8, torus:8x8, ..., or a file; else this computer."
Network = Annotated[
    str | None, typer.Option("--machine", "-m", metavar="SPEC", autocompletion=completion.networks, help=NETWORKS)
]
#: Whose worst cuts `show` prints.
CUTS = ("allgather", "bcast", "gather")


def _cut(found: ap.network.Bound, topology: ap.network.Topology, most: int = 8) -> str:
    """The smaller side of the cut by its vertices' names."""
    inside = set(found.inside)
    rest = [v for v in range(topology.vertices) if v not in inside]
    side, words = (rest, "all but") if len(rest) < len(inside) else (sorted(inside), "")
    names = [topology.vertex_name(v) for v in side[:most]] + (["..."] if len(side) > most else [])
    return " ".join(filter(None, (words, ", ".join(names))))


def _network_of(spec: str | None) -> ap.network.Found:
    spec = spec or os.environ.get("ALLPORT_MACHINE")
    return ap.network.read(spec) if spec else ap.network.Found(ap.network.as_topology(machine_of(None)))


def _counts(topology: ap.network.Topology) -> dict[str, Any]:
    return {
        "network": topology.name,
        "compute_nodes": topology.compute_nodes,
        "switches": topology.vertices - topology.compute_nodes,
        "links": len(topology.links),
    }


@app.command()
@example("allport network bound allgather -m fattree:k=16")
def bound(
    collective: Annotated[
        str,
        typer.Argument(
            autocompletion=completion.one_of(*ap.network.COLLECTIVES), help=", ".join(ap.network.COLLECTIVES)
        ),
    ],
    machine: Network = None,
    root: Annotated[int, typer.Option(help="The compute node of bcast, reduce, gather and scatter.")] = 0,
    size: Annotated[str | None, typer.Option(help="Bytes of the message, or of a share.")] = None,
    as_json: Json = False,
) -> None:
    """The optimum of a collective of long messages, exactly, and the cut that proves it."""
    network = _network_of(machine)
    topology = network.topology
    found = ap.network.bound(collective, topology, root)
    bytes_ = size_of("--size", size)
    if as_json:
        more = {} if bytes_ is None else {"bytes": bytes_, "seconds": found.seconds(bytes_)}
        print_json(found.to_dict() | {"assumed": [e.to_dict() for e in network.assumed]} | more)
        return
    out = console()
    one = format_rate(found.unit)
    what = f"a rate of {found.optimum} links of {one}" if found.is_rate else f"{found.optimum} shares over {one}"
    kind = "optimum" if found.reachable else "upper bound (a switch has not as much capacity in as out)"
    out.print(f"{collective} on {topology.name}, {topology.compute_nodes} compute nodes: {kind}: {what}")
    across = "into" if collective in ("reduce", "reduce-scatter", "scatter") else "out of"
    out.print(f"worst cut: {found.capacity} units {across} {found.members} compute nodes: {_cut(found, topology)}")
    if not found.exact_capacities:
        out.print("links have no common unit: capacities were rounded to about one in a million")
    if bytes_ is not None:
        out.print(f"{format_bytes(bytes_)}: at least {format_seconds(found.seconds(bytes_))}")
    for e in network.assumed:
        out.print(f"assumed: {e.what}: {e.value} ({e.source})")


def _bounds(topology: ap.network.Topology) -> dict[str, ap.network.Bound | str]:
    """The optimum of some collectives, or why there is none."""
    found: dict[str, ap.network.Bound | str] = {}
    for collective in CUTS:
        try:
            found[collective] = ap.network.bound(collective, topology)
        except ap.Error as error:
            found[collective] = str(error)
    return found


@app.command()
@example("allport network show -m fattree:4x4/4")
def show(machine: Network = None, as_json: Json = False) -> None:
    """Nodes, switches and links of a network, by their rates, and its worst cuts."""
    network = _network_of(machine)
    topology = network.topology
    classes, bounds = ap.network.link_classes(topology), _bounds(topology)
    if as_json:
        print_json(
            _counts(topology)
            | {
                "classes": [c.to_dict() for c in classes],
                "cuts": {c: {"error": b} if isinstance(b, str) else b.to_dict() for c, b in bounds.items()},
                "evidence": [e.to_dict() for e in network.evidence],
            }
        )
        return
    out = console()
    counts = _counts(topology)
    out.print(
        f"{topology.name}: {counts['compute_nodes']:,} compute nodes, {counts['switches']:,} switches, "
        f"{counts['links']:,} directed links"
    )
    out.print()
    rows = table("between", "links", "bandwidth", "latency", right=("links", "bandwidth", "latency"))
    for c in classes:
        rows.add_row(c.ends, f"{c.links:,}", format_rate(c.bandwidth), format_seconds(c.latency))
    out.print(rows)
    out.print()
    cuts = table("collective", "optimum", "worst cut", right=("optimum",))
    for collective, b in bounds.items():
        if isinstance(b, str):
            cuts.add_row(collective, "none", b)
        else:
            one = format_rate(b.unit)
            optimum = f"{b.optimum} x {one}" if b.is_rate else f"{b.optimum} shares / {one}"
            cuts.add_row(collective, optimum, f"{b.capacity} units out of {b.members} nodes: {_cut(b, topology)}")
    out.print(cuts)
    if len(network.evidence) > 1:  # more than the counts
        out.print()
        show_evidence(network.evidence)


@app.command()
@example("allport network convert fattree:4x4/4 -o network.toml")
def convert(
    file: Annotated[
        str | None,
        typer.Argument(
            metavar="FILE",
            autocompletion=completion.networks,
            help="Slurm's, ibnetdiscover's, NCCL's or tt-fabric's, or a spec; else what this computer has.",
        ),
    ] = None,
    format_: Annotated[
        str | None,
        typer.Option(
            "--format",
            metavar="NAME",
            autocompletion=completion.one_of(*ap.network.FORMATS),
            help=f"{', '.join(ap.network.FORMATS)}; else by the content.",
        ),
    ] = None,
    nodes: Annotated[str | None, typer.Option(help="Of the compute nodes only these: n[01-16], ...")] = None,
    topology: Annotated[str | None, typer.Option(help="Of several in topology.yaml; else the default.")] = None,
    rates: Annotated[
        str | None,
        typer.Option(
            metavar="SPEC", autocompletion=completion.machines, help="The machine whose link rates are assumed."
        ),
    ] = None,
    output: Annotated[str | None, typer.Option("-o", "--output", metavar="FILE.toml", help="List of links.")] = None,
    as_json: Json = False,
) -> None:
    """Write a network as a list of links (TOML), and say what was found and assumed."""
    if output is not None and not output.endswith(".toml"):
        raise ap.Error(f"output = '{output}': expected a name that ends in .toml, as lists of links do")
    ensure_outputs(output=output)
    how = {
        "format": format_,
        "nodes": None if nodes is None else hostlist.expand(nodes),
        "topology": topology,
        "rates": rates,
    }
    network = _found_here(how) if file is None else ap.network.read(file, **how)
    text = network.topology.to_toml()
    if output is not None:
        Path(output).write_text(text, encoding="utf-8")
    if as_json:
        evidence = [e.to_dict() for e in network.evidence]
        print_json(_counts(network.topology) | {"evidence": evidence, "output": output, "toml": text})
    elif output is None:
        typer.echo(text, nl=False)
    else:
        show_evidence(network.evidence)
        typer.echo(f"written: {output}; use it as --machine {output}")


def _found_here(how: dict[str, Any]) -> ap.network.Found:
    """The first network that this computer describes."""
    found = ap.network.here()
    if not found:
        raise ap.Error(
            "network: this computer describes none: there is no topology file of Slurm's, NCCL_TOPO_FILE, "
            "TT_MESH_GRAPH_DESC_PATH or ibnetdiscover; name a file"
        )
    return ap.network.read_here(found[0], **how)


@app.command()
@example("allport network pack allgather -m torus:8x8 -m fattree:4x4/4")
def pack(
    collective: Annotated[
        str,
        typer.Argument(
            autocompletion=completion.one_of(*ap.network.COLLECTIVES), help=", ".join(ap.network.COLLECTIVES)
        ),
    ],
    machines: Annotated[
        list[str] | None,
        typer.Option("--machine", "-m", metavar="SPEC", autocompletion=completion.networks, help=NETWORKS),
    ] = None,
    root: Annotated[int, typer.Option(help="The compute node of bcast, reduce, gather and scatter.")] = 0,
    height: Annotated[
        int | None, typer.Option(help="Links from a root to a node at most, at some cost of rate.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Trees or routes that load the links together as evenly as the worst cut allows, checked link by link."""
    named: list[str | None] = [*machines] if machines else [None]
    networks = [_network_of(spec).topology for spec in named]
    packings = [ap.network.pack(collective, network, root, height=height) for network in networks]
    for packing in packings:
        packing.check()
    if as_json:
        print_json([packing.to_dict() for packing in packings])
        return
    columns = ("rate / optimum", "height", "diameter", "trees", "symmetries", "seconds", "MiB")
    rows = table("network", "nodes", *columns, right=("nodes", *columns))
    for network, packing in zip(networks, packings, strict=True):
        exact = packing.reached == packing.bound.optimum
        rows.add_row(
            network.name,
            str(network.compute_nodes),
            "1" if exact else f"{packing.ratio:.4f}",
            str(packing.height),
            str(packing.diameter),
            str(packing.trees),
            str(packing.symmetries),
            f"{packing.seconds:.3f}",
            f"{packing.bytes / 2**20:.2f}",
        )
    out = console()
    out.print(rows)
    unproven = [p.bound.network for p in packings if not p.bound.reachable]
    if unproven:
        out.print(f"{', '.join(unproven)}: the optimum is an upper bound (a switch has not as much capacity in as out)")
