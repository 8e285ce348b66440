"""allport network: what the links of a network of any shape allow, and trees that reach it."""

from __future__ import annotations

from typing import Annotated

import typer

import allport as ap
from allport.cli import completion
from allport.cli.console import console, print_json, table
from allport.cli.options import Json, example, machine_of, size_of
from allport.units import format_bytes, format_rate, format_seconds

app = typer.Typer(help="Networks of any shape: what their links allow, and trees that reach it.", no_args_is_help=True)

NETWORKS = "fattree:k=16, dragonfly:a=8,p=4,h=4, rails:32x8, full:4, ring:4, torus:8x8, ...; else this computer."


def _cut(found: ap.network.Bound, topology: ap.network.Topology, most: int = 8) -> str:
    """The smaller side of the cut by its vertices' names."""
    inside = set(found.inside)
    rest = [v for v in range(topology.vertices) if v not in inside]
    side, words = (rest, "all but") if len(rest) < len(inside) else (sorted(inside), "")
    names = [topology.vertex_name(v) for v in side[:most]] + (["..."] if len(side) > most else [])
    return " ".join(filter(None, (words, ", ".join(names))))


@app.command()
@example("allport network bound allgather -m fattree:k=16")
def bound(
    collective: Annotated[
        str,
        typer.Argument(
            autocompletion=completion.one_of(*ap.network.COLLECTIVES), help=", ".join(ap.network.COLLECTIVES)
        ),
    ],
    machine: Annotated[
        str | None, typer.Option("--machine", "-m", metavar="SPEC", autocompletion=completion.machines, help=NETWORKS)
    ] = None,
    root: Annotated[int, typer.Option(help="The compute node of bcast, reduce, gather and scatter.")] = 0,
    size: Annotated[str | None, typer.Option(help="Bytes of the message, or of a share.")] = None,
    as_json: Json = False,
) -> None:
    """The optimum of a collective of long messages, exactly, and the cut that proves it."""
    topology = ap.network.as_topology(machine or machine_of(None))
    found = ap.network.bound(collective, topology, root)
    bytes_ = size_of("--size", size)
    if as_json:
        print_json(found.to_dict() | ({} if bytes_ is None else {"bytes": bytes_, "seconds": found.seconds(bytes_)}))
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
        typer.Option("--machine", "-m", metavar="SPEC", autocompletion=completion.machines, help=NETWORKS),
    ] = None,
    root: Annotated[int, typer.Option(help="The compute node of bcast, reduce, gather and scatter.")] = 0,
    height: Annotated[
        int | None, typer.Option(help="Links from a root to a node at most, at some cost of rate.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Trees or routes that load the links together as evenly as the worst cut allows, checked link by link."""
    networks = [ap.network.as_topology(m) for m in machines or [machine_of(None)]]
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
