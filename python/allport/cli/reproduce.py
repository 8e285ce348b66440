"""allport reproduce: the decks' figures again, as files and as one page."""

from __future__ import annotations

from typing import Annotated

import typer

import allport as ap
from allport.cli.console import console, print_json, progress, table
from allport.cli.options import Json

WORDS = {"ok": "done", "partly": "partly run", "missing": "not run here", "failed": "FAILED"}


def _list(as_json: bool) -> None:
    known = ap.report.reproduce.figures()
    if as_json:
        print_json(known)
        return
    rows = table("figure", "how", "what")
    for f in known:
        rows.add_row(f["id"], ", ".join(f["how"]), f["title"])
    console().print(rows)


def reproduce(
    figures: Annotated[list[str], typer.Argument(metavar="FIGURE...", help="deck1-slide22, deck2, all; or list.")],
    output: Annotated[str, typer.Option("-o", "--output", metavar="FOLDER", help="Where to write.")] = "report",
    quick: Annotated[bool, typer.Option("--quick", help="Small shapes only, about a minute in all.")] = False,
    run: Annotated[
        bool, typer.Option("--run", help="Measure real runs anew, in labs (root); else those kept with the package.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Reproduce figures of decks 1 to 5: SVG, PNG, CSV and JSON of each, and FOLDER/index.html with all of them.

    Exit code 1 when one fails.
    """
    if figures == ["list"]:
        _list(as_json)
        return
    with progress("reproducing") as bar:
        entries = ap.report.reproduce.reproduce(figures, output, quick=quick, run=run, progress=bar)
    if as_json:
        print_json([{k: v for k, v in e.items() if k not in ("csv", "rows", "picture")} for e in entries])
    else:
        rows = table("figure", "outcome", "seconds", "we get", right=("seconds",))
        for e in entries:
            said = e["error"] or " ".join([e["got"], *e["not_run"]]).strip()
            rows.add_row(e["id"], WORDS[e["status"]], f"{e['seconds']:.1f}", said)
        out = console()
        out.print(rows)
        out.print(f"\n{output}/index.html has all of them")
    if any(e["status"] == "failed" for e in entries):
        raise typer.Exit(1)
