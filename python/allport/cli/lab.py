"""allport lab: a network of namespaces on this computer, for any MPI program."""

from __future__ import annotations

from typing import Annotated, Any

import typer

import allport as ap
from allport.cli import completion
from allport.cli.console import console, print_json, table
from allport.cli.options import Burst, Json, Limit, Mpi, example, size_of
from allport.units import format_bytes

app = typer.Typer(help="A network in a box: bring it up, run programs on it, cut its links.", no_args_is_help=True)
Name = Annotated[str, typer.Option(help="Name of the lab; several may be up at once.")]
LINK = "two neighbours, 3-4 or 3-s0, or a node and its port, 3+x or 3:p1"
Link = Annotated[str, typer.Argument(metavar="LINK", help=LINK)]


@app.command()
@example("allport lab up torus:4x4 --rate 40mbit")
def up(
    spec: Annotated[
        str,
        typer.Argument(
            metavar="SPEC",
            autocompletion=completion.machines,
            help="torus:4x4, mesh:3x2, torus:4x4m/ppn=2; ring:4, full:4, fattree:2x4/2, rails:4x2, ...; or FILE.toml",
        ),
    ],
    rate: Annotated[
        str | None,
        typer.Option(
            help="Of each link and direction: 40mbit, or x=40mbit,y=20mbit; where it is no grid, of the slowest links. "
            "40mbit unless a file."
        ),
    ] = None,
    name: Name = "lab",
    burst: Burst = None,
    limit: Limit = None,
    tcp: Annotated[
        str | None,
        typer.Option(
            help="TCP's congestion control, or default: the kernel's settings; else cubic if allowed, or reno."
        ),
    ] = None,
    no_forwarding: Annotated[
        bool,
        typer.Option(
            "--no-forwarding",
            help="Nodes forward no packets of others: only neighbours, and nodes with switches alone between them, "
            "reach each other over the links.",
        ),
    ] = False,
    as_json: Json = False,
) -> None:
    """Bring up a lab: a namespace a node or a switch, a rate-limited cable a pair of links. Needs root.

    A torus or a mesh has up to 1,000 nodes, any other network up to 64 nodes and 32 switches.
    """
    forwarding = not no_forwarding
    lab = ap.lab.Lab.up(spec, rate, name, size_of("burst", burst), size_of("limit", limit), tcp, forwarding)
    plan = lab.plan
    if as_json:
        made = {"name": name, "spec": spec, "nodes": plan.nodes, "switches": plan.shape.switches}
        made |= {"ranks": plan.ranks, "cables": len(plan.cables), "forwarding": forwarding}
        print_json({**made, "joined_pairs": ap.lab.joined_pairs(plan), "set": plan.links()})
        return
    again = "" if name == "lab" else f" --name {name}"
    out = console()
    out.print(f"lab '{name}' is up: {_vertices(plan)}, {len(plan.cables)} cables, {ap.lab.format_links(plan.links())}")
    if no_forwarding:
        pairs = plan.nodes * (plan.nodes - 1) // 2
        out.print(f"nodes do not forward: {ap.lab.joined_pairs(plan)} of {pairs} pairs reach each other over the links")
    out.print(f"allport lab run{again} -- PROGRAM; allport lab status{again}; allport lab down{again}")


def _vertices(plan: ap.lab.Plan) -> str:
    switches = plan.shape.switches
    more = f", {switches} switch{'es' * (switches != 1)}" if switches else ""
    return f"{plan.nodes} node{'s' * (plan.nodes != 1)}{more}"


@app.command()
@example("allport lab down")
def down(name: Name = "lab", as_json: Json = False) -> None:
    """Take a lab down and end all that runs in it, or remove what is left of it after a crash."""
    done = ap.lab.take_down(name)
    if as_json:
        print_json(done)
        return
    ended = f"; {done['ended_processes']} processes in it were ended" if done["ended_processes"] else ""
    console().print(f"lab '{name}' ({done['spec']}) is down{ended}")
    for left in done["left_alone"]:
        console().print(f"network namespace {left} is another's by now and was left alone")


