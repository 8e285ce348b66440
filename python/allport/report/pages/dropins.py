"""Pages of the drop-ins' reports (ALLPORT_REPORT): calls taken, calls passed on with reasons, and times."""

from __future__ import annotations

from typing import Any

from allport import mapping, pattern
from allport._native import Machine, Pattern
from allport.errors import Error
from allport.report.pages import advice
from allport.report.pages.links import of_links
from allport.report.pages.objects import known_machine, of_machine, of_order
from allport.report.pages.page import Advice, Page, bars, legend, paragraph, table
from allport.report.pages.simulations import add_sections, again
from allport.report.pages.style import KINDS
from allport.sim import Simulation
from allport.units import format_bytes, format_rate, format_seconds

__all__ = ["is_dropin_report", "of_dropin"]

TAKEN, PASSED_ON, BOUND = KINDS[0], KINDS[1], "var(--soft)"
LEAST_SHARE = 0.05  # smaller shares of a bound are shown as "less than"
MOST_LINES = 40


def is_dropin_report(data: dict[str, Any]) -> bool:
    """Whether this JSON is a drop-in's report."""
    return "collectives" in data or "scalapack" in data


def _totals(calls: dict[str, Any]) -> dict[str, float]:
    keys = ("taken", "passed_on", "seconds", "passed_on_seconds", "bounded_seconds", "bound_seconds", "bytes")
    return {k: sum(c.get(k, 0) for c in calls.values()) for k in keys}


def _seconds(calls: dict[str, Any]) -> str:
    rows = []
    for name, c in sorted(calls.items(), key=lambda item: -item[1]["seconds"] - item[1]["passed_on_seconds"]):
        counts = f"{c['taken']:,} taken, {c['passed_on']:,} passed on"
        whole = format_seconds(c["seconds"] + c["passed_on_seconds"])
        rows.append((name, [(c["seconds"], TAKEN), (c["passed_on_seconds"], PASSED_ON)], f"{whole}; {counts}"))
    return bars("Seconds in calls", rows) + legend([("taken", TAKEN), ("passed on", PASSED_ON)])


def _bounds(calls: dict[str, Any]) -> str:
    rows = []
    for name, c in calls.items():
        if c.get("bound_seconds") and c.get("bounded_seconds"):
            rows.append((f"{name}: lower bound", [(c["bound_seconds"], BOUND)], format_seconds(c["bound_seconds"])))
            share = f"{c['of_bound']:.2f}" if c["of_bound"] >= LEAST_SHARE else f"less than {LEAST_SHARE}"
            value = f"{format_seconds(c['bounded_seconds'])}, {share} of the bound"
            rows.append((f"{name}: measured", [(c["bounded_seconds"], TAKEN)], value))
    return bars("Calls taken, beside the least that the links allow", rows)


def _tables(calls: dict[str, Any]) -> list[str]:
    reasons = [
        [name, f"{count:,}", why]
        for name, c in calls.items()
        for why, count in sorted(c["reasons"].items(), key=lambda item: -item[1])
    ]
    how = [[name, f"{count:,}", what] for name, c in calls.items() for what, count in c["how"].items()]
    growth = [[name, f"{c['largest_growth']:.3g}"] for name, c in calls.items() if c.get("largest_growth")]
    return [
        table("Passed on, and why", ["call", "times", "why"], reasons, words=("why",)),
        table("Taken, by what", ["call", "times", "by"], how, words=("by",)),
        table("Largest growth of a factorization", ["routine", "max|U| / max|A|"], growth),
    ]


def _tried(tried: dict[str, Any]) -> str:
    rows = []
    for site, found in tried.items():
        times = sorted(found.get("seconds", {}).items(), key=lambda item: item[1])
        rows.append([site, found["best"], ", ".join(f"{name} {format_seconds(t)}" for name, t in times)])
    return table("Tried on both sides: the quickest, and seconds of a call", ["what", "best", "times"], rows,
                 words=("best", "times"))  # fmt: skip


def _rates(rates: dict[str, Any] | None) -> str:
    if not rates:
        return ""
    rows = [
        [f"axis {'xyzuvw'[a] if a < 6 else a}", format_rate(axis["bandwidth"]), format_seconds(axis["latency"])]
        for a, axis in enumerate(rates["axes"])
    ]
    return table(f"Rates by which calls are taken ({rates['source']})", ["", "bandwidth", "latency"], rows)


