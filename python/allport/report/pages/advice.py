"""Advice on what to try next; each line follows from the numbers that it names."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from allport._native import Machine
from allport.errors import Error
from allport.machine import measured_on
from allport.report.pages.page import Advice
from allport.timeline import TaskSimulation
from allport.units import format_bytes, format_seconds

__all__ = [
    "calibrated",
    "of_alternative",
    "of_memory",
    "of_prediction",
    "of_shares",
    "of_sharing",
    "of_tiles",
    "of_waiting",
    "quicker",
    "spec_of",
]

CLEARLY = 1.05  # speedup from which a simulation or price counts as faster
FAR = 1.5  # ratio of measured and predicted time, or its inverse


def calibrated(machine: Machine) -> bool:
    """Whether the machine's rates were measured."""
    return bool(measured_on(machine))


def spec_of(machine: Machine) -> str:
    """The machine's name on the command line."""
    try:
        Machine.parse(machine.name)
    except Error:
        return f"-n {machine.ranks}"
    return f"-m {machine.name}"


def machine_option(machine: Machine) -> str:
    """How a command that has no --ranks names the machine: nothing where it is this computer."""
    spec = spec_of(machine)
    return f" {spec}" if spec.startswith("-m") else ""


def quicker(now: float, seconds: float, what: str, command: str = "") -> list[Advice]:
    """Advises an alternative whose simulation is clearly faster."""
    if not 0 < seconds * CLEARLY < now:
        return []
    why = f"simulated: {format_seconds(seconds)}, {now / seconds:.2f} times as fast as these {format_seconds(now)}"
    return [Advice(what, why, command)]


def of_alternative(now: float, seconds: float, what: str, command: str = "") -> list[Advice]:
    """Advises an alternative whose predicted time is clearly less."""
    if not 0 < seconds * CLEARLY < now:
        return []
    return [Advice(what, f"predicted: {format_seconds(seconds)}, here {format_seconds(now)}", command)]


def of_shares(run: TaskSimulation, data: dict[str, Any]) -> list[Advice]:
    """Advice on a simulated graph, by the resource that limits it."""
    found = []
    if run.seconds > 0 and run.longest_work > 0.8 * run.seconds and data["compute"] < 0.7:
        found.append(
            Advice(
                "Smaller tiles, or fewer ranks",
                f"the longest path of tasks is {format_seconds(run.longest_work)} of work, "
                f"{100 * run.longest_work / run.seconds:.0f} % of the time, while workers compute for "
                f"{100 * data['compute']:.0f} %: no faster link shortens it",
            )
        )
    busy = run.link_busy[run.link_busy > 0]
    if busy.size and run.seconds > 0 and data["communicate"] > 0.2:
        found += of_sharing(float(busy.max()) / run.seconds, float(busy.mean()) / run.seconds, run.machine)
    return found


def of_sharing(busiest: float, mean: float, machine: Machine) -> list[Advice]:
    """Advice on uneven link loads. busiest, mean: busy shares of the used links."""
    if busiest < 0.6 or mean <= 0 or busiest < 3 * mean or machine.nodes < 3:
        return []
    why = (
        f"the busiest link is busy for {100 * busiest:.0f} % of the time, used ones for {100 * mean:.0f} % in the "
        "mean: another order of ranks, or another grid, spreads the load"
    )
    return [Advice("Other places for the ranks", why, f"allport map {spec_of(machine)} --pattern FILE.json")]


def of_memory(chosen: dict[str, Any], candidates: Sequence[dict[str, Any]]) -> list[Advice]:
    """Advice on a plan: a better candidate that exceeds the memory limit."""
    now = chosen["seconds"]["total"]
    better = [
        c
        for c in candidates
        if "memory" in c.get("why_not", "") and "seconds" in c and c["seconds"]["total"] * CLEARLY < now
    ]
    if not better:
        return []
    best = min(better, key=lambda c: c["seconds"]["total"])
    grid = "x".join(str(g) for g in best["grid"])
    why = (
        f"{best.get('algorithm', 'tiles')} on {grid} is predicted to take {format_seconds(best['seconds']['total'])}, "
        f"here {format_seconds(now)}, but needs {format_bytes(best['memory_bytes'])} a rank"
    )
    return [Advice("More memory for each rank", why, f"--memory {format_bytes(best['memory_bytes']).replace(' ', '')}")]


