"""allport graph: algorithms of linear algebra as task graphs, drawn, checked and counted."""

from __future__ import annotations

from typing import Annotated, Any

import typer

import allport as ap
from allport.cli import completion
from allport.cli.console import console, ensure_outputs, print_json, table, tell_files
from allport.cli.graph_options import GRAPH, Made, Name, Tree, made
from allport.cli.options import AnyMachine, Group, Json, PageFile, example, with_options
from allport.units import format_bytes, format_count

app = typer.Typer(help="Algorithms as task graphs: draw, check and count them.", no_args_is_help=True)
MOST_SHOWN = 24

Algorithm = Annotated[
    str | None,
    typer.Option(
        "--algorithm",
        "-a",
        autocompletion=completion.algorithms,
        help="gemm: summa, ...; lu: 1d, 2d or 2.5d; lu-solve: sums or panels; else the cheapest.",
    ),
]
WHICH: Group = {**GRAPH, "algorithm": (Algorithm, None), "machine": (AnyMachine, None)}


def _made(name: str, machine: str | None, **options: Any) -> Made:
    return made(name, None if machine is None else ap.Machine.parse(machine), **options)


def _words(report: ap.graph.CheckReport, ranks: int) -> str:
    looked = "every task was looked at" if report.exhaustive else "along random paths, which do not see all"
    return (
        f"{format_count(report.tasks)} tasks on {ranks} rank{'s' * (ranks != 1)}, "
        f"{format_count(report.edges)} edges, "
        f"{report.longest} tasks on the longest path; {looked}"
    )


@app.command()
@example("allport graph show cholesky --tiles 4 -o cholesky.svg")
@with_options(WHICH)
def show(
    graph: Name,
    *,
    output: Annotated[str | None, typer.Option("-o", "--output", help="Draw the graph: FILE.svg.")] = None,
    most: Annotated[int, typer.Option(help="Maximum number of tasks in the drawing.")] = 400,
    report: PageFile = None,
    as_json: Json = False,
    **options: Any,
) -> None:
    """Show the size of a graph, and draw it with -o: each task below those that it waits for (Song09, slide 4)."""
    ensure_outputs(output=output)
    if output is not None and not output.endswith(".svg"):
        raise ap.Error(f"output = '{output}': expected a name that ends in .svg")
    which = _made(graph, **options)
    checked = ap.graph.check(which.graph)
    if output is not None:
        ap.graph.draw(which.graph, output, most=most)
    if report is not None:
        ap.report.pages.write(ap.report.pages.of_graph(which.graph, which.title), report)
    if as_json:
        print_json({"graph": which.title, "ranks": which.graph.ranks, **checked._asdict(), "drawing": output})
        return
    typer.echo(f"{which.title}\n{_words(checked, which.graph.ranks)}")
    tell_files(drawn=output, report=report)


@app.command()
@example("allport graph check lu --shape 512 -m bgp:4x4 -a 2d")
@with_options(WHICH)
def check(
    graph: Name,
    *,
    exhaustive: Annotated[
        int, typer.Option(help="Maximum number of tasks to check all; larger graphs are checked along random paths.")
    ] = 1_000_000,
    paths: Annotated[int, typer.Option(help="Number of random paths.")] = 1_000,
    seed: Annotated[int, typer.Option(help="Seed of the random paths.")] = 1,
    as_json: Json = False,
    **options: Any,
) -> None:
    """Check a graph: parents and children, inputs, shapes, counts, cycles, overwriting."""
    which = _made(graph, **options)
    report = ap.graph.check(which.graph, exhaustive=exhaustive, paths=paths, seed=seed)
    if as_json:
        print_json({"graph": which.title, "ranks": which.graph.ranks, "ok": True, **report._asdict()})
        return
    typer.echo(f"{which.title}\nholds together: {_words(report, which.graph.ranks)}")


def _row(rank: str, c: ap.graph.Count) -> list[str]:
    cells = [f"{c.tasks:,}", format_count(c.flops), f"{c.messages_sent:,}", format_bytes(c.bytes_sent)]
    cells += [f"{c.messages_received:,}", format_bytes(c.bytes_received)]
    expected = f"{c.expected_messages:,.0f} of {format_bytes(c.expected_bytes)}" if c.expected_messages else ""
    return [rank, *cells, expected]


@app.command()
@example("allport graph count cholesky --tiles 8 --nb 256 --grid 2x2")
@with_options(WHICH)
def count(
    graph: Name,
    *,
    tree: Tree = None,
    as_json: Json = False,
    **options: Any,
) -> None:
    """Tasks, operations, messages and bytes of every rank, exactly; what depends on the data apart, as expected."""
    which = _made(graph, **options)
    counts = ap.graph.count(which.graph, tree=tree, machine=options["machine"])
    whole = ap.graph.Count(*(sum(values) for values in zip(*counts))) if counts else None
    if as_json:
        ranks = [c._asdict() for c in counts]
        print_json({"graph": which.title, "sum": None if whole is None else whole._asdict(), "ranks": ranks})
        return
    out = console()
    out.print(which.title)
    columns = ("rank", "tasks", "flops", "sent", "bytes sent", "received", "bytes received")
    rows = table(*columns, "and expected", right=(*columns, "and expected"))
    busy = sorted(range(len(counts)), key=lambda r: (-counts[r].bytes_sent - counts[r].bytes_received, r))
    for rank in sorted(busy[:MOST_SHOWN]):
        rows.add_row(*_row(str(rank), counts[rank]))
    if whole is not None:
        rows.add_row(*_row("all", whole), style="bold")
    out.print(rows)
    if len(counts) > MOST_SHOWN:
        out.print(f"the {MOST_SHOWN} ranks that send and receive most, of {len(counts):,}")
