"""Which of the library's task graphs a command is about: its algorithm, its shape, and its tiles or its plan."""

from __future__ import annotations

import math
from typing import Annotated, Any, NamedTuple

import typer

import allport as ap
from allport.cli import completion
from allport.cli.options import Dtype, Group, Lower, Panel, Pivoting, machine_of
from allport.options import TREES

GRAPHS = ("cholesky", "cholesky-solve", "qr", "gemm", "lu", "lu-solve")
TILE = 256

Name = Annotated[
    str,
    typer.Argument(
        metavar="GRAPH",
        autocompletion=completion.one_of(*GRAPHS),
        help=f"{', '.join(GRAPHS[:-1])} or {GRAPHS[-1]}.",
    ),
]
GRAPH: Group = {
    "shape": (
        Annotated[
            str | None,
            typer.Option(
                metavar="MxN", help="N: square matrices; qr, lu: MxN; gemm: MxNxK; solves: N x right-hand sides."
            ),
        ],
        None,
    ),
    "tiles": (
        Annotated[
            int | None,
            typer.Option(help="Tiles along each side, instead of --shape; tiles are 1 x 1 unless --nb is given."),
        ],
        None,
    ),
    "nb": (Annotated[int | None, typer.Option(help=f"Tile or block size; else {TILE}. lu 1d: as in `plan lu`.")], None),
    "grid": (
        Annotated[
            str | None, typer.Option(metavar="PxQ", help="Process grid (gemm, lu: PxQxC); else all of the machine.")
        ],
        None,
    ),
    "lower": (Lower, False),
    "dtype": (Dtype, "float64"),
    "pivoting": (Pivoting, "tournament"),
    "panel": (Panel, 0),
}
Tree = Annotated[
    str | None,
    typer.Option(
        autocompletion=completion.one_of(*TREES, "collectives"),
        help="Multicast tree of outputs: flat, chain, prefix, axes or binomial, as graphs run; collectives: sums along "
        "binomial trees, too; else the plan's, or along the axes.",
    ),
]


class Made(NamedTuple):
    """A graph, the words for it, and what its algorithm computes, in real operations."""

    graph: Any
    title: str
    flops: float


def _extents(name: str, count: int, shape: str | None, tiles: int | None, nb: int) -> list[int]:
    if (shape is None) == (tiles is None):
        raise ap.Error(f"{name}: expected one of --shape and --tiles, got {'none' if shape is None else 'both'}")
    if shape is None:
        return [(tiles or 0) * nb] * count
    parts = shape.lower().split("x")
    parts = parts * count if len(parts) == 1 else parts
    if len(parts) != count or not all(p.strip().isdecimal() for p in parts):
        raise ap.Error(f"shape = '{shape}': expected {count} extents for {name}, like {'x'.join(['4000'] * count)}")
    return [int(p) for p in parts]


def _grid(grid: str | None, machine: ap.Machine | None) -> str:
    """All of a machine: its axes where it has two, else as square as its ranks allow."""
    if grid is not None or machine is None:
        return grid or "1x1"
    if len(machine.axes) == 2 and machine.ranks == machine.nodes:
        return f"{machine.axes[0].length}x{machine.axes[1].length}"
    rows = next(p for p in range(math.isqrt(machine.ranks), 0, -1) if machine.ranks % p == 0)
    return f"{rows}x{machine.ranks // rows}"


def _planned(name: str, extents: list[int], machine: ap.Machine, dtype: str, options: ap.Options) -> tuple[Any, str]:
    plan: ap.plan.GemmPlan | ap.plan.LuPlan
    if name == "gemm":
        m, n, k = extents
        plan = ap.plan.gemm(m, n, k, machine, dtype=dtype, options=options)
        graph = ap.graph.gemm(plan)
    else:
        m, n = extents
        plan = ap.plan.lu(m, n, machine, dtype=dtype, options=options)
        graph = ap.graph.lu(plan)
    grid = "x".join(str(x) for x in plan.grid)
    return graph, f"{name} by {plan.algorithm}, {' x '.join(map(str, extents))}, on a {grid} grid"


