"""What the commands share: tables, JSON, progress bars."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

import allport as ap
from allport import notebook


def console() -> Console:
    """Standard output; in a pipe tables have room and no colour."""
    return Console(width=None if sys.stdout.isatty() else 200, highlight=False, soft_wrap=False)


def ensure_outputs(**files: str | None) -> None:
    """Raises Error, naming the option, where a file that is asked for cannot be written."""
    for name, path in files.items():
        if path is not None:
            ap.io.ensure_writable(path, name)


def print_json(data: Any) -> None:
    """Prints data as JSON."""
    sys.stdout.write(json.dumps(data, indent=2, allow_nan=False) + "\n")


def hand_over(
    result: Any, output: str | None, as_json: bool, show: Callable[[Any], None], report: str | None = None
) -> None:
    """Writes a result to the files that are asked for, if any, and prints it, as JSON or as `show` does."""
    if output:
        Path(output).write_text(json.dumps(result, indent=1) + "\n")
    if report:
        ap.report.pages.write(result, report)
    if as_json:
        print_json(result)
    else:
        show(result)
        tell_files(report=report)


def tell_files(**files: str | None) -> None:
    """Says where what was asked for has been written."""
    for what, path in files.items():
        if path is not None:
            sys.stdout.write(f"{what}: {path}\n")


def table(*columns: str, right: tuple[str, ...] = (), title: str | None = None) -> Table:
    """An empty table; columns named in `right` hold numbers."""
    made = Table(title=title, title_justify="left", title_style="bold", box=None, pad_edge=False, header_style="bold")
    for name in columns:
        made.add_column(name, justify="right" if name in right else "left", overflow="fold")
    return made


def show_evidence(evidence: Iterable[Any]) -> None:
    """Prints what was found of a machine or a network, from where, and how sure that is."""
    rows = table("found", "", "from", "how sure")
    for e in evidence:
        rows.add_row(e.what, e.value, e.source, e.sure)
    console().print(rows)


def show_candidates(
    head: str, rows: Callable[[dict[str, Any], int], Table], plan: dict[str, Any], all_: bool, most: int = 12
) -> None:
    """Prints what a plan has chosen, and its candidates as a table, rows(plan, how many): all of them or the best."""
    out, there = console(), len(plan["candidates"])
    out.print(head)
    out.print()
    out.print(rows(plan, there if all_ else most))
    if not all_ and there > most:
        out.print(f"... and {there - most} more; --all shows them")
    out.print()


@contextmanager
def progress(what: str) -> Iterator[Callable[[str, float], None]]:
    """A progress bar on standard error while that is a terminal, or in the notebook that runs this, nothing otherwise:
    call it with (phase, fraction)."""
    if notebook.in_notebook():
        with notebook.progress(what) as shown:
            yield shown
        return
    if not sys.stderr.isatty():
        yield lambda phase, fraction: None
        return
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=1.0)
        yield lambda phase, fraction: bar.update(task, description=phase or what, completed=fraction)
