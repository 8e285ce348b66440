"""Song09, slides 16 to 21: multicasts on 4 to 128 processors, and on machines that Song09 had not."""

from __future__ import annotations

from itertools import pairwise

from allport import multicast
from allport.collectives import make_schedule
from allport.machine import Machine
from allport.sim import Model, simulate

from studies.figures.clusters import grig
from studies.figures.figure import CLOSE, Chart, Figure, Number, Result, Run, Series, agrees
from studies.figures.multicast_runs import NAME, charts, measure, seconds_of
from studies.figures.simulated import sizes

TOP = 4 << 20  # bytes, the longest message (Song09, slides 16 to 21)
ENDS = {4: 0.04, 8: 0.12, 16: 0.25, 32: 0.6, 64: 2.5, 128: 4.5}  # seconds, of the axes (Song09, slides 16 to 21)
LONG = 12 << 10  # bytes, from which MPICH scatters (Thakur, Rabenseifner, Gropp 2005)
OURS = "cheapest"
NAMES = (OURS, "prefix", "flat", "MPI_Bcast's textbook")


def _seconds(machine: Machine, name: str, message: int, sharing: str) -> float:
    """From rank 0 to all others: what Song09, slides 16 to 21 time."""
    if name == NAMES[-1]:
        textbook = ("binomial",) if message < LONG else ("binomial", "scatter_allgather")
        made = [make_schedule("bcast", machine, algorithm=one, bytes=message) for one in textbook]
        return min(simulate(schedule, machine, model=Model(sharing=sharing)).seconds for schedule in made)
    algorithm = None if name == OURS else name
    schedule = multicast.make_schedule(machine, 0, None, bytes=message, algorithm=algorithm)
    return simulate(schedule, machine, model=Model(sharing=sharing)).seconds


