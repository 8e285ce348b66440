"""allport plan: what a multiplication or a factorization will do and cost, before it runs."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Annotated, Any

import typer

import allport as ap
from allport.cli import contraction_table
from allport.cli.console import console, print_json, progress, show_candidates, table, tell_files
from allport.cli.options import (
    CONTRACTION,
    FACTORIZATION,
    MULTIPLICATION,
    POSITIVE,
    TILES,
    Dtype,
    Group,
    Json,
    Machine,
    PageFile,
    Ranks,
    example,
    machine_of,
    with_options,
)
from allport.io import DTYPES
from allport.plan import NO_BOUND, by_time, why_chosen
from allport.units import format_bytes, format_seconds

app = typer.Typer(help="Plan without running: algorithm, grid, time, words, messages, memory.", no_args_is_help=True)
# What tells candidates of a kind apart, beside algorithm and grid.
WIDTHS = {"gemm": ("panel",), "lu": ("panel", "nb", "outer_panel")}
PRICES = ("compute", "communicate", "total", "words", "messages", "memory", "x bound")

All = Annotated[bool, typer.Option("--all", help="Show every candidate, not only the best 12.")]
Simulate = Annotated[
    int,
    typer.Option(
        metavar="N", help="Simulate the task graphs of the best N algorithms and grids, and rank them by their times."
    ),
]
PLANNED: Group = {"machine": (Machine, None), "ranks": (Ranks, None), "dtype": (Dtype, "float64")}
SHOWN: Group = {
    "simulate": (Simulate, 0),
    "all_": (All, False),
    "report": (PageFile, None),
    "as_json": (Json, False),
}


@app.callback()
def _plan() -> None:
    """Makes what is planned a sub-command."""


def _extents(text: str, count: int, shape: str) -> list[int]:
    """Of a shape; one number stands for all of them."""
    parts = text.lower().split("x")
    parts = parts * count if len(parts) == 1 else parts
    if len(parts) != count or not all(p.strip().isdecimal() for p in parts):
        raise ap.Error(f"shape = '{text}': expected {shape}, or one number for all")
    extents = [int(p) for p in parts]
    largest = sorted(extents)[-2:]
    if largest[0] * largest[1] >= 2**59:
        raise ap.Error(f"shape = '{text}': expected matrices of fewer than 2^59 elements; take smaller extents")
    return extents


def _given(machine: str | None, ranks: int | None, dtype: str, **options: Any) -> dict[str, Any]:
    """The options by their names, the machine made of those that say which."""
    try:
        ap.io.scalar_of(dtype)
    except TypeError as error:
        raise ap.Error(f"dtype = '{dtype}': expected float32, float64, complex64 or complex128") from error
    return {"machine": machine_of(machine, ranks), "dtype": dtype, **options}


def _arguments(given: dict[str, Any]) -> dict[str, Any]:
    """The command's options as arguments of plan.gemm, plan.lu, plan.cholesky or plan.qr."""
    known = {field.name for field in dataclasses.fields(ap.Options)}
    tuned = ap.Options(**{name: value for name, value in given.items() if name in known})
    arguments = {"machine": given["machine"], "dtype": given["dtype"], "options": tuned}
    if "lower" in given:
        arguments["lower"] = given["lower"]
    if "trans_a" in given:
        arguments["trans"] = given["trans_a"] + given["trans_b"]
    return arguments


def _widths(plan: dict[str, Any]) -> tuple[str, ...]:
    return WIDTHS["gemm" if "k" in plan["problem"] else "lu"]


def _candidate_row(c: dict[str, Any], widths: tuple[str, ...]) -> list[str]:
    grid = "x".join(str(g) for g in c["grid"])
    if "seconds" not in c:
        return [c["algorithm"], grid, *[""] * (len(widths) + len(PRICES)), c.get("why_not", "")]
    s, ratio = c["seconds"], c["ratio_to_bound"]
    return [
        c["algorithm"],
        grid,
        *(str(c[width]) for width in widths),
        format_seconds(s["compute"]),
        format_seconds(s["communicate"]),
        format_seconds(s["total"]),
        f"{c['words']:,}",
        f"{c['messages']:,}",
        format_bytes(c["memory_bytes"]),
        "" if ratio is None else f"{ratio:.2f}",
        c.get("why_not", ""),
    ]


