"""Task graphs on pages: simulated if that takes about a second, with Gantt chart, link loads and critical path."""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from allport import graph as graphs
from allport._native import Machine
from allport.errors import Error
from allport.report.pages import advice
from allport.report.pages.links import of_links
from allport.report.pages.over_time import of_tasks
from allport.report.pages.page import Advice, Page, bars, drawing, fold, legend, paragraph, table
from allport.report.pages.style import KINDS
from allport.timeline import TaskSimulation
from allport.units import format_bytes, format_count, format_flops, format_seconds

__all__ = ["add_simulation", "drawn", "of_graph", "of_simulation", "percent", "shares", "simulated"]

MOST_TASKS = 60_000  # limit for a simulation on a page, because of its time
MOST_OTHERS = 20_000  # limit for simulations of alternatives
MOST_DRAWN = 160
MOST_STEPS = 60
COMPUTE, COMMUNICATE, IDLE = KINDS[0], KINDS[1], "var(--line)"


def simulated(make: Callable[[], Any], machine: Machine, workers: int = 1) -> TaskSimulation | str:
    """A traced simulation of the graph, or the reason why there is none."""
    try:
        graph = make()
        tasks = graphs.tasks_of(graph)
        if tasks is None or tasks > MOST_TASKS:
            many = "an unknown number of" if tasks is None else format_count(tasks)
            return f"not simulated for this page: {many} tasks; at most {format_count(MOST_TASKS)} are"
        return graphs.simulate(graph, machine, model=graphs.Model(workers=workers), trace=True)
    except Error as error:
        return f"not simulated: {error}"


def percent(share: float) -> str:
    """'12.3 %'."""
    return f"{100 * share:.1f} %"


def shares(run: TaskSimulation, data: dict[str, Any]) -> str:
    """Shares of the workers' time."""
    names = (
        ("computing", "compute", COMPUTE),
        ("waiting for data", "communicate", COMMUNICATE),
        ("idle", "idle", IDLE),
    )
    who = f"{run.graph.ranks} ranks" + (f" of {run.workers} workers" if run.workers > 1 else "")
    rows = [(name, [(data[key], colour)], percent(data[key])) for name, key, colour in names]
    return bars(f"The time of {who}", rows, most=1.0)


def _critical(run: TaskSimulation) -> str:
    steps = run.critical_path
    if not steps:
        return ""
    spent = sum(s["end"] - s["begin"] for s in steps if s["to"] < 0)
    messages = sum(s["to"] >= 0 for s in steps)
    rows = []
    for s in steps[:MOST_STEPS]:
        what = f"{s['name']} on rank {s['rank']}"
        if s["to"] >= 0:
            what = f"{s['name']} from {s['rank']} to {s['to']}, {format_bytes(s['bytes'])}"
        rows.append([format_seconds(s["begin"]), format_seconds(s["end"] - s["begin"]), what])
    caption = (
        f"What made the last task late: {len(steps) - messages} tasks, {format_seconds(spent)}, {messages} messages"
    )
    more = f"{len(steps) - MOST_STEPS:,} more steps" if len(steps) > MOST_STEPS else ""
    return fold(caption, table("From the start on", ["from", "for", "what"], rows, words=("what",)), paragraph(more))


def add_simulation(page: Page, run: TaskSimulation, caption: str) -> None:
    """Adds the sections of a traced simulation."""
    data = run.to_dict()
    longest = (
        f"Longest path: {run.longest_tasks} tasks, {format_seconds(run.longest_work)} of work, which no machine with "
        f"such workers beats; {format_count(run.tasks)} tasks, {format_count(run.messages)} messages."
    )
    gantt = of_tasks(run.timeline, caption) if len(run.timeline) and not run.truncated else []
    page.add("Over time", *gantt, shares(run, data), paragraph(longest), _critical(run) if not run.truncated else "")
    if run.seconds > 0:
        busy = run.link_busy / run.seconds
        page.add("Links", *of_links(run.machine, busy, percent, "share of the time that a link is busy", most=1.0))


def drawn(graph: Any) -> str:
    """A drawing of the graph, if it is small enough."""
    try:
        tasks = graphs.tasks_of(graph)
        if tasks is None or not 0 < tasks <= MOST_DRAWN:
            return ""
        text = graphs.draw(graph, most=MOST_DRAWN)
    except Error:
        return ""
    note = "Tasks stand below those that they wait for; edges between ranks are dashed."
    return f'<div class="white">{drawing(_inlined(text), note)}</div>'


