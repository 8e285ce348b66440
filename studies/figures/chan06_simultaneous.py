"""Chan06: sending simultaneously to 1 to 6 neighbours, 8 bytes to 4 MB."""

from __future__ import annotations

from studies.figures.figure import FAR, Chart, Figure, Number, Result, Run, Series, agrees
from studies.figures.lab_runs import LabRun
from studies.figures.neighbour_runs import NAME, curves, measure, times_of
from studies.figures.neighbour_sends import MACHINE, fit_line, fit_tau, measured
from studies.figures.simulated import sizes

SENDS = 6  # Chan06, slide 19


def _lab(found: LabRun) -> tuple[Chart, str, list[float]]:
    """The same on real links: the panel, what it says, and six sends over one, of the shortest and longest messages."""
    times = times_of(found)
    short, long = min(times), max(times)
    serial = Series("6 one after the other, lab", sorted(times), [6e6 * times[n][0] for n in sorted(times)], "limit")
    chart = Chart(
        "message, bytes", "microseconds in the lab", [*curves(times, range(1, SENDS + 1)), serial], log_y=True
    )
    text = (
        f" In the lab six of {short} bytes take {times[short][5] / times[short][0]:.2f} times one, of {long >> 10} KiB "
        f"{times[long][5] / times[long][0]:.2f} times."
    )
    return chart, text, [times[n][5] / times[n][0] for n in (short, long)]


def _make(run: Run) -> Result:
    messages = sizes(8, 4 << 20, 16 if run.quick else 4)
    times: dict[int, list[float]] = {}
    for i, n in enumerate(messages):
        run.step(i / len(messages))
        times[n] = [measured(n, m) for m in range(1, SENDS + 1)]
    terms = fit_line(messages, [times[n][0] for n in messages])
    short, long = messages[0], messages[-1]
    tau = {n: fit_tau({n: times[n]}, terms) for n in (short, long)}
    series = [
        Series(
            f"{m} neighbour{'s' if m > 1 else ''}", messages, [1e6 * times[n][m - 1] for n in messages], "simulation"
        )
        for m in range(1, SENDS + 1)
    ]
    serial = Series("6 one after the other", messages, [6e6 * times[n][0] for n in messages], "limit")
    real = [_lab(run.lab)] if run.lab else []
    ratios = [times[n][SENDS - 1] / times[n][0] for n in (short, long)]
    return Result(
        panels=[
            Chart("message, bytes", "microseconds", [*series, serial], log_y=True),
            *(chart for chart, _, _ in real),
        ],
        got=f"Six sends of {short} bytes take {ratios[0]:.2f} times one, of {long >> 20} MB "
        f"{ratios[1]:.3f} times: tau = {tau[short]:.2f} for short messages, {tau[long]:.4f} "
        "for long ones." + "".join(text for _, text, _ in real),
        obtained=f"Simulation on {MACHINE}: messages from one node to its neighbours, each over a link of its own, o "
        "spent by one processor, message after message. tau fitted to (alpha + n beta)(1 + (m - 1) tau)."
        + (f" {run.lab.said}" if run.lab else ""),
        why="Chan06 shows curves of BG/L without ordinates. Ours are of preset bgp (no source gives BG/L's "
        "constants): there links are independent, so tau of long messages is 0, and short ones pay o per send. A "
        "machine file's tau would scale both; `allport machine calibrate` fits it on a real machine.",
        numbers=[
            Number(
                "six simultaneous sends, times one",
                f"far below {SENDS}",
                f"{ratios[0]:.2f} ({short} B), {ratios[1]:.3f} ({long >> 20} MB)"
                + "".join(f"; lab {a:.2f} ({short} B), {b:.2f} (longest)" for _, _, (a, b) in real),
                how="simulated, run" if real else "simulated",
                holds=agrees(*(r <= FAR * SENDS for r in [*ratios, *(r for _, _, lab in real for r in lab)])),
                why="Short TCP messages of the lab cost their sender's core each; long ones overlap.",
            )
        ],
        not_run=[] if run.lab else ["not run here: the same on real links; as root, python studies --run."],
    )


FIGURE = Figure(
    id="chan06-simultaneous",
    title="Sending simultaneously to 1 to 6 neighbours",
    claim="Several sends at once cost far less than one after the other (BG/L midplane, 8 bytes to 4 MB).",
    how=("simulation", "lab"),
    make=_make,
    run_name=NAME,
    measure=measure,
    pages=(20, 21),
    ours=("bgp.overhead", "bgp.axes"),
)
