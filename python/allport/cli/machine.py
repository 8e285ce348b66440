"""allport machine: what a machine spec means, and what a machine can do as measured."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any

import typer

import allport as ap
from allport.cli import completion
from allport.cli.console import console, ensure_outputs, print_json, progress, table, tell_files
from allport.cli.links_table import show_drifts, show_links
from allport.cli.options import Json, Machine, PageFile, Ranks, Spec, example, machine_of
from allport.units import format_bytes, format_rate, format_seconds

app = typer.Typer(help="Show and measure machines, print machine files.", no_args_is_help=True)


@app.command()
@example("allport machine show torus:4x4")
def show(spec: Spec = None, report: PageFile = None, as_json: Json = False) -> None:
    """Axes, links and rates of a machine."""
    machine = machine_of(spec)
    if report is not None:
        ap.report.pages.write(machine, report)
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
    tell_files(report=report)


@app.command(name="list")
@example("allport machine list")
def list_(as_json: Json = False) -> None:
    """The built-in machines."""
    machines = [(name, ap.Machine.parse(name)) for name in ap.machine.preset_names()]
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
@example("allport machine file bgp:4x4")
def file(spec: Spec = None, as_json: Json = False) -> None:
    """Print a machine as a machine file (TOML), to be changed and used as a spec."""
    machine = machine_of(spec)
    if as_json:
        print_json({"toml": ap.machine.file_text(machine, spec)})
    else:
        typer.echo(ap.machine.file_text(machine, spec), nl=False)


def _show_discovery(found: ap.discover.Discovery, written: list[str]) -> None:
    out = console()
    out.print(ap.machine.describe(found.machine))
    out.print()
    rows = table("found", "", "from", "how sure")
    for e in found.evidence:
        rows.add_row(e.what, e.value, e.source, e.sure)
    out.print(rows)
    if not written:
        out.print("\nnot written; -o FILE.toml writes it, --hosts FILE its hosts")
    for path in written:
        typer.echo(f"written: {path}")


@app.command()
@example("allport machine discover -o mine.toml")
def discover(
    coordinates: Annotated[
        str | None, typer.Option(metavar="FILE", help="Coordinates: a line `host x y z` for each host.")
    ] = None,
    slurm: Annotated[
        str | None, typer.Option(metavar="FILE", help="topology.conf or topology.yaml; else Slurm's.")
    ] = None,
    topology: Annotated[str | None, typer.Option(help="Of several in topology.yaml; else the default.")] = None,
    nodes: Annotated[str | None, typer.Option(help="Hosts: n[01-16], tux[000x133]; else the job's.")] = None,
    measure: Annotated[
        bool, typer.Option("--measure", help="Measure latencies between ranks, and group them.")
    ] = False,
    pmix: Annotated[bool, typer.Option("--pmix", help="Ask PMIx for coordinates, in a job of a rank a host.")] = False,
    ranks: Ranks = None,
    within: Annotated[bool, typer.Option(help="Add the sockets, NUMA domains and cores of this computer.")] = True,
    rates: Annotated[
        str,
        typer.Option(
            metavar="SPEC", autocompletion=completion.machines, help="The machine whose link rates are assumed."
        ),
    ] = "laptop",
    name: Annotated[str, typer.Option(help="The machine's name in reports.")] = "discovered",
    output: Annotated[str | None, typer.Option("-o", "--output", metavar="FILE.toml", help="Machine file.")] = None,
    hosts: Annotated[
        str | None, typer.Option(metavar="FILE", help="Write the hosts' names by place, for `map`.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Find out which machine this is: what was found, from where, and how sure that is.

    By the first of: --coordinates, --slurm, --measure or --pmix, hosts named by their coordinates, Slurm's own file,
    one line.
    """
    _checked_output(output)
    ensure_outputs(hosts=hosts)
    measured = None
    if measure and pmix:
        raise ap.Error("measure, pmix: expected one of the two")
    if pmix:
        measured = ap.discover.pmix.join()
        if measured is None:  # another rank than 0
            return
    if measure:
        joined = ap.run.launch.joined_size()
        measured = ap.discover.latencies.join() if joined else ap.discover.latencies.run(ranks or ap.run.launch.cores())
        if measured is None:  # another rank than 0
            return
    found = ap.discover.discover(
        coordinates=coordinates,
        slurm_file=slurm,
        nodes=nodes,
        topology=topology,
        measured=measured,
        within=within,
        name=name,
        rates=rates,
    )
    written = {output: found.machine.to_toml(), hosts: "\n".join(found.hosts) + "\n"}
    for path, text in written.items():
        if path is not None:
            Path(path).write_text(text, encoding="utf-8")
    if as_json:
        print_json(found.to_dict() | {"written": [path for path in written if path]})
    else:
        _show_discovery(found, [path for path in written if path])