def candidates_table(plan: dict[str, Any], most: int) -> Any:
    """Candidates of a plan by predicted time; the chosen one is marked."""
    widths = _widths(plan)
    numbers = ("grid", *(width.replace("_", " ") for width in widths), *PRICES)
    rows = table("", "algorithm", *numbers, "why not", right=numbers)
    chosen = plan["chosen"]
    for c in by_time(plan["candidates"][:most]):
        mine = all(c.get(key) == chosen.get(key) for key in ("algorithm", "grid", "order", *widths))
        rows.add_row(">" if mine else "", *_candidate_row(c, widths), style="bold" if mine else None)
    return rows


def headline(plan: dict[str, Any]) -> str:
    """What is computed where, and what was chosen."""
    p, c = plan["problem"], plan["chosen"]
    if "k" in p:
        marks = {"N": "", "T": "^T", "C": "^H"}
        what = f"C ({p['m']} x {p['n']}) = A{marks[p['trans_a']]} B{marks[p['trans_b']]} over k = {p['k']}"
    else:
        how = "no" if p["pivoting"] == "none" else p["pivoting"]
        what = f"P A = L U, A ({p['m']} x {p['n']}), {how} pivoting"
    return (
        f"{what}, {DTYPES[p['type']]}, on {plan['machine']} ({plan['ranks']} ranks)\n"
        f"chosen: {c['algorithm']} on a {'x'.join(str(g) for g in c['grid'])} grid, c = {c['grid'][2]}"
        + (f", panels of {c['panel']} columns" if "outer_panel" in c else "")
    )


def bounds(chosen: dict[str, Any]) -> str:
    """The two lower bounds of a factorization, and what its words are of the larger one."""
    ratio = chosen["ratio_to_bound"]
    if ratio is None:
        return f"lower bounds on words: {NO_BOUND}"
    words = f"{chosen['words'] + chosen['exchanged_words']:,.0f} planned, rows that change places among them"
    return (
        f"lower bounds on words: {chosen['bound_memory_dependent']:,.0f} with this memory, "
        f"{chosen['bound_memory_independent']:,.0f} with any; {words}: {ratio:.2f} times the larger"
    )


SIMULATED = ("grid", "widths", "priced", "simulated", "compute", "communicate", "idle", "tasks")


def _simulated(simulate: int, make: Any, *extents: int, **given: Any) -> list[ap.sim.SimulatedCandidate] | None:
    if simulate < 0:
        raise ap.Error(f"--simulate {simulate}: expected the number of candidates to simulate, 1 or more")
    if simulate == 0:
        return None
    with progress("simulating") as bar:
        return ap.sim.simulate_candidates(make, *extents, most=simulate, progress=bar, **given)


def _as_dict(plan: dict[str, Any], simulated: list[ap.sim.SimulatedCandidate] | None) -> dict[str, Any]:
    return plan if simulated is None else {**plan, "simulated": [one.to_dict() for one in simulated]}


FIXED = ("algorithm", "grid", "panel", "nb", "outer_panel", "tree")
Show = Callable[[dict[str, Any], list[ap.sim.SimulatedCandidate] | None, bool, bool], None]


