"""What `allport run` prints of a run: what was chosen, predicted and measured."""

from __future__ import annotations

from typing import Any

from allport.cli.console import console, table
from allport.cli.plan import bounds, candidates_table, headline, tiled_headline, tiled_table
from allport.plan import over_bound
from allport.units import format_bytes, format_seconds

WORD = {"s": 4, "d": 8, "c": 8, "z": 16}


def _measured(data: dict[str, Any], local: str) -> Any:
    """Predicted beside measured; `local` says what the ranks compute."""
    chosen, report = data["plan"]["chosen"], data["report"]
    rows = table("", "predicted", "measured", right=("predicted", "measured"))
    predicted, measured = chosen["seconds"], report["seconds"]
    word = WORD[data["plan"]["problem"]["type"]]
    words = report["bytes"] // word
    rows.add_row("time", format_seconds(predicted["total"]), format_seconds(measured["total"]))
    rows.add_row(f"  {local}", format_seconds(predicted["compute"]), format_seconds(measured["compute"]))
    if "panel" in measured:
        rows.add_row("  panels, with their communication", "", format_seconds(measured["panel"]))
    rows.add_row("  communication", format_seconds(predicted["communicate"]), "")
    rows.add_row("  waiting for communication", "", format_seconds(measured["wait"]))
    rows.add_row("words of the busiest rank", f"{chosen['words']:,}", f"{words:,}")
    rows.add_row("messages of the busiest rank", f"{chosen['messages']:,}", f"{report['messages']:,}")
    if "exchanged_words" in chosen:
        swapped = f"{report['exchanged_bytes'] // word:,}"
        rows.add_row("words of exchanged rows, on top", f"{chosen['exchanged_words']:,.0f}", swapped)
    rows.add_row("memory per rank", format_bytes(chosen["memory_bytes"]), format_bytes(report["measured_memory_bytes"]))
    rows.add_row("words over lower bound", *over_bound(chosen, report, word))
    return rows


def _top(data: dict[str, Any], local: str) -> Any:
    out = console()
    out.print(headline(data["plan"]))
    out.print()
    out.print(candidates_table(data["plan"], 6))
    out.print()
    out.print(_measured(data, local))
    out.print()
    return out


def _speed(data: dict[str, Any], flops: float) -> str:
    total = data["report"]["seconds"]["total"]
    speed = f"{flops / total / 1e9:.3g} Gflop/s; " if total > 0 else ""
    return f"{speed}every rank sent and received what was planned: {data['report']['as_planned']}"


def _ended(data: dict[str, Any], **doings: str) -> str:
    spent = data["seconds"]
    parts = [f"{doing} in {format_seconds(spent[name])}" for name, doing in doings.items()]
    return f"{', '.join(parts)}: {data['output']['path']}"


def _number(value: float | None) -> str:
    return "not a number" if value is None else f"{value:.3g}"


def print_gemm(data: dict[str, Any]) -> None:
    """Of `allport run gemm`."""
    out, p = _top(data, "local multiplications"), data["plan"]["problem"]
    flops = (8 if p["type"] in "cz" else 2) * p["m"] * p["n"] * p["k"]
    out.print(_speed(data, flops))
    out.print(_ended(data, load="read", gemm="multiplied", save="written"))


def lu_flops(problem: dict[str, Any]) -> float:
    """Additions and multiplications of an LU factorization; complex ones count as LAPACK's: 8 for two."""
    m, n = problem["m"], problem["n"]
    k = min(m, n)
    count = k * k * (max(m, n) - k / 3)
    return count * (4 if problem["type"] in "cz" else 1)


def _factored(data: dict[str, Any]) -> Any:
    """What is printed of every factorization; returns the console."""
    out, report = _top(data, "local updates"), data["report"]
    out.print(_speed(data, lu_flops(data["plan"]["problem"])))
    out.print(bounds(data["plan"]["chosen"]))
    info = report["info"]
    found = "0: no zero pivot" if info == 0 else f"{info}: U({info}, {info}) = 0"
    out.print(f"INFO {found}; growth max|U| / max|A| = {_number(report['growth'])}")
    if report["fell_back_panels"]:
        out.print(
            f"{report['fell_back_panels']} panels were pivoted partially: their tournament ended with a zero pivot"
        )
    return out


def print_lu(data: dict[str, Any]) -> None:
    """Of `allport run lu`."""
    out = _factored(data)
    check = {"check": "checked"} if data["checked"] else {}
    if check:
        out.print(f"residual ||PA - LU|| / (||A|| n eps) = {_number(data['residual'])}, at most 1 is asked for")
    out.print(_ended(data, load="read", lu="factored", **check, save="written"))


