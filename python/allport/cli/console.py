"""What the commands share: tables, JSON, progress bars, options."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from allport import AllportError

Json = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]
Machine_ = Annotated[
    str, typer.Option("--machine", "-m", metavar="SPEC", help="torus:4x4x4, mesh:8x8, bgp:8x8x8, FILE.toml, ...")
]


def console() -> Console:
    """Standard output; in a pipe tables have room and no colour."""
    return Console(width=None if sys.stdout.isatty() else 200, highlight=False, soft_wrap=False)


def need_folders(**files: str | None) -> None:
    """Raises AllportError, naming the option, where a file to be written has no folder."""
    for name, path in files.items():
        if path is not None and not Path(path).resolve().parent.is_dir():
            raise AllportError(f"{name} = '{path}': its folder is not there")


def print_json(data: Any) -> None:
    """Prints data as JSON."""
    sys.stdout.write(json.dumps(data, indent=2, allow_nan=False) + "\n")


def table(*columns: str, right: tuple[str, ...] = (), title: str | None = None) -> Table:
    """An empty table; columns named in `right` hold numbers."""
    made = Table(title=title, title_justify="left", title_style="bold", box=None, pad_edge=False, header_style="bold")
    for name in columns:
        made.add_column(name, justify="right" if name in right else "left", overflow="fold")
    return made


@contextmanager
def progress(what: str) -> Iterator[Callable[[str, float], None]]:
    """A progress bar on standard error while that is a terminal, nothing otherwise: call it with (phase, fraction)."""
    if not sys.stderr.isatty():
        yield lambda phase, fraction: None
        return
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=1.0)
        yield lambda phase, fraction: bar.update(task, description=phase or what, completed=fraction)
