"""allport simulate cholesky | qr | gemm | lu ...: how long an algorithm's task graph takes on a machine."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import allport as ap
from allport.cli.console import console, print_json, progress, table, tell_files
from allport.cli.graph_options import TILE, Made, made
from allport.report.pages.advice import machine_option
from allport.units import format_bytes, format_count, format_flops, format_seconds

SHOWN = 12


def _activity(step: dict[str, Any]) -> str:
    if step["to"] < 0:
        return f"{step['name']} on rank {step['rank']}"
    return f"{step['name']} from {step['rank']} to {step['to']}, {format_bytes(step['bytes'])}"


def _late(steps: list[dict[str, Any]]) -> None:
    messages = [s for s in steps if s["to"] >= 0]
    spent = sum(s["end"] - s["begin"] for s in steps if s["to"] < 0)
    out = console()
    out.print(
        f"\nwhat made the last task late: {len(steps) - len(messages)} tasks, {format_seconds(spent)}, "
        f"and {len(messages)} messages"
    )
    rows = table("from", "to", "what", right=("from", "to"))
    shown = steps if len(steps) <= 2 * SHOWN else [*steps[:SHOWN], None, *steps[-SHOWN:]]
    for step in shown:
        if step is None:
            rows.add_row("", "", "...")
        else:
            rows.add_row(format_seconds(step["begin"]), format_seconds(step["end"]), _activity(step))
    out.print(rows)


def _part(run: ap.graph.TaskSimulation, sample: int) -> str:
    """What was simulated, where that is not all."""
    if run.simulated_steps == run.steps:
        return ""
    if sample == 0:
        return f"{run.simulated_steps:,} of {run.steps:,} steps alone, as if all before were done"
    return (
        f"from a sample: {run.simulated_steps:,} of {run.steps:,} steps were simulated, the middle of each of "
        f"{sample} parts, and stand for all"
    )


def _steps(text: str | None) -> tuple[int, int] | None:
    if text is None:
        return None
    first, colon, end = text.partition(":")
    if not (colon and first.isdecimal() and end.isdecimal()):
        raise ap.Error(f"--steps {text}: expected FIRST:END, like 100:140")
    return int(first), int(end)


def _show(which: Made, run: ap.graph.TaskSimulation, data: dict[str, Any], part: str) -> None:
    out = console()
    out.print(
        f"{which.title}, on {run.machine.name}: {format_count(run.tasks)} tasks, {format_count(run.messages)} messages"
    )
    if part:
        out.print(part)
    whole = run.seconds > 0 and not part.endswith("done")
    rate = f", {format_flops(which.flops / run.seconds)}" if whole else ""
    out.print(f"{format_seconds(run.seconds)}{rate}")
    workers = f"{run.graph.ranks} ranks" + (f" of {run.workers} workers" if run.workers > 1 else "")
    shares = ", ".join(f"{what} {100 * data[what]:.1f} %" for what in ("compute", "communicate", "idle"))
    out.print(f"{shares} of {workers}; the busiest link is busy for {100 * data['busiest_link']:.1f} %")
    out.print(
        f"longest path: {run.longest_tasks} tasks, {format_seconds(run.longest_work)} of work, "
        "which no machine with such workers beats"
    )


def _given(options: dict[str, Any]) -> str:
    """Options as they were given, but for those that have their defaults."""
    defaults = {"lower": False, "dtype": "float64", "pivoting": "tournament", "panel": 0}
    given = {k: v for k, v in options.items() if v is not None and v != defaults.get(k)}
    return " ".join(f"--{k}" if v is True else f"--{k} {v}" for k, v in given.items())


def _other_tiles(name: str, machine: ap.Machine, options: dict[str, Any]) -> list[tuple[str, str, Callable[[], Any]]]:
    """The same in tiles of half and of twice the size, to be tried beside it; (what, command, graph)."""
    if name in ("gemm", "lu") or options["tiles"] is not None:
        return []

    def graph_of(other: dict[str, Any]) -> Any:
        return made(name, machine, **other).graph

    found: list[tuple[str, str, Callable[[], Any]]] = []
    for nb in ((options["nb"] or TILE) // 2, (options["nb"] or TILE) * 2):
        other = {**options, "nb": nb}
        if nb > 0:
            command = f"allport simulate {name}{machine_option(machine)} {_given(other)}"
            found.append((f"Tiles of {nb}", command, functools.partial(graph_of, other)))
    return found


def simulate_graph(
    name: str,
    machine: ap.Machine,
    *,
    workers: int,
    tree: str | None,
    segment: str | None,
    sample: int,
    steps: str | None,
    late: bool,
    trace: str | None,
    gantt: str | None,
    report: str | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Simulates a graph and shows it; writes what the options ask for."""
    wanted = {"late": late, "trace": trace is not None, "gantt": gantt is not None, "report": report is not None}
    if sample and any(wanted.values()):
        option = next(name for name, given in wanted.items() if given)
        raise ap.Error(
            f"--sample {sample}: expected none with --{option}, which shows every task and message; leave one of them "
            "out, or simulate a few steps with --steps"
        )
    if sample and steps is not None:
        raise ap.Error(f"--sample {sample}: expected none with --steps {steps}; leave one of them out")
    which = made(name, machine, **options)
    total = max(ap.graph.tasks_of(which.graph) or 1, 1)
    with progress("simulating") as bar:
        run = ap.graph.simulate(
            which.graph,
            machine,
            tree=tree,
            model=ap.graph.Model(workers=workers, segment=segment),
            sample=sample,
            steps=_steps(steps),
            trace=late or any((trace, gantt, report)),
            progress=lambda done: bar("simulating", done / total),
        )
    if run.truncated:
        raise ap.Error(
            f"{name}: has {format_count(run.tasks)} tasks, more than can be recorded for --late, --trace, --gantt "
            "and --report; take larger tiles"
        )
    if trace is not None:
        ap.report.trace.chrome(run, trace)
    if gantt is not None:
        ap.report.gantt.chart(
            run.timeline, gantt, title=f"{which.title}, on {machine.name}: {format_seconds(run.seconds)}"
        )
    if report is not None:
        command = f"allport simulate {name}{machine_option(machine)} {_given(options)}"
        others = _other_tiles(name, machine, options)
        ap.report.pages.write(
            ap.report.pages.of_graph_simulation(run, which.title, which.flops, command, others), report
        )
    data = run.to_dict()
    part = _part(run, sample)
    path = run.critical_path if late else None
    if as_json:
        print_json({"graph": which.title, **data, "flops": which.flops, "late": path})
        return
    _show(which, run, data, part)
    if path is not None:
        _late(path)
    tell_files(trace=trace, gantt=gantt, report=report)
