"""Reads a file of coordinates: one line per host, `host x y z`; the first line may be the shape, `torus:24x24x24m`."""

from __future__ import annotations

from pathlib import Path

from allport.discover.shape import Shape, grid_of
from allport.errors import Error, failure
from allport.machine import Machine

__all__ = ["lines_of", "read"]


def lines_of(path: str | Path, continued: bool = False) -> list[tuple[int, str]]:
    """(number, text) of the nonempty lines, without comments (#). continued: a backslash at the end of a line continues
    it on the next one, as in Slurm's files. Raises Error."""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise failure(f"{path}: cannot be read: {error}", "io") from None
    found: list[tuple[int, str]] = []
    goes_on = False
    for n, line in enumerate(text.splitlines(), 1):
        line = line.split("#", 1)[0].rstrip()
        if goes_on:
            n, begun = found.pop()
            # A list continues behind its comma; blanks at the line's end do not belong to the value.
            in_list = begun.rstrip().endswith((",", "="))
            line = begun.rstrip() + line.lstrip() if in_list else begun + line
        goes_on = continued and line.endswith("\\")
        found.append((n, line.removesuffix("\\") if goes_on else line))
    return [(n, line.strip()) for n, line in found if line.strip()]


def read(path: str | Path) -> Shape:
    """The grid of the hosts in a file. Raises Error naming the line."""
    at: dict[str, tuple[int, ...]] = {}
    stated: Machine | None = None
    for number, line in lines_of(path):
        words = line.replace(",", " ").split()
        where = f"{path}, line {number}"
        if len(words) == 1 and stated is None and not at:
            try:
                stated = Machine.parse(words[0])
            except Error as error:
                raise failure(f"{where}: expected `host x y z` or a shape as torus:4x4x2m: {error}") from None
            continue
        try:
            place = tuple(int(word) for word in words[1:])
        except ValueError:
            place = ()
        if not place or min(place) < 0 or len(place) > 8:
            raise failure(f"{where}: '{line}': expected a host and 1 to 8 coordinates from 0, as `n17 3 0 1`")
        if at and len(place) != len(next(iter(at.values()))):
            raise failure(f"{where}: '{line}': expected as many coordinates as in the lines before")
        if words[0] in at:
            raise failure(f"{where}: {words[0]} is there already: expected every host once")
        at[words[0]] = place
    axes = stated.axes if stated else None
    return grid_of(
        at,
        str(path),
        tuple(axis.length for axis in axes) if axes else None,
        tuple(axis.wraps for axis in axes) if axes else None,
    )
