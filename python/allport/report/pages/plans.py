"""Pages of plans: the choice, the prices of all candidates, and a simulation of the chosen task graph."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from allport._native import CholeskyPlan, GemmPlan, LuPlan, Machine, QrPlan
from allport.candidates import SimulatedCandidate
from allport.errors import Error
from allport.graph import planned
from allport.io import DTYPES
from allport.options import Options
from allport.plan import DECISIONS, NO_BOUND, by_time, why_chosen
from allport.plan import cholesky as plan_cholesky
from allport.plan import gemm as plan_gemm
from allport.plan import lu as plan_lu
from allport.plan import qr as plan_qr
from allport.report.pages import advice
from allport.report.pages.graphs import add_simulation, candidates_legend, drawn
from allport.report.pages.graphs import simulated as simulated_graph
from allport.report.pages.page import Advice, Page, bars, fold, paragraph, table
from allport.report.pages.style import KINDS
from allport.timeline import TaskSimulation
from allport.units import format_bytes, format_count, format_seconds

__all__ = [
    "Plan",
    "add_candidates",
    "add_graph",
    "computing_and_rest",
    "of_plan",
    "plan_again",
    "problem_in_words",
]

Plan = GemmPlan | LuPlan | CholeskyPlan | QrPlan
MOST_BARS, MOST_ROWS = 12, 60
# Parts of a predicted time, as `allport plan` prints them. They overlap, so they do not add up to it.
PARTS = ("compute", "communicate", "work", "links", "chain")
WAYS = {"N": "", "T": "^T", "C": "^H"}


def problem_in_words(plan: dict[str, Any]) -> str:
    """Describes the problem."""
    p = plan["problem"]
    kind = DTYPES[p["type"]]
    if "k" in p:
        ways = f"A{WAYS[p['trans_a']]} B{WAYS[p['trans_b']]}"
        return f"C = {ways}, {p['m']} x {p['n']} over {p['k']}, {kind}"
    if "pivoting" in p:
        how = "no" if p["pivoting"] == "none" else p["pivoting"]
        return f"P A = L U, {p['m']} x {p['n']}, {kind}, {how} pivoting"
    if "uplo" in p:
        return f"A = {'L L^H' if p['uplo'] == 'L' else 'U^H U'}, {p['n']} x {p['n']}, {kind}"
    return f"A = Q R, {p['m']} x {p['n']}, {kind}"


def name_of(c: dict[str, Any]) -> str:
    """A short name of a candidate: '2d on 4x4x1, panel 64'."""
    grid = "x".join(str(g) for g in c["grid"])
    widths = [f"{key} {c[key]}" for key in ("panel", "nb") if key in c]
    if "panel" in c and c.get("nb") == c["panel"]:
        widths = widths[:1]
    named = f"{c['algorithm']} on {grid}" if "algorithm" in c else grid
    order = f", {c['order']}" if c.get("order") not in (None, "ijl", "ij") else ""
    return ", ".join([named + order, *widths[:2]])


def computing_and_rest(seconds: dict[str, float]) -> tuple[float, float]:
    """(computing of the busiest rank, the rest) of a candidate's predicted time. The rest is not the communication
    time: it includes waiting for other ranks, and excludes communication that overlaps with computing."""
    computing = min(seconds.get("compute", seconds.get("work", 0.0)), seconds["total"])
    return computing, seconds["total"] - computing


def _same(c: dict[str, Any], chosen: dict[str, Any]) -> bool:
    return all(c.get(k) == chosen.get(k) for k in ("algorithm", "grid", "order", "panel", "nb", "outer_panel"))


def plan_again(data: dict[str, Any], machine: Machine, *, free: bool = False, memory: str | None = None) -> Plan | None:
    """The plan that has these data; free: the plan of the same problem without fixed options.

    None if the machine is not the plan's.
    """
    p, c = data["problem"], data["chosen"]
    fixed = not free and not c.get("in_place")
    kind = GemmPlan if "k" in p else LuPlan if "pivoting" in p else CholeskyPlan
    taken = {name: c[name] for name in DECISIONS[kind] if fixed and name in c}
    if "grid" in taken:
        taken["grid"] = tuple(taken["grid"])
    if kind is CholeskyPlan:
        taken["workers"] = data["workers"]
    options = Options(memory=memory, **taken)
    dtype = DTYPES[p["type"]]
    try:
        if "k" in p:
            trans = p["trans_a"] + p["trans_b"]
            return plan_gemm(p["m"], p["n"], p["k"], machine, dtype=dtype, trans=trans, options=options)
        if "pivoting" in p:
            return plan_lu(p["m"], p["n"], machine, dtype=dtype, options=replace(options, pivoting=p["pivoting"]))
        if "uplo" in p:
            return plan_cholesky(p["n"], machine, dtype=dtype, lower=p["uplo"] == "L", options=options)
        return plan_qr(p["m"], p["n"], machine, dtype=dtype, options=options)
    except Error:
        return None


def add_candidates(page: Page, plan: dict[str, Any]) -> None:
    """Adds the candidates' predicted times as bars, and all their prices."""
    chosen = plan["chosen"]
    found = [c for c in plan["candidates"] if "seconds" in c]
    if not found:
        return
    best = by_time(found[:MOST_BARS])
    rows = []
    for c in best:
        computing, rest = computing_and_rest(c["seconds"])
        value = format_seconds(c["seconds"]["total"]) + (" *" if c.get("why_not") else "")
        rows.append((name_of(c), [(computing, KINDS[0]), (rest, KINDS[1])], value))
    mark = next((i for i, c in enumerate(best) if _same(c, chosen)), None)
    cannot = any(c.get("why_not") for c in best)
    parts = [k for k in found[0]["seconds"] if k != "total" and any(c["seconds"].get(k) for c in found)]
    counts = [k for k in ("words", "messages") if k in found[0]]
    head = ["", *parts, "total", *counts, "memory", "words over bound", "why not"]
    prices = []
    for c in by_time(found[:MOST_ROWS]):
        ratio = c.get("ratio_to_bound")
        prices.append(
            [
                name_of(c),
                *(format_seconds(c["seconds"].get(k, 0.0)) for k in (*parts, "total")),
                *(f"{c[k]:,}" for k in counts),
                format_bytes(c["memory_bytes"]),
                "" if ratio is None else f"{ratio:.2f}",
                c.get("why_not", ""),
            ]
        )
    more = len(plan["candidates"]) - len(prices)
    page.add(
        "Candidates by predicted time",
        bars("Predicted time of the best, the chosen one marked", rows, mark=mark),
        candidates_legend(),
        paragraph(why_chosen(plan)),
        paragraph("* not available: the table has the reason." if cannot else "", soft=True),
        fold("All prices", table("Prices", head, prices, words=("why not",), mark=mark)),
        paragraph(f"... and {more:,} more candidates; `allport plan --all` shows them" if more > 0 else "", soft=True),
    )


