"""allport map: where the ranks of a program go on a machine, and the files that put them there."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated, Any

import typer

import allport as ap
from allport.cli import completion
from allport.cli.console import console, ensure_outputs, print_json, table
from allport.cli.options import Json, Machine, PageFile, example, machine_of
from allport.report import draw_loads
from allport.units import format_bytes, format_seconds, parse_bytes

POINTS = {"1d": 3, "2d": 5, "2d9": 9, "3d": 7, "3d27": 27}
GRID_PATTERNS = ("alltoall", "allgather", "transpose")


def _numbers(option: str, text: str) -> list[int]:
    parts = text.replace(",", "x").split("x")
    if not all(p.strip().isdecimal() for p in parts):
        raise ap.Error(f"{option} = '{text}': expected lengths, as 8x8x4")
    return [int(p) for p in parts]


def _axes(text: str, grid: list[int]) -> list[int]:
    letters = "xyzuvwst"[: len(grid)]
    if not text or any(a not in letters for a in text):
        raise ap.Error(f"--along = '{text}': expected axes of the grid, of '{letters}'")
    return [letters.index(a) for a in text]


def _pattern(
    stencil: str | None,
    pattern: str | None,
    grid: list[int] | None,
    along: str,
    local: str | None,
    size: str,
    periodic: bool,
) -> ap.pattern.Pattern:
    if (stencil is None) == (pattern is None):
        raise ap.Error("--stencil, --pattern: expected one of the two")
    if pattern is not None and pattern not in GRID_PATTERNS:
        return ap.pattern.load(pattern)
    if grid is None:
        raise ap.Error("--grid: expected the process grid beside it, as 8x8x4")
    if stencil is not None:
        if stencil not in POINTS:
            raise ap.Error(f"--stencil = '{stencil}': expected one of {', '.join(POINTS)}")
        cells = [64] * len(grid) if local is None else _numbers("--local", local)
        return ap.pattern.halo(grid, points=POINTS[stencil], local=cells, periodic=periodic)
    bytes_ = parse_bytes(size, "--size")
    if pattern == "transpose":
        return ap.pattern.transpose(grid, bytes_)
    make = ap.pattern.alltoall if pattern == "alltoall" else ap.pattern.allgather
    return make(grid, _axes(along, grid), bytes_)


def _hosts(path: str | None) -> list[str] | None:
    if path is None:
        return None
    try:
        return Path(path).read_text(encoding="utf-8").split()
    except (OSError, UnicodeDecodeError) as error:
        raise ap.Error(f"--hosts: {path} cannot be read: {error}") from None


def _show(chosen: ap.mapping.RankOrder) -> None:
    out = console()
    out.print(f"{chosen.pattern.name}: {chosen.pattern.ranks} ranks, {format_bytes(chosen.pattern.bytes)} in all")
    numbers = ("predicted", "times", "busiest link", "bytes over it", "hop-bytes", "dilation")
    shown = table("", "order", *numbers, right=numbers)
    given = chosen.given["predicted_s"]
    for c in sorted(chosen.candidates, key=lambda c: c.get("predicted_s", math.inf)):
        mark = "*" if c["order"] == chosen.order else ""
        if c["why_not"]:
            shown.add_row(mark, c["order"], "", "", f"cannot: {c['why_not']}", "", "", "")
            continue
        times = f"{c['predicted_s'] / given:.2f}" if given > 0 else ""
        shown.add_row(
            mark,
            c["order"],
            format_seconds(c["predicted_s"]),
            times,
            c["busiest_link"] or "none",
            format_bytes(c["busiest_link_bytes"]),
            format_bytes(round(c["hop_bytes"])),
            f"{c['mean_dilation']:.2f}, at most {c['dilation']}",
        )
    out.print(shown)
    out.print(chosen.reason)


@example("allport map -m torus:4x4 --stencil 2d --grid 4x4")
def map_(
    machine: Machine = None,
    stencil: Annotated[
        str | None,
        typer.Option(autocompletion=completion.one_of(*POINTS), help="Halo exchange: 1d, 2d, 2d9, 3d or 3d27."),
    ] = None,
    pattern: Annotated[
        str | None,
        typer.Option(
            autocompletion=completion.one_of(*GRID_PATTERNS),
            help="alltoall, allgather, transpose, or FILE.json with messages.",
        ),
    ] = None,
    grid: Annotated[
        str | None, typer.Option(help="Process grid, counted as MPI does, last axis fastest: 8x8x4.")
    ] = None,
    along: Annotated[
        str, typer.Option(help="Axes of the grid along which lines or planes communicate: x, xy, ...")
    ] = "x",
    local: Annotated[str | None, typer.Option(help="Cells of a rank along each axis; else 64.")] = None,
    size: Annotated[str, typer.Option(help="Bytes of a block.")] = "64KiB",
    open_ends: Annotated[bool, typer.Option("--open", help="Axes of the grid are open, not periodic.")] = False,
    least_gain: Annotated[float, typer.Option(help="Fraction of the time that another order must save.")] = 0.05,
    refined: Annotated[int, typer.Option(help="Number of the best orders that are refined by swaps.")] = 2,
    hosts: Annotated[
        str | None, typer.Option(help="File with the hosts' names, x fastest; - for a place without a host.")
    ] = None,
    rankfile: Annotated[str | None, typer.Option(help="Write Open MPI's rankfile.")] = None,
    rank_order: Annotated[str | None, typer.Option(help="Write MPICH_RANK_ORDER.")] = None,
    hostfile: Annotated[str | None, typer.Option(help="Write Slurm's hostfile for --distribution=arbitrary.")] = None,
    output: Annotated[str | None, typer.Option("-o", "--output", help="Draw link loads: FILE.svg, .png, .pdf.")] = None,
    report: PageFile = None,
    as_json: Json = False,
) -> None:
    """Choose the order of ranks for a communication pattern by predicted time, and explain the choice."""
    ensure_outputs(rankfile=rankfile, rank_order=rank_order, hostfile=hostfile, output=output)
    cells = None if grid is None else _numbers("--grid", grid)
    what = _pattern(stencil, pattern, cells, along, local, size, not open_ends)
    where, names = machine_of(machine), _hosts(hosts)
    allocation = None if names is None else ap.mapping.allocation_on(where, names)[: what.ranks]
    chosen = ap.mapping.choose(where, what, allocation=allocation, least_gain=least_gain, refined=refined)
    written: dict[str, Any] = {}
    for path, text in (
        (rankfile, lambda: ap.mapping.open_mpi_rankfile(chosen, names)),
        (rank_order, lambda: ap.mapping.mpich_rank_order(chosen)),
        (hostfile, lambda: ap.mapping.slurm_hostfile(chosen, names)),
    ):
        if path is not None:
            written[path] = text()
            Path(path).write_text(written[path], encoding="utf-8")
    if output is not None:
        draw_loads.loads(chosen, output)
    if report is not None:
        ap.report.pages.write(chosen, report)
    if as_json:
        print_json(chosen.to_dict() | {"written": list(written), "drawing": output})
        return
    _show(chosen)
    for path in [*written, *(path for path in (output, report) if path)]:
        typer.echo(f"written: {path}")