def _plan_it(
    make: Callable[..., Any], extents: tuple[int, ...], show: Show, *,
    simulate: int, all_: bool, report: str | None, as_json: bool, **options: Any,
) -> None:  # fmt: skip
    """Plans, simulates candidates, writes the page, beside which an open choice is planned, and prints."""
    given = _given(**options)
    plan = make(*extents, **_arguments(given))
    simulated = _simulated(simulate, make, *extents, **_arguments(given))
    if report is not None:
        fixed = [name for name in FIXED if given.get(name)]
        rest = {k: v for k, v in given.items() if k not in fixed}
        free = make(*extents, **_arguments(rest)) if fixed else None
        ap.report.pages.write(ap.report.pages.of_plan(plan, free, simulated=simulated or ()), report)
    show(plan.to_dict(), simulated, all_, as_json)
    if not as_json:
        tell_files(report=report)


def _show_simulated(simulated: list[ap.sim.SimulatedCandidate] | None) -> None:
    if simulated is None:
        return
    rows = table("", "algorithm", *SIMULATED, "why not", right=SIMULATED)
    for at, one in enumerate(simulated):
        c = one.candidate
        widths = " ".join(str(c[key]) for key in ("panel", "nb", "outer_panel") if key in c)
        shares = (one.compute, one.communicate, one.idle)
        there = one.seconds is not None
        rows.add_row(
            ">" if there and at == 0 else "",
            c.get("algorithm", ""),
            "x".join(str(g) for g in c["grid"]),
            widths,
            format_seconds(one.priced),
            format_seconds(one.seconds) if one.seconds is not None else "",
            *(f"{100 * share:.0f} %" if there else "" for share in shares),
            "" if one.tasks is None else f"{one.tasks:,}",
            one.why_not,
        )
    out = console()
    out.print("\nsimulated, the best of each algorithm and grid by price:")
    out.print(rows)


def _show(plan: dict[str, Any], simulated: list[ap.sim.SimulatedCandidate] | None, all_: bool, as_json: bool) -> None:
    if as_json:
        print_json(_as_dict(plan, simulated))
        return
    out = console()
    show_candidates(headline(plan), candidates_table, plan, all_)
    if why := why_chosen(plan):
        out.print(why)
    if "bound_memory_dependent" in plan["chosen"]:
        out.print(bounds(plan["chosen"]))
    beside = ", with those of rows that change places," if "block" in plan["chosen"] else ""
    out.print(f"words and messages: of the busiest rank; x bound: words{beside} over the lower bound with this memory")
    _show_simulated(simulated)


@app.command()
@example("allport plan gemm --shape 4000x4000x4000 -m bgp:4x4")
@with_options(PLANNED, MULTIPLICATION, SHOWN)
def gemm(
    shape: Annotated[str, typer.Option(metavar="MxNxK", help="C is M x N; K is summed over.")],
    **options: Any,
) -> None:
    """Choose algorithm, grid and replication for C = op(A) op(B), with every candidate's price."""
    m, n, k = _extents(shape, 3, "MxNxK, like 4000x4000x4000: C is M x N, K is summed over")
    _plan_it(ap.plan.gemm, (m, n, k), _show, **options)


@app.command()
@example("allport plan einsum 'ijab,abkl->ijkl' 45x45x45x45 45x45x45x45 -n 4")
@with_options(PLANNED, CONTRACTION)
def einsum(
    subscripts: Annotated[str, typer.Argument(metavar="SUBSCRIPTS", help="As numpy.einsum's: ijab,abkl->ijkl.")],
    shape_a: Annotated[str, typer.Argument(metavar="A", help="Extents of A, like 45x45x45x45; 0-dimensional: scalar.")],
    shape_b: Annotated[str, typer.Argument(metavar="B", help="Extents of B.")],
    *,
    all_: All = False,
    as_json: Json = False,
    **options: Any,
) -> None:
    """Choose how two tensors are contracted: rows, columns, grid, batches, with every candidate's price."""
    a, b = contraction_table.extents(shape_a, "A"), contraction_table.extents(shape_b, "B")
    plan = ap.tensors.plan_einsum(subscripts, a, b, **_arguments(_given(**options))).to_dict()
    if as_json:
        print_json(plan)
    else:
        contraction_table.show(plan, all_)


