"""Pages of collectives: a simulated schedule, a schedule, and a choice among algorithms."""

from __future__ import annotations

from typing import Any

from allport import _native
from allport._native import Choice, Machine, Schedule
from allport.collectives import make_schedule
from allport.errors import Error
from allport.report.pages import advice
from allport.report.pages.graphs import percent
from allport.report.pages.links import of_links
from allport.report.pages.over_time import of_segments
from allport.report.pages.page import Advice, Page, bars, fold, paragraph, table
from allport.report.pages.style import KINDS
from allport.report.pages.trees import of_trees
from allport.select import best_cuts, chosen, explain
from allport.sim import Model, Simulation, simulate
from allport.units import format_bytes, format_rate, format_seconds

__all__ = ["add_sections", "again", "best_cuts", "of_choice", "of_schedule", "of_simulation"]

MOST_STEPS = 60
MOST_CROSSINGS = 400_000
MOST_HOPS = 300_000  # limit for simulations that a page repeats


def _candidates(data: dict[str, Any], mark: str) -> list[str]:
    """Algorithms by predicted time, with the bound and MPI's own collective, and those that do not apply."""
    found = best_cuts(data["candidates"])
    can = [c for c in found if "reason" not in c]
    rows = [
        (f"{c['algorithm']}, {format_bytes(c['segment'])}", [(c["predicted_s"], KINDS[0])], c["predicted_s"])
        for c in can[:16]
    ]
    taken = next((rows[i] for i, c in enumerate(can[:16]) if c["algorithm"] == mark), None)
    own = data.get("mpi") or {}
    if "predicted_s" in own:
        source = "" if own["source"] == "calibrated" else ", modelled"
        rows.append((f"MPI's own{source}", [(own["predicted_s"], KINDS[4])], own["predicted_s"]))
    if data.get("bound_s"):
        rows.append(("lower bound", [(data["bound_s"], "var(--soft)")], data["bound_s"]))
    rows.sort(key=lambda row: row[2])
    at = rows.index(taken) if taken is not None else None
    shown = [(name, parts, format_seconds(seconds)) for name, parts, seconds in rows]
    cannot = [[c["algorithm"], c["reason"]] for c in found if "reason" in c]
    return [
        bars("Predicted time by algorithm, in its best segments", shown, mark=at),
        fold("Cannot serve", table("Why not", ["algorithm", "why"], cannot, words=("why",))),
    ]


def _explained(run: Simulation) -> dict[str, Any] | None:
    s = run.schedule
    if s.collective == "none":
        return None
    try:
        return explain(s.collective, run.machine, bytes=s.bytes, root=s.root, element=s.element).to_dict()
    except Error:
        return None


def _price(data: dict[str, Any] | None, schedule: Schedule) -> float | None:
    """Predicted seconds of the simulated algorithm, with its segments or the nearest ones."""
    mine = [c for c in (data or {}).get("candidates", []) if c["algorithm"] == schedule.algorithm and "segment" in c]
    mine = [c for c in mine if "predicted_s" in c]
    if not mine:
        return None
    return float(min(mine, key=lambda c: abs(c["segment"] - schedule.segment))["predicted_s"])


def _command(run: Simulation, more: str) -> str:
    s = run.schedule
    root = f" --root {s.root}" if s.root else ""
    return f"allport simulate {s.collective}{advice.machine_option(run.machine)} --size {s.bytes}{root} {more}"


def _of_price(run: Simulation, data: dict[str, Any] | None) -> list[Advice]:
    """Advises another algorithm or other segments whose simulation is faster."""
    if data is None or run.seconds <= 0 or run.counts["hops"] > MOST_HOPS:
        return []
    price = _price(data, run.schedule)
    best = best_cuts(data["candidates"])[0]
    if price is None or "predicted_s" not in best or best["predicted_s"] * advice.CLEARLY >= price:
        return []
    s = run.schedule
    try:
        other = _native.make_schedule(run.machine, chosen(
            s.collective, run.machine, bytes=s.bytes, root=s.root, element=s.element, algorithm=best["algorithm"],
            segment=best["segment"], window=best["window"],
        ))  # fmt: skip
        seconds = simulate(other, run.machine, model=Model(most_seconds=2.0)).seconds
    except Error:
        return []
    how = f"-a {best['algorithm']} --segment {best['segment']} --window {best['window']}"
    what = f"{best['algorithm']} in segments of {format_bytes(best['segment'])}"
    return advice.quicker(run.seconds, seconds, what, _command(run, how))


def _late(run: Simulation) -> str:
    steps = run.late()
    if not steps:
        return ""
    rows = []
    for s in steps[:MOST_STEPS]:
        if s["kind"] == "link":
            deed = f"rank {s['rank']} to {s['peer']} on {run.machine.link_name(s['link'])}"
        else:
            ends = {"send": f"o of the send to {s['peer']}", "receive": f"o of the receive from {s['peer']}"}
            deed = f"rank {s['rank']}: {ends.get(s['kind'], s['kind'])}"
        parts = str(s["first"]) if s["first"] == s["last"] else f"{s['first']} to {s['last']}"
        rows.append([format_seconds(s["begin"]), format_seconds(s["end"] - s["begin"]), deed, parts])
    more = f"{len(steps) - MOST_STEPS:,} more steps" if len(steps) > MOST_STEPS else ""
    shown = table("From the start on", ["from", "for", "what", "segments"], rows, words=("what",))
    return fold(f"What made the last rank late: {len(steps)} steps", shown, paragraph(more))


