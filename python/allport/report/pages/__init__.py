"""Results as pages: one self-contained HTML file, or the same in a cell of a notebook.

    ap.report.pages.write(ap.plan.lu(4000, 4000, "bgp:4x4"), "plan.html")
    ap.report.pages.of(ap.simulate(schedule, machine, trace=True)).html()

There are pages of plans, reports, simulations, schedules, machines, task graphs, orders of ranks, choices, patterns,
proofs, timelines, and of the JSON of benchmarks, runs and drop-ins.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from allport import _native
from allport.errors import failure
from allport.linalg.cholesky import FactorReport
from allport.linalg.gemm import GemmReport
from allport.linalg.qr import LstsqReport
from allport.linalg.solve import SolveReport
from allport.mapping import RankOrder
from allport.report.pages import benches, dropins, graphs, objects, plans, runs, simulations
from allport.report.pages.benches import of_bench
from allport.report.pages.dropins import is_dropin_report, of_dropin
from allport.report.pages.page import Advice, Page, Section
from allport.report.pages.page import write as _write
from allport.report.pages.plans import of_plan
from allport.report.pages.runs import of_run, read_trace
from allport.report.pages.simulations import of_schedule
from allport.sim import Simulation
from allport.task_graph import TaskGraph
from allport.timeline import TaskSimulation, Timeline
from allport.verify import Report

__all__ = [
    "Advice",
    "Page",
    "Section",
    "html",
    "of",
    "of_bench",
    "of_dropin",
    "of_graph",
    "of_graph_simulation",
    "of_json",
    "of_plan",
    "of_run",
    "of_schedule",
    "read_trace",
    "write",
]

of_graph, of_graph_simulation = graphs.of_graph, graphs.of_simulation

_KINDS: list[tuple[tuple[type, ...], Callable[[Any], Page]]] = [
    ((_native.GemmPlan, _native.LuPlan, _native.CholeskyPlan, _native.QrPlan), plans.of_plan),
    ((Simulation,), simulations.of_simulation),
    ((TaskSimulation,), graphs.of_simulation),
    ((_native.Schedule,), simulations.of_schedule),
    ((_native.Machine,), objects.of_machine),
    ((_native.Choice,), simulations.of_choice),
    ((RankOrder,), objects.of_order),
    ((_native.Pattern,), objects.of_pattern),
    ((Report,), objects.of_proof),
    ((Timeline,), objects.of_timeline),
    ((TaskGraph, _native.TaskGraph), graphs.of_graph),
    ((GemmReport, FactorReport, LstsqReport, SolveReport), runs.of_report),
]


def of(thing: Any) -> Page:
    """The page of an object of this library, or of a benchmark's result. Raises Error for other objects."""
    if isinstance(thing, Page):
        return thing
    for kinds, make in _KINDS:
        if isinstance(thing, kinds):
            return make(thing)
    if isinstance(thing, dict):
        return _of_dict(thing, "data")
    raise failure(f"thing: a {type(thing).__name__} has no page; plans, simulations, reports, machines and others do")


def html(thing: Any) -> str:
    """The HTML of an object for a notebook."""
    return of(thing).fragment()


def write(thing: Any, path: str | os.PathLike[str]) -> None:
    """Writes a page, or the page of an object. Raises Error if the file cannot be written."""
    _write(of(thing), os.fspath(path))


def _kind_of(run: dict[str, Any]) -> str:
    """The kind of a run, by the names of its seconds."""
    return next((kind for kind in runs.TITLES if kind in run["seconds"]), "run")


def _machine_of(plan: dict[str, Any], machine: _native.Machine | None, name: str) -> _native.Machine:
    """The machine of a plan's data."""
    found = machine or objects.known_machine(plan["machine"]) or _native.Machine.flat(plan["ranks"])
    if found.ranks != plan["ranks"]:
        raise failure(f"{name}: is of {plan['ranks']} ranks; {found.name} has {found.ranks}; give its --machine")
    return found


def _of_dict(data: dict[str, Any], name: str, machine: _native.Machine | None = None) -> Page:
    if is_dropin_report(data):
        return dropins.of_dropin(data)
    keys = data.keys()
    if {"variants", "modes"} & keys or {"sizes", "library"} <= keys or {"rows", "options"} <= keys:
        return benches.of_bench(data)
    if "plan" in data and "report" in data:
        return runs.of_run(_kind_of(data), data, _machine_of(data["plan"], machine, name))
    if "candidates" in data and "problem" in data:
        again = plans.plan_again(data, _machine_of(data, machine, name))
        if again is not None:
            return plans.of_plan(again, data=data)
    raise failure(
        f"{name}: expected the JSON of ALLPORT_REPORT, of `allport bench`, `compare`, `run` or `plan`; "
        f"it has {', '.join(list(data)[:6])}"
    )


def of_json(path: str | os.PathLike[str], machine: Any = None, captured: Any = None) -> Page:
    """The page of a JSON file: a drop-in's report (ALLPORT_REPORT), or output of bench, compare, run or plan.

    machine: used if the file names no known one; captured: for a drop-in's report, as in of_dropin(). Raises Error for
    other files.
    """
    try:
        data = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise failure(f"{os.fspath(path)}: cannot be read as JSON: {error}", "io") from None
    if not isinstance(data, dict):
        raise failure(f"{os.fspath(path)}: expected a JSON object")
    if not is_dropin_report(data) and captured is not None:
        raise failure(f"{os.fspath(path)}: is no report of a drop-in: expected no capture")
    try:
        if is_dropin_report(data):
            return dropins.of_dropin(data, machine, captured)
        return _of_dict(data, os.fspath(path), machine)
    except (KeyError, TypeError, AttributeError) as error:
        raise failure(f"{os.fspath(path)}: is not a valid report: {type(error).__name__} {error}") from None