@app.command()
@example("allport plan lu --shape 4000x4000 -m bgp:4x4 --pivoting partial")
@with_options(PLANNED, FACTORIZATION, SHOWN)
def lu(
    shape: Annotated[str, typer.Option(metavar="MxN", help="A is M x N.")],
    **options: Any,
) -> None:
    """Choose algorithm, grid, replication and panels for P A = L U, with every candidate's price."""
    m, n = _extents(shape, 2, "MxN, like 4000x4000")
    _plan_it(ap.plan.lu, (m, n), _show, **options)


TILED = ("grid", "order", "nb", "work", "links", "chain", "total", "memory")


def tiled_headline(plan: dict[str, Any]) -> str:
    """What of a Cholesky or QR factorization was chosen, in a line or two."""
    p, c, counted = plan["problem"], plan["chosen"], plan["counted"]
    words = ""
    if counted:
        tasks, moved, messages = (f"{counted[key]:,}" for key in ("tasks", "words", "messages"))
        words = f"; {tasks} tasks, {moved} words and {messages} messages of the busiest rank"
    threads = f", {plan['workers']} workers on each" if plan["workers"] > 1 else ""
    where = f"{plan['machine']}, {plan['ranks']} ranks{threads}"
    what = f"qr of {p.get('m')} x {p['n']} {DTYPES[p['type']]}"
    if "uplo" in p:
        what = f"cholesky of {p['n']} x {p['n']} {DTYPES[p['type']]}, {p['uplo']}"
    return (
        f"{what}, on {where}\n"
        f"chosen: {c['grid'][0]}x{c['grid'][1]}, tiles of {c['nb']}: "
        f"{format_seconds(c['seconds']['total'])} predicted, {format_bytes(c['memory_bytes'])} per rank{words}"
    )


def tiled_table(plan: dict[str, Any], most: int) -> Any:
    """Grids and tiles with their graphs' prices, by predicted time."""
    rows = table(*TILED, "", right=TILED)
    for c in by_time(plan["candidates"][:most]):
        grid = "x".join(str(g) for g in c["grid"])
        seconds = [format_seconds(c["seconds"][name]) for name in TILED[3:7]] if "seconds" in c else [""] * 4
        rows.add_row(grid, c["order"], str(c["nb"]), *seconds, format_bytes(c["memory_bytes"]), c.get("why_not", ""))
    return rows


def _show_tiled(
    plan: dict[str, Any], simulated: list[ap.sim.SimulatedCandidate] | None, all_: bool, as_json: bool
) -> None:
    if as_json:
        print_json(_as_dict(plan, simulated))
        return
    show_candidates(tiled_headline(plan), tiled_table, plan, all_)
    console().print(
        "work: of the busiest rank's kernels; links: of the busiest axis; chain: the longest path through the graph"
    )
    _show_simulated(simulated)


@app.command()
@example("allport plan cholesky --shape 4000 -m bgp:4x4")
@with_options(PLANNED, POSITIVE, SHOWN)
def cholesky(
    shape: Annotated[str, typer.Option(metavar="N", help="A is N x N.")],
    **options: Any,
) -> None:
    """Choose grid and tiles for A = U^H U, or L L^H, with the price of every candidate's task graph."""
    n, columns = _extents(shape, 2, "NxN, like 4000x4000")
    if n != columns:
        raise ap.Error(f"shape = '{shape}': expected a square matrix, N or NxN, like 4000")
    _plan_it(ap.plan.cholesky, (n,), _show_tiled, **options)


@app.command()
@example("allport plan qr --shape 40000x400 -m bgp:4x4")
@with_options(PLANNED, TILES, SHOWN)
def qr(
    shape: Annotated[str, typer.Option(metavar="MxN", help="A is M x N.")],
    **options: Any,
) -> None:
    """Choose grid and tiles for A = Q R, with the price of every candidate's task graph."""
    m, n = _extents(shape, 2, "MxN, like 40000x400")
    _plan_it(ap.plan.qr, (m, n), _show_tiled, **options)
