"""Published figures again: runs them and writes SVG, PNG, CSV and JSON of each, and one page with all of them."""

from __future__ import annotations

import json
import math
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from datetime import date
from pathlib import Path
from typing import Any

from allport._native import build_info
from allport.errors import Error
from allport.io import replacing
from allport.notebook import with_bar

from studies.figures import Figure, Picture, Result, Run, all_figures, find, render
from studies.figures.lab_runs import LabRun, stored
from studies.figures.page import page

__all__ = ["figures", "reproduce"]

Progress = Callable[[str, float], None]


def figures() -> list[dict[str, Any]]:
    """The figures that can be made: id, title, claim (what the source says), how, and other names."""
    return [
        {
            "id": f.id,
            "title": f.title,
            "claim": f.claim,
            "how": list(f.how),
            "also": list(f.also),
            "can_run": f.measure is not None,
        }
        for f in all_figures()
    ]


def _status(result: Result) -> str:
    if not result.panels:
        return "missing"
    return "partly" if result.not_run else "ok"


class _LabRuns:
    """The figures' real runs, each once: the kept ones, or new ones, which are written to the folder, too."""

    def __init__(self, folder: Path, anew: bool) -> None:
        self.folder, self.anew = folder, anew
        self.known: dict[str, LabRun | None] = {}

    def of(self, figure: Figure, run: Run) -> LabRun | None:
        """Raises Error where a new one is wanted and cannot be had."""
        if not figure.run_name:
            return None
        if figure.run_name not in self.known:
            made = stored(figure.run_name)
            if self.anew and figure.measure is not None:
                found = figure.measure(run)
                command = f"python studies {figure.id} --run"
                made = replace(found, date=date.today().isoformat(), command=command, anew=True)
                _write(self.folder / f"{figure.run_name}.run.json", made.to_json())
            self.known[figure.run_name] = made
        return self.known[figure.run_name]


def _made(figure: Figure, folder: Path, run: Run, labs: _LabRuns) -> dict[str, Any]:
    """Runs one figure and writes its files; what goes wrong is part of the answer."""
    entry: dict[str, Any] = {"id": figure.id, "title": figure.title, "claim": figure.claim, "how": list(figure.how)}
    nothing = {"got": "", "obtained": "", "why": "", "error": "", "not_run": [], "numbers": [], "files": []}
    entry |= {**nothing, "picture": False, "rows": [], "csv": "", "quick": run.quick}
    began = time.perf_counter()
    try:
        run.lab = labs.of(figure, run)
        result = figure.make(run)
        for line in result.not_run:
            if not line.startswith("not run here: "):
                raise Error(f"figure '{figure.id}': not_run = '{line}': expected 'not run here: ...'")
        rows = render.rows_of(result)
        if any(isinstance(v, float) and not math.isfinite(v) for row in rows for v in row):
            raise Error(f"figure '{figure.id}': its data have an infinity or what is no number")
        stem = str(folder / figure.id)
        entry |= {
            "status": _status(result),
            "got": result.got,
            "obtained": result.obtained,
            "why": result.why,
            "numbers": [asdict(n) for n in result.numbers],
            "not_run": list(result.not_run),
            "picture": any(isinstance(p, Picture) for p in result.panels),
            "rows": rows,
            "csv": render.write_csv(rows),
            "files": [Path(p).name for p in render.write_pictures(result, stem)],
        }
    except Exception as error:
        if os.environ.get("ALLPORT_DEBUG") == "1":
            raise
        named = "" if isinstance(error, Error) else f"{type(error).__name__}: "
        entry |= {"status": "failed", "error": f"{named}{error}"}
    entry["seconds"] = time.perf_counter() - began
    if len(entry["rows"]) > 1:
        _write(folder / f"{figure.id}.csv", entry["csv"])
    kept = {k: v for k, v in entry.items() if k not in ("csv", "picture", "rows")}
    head, *rows = entry["rows"] or [[]]
    kept["data"] = [dict(zip(head, row)) for row in rows]
    _write(folder / f"{figure.id}.json", json.dumps(kept, indent=1, allow_nan=False) + "\n")
    return entry


def _write(path: Path, text: str) -> None:
    with replacing(path, f"output = '{path}'") as aside:
        aside.write_text(text)


@with_bar("figures")
def reproduce(
    names: str | Sequence[str] = "all",
    output: str | os.PathLike[str] = "report",
    *,
    quick: bool = False,
    run: bool = False,
    progress: Progress | None = None,
) -> list[dict[str, Any]]:
    """Makes published figures again and OUTPUT/index.html, which shows those that were asked for.

    names: 'all', ids as figures() lists them, or beginnings of ids ('solomonik11'). quick: small shapes, a minute.
    run: measure anew what figures have of real runs in a lab (root), instead of showing those kept here;
    each is also written as OUTPUT/NAME.run.json, the form in which figures/runs keeps it.
    progress(phase, fraction) is called as the work goes on.
    Returns one dict a figure: 'id', 'status' ('ok', 'partly', 'missing': not run here, 'failed'), 'got', 'error', ...
    A figure that fails does not stop the others. Raises Error for unknown names and unwritable folders.
    """
    wanted = find([names] if isinstance(names, str) else list(names))
    folder = Path(output)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Error(f"output = '{folder}': cannot be made ({error.strerror})") from error
    say = progress or (lambda phase, fraction: None)
    entries = []
    labs = _LabRuns(folder, run)
    for i, figure in enumerate(wanted):

        def step(fraction: float, i: int = i, figure: Figure = figure) -> None:
            say(figure.id, (i + min(max(fraction, 0.0), 1.0)) / len(wanted))

        step(0.0)
        entries.append(_made(figure, folder, Run(quick=quick, step=step), labs))
    say("page", 1.0)
    about = {
        "made": f"made {date.today().isoformat()}",
        "version": f"Allport {build_info()['version']}",
        "shapes": "quick: small shapes only" if quick else "full shapes",
    }
    _write(folder / "index.html", page(entries, about, folder))
    return entries