def _off(measured: float, predicted: float) -> str:
    if measured >= predicted:
        return f"{measured / predicted:.1f} times as long as predicted"
    return f"{predicted / measured:.1f} times as fast as predicted"


def of_prediction(
    machine: Machine, measured: dict[str, float], predicted: dict[str, float], local: bool
) -> list[Advice]:
    """Advice on a run whose times differ much from the prediction. local: all ranks were started on this computer."""
    total, foretold = measured["total"], predicted["total"]
    if total <= 0 or foretold <= 0 or 1 / FAR < total / foretold < FAR:
        return []
    found, cores = [], len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    crowded = local and machine.ranks > cores and total > foretold
    if crowded:
        found.append(
            Advice(
                "No more ranks than cores",
                f"{machine.ranks} ranks share {cores} cores of this computer, and the run took {_off(total, foretold)}",
                f"-n {cores}",
            )
        )
    if not calibrated(machine) and not crowded:
        parts = []
        for name in ("compute", "work"):
            if name in measured and predicted.get(name, 0) > 0 and measured[name] > 0:
                parts.append(f"computing alone {_off(measured[name], predicted[name])}")
        why = f"the run took {_off(total, foretold)}" + (f", {', '.join(parts)}" if parts else "")
        why += f": the rates of {machine.name} are assumed, not measured"
        command = f"allport machine calibrate {spec_of(machine)} -o measured.toml   # then -m measured.toml"
        found.append(Advice("Measure the machine", why, command))
    return found


def _options(c: dict[str, Any]) -> str:
    """The options of `allport run` for a candidate."""
    grid = "x".join(str(g) for g in c["grid"])
    named = f"-a {c['algorithm']} " if "algorithm" in c else ""
    widths = [f"--panel {c['panel']}"] if "outer_panel" in c else [f"--nb {c['nb']}"] if "nb" in c else []
    return " ".join([f"{named}--grid {grid}", *widths])


def of_waiting(plan: dict[str, Any], measured: dict[str, float]) -> list[Advice]:
    """Advice on a run by panels in which ranks waited for communication: a candidate that sends less at little extra
    cost."""
    total, wait = measured["total"], measured.get("wait", 0.0)
    if total <= 0 or wait < 0.25 * total or plan["ranks"] < 2:
        return []
    chosen = plan["chosen"]
    now = chosen["seconds"]
    told = f"ranks waited for communication for {format_seconds(wait)}, {100 * wait / total:.0f} % of the time"
    others = [
        c
        for c in plan["candidates"]
        if "seconds" in c
        and not c.get("why_not")
        and c["seconds"]["total"] <= 1.25 * now["total"]
        and (
            c["seconds"]["communicate"] < 0.9 * now["communicate"]
            or (c["grid"] == chosen["grid"] and "outer_panel" in c and c["panel"] < chosen["panel"])
        )
    ]
    if not others:
        return []
    best = min(others, key=lambda c: c["seconds"]["total"])
    why = (
        f"{told}; predicted for this one: {format_seconds(best['seconds']['total'])} with "
        f"{format_seconds(best['seconds']['communicate'])} of communication, for the chosen one "
        f"{format_seconds(now['total'])} with {format_seconds(now['communicate'])}"
    )
    return [Advice("Another grid, or finer panels", why, _options(best))]


def of_tiles(plan: dict[str, Any], run: dict[str, Any]) -> list[Advice]:
    """Advice on a run by tiles with idle workers: the next tile size or grid by price."""
    total, busy = run["seconds"]["total"], run["seconds"]["busy"]
    seats = plan["ranks"] * plan["workers"]
    if total <= 0 or seats < 2 or busy > 0.6 * total * seats:
        return []
    chosen = plan["chosen"]
    others = [
        c
        for c in plan["candidates"]
        if "seconds" in c and not c.get("why_not") and c["nb"] != chosen["nb"]
        and c["seconds"]["total"] <= 1.25 * chosen["seconds"]["total"]
    ]  # fmt: skip
    if not others:
        return []
    # More tasks help idle workers: prefer a smaller tile of about the same price.
    best = min(others, key=lambda c: (c["nb"] > chosen["nb"], c["seconds"]["total"]))
    why = (
        f"workers were in kernels for {100 * busy / (total * seats):.0f} % of the time; tiles of {best['nb']} are "
        f"predicted to take {format_seconds(best['seconds']['total'])}, those of {chosen['nb']} "
        f"{format_seconds(chosen['seconds']['total'])}"
    )
    return [Advice("Another tile size", why, _options(best))]
