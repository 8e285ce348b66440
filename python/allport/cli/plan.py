"""allport plan: what a multiplication will do and cost, before it runs."""

from __future__ import annotations

from typing import Annotated, Any

import typer

import allport as ap
from allport.cli.console import Json, console, print_json, table
from allport.units import format_bytes, format_seconds

app = typer.Typer(help="Plan without running: algorithm, grid, time, words, messages, memory.", no_args_is_help=True)
NUMBERS = ("grid", "panel", "compute", "communicate", "total", "words", "messages", "memory", "x bound")

Algorithm = Annotated[
    str | None, typer.Option("--algorithm", "-a", help="summa, cannon, summa25, cannon25, ...; else the cheapest.")
]
Grid = Annotated[str | None, typer.Option(metavar="QxQxC", help="Rows x columns x layers of ranks; else the cheapest.")]
Memory = Annotated[str | None, typer.Option(help="Limit per rank: 512MiB, 2GiB.")]


@app.callback()
def _plan() -> None:
    """Makes `gemm` a sub-command."""


def _shape(text: str) -> tuple[int, int, int]:
    parts = text.lower().split("x")
    if len(parts) != 3 or not all(p.strip().isdigit() for p in parts):
        raise ap.AllportError(f"shape = '{text}': expected MxNxK, like 4000x4000x4000: C is M x N, K is summed over")
    m, n, k = (int(p) for p in parts)
    return m, n, k


def candidate_row(c: dict[str, Any]) -> list[str]:
    """One candidate of a plan as table cells."""
    grid = "x".join(str(g) for g in c["grid"])
    if "seconds" not in c:
        return [c["algorithm"], grid, *[""] * 8, c.get("why_not", "")]
    s, ratio = c["seconds"], c["ratio_to_bound"]
    return [
        c["algorithm"],
        grid,
        str(c["panel"]),
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
    rows = table(
        "",
        "algorithm",
        "grid",
        "panel",
        "compute",
        "communicate",
        "total",
        "words",
        "messages",
        "memory",
        "x bound",
        "why not",
        right=NUMBERS,
    )
    chosen = plan["chosen"]
    for c in plan["candidates"][:most]:
        mine = all(c.get(key) == chosen.get(key) for key in ("algorithm", "grid", "order", "panel"))
        rows.add_row(">" if mine else "", *candidate_row(c), style="bold" if mine else None)
    return rows


def headline(plan: dict[str, Any]) -> str:
    """What is multiplied where, and what was chosen."""
    p, c = plan["problem"], plan["chosen"]
    kinds = {"s": "float32", "d": "float64", "c": "complex64", "z": "complex128"}
    ways = {"N": "", "T": "^T", "C": "^H"}
    return (
        f"C ({p['m']} x {p['n']}) = A{ways[p['trans_a']]} B{ways[p['trans_b']]} over k = {p['k']}, {kinds[p['type']]}, "
        f"on {plan['machine']} ({plan['ranks']} ranks)\n"
        f"chosen: {c['algorithm']} on a {'x'.join(str(g) for g in c['grid'])} grid, c = {c['grid'][2]}"
    )


@app.command()
def gemm(
    shape: Annotated[str, typer.Option(metavar="MxNxK", help="C is M x N; K is summed over.")],
    machine: Annotated[
        str | None, typer.Option("--machine", "-m", metavar="SPEC", help="torus:4x4, bgp:8x8x8, ...")
    ] = None,
    ranks: Annotated[int | None, typer.Option("--ranks", "-n", help="Ranks of a machine without a spec.")] = None,
    dtype: Annotated[str, typer.Option(help="float32, float64, complex64 or complex128.")] = "float64",
    trans_a: Annotated[str, typer.Option(help="N, T or C: op(A).")] = "N",
    trans_b: Annotated[str, typer.Option(help="N, T or C: op(B).")] = "N",
    algorithm: Algorithm = None,
    grid: Grid = None,
    memory: Memory = None,
    all_: Annotated[bool, typer.Option("--all", help="Show every candidate, not only the best 12.")] = False,
    as_json: Json = False,
) -> None:
    """Choose algorithm, grid and replication for C = op(A) op(B), with every candidate's price."""
    m, n, k = _shape(shape)
    if machine is None and ranks is None:
        raise ap.AllportError("machine: expected --machine SPEC or --ranks N")
    try:
        kind = ap.io.scalar_of(dtype) and dtype
    except TypeError as error:
        raise ap.AllportError(f"dtype = '{dtype}': expected float32, float64, complex64 or complex128") from error
    where = ap.job.machine_for(machine, ranks, 1)
    plan = ap.plan_gemm(
        m, n, k, where, dtype=kind, trans_a=trans_a, trans_b=trans_b, algorithm=algorithm, grid=grid, memory=memory
    ).to_dict()
    if as_json:
        print_json(plan)
        return
    out = console()
    out.print(headline(plan))
    out.print()
    most = len(plan["candidates"]) if all_ else 12
    out.print(candidates_table(plan, most))
    if len(plan["candidates"]) > most:
        out.print(f"... and {len(plan['candidates']) - most} more; --all shows them")
    out.print("\nwords and messages: of the busiest rank; x bound: words over the lower bound with this memory")
