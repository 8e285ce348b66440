"""allport exec: an MPI program that never heard of Allport, started with the drop-ins that fit it."""

from __future__ import annotations

from typing import Annotated

import typer

import allport as ap
from allport import preload
from allport.cli import completion
from allport.cli.console import print_json
from allport.cli.options import AnyMachine, Json, example

SETTINGS = {"allow_interspersed_args": False, "help_option_names": ["-h", "--help"]}


def _variables(given: list[str]) -> dict[str, str]:
    for one in given:
        if "=" not in one or one.startswith("="):
            raise ap.Error(f"-x {one}: expected NAME=VALUE")
    return dict(one.split("=", 1) for one in given)


@example("allport exec -n 2 ./solver input.txt")
def exec_(
    program: Annotated[
        str,
        typer.Argument(
            metavar="PROGRAM", help="An MPI program: a path or a name in PATH; or Python, which uses mpi4py."
        ),
    ],
    arguments: Annotated[
        list[str] | None, typer.Argument(metavar="[ARGS]...", help="Arguments of the program.")
    ] = None,
    machine: AnyMachine = None,
    ranks: Annotated[
        int | None, typer.Option("-n", "--ranks", help="Ranks; else the machine's, or one per core.")
    ] = None,
    mpi: Annotated[
        str | None,
        typer.Option(
            autocompletion=completion.one_of("openmpi", "mpich"),
            help="openmpi or mpich, if the program does not show it, as scripts.",
        ),
    ] = None,
    launcher: Annotated[
        str | None,
        typer.Option(
            metavar="COMMAND",
            help="Launcher with its options, instead of the program's own mpiexec: 'srun --mpi=pmix'.",
        ),
    ] = None,
    interface: Annotated[
        str | None,
        typer.Option(
            autocompletion=completion.one_of("mpi", "scalapack"), help="Preload only one drop-in: mpi or scalapack."
        ),
    ] = None,
    report: Annotated[
        str | None, typer.Option(metavar="FILE.json", help="Write the report to this file instead of printing it.")
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="Print neither report nor notes.")] = False,
    export: Annotated[
        list[str] | None,
        typer.Option(
            "-x", "--export", metavar="NAME=VALUE", help="Variable of the ranks, as ALLPORT_EXPLAIN=1; repeatable."
        ),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print the command instead of running it.")] = False,
    as_json: Json = False,
) -> None:
    """Start an MPI program, and preload the drop-ins that fit the libraries that it is linked with."""
    start = preload.prepare(
        program,
        arguments or [],
        ranks=ranks,
        machine=machine,
        mpi=mpi,
        launch=launcher,
        interfaces=None if interface is None else [interface],
        report=None if quiet and report is None else report or "1",
        variables=_variables(export or []),
    )
    if as_json:
        print_json(start.to_dict())
        return
    if dry_run:
        typer.echo(start.shell())
    if not quiet:
        for note in start.notes:
            typer.echo(f"allport: note: {note}", err=True)
    if not dry_run:
        start.replace_this_process()