def _make(run: Run) -> Result:
    counts = [4, 16] if run.quick else list(ENDS)
    messages = sizes(1, TOP, 64 if run.quick else 8)
    large = ["4x4x4"] if run.quick else ["4x4x4", "8x8x8", "16x16x16", "32x32x32", "64x32x32"]
    panels = []
    longest: dict[int, dict[str, float]] = {}
    for i, count in enumerate(counts):
        run.step(0.8 * i / len(counts))
        machine = grig(count)
        found = {name: [_seconds(machine, name, m, "fair") for m in messages] for name in NAMES}
        longest[count] = {name: v[-1] for name, v in found.items()}
        series = [Series(name, messages, [1e3 * t for t in v], "simulation") for name, v in found.items()]
        panels.append(Chart("message, bytes", "ms", series, title=f"Simulated: {count} processors of Grig", log_y=True))
    ranks = []
    beyond: dict[str, list[float]] = {OURS: [], "prefix": []}
    for i, shape in enumerate(large):
        run.step(0.8 + 0.2 * i / len(large))
        machine = Machine.parse(f"bgp:{shape}")
        ranks.append(machine.ranks)
        for name, values in beyond.items():
            values.append(1e3 * _seconds(machine, name, 1 << 20, "fifo"))
    more = [Series(name, ranks, values, "simulation") for name, values in beyond.items()]
    panels.append(Chart("nodes of bgp", "ms", more, title="Simulated: 1 MiB to all, on up to 65,536 nodes", log_y=True))
    real, missing = "", ["not run here: real multicasts; python studies song09-slide16 --run makes them (root)"]
    in_lab: list[Number] = []
    if run.lab is not None:
        panels += charts(run.lab)
        missing = []
        mega = {name: seconds_of(run.lab, "lab", name)[1 << 20] for name in ("chosen", "prefix", "flat", "MPI_Bcast")}
        real = (
            f" Real, 1 MiB to 15 of 16 nodes of the lab: {mega['chosen']:.2f} s as chosen, by prefix "
            f"{mega['prefix']:.2f}, flat {mega['flat']:.2f}, MPI_Bcast {mega['MPI_Bcast']:.2f}."
        )
        in_lab.append(
            Number(
                "1 MiB to the 15 other nodes of the lab, prefix / MPI_Bcast",
                "close to 1",
                f"{mega['prefix'] / mega['MPI_Bcast']:.2f}; flat / MPI_Bcast {mega['flat'] / mega['MPI_Bcast']:.2f}",
                how="run",
                holds=agrees(mega["prefix"] <= (1 + CLOSE) * mega["MPI_Bcast"]),
                why="A torus of TCP links in place of Myrinet's switch.",
            )
        )
    last = longest[counts[-1]]
    gain = last["flat"] / last["prefix"]
    took = [found["flat"] for found in longest.values()]
    flat = ", ".join(f"{seconds:.2g}" for seconds in took)
    return Result(
        panels=panels,
        got=f"4 MB to all of {counts[-1]} processors: {1e3 * last[OURS]:.0f} ms, by prefix "
        f"{1e3 * last['prefix']:.0f}, flat {1e3 * last['flat']:.0f}, MPI_Bcast's textbook "
        f"{1e3 * last[NAMES[-1]]:.0f}; prefix is {gain:.1f} times flat's speed. 1 MiB to {ranks[-1]:,} nodes: "
        f"{beyond[OURS][-1]:.1f} ms, by prefix {beyond['prefix'][-1]:.0f} ms (simulated).{real}",
        obtained="Simulation of multicast schedules that all ranks start together and know: a collective's, where the "
        "receivers of Song09 take part in none. To all ranks, on Grig (Song09, slide 15; 248 MB/s out of a node, a "
        "switch that is never the narrow place) with fair shares, on preset bgp first come first served. Cheapest: "
        "what explain() chooses. The textbook: the better of a binomial tree and, from 12 KiB, scatter and allgather."
        + (
            f" {run.lab.said} On 4, 8 and 16 processes of the same computer, whose two cores they share, too."
            if run.lab
            else ""
        ),
        why=f"The text has the axes' ends alone: {', '.join(f'{end:g}' for end in ENDS.values())} s on "
        f"{', '.join(str(c) for c in ENDS)} processors, which flat needs; simulated, flat takes {flat} s on "
        f"{', '.join(str(c) for c in counts)}. On 64 and 128 Song09's runs lost more where two processors share a "
        "node's link. Prefix sends whole messages from hop to hop, as Song09's; explain() prices a node's cap on what "
        "it sends too low for trees.",
        numbers=[
            Number(
                f"4 MB to {counts[-1]} processors, flat / prefix",
                "grows with P; prefix near MPI_Bcast",
                f"{gain:.1f}x; prefix / MPI_Bcast's textbook {last['prefix'] / last[NAMES[-1]]:.2f}",
                how="simulated",
                holds=agrees(*(a < b for a, b in pairwise(took)), last["prefix"] <= (1 + CLOSE) * last[NAMES[-1]]),
                why="Prefix sends whole messages; the textbook scatters long ones. Myrinet's constants are ours.",
            ),
            Number(
                f"flat, 4 MB to {', '.join(str(c) for c in counts)} processors, seconds",
                ", ".join(f"{ENDS[c]:g}" for c in counts) + " (ends of axes)",
                flat,
                how="simulated",
                holds=agrees(*(ENDS[c] / 2 <= t <= ENDS[c] for c, t in zip(counts, took))),
                why="An axis ends above its curve; two processors that share a link lost more there.",
            ),
            *in_lab,
        ],
        not_run=missing,
    )


FIGURE = Figure(
    id="song09-slide16",
    title="Multicasts to all: prefix routing, flat, MPI_Bcast",
    claim="Flat multicasts grow with the number of processors; prefix routing is close to the vendor's MPI_Bcast.",
    how=("simulation", "lab", "real run"),
    make=_make,
    run_name=NAME,
    measure=measure,
    also=tuple(f"song09-slide{n}" for n in range(17, 22)),
    ours=("grig", "bgp.overhead", "bgp.axes"),
)