@app.command(context_settings={"ignore_unknown_options": True})
@example("allport lab run -n 16 -- ./program arguments")
def run(
    program: Annotated[
        list[str], typer.Argument(metavar="-- PROGRAM [ARG ...]", help="Program and arguments of each rank.")
    ],
    ranks: Annotated[int | None, typer.Option("-n", "--ranks", help="Ranks; else one per place.")] = None,
    mpi: Mpi = None,
    node: Annotated[
        int | None, typer.Option(metavar="NODE", help="Run the command once, without MPI, on this node.")
    ] = None,
    mca: Annotated[list[str] | None, typer.Option(metavar="KEY=VALUE", help="Open MPI parameter; repeatable.")] = None,
    export: Annotated[
        list[str] | None,
        typer.Option("-x", "--export", metavar="NAME=VALUE", help="Variable of the ranks; repeatable."),
    ] = None,
    mpiexec: Annotated[str, typer.Option(metavar="ARGS", help="More arguments for mpiexec, as in a shell.")] = "",
    grace: Annotated[
        float, typer.Option(help="Seconds after which a run is ended if a cable is cut and not rerouted; inf: never.")
    ] = 4.0,
    name: Name = "lab",
) -> None:
    """Run an MPI program on the lab, one rank a place, in the order of nodes; or one command inside a node.

    Messages take the routes of the lab. ALLPORT_MACHINE is set in a lab of a torus or a mesh only: in any other network
    ranks run plain MPI. Where nodes do not forward, only neighbours may send messages to each other; MPI starts over
    the control network.
    """
    lab = ap.lab.Lab.attach(name)
    if node is not None:
        code = ap.lab.run_on(lab, node, program, grace=grace)
    else:
        how: dict[str, Any] = {"mca": mca or [], "export": export or [], "mpiexec": mpiexec, "grace": grace}
        code = ap.lab.run(lab, program, ranks=ranks, mpi=mpi, **how)
    if code:
        raise typer.Exit(code)


def _say(what: str, lab: Any, cable: Any, as_json: bool) -> None:
    if as_json:
        print_json(
            {"cable": lab.plan.cable_name(cable), "cut": cable.cut, "rerouted": cable.rerouted, "bits": cable.bits}
        )
    else:
        console().print(f"{lab.plan.cable_name(cable)}: {what}")


@app.command()
@example("allport lab cut 3-0 --reroute")
def cut(
    link: Link,
    reroute: Annotated[bool, typer.Option("--reroute", help="Install routes that avoid the cable.")] = False,
    name: Name = "lab",
    as_json: Json = False,
) -> None:
    """Cut a cable, also while a program runs: both ends lose carrier and routes."""
    lab = ap.lab.Lab.attach(name)
    cable = lab.cut(link, reroute)
    _say("cut; routes lead round it" if reroute else "cut; its routes are withdrawn", lab, cable, as_json)


@app.command()
@example("allport lab restore 3-0")
def restore(link: Link, name: Name = "lab", as_json: Json = False) -> None:
    """Repair a cut cable, and restore the rate of a throttled one."""
    lab = ap.lab.Lab.attach(name)
    _say("as new", lab, lab.restore(link), as_json)


@app.command()
@example("allport lab throttle 3-0 10mbit")
def throttle(
    link: Link,
    rate: Annotated[str, typer.Argument(metavar="RATE", help="10mbit, 1MB/s")],
    name: Name = "lab",
    as_json: Json = False,
) -> None:
    """Change the rate of a cable in both directions, also while a program runs."""
    lab = ap.lab.Lab.attach(name)
    cable = lab.throttle(link, rate)
    _say(f"{ap.lab.format_bits(cable.bits)} now", lab, cable, as_json)


@app.command()
@example("allport lab status")
def status(name: Annotated[str | None, typer.Option(help="One lab; else all.")] = None, as_json: Json = False) -> None:
    """Show nodes, links, rates, states and byte counts of the labs that are up."""
    labs = [ap.lab.status(name)] if name else [_status_of(one) for one in ap.lab.names()]
    if as_json:
        print_json(labs)
        return
    if not labs:
        console().print("no lab is up: allport lab up torus:4x4 --rate 40mbit")
    for i, lab in enumerate(labs):
        if "error" in lab:
            console().print(f"lab '{lab['name']}': {lab['error']}")
        else:
            _show(lab, blank=i > 0)


def _status_of(name: str) -> dict[str, Any]:
    """One damaged lab shall not hide the others."""
    try:
        return ap.lab.status(name)
    except ap.Error as error:
        return {"name": name, "state": "damaged", "error": str(error)}


def _show(lab: dict[str, Any], blank: bool) -> None:
    out = console()
    if blank:
        out.print()
    out.print(f"lab '{lab['name']}': {lab['spec']}, {lab['state']}; {lab['processes']} processes in it")
    if not lab["forwarding"]:
        out.print("nodes do not forward packets of others")
    out.print(ap.lab.format_links(lab["set"]))
    nodes = table("node", "at", "host", "address", "sent", "received", right=("node", "sent", "received"))
    for node in [*lab["nodes"], *lab["switches"]]:
        nodes.add_row(
            str(node["node"] if "node" in node else node["switch"]),
            node["at"],
            node["host"],
            " ".join(node["addresses"]),
            format_bytes(node["sent"]),
            format_bytes(node["received"]),
        )
    links = table(
        "cable", "from, to", "rate", "state", "sent forth", "sent back", right=("rate", "sent forth", "sent back")
    )
    for link in lab["links"]:
        links.add_row(
            f"{link['low']}-{link['high']}",
            link["name"],
            ap.lab.format_bits(link["bits"]),
            link["state"],
            format_bytes(link["sent_forth"]),
            format_bytes(link["sent_back"]),
        )
    out.print(nodes)
    out.print()
    out.print(links)
