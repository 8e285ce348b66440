"""Deck 2: a single point-to-point message, alpha + n beta."""

from __future__ import annotations

from allport import model
from allport.figures.figure import Chart, Figure, Number, Result, Run, Series
from allport.figures.neighbour_sends import MACHINE, fit_line, measured, shape
from allport.figures.simulated import sizes


def _make(run: Run) -> Result:
    messages = sizes(8, 4 << 20, 16 if run.quick else 4)
    times = [measured(n, 1) for n in messages]
    terms = fit_line(messages, times)
    line = [model.simultaneous_sends(n, 1, terms) for n in messages]
    worst = max(abs(a / b - 1) for a, b in zip(line, times))
    machine = shape()
    alpha = 2 * machine.rates.overhead + machine.axes[0].latency
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
            )
        ],
        got=f"alpha = {1e6 * terms.alpha:.2f} us, 1/beta = {terms.link / 1e6:.0f} MB/s, off by at most "
        f"{100 * worst:.1f} %.",
        obtained=f"Simulation of one message between neighbours of {MACHINE}, and a least-squares fit of relative "
        "errors.",
        why=f"The fit gives back what the machine file says: 2o + L = {1e6 * alpha:.2f} us and the link's bandwidth. "
        "The deck's BG/L values are not in its text.",
        numbers=[
            Number(
                "point to point: alpha, 1/beta",
                "(no ordinates)",
                f"{1e6 * terms.alpha:.2f} us, {terms.link / 1e6:.0f} MB/s",
            )
        ],
        not_run=["not run here: the same on real links; `allport machine calibrate` fits alpha and beta there."],
    )


FIGURE = Figure(
    id="deck2-point-to-point",
    title="Single point-to-point communication",
    claim="A message of n bytes costs alpha + n beta.",
    how=("simulation", "model"),
    make=_make,
)
