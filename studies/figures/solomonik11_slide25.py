"""Solomonik11, slide 25: broadcasts on the exascale machine, 262,144 nodes, rectangular in 1 to 6 axes and binomial."""

from __future__ import annotations

from allport import model
from allport.machine import Machine

from studies.figures.figure import Chart, Figure, Number, Result, Run, Series

SIZES = [125_000 << i for i in range(22)]  # 0.125 MB to 262,144 MB


def _make(run: Run) -> Result:
    exa = Machine.parse("exascale")
    axis, rates = exa.axes[0], exa.rates
    x = [s / 1e6 for s in SIZES]
    series = []
    bandwidth: dict[str, dict[float, float]] = {}

    def add(label: str, seconds: list[float]) -> None:
        y = [s / t / 1e9 for s, t in zip(SIZES, seconds)]
        bandwidth[label] = dict(zip(x, y))
        series.append(Series(label, x, y))

    for d in range(6, 0, -1):
        terms = model.cubic_terms(exa.nodes, d, axis.bandwidth, rates.overhead, axis.latency)
        add(f"rect {d}D", [model.t_mcast(s, terms) for s in SIZES])
    all_links = model.link_sum(exa)
    add("bnm 3D", [model.t_bnm(s, exa.nodes, all_links, rates.overhead, axis.latency) for s in SIZES])
    three, six, one = bandwidth["rect 3D"], bandwidth["rect 6D"], bandwidth["rect 1D"]
    tops = [bandwidth[f"rect {d}D"][x[-1]] for d in range(6, 0, -1)]
    return Result(
        panels=[Chart("message, MB", "GB/s", series, low=0)],
        got=f"At the longest message 6D to 1D reach {', '.join(f'{top:.0f}' for top in tops)} GB/s, binomial "
        f"{bandwidth['bnm 3D'][x[-1]]:.1f}. 3D: {three[0.125]:.2f} at 0.125 MB, {three[8.0]:.0f} at 8 MB, "
        f"{three[64.0]:.0f} at 64 MB; 6D: {six[8.0]:.1f} at 8 MB; 1D: {one[512.0]:.1f} at 512 MB.",
        obtained="Model: t_mcast with path d P^(1/d) (2o + L) and B_n = 2d * link, t_bnm with the links of a 3D "
        "node, on preset exascale (16.7 GB/s a link, o = L = 250 ns; all three derived or typical, in no source's "
        "text).",
        why="Solomonik11's constants are not in its text. That the axis ends at 200 GB/s with the 6D curve on top fits "
        "12 links of 16.7 GB/s; the alternative, 200 GB/s for every d, would let all curves end together.",
        numbers=[
            Number(
                "exascale broadcast, asymptotes of 6D ... 1D, GB/s",
                "axis ends at 200",
                " ".join(f"{top:.0f}" for top in tops),
            ),
        ],
    )


FIGURE = Figure(
    id="solomonik11-slide25",
    title="Exascale broadcast, p = 262,144",
    claim="More dimensions mean more links and shorter paths: 6D on top near 200 GB/s, binomial at the bottom.",
    how=("model",),
    make=_make,
)
