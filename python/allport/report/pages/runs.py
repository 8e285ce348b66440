"""Pages of runs: predicted beside measured times, the Gantt chart of the run, and its plan."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from allport._native import Machine
from allport.plan import over_bound
from allport.report.pages import advice
from allport.report.pages.graphs import percent
from allport.report.pages.over_time import of_tasks
from allport.report.pages.page import Advice, Page, bars, paragraph, table
from allport.report.pages.plans import Plan, add_candidates, add_graph, name_of, plan_again, problem_in_words
from allport.report.pages.style import KINDS
from allport.timeline import Timeline
from allport.units import format_bytes, format_flops, format_seconds

__all__ = ["of_report", "of_run", "read_trace"]

WORD = {"s": 4, "d": 8, "c": 8, "z": 16}
TITLES = {
    "gemm": "Multiplied",
    "lu": "Factored",
    "cholesky": "Factored",
    "solve": "Solved",
    "qr": "Factored",
    "lstsq": "Least squares",
}
TEXT_FILES = (".mtx",)


def read_trace(path: str | Path) -> Timeline:
    """The tasks of a Chrome trace that `Timeline.write_trace` wrote."""
    events = [e for e in json.loads(Path(path).read_text())["traceEvents"] if e["ph"] == "X" and "kernel" in e["args"]]
    count = len(events)
    columns: dict[str, Any] = {
        "name": [e["name"] for e in events],
        "kernel": [e["args"]["kernel"] for e in events],
        "rank": np.array([e["pid"] for e in events], dtype=int),
        "to": np.full(count, -1),
        "worker": np.array([e["tid"] for e in events], dtype=int),
        "bytes": np.zeros(count, dtype=int),
        "begin": np.array([e["ts"] * 1e-6 for e in events]),
        "end": np.array([(e["ts"] + e["dur"]) * 1e-6 for e in events]),
        "cause": np.full(count, -1),
    }
    return Timeline(columns, int(columns["rank"].max(initial=-1)) + 1, "run")


def _flops(problem: dict[str, Any]) -> float:
    """Flops of a problem (leading terms); complex operations count as in LAPACK."""
    complex_ = 4 if problem["type"] in "cz" else 1
    if "k" in problem:
        return 2.0 * problem["m"] * problem["n"] * problem["k"] * complex_
    if "uplo" in problem:
        return problem["n"] ** 3 / 3 * complex_
    m, n = problem["m"], problem["n"]
    k = min(m, n)
    return k * k * (max(m, n) - k / 3) * complex_ * (1 if "pivoting" in problem else 2)


def _measured(data: dict[str, Any]) -> dict[str, Any]:
    """The measurements of the factorization or product in a run's data."""
    report = data["report"]
    return report.get("factorization", report) if "seconds" not in report else report


def _beside(plan: dict[str, Any], report: dict[str, Any]) -> list[list[str]]:
    """Rows of predicted beside measured."""
    chosen, measured = plan["chosen"], report["seconds"]
    predicted, word = chosen["seconds"], WORD[plan["problem"]["type"]]
    rows = [["time", format_seconds(predicted["total"]), format_seconds(measured["total"])]]
    if "compute" in measured:
        rows.append(["computing", format_seconds(predicted["compute"]), format_seconds(measured["compute"])])
        rows.append(["communication", format_seconds(predicted["communicate"]), ""])
        rows.append(["waiting for communication", "", format_seconds(measured["wait"])])
    if "panel" in measured:
        rows.append(["panels, with their communication", "", format_seconds(measured["panel"])])
    if measured.get("redistribute"):
        rows.append(["redistribution", "", format_seconds(measured["redistribute"])])
    if "busy" in measured:
        rows.append(["in kernels, over all workers", "", format_seconds(measured["busy"])])
        rows.append(["tasks", f"{(plan.get('counted') or {}).get('tasks', 0):,}", f"{report['tasks']:,}"])
    counted = plan.get("counted") or chosen
    if "words" in counted:
        rows.append(["words of the busiest rank", f"{counted['words']:,}", f"{report['bytes'] // word:,}"])
        rows.append(["messages of the busiest rank", f"{counted['messages']:,}", f"{report['messages']:,}"])
    if "measured_memory_bytes" in report:
        had = format_bytes(report["measured_memory_bytes"])
        rows.append(["memory of a rank", format_bytes(chosen["memory_bytes"]), had])
    if "ratio_to_bound" in chosen:
        rows.append(["words over lower bound", *over_bound(chosen, report, word)])
    return rows


def _times(plan: dict[str, Any], report: dict[str, Any]) -> str:
    predicted, measured = plan["chosen"]["seconds"], report["seconds"]
    rest = measured["total"] - measured.get("compute", measured["total"])
    known = min(predicted.get("compute", predicted.get("work", 0.0)), predicted["total"])
    rows = [
        ("predicted", [(known, KINDS[0]), (predicted["total"] - known, KINDS[1])], format_seconds(predicted["total"])),
        (
            "measured",
            [(measured["total"] - rest, KINDS[0]), (rest, KINDS[1])],
            format_seconds(measured["total"]),
        ),
    ]
    what = "Time: computing, and what is not" if "compute" in measured else "Time"
    return bars(what, rows)


def _quality(data: dict[str, Any]) -> list[tuple[str, str]]:
    report = data["report"]
    pairs = [("INFO", report.get("info")), ("growth", report.get("growth")), ("residual", data.get("residual"))]
    pairs += [("orthogonality", data.get("orthogonality")), ("rank", report.get("rank"))]
    return [(name, f"{value:.3g}") for name, value in pairs if value is not None]


