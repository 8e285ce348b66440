"""allport schedule: registered algorithms, their programs, proofs and drawings."""

from __future__ import annotations

from typing import Annotated, Any

import typer

import allport as ap
from allport.cli import exchange
from allport.cli.console import console, print_json, progress, table, tell_files
from allport.cli.options import (
    SCHEDULE,
    Collective,
    Json,
    Load,
    PageFile,
    Segment,
    example,
    machine_of,
    schedule_of,
    with_options,
)
from allport.units import format_bytes

app = typer.Typer(help="List, show, draw and verify collective schedules.", no_args_is_help=True)
exchange.register(app)
ROWS = 200


@app.command(name="list")
@example("allport schedule list")
def list_(load: Load = None, as_json: Json = False) -> None:
    """The registered algorithms."""
    known = ap.collectives.algorithms()
    if as_json:
        print_json(known)
        return
    rows = table("collective", "name", "what it does")
    for a in known:
        rows.add_row(a["collective"], a["name"], a["summary"])
    console().print(rows)


@app.command()
@example("allport schedule verify bcast -m torus:4x4")
@with_options({**SCHEDULE, "segment": (Segment, "64KiB")})
def verify(
    collective: Collective,
    *,
    disjoint: Annotated[bool, typer.Option(help="Two trees over one link are an error.")] = False,
    as_json: Json = False,
    **options: Any,
) -> None:
    """Prove a schedule: delivery, no deadlock, no races, loads of all links. Exit code 1 when it is wrong."""
    where = machine_of(options.pop("machine"))
    schedule = schedule_of(collective, where, **options)
    with progress("proving") as bar:
        report = ap.verify.prove(schedule, where, disjoint=disjoint, progress=bar)
    if as_json:
        print_json(report.to_dict())
    else:
        typer.echo(str(report), nl=False)
        if schedule.algorithm == "packed":
            found = ap.collectives.packing(where, options["root"], to_root=schedule.collective == "reduce")
            typer.echo(f"trees: {found['text']}")
    if not report:
        raise typer.Exit(1)


def _operation(op: ap.schedule.Op) -> dict[str, Any]:
    return {
        "kind": op.kind,
        "peer": op.peer if op.peer >= 0 else None,
        "channel": op.channel,
        "port": op.port,
        "bytes": list(op.piece.bytes),
        "segment": op.segment,
        "segments": op.segments,
        "after": [list(d) for d in op.after],
    }


def _direction(machine: ap.Machine, port: int) -> str:
    return "routed" if port < 0 else ("+" if port % 2 else "-") + ap.machine.axis_letter(port // 2)


def _after(op: ap.schedule.Op) -> str:
    return ", ".join(f"{i}" if lag == 0 else f"all of {i}" if lag < 0 else f"{i} by {lag}" for i, lag in op.after)


@app.command()
@example("allport schedule show bcast -a rectangular -m torus:4x4 --rank 0")
@with_options(SCHEDULE)
def show(
    collective: Collective,
    *,
    rank: Annotated[list[int] | None, typer.Option(help="Show only this rank's program; repeatable.")] = None,
    output: Annotated[
        str | None, typer.Option("-o", "--output", help="Draw the trees: FILE.svg, .png or .pdf.")
    ] = None,
    report: PageFile = None,
    as_json: Json = False,
    **options: Any,
) -> None:
    """Show the program of each rank, or draw the spanning trees on their machine (-o trees.svg)."""
    where = machine_of(options.pop("machine"))
    schedule = schedule_of(collective, where, **options)
    if output is not None:
        ap.report.draw.trees(schedule, where, output)
    if report is not None:
        ap.report.pages.write(ap.report.pages.of_schedule(schedule, where), report)
    head = {
        "collective": schedule.collective,
        "algorithm": schedule.algorithm,
        "machine": where.name,
        "ranks": schedule.ranks,
        "root": schedule.root,
        "bytes": schedule.bytes,
        "segment": schedule.segment,
        "window": schedule.window,
        "trees": schedule.trees,
    }
    ranks = rank if rank else range(schedule.ranks)
    if as_json:
        programs = [{"rank": r, "operations": [_operation(op) for op in schedule.program(r).ops]} for r in ranks]
        print_json({**head, "drawing": output, "programs": programs})
        return
    out = console()
    out.print(
        f"{schedule.collective} by {schedule.algorithm} on {where.name}: {format_bytes(schedule.bytes)} in "
        f"{schedule.trees} tree{'s' if schedule.trees != 1 else ''}, "
        f"segments of at most {format_bytes(schedule.segment)}, "
        f"window {schedule.window}"
    )
    if output is not None or report is not None:
        tell_files(drawn=output, report=report)
        return
    rows = table(
        "rank", "op", "what", "peer", "link", "tree", "bytes", "segments", "after", right=("rank", "op", "segments")
    )
    for r in ranks:
        for i, op in enumerate(schedule.program(r).ops):
            if rows.row_count == ROWS:
                break
            sends = op.kind in ("send", "receive")
            rows.add_row(
                str(r),
                str(i),
                op.kind,
                str(op.peer) if sends else "",
                _direction(where, op.port) if op.kind == "send" else "",
                str(op.channel % schedule.trees + 1),
                f"{op.piece.bytes[0]}..{op.piece.bytes[1]}",
                str(op.segments),
                _after(op),
            )
    out.print(rows)
    if rows.row_count == ROWS:
        out.print(f"... the first {ROWS} operations; --rank R shows one rank, --json all")