def _dearest(calls: dict[str, Any], machine: Machine) -> tuple[str, dict[str, Any], Simulation] | None:
    """The collective with the most time among those that can be simulated by their mean size, with its simulation."""
    known = {f"MPI_{name.capitalize()}": name for name in ("bcast", "reduce", "allreduce")}
    found = [(c["seconds"], name) for name, c in calls.items() if name in known and c["taken"] and c["bytes"]]
    if not found or machine.nodes < 2:
        return None
    name = max(found)[1]
    size = round(calls[name]["bytes"] / calls[name]["taken"])
    size -= size % 8 if name != "MPI_Bcast" else 0
    run = again(known[name], machine, size, 1 if name == "MPI_Bcast" else 8)
    return None if run is None else (name, calls[name], run)


def _add_dearest(page: Page, calls: dict[str, Any], machine: Machine, ranks: int) -> None:
    """Adds the simulation of that collective: its schedule on the machine, simulated and measured time."""
    found = _dearest(calls, machine) if ranks == machine.ranks else None
    if found is None:
        return
    name, c, run = found
    mean = c["seconds"] / c["taken"]
    told = f", {name} of {format_bytes(run.schedule.bytes)} simulated"
    rows = [("measured, mean of a call", [(mean, TAKEN)], format_seconds(mean))]
    rows.append(("simulated, of the mean size", [(run.seconds, KINDS[2])], format_seconds(run.seconds)))
    page.add(f"A call of {name}", bars("Seconds", rows))
    add_sections(page, run, told)


def _of_machine(data: dict[str, Any], calls: dict[str, Any]) -> list[Advice]:
    """Advice on the machine: whether it was named, and whether its rates were measured."""
    why = data.get("why_inactive") or ""
    if "ALLPORT_MACHINE is not set" in why:
        shape = "torus:4x4" if data["ranks"] == 16 else f"torus:{data['ranks']}"
        told = f"nothing was taken: {why}; collectives need to know which links there are"
        return [
            Advice("Name the machine", told, f"ALLPORT_MACHINE={shape}   # or allport machine discover -o mine.toml")
        ]
    name = data.get("machine") or "SPEC"
    command = f"allport machine calibrate -m {name} -o measured.toml   # then ALLPORT_MACHINE=measured.toml"
    if "share one computer" in why:
        told = f"nothing was taken: {why}"
        return [Advice("Measure the machine", told, command)]
    rates = data.get("rates") or {}
    source = rates.get("source", "given")
    modelled = sum(
        count for c in calls.values() for text, count in c["reasons"].items() if "expected to be faster" in text
    )
    if source != "given" and (modelled or any(c["taken"] for c in calls.values())):
        told = f"the rates of the links are {source}"
        if rates.get("seconds"):
            told += f", which took {format_seconds(rates['seconds'])} of every start"
        if modelled:
            told += f"; {modelled:,} calls were passed on because of them"
        return [Advice("Measure the machine once for all", told, command)]
    above = [(n, c["of_bound"]) for n, c in calls.items() if (c.get("of_bound") or 0) > 1.05]
    if above:
        most = max(above, key=lambda pair: pair[1])
        told = f"{most[0]} took {most[1]:.2f} of its lower bound: the links are faster than the machine file says"
        return [Advice("Measure the machine", told, command)]
    return []


def _of_calls(data: dict[str, Any], calls: dict[str, Any], where: Machine | None) -> list[Advice]:
    """Advice on calls that were passed on by price alone, and on calls far from their bound."""
    totals, found = _totals(calls), []
    spent = totals["seconds"] + totals["passed_on_seconds"]
    priced = {
        name: c
        for name, c in calls.items()
        if any("expected to be faster" in why for why in c["reasons"]) and c["passed_on_seconds"] > 0.1 * spent
    }
    if priced and data.get("active") and not data.get("tried"):
        names = ", ".join(priced)
        seconds = sum(c["passed_on_seconds"] for c in priced.values())
        why = (
            f"{names}: {format_seconds(seconds)} of {format_seconds(spent)} in calls passed on by price, "
            "and none was tried on both sides"
        )
        found.append(Advice("Try such calls on both sides", why, "ALLPORT_SELECT=on ALLPORT_SELECT_FILE=found.json"))
    far = [(n, c) for n, c in calls.items() if c.get("of_bound") and c["of_bound"] < 0.3 and c["taken"] >= 4]
    far = [(n, c) for n, c in far if c["bounded_seconds"] > 0.2 * spent and c["bytes"] / c["taken"] >= 65536]
    if far:
        name, c = max(far, key=lambda pair: pair[1]["bounded_seconds"])
        size = int(c["bytes"] / c["taken"])
        what = name.removeprefix("MPI_").lower()
        machine = data.get("machine") or "SPEC"
        why = f"{name} took {format_seconds(c['bounded_seconds'])}; {c['of_bound']:.2f} of that is what the links need "
        why += f"as they are described, {format_bytes(size)} a call in the mean"
        if where is not None and not advice.calibrated(where) and (data.get("rates") or {}).get("source") == "given":
            why += f"; the rates of {machine} are assumed, not measured"
            command = f"allport machine calibrate -m {machine} -o measured.toml   # then ALLPORT_MACHINE=measured.toml"
            found.append(Advice("Measure the machine", why, command))
        else:
            command = f"allport simulate {what} -m {machine} --size {size} --late --report {what}.html"
            found.append(Advice("See where its time goes", why, command))
    return found


