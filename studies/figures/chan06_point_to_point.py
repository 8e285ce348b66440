"""Chan06: a single point-to-point message, alpha + n beta."""

from __future__ import annotations

from allport import model

from studies.figures.figure import Chart, Figure, Number, Result, Run, Series
from studies.figures.lab_runs import LabRun
from studies.figures.neighbour_runs import LONG, NAME, fit_real, measure, times_of
from studies.figures.neighbour_sends import MACHINE, fit_line, measured, shape
from studies.figures.simulated import sizes


def _lab(found: LabRun) -> tuple[Chart, str]:
    """One message over one real link, and the line that fits it."""
    times = times_of(found)
    messages = sorted(times)
    one = [times[n][0] for n in messages]
    terms = fit_real(times)
    line = [model.simultaneous_sends(n, 1, terms) for n in messages]
    worst = max(abs(a / b - 1) for n, a, b in zip(messages, line, one) if n >= LONG)
    text = (
        f" In the lab alpha = {1e6 * terms.alpha:.0f} us, 1/beta = {terms.link / 1e6:.2f} MB/s of the link's 5; from "
        f"{LONG >> 10} KiB on it is off by at most {100 * worst:.0f} %."
    )
    series = [
        Series("alpha + n beta, fitted to the lab", messages, [1e6 * t for t in line]),
        Series("lab", messages, [1e6 * t for t in one], "lab", pair=True),
    ]
    return Chart("message, bytes", "microseconds in the lab", series, log_y=True), text


def _make(run: Run) -> Result:
    messages = sizes(8, 4 << 20, 16 if run.quick else 4)
    times = [measured(n, 1) for n in messages]
    terms = fit_line(messages, times)
    line = [model.simultaneous_sends(n, 1, terms) for n in messages]
    worst = max(abs(a / b - 1) for a, b in zip(line, times))
    machine = shape()
    alpha = 2 * machine.rates.overhead + machine.axes[0].latency
    real = [_lab(run.lab)] if run.lab else []
    return Result(
        panels=[
            Chart(
                "message, bytes",
                "microseconds",
                [
                    Series("alpha + n beta, fitted", messages, [1e6 * t for t in line]),
                    Series("simulated", messages, [1e6 * t for t in times], "simulation", pair=True),
                ],
                log_y=True,
            ),
            *(chart for chart, _ in real),
        ],
        got=f"alpha = {1e6 * terms.alpha:.2f} us, 1/beta = {terms.link / 1e6:.0f} MB/s, off by at most "
        f"{100 * worst:.1f} %." + "".join(text for _, text in real),
        obtained=f"Simulation of one message between neighbours of {MACHINE}, and a least-squares fit of relative "
        "errors." + (f" {run.lab.said}" if run.lab else ""),
        why=f"The fit gives back what the machine file says: 2o + L = {1e6 * alpha:.2f} us and the link's bandwidth. "
        "Chan06's BG/L values are not in its text. The lab's alpha is TCP's and a rank's waking up, among "
        "27 ranks that share the cores, so it scatters.",
        numbers=[
            Number(
                "point to point: alpha, 1/beta",
                "a line (no ordinates)",
                f"{1e6 * terms.alpha:.2f} us, {terms.link / 1e6:.0f} MB/s, off by at most {100 * worst:.1f} %",
                how="simulated",
                holds="put in",
                why="The simulator charges such a line; preset bgp stands for BG/L.",
            )
        ],
        not_run=[] if run.lab else ["not run here: the same on real links; as root, python studies --run."],
    )


FIGURE = Figure(
    id="chan06-point-to-point",
    title="Single point-to-point communication",
    claim="A message of n bytes costs alpha + n beta.",
    how=("simulation", "model", "lab"),
    make=_make,
    run_name=NAME,
    measure=measure,
    pages=(52,),
    ours=("bgp.overhead", "bgp.axes"),
)
