"""allport plan: what a multiplication or a factorization will do and cost, before it runs."""

from __future__ import annotations

from typing import Annotated, Any

import typer

import allport as ap
from allport.cli.console import Json, console, print_json, table
from allport.units import format_bytes, format_seconds

app = typer.Typer(help="Plan without running: algorithm, grid, time, words, messages, memory.", no_args_is_help=True)
# What tells candidates of a kind apart, beside algorithm and grid.
WIDTHS = {"gemm": ("panel",), "lu": ("block", "big")}
PRICES = ("compute", "communicate", "total", "words", "messages", "memory", "x bound")
DTYPES = {"s": "float32", "d": "float64", "c": "complex64", "z": "complex128"}

Algorithm = Annotated[
    str | None, typer.Option("--algorithm", "-a", help="summa, cannon, summa25, cannon25, ...; else the cheapest.")
]
Grid = Annotated[str | None, typer.Option(metavar="QxQxC", help="Rows x columns x layers of ranks; else the cheapest.")]
Memory = Annotated[str | None, typer.Option(help="Limit per rank: 512MiB, 2GiB.")]
LuAlgorithm = Annotated[str | None, typer.Option("--algorithm", "-a", help="2d or 2.5d; else the cheapest.")]
Pivot = Annotated[str, typer.Option(help="tournament, partial (as LAPACK) or none.")]
Block = Annotated[int, typer.Option(min=0, help="Columns of a panel; 0: the cheapest.")]
Big = Annotated[int, typer.Option(min=0, help="With layers: columns between two sums over them; 0: the cheapest.")]
Broadcast = Annotated[str | None, typer.Option(help="Multicast algorithm, like binomial; else the cheapest.")]
Reduce = Annotated[str | None, typer.Option(help="Reduction algorithm; else the cheapest.")]
Where = Annotated[str | None, typer.Option("--machine", "-m", metavar="SPEC", help="torus:4x4, bgp:8x8x8, ...")]
Ranks = Annotated[int | None, typer.Option("--ranks", "-n", help="Ranks of a machine without a spec.")]
Dtype = Annotated[str, typer.Option(help="float32, float64, complex64 or complex128.")]
All = Annotated[bool, typer.Option("--all", help="Show every candidate, not only the best 12.")]


@app.callback()
def _plan() -> None:
    """Makes what is planned a sub-command."""


def _extents(text: str, count: int, example: str) -> list[int]:
    parts = text.lower().split("x")
    if len(parts) != count or not all(p.strip().isdigit() for p in parts):
        raise ap.AllportError(f"shape = '{text}': expected {example}")
    return [int(p) for p in parts]


def _kind(dtype: str) -> str:
    try:
        return ap.io.scalar_of(dtype) and dtype
    except TypeError as error:
        raise ap.AllportError(f"dtype = '{dtype}': expected float32, float64, complex64 or complex128") from error


def _machine(spec: str | None, ranks: int | None) -> ap.Machine:
    if spec is None and ranks is None:
        raise ap.AllportError("machine: expected --machine SPEC or --ranks N")
    return ap.job.machine_for(spec, ranks, 1)


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
    """Candidates of a plan, best first; the chosen one is marked."""
    widths = _widths(plan)
    numbers = ("grid", *widths, *PRICES)
    rows = table("", "algorithm", *numbers, "why not", right=numbers)
    chosen = plan["chosen"]
    for c in plan["candidates"][:most]:
        mine = all(c.get(key) == chosen.get(key) for key in ("algorithm", "grid", "order", *widths))
        rows.add_row(">" if mine else "", *_candidate_row(c, widths), style="bold" if mine else None)
    return rows


