"""allport simulate: how long a collective, or an algorithm's task graph, takes on a machine, and what made it late."""

from __future__ import annotations

from typing import Annotated, Any

import typer

import allport as ap
from allport.cli import completion
from allport.cli.console import console, ensure_outputs, print_json, progress, table, tell_files
from allport.cli.graph_options import GRAPH, GRAPHS, Tree
from allport.cli.options import (
    Json,
    Load,
    Machine,
    PageFile,
    Root,
    Segment,
    Size,
    Window,
    example,
    machine_of,
    with_options,
)
from allport.cli.simulate_graph import simulate_graph
from allport.units import format_bytes, format_rate, format_seconds, parse_bytes

Sharing = Annotated[
    str,
    typer.Option(
        autocompletion=completion.one_of("fifo", "fair"),
        help="fifo: a link transports one segment at a time; fair: all share it.",
    ),
]
Overheads = Annotated[
    str,
    typer.Option(
        autocompletion=completion.one_of("parallel", "serial"),
        help="Overhead o: parallel (an engine per stream) or serial (one processor per rank).",
    ),
]
Placement = Annotated[
    str | None, typer.Option(metavar="random:SEED", help="Place ranks on shuffled nodes; else in the machine's order.")
]
Force = Annotated[bool, typer.Option("--force", help="Simulate even if it is expected to take more than a minute.")]
Sample = Annotated[
    int,
    typer.Option(
        "--sample",
        metavar="PARTS",
        help="Task graphs: divide the steps into so many parts and simulate the middle of each; 0: all steps.",
    ),
]
Steps = Annotated[
    str | None,
    typer.Option(metavar="FIRST:END", help="Task graphs: simulate only these steps, as if all earlier ones were done."),
]
SHOWN = 12


def _title(run: ap.sim.Simulation) -> str:
    s = run.schedule
    return (
        f"{s.collective} by {s.algorithm} on {run.machine.name}: {s.ranks} ranks, {format_bytes(s.bytes)}, "
        f"segments of at most {format_bytes(s.segment)}, window {s.window}"
    )


