"""Chan06: simultaneous sends with the model (alpha + n beta)(1 + (m - 1) tau) laid over them."""

from __future__ import annotations

from allport import model
from allport.model import MultilinkTerms

from studies.figures.figure import CLOSE, Chart, Figure, Number, Result, Run, Series, agrees
from studies.figures.neighbour_sends import MACHINE, fit_line, fit_tau, measured
from studies.figures.simulated import sizes

SHOWN = (1, 3, 6)  # sends at once, of the six of Chan06, slide 19


def _make(run: Run) -> Result:
    messages = sizes(8, 4 << 20, 16 if run.quick else 4)
    times = {}
    for i, n in enumerate(messages):
        run.step(i / len(messages))
        times[n] = [measured(n, m) for m in range(1, 7)]
    terms = fit_line(messages, [times[n][0] for n in messages])
    # Two regimes: start-up is more than half of one send's time, or less.
    half = terms.alpha * terms.link
    regimes = {
        "short": {n: t for n, t in times.items() if n < half},
        "long": {n: t for n, t in times.items() if n >= half},
    }
    tau = {name: fit_tau(part, terms) for name, part in regimes.items()}
    series, worst = [], 0.0
    for m in SHOWN:
        curve = []
        for n in messages:
            with_tau = MultilinkTerms(terms.alpha, terms.link, tau["short" if n < half else "long"])
            curve.append(model.simultaneous_sends(n, m, with_tau))
            worst = max(worst, abs(curve[-1] / times[n][m - 1] - 1))
        series.append(Series(f"{m}, model", messages, [1e6 * t for t in curve]))
        series.append(
            Series(f"{m}, simulated", messages, [1e6 * times[n][m - 1] for n in messages], "simulation", pair=True)
        )
    return Result(
        panels=[Chart("message, bytes", "microseconds", series, log_y=True)],
        got=f"alpha = {1e6 * terms.alpha:.2f} us, 1/beta = {terms.link / 1e6:.0f} MB/s, tau = {tau['short']:.2f} "
        f"below {half:.0f} bytes and {tau['long']:.4f} from there; the model is off by at most {100 * worst:.0f} %.",
        obtained=f"Model simultaneous_sends over the simulated sends of {MACHINE}; alpha and beta from one send, tau "
        "from six.",
        why="One tau for all sizes does not fit, because o is paid per message and not per byte: Chan06's model "
        "is right within a regime. The largest error is between the regimes.",
        numbers=[
            Number(
                "fit of (alpha + n beta)(1 + (m-1) tau)",
                "model checking verifies the claim",
                f"within {100 * worst:.0f} %, one tau a regime",
                how="model, simulated",
                holds=agrees(worst <= CLOSE, all(0 <= t <= 1 for t in tau.values())),
                why="One tau cannot hold for all sizes: o is paid per message, not per byte.",
            )
        ],
    )


FIGURE = Figure(
    id="chan06-simultaneous-model",
    title="Simultaneous sends with the model over them",
    claim="(alpha + n beta)(1 + (m - 1) tau) with 0 <= tau <= 1 describes simultaneous sends.",
    how=("model", "simulation"),
    make=_make,
    pages=(23, 24),
    ours=("bgp.overhead", "bgp.axes"),
)