def _of_scalapack(routines: dict[str, Any], ranks: int) -> list[Advice]:
    small = sum(n for c in routines.values() for why, n in c["reasons"].items() if "too small" in why)
    total = sum(c["passed_on"] + c["taken"] for c in routines.values())
    grown = [(n, c["largest_growth"]) for n, c in routines.items() if c.get("largest_growth", 0) > 1e4]
    found = []
    if small and small == total and ranks > 1:
        why = f"all {total:,} calls were too small to gain anything on {ranks} ranks"
        found.append(Advice("Larger matrices, or fewer ranks", why))
    if grown:
        name, most = max(grown, key=lambda pair: pair[1])
        why = f"{name}: max|U| / max|A| grew to {most:.3g}"
        found.append(Advice("ScaLAPACK's own pivots", why, "ALLPORT_PIVOT=partial"))
    return found


def _add_capture(page: Page, machine: Machine, captured: Pattern) -> None:
    """Adds link loads of the captured messages, in the current order of ranks, and the gain of another order."""
    if captured.ranks > machine.ranks:
        raise Error(
            f"capture: is of {captured.ranks} ranks; {machine.name} has {machine.ranks}; give its own --machine"
        )
    given = list(range(captured.ranks))
    loads = pattern.link_bytes(machine, captured, given)
    page.add("Links", *of_links(machine, [float(b) for b in loads], format_bytes, "bytes over each link"))
    chosen = mapping.choose(machine, captured)
    page.advice += of_order(chosen).advice
    page.add("Other orders of ranks", paragraph(chosen.reason))


def of_dropin(data: dict[str, Any], machine: Machine | None = None, captured: Pattern | None = None) -> Page:
    """The page of a drop-in's report. machine: default: the one that it names; captured: the pattern from
    ALLPORT_CAPTURE."""
    calls = data.get("collectives", {})
    routines = data.get("scalapack", {}).get("routines", {})
    ranks = data.get("ranks", data.get("scalapack", {}).get("ranks", 0))
    where = machine or known_machine(data.get("machine", ""))
    totals, inner = _totals(calls), _totals(routines)
    name = data.get("machine") or (where.name if where else "") or "no machine that was named"
    page = Page(f"What the drop-in did: {ranks} ranks, {name}")
    if "collectives" in data and not data.get("active", True):
        page.lead = f"No collective was taken: {data['why_inactive']}."
    page.facts = [
        ("collectives taken", f"{int(totals['taken']):,}" if calls else ""),
        ("passed on", f"{int(totals['passed_on']):,}" if calls else ""),
        ("seconds in those taken", format_seconds(totals["seconds"]) if calls else ""),
        ("in calls passed on", format_seconds(totals["passed_on_seconds"]) if calls else ""),
        (
            "of the lower bound",
            f"{totals['bound_seconds'] / totals['bounded_seconds']:.2f}" if totals["bounded_seconds"] else "",
        ),
        ("ScaLAPACK calls taken", f"{int(inner['taken']):,}" if routines else ""),
        ("ScaLAPACK calls passed on", f"{int(inner['passed_on']):,}" if routines else ""),
    ]
    if "collectives" in data:
        page.advice += _of_machine({**data, "ranks": ranks}, calls) + _of_calls(data, calls, where)
    page.advice += _of_scalapack(routines, ranks)
    page.add("Collectives", _seconds(calls) if calls else "", *_tables(calls))
    page.add("Predicted against measured", _bounds(calls), _tried(data.get("tried", {})))
    scalapack = data.get("scalapack", {})
    page.add(
        "ScaLAPACK",
        _seconds(routines) if routines else "",
        *_tables(routines),
        _bounds(routines),
        _tried(scalapack.get("tried", {})),
    )
    orders = data.get("orders", [])
    shown = [paragraph(line) for line in orders[:MOST_LINES]]
    page.add("Topologies with reorder", *shown)
    if where is not None:
        _add_dearest(page, calls, where, ranks)
    if captured is not None:
        if where is None:
            raise Error("capture: expected the machine beside it; the report names none that is known: --machine")
        _add_capture(page, where, captured)
    elif where is not None:
        page.add("The machine", *[part for section in of_machine(where).sections for part in section.parts])
    page.add("Rates", _rates(data.get("rates")))
    return page
