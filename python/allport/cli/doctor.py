"""allport doctor: what is wrong with this computer, a job on it, or a program, and what to change."""

from __future__ import annotations

import dataclasses
from typing import Annotated

import typer

import allport as ap
from allport.cli import completion
from allport.cli.console import console, print_json, table
from allport.cli.options import Json, example

_SIGNS = {"good": "[green]good[/]", "note": "[yellow]note[/]", "wrong": "[red]wrong[/]"}


@example("allport doctor ./solver -n 2")
def doctor(
    program: Annotated[
        str | None,
        typer.Argument(metavar="[PROGRAM]", help="A program: which drop-ins fit the libraries that it is linked with."),
    ] = None,
    ranks: Annotated[
        int | None, typer.Option("-n", "--ranks", help="Ranks of the job on this computer; else one per core.")
    ] = None,
    select_file: Annotated[
        str | None,
        typer.Option(
            metavar="FILE.json",
            autocompletion=completion.files(".json"),
            help="Times of earlier runs, from which the best start is derived; else ALLPORT_SELECT_FILE.",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Examine cores, threads, MPI and the lab, and say what to change. Exits with 1 if something is wrong."""
    found = ap.doctor.examine(program, ranks, select_file)
    if as_json:
        print_json({"findings": [dataclasses.asdict(finding) for finding in found]})
    else:
        rows = table("what", "", "found", "to change")
        for finding in found:
            rows.add_row(finding.subject, _SIGNS[finding.state], finding.found, finding.remedy)
        console().print(rows)
    if any(finding.state == "wrong" for finding in found):
        raise typer.Exit(1)
