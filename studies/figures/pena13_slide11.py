"""Pena13, slide 11: point to point between two routers, one process each, one way and both."""

from __future__ import annotations

from allport.machine import Machine
from allport.run import links

from studies.figures.figure import Chart, Figure, Number, Result, Run, Series, Table
from studies.figures.lab_runs import LabRun
from studies.figures.link_runs import NAME, figures_of, measure, rate_of
from studies.figures.routers import EVERY, SLOW, box

GB = 1e9


def _crossing(machine: Machine) -> links.Case:
    """Over the X link that leaves the cabinet."""
    a, b = (machine.node((x, 0, 0)) * machine.ranks_per_node for x in (EVERY - 1, EVERY))
    return links.Case("rate x+ over a slow link", "one pair", "x, crossing", "+", ((a, b),), machine.ranks)


def _lab(found: LabRun) -> tuple[Table, str]:
    """The same patterns on a lab whose axes were given different rates."""
    rows: list[list[object]] = []
    words = []
    for letter, given in found.data["set"].items():
        got = [f for f in figures_of(found) if f.of == letter and f.unit == "B/s"]
        told = given * rate_of(found)
        rows += [[f.what, 8e-6 * f.value, 8e-6 * f.low, 8e-6 * f.high, told] for f in got]
        one = [8e-6 * f.value for f in got if f.ways != "+-"]
        both = [8e-6 * f.value for f in got if f.ways == "+-"]
        off = max(abs(rate / told - 1) for rate in one)
        words.append(
            f"{letter} at {given:g} Mbit/s is measured within {100 * off:.1f} % one way, and both ways each direction "
            f"gets {min(both) / told:.2f} to {max(both) / told:.2f} of that"
        )
    table = Table(["lab", "Mbit/s", "from", "to", "set, less headers"], rows, "the same messages in the lab")
    return table, f" In the lab {'; '.join(words)}."


def _make(run: Run) -> Result:
    machine = box()
    wanted = [
        c for c in links.cases(machine)
        if c.of in ("x", "y", "z") and c.ranks_each == 1 and c.group in ("one pair", "start") and c.ways != "-"
    ]  # fmt: skip
    found = links.simulated(
        machine, quick=run.quick, among=[*wanted, _crossing(machine)], progress=lambda _, part: run.step(part)
    )
    rates = {(f.of, f.ways): f for f in found if f.group == "one pair"}
    one, both = ({a: rates[a, ways].value for a in "xyz"} for ways in ("+", "+-"))
    starts = {(f.of, int(f.what.split()[3])): f.value for f in found if f.group == "start"}
    hop = {a: starts[a, 2] - starts[a, 1] for a in "xyz" if (a, 2) in starts}
    charts = []
    for title, ways, factor in (("one way", "+", 1), ("both ways, together", "+-", 2)):
        series = [
            Series(a.upper(), [p.bytes for p in rates[a, ways].points],
                   [factor * p.bytes / p.seconds / GB for p in rates[a, ways].points], "simulation")
            for a in "xyz"
        ]  # fmt: skip
        charts.append(Chart("message, bytes", "GB/s", series, title=title))
    hops = Table(
        ["axis", "hops", "microseconds of 8 bytes"], [[a.upper(), h, 1e6 * t] for (a, h), t in starts.items()], "starts"
    )
    slow = rates["x, crossing", "+"].value
    real = [_lab(run.lab)] if run.lab else []
    return Result(
        panels=[*charts, hops, *(table for table, _ in real)],
        got=f"One way X {one['x'] / GB:.1f}, Y {one['y'] / GB:.1f}, Z {one['z'] / GB:.1f} GB/s: Y has "
        f"{one['y'] / one['x']:.2f} of X, Z {one['z'] / one['x']:.1f} times X; over an X link that leaves its cabinet "
        f"{slow / GB:.1f}. Both ways together {', '.join(f'{2 * both[a] / GB:.1f}' for a in 'xyz')}. A hop takes "
        f"{1e6 * max(hop.values()):.2f} us." + "".join(text for _, text in real),
        obtained="Simulation of the messages that `allport machine calibrate` measures (ap.run.links.cases), on "
        f"{machine.extents} routers of figures/machines/blue-waters.toml, one rank a router; rates are slopes between "
        "the two longest sizes." + (f" {run.lab.said}" if run.lab else ""),
        why="The machine file says what Pena13 says, and the links' figures give it back: Y's half of the links, a "
        f"faster Z, {SLOW:g} of the rate on every fifth X link (how slow is in no source). Pena13's curves have no "
        "ordinates in its text.",
        numbers=[
            Number("Y beside X, one process", "significantly lower: half of the links", f"{one['y'] / one['x']:.2f}"),
            Number("Z beside X", "much higher", f"{one['z'] / one['x']:.1f} times"),
            Number("latency of a hop", "about 0.1 us", f"{1e6 * max(hop.values()):.2f} us"),
        ],
        not_run=[] if run.lab else ["not run here: the same in a lab; as root, python studies pena13-slide11 --run."],
    )


FIGURE = Figure(
    id="pena13-slide11",
    title="Point to point on Gemini, a single process at either end",
    claim="Communication along Y is significantly slower (half of the links), Z is much faster; about 0.1 us a hop.",
    how=("simulation", "lab"),
    make=_make,
    run_name=NAME,
    measure=measure,
)
