"""python studies FIGURE...: published figures made again, as files and as one page. Works from any folder.

`list` names them, `talks` prints the talks' values beside ours; both take --json.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

if not __package__:  # started as `python studies`
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from allport.cli.console import console, print_json, progress, table
from allport.cli.options import Json
from allport.errors import Error

from studies.figures import talks
from studies.figures.reproduce import figures as known_figures
from studies.figures.reproduce import reproduce

WORDS = {"ok": "done", "partly": "partly run", "missing": "not run here", "failed": "FAILED"}


def _list(as_json: bool) -> None:
    known = known_figures()
    if as_json:
        print_json(known)
        return
    rows = table("figure", "how", "what")
    for f in known:
        rows.add_row(f["id"], ", ".join(f["how"]), f["title"])
    console().print(rows)


def _talks(as_json: bool) -> None:
    if as_json:
        print_json(talks.table())
        return
    rows = table("where", "what", "talk", "ours", "how", "reproduced", "why different")
    for row in talks.table()["rows"]:
        rows.add_row(*(row[key] for key in ("where", "what", "published", "ours", "how", "reproduced", "why")))
    console().print(rows)


def main(
    figures: Annotated[list[str], typer.Argument(metavar="FIGURE...", help="chan06, song09-slide7, all; list; talks.")],
    output: Annotated[str, typer.Option("-o", "--output", metavar="FOLDER", help="Where to write.")] = "report",
    quick: Annotated[bool, typer.Option("--quick", help="Small shapes only, about a minute in all.")] = False,
    run: Annotated[
        bool, typer.Option("--run", help="Measure real runs anew, in labs (root); else those kept in studies/.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Make published figures again: SVG, PNG, CSV and JSON of each, and FOLDER/index.html with all of them.

    Exit code 1 when one fails.
    """
    if figures in (["list"], ["talks"]):
        (_list if figures == ["list"] else _talks)(as_json)
        return
    try:
        with progress("reproducing") as bar:
            entries = reproduce(figures, output, quick=quick, run=run, progress=bar)
    except Error as error:
        sys.stderr.write(f"studies: {error}\n")
        if as_json:
            print_json({"error": str(error), "kind": getattr(error, "kind", "run"), "exit_code": 1})
        raise typer.Exit(1) from None
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


if __name__ == "__main__":
    app = typer.Typer(pretty_exceptions_enable=False, context_settings={"help_option_names": ["-h", "--help"]})
    app.command()(main)
    app(prog_name="python studies")