def headline(plan: dict[str, Any]) -> str:
    """What is computed where, and what was chosen."""
    p, c = plan["problem"], plan["chosen"]
    if "k" in p:
        ways = {"N": "", "T": "^T", "C": "^H"}
        what = f"C ({p['m']} x {p['n']}) = A{ways[p['trans_a']]} B{ways[p['trans_b']]} over k = {p['k']}"
    else:
        how = "no" if p["pivot"] == "none" else p["pivot"]
        what = f"P A = L U, A ({p['m']} x {p['n']}), {how} pivoting"
    return (
        f"{what}, {DTYPES[p['type']]}, on {plan['machine']} ({plan['ranks']} ranks)\n"
        f"chosen: {c['algorithm']} on a {'x'.join(str(g) for g in c['grid'])} grid, c = {c['grid'][2]}"
        + (f", panels of {c['block']} columns" if "block" in c else "")
    )


def bounds(chosen: dict[str, Any]) -> str:
    """The two lower bounds of a factorization, and what its words are of the larger one."""
    ratio = chosen["ratio_to_bound"]
    return (
        f"lower bounds on words: {chosen['bound_memory_dependent']:,.0f} with this memory, "
        f"{chosen['bound_memory_independent']:,.0f} with any"
        + ("" if ratio is None else f"; {chosen['words']:,} planned, {ratio:.2f} of the larger")
    )


def _print(plan: dict[str, Any], all_: bool) -> None:
    out = console()
    out.print(headline(plan))
    out.print()
    most = len(plan["candidates"]) if all_ else 12
    out.print(candidates_table(plan, most))
    if len(plan["candidates"]) > most:
        out.print(f"... and {len(plan['candidates']) - most} more; --all shows them")
    out.print()
    if "bound_memory_dependent" in plan["chosen"]:
        out.print(bounds(plan["chosen"]))
    out.print("words and messages: of the busiest rank; x bound: words over the lower bound with this memory")


@app.command()
def gemm(
    shape: Annotated[str, typer.Option(metavar="MxNxK", help="C is M x N; K is summed over.")],
    machine: Where = None,
    ranks: Ranks = None,
    dtype: Dtype = "float64",
    trans_a: Annotated[str, typer.Option(help="N, T or C: op(A).")] = "N",
    trans_b: Annotated[str, typer.Option(help="N, T or C: op(B).")] = "N",
    algorithm: Algorithm = None,
    grid: Grid = None,
    memory: Memory = None,
    all_: All = False,
    as_json: Json = False,
) -> None:
    """Choose algorithm, grid and replication for C = op(A) op(B), with every candidate's price."""
    extents = _extents(shape, 3, "MxNxK, like 4000x4000x4000: C is M x N, K is summed over")
    how = {"trans_a": trans_a, "trans_b": trans_b, "algorithm": algorithm, "grid": grid, "memory": memory}
    plan = ap.plan_gemm(*extents, _machine(machine, ranks), dtype=_kind(dtype), **how).to_dict()
    if as_json:
        print_json(plan)
    else:
        _print(plan, all_)


@app.command()
def lu(
    shape: Annotated[str, typer.Option(metavar="MxN", help="A is M x N.")],
    machine: Where = None,
    ranks: Ranks = None,
    dtype: Dtype = "float64",
    pivot: Pivot = "tournament",
    algorithm: LuAlgorithm = None,
    grid: Grid = None,
    block: Block = 0,
    big: Big = 0,
    memory: Memory = None,
    broadcast: Broadcast = None,
    reduce: Reduce = None,
    all_: All = False,
    as_json: Json = False,
) -> None:
    """Choose algorithm, grid, replication and panels for P A = L U, with every candidate's price."""
    m, n = _extents(shape, 2, "MxN, like 4000x4000")
    how = {"pivot": pivot, "algorithm": algorithm, "grid": grid, "block": block, "big": big, "memory": memory}
    where = _machine(machine, ranks)
    plan = ap.plan_lu(m, n, where, dtype=_kind(dtype), broadcast=broadcast, reduce=reduce, **how).to_dict()
    if as_json:
        print_json(plan)
    else:
        _print(plan, all_)