def _links(run: ap.sim.Simulation) -> None:
    machine, busy = run.machine, run.utilisation
    ports = 2 * len(machine.axes)
    rows = table("links", "used", "bytes, most", "busy, mean", "busy, most", right=("used", "bytes, most"))
    for port in range(ports):
        bytes_, share = run.link_bytes[port::ports], busy[port::ports]
        used = bytes_ > 0
        if used.any():
            direction = ("+" if port % 2 else "-") + ap.machine.axis_letter(port // 2)
            rows.add_row(
                direction,
                f"{int(used.sum()):,}",
                format_bytes(int(bytes_.max())),
                f"{100 * share[used].mean():.1f} %",
                f"{100 * share.max():.1f} %",
            )
    console().print(rows)


def _late(run: ap.sim.Simulation) -> None:
    steps = run.late()
    if not steps:
        return
    out = console()
    out.print(f"\nwhat made the last rank late, {len(steps)} steps:")
    rows = table("from", "to", "what", "segments", right=("from", "to"))
    shown = steps if len(steps) <= 2 * SHOWN else [*steps[:SHOWN], None, *steps[-SHOWN:]]
    for step in shown:
        if step is None:
            rows.add_row("", "", "...", "")
            continue
        rows.add_row(
            format_seconds(step["begin"]), format_seconds(step["end"]), _activity(run, step), _segments(step)
        )  # fmt: skip
    out.print(rows)


def _segments(step: dict[str, Any]) -> str:
    return str(step["first"]) if step["first"] == step["last"] else f"{step['first']} to {step['last']}"


def _activity(run: ap.sim.Simulation, step: dict[str, Any]) -> str:
    rank, peer = step["rank"], step["peer"]
    if step["activity"] == "link":
        return f"rank {rank}'s operation {step['op']} to {peer} on {run.machine.link_name(step['link'])}"
    ends = {"send": f"o of the send to {peer}", "receive": f"o of the receive from {peer}"}
    return f"rank {rank}'s operation {step['op']}: {ends.get(step['activity'], step['activity'])}"


def _show(run: ap.sim.Simulation) -> None:
    out = console()
    out.print(_title(run))
    if run.seconds > 0:
        rate = format_rate(run.schedule.bytes / run.seconds)
        share = f", {run.bound / run.seconds:.2f} of the bound: any schedule needs {format_seconds(run.bound)}"
        out.print(f"{format_seconds(run.seconds)}, {rate} of the message{share if run.bound else ''}")
    else:
        out.print("nothing is sent")
    c = run.counts
    how = "each stream's recurrence" if run.engine == "recurrence" else f"{c['events']:,} events ({run.engine_why})"
    out.print(
        f"{c['streams']:,} streams, {c['messages']:,} segments, {c['hops']:,} segment hops, "
        f"{c['contended_links']:,} links with more than one stream; by {how}"
    )
    _links(run)
    _late(run)


def _refuse(name: str, **given: bool) -> None:
    """Raises Error for options that say nothing about a graph."""
    for option, is_there in given.items():
        if is_there:
            raise ap.Error(f"--{option}: is for collectives; expected none for {name}, which is a task graph")


def _refuse_for(name: str, **given: bool) -> None:
    for option, is_there in given.items():
        if is_there:
            raise ap.Error(f"--{option}: is for task graphs ({', '.join(GRAPHS)}); expected none for {name}")


@example("allport simulate cholesky --shape 4096 -m bgp:4x4")
@with_options(GRAPH)
def simulate(
    what: Annotated[
        str,
        typer.Argument(
            metavar="WHAT",
            autocompletion=completion.collectives_or(*GRAPHS),
            help=f"A collective: bcast, reduce, ...; or a task graph: {', '.join(GRAPHS)}.",
        ),
    ],
    machine: Machine = None,
    *,
    size: Size = "1MiB",
    algorithm: Annotated[
        str | None,
        typer.Option(
            "--algorithm",
            "-a",
            autocompletion=completion.algorithms,
            help="A name listed by `schedule list` or `plan`; else the cheapest.",
        ),
    ] = None,
    load: Load = None,
    root: Root = 0,
    element: Annotated[
        int | None, typer.Option(help="Bytes of an element, which is never cut; 8 in reductions.")
    ] = None,
    segment: Segment = None,
    window: Window = 2,
    sharing: Sharing = "fifo",
    overheads: Overheads = "parallel",
    eager: Annotated[str, typer.Option(help="Messages up to so many bytes do not wait for their receive.")] = "0",
    handshake: Annotated[
        bool, typer.Option(help="Messages that wait for their receive also cost a request and an answer.")
    ] = False,
    engine: Annotated[
        str,
        typer.Option(
            autocompletion=completion.one_of("auto", "events", "recurrence"),
            help="auto, events, or recurrence (if no two streams share a link).",
        ),
    ] = "auto",
    placement: Placement = None,
    workers: Annotated[int, typer.Option(help="Task graphs: workers of each rank.")] = 1,
    tree: Tree = None,
    sample: Sample = 0,
    steps: Steps = None,
    late: Annotated[bool, typer.Option(help="Show what made the last rank late.")] = False,
    trace: Annotated[
        str | None, typer.Option(metavar="FILE.json", help="Chrome trace of all activities, for Perfetto.")
    ] = None,
    view: Annotated[
        str | None,
        typer.Option(metavar="FILE.html", help="Animation: the machine with its links coloured by load, over time."),
    ] = None,
    gantt: Annotated[
        str | None,
        typer.Option(metavar="FILE.svg", help="Task graphs: Gantt chart of the workers; .svg, .png or .pdf."),
    ] = None,
    report: PageFile = None,
    force: Force = False,
    as_json: Json = False,
    **options: Any,
) -> None:
    """Simulate a collective, whose schedule is verified first, or an algorithm's task graph on a machine.

    Prints the time, the use of links or workers, and with --late what made the last rank late.
    """
    ensure_outputs(trace=trace, view=view, gantt=gantt)
    where = machine_of(machine)
    if what in GRAPHS:
        _refuse(what, view=view is not None, placement=placement is not None, eager=eager != "0", root=root != 0)
        simulate_graph(
            what,
            where,
            workers=workers,
            tree=tree,
            segment=segment,
            sample=sample,
            steps=steps,
            late=late,
            trace=trace,
            gantt=gantt,
            report=report,
            as_json=as_json,
            algorithm=algorithm,
            **options,
        )
        return
    _refuse_for(what, **{option: options[option] is not None for option in ("shape", "tiles", "grid")})
    _refuse_for(what, sample=sample != 0, steps=steps is not None)
    if gantt is not None:
        raise ap.Error(f"--gantt: is for task graphs ({', '.join(GRAPHS)}); --view shows {what}")
    schedule = ap.make_schedule(
        what,
        where,
        algorithm=algorithm,
        root=root,
        bytes=size,
        element=element if element is not None else ap.bench.element_of(what),
        segment=segment,
        window=window,
    )
    with progress("simulating") as bar:
        run = ap.simulate(
            schedule,
            where,
            model=ap.sim.Model(
                sharing=sharing,
                overheads=overheads,
                eager=parse_bytes(eager, "eager"),
                handshake=handshake,
                engine=engine,
                most_seconds=0.0 if force else ap.sim.MOST_SECONDS,
            ),
            placement=placement,
            trace=late or any((trace, view, report)),
            proof=None,
            progress=lambda fraction: bar("simulating", fraction),
        )
    if trace:
        ap.report.trace.chrome(run, trace)
    if view:
        ap.report.trace.animate(run, view)
    if report:
        ap.report.pages.write(run, report)
    if as_json:
        print_json({**run.to_dict(), "bound": run.bound, "late": run.late() if late else None})
    else:
        _show(run)
        tell_files(trace=trace, view=view, report=report)
