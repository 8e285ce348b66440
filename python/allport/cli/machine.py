"""allport machine: what a machine spec means."""

from __future__ import annotations

from typing import Annotated

import typer

import allport as ap
from allport.cli.console import Json, console, print_json, table
from allport.units import format_rate, format_seconds

app = typer.Typer(help="Show machines and print machine files.", no_args_is_help=True)
Spec = Annotated[str, typer.Argument(metavar="SPEC", help="torus:4x4x4, mesh:8x8, bgp, a preset or FILE.toml")]


@app.command()
def show(spec: Spec, as_json: Json = False) -> None:
    """Axes, links and rates of a machine."""
    machine = ap.Machine.parse(spec)
    if as_json:
        print_json(machine.to_dict())
        return
    out = console()
    axes = table(
        "axis", "length", "ends", "links", "bandwidth", "latency", right=("length", "links", "bandwidth", "latency")
    )
    for a, axis in enumerate(machine.axes):
        per_line = 0 if axis.length == 1 else 2 * (axis.length if axis.wraps else axis.length - 1)
        count = machine.nodes // axis.length * per_line
        ends = "wraps" if axis.wraps else "open"
        axes.add_row(
            ap.machine.axis_letter(a),
            str(axis.length),
            ends,
            f"{count:,}",
            format_rate(axis.bandwidth),
            format_seconds(axis.latency),
        )
    rates = table("per node", "value")
    for name, value in ap.machine.rates_table(machine):
        rates.add_row(name, value)
    out.print(ap.machine.describe(machine))
    out.print()
    out.print(axes)
    out.print()
    out.print(rates)
    out.print()
    out.print(f"{machine.nodes:,} nodes, {machine.ranks:,} ranks, {machine.links:,} directed links")


@app.command(name="list")
def list_(as_json: Json = False) -> None:
    """The built-in machines."""
    machines = [(name, ap.Machine.parse(name)) for name in ap.preset_names()]
    if as_json:
        print_json([machine.to_dict() for _, machine in machines])
        return
    rows = table("name", "axes", "nodes", "per link", "per hop", right=("nodes", "per link", "per hop"))
    for name, machine in machines:
        first = machine.axes[0]
        rows.add_row(
            name, machine.extents, f"{machine.nodes:,}", format_rate(first.bandwidth), format_seconds(first.latency)
        )
    console().print(rows)


@app.command()
def file(spec: Spec, as_json: Json = False) -> None:
    """Print a machine as a machine file (TOML), to be changed and used as a spec."""
    machine = ap.Machine.parse(spec)
    if as_json:
        print_json({"toml": machine.to_toml()})
    else:
        typer.echo(machine.to_toml(), nl=False)