def _fit_text(fit: dict[str, Any]) -> str:
    what, value = fit["what"], fit["value"]
    if what.startswith("tau"):
        return f"{value:.3f}"
    if what.startswith(("flops", "scalapack")):
        return f"{value / 1e9:.3g} Gflop/s"
    if what.startswith(("bandwidth", "memory", "all links", "bytes", "rate", "triad")):
        return format_rate(value)
    return f"{value / 1e6:.0f} Madd/s" if what == "adds" else format_seconds(value)


def _show_calibration(machine: ap.Machine, links: list[ap.run.links.Figure], output: str | None) -> None:
    out, found = console(), machine.to_dict()["calibration"]
    out.print(f"{machine.name}, {found['ranks']} ranks, {found['library']}, {found['date']}")
    out.print()
    fits = table("measured", "value", "fit is off by", right=("value", "fit is off by"))
    for fit in found["fits"]:
        if "low" in fit:  # of links, which have a table of their own
            continue
        fits.add_row(fit["what"], _fit_text(fit), f"{100 * fit['error']:.0f} %" if fit["error"] else "")
    out.print(fits)
    if found["mpi"]:
        out.print()
        times = table("MPI's own", "sizes", "shortest", "longest", right=("sizes", "shortest", "longest"))
        for name, timed in found["mpi"].items():
            ends = [f"{format_bytes(timed['bytes'][i])}: {format_seconds(timed['seconds'][i])}" for i in (0, -1)]
            times.add_row(name, str(len(timed["bytes"])), *ends)
        out.print(times)
    if links:
        out.print()
        show_links(links)
    if output:
        out.print(f"\nwritten: {output}; use it as --machine {output} or ALLPORT_MACHINE={output}")
    else:
        out.print("\nnot written; -o FILE.toml writes it")


def _checked_output(output: str | None) -> None:
    if output is None:
        return
    if not output.endswith(".toml"):
        raise ap.Error(f"output = '{output}': expected a name that ends in .toml, as machine files do")
    ensure_outputs(output=output)


def _links_of(machine: ap.Machine, on: str, quick: bool, bar: Any) -> list[ap.run.links.Figure] | None:
    """The links' figures; None on another rank than 0."""
    if on == "simulator":
        return ap.run.links.simulated(machine, quick=quick, progress=bar)
    if ap.run.launch.joined_size() is not None:
        return ap.run.links.join(machine, quick=quick, progress=bar)
    return ap.run.links.run(machine, quick=quick, progress=bar)


def _check(machine: ap.Machine, stored: str, links: list[ap.run.links.Figure], tolerance: float, as_json: bool) -> None:
    """Prints what has drifted; exits with 1 where something has."""
    drifts = ap.run.links.compare(ap.Machine.parse(stored), links, tolerance)
    if as_json:
        print_json({"stored": stored, "machine": machine.name, "drifts": [d.to_dict() for d in drifts]})
    else:
        show_drifts(stored, drifts)
    if any(d.drifted for d in drifts):
        raise typer.Exit(1)


