"""Robson18, slides 18 to 21: bytes received over time by OpenMP alone, by one core an object, and by a spread."""

from __future__ import annotations

from studies.figures import fat_nodes as fat
from studies.figures.figure import FAR, Chart, Figure, Number, Result, Run, Series, agrees

KILO = 1e3


def _make(run: Run) -> Result:
    node, iterations = fat.BRIDGES, 4 if run.quick else 10
    # MPI + OpenMP is one object a node, on which all cores work.
    variants = {
        "OpenMP": (fat.GRID // 2, node.cores),
        "one core an object": (fat.BLOCKS[0], 1),
        "spread over 7": (fat.BLOCKS[0], 7),
    }
    panels, peaks = [], {}
    for w, (name, (block, spread)) in enumerate(variants.items()):
        run.step(w / len(variants))
        outcome = fat.simulate(node, block, spread, iterations=iterations, runs=1, trace=True)
        moments, rates = fat.bins(outcome.received, outcome.whole)
        mean = sum(rates) / len(rates)
        peaks[name] = max(rates) / mean if mean else 0.0
        curve = Series(name, moments, [rate / KILO for rate in rates], "simulation")
        panels.append(Chart("seconds", "KB/s received, all nodes", [curve], title=name, log_x=False, low=0))
    told = ", ".join(f"{value:.1f} ({name})" for name, value in peaks.items())
    return Result(
        panels=panels,
        got=f"Most bytes received in a sixtieth of the run over the mean: {told}.",
        obtained=f"Simulation as for Robson18, slide 11, {iterations} iterations, the noise's first run; what nodes "
        f"receive of "
        f"other nodes, when it is there. {fat.assumptions(node)}.",
        why="Robson18's axes are 320 KB/s and 17.6 s; its runs are of the whole program with Projections' own "
        "sampling, and "
        "what they count is not said. What can be compared is the form: bursts once an iteration from OpenMP, and a "
        "stream from overdecomposed objects, that of one core each the most even: where objects do not wait for each "
        "other their ends drift apart, and teams, which are fewer, end objects together more often.",
        numbers=[
            Number(
                "peak over mean of received bytes",
                "bursts, then smooth (no number)",
                told,
                how="simulated",
                holds=agrees(*(v <= FAR * peaks["OpenMP"] for name, v in peaks.items() if name != "OpenMP")),
                why="Form alone can be compared: what the talk's tool counts is not said.",
            )
        ],
    )


FIGURE = Figure(
    id="robson18-slide18",
    also=("robson18-slide19", "robson18-slide20", "robson18-slide21"),
    title="Traffic over time (Robson18, slides 18 to 21)",
    claim="OpenMP communicates in bursts between iterations; overdecomposed and spread objects do all the time.",
    how=("simulation",),
    make=_make,
    ours=fat.OURS,
)