def add_sections(page: Page, run: Simulation, told: str = "") -> None:
    """Adds the schedule on its machine, links and processors over time, and link loads; told: appended to headings."""
    s = run.schedule
    if s.ranks == run.machine.ranks:
        page.add("The schedule on its machine" + told, *of_trees(s, run.machine))
    crossings = len(run.columns["what"])
    late = _late(run) if crossings else ""
    gantt = of_segments(run) if 0 < crossings <= MOST_CROSSINGS else []
    page.add("Over time" + told, *gantt, late)
    dark = s.root // run.machine.ranks_per_node
    page.add(
        "Links" + told,
        *of_links(run.machine, run.utilisation, percent, "share of the time that a link is busy", most=1.0, dark=dark),
    )


def of_simulation(run: Simulation) -> Page:
    """The page of a simulated schedule. Its Gantt chart and critical path need trace=True."""
    s = run.schedule
    least = run.bound
    page = Page(
        f"{s.collective} by {s.algorithm}, on {run.machine.name}" if s.collective != "none" else "A schedule",
        f"Simulated: {s.ranks:,} ranks, {format_bytes(s.bytes)}, segments of at most {format_bytes(s.segment)}, "
        f"window {s.window}.",
    )
    data = _explained(run)
    price = _price(data, s)
    busy = run.utilisation
    used = busy[run.link_bytes > 0]
    page.facts = [
        ("time", format_seconds(run.seconds)),
        ("message rate", format_rate(s.bytes / run.seconds) if run.seconds > 0 else ""),
        ("of the lower bound", f"{least / run.seconds:.2f}" if least and run.seconds > 0 else ""),
        ("predicted by price", "" if price is None else format_seconds(price)),
        ("links used", f"{used.size:,} of {run.machine.links:,}"),
        ("busiest link", percent(float(busy.max())) if used.size else ""),
        ("mean of used links", percent(float(used.mean())) if used.size else ""),
        ("segments", f"{run.counts['messages']:,}"),
    ]
    page.advice = _of_price(run, data)
    if used.size:
        page.advice += advice.of_sharing(float(busy.max()), float(used.mean()), run.machine)
    add_sections(page, run)
    if price is not None and data is not None:
        beside = [("price", [(price, KINDS[0])], format_seconds(price))]
        beside.append(("simulated", [(run.seconds, KINDS[1])], format_seconds(run.seconds)))
        beside += [("lower bound", [(least, "var(--soft)")], format_seconds(least))] if least else []
        page.add("Predicted against simulated", bars("Seconds", beside), *_candidates(data, s.algorithm))
    return page


def again(what: str, machine: Machine, size: int, element: int, **how: Any) -> Simulation | None:
    """A traced simulation of a collective in a report; None if it would take some seconds."""
    try:
        schedule = make_schedule(what, machine, bytes=size, element=element, **how)
        return simulate(schedule, machine, model=Model(most_seconds=2.0), trace=True)
    except Error:
        return None


def of_schedule(schedule: Schedule, machine: Machine | None = None) -> Page:
    """The page of a schedule: traffic of each rank, and its trees if the machine is known."""
    name = "A schedule" if schedule.collective == "none" else f"{schedule.collective} by {schedule.algorithm}"
    page = Page(name + (f", on {machine.name}" if machine is not None else ""))
    shown = range(min(schedule.ranks, 64))
    traffic = [schedule.traffic(r) for r in (range(schedule.ranks) if schedule.ranks <= 4096 else shown)]
    page.facts = [
        ("ranks", f"{schedule.ranks:,}"),
        ("root", str(schedule.root)),
        ("bytes", format_bytes(schedule.bytes)),
        ("segments of at most", format_bytes(schedule.segment)),
        ("window", str(schedule.window)),
        ("trees", str(schedule.trees)),
    ]
    if schedule.ranks <= 4096:
        page.facts = [
            *page.facts,
            ("messages", f"{sum(t.messages_sent for t in traffic):,}"),
            ("bytes sent", format_bytes(sum(t.bytes_sent for t in traffic))),
        ]
    if machine is not None:
        page.add("On its machine", *of_trees(schedule, machine))
    rows = []
    for r in shown:
        t = traffic[r]
        parts = [(float(t.bytes_sent), KINDS[0]), (float(t.bytes_received), KINDS[1])]
        rows.append((f"rank {r}", parts, f"{format_bytes(t.bytes_sent)}, {format_bytes(t.bytes_received)}"))
    page.add("What ranks send and receive", bars("Bytes sent (first) and received of each rank", rows))
    return page


def of_choice(choice: Choice) -> Page:
    """The page of a choice of `ap.explain`."""
    data = choice.to_dict()
    where = f"on {data['machine']}, {data['ranks']} ranks"
    page = Page(f"{data['collective']} of {format_bytes(data['bytes'])}, {where}")
    own = data.get("mpi") or {}
    page.facts = [
        ("algorithm", data["algorithm"]),
        ("segment", format_bytes(data["segment"])),
        ("predicted", format_seconds(data["predicted_s"])),
        ("of the lower bound", f"{data['of_bound']:.2f}" if data.get("of_bound") else ""),
        ("MPI's own", format_seconds(own["predicted_s"]) if "predicted_s" in own else ""),
        ("under the drop-in", {True: "taken", False: "passed on", None: ""}[own.get("taken")]),
    ]
    if own.get("source") == "modelled":
        why = (
            "MPI's own time is modelled, not measured on this machine, so the decision whether the drop-in takes the "
            "call is a guess"
        )
        command = f"allport machine calibrate -m {data['machine']} -o measured.toml"
        page.advice.append(Advice("Time MPI's own collectives", why, command))
    page.add("Algorithms", *_candidates(data, data["algorithm"]))
    return page
