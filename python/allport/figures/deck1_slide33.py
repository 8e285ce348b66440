"""Deck 1 slide 33: custom ring multicast and ring reduction on 8 nodes."""

from __future__ import annotations

from allport import model
from allport._native import Machine
from allport.figures.figure import Chart, Figure, Number, Result, Run, Series
from allport.figures.simulated import seconds, sizes

KIB, MB = 1024, 1e6


def _make(run: Run) -> Result:
    machine = Machine.parse("bgp:8")
    messages = sizes(512 * KIB, (2 << 20) if run.quick else (32 << 20), 2)
    x = [m / KIB for m in messages]
    ways = {
        "ring multicast": ("bcast", "ring"),
        "ring reduce": ("reduce", "ring"),
        "binomial multicast": ("bcast", "binomial"),
        "binomial reduce": ("reduce", "binomial"),
    }
    found: dict[str, list[float]] = {name: [] for name in ways}
    for i, m in enumerate(messages):
        run.step(i / len(messages))
        for name, (what, algorithm) in ways.items():
            t = seconds(what, algorithm, machine, m, element=8, whole=algorithm == "binomial")
            found[name].append(m / t / MB)
    terms, rates = model.multicast_terms(machine), machine.rates
    closed = [m / model.t_red(m, terms, rates.adds, rates.memory_bandwidth) / MB for m in messages]
    ends = ", ".join(f"{name} {v[-1]:.0f}" for name, v in found.items())
    near = found["ring reduce"][-1] / found["ring multicast"][-1]
    return Result(
        panels=[
            Chart(
                "message, KB (2^10)",
                "MB/s",
                [*(Series(n, x, v, "simulation") for n, v in found.items()), Series("t_red, model", x, closed)],
                low=0,
            )
        ],
        got=f"At {messages[-1] >> 20} MiB, MB/s: {ends}. The ring reduction reaches {100 * near:.0f} % of the ring "
        "multicast.",
        obtained="Simulation of algorithms ring (half of the message either way, pipelined, combining overlapped) "
        "and binomial (whole messages) on bgp:8; t_red by model.",
        why="Same order as the deck's, and its point, that a pipelined ring reduction comes near a multicast, "
        "holds. Its two reduction variants differ in how the core overlaps combining with packets, which the "
        "simulator does not distinguish; MPI's own curves are not in the text.",
        numbers=[
            Number(
                "ring reduce / ring multicast, 8 nodes",
                "approaches 1 (800 MB/s axis)",
                f"{near:.2f}, {found['ring reduce'][-1]:.0f} MB/s",
            )
        ],
        not_run=[
            "not run here: the real run on 8 nodes; in a lab, as root: allport lab up torus:8 --rate 40mbit, then "
            "allport bench bcast --against mpi and allport bench reduce --against mpi."
        ],
    )


FIGURE = Figure(
    id="deck1-slide33",
    title="Custom ring multicast and reduction on 8 nodes",
    claim="MPI broadcast and the custom ring multicast are fastest, the custom ring reductions next, MPI's reduce "
    "lowest.",
    how=("simulation", "model"),
    make=_make,
)
