"""Solomonik11, slide 25: broadcasts on the exascale machine, 262,144 nodes, rectangular in 1 to 6 axes and binomial."""

from __future__ import annotations

from functools import partial

from allport import model
from allport.machine import Machine

from studies.figures.figure import Chart, Figure, Number, Result, Run, Series
from studies.figures.varied import band, corners, said

SIZES = [125_000 << i for i in range(22)]  # 0.125 MB to 262,144 MB (Solomonik11, slide 25)
AXIS = 200  # GB/s, the end of the axis (Solomonik11, slide 25)


def _make(run: Run) -> Result:
    exa = Machine.parse("exascale")
    axis, rates = exa.axes[0], exa.rates
    x = [s / 1e6 for s in SIZES]
    series = []
    bandwidth: dict[str, dict[float, float]] = {}

    def rect(machine: Machine, d: int) -> list[float]:
        link, o = machine.axes[0], machine.rates.overhead
        terms = model.cubic_terms(machine.nodes, d, link.bandwidth, o, link.latency)
        return [s / model.t_mcast(s, terms) / 1e9 for s in SIZES]

    def add(label: str, y: list[float], ends: tuple[list[float], list[float]] | None = None) -> None:
        bandwidth[label] = dict(zip(x, y))
        series.append(Series(label, x, y, band=ends))

    for d in range(6, 0, -1):
        add(
            f"rect {d}D", rect(exa, d), band(exa, partial(rect, d=d)) if d in (6, 3) else None
        )  # more would hide each other
    all_links = model.link_sum(exa)
    tree = [model.t_bnm(s, exa.nodes, all_links, rates.overhead, axis.latency) for s in SIZES]
    add("bnm 3D", [s / t / 1e9 for s, t in zip(SIZES, tree)])
    three, six, one = bandwidth["rect 3D"], bandwidth["rect 6D"], bandwidth["rect 1D"]
    tops = [bandwidth[f"rect {d}D"][x[-1]] for d in range(6, 0, -1)]
    least, most = (rect(corner, 6)[-1] for corner in corners(exa))
    fitting = AXIS / 12  # GB/s a link
    return Result(
        panels=[Chart("message, MB", "GB/s", series, low=0)],
        got=f"At the longest message 6D to 1D reach {', '.join(f'{top:.0f}' for top in tops)} GB/s, binomial "
        f"{bandwidth['bnm 3D'][x[-1]]:.1f}. 3D: {three[0.125]:.2f} at 0.125 MB, {three[8.0]:.0f} at 8 MB, "
        f"{three[64.0]:.0f} at 64 MB; 6D: {six[8.0]:.1f} at 8 MB; 1D: {one[512.0]:.1f} at 512 MB. Within the band 6D "
        f"ends at {least:.0f} to {most:.0f} GB/s: at what the links are set to.",
        obtained="Model: t_mcast with path d P^(1/d) (2o + L) and B_n = 2d * link, t_bnm with the links of a 3D "
        f"node, on preset exascale ({axis.bandwidth / 1e9:.1f} GB/s a link, o = {1e9 * rates.overhead:.0f} ns, L = "
        f"{1e9 * axis.latency:.0f} ns; all three derived or typical, in no source's text). {said(exa)}",
        why=f"Solomonik11's constants are not in its text. That the axis ends at {AXIS} GB/s with the 6D curve on top "
        f"fits 12 links of {fitting:.1f} GB/s; the alternative, {AXIS} GB/s for every d, would let all curves end "
        "together.",
        numbers=[
            Number(
                "exascale broadcast, asymptotes of 6D ... 1D, GB/s",
                f"axis ends at {AXIS}",
                " ".join(f"{top:.0f}" for top in tops) + f"; 6D within the band {least:.0f} to {most:.0f}",
                how="model",
                holds="put in",
                why="Our link rate is derived from the end of this axis.",
            ),
        ],
    )


FIGURE = Figure(
    id="solomonik11-slide25",
    title="Exascale broadcast, p = 262,144",
    claim=f"More dimensions mean more links and shorter paths: 6D on top near {AXIS} GB/s, binomial at the bottom.",
    how=("model",),
    make=_make,
    ours=("exascale.overhead", "exascale.axes"),
    varied=("exascale.overhead", "exascale.axes"),
)
