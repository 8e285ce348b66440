"""What `allport plan einsum` and `allport run einsum` print."""

from __future__ import annotations

from typing import Any

import allport as ap
from allport.cli.console import console, show_candidates, table
from allport.io import DTYPES
from allport.units import format_bytes, format_seconds


def extents(text: str, name: str) -> tuple[int, ...]:
    """'45x45x8' as a shape; 'scalar' as that of no axes."""
    if text.strip().lower() == "scalar":
        return ()
    parts = [p.strip() for p in text.lower().split("x")]
    if not all(p.isascii() and p.isdecimal() and len(p) < 19 for p in parts):
        raise ap.Error(f"{name} = '{ap.units.short(text)}': expected extents, like 45x45x45x45, or scalar")
    return tuple(int(p) for p in parts)


def _shape(shape: list[int]) -> str:
    return "x".join(str(n) for n in shape) or "scalar"


def _indices(labels: list[str]) -> str:
    return "".join(labels) if all(len(x) == 1 for x in labels) else ",".join(labels)


def _headline(plan: dict[str, Any]) -> str:
    p, c = plan["problem"], plan["chosen"]
    turned = "C^T = B^T A^T" if c["turned"] else "C = A B"
    batch = f", {p['batches']} times" if c["batch"] else ""
    groups = "" if c["parts"] == 1 else f", shared out to {c['parts']} groups of {c['ranks_of_a_group']} ranks"
    return (
        f"{p['contraction']}, {DTYPES[p['type']]}, of {_shape(p['shape_a'])} and {_shape(p['shape_b'])}, "
        f"on {plan['machine']} ({plan['ranks']} ranks)\n"
        f"chosen: {turned} with rows {_indices(c['rows']) or '-'}, columns {_indices(c['cols']) or '-'}, "
        f"inner {_indices(c['inner']) or '-'}: {p['m']} x {p['n']} over {p['k']}{batch}{groups}; "
        f"{c['algorithm']} on a {_shape(c['grid'])} grid"
    )


def _candidates(plan: dict[str, Any], most: int) -> Any:
    numbers = ("grid", "panel", "groups", "A", "B", "C", "product", "total")
    rows = table("", "algorithm", *numbers, "order", "rows", "columns", "inner", "form", "why not", right=numbers)
    for c in plan["candidates"][:most]:
        mine = all(
            plan["chosen"][name] == c[name] for name in ("algorithm", "grid", "order", "parts", "turned", "panel")
        )
        s = c["seconds"]
        rows.add_row(
            ">" if mine else "",
            c["algorithm"],
            _shape(c["grid"]),
            str(c["panel"]),
            str(c["parts"]),
            *(format_seconds(s[f"redistribute_{name}"]) if f"redistribute_{name}" in s else "" for name in "abc"),
            format_seconds(s["product"]),
            format_seconds(s["total"]),
            c["order"],
            *(_indices(c.get(name, [])) for name in ("rows", "cols", "inner")),
            ("C^T " if c["turned"] else "C ") + c.get("trans", ""),
            c.get("why_not", ""),
            style="bold" if mine else None,
        )
    return rows


def show(plan: dict[str, Any], all_: bool) -> None:
    """A plan and its candidates."""
    out = console()
    show_candidates(_headline(plan), _candidates, plan, all_)
    out.print(f"memory per rank: {format_bytes(plan['chosen']['memory_bytes'])}")
    out.print("A, B, C: their exchanges; form: what is computed, and how the left and the right matrix are stored")


def show_run(data: dict[str, Any]) -> None:
    """A run, predicted beside measured."""
    out, plan, report = console(), data["plan"], data["report"]
    problem, chosen = plan["problem"], plan["chosen"]
    out.print(_headline(plan))
    out.print()
    rows = table("", "predicted", "measured", right=("predicted", "measured"))
    predicted, measured = report["predicted_seconds"], report["seconds"]
    moved = sum(predicted[f"redistribute_{name}"] for name in "abc")
    word = {"s": 4, "d": 8, "c": 8, "z": 16}[problem["type"]]
    rows.add_row("time", format_seconds(predicted["total"]), format_seconds(measured["total"]))
    rows.add_row("  product", format_seconds(predicted["product"]), format_seconds(measured["product"]))
    rows.add_row("  redistribution", format_seconds(moved), format_seconds(measured["redistribute"]))
    for what, name in (("product", "bytes"), ("redistribution", "redistributed_bytes")):
        planned = f"{chosen[f'{what}_words']:,}" if f"{what}_words" in chosen else ""
        rows.add_row(f"words of the busiest rank, {what}", planned, f"{report[name] // word:,}")
    rows.add_row("memory per rank", format_bytes(report["predicted_memory_bytes"]), "")
    out.print(rows)
    out.print()
    flops = (8 if problem["type"] in "cz" else 2) * problem["m"] * problem["n"] * problem["k"] * problem["batches"]
    speed = f"{flops / measured['total'] / 1e9:.3g} Gflop/s; " if measured["total"] > 0 else ""
    out.print(f"{speed}every rank sent and received what was planned: {report['as_planned']}")
    spent = data["seconds"]
    done = (("load", "read"), ("einsum", "contracted"), ("save", "written"))
    parts = [f"{doing} in {format_seconds(spent[name])}" for name, doing in done]
    out.print(f"{', '.join(parts)}: {data['output']['path']}")
