"""allport dropin: where the libraries are that are preloaded into programs which never heard of Allport."""

from __future__ import annotations

from typing import Annotated

import typer

from allport.cli import completion
from allport.cli.console import print_json
from allport.cli.options import Json, example
from allport.dropin import library


@example("allport dropin mpi")
def dropin(
    interface: Annotated[
        str,
        typer.Argument(
            metavar="INTERFACE",
            autocompletion=completion.one_of("mpi", "scalapack"),
            help="mpi: its collectives; scalapack: p?gemm, p?gesv, p?posv and others.",
        ),
    ] = "mpi",
    mpi: Annotated[
        str | None,
        typer.Option(
            autocompletion=completion.one_of("openmpi", "mpich"),
            help="The program's MPI library: openmpi or mpich; else the one that Allport uses.",
        ),
    ] = None,
    ilp64: Annotated[
        bool, typer.Option("--ilp64", help="scalapack: the library for programs with 64-bit integers.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Print the path of the library to preload: LD_PRELOAD=$(allport dropin mpi) ALLPORT_MACHINE=torus:4x4 ..."""
    path = library(interface, mpi, ilp64=ilp64)
    if as_json:
        print_json({"interface": interface, "library": path})
    else:
        typer.echo(path)