def add_graph(page: Page, plan: Plan, caption: str) -> TaskSimulation | None:
    """Adds the plan's graph: its simulation, Gantt chart, link loads, and a drawing if it is small."""
    data = plan.to_dict()
    run = simulated_graph(lambda: planned(plan), plan.machine, data.get("workers", 1))
    if isinstance(run, str):
        page.add("Over time", paragraph(run[0].upper() + run[1:] + "."))
        return None
    add_simulation(page, run, caption)
    page.add("The graph", drawn(run.graph))
    return run


def _facts(plan: dict[str, Any]) -> list[tuple[str, str]]:
    c = plan["chosen"]
    seconds = c["seconds"]
    counted = plan.get("counted") or {}
    bound = c.get("ratio_to_bound")
    return [
        ("predicted time", format_seconds(seconds["total"])),
        *((part, format_seconds(seconds[part])) for part in PARTS if part in seconds),
        ("words of the busiest rank", f"{c.get('words', counted.get('words', 0)):,}"),
        ("messages of the busiest rank", f"{c.get('messages', counted.get('messages', 0)):,}"),
        ("memory of a rank", format_bytes(c["memory_bytes"])),
        ("words over lower bound", (NO_BOUND if "ratio_to_bound" in c else "") if bound is None else f"{bound:.2f}"),
        ("tasks", format_count(counted["tasks"]) if counted else ""),
    ]