def _ran(rows: Any, what: str, run: dict[str, Any], predicted: str, word: int, counted: Any = None) -> None:
    """Rows of a task graph that has run. counted: of its plan, where it was."""
    pool = format_bytes(counted["pool_bytes"]) if counted else ""
    rows.add_row(f"time of {what}", predicted, format_seconds(run["seconds"]["total"]))
    rows.add_row("  in kernels, over all workers", "", format_seconds(run["seconds"]["busy"]))
    rows.add_row("  tasks", "", f"{run['tasks']:,}")
    rows.add_row("  words of the busiest rank", "", f"{run['bytes'] // word:,}")
    rows.add_row("  messages of the busiest rank", "", f"{run['messages']:,}")
    rows.add_row("  bytes of tiles on their way to tasks, at most", pool, format_bytes(run["peak_bytes"]))


def _factored_tiles(data: dict[str, Any]) -> Any:
    """What is printed of every Cholesky factorization; returns the console."""
    out, plan, report = _tiles(data, data["report"]), data["plan"], data["report"]
    n, total = plan["problem"]["n"], report["seconds"]["total"]
    flops = n * n * n / 3 * (4 if plan["problem"]["type"] in "cz" else 1)
    if total > 0:
        out.print(f"{flops / total / 1e9:.3g} Gflop/s; INFO {report['info']}: positive definite")
    return out


def _tiles(data: dict[str, Any], report: dict[str, Any]) -> Any:
    """What is printed of every factorization by tiles; returns the console."""
    out, plan = console(), data["plan"]
    out.print(tiled_headline(plan))
    out.print()
    out.print(tiled_table(plan, 6))
    out.print()
    rows = table("", "predicted", "measured", right=("predicted", "measured"))
    word = WORD[plan["problem"]["type"]]
    _ran(rows, "factorization", report, format_seconds(plan["chosen"]["seconds"]["total"]), word, plan["counted"])
    if "solve" in data:
        _ran(rows, "solve", data["solve"], "", word)
    out.print(rows)
    out.print()
    return out


def print_cholesky(data: dict[str, Any]) -> None:
    """Of `allport run cholesky`."""
    out = _factored_tiles(data)
    check = {"check": "checked"} if data["checked"] else {}
    if check:
        product = "L L^H" if data["plan"]["problem"]["uplo"] == "L" else "U^H U"
        out.print(
            f"residual ||A - {product}|| / (||A|| n eps) = {_number(data['residual'])}, LAPACK asks for at most 30"
        )
    if data["trace"] is not None:
        out.print(f"trace: {data['trace']}")
    out.print(_ended(data, load="read", cholesky="factored", **check, save="written"))


def print_solve(data: dict[str, Any]) -> None:
    """Of `allport run solve`."""
    out = _factored_tiles(data) if "solve" in data else _factored(data)
    refined = data["refinement"]
    if refined is not None and refined["fell_back"]:
        out.print(f"refinement: fell back to full precision: {refined['why']}")
    elif refined is not None:
        out.print(f"refinement: factored in half the precision, corrected {refined['iterations']} times")
    out.print(f"residual ||b - Ax|| / (||A|| ||x|| n eps) = {_number(data['residual'])}")
    out.print(_ended(data, load="read", solve="solved", check="checked", save="written"))


def _tile_qr(data: dict[str, Any], report: dict[str, Any]) -> Any:
    out, p, total = _tiles(data, report), data["plan"]["problem"], report["seconds"]["total"]
    if total > 0:
        out.print(f"{2 * lu_flops(p) / total / 1e9:.3g} Gflop/s")
    return out


def print_qr(data: dict[str, Any]) -> None:
    """Of `allport run qr`."""
    out = _tile_qr(data, data["report"])
    check = {"check": "checked"} if data["checked"] else {}
    if check:
        out.print(
            f"residual ||A - Q R|| / (||A|| m eps) = {_number(data['residual'])}, "
            f"||I - Q^H Q|| / (m eps) = {_number(data['orthogonality'])}: at most 30 are asked for"
        )
    if data["output"]["q_path"] is not None:
        out.print(f"Q: {data['output']['q_path']}")
    if data["trace"] is not None:
        out.print(f"trace: {data['trace']}")
    out.print(_ended(data, load="read", qr="factored", **check, save="written"))


def print_lstsq(data: dict[str, Any]) -> None:
    """Of `allport run lstsq`."""
    report = data["report"]
    out = _tile_qr(data, report["factorization"])
    reciprocal = report["condition_reciprocal"]
    condition = _number(1 / reciprocal if reciprocal else None)
    out.print(f"rank {report['rank']}, condition of R about {condition}")
    left = [r for r in report["residuals"] if r is not None]
    if left:
        out.print(f"||b - A x||: {_number(min(left))} to {_number(max(left))} of {len(report['residuals'])} columns")
    if data["trace"] is not None:
        out.print(f"trace: {data['trace']}")
    out.print(_ended(data, load="read", lstsq="solved", save="written"))
