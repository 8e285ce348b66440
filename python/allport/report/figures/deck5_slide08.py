"""Deck 5 slides 7 and 8: Cholesky as a task graph, flop/s of a processor while the problem grows with their number."""

from __future__ import annotations

import math

from allport import graph
from allport.report.figures.figure import Chart, Figure, Number, Result, Run, Series
from allport.report.figures.grig import DGEMM, PEAK, grig

GIGA = 1e9
TILE = 200
EACH = 3000  # rows and columns on one processor; n = EACH sqrt(P)
WAYS = (("along the axes", "axes"), ("by prefix, as the deck's", "prefix"), ("flat", "flat"))


def _make(run: Run) -> Result:
    processors = [1, 2, 4, 8, 16] if run.quick else [1, 2, 4, 8, 16, 32, 64, 128]
    found: dict[str, list[float]] = {label: [] for label, _ in WAYS}
    for i, count in enumerate(processors):
        run.step(i / len(processors))
        machine = grig(count)
        n = round(EACH * math.sqrt(count) / TILE) * TILE
        rows = 2 ** (int(math.log2(count)) // 2)
        made = graph.cholesky_graph(n, TILE, (rows, count // rows))
        for label, way in WAYS:
            seconds = graph.simulate(made, machine, carrier=way).seconds
            found[label].append(n**3 / 3 / seconds / count / GIGA)
    ends = {label: values[-1] for label, values in found.items()}
    best = max(ends, key=lambda label: ends[label])
    series = [Series(f"tile Cholesky, {label}", processors, v, "simulation") for label, v in found.items()]
    series.append(Series("dgemm (87 % of the peak)", processors, [DGEMM / GIGA] * len(processors), "limit"))
    series.append(Series("peak", processors, [PEAK / GIGA] * len(processors), "limit"))
    return Result(
        panels=[Chart("processors", "Gflop/s of a processor", series, low=0)],
        got=f"{found[best][0]:.2f} Gflop/s on one processor, {ends[best]:.2f} on each of {processors[-1]} ({best}); "
        + ", ".join(f"{value:.2f} {label}" for label, value in ends.items() if label != best)
        + ".",
        obtained=f"Simulation of cholesky_graph with n = {EACH} sqrt(P) in tiles of {TILE}, on P processors of Grig "
        "(64 nodes with two each; slide 15): every kernel at dgemm's rate, 248 MB/s out of a node, a switch that is "
        "never the narrow place.",
        why="The deck does not say how n grows, and its curves' values are not in the text. Ours is a simulation: "
        "kernels slower than dgemm and pdpotrf are not in it. bench_cholesky runs ours beside pdpotrf on real "
        "processors.",
        numbers=[
            Number(
                f"Gflop/s of a processor on {processors[-1]} of Grig, of dgemm's {DGEMM / GIGA}",
                "between pdpotrf and dgemm",
                f"{ends[best]:.2f} ({100 * ends[best] * GIGA / DGEMM:.0f} %)",
            )
        ],
    )


FIGURE = Figure(
    id="deck5-slide8",
    title="Weak scaling of Cholesky as a task graph",
    claim="Cholesky by dynamic scheduling of its graph stays near dgemm's rate on up to 128 processors, above pdpotrf.",
    how=("simulation",),
    make=_make,
    also=("deck5-slide7",),
)
