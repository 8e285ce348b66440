"""Robson18, slides 25 to 28: teams of threads in one process a node, beside a process for each team."""

from __future__ import annotations

import statistics

from allport.bench import jacobi

from studies.figures import fat_nodes as fat
from studies.figures.figure import CLOSE, Bars, Chart, Figure, Number, Result, Run, Series, agrees
from studies.figures.lab_runs import LabRun

REAL = jacobi.Jacobi(grid="4096x4096", block="512x512", iterations=5, rounds=5, ranks=1, threads=2)


def measure(run: Run) -> LabRun:
    """This computer: one process with two threads, and whatever else can be had of two cores."""
    result = jacobi.run(REAL, lambda name, part: run.step(part))
    command = f"allport bench jacobi --grid {REAL.grid} --block {REAL.block} -n {REAL.ranks} --threads {REAL.threads}"
    return LabRun("none: this computer", "", {"variants": {v: f["seconds"] for v, f in result["variants"].items()}},
                  command=command)  # fmt: skip


def _real(found: LabRun) -> Bars:
    variants: dict[str, list[float]] = found.data["variants"]
    medians = [1e3 * statistics.median(seconds) for seconds in variants.values()]
    return Bars(
        [name.replace(", ", ",\n") for name in variants],
        "ms of an iteration, two real cores",
        [Series("median of five rounds", None, medians, "real run")],
        title="Real, on two cores",
    )


def _make(run: Run) -> Result:
    node, block = fat.BRIDGES, fat.BLOCKS[0]
    iterations, runs = (4, 1) if run.quick else (10, fat.RUNS)
    times: dict[bool, dict[int, float]] = {True: {}, False: {}}
    for s, spread in enumerate(node.spreads):
        for one in times:
            run.step((2 * s + (not one)) / (2 * len(node.spreads)))
            outcome = fat.simulate(node, block, spread, iterations=iterations, runs=runs, one_process=one)
            times[one][spread] = outcome.median
    label = {True: "one process, teams take any of its objects", False: "a process for each team"}
    series = [Series(label[one], node.spreads, list(t.values()), "simulation") for one, t in times.items()]
    apart = max(abs(times[True][s] / times[False][s] - 1) for s in node.spreads if s > 1)
    first = 1 - times[True][1] / times[False][1]
    panels: list[Chart | Bars] = [
        Chart("cores on one object", "seconds of an iteration", series, title=node.name, low=0)
    ]
    real, missing = "", ["not run here: real runs on two cores; python studies robson18-slide25 --run makes them"]
    if run.lab is not None:
        panels.append(_real(run.lab))
        variants: dict[str, list[float]] = run.lab.data["variants"]
        quickest = min(variants, key=lambda name: statistics.median(variants[name]))
        real = f" On two real cores the quickest was {quickest}."
        missing = []
    return Result(
        panels=panels,
        got=f"From spread 2 on teams and processes differ by at most {100 * apart:.0f} %; with one core an object a "
        f"process "
        f"that shares its objects takes {100 * first:.0f} % less time than processes with objects of their own.{real}",
        obtained=f"Simulation as for Robson18, slide 11. {fat.assumptions(node)}."
        + (f" Real run: {run.lab.date}, {run.lab.command}, two cores of one computer." if run.lab else ""),
        why="Robson18 finds both similar, with some NUMA effects; no values are in its text. NUMA is in ours as one "
        "number "
        "for teams over both sockets. Two real cores can show the cost of teams and of processes, not a spread of 7.",
        numbers=[
            Number(
                "teams beside processes, from spread 2 on",
                "similar",
                f"within {100 * apart:.0f} %",
                how="simulated",
                holds=agrees(apart <= CLOSE),
                why="NUMA is one number of ours; the real run has two cores, no spread.",
            )
        ],
        not_run=missing,
    )


FIGURE = Figure(
    id="robson18-slide25",
    also=("robson18-slide26", "robson18-slide27", "robson18-slide28"),
    title="Teams of threads beside processes (Robson18, slides 25 to 28)",
    claim="OpenMP teams with pthread affinities perform as processes do, and can be reconfigured while they run.",
    how=("simulation", "real run"),
    make=_make,
    run_name="robson18-jacobi",
    measure=measure,
    ours=fat.OURS,
)
