"""Reads a file of coordinates: one line per host, `host x y z`; the first line may be the shape, `torus:24x24x24m`."""

from __future__ import annotations

from pathlib import Path

from allport.discover.shape import Shape, grid_of
from allport.errors import Error, failure
from allport.machine import Machine
from allport.network.lines import lines_of, text_of

__all__ = ["read"]


def read(path: str | Path) -> Shape:
    """The grid of the hosts in a file. Raises Error naming the line."""
    at: dict[str, tuple[int, ...]] = {}
    stated: Machine | None = None
    for number, line in lines_of(text_of(path)):
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
