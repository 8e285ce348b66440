"""allport exec: an MPI program that never heard of Allport, started with the drop-ins that fit it."""

from __future__ import annotations

from typing import Annotated

import typer

import allport as ap
from allport import preload
from allport.cli.console import print_json
from allport.cli.options import AnyMachine, Json

SETTINGS = {"allow_interspersed_args": False, "help_option_names": ["-h", "--help"]}


def _variables(given: list[str]) -> dict[str, str]:
    for one in given:
        if "=" not in one or one.startswith("="):
            raise ap.Error(f"-x {one}: expected NAME=VALUE")
    return dict(one.split("=", 1) for one in given)


def exec_(
    program: Annotated[
        str, typer.Argument(metavar="PROGRAM", help="A path, or a name in PATH; Python with mpi4py, too.")
    ],
    arguments: Annotated[list[str] | None, typer.Argument(metavar="[ARGS]...", help="Its own.")] = None,
    machine: AnyMachine = None,
    ranks: Annotated[
        int | None, typer.Option("-n", "--ranks", help="Else the machine's; without one, the cores.")
    ] = None,
    mpi: Annotated[str | None, typer.Option(help="openmpi or mpich, of a program that does not say: a script.")] = None,
    launcher: Annotated[
        str | None,
        typer.Option(
            metavar="COMMAND", help="With its options, in place of the program's own mpiexec: 'srun --mpi=pmix'."
        ),
    ] = None,
    only: Annotated[str | None, typer.Option(help="mpi or scalapack: one drop-in alone.")] = None,
    report: Annotated[
        str | None, typer.Option(metavar="FILE.json", help="For what was taken and handed back, not printed then.")
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="No report, and no notes.")] = False,
    variables: Annotated[
        list[str] | None, typer.Option("-x", metavar="NAME=VALUE", help="For the ranks: ALLPORT_EXPLAIN=1.")
    ] = None,
    dry: Annotated[bool, typer.Option("--dry", help="Print the command instead.")] = False,
    as_json: Json = False,
) -> None:
    """Start any MPI program with the drop-ins that fit what it is linked with; what it needs is found out."""
    start = preload.prepare(
        program,
        arguments or [],
        ranks=ranks,
        machine=machine,
        mpi=mpi,
        launch=launcher,
        interfaces=None if only is None else [only],
        report=None if quiet and report is None else report or "1",
        variables=_variables(variables or []),
    )
    if as_json:
        print_json(start.to_dict())
        return
    if dry:
        typer.echo(start.shell())
    if not quiet:
        for note in start.notes:
            typer.echo(f"allport: note: {note}", err=True)
    if not dry:
        start.replace_this_process()
