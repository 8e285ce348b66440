"""allport explain: why a collective gets the algorithm that it gets."""

from __future__ import annotations

from typing import Annotated

import typer

import allport as ap
from allport.cli.console import Json, Machine_, print_json


def explain(
    collective: Annotated[str, typer.Argument(metavar="COLLECTIVE", help="bcast or reduce")],
    machine: Machine_,
    size: Annotated[str, typer.Option(help="Bytes of the message: 4096, 64KiB, 4MiB.")],
    root: Annotated[int, typer.Option(help="Rank that sends or receives the whole.")] = 0,
    element: Annotated[int, typer.Option(help="Bytes that are never cut apart (reductions).")] = 1,
    as_json: Json = False,
) -> None:
    """Every algorithm's predicted time for a collective, and which one is chosen."""
    choice = ap.explain(collective, machine, bytes=size, root=root, element=element)
    if as_json:
        print_json(choice.to_dict())
    else:
        typer.echo(str(choice).rstrip("\n"))
