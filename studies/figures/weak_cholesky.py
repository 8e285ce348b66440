"""Song09, slides 7 and 8: Cholesky as a task graph beside pdpotrf, flop/s of a processor while the problem grows."""

from __future__ import annotations

import math
import os
import statistics
from typing import Any

from allport import graph
from allport.bench.places import Place, executable
from allport.errors import failure
from allport.machine import Machine

from studies.figures.clusters import DGEMM, PEAK, cluster
from studies.figures.figure import Chart, Figure, Number, Result, Run, Series, agrees
from studies.figures.lab_runs import LabRun
from studies.figures.pdpotrf_graph import Pdpotrf

__all__ = ["figure"]

GIGA = 1e9
NAME = "song09-cholesky"
TILE, BLOCK = 200, 64  # of our graph and of pdpotrf: in no source
EACH = 3000  # rows and columns on one processor; n = EACH sqrt(P), so that its part of the matrix stays: in no source
TREES = (("along the axes", "axes"), ("by prefix, as Song09's", "prefix"), ("flat", "flat"))
RULE = f"n = {EACH} sqrt(P), so that every processor keeps {8e-6 * EACH**2:.0f} MB of the matrix"


def grid_of(processors: int) -> tuple[int, int]:
    rows = 2 ** (int(math.log2(processors)) // 2)
    return rows, processors // rows


def measure(run: Run) -> LabRun:
    """This computer: one and two processes of one thread, every contender in one run. Raises Error."""
    program = os.environ.get("ALLPORT_CHOLESKY_PROGRAM") or executable("bench_cholesky")
    if program is None:
        raise failure("bench_cholesky: not there; `make bench` builds it where ScaLAPACK is; "
                      "then ALLPORT_CHOLESKY_PROGRAM=PATH", "io")  # fmt: skip
    data: dict[str, Any] = {}
    for i, processes in enumerate((1, 2)):
        run.step(i / 2)
        n = round(EACH * math.sqrt(processes) / TILE) * TILE
        rounds = "3" if run.quick else "7"
        argv = [program, str(n), rounds, "--nb", "192,256,384", "--blocks", "32,64,128", "--dgemm", "--no-lapack"]
        place = Place(Machine.parse(f"mesh:{processes}"))
        threads = [(name, "1") for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")]
        told = place.run(argv, threads)[0]
        data[str(processes)] = {"n": n, "seconds": {one["name"]: one["seconds"] for one in told["contenders"]}}
    return LabRun("none: this computer", "", data)


def _rates(found: LabRun) -> dict[str, list[float]]:
    """Gflop/s of a process by contender, on one and two: the quickest tile and block size of each."""
    rates: dict[str, list[float]] = {}
    for processes, told in sorted(found.data.items(), key=lambda item: int(item[0])):
        medians = {name: statistics.median(seconds) for name, seconds in told["seconds"].items()}
        n = told["n"]
        for label, start in (("ours", "allport"), ("pdpotrf", "pdpotrf")):
            least = min(t for name, t in medians.items() if name.startswith(start))
            rates.setdefault(label, []).append(n**3 / 3 / least / int(processes) / GIGA)
        name, least = next((name, t) for name, t in medians.items() if name.startswith("dgemm"))
        rates.setdefault("dgemm", []).append(2 * int(name.split()[1]) ** 3 / least / GIGA)
    return rates


def _real(rates: dict[str, list[float]]) -> tuple[Chart, str]:
    labels = {"ours": "cholesky(), ours", "pdpotrf": "pdpotrf, its best blocks and grid", "dgemm": "dgemm on each"}
    series = [Series(labels[name], [1, 2], values, "limit" if name == "dgemm" else "real run")
              for name, values in rates.items()]  # fmt: skip
    ends = {name: values[-1] for name, values in rates.items()}
    words = (
        f" Real, on two processes of one computer: {ends['ours']:.1f} Gflop/s of each, pdpotrf {ends['pdpotrf']:.1f}, "
        f"dgemm {ends['dgemm']:.1f}."
    )
    return Chart("processes", "Gflop/s of a process", series, title="Real: one and two processes", low=0), words


def _number(rates: dict[str, float]) -> Number:
    return Number(
        "Gflop/s of a process, two processes",
        "between pdpotrf and dgemm",
        f"{rates['ours']:.1f}, pdpotrf {rates['pdpotrf']:.1f}, dgemm {rates['dgemm']:.1f}",
        how="run",
        holds=agrees(rates["ours"] >= rates["pdpotrf"], rates["ours"] <= rates["dgemm"]),
        why="Two cores of one computer: nobody has the talk's computers any more.",
    )


def _simulated(name: str, processors: list[int], run: Run) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {label: [] for label in (*dict(TREES), "pdpotrf")}
    for i, count in enumerate(processors):
        run.step(i / len(processors))
        machine, grid = cluster(name, count), grid_of(count)
        n = round(EACH * math.sqrt(count) / TILE) * TILE
        made = graph.cholesky(n, TILE, grid, lower=True)
        seconds = {label: graph.simulate(made, machine, tree=tree).seconds for label, tree in TREES}
        seconds["pdpotrf"] = graph.simulate(
            Pdpotrf(n, BLOCK, grid), machine, model=graph.Model(segment="64KiB")
        ).seconds
        for label, took in seconds.items():
            found[label].append(n**3 / 3 / took / count / GIGA)
    return found


def _make(name: str, title: str, run: Run) -> Result:
    """The figure for one of Song09's computers: machines/NAME.toml."""
    processors = [1, 2, 4, 8, 16] if run.quick else [1, 2, 4, 8, 16, 32, 64, 128]
    found = _simulated(name, processors, run)
    series = [Series(f"tile Cholesky, {label}" if label != "pdpotrf" else "pdpotrf", processors, v, "simulation")
              for label, v in found.items()]  # fmt: skip
    series.append(Series("dgemm (87 % of the peak)", processors, [DGEMM / GIGA] * len(processors), "limit"))
    series.append(Series("peak", processors, [PEAK / GIGA] * len(processors), "limit"))
    panels = [Chart("processors", "Gflop/s of a processor", series, title=f"Simulated: {title}", low=0)]
    words, missing = "", ["not run here: one and two processes; python studies song09-slide8 --run makes them"]
    on_two: list[Number] = []
    if run.lab is not None:
        rates = _rates(run.lab)
        real, words = _real(rates)
        panels.append(real)
        missing = []
        if name == "grig":  # of both computers' figures one has the row
            on_two.append(_number({contender: values[-1] for contender, values in rates.items()}))
    ends = {label: values[-1] for label, values in found.items()}
    best = max((label for label, _ in TREES), key=lambda label: ends[label])
    others = ", ".join(f"{value:.2f} {label}" for label, value in ends.items() if label != best)
    return Result(
        panels=panels,
        got=f"Simulated: {found[best][0]:.2f} Gflop/s on one processor, {ends[best]:.2f} on each of {processors[-1]} "
        f"({best}); {others}.{words}",
        obtained=f"Simulated on 1 to {processors[-1]} processors ({title}; {name}.toml): cholesky_graph in tiles of "
        f"{TILE}, and pdpotrf as a graph without look-ahead, in blocks of {BLOCK}, both with every kernel at dgemm's "
        f"rate. {RULE}."
        + (
            f" Real runs: {run.lab.date}, {run.lab.command}, one computer of two cores, the same rule, the quickest of "
            "some tile and block sizes each."
            if run.lab
            else ""
        ),
        why="Song09 does not say how n grows, and its curves' values are not in the text. Simulated kernels are as "
        "quick as dgemm whatever their size, so that both simulated curves lie higher than real ones, and pdpotrf's "
        f"small blocks have for nothing what real kernels take for them: tiles of {TILE} leave more unequal parts. "
        "What else separates the two is waiting for messages, which tells on Grig. Nobody has these computers any "
        "more: what is real is on two cores.",
        numbers=[
            Number(
                f"Gflop/s of a processor on {processors[-1]} of {title.split(' (')[0]}, of dgemm's {DGEMM / GIGA}",
                "between pdpotrf and dgemm",
                f"{ends[best]:.2f} ({100 * ends[best] * GIGA / DGEMM:.0f} %), pdpotrf {ends['pdpotrf']:.2f}",
                how="simulated",
                holds=agrees(ends[best] >= ends["pdpotrf"], ends[best] * GIGA <= DGEMM),
                why="Kernels of any size run at dgemm's rate: pdpotrf's small blocks cost nothing.",
            ),
            *on_two,
        ],
        not_run=missing,
    )


def figure(number: int, computer: str, name: str, title: str) -> Figure:
    """The figure of that number, for one of Song09's computers: machines/NAME.toml."""
    return Figure(
        id=f"song09-slide{number}",
        title=f"Weak scaling of Cholesky as a task graph, {computer}",
        claim="Cholesky by dynamic scheduling of its graph stays near dgemm's rate on up to 128 processors, above "
        "pdpotrf.",
        how=("simulation", "real run"),
        make=lambda run: _make(name, title, run),
        run_name=NAME,
        measure=measure,
        ours=("weak_cholesky.TILE, BLOCK", "weak_cholesky.EACH", name),
    )
