"""Solomonik11, slide 32: peak bandwidth of reductions on 8, 64 and 512 nodes."""

from __future__ import annotations

from allport import model
from allport.machine import Machine

from studies.figures.figure import FAR, Chart, Figure, Number, Result, Run, Series, agrees
from studies.figures.simulated import seconds
from studies.figures.varied import varied

TOP = 400.0  # MB/s, the end of the axis (Solomonik11, slide 32)
SHAPES = ("2x2x2", "4x4x4", "8x8x8")
MB = 1e6
VARIANTS = (("rectangular", "rectangular trees"), ("ring", "ring"), ("binomial", "binomial"))


def _make(run: Run) -> Result:
    message = (1 << 20) if run.quick else (8 << 20)
    shapes = SHAPES[:2] if run.quick else SHAPES
    machines = [Machine.parse(f"bgp:{shape}") for shape in shapes]
    nodes = [m.nodes for m in machines]
    reached: dict[str, list[float]] = {}
    for k, (algorithm, label) in enumerate(VARIANTS):
        run.step(k / 5)
        reached[f"reduce, {label}"] = [
            message / seconds("reduce", algorithm, m, message, element=8, most=256) / MB for m in machines
        ]
    reached["multicast, rectangular trees"] = [
        message / seconds("bcast", "rectangular", m, message) / MB for m in machines
    ]
    closed = [
        message / model.t_red(message, model.multicast_terms(m), m.rates.adds, m.rates.memory_bandwidth) / MB
        for m in machines
    ]
    peak = Chart(
        "nodes",
        "MB/s",
        [
            *(Series(name, nodes, v, "simulation") for name, v in reached.items()),
            Series("t_red, model", nodes, closed),
            Series("top of Solomonik11's axis", nodes, [TOP] * len(nodes), "limit"),
        ],
        title=f"{message >> 20} MiB, preset bgp",
        low=0,
    )
    run.step(0.7)
    slower = [varied(machines[1], adds=0.5**k) for k in range(0, 9)]
    rates = [m.rates.adds for m in slower]
    slow = [message / seconds("reduce", "rectangular", m, message, element=8, most=256) / MB for m in slower]
    sweep = Chart(
        "gamma, million additions/s of a node",
        "MB/s",
        [
            Series("reduce, rectangular trees", [r / 1e6 for r in rates], slow, "simulation"),
            Series("top of Solomonik11's axis", [r / 1e6 for r in rates], [TOP] * len(rates), "limit"),
        ],
        title=f"{nodes[1]} nodes: what the cores' rate does",
        low=0,
    )
    under = next((r for r, v in zip(rates, slow) if v <= TOP), None)
    needed = f"{under / 1e6:.0f} million additions/s" if under else "none of the rates tried"
    ends = ", ".join(f"{name} {v[-1]:.0f}" for name, v in reached.items())
    return Result(
        panels=[peak, sweep],
        got=f"On {nodes[-1]} nodes, MB/s: {ends}; t_red {closed[-1]:.0f}. With the preset's operator the trees are "
        f"bound by links; Solomonik11's {TOP:.0f} MB/s appear at {needed} per node.",
        obtained="Simulation of the schedules of algorithms rectangular, ring and binomial, every segment combined "
        "by the node's cores (gamma, beta of preset bgp); t_red of Solomonik11, slide 31. The second panel varies "
        "gamma, nothing else.",
        why="The model bounds from above: peak additions and all memory bandwidth for the operator. DCMF's cores "
        "must also take every packet from the network and put it back, which neither gamma nor beta has; how much "
        "that costs is in no source. The sweep says what effective rate would explain Solomonik11; the preset was not "
        "changed to hit it.",
        numbers=[
            Number(
                f"peak reduction, {nodes[-1]} nodes, MB/s",
                f"at most {TOP:.0f}, far below multicasts",
                f"{reached['reduce, rectangular trees'][-1]:.0f} (preset), {TOP:.0f} at {needed}; multicast "
                f"{reached['multicast, rectangular trees'][-1]:.0f}",
                how="simulated",
                holds=agrees(
                    reached["reduce, rectangular trees"][-1] <= TOP,
                    reached["reduce, rectangular trees"][-1] <= FAR * reached["multicast, rectangular trees"][-1],
                ),
                why="What a core spends on each packet is in no source, and not simulated.",
            )
        ],
    )


FIGURE = Figure(
    id="solomonik11-slide32",
    title="Peak bandwidth of reductions on 8, 64 and 512 nodes",
    claim=f"All DCMF reductions stay below {TOP:.0f} MB/s, far below multicasts: the operator must be applied at every "
    "node.",
    how=("simulation", "model"),
    make=_make,
    ours=("bgp.overhead", "bgp.axes", "bgp.memory_bandwidth"),
)
