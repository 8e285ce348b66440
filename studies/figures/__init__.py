"""Published figures, one file each: a module SOURCE_NAME.py here with a FIGURE is in the report."""

from __future__ import annotations

import importlib
import pkgutil
import re

from allport.errors import Error

from studies.figures.figure import Bars, Chart, Figure, Number, Picture, Result, Run, Series, Table

__all__ = ["Bars", "Chart", "Figure", "Number", "Picture", "Result", "Run", "Series", "Table", "all_figures", "find"]


def _order(figure: Figure) -> list[object]:
    """solomonik11-slide3 before solomonik11-slide11."""
    return [(0, int(part), "") if part.isdigit() else (1, 0, part) for part in re.split(r"(\d+)", figure.id) if part]


def all_figures() -> list[Figure]:
    """Every figure that has a file here, in the order of the sources."""
    names = [m.name for m in pkgutil.iter_modules(__path__) if re.match("[a-z]+[0-9]{2}_", m.name)]
    return sorted((importlib.import_module(f"{__name__}.{name}").FIGURE for name in names), key=_order)


def find(names: list[str]) -> list[Figure]:
    """The figures that the names mean: 'all', an id, or the beginning of ids ('solomonik11'). Raises Error."""
    known = all_figures()
    wanted: list[Figure] = []
    for name in names:
        same = [f for f in known if name == "all" or name in (f.id, *f.also)]
        found = same or [f for f in known if f.id.startswith(name)]
        if not found:
            raise Error(f"figure = '{name}': is not known; `python studies list` shows {len(known)} of them")
        wanted += [f for f in found if f not in wanted]
    return wanted