def _free(plan: dict[str, Any], free: Plan | None) -> list[Advice]:
    """Advises the plan without fixed options, if it is better."""
    if free is None:
        return []
    other = free.to_dict()["chosen"]
    what = f"Leave the choice open: {name_of(other)}"
    return advice.of_alternative(plan["chosen"]["seconds"]["total"], other["seconds"]["total"], what)


def _simulation_beside(plan: dict[str, Any], run: TaskSimulation | None) -> str:
    predicted = plan["chosen"]["seconds"]["total"]
    if run is None or predicted <= 0 or run.seconds <= 0:
        return ""
    ratio = run.seconds / predicted
    rows = [("price", [(predicted, KINDS[0])], format_seconds(predicted))]
    rows.append(("simulated", [(run.seconds, KINDS[1])], f"{format_seconds(run.seconds)}, {ratio:.2f} times"))
    why = "The price assumes that messages are hidden behind work; in the simulation they share links and wait."
    return bars("Seconds", rows) + paragraph(why if ratio > 1.3 else "")


def _add_simulated(page: Page, simulated: Sequence[SimulatedCandidate], chosen: dict[str, Any]) -> None:
    """Adds the simulated candidates, and advises the fastest one if it is not the chosen one."""
    rows = [(name_of(one.candidate), [(one.seconds, KINDS[1])], format_seconds(one.seconds)) for one in simulated
            if one.seconds is not None]  # fmt: skip
    mine = next((one for one in simulated if one.seconds is not None and _same(one.candidate, chosen)), None)
    mark = next((i for i, one in enumerate(simulated) if one is mine), None)
    cannot = [[name_of(one.candidate), one.why_not] for one in simulated if one.seconds is None]
    page.add(
        "Candidates, simulated",
        bars("Simulated time of the best of each algorithm and grid, the chosen one marked", rows, mark=mark),
        table("Not simulated", ["candidate", "why"], cannot, words=("why",)),
    )
    best = min((one for one in simulated if one.seconds is not None), key=lambda one: one.seconds or 0.0, default=None)
    if best is not None and best.seconds is not None and mine is not None and mine.seconds is not None:
        grid = "x".join(str(g) for g in best.candidate["grid"])
        named = f"-a {best.candidate['algorithm']} " if "algorithm" in best.candidate else ""
        page.advice += advice.quicker(mine.seconds, best.seconds, name_of(best.candidate), f"{named}--grid {grid}")


def of_plan(
    plan: Plan,
    free: Plan | None = None,
    data: dict[str, Any] | None = None,
    simulated: Sequence[SimulatedCandidate] = (),
) -> Page:
    """The page of a plan. free: the plan of the same problem without fixed options, if it has some; data: shown instead
    of the plan's own data, which may have fewer candidates; simulated: results of sim.simulate_candidates()."""
    data = plan.to_dict() if data is None else data
    machine: Machine = plan.machine
    page = Page(
        f"Plan: {problem_in_words(data)}",
        f"On {machine.name}, {data['ranks']} ranks: {name_of(data['chosen'])}, the best of {len(data['candidates'])}.",
        _facts(data),
    )
    add_candidates(page, data)
    run = add_graph(page, plan, "The plan's task graph, simulated")
    page.add("Predicted against simulated", _simulation_beside(data, run))
    page.advice = [*_free(data, free), *advice.of_memory(data["chosen"], data["candidates"])]
    if run is not None:
        page.advice += advice.of_shares(run, run.to_dict())
    _add_simulated(page, simulated, data["chosen"])
    return page
