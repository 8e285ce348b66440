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
        str, typer.Argument(metavar="PROGRAM", help="A path, or a name in PATH; Python with mpi4py, too.")
    ],
    arguments: Annotated[list[str] | None, typer.Argument(metavar="[ARGS]...", help="Its own.")] = None,
    machine: AnyMachine = None,
    ranks: Annotated[
        int | None, typer.Option("-n", "--ranks", help="Else the machine's; without one, the cores.")
    ] = None,
    mpi: Annotated[
        str | None,
        typer.Option(
            autocompletion=completion.one_of("openmpi", "mpich"),
            help="openmpi or mpich, of a program that does not say: a script.",
        ),
    ] = None,
    launcher: Annotated[
        str | None,
        typer.Option(
            metavar="COMMAND", help="With its options, in place of the program's own mpiexec: 'srun --mpi=pmix'."
        ),
    ] = None,
    interface: Annotated[
        str | None,
        typer.Option(autocompletion=completion.one_of("mpi", "scalapack"), help="mpi or scalapack: one drop-in alone."),
    ] = None,
    report: Annotated[
        str | None, typer.Option(metavar="FILE.json", help="The report goes there and is not printed.")
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="No report, and no notes.")] = False,
    export: Annotated[
        list[str] | None, typer.Option("-x", "--export", metavar="NAME=VALUE", help="For the ranks: ALLPORT_EXPLAIN=1.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print the command instead.")] = False,
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