def _calibrated(machine: ap.Machine, how: dict[str, Any], bar: Any) -> ap.Machine | None:
    """What MPI's ranks give, without the links' figures; None on another rank than 0."""
    joined = ap.run.launch.joined_size() is not None
    return (
        ap.run.calibrate.join(machine, **how, progress=bar)
        if joined
        else ap.run.calibrate.run(machine, **how, progress=bar)
    )


@app.command()
@example("allport machine calibrate -m mesh:2 --on simulator")
def calibrate(
    machine: Machine = None,
    ranks: Ranks = None,
    output: Annotated[str | None, typer.Option("-o", "--output", metavar="FILE.toml", help="Machine file.")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Short messages, few repetitions: for slow links.")] = False,
    mpi_collectives: Annotated[bool, typer.Option(help="Time the MPI library's own collectives, too.")] = True,
    kernels: Annotated[bool, typer.Option(help="Measure linear algebra's kernels, by type and tile, too.")] = True,
    scalapack: Annotated[bool, typer.Option(help="Time ScaLAPACK's own routines where it is installed, too.")] = True,
    links: Annotated[bool, typer.Option(help="Each axis and direction, one pair and all, 1 to 2d neighbours.")] = True,
    only_links: Annotated[bool, typer.Option("--only-links", help="Nothing but the links' figures.")] = False,
    on: Annotated[
        str,
        typer.Option(
            metavar="mpi|simulator",
            autocompletion=completion.one_of("mpi", "simulator"),
            help="Where the links' messages are timed.",
        ),
    ] = "mpi",
    plot: Annotated[
        str | None, typer.Option(metavar="FILE", help="Draws the links' figures: .svg, .png, .pdf.")
    ] = None,
    check: Annotated[
        str | None,
        typer.Option(
            metavar="FILE.toml",
            autocompletion=completion.files(".toml"),
            help="Compare the links with this file's; exit 1 on drift.",
        ),
    ] = None,
    tolerance: Annotated[
        float, typer.Option(help="Share that a figure may be off the file's.")
    ] = ap.run.links.TOLERANCE,
    as_json: Json = False,
) -> None:
    """Measure a machine: latency, bandwidth, overhead, tau, memory, kernels, and what MPI's and ScaLAPACK's own take.

    Starts the ranks itself, or measures on those that mpiexec (allport lab run) has started. The links' figures are
    medians with 95 % intervals. --check measures them anew on the file's machine and says what has drifted.
    """
    _checked_output(output)
    ensure_outputs(plot=plot)
    if on not in ("mpi", "simulator"):
        raise ap.Error(f"on = '{on}': expected mpi or simulator")
    if check is not None and output is not None:
        raise ap.Error(f"check, output = '{output}': expected one of the two; --check writes no machine file")
    default = (ap.run.launch.joined_size() or ap.run.launch.cores()) if on == "mpi" else ranks or 2
    spec = machine or check or os.environ.get("ALLPORT_MACHINE")
    where = ap.run.job.machine_for(spec, ranks, default)
    only = only_links or check is not None or on == "simulator"
    found: ap.Machine | None = where
    figures: list[ap.run.links.Figure] | None = []
    with progress("starting ranks") as bar:
        if not only:
            how = {"quick": quick, "mpi_collectives": mpi_collectives, "kernels": kernels, "scalapack": scalapack}
            found = _calibrated(where, how, bar)
        if links or only:
            figures = _links_of(where, on, quick, bar)
    if found is None or figures is None:  # another rank than 0
        return
    if plot is not None:
        ap.report.plot.links(figures, where.name, plot)
    if check is not None:
        _check(where, check, figures, tolerance, as_json)
        return
    if figures:
        found = ap.run.links.keep(found, figures, ap.run.links.transport_name(on))
    if output:
        Path(output).write_text(ap.machine.file_text(found, spec or where.name))
    if as_json:
        print_json({**found.to_dict(), "output": output, "link_figures": [f.to_dict() for f in figures]})
    else:
        _show_calibration(found, figures, output)
