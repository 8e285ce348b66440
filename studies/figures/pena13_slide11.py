"""Pena13, slide 11: point to point between two routers, one process each, one way and both."""

from __future__ import annotations

from allport.run import links

from studies.figures.figure import Chart, Figure, Number, Result, Run, Series, Table
from studies.figures.lab_runs import LabRun
from studies.figures.link_runs import NAME, figures_of, measure, rate_of
from studies.figures.routers import EVERY, SHARES, SLOW, box, pair

GB = 1e9
#: What MPI got on Titan, one way, by axis (Bland et al. 2012, as public simulator settings quote it; Z's as 60.9).
TITAN = {"X": 5.87, "Y": 3.47, "Z": 6.09}
#: By axis and where the first of two neighbours is on it. Y's links are a mezzanine and a cable in turn.
PAIRS = {"X": (0, 0), "X, crossing": (0, EVERY - 1), "Y": (1, 1), "Y, of a blade": (1, 0), "Z": (2, 0)}


def _lab(found: LabRun) -> tuple[Table, str]:
    """The same patterns on a lab whose axes were given different rates."""
    rows: list[list[object]] = []
    words = []
    for letter, given in found.data["set"].items():
        got = [f for f in figures_of(found) if f.of == letter and f.unit == "B/s"]
        told = given * rate_of(found)
        rows += [[f.what, 8e-6 * f.value, 8e-6 * f.low, 8e-6 * f.high, told] for f in got]
        one = [8e-6 * f.value for f in got if f.directions != "+-"]
        both = [8e-6 * f.value for f in got if f.directions == "+-"]
        off = max(abs(rate / told - 1) for rate in one)
        words.append(
            f"{letter} at {given:g} Mbit/s is measured within {100 * off:.1f} % one way, and both ways each direction "
            f"gets {min(both) / told:.2f} to {max(both) / told:.2f} of that"
        )
    table = Table(["lab", "Mbit/s", "from", "to", "set, less headers"], rows, "the same messages in the lab")
    return table, f" In the lab {'; '.join(words)}."


def _make(run: Run) -> Result:
    machine = box()
    wanted = [pair(machine, *at, name, directions=d) for name, at in PAIRS.items() for d in ("+", "+-")]
    wanted += [c for c in links.cases(machine) if c.of in ("x", "y", "z") and c.group == "start"]
    found = links.simulated(machine, quick=run.quick, among=wanted, progress=lambda _, part: run.step(part))
    rates = {(f.of, f.directions): f for f in found if f.group == "one pair"}
    one, both = ({name: rates[name, d].value / GB for name in PAIRS} for d in ("+", "+-"))
    starts = {(f.of, int(f.what.split()[3])): f.value for f in found if f.group == "start"}
    hop = {a: starts[a, 2] - starts[a, 1] for a in "xyz" if (a, 2) in starts}
    charts = []
    for title, directions, factor in (("one way", "+", 1), ("both ways, together", "+-", 2)):
        series = [
            Series(name, [p.bytes for p in rates[name, directions].points],
                   [factor * p.bytes / p.seconds / GB for p in rates[name, directions].points], "simulation")
            for name in PAIRS
        ]  # fmt: skip
        charts.append(Chart("message, bytes", "GB/s", series, title=title))
    beside = Table(
        ["link", "GB/s, one way", "both ways", "MPI on Titan (Bland et al. 2012)"],
        [[name, one[name], 2 * both[name], TITAN.get(name, "-")] for name in PAIRS],
        "one process each",
    )
    hops = Table(
        ["axis", "hops", "microseconds of 8 bytes"], [[a.upper(), h, 1e6 * t] for (a, h), t in starts.items()], "starts"
    )
    real = [_lab(run.lab)] if run.lab else []
    injection = machine.levels[0].injection / GB
    return Result(
        panels=[*charts, beside, hops, *(table for table, _ in real)],
        got=f"One way X {one['X']:.1f}, Y {one['Y']:.1f} over a cable and {one['Y, of a blade']:.1f} within a blade, Z "
        f"{one['Z']:.1f} GB/s: Y's cables have {one['Y'] / one['X']:.2f} of X, Z {one['Z'] / one['Y']:.1f} times Y. "
        f"Over an X link that leaves its cabinet {one['X, crossing']:.1f}. Both ways together "
        f"{', '.join(f'{2 * both[a]:.1f}' for a in 'XYZ')}. A hop takes {1e6 * max(hop.values()):.2f} us."
        + "".join(text for _, text in real),
        obtained="Simulation of the messages that `allport machine calibrate` measures (ap.run.links), on "
        f"{machine.extents} routers of figures/machines/blue-waters.toml, one rank a router; rates are slopes between "
        "the two longest sizes." + (f" {run.lab.said}" if run.lab else ""),
        why="The machine file follows from Gemini's ports and lanes, and the figures give it back: Y has half of X's "
        f"ports, and a Z backplane has more ({machine.axes[2].bandwidth / GB:.1f} GB/s) than one host sends "
        f"({injection:.1f}), so that one process sees little of it; MPI on Titan saw as little. Titan's Y lies between "
        f"a cable and a mezzanine. The {SLOW:g} of every fifth X link is ours, between {SHARES[0]:g} and "
        f"{SHARES[-1]:g}: no source has it. Pena13's curves have no ordinates in its text.",
        numbers=[
            Number("Y beside X, one process", "significantly lower: half of the links",
                   f"{one['Y'] / one['X']:.2f} over a cable, {one['Y, of a blade'] / one['X']:.2f} within a blade"),
            Number("Z beside Y", "much higher",
                   f"{one['Z'] / one['Y']:.1f} times over a cable, {one['Z'] / one['Y, of a blade']:.1f} in a blade"),
            Number("latency of a hop", "about 0.1 us", f"{1e6 * max(hop.values()):.2f} us"),
        ],
        not_run=[] if run.lab else ["not run here: the same in a lab; as root, python studies pena13-slide11 --run."],
    )  # fmt: skip


FIGURE = Figure(
    id="pena13-slide11",
    title="Point to point on Gemini, a single process at either end",
    claim="Communication along Y is significantly slower (half of the links), Z links have a much higher rate than "
    "Y's, X and Z behave differently; about 0.1 us a hop.",
    how=("simulation", "lab"),
    make=_make,
    run_name=NAME,
    measure=measure,
)
