"""allport explain: why a collective gets the algorithm that it gets."""

from __future__ import annotations

from typing import Annotated, Any

import typer

import allport as ap
from allport.cli import completion
from allport.cli.console import console, print_json, table, tell_files
from allport.cli.options import (
    Collective,
    Element,
    Json,
    Load,
    Machine,
    PageFile,
    Root,
    Size,
    example,
    machine_of,
    ranks_of,
)
from allport.cli.simulate import Placement
from allport.select import best_cuts
from allport.units import format_bytes, format_seconds


def _measured(seen: list[dict[str, Any]], algorithm: str) -> str:
    """The latest time of an algorithm, with the segment it had."""
    found = [e for e in seen if e["algorithm"] == algorithm]
    if not found:
        return ""
    last = max(found, key=lambda e: e["date"])
    cut = f", segment {format_bytes(last['segment'])}" if last.get("segment") else ""
    return f"{format_seconds(last['seconds'])} [{format_seconds(last['least'])} ..] on {last['date']}{cut}"


def _show(data: dict[str, Any]) -> None:
    out, seen = console(), data["measured"]
    where = f"{data['machine']} ({data['ranks']} ranks)"
    root = f"root {data['root']}" + (f" at place {data['root_place']}" if "root_place" in data else "")
    out.print(f"{data['collective']} of {data['bytes']} bytes, {root}, on {where}")
    least, bound = data["predicted_s"] or 1.0, data.get("bound_s")
    right = ("predicted", "times", "of bound", "segment")
    rows = table("", "algorithm", "predicted", "times", "of bound", "segment", "measured", right=right)

    def prices(seconds: float) -> tuple[str, str, str]:
        share = f"{bound / seconds:.2f}" if bound and seconds else ""
        return format_seconds(seconds), f"{seconds / least:.2f}", share

    for c in best_cuts(data["candidates"]):
        name = c["algorithm"]
        if "reason" in c:
            rows.add_row("", name, "", "", "", "", f"cannot: {c['reason']}")
            continue
        mark = "*" if name == data["algorithm"] else ""
        rows.add_row(mark, name, *prices(c["predicted_s"]), format_bytes(c["segment"]), _measured(seen, name))
    own = data["mpi"]
    if "ours_s" in own:
        rows.add_row("", "Allport's, as timed", *prices(own["ours_s"]), "", "")
    source = "" if own["source"] == "calibrated" else " (modelled)"
    rows.add_row(
        "", ap.bench.measured.MPI + source, *prices(own["predicted_s"]), "", _measured(seen, ap.bench.measured.MPI)
    )
    out.print(rows)
    if bound:
        out.print(f"lower bound: {format_seconds(bound)}; no schedule is faster on this machine")
    if n := data.get("network"):
        busiest = n["streams_on_a_link"]
        links = "no link is used twice" if busiest == 1 else f"up to {busiest} streams share a link"
        trees = f"{n['trees']} trees" if n["trees"] != 1 else "one tree"
        out.print(f"the ranks form no box: {trees} over the network among their {n['nodes']} nodes, {links}")
    if own["taken"]:
        out.print(f"taken: {data['algorithm']} is expected to be clearly faster than MPI's own")
    else:
        out.print("passed on: MPI's own is expected to be faster, or as fast")
    if own["source"] != "calibrated":
        out.print("allport machine calibrate times MPI's own collectives, and allport bench measures both")


@example("allport explain bcast -m torus:4x4 --size 4MiB")
def explain(
    collective: Collective,
    machine: Machine = None,
    size: Size = "1MiB",
    load: Load = None,
    root: Root = 0,
    element: Element = 1,
    placement: Placement = None,
    members: Annotated[
        str, typer.Option(metavar="RANKS", help="Ranks of the machine that alone take part: 0,1,4 or 0-12; else all.")
    ] = "all",
    measured: Annotated[
        str | None,
        typer.Option(
            metavar="FILE.json",
            autocompletion=completion.files(".json"),
            help="Times that allport bench stored; else ALLPORT_MEASURED.",
        ),
    ] = None,
    report: PageFile = None,
    as_json: Json = False,
) -> None:
    """Every algorithm's predicted time for a collective, MPI's own, what was measured, and which one is chosen."""
    where, some = machine_of(machine), ranks_of("--members", members)
    if some is not None and placement is not None:
        raise ap.Error("--members, --placement: expected one of the two, which both say where ranks are")
    if some is None:
        choice = ap.explain(collective, where, bytes=size, root=root, element=element, placement=placement)
    else:
        choice = ap.collectives.explain_among(collective, where, some, bytes=size, root=root, element=element)
    if report is not None:
        ap.report.pages.write(choice, report)
    data = choice.to_dict()
    data["measured"] = ap.bench.measured.find(where, data["collective"], data["bytes"], measured)
    if as_json:
        print_json(data)
    else:
        _show(data)
        tell_files(report=report)
