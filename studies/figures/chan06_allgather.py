"""Chan06: allgathers compared."""

from __future__ import annotations

from allport import model
from allport.model import MultilinkTerms

from studies.figures.figure import Chart, Figure, Number, Result, Run, Series, agrees
from studies.figures.old_and_new import PLOTS, against, compare

CURVES = (("new bucket, axis by axis", "bucket", False), ("rotated buckets, all axes", "rotated", True))

# 216 nodes: rotated buckets are P^2 streams, which for 512 nodes take the simulator a minute.
FULL = "bgp:6x6x6"


def _make(run: Run) -> Result:
    chart, found, messages, machine = compare("allgather", CURVES, run, per_rank=True, full=FULL)
    axis, rates = machine.axes[0], machine.rates
    terms = MultilinkTerms(2 * rates.overhead + axis.latency, axis.bandwidth)
    lengths = [a.length for a in machine.axes]
    closed = {
        "old bucket, one ring, model": [model.t_ring_allgather(n, machine.nodes, terms) for n in messages],
        "new bucket, Chan06's model": [model.t_bucket_allgather(n, lengths, terms) for n in messages],
    }
    found |= {name.removesuffix(", model"): v for name, v in closed.items()}
    series = [*chart.series, *(Series(k, messages, [1e6 * t for t in v]) for k, v in closed.items())]
    said = against(found, messages)
    gain = [a / b for a, b in zip(found["old bucket, one ring"], found["new bucket, axis by axis"])]
    return Result(
        panels=[Chart(chart.x, chart.y, series, log_y=True)],
        got=f"{said('new bucket, axis by axis', 'old bucket, one ring')}; "
        f"{said('rotated buckets, all axes', 'new bucket, axis by axis')}.",
        obtained=f"Simulation of algorithms bucket and rotated on {machine.name} {machine.extents}; the old ring, "
        "Chan06's new bucket and MPI's textbook by model.",
        why="Our bucket sends both ways along each axis, so it beats Chan06's model of one direction for long "
        "vectors; axes one after the other move (p-1)/p of the vector where Chan06 takes all axes but one for "
        "free. Rotating the order of axes over slices uses all 2N links and is not in Chan06.",
        numbers=[
            Number(
                "allgather, old ring (model) / new bucket",
                "new faster for small and middle n",
                f"{gain[0]:.1f}x at {messages[0]:,} B, {gain[-1]:.1f}x at 4 MB",
                how="simulated, model",
                holds=agrees(*(g > 1 for g in gain[: len(gain) // 2 + 1])),
                why="Preset bgp stands for BG/L; the old ring is a model, the new bucket simulated.",
            )
        ],
    )


FIGURE = Figure(
    id="chan06-allgather",
    title="Allgather: old and new bucket algorithms",
    claim="Collecting in all axes takes d - N instead of p - 1 steps: faster for small and middle sizes.",
    how=("simulation", "model"),
    make=_make,
    pages=PLOTS,
    ours=("bgp.overhead", "bgp.axes"),
)
