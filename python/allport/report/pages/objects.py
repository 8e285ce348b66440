"""Pages of machines, orders of ranks, patterns, proofs and timelines."""

from __future__ import annotations

from typing import Any

from allport import pattern
from allport._native import Machine, Pattern
from allport.errors import Error
from allport.machine import axis_letter, describe, measured_on, rates_table
from allport.mapping import RankOrder
from allport.report.pages.links import machine_drawing, of_links
from allport.report.pages.over_time import of_tasks
from allport.report.pages.page import Advice, Page, bars, drawing, fold, paragraph, table
from allport.report.pages.style import KINDS
from allport.timeline import Timeline
from allport.units import format_bytes, format_rate, format_seconds
from allport.verify import Report

__all__ = ["known_machine", "of_machine", "of_order", "of_pattern", "of_proof", "of_timeline"]

CLEARLY = 1.05


def known_machine(name: str) -> Machine | None:
    """The machine that a report names, if it is a spec or an existing file; else None."""
    try:
        return Machine.parse(name) if name else None
    except Error:
        return None


def of_machine(machine: Machine) -> Page:
    """The page of a machine: a drawing if possible, its axes and rates, and the source of the rates."""
    found = measured_on(machine)
    page = Page(f"Machine {machine.name}", describe(machine))
    page.facts = [
        ("nodes", f"{machine.nodes:,}"),
        ("ranks", f"{machine.ranks:,}"),
        ("directed links", f"{machine.links:,}"),
        ("rates", f"measured {found}" if found else "given, not measured"),
    ]
    picture = machine_drawing(machine, None, str, f"{machine.name}: nodes and links")
    rows = [
        [
            axis_letter(a),
            str(axis.length),
            "wraps" if axis.wraps else "open",
            format_rate(axis.bandwidth),
            format_seconds(axis.latency),
        ]
        for a, axis in enumerate(machine.axes)
    ]
    axes = table("Axes", ["axis", "length", "ends", "a link", "latency"], rows, words=("ends",))
    rates = table("A node", ["", "value"], [list(pair) for pair in rates_table(machine)])
    page.add("Nodes and links", drawing(picture, "Circles are nodes; links that wrap leave over the rim."), axes, rates)
    return page


def of_order(chosen: RankOrder) -> Page:
    """The page of a choice among orders of ranks: their times, and link loads of the given and the chosen order."""
    machine, what = chosen.machine, chosen.pattern
    page = Page(f"{what.name} on {machine.name}: where ranks go", chosen.reason[:1].upper() + chosen.reason[1:] + ".")
    given, best = chosen.given["predicted_s"], chosen.score["predicted_s"]
    page.facts = [
        ("order", chosen.order),
        ("predicted", format_seconds(best)),
        ("in the given order", format_seconds(given)),
        ("busiest link", chosen.score["busiest_link"] or "none"),
        ("bytes over it", format_bytes(chosen.score["busiest_link_bytes"])),
        ("mean distance", f"{chosen.score['mean_dilation']:.2f} hops"),
    ]
    can = sorted((c for c in chosen.candidates if not c["why_not"]), key=lambda c: c["predicted_s"])
    rows = [(c["order"], [(c["predicted_s"], KINDS[0])], format_seconds(c["predicted_s"])) for c in can]
    mark = next((i for i, c in enumerate(can) if c["order"] == chosen.order), None)
    cannot = [[c["order"], c["why_not"]] for c in chosen.candidates if c["why_not"]]
    page.add(
        "Orders by predicted time",
        bars("Predicted seconds", rows, mark=mark),
        fold("Cannot serve", table("Why not", ["order", "why"], cannot, words=("why",))),
    )
    if chosen.order != "given" and 0 < best * CLEARLY < given:
        why = f"predicted: {format_seconds(best)}, in the given order {format_seconds(given)}"
        command = f"allport map -m {machine.name} ... --rankfile ranks.txt   # or --rank-order, --hostfile"
        page.advice.append(Advice(f"Start the ranks in order '{chosen.order}'", why, command))
    sides = [("Links in the given order", chosen.given["places"])]
    sides = [(f"Links in order '{chosen.order}'", chosen.places), *(sides if chosen.order != "given" else [])]
    loads = {title: [float(b) for b in pattern.link_bytes(machine, what, places)] for title, places in sides}
    most = max((load for one in loads.values() for load in one), default=0.0)
    for title, one in loads.items():
        page.add(title, *of_links(machine, one, format_bytes, "bytes over each link", most=most))
    return page


def of_pattern(what: Pattern) -> Page:
    """The page of a pattern: bytes sent by each rank."""
    page = Page(f"Pattern {what.name}")
    page.facts = [("ranks", f"{what.ranks:,}"), ("bytes on the way", format_bytes(what.bytes))]
    sent: dict[int, int] = {}
    for source, _, size in what.messages:
        sent[source] = sent.get(source, 0) + size
    rows = [(f"rank {r}", [(float(sent[r]), KINDS[0])], format_bytes(sent[r])) for r in sorted(sent)[:64]]
    page.add("What ranks send", bars("Bytes of the messages of each rank", rows))
    return page


def of_proof(report: Report) -> Page:
    """The page of a proof, or of its findings."""
    data: dict[str, Any] = report.to_dict()
    page = Page(f"{data.get('algorithm') or 'A schedule'} on {data['machine']}: {'proven' if report.ok else 'wrong'}")
    counts = {**report.counts}
    page.facts = [(k.replace("_", " "), f"{v:,}" if isinstance(v, int) else str(v)) for k, v in counts.items()]
    page.add("What is wrong", *(paragraph(f["message"]) for f in report.findings))
    text = fold("The whole proof", *(paragraph(line) for line in str(report).splitlines()))
    page.add("Proof", text)
    return page


def of_timeline(timeline: Timeline) -> Page:
    """The page of a timeline of tasks and messages."""
    page = Page(timeline.title)
    tasks = sum(to < 0 for to in timeline.columns["to"])
    page.facts = [
        ("ranks", str(timeline.ranks)),
        ("tasks", f"{tasks:,}"),
        ("messages", f"{len(timeline) - tasks:,}"),
        ("time", format_seconds(max(timeline.columns["end"], default=0.0))),
    ]
    page.add("Over time", *of_tasks(timeline, timeline.title))
    return page
