"""allport compare: algorithms of a collective side by side, simulated over sizes."""

from __future__ import annotations

from typing import Annotated, Any

import typer

import allport as ap
from allport.cli.console import console, ensure_outputs, hand_over, progress, table
from allport.cli.options import Collective, Json, Load, Machine, PageFile, Root, Segment, example, machine_of
from allport.cli.simulate import Force, Overheads, Placement, Sharing
from allport.units import format_bytes, format_seconds


def _show(result: dict[str, Any]) -> None:
    out = console()
    out.print(f"{result['collective']} on {result['machine']}, {result['ranks']} ranks, simulated")
    names = list(dict.fromkeys(a for row in result["rows"] for a, r in row["algorithms"].items() if "seconds" in r))
    rows = table("size", "bound", *names, "chosen by price", right=("size", "bound", *names))
    for row in result["rows"]:
        cells = []
        for name in names:
            found = row["algorithms"].get(name, {})
            mark = "*" if name == row["fastest"] else " "
            cells.append(format_seconds(found["seconds"]) + mark if "seconds" in found else "-")
        rows.add_row(format_bytes(row["size"]), format_seconds(row["bound"]), *cells, row["chosen"])
    out.print(rows)
    out.print("* fastest")
    reasons = {a: r["reason"] for row in result["rows"] for a, r in row["algorithms"].items() if "reason" in r}
    for name, reason in reasons.items():
        out.print(f"{name}: {reason}")


@example("allport compare bcast -m torus:4x4 --sizes 1KiB:64KiB")
def compare(
    collective: Collective,
    machine: Machine = None,
    sizes: Annotated[
        list[str] | None,
        typer.Option(help="Bytes of the whole vector: 4MB, 1KiB:16MiB (doubling), or several separated by commas."),
    ] = None,
    algorithms: Annotated[str, typer.Option(help="all, or names separated by commas.")] = "all",
    load: Load = None,
    segment: Segment = None,
    root: Root = 0,
    sharing: Sharing = "fifo",
    overheads: Overheads = "parallel",
    placement: Placement = None,
    plot: Annotated[str | None, typer.Option(metavar="FILE.svg", help="Plot of times over sizes.")] = None,
    output: Annotated[
        str | None, typer.Option("-o", "--output", metavar="FILE.json", help="Write all results.")
    ] = None,
    report: PageFile = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Simulate algorithms of a collective over sizes, and compare their times."""
    ensure_outputs(plot=plot, output=output)
    with progress("simulating") as bar:
        result = ap.bench.compare.compare(
            collective,
            machine_of(machine),
            sizes=sizes or ["1KiB:16MiB"],
            algorithms=[] if algorithms == "all" else [a.strip() for a in algorithms.split(",")],
            segment=segment,
            root=root,
            progress=bar,
            placement=placement,
            model=ap.sim.Model(
                sharing=sharing, overheads=overheads, most_seconds=0.0 if force else ap.sim.MOST_SECONDS
            ),
        )
    if plot:
        ap.report.plot.comparison(result, plot)
    hand_over(result, output, as_json, _show, report)
