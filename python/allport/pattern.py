"""Patterns: messages, or schedules, that run at the same time. What a mapping of ranks is judged by."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from allport import _native
from allport._native import Machine, Pattern
from allport.errors import failure
from allport.machine import as_machine
from allport.units import parse_bytes

__all__ = ["Pattern", "allgather", "alltoall", "halo", "link_bytes", "load", "transpose"]

Grid = Sequence[int]
Size = int | str


def _grid(lengths: Grid, order: str, periodic: bool | Sequence[bool]) -> _native.CartGrid:
    if order not in ("C", "F"):
        raise failure(f"order = '{order}': expected 'C' (last axis fastest, as MPI_Cart_create counts) or 'F'")
    rings = [periodic] * len(lengths) if isinstance(periodic, bool) else [bool(p) for p in periodic]
    return _native.CartGrid([int(n) for n in lengths], order == "C", rings)


def _bytes(size: Size) -> int:
    return parse_bytes(size, "bytes") if isinstance(size, str) else int(size)


def halo(
    grid: Grid,
    *,
    points: int | None = None,
    local: Sequence[int] | int = 1,
    element: int = 8,
    order: str = "C",
    periodic: bool | Sequence[bool] = True,
) -> Pattern:
    """Halo exchange on a process grid: every rank sends its boundary to its neighbours.

    points: of the stencil, 2d + 1 (faces, the default) or 3^d (edges and corners, too) on a grid of d axes. local:
    cells of a rank along each axis (one number: along all). element: bytes of a cell. order: 'C', the last axis
    fastest, as MPI counts, or 'F'. periodic: axes are rings, all of
    them or by axis. Raises Error.
    """
    cells = [local] * len(grid) if isinstance(local, int) else [int(n) for n in local]
    return _native.pattern_halo(_grid(grid, order, periodic), points or 2 * len(grid) + 1, cells, element)


def alltoall(grid: Grid, axes: Sequence[int], bytes: Size, *, order: str = "C") -> Pattern:
    """All-to-all in every line of the grid along one axis, in every plane of two, and so on, all at once."""
    return _native.pattern_alltoall(_grid(grid, order, True), list(axes), _bytes(bytes))


def allgather(grid: Grid, axes: Sequence[int], bytes: Size, *, order: str = "C") -> Pattern:
    """The same of allgather, by the ring that MPI libraries use for long blocks. bytes: of a rank's block."""
    return _native.pattern_allgather(_grid(grid, order, True), list(axes), _bytes(bytes))


def transpose(grid: Grid, bytes: Size, *, order: str = "C") -> Pattern:
    """Transposition of a matrix in blocks on a p x q grid. bytes: of a rank's block."""
    return _native.pattern_transpose(_grid(grid, order, True), _bytes(bytes))


def load(path: str | Path) -> Pattern:
    """The pattern in a file: {"ranks": 4, "messages": [[from, to, bytes], ...]}, as Pattern.to_json() writes it."""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise failure(f"{path}: cannot be read as a pattern file: {error}", "io") from None
    return Pattern.from_json(text, str(path))


def link_bytes(machine: Machine | str, pattern: Pattern, places: Sequence[int]) -> list[int]:
    """Bytes over every directed link of the machine, by link ID, rank r being at places[r]."""
    return _native.pattern_link_bytes(as_machine(machine), pattern, list(places))
