"""Solomonik11, slide 33: custom ring multicast and ring reduction on 8 nodes."""

from __future__ import annotations

import tempfile

from allport import bench, model
from allport.machine import Machine

from studies.figures.figure import CLOSE, Chart, Figure, Number, Result, Run, Series, agrees, near
from studies.figures.lab_runs import LabRun
from studies.figures.simulated import seconds, sizes

KIB, MB = 1024, 1e6
LAB, RATE = "torus:8", "40mbit"
LINK = 5.0  # MB/s of that rate, of our runs
TOP = 800  # MB/s, the end of the axis (Solomonik11, slide 33)


def _measure(run: Run) -> LabRun:
    """Our ring beside MPI's default, multicast and reduction, by turns, every byte checked. Needs root, for the lab."""
    found: dict[str, dict[str, float]] = {}
    for what in ("bcast", "reduce"):
        with tempfile.TemporaryDirectory() as folder:
            job = bench.Job(
                what,
                sizes=["512KiB"] if run.quick else ["512KiB:4MiB"],
                lab=LAB,
                rate=RATE,
                through="direct",
                algorithms="ring",
                sweep=False,
                rounds=1,
                iterations=3,
                seconds=20.0,
                measured=f"{folder}/times.json",
            )
            result = bench.run(job)
            for row in result["sizes"]:
                found.setdefault(f"ring {what}", {})[str(row["size"])] = row["ours"]["ring"]["least"]
                found.setdefault(f"MPI {what}", {})[str(row["size"])] = row["mpi"]["default"]["least"]
    return LabRun(LAB, RATE, {"seconds": found}, links=result["links"])


def _lab(found: LabRun) -> tuple[Chart, str, Number]:
    """The panel of the real run, what it says, and its row beside Solomonik11's."""
    words = {"bcast": "multicast", "reduce": "reduce"}
    series, ends, last = [], [], {}
    for name, times in found.data["seconds"].items():
        who, what = name.split()
        sizes_ = sorted(int(n) for n in times)
        rates = [n / times[str(n)] / MB for n in sizes_]
        label = f"{who} {words[what]}" if who == "ring" else name
        series.append(Series(f"{label}, lab", [n / KIB for n in sizes_], rates, "lab"))
        ends.append(f"{label} {rates[-1]:.2f}")
        last[name] = rates[-1]
    text = f" In the lab, links of {LINK:.0f} MB/s, at the largest message, MB/s: {', '.join(ends)}."
    number = Number(
        "MPI's multicast as fast as the ring; ring reduction next; MPI's reduction last",
        "this order (the legend's)",
        f"MB/s: {', '.join(ends)} on links of {LINK:.0f}",
        how="run",
        holds=agrees(
            last["MPI bcast"] >= (1 - CLOSE) * last["ring bcast"],
            last["ring bcast"] >= last["ring reduce"],
            last["ring reduce"] > last["MPI reduce"],
        ),
        why="Lab of TCP links; Open MPI's multicast does not know the ring as BG/P's does.",
    )
    return Chart("message, KB (2^10)", "MB/s in the lab", series, low=0), text, number


def _make(run: Run) -> Result:
    machine = Machine.parse("bgp:8")
    messages = sizes(512 * KIB, (2 << 20) if run.quick else (32 << 20), 2)
    x = [m / KIB for m in messages]
    variants = {
        "ring multicast": ("bcast", "ring"),
        "ring reduce": ("reduce", "ring"),
        "binomial multicast": ("bcast", "binomial"),
        "binomial reduce": ("reduce", "binomial"),
    }
    found: dict[str, list[float]] = {name: [] for name in variants}
    for i, m in enumerate(messages):
        run.step(i / len(messages))
        for name, (what, algorithm) in variants.items():
            t = seconds(what, algorithm, machine, m, element=8, whole=algorithm == "binomial")
            found[name].append(m / t / MB)
    terms, rates = model.multicast_terms(machine), machine.rates
    closed = [m / model.t_red(m, terms, rates.adds, rates.memory_bandwidth) / MB for m in messages]
    ends = ", ".join(f"{name} {v[-1]:.0f}" for name, v in found.items())
    ratio = found["ring reduce"][-1] / found["ring multicast"][-1]
    real = [_lab(run.lab)] if run.lab else []
    return Result(
        panels=[
            Chart(
                "message, KB (2^10)",
                "MB/s",
                [*(Series(n, x, v, "simulation") for n, v in found.items()), Series("t_red, model", x, closed)],
                low=0,
            ),
            *(chart for chart, _, _ in real),
        ],
        got=f"At {messages[-1] >> 20} MiB, MB/s: {ends}. The ring reduction reaches {100 * ratio:.0f} % of the ring "
        "multicast." + "".join(text for _, text, _ in real),
        obtained="Simulation of algorithms ring (half of the message either way, pipelined, combining overlapped) "
        "and binomial (whole messages) on bgp:8; t_red by model." + (f" {run.lab.said}" if run.lab else ""),
        why="Same order as Solomonik11's, and its point, that a pipelined ring reduction comes near a multicast, "
        "holds. Its two reduction variants differ in how the core overlaps combining with packets, which the "
        "simulator does not distinguish. In Solomonik11 MPI's multicast keeps up, for BG/P's knows the torus; the "
        "lab's MPI is Open MPI over TCP with its default algorithms, which do not know the ring.",
        numbers=[
            Number(
                "ring reduce / ring multicast, 8 nodes",
                f"approaches 1 ({TOP} MB/s axis)",
                f"{ratio:.2f}, {found['ring reduce'][-1]:.0f} MB/s",
                how="simulated",
                holds=near(1.0, ratio),
                why="Combining is hidden behind links in ours; a core's work per packet is not modelled.",
            ),
            *(number for _, _, number in real),
        ],
        not_run=[] if run.lab else ["not run here: the real run on 8 nodes; as root, python studies --run."],
    )


FIGURE = Figure(
    id="solomonik11-slide33",
    title="Custom ring multicast and reduction on 8 nodes",
    claim="MPI broadcast and the custom ring multicast are fastest, the custom ring reductions next, MPI's reduce "
    "lowest.",
    how=("simulation", "model", "lab"),
    make=_make,
    run_name="solomonik11-slide33",
    measure=_measure,
    ours=("bgp.overhead", "bgp.axes", "bgp.memory_bandwidth"),
)