def _tiled(name: str, extents: list[int], nb: int, grid: str, lower: bool, dtype: str) -> tuple[Any, str]:
    if name == "cholesky":
        graph = ap.graph.cholesky(extents[0], nb, grid, lower=lower, dtype=dtype)
    elif name == "qr":
        graph = ap.graph.qr(extents[0], extents[1], nb, grid, dtype=dtype)
    else:
        graph = ap.graph.cholesky_solve(extents[0], extents[1], nb, grid, lower=lower, dtype=dtype)
    shape = " x ".join(str(x) for x in (extents if len(extents) > 1 else 2 * extents))
    return graph, f"{name} of {shape} in tiles of {nb}, on a {grid} grid"


def _solve(
    extents: list[int], nb: int, grid: str, machine: ap.Machine, form: str | None, dtype: str
) -> tuple[Any, str]:
    if form not in (None, "sums", "panels"):
        raise ap.Error(f"--algorithm = '{form}': expected sums or panels, or none, which has it chosen")
    graph = ap.graph.lu_solve(extents[0], extents[1], nb, grid, machine, form=form, dtype=dtype)
    by = f" by {form}" if form else ""
    return graph, f"lu-solve{by}, {extents[0]} x {extents[1]} in blocks of {nb}, on a {grid} grid"


def _flops(name: str, extents: list[int], dtype: str) -> float:
    """Leading terms, by the field's convention; a complex multiply-add has four of each."""
    if name == "cholesky":
        count = extents[0] ** 3 / 3
    elif name == "gemm":
        count = 2.0 * math.prod(extents)
    elif name in ("cholesky-solve", "lu-solve"):
        count = 2.0 * extents[0] ** 2 * extents[1]
    else:
        m, n = max(extents), min(extents)
        count = n * n * (m - n / 3) * (2 if name == "qr" else 1)
    return count * (4 if dtype.startswith("complex") else 1)


def made(
    name: str,
    machine: ap.Machine | None,
    *,
    shape: str | None,
    tiles: int | None,
    nb: int | None,
    grid: str | None,
    lower: bool,
    dtype: str,
    pivoting: str,
    panel: int,
    algorithm: str | None,
) -> Made:
    """The graph that a command's options name. Raises Error for a name that is none, and shapes that miss."""
    if name not in GRAPHS:
        raise ap.Error(f"graph = '{name}': expected {', '.join(GRAPHS[:-1])} or {GRAPHS[-1]}")
    if algorithm is not None and name not in ("gemm", "lu", "lu-solve"):
        raise ap.Error(f"algorithm = '{algorithm}': expected none for {name}, which has one")
    tile = nb or (1 if tiles is not None else TILE)
    count = {"cholesky": 1, "gemm": 3}.get(name, 2)
    extents = _extents(name, count, shape, tiles, tile)
    if name == "gemm":
        if nb is not None:
            raise ap.Error(f"nb = {nb}: expected none for gemm, which has no tiles; --panel: its panels' width")
        chosen = ap.Options(grid=grid, algorithm=algorithm, panel=panel, candidates=1)
        graph, title = _planned(name, extents, machine or machine_of(None), dtype, chosen)
    elif name == "lu":
        given: dict[str, Any] = {"grid": grid, "algorithm": algorithm, "panel": panel, "nb": nb or 0}
        chosen = ap.Options(**given, pivoting=pivoting, candidates=1)
        graph, title = _planned(name, extents, machine or machine_of(None), dtype, chosen)
    elif name == "lu-solve":
        where = machine or machine_of(None)
        if panel:
            raise ap.Error(f"panel = {panel}: expected none for lu-solve, whose blocks --nb gives")
        graph, title = _solve(extents, tile, _grid(grid, where), where, algorithm, dtype)
    else:
        if panel:
            raise ap.Error(f"panel = {panel}: expected none for {name}, whose tiles --nb gives")
        graph, title = _tiled(name, extents, tile, _grid(grid, machine), lower, dtype)
    return Made(graph, title, _flops(name, extents, dtype))