def _of_quality(data: dict[str, Any]) -> list[Advice]:
    """Advice on a factorization with large growth or a large residual."""
    report, problem = data["report"], data["plan"]["problem"]
    found = []
    growth = report.get("growth")
    if growth is not None and growth > 1e4 and problem.get("pivoting") in ("tournament", "none"):
        why = f"max|U| / max|A| grew to {growth:.3g}: so many digits of the answer may be gone"
        found.append(Advice("Partial pivoting", why, "--pivoting partial"))
    if report.get("fell_back_panels"):
        why = f"{report['fell_back_panels']} panels were pivoted partially, for their tournament met a zero pivot"
        found.append(Advice("Partial pivoting from the start", why, "--pivoting partial"))
    return found


def _of_files(data: dict[str, Any], files: list[str]) -> list[Advice]:
    """Advice if reading and writing take longer than the computation."""
    spent = data["seconds"]
    moved, whole = spent.get("load", 0.0) + spent.get("save", 0.0), sum(spent.values())
    texts = [f for f in files if f.endswith(TEXT_FILES)]
    if not texts or whole <= 0 or moved < 0.5 * whole:
        return []
    why = (
        f"reading and writing took {format_seconds(moved)}, {percent(moved / whole)} of the run; text is read number "
        "by number, of .npy and HDF5 each rank reads its own part"
    )
    return [Advice(f"A binary format for {', '.join(texts)}", why)]


def of_run(
    kind: str,
    data: dict[str, Any],
    machine: Machine,
    *,
    timeline: Timeline | None = None,
    fixed: bool = False,
    memory: str | None = None,
    files: list[str] | None = None,
    local: bool = True,
) -> Page:
    """The page of `allport run KIND`. data: its JSON; timeline: of the run, if recorded.

    fixed: whether options of the plan were given; then the page also plans without them, within `memory`. files: the
    input and output files. local: whether the ranks were on this computer.
    """
    plan, report = data["plan"], _measured(data)
    planned = plan_again(plan, machine)
    free = plan_again(plan, machine, free=True, memory=memory) if fixed else None
    total = report["seconds"]["total"]
    page = Page(
        f"{TITLES.get(kind, 'Ran')}: {problem_in_words(plan)}",
        f"On {machine.name}, {plan['ranks']} ranks: {name_of(plan['chosen'])}.",
    )
    predicted = plan["chosen"]["seconds"]["total"]
    page.facts = [
        ("measured", format_seconds(total)),
        ("predicted", format_seconds(predicted)),
        ("measured over predicted", f"{total / predicted:.2f}" if predicted > 0 else ""),
        ("rate", format_flops(_flops(plan["problem"]) / total) if total > 0 else ""),
        ("sent as planned", {True: "yes", False: "no", None: ""}[report.get("as_planned")]),
        *_quality(data),
    ]
    page.advice = _advice(data, report, machine, free, files or [], local)
    page.add(
        "Predicted against measured",
        _times(plan, report),
        table("Predicted beside measured", ["", "predicted", "measured"], _beside(plan, report)),
    )
    spent = [(name, [(value, KINDS[0])], format_seconds(value)) for name, value in data["seconds"].items()]
    page.add("The whole run", bars("Seconds of its parts", spent))
    if timeline is not None and len(timeline):
        page.add("Over time, as it ran", *of_tasks(timeline, "Tasks as they ran"))
    if planned is not None:
        add_graph(page, planned, "The plan's task graph, simulated")
        for section in page.sections:
            section.title = {"Over time": "Over time, simulated", "Links": "Links, simulated"}.get(
                section.title, section.title
            )
    add_candidates(page, plan)
    return page


def _advice(
    data: dict[str, Any], report: dict[str, Any], machine: Machine, free: Plan | None, files: list[str], local: bool
) -> list[Advice]:
    plan = data["plan"]
    measured, predicted = report["seconds"], plan["chosen"]["seconds"]
    found = [*_of_quality(data), *_of_files(data, files)]
    if free is not None:
        other = free.to_dict()["chosen"]
        what = f"Leave the choice open: {name_of(other)}"
        found += advice.of_alternative(predicted["total"], other["seconds"]["total"], what)
    found += advice.of_prediction(machine, measured, predicted, local)
    found += advice.of_tiles(plan, report) if "busy" in measured else advice.of_waiting(plan, measured)
    return found


def of_report(report: Any) -> Page:
    """The page of the report of ap.gemm, ap.lu, ap.cholesky, ap.qr, ap.lstsq or ap.solve."""
    data = report.to_dict()
    run = data if "tasks" in data or "bytes" in data else data.get("factorization", data)
    page = Page(type(report).__name__.replace("Report", "") + ", as it ran")
    seconds = run.get("seconds", data.get("seconds", {}))
    word = {"as_planned": "sent as planned"}
    plain = {k: v for k, v in {**run, **data}.items() if isinstance(v, int | float | str | bool) and k != "bytes"}
    page.facts = [("time", format_seconds(seconds["total"]))] if "total" in seconds else []
    page.facts = [
        *page.facts,
        *((word.get(k, k.replace("_", " ")), _plain(k, v)) for k, v in plain.items()),
    ]
    parts = [(k, [(v, KINDS[0])], format_seconds(v)) for k, v in seconds.items()]
    page.add("Seconds", bars("Of the slowest rank; busy: over all workers", parts))
    records = getattr(report, "records", None)
    if records:
        page.add("Records", paragraph("ap.graph.timeline(report.records, comm) shows who did what when."))
    return page


def _plain(key: str, value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if key.endswith("bytes"):
        return format_bytes(value)
    return f"{value:,}" if isinstance(value, int) else f"{value:.4g}" if isinstance(value, float) else value