def _inlined(text: str) -> str:
    """A graph's drawing for a page: with a label, and a unique identifier of its arrowhead."""
    own = f"tip-{zlib.crc32(text.encode()):08x}"
    found = re.search(r'<svg [^>]*?width="([\d.]+)"[^>]*>', text)
    inside = text[found.end() :] if found else text
    wide, view = (found[1], re.search(r'viewBox="[^"]*"', found[0])) if found else ("600", None)
    head = (
        f'<svg {view[0] if view else ""} role="img" aria-label="The task graph" font-size="12" '
        f'style="width:100%;min-width:{min(float(wide), 480):.0f}px;max-width:{wide}px">'
    )
    return head + inside.replace('id="tip"', f'id="{own}"').replace("url(#tip)", f"url(#{own})")


Other = tuple[str, str, Callable[[], Any]]


def _quickest(run: TaskSimulation, others: Sequence[Other]) -> list[Advice]:
    """Advises the fastest of the simulated alternatives (tile sizes, trees), if it is clearly faster."""
    if run.tasks > MOST_OTHERS or run.seconds <= 0:
        return []
    found = []
    for name, command, make in others:
        try:
            graph = make()
            tasks = graphs.tasks_of(graph)
            if tasks is None or tasks > MOST_OTHERS:
                continue
            model = graphs.Model(workers=run.workers)
            found.append((graphs.simulate(graph, run.machine, model=model).seconds, name, command))
        except Error:
            continue
    best = min(found, default=None)
    return [] if best is None else advice.quicker(run.seconds, *best)


def _trees(run: TaskSimulation, command: str) -> list[Advice]:
    """Advises another tree for outputs, if workers wait for data."""
    if run.tasks > MOST_OTHERS or run.to_dict()["communicate"] < 0.1:
        return []
    found = []
    for name in ("axes", "binomial", "chain", "flat", "prefix"):
        try:
            model = graphs.Model(workers=run.workers)
            seconds = graphs.simulate(run.graph, run.machine, tree=name, model=model).seconds
        except Error:
            continue
        found.append((seconds, name))
    if not found:
        return []
    seconds, name = min(found)
    line = f"{command} --tree {name}" if command else ""
    return advice.quicker(run.seconds, seconds, f"Send outputs by tree '{name}'", line)


def of_simulation(
    run: TaskSimulation, title: str = "", flops: float = 0.0, command: str = "", others: Sequence[Other] = ()
) -> Page:
    """The page of a simulated graph. command: the command that made it; others: alternatives (what, command, graph) to
    simulate."""
    data = run.to_dict()
    name = title or "A task graph"
    page = Page(f"{name}, on {run.machine.name}", "Simulated: tasks occupy workers, data occupy links.")
    page.facts = [
        ("time", format_seconds(run.seconds)),
        ("rate", format_flops(flops / run.seconds) if flops and run.seconds > 0 else ""),
        ("computing", percent(data["compute"])),
        ("waiting for data", percent(data["communicate"])),
        ("idle", percent(data["idle"])),
        ("busiest link", percent(data["busiest_link"])),
        ("longest path", percent(run.longest_work / run.seconds) if run.seconds > 0 else ""),
        ("tasks", format_count(run.tasks)),
    ]
    page.advice = [*_quickest(run, others), *_trees(run, command), *advice.of_shares(run, data)]
    add_simulation(page, run, f"{name}, simulated")
    page.add("The graph", drawn(run.graph))
    return page


def of_graph(graph: Any, title: str = "A task graph") -> Page:
    """The page of a graph without a simulation: its tasks by rank."""
    tasks = graphs.tasks_of(graph)
    page = Page(title)
    page.facts = [("ranks", str(graph.ranks)), ("tasks", "not known" if tasks is None else format_count(tasks))]
    if tasks is None or tasks > MOST_TASKS:
        return page
    try:
        counts = graphs.count(graph, tree=None if hasattr(graph, "tree") and graph.tree else "flat")
    except Error as error:
        page.add("What ranks do", paragraph(f"not counted: {error}"))
        return page
    page.facts = [
        *page.facts,
        ("operations", format_count(sum(c.flops for c in counts))),
        ("messages", format_count(sum(c.messages_sent for c in counts))),
        ("bytes sent", format_bytes(sum(c.bytes_sent for c in counts))),
    ]
    flops = np.array([c.flops for c in counts])
    key = "flops" if flops.any() else "tasks"
    rows = [
        (f"rank {r}", [(float(getattr(counts[r], key)), KINDS[0])], f"{counts[r].tasks:,} tasks")
        for r in range(min(len(counts), 64))
    ]
    page.add("What ranks do", bars("Operations of each rank" if key == "flops" else "Tasks of each rank", rows))
    page.add("The graph", drawn(graph))
    return page


def candidates_legend() -> str:
    """The legend of the bars of a plan's candidates."""
    rest = "the rest: waiting for messages and for other ranks"
    return legend([("computing of the busiest rank", COMPUTE), (rest, COMMUNICATE)])
