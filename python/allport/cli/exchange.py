"""allport schedule export and import: schedules in the formats of others, GOAL text and MSCCL XML."""

from __future__ import annotations

from typing import Annotated, Any

import typer

import allport as ap
from allport.cli import completion
from allport.cli.console import console, print_json
from allport.cli.options import SCHEDULE, Collective, Json, example, machine_of, schedule_of, with_options
from allport.units import format_bytes, format_seconds

FORMATS = ("goal", "msccl")
Output = Annotated[str, typer.Option("--output", "-o", metavar="FILE", help="File to write.")]
Format = Annotated[
    str,
    typer.Option("--format", "-f", autocompletion=completion.one_of(*FORMATS), help="goal (LogGOPSim) or msccl (XML)."),
]
Steps = Annotated[
    int, typer.Option(help="msccl: maximum number of steps of a threadblock; older versions of MSCCL allow 256.")
]
Rates = Annotated[
    str | None,
    typer.Option(
        "--machine",
        "-m",
        metavar="SPEC",
        autocompletion=completion.machines,
        help="Machine on which to simulate; each calc becomes a copy that takes as long.",
    ),
]


def _head(schedule: ap.Schedule) -> dict[str, Any]:
    traffic = [schedule.traffic(r) for r in range(schedule.ranks)]
    return {
        "collective": schedule.collective,
        "algorithm": schedule.algorithm,
        "ranks": schedule.ranks,
        "root": schedule.root,
        "bytes": schedule.bytes,
        "segment": schedule.segment,
        "window": schedule.window,
        "trees": schedule.trees,
        "operations": sum(len(schedule.program(r)) for r in range(schedule.ranks)),
        "messages": sum(t.messages_sent for t in traffic),
        "bytes_moved": sum(t.bytes_sent for t in traffic),
    }


def _tell(schedule: ap.Schedule, more: dict[str, Any], as_json: bool) -> None:
    head = _head(schedule)
    if as_json:
        print_json({**head, **more})
        return
    what = "no contract" if schedule.collective == "none" else f"{schedule.collective} by {schedule.algorithm}"
    parts = [
        f"{what}: {schedule.ranks} ranks, {head['operations']} operations, {head['messages']} messages, "
        f"{format_bytes(head['bytes_moved'])} sent"
    ]
    if "format" in more:
        parts.append(f"written: {more['file']}")
    if "seconds" in more:
        parts.append(f"simulated: {format_seconds(more['seconds'])}")
    console().print("; ".join(parts))


@example("allport schedule export bcast -m torus:4x4 -o bcast.goal")
@with_options(SCHEDULE)
def export(
    collective: Collective,
    output: Output,
    form: Format = "goal",
    *,
    steps: Steps = 64,
    as_json: Json = False,
    **options: Any,
) -> None:
    """Write a schedule for another simulator or runtime: GOAL text (LogGOPSim) or MSCCL XML."""
    if form not in FORMATS:
        raise ap.Error(f"--format = '{form}': expected {' or '.join(FORMATS)}")
    where = machine_of(options.pop("machine"))
    schedule = schedule_of(collective, where, **options)
    if form == "goal":
        ap.schedule.export_goal(schedule, output, machine=where)
    else:
        ap.schedule.export_msccl(schedule, output, steps=steps)
    _tell(schedule, {"format": form, "file": output}, as_json)


@example("allport schedule import bcast.goal -m torus:4x4")
def import_(
    file: Annotated[str, typer.Argument(metavar="FILE", help="File with GOAL text.")],
    machine: Rates = None,
    as_json: Json = False,
) -> None:
    """Read GOAL text of Allport or other programs, and show what it has; with a machine, simulate it."""
    schedule = ap.schedule.import_goal(file, machine=machine)
    run = None if machine is None else ap.simulate(schedule, machine, proof=schedule.collective != "none")
    _tell(schedule, {"file": file} if run is None else {"file": file, "seconds": run.seconds}, as_json)


def register(app: typer.Typer) -> None:
    """Adds the two commands to those of `allport schedule`."""
    app.command(name="export")(export)
    app.command(name="import")(import_)
