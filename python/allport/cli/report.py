"""allport report: a drop-in's report, or the numbers of a benchmark, as one page to look at."""

from __future__ import annotations

from typing import Annotated

import typer

import allport as ap
from allport.cli import completion
from allport.cli.console import ensure_outputs, print_json, tell_files
from allport.cli.options import AnyMachine, Json, example


@example("allport report plan.json -o plan.html")
def report(
    file: Annotated[
        str,
        typer.Argument(
            metavar="REPORT.json",
            autocompletion=completion.files(".json"),
            help="What ALLPORT_REPORT, `bench -o` or `run --json` has written.",
        ),
    ],
    output: Annotated[
        str | None,
        typer.Option("-o", "--output", metavar="FILE.html", help="The page; else REPORT.html beside the file."),
    ] = None,
    machine: AnyMachine = None,
    capture: Annotated[
        str | None,
        typer.Option(
            metavar="FILE.json",
            autocompletion=completion.files(".json"),
            help="What ALLPORT_CAPTURE has written of the same run: link loads, and orders of ranks that spread them.",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Turn the JSON of a drop-in (ALLPORT_REPORT=FILE.json), a benchmark, a run or a plan into one page.

    Calls taken and passed on, why, seconds beside lower bounds, what was tried, and what to try next.
    """
    output = f"{file.removesuffix('.json')}.html" if output is None else output
    if not output.endswith((".html", ".htm")):
        raise ap.Error(f"output = '{output}': expected a name that ends in .html, as pages do")
    ensure_outputs(output=output)
    where = None if machine is None else ap.Machine.parse(machine)
    captured = None if capture is None else ap.pattern.load(capture)
    ap.report.pages.write(ap.report.pages.of_json(file, where, captured), output)
    if as_json:
        print_json({"report": output})
    else:
        tell_files(report=output)
