"""Song09, slides 16 to 21 on real processes: this computer's, and a lab's nodes with links of their own."""

from __future__ import annotations

import os
import statistics
from typing import Any

from allport import lab as labs
from allport.bench.places import Place, executable
from allport.errors import failure
from allport.machine import Machine

from studies.figures.figure import Chart, Run, Series
from studies.figures.lab_runs import LabRun

__all__ = ["NAME", "charts", "measure", "seconds_of"]

NAME = "song09-multicast"
LAB, RATE = "torus:4x4", "40mbit"
HERE = (4, 8, 16)  # processes on this computer, of our runs
LABELS = {
    "channel": "unannounced, as chosen",
    "chosen": "a schedule, as chosen",
    "prefix": "prefix",
    "flat": "flat",
    "MPI_Bcast": "MPI_Bcast",
}


def measure(run: Run) -> LabRun:
    """From rank 0 to all others, every contender in one run. Brings a lab up: root. Raises Error."""
    program = os.environ.get("ALLPORT_MULTICAST_PROGRAM") or executable("bench_multicast")
    if program is None:
        raise failure("bench_multicast: not there; `make bench` builds it; then ALLPORT_MULTICAST_PROGRAM=PATH", "io")
    sizes = [1, 1 << 10, 1 << 16, 1 << 20] if run.quick else [1, 32, 1 << 10, 1 << 14, 1 << 17, 1 << 20, 4 << 20]
    rounds = 5 if run.quick else 15
    places: dict[str, Any] = {}
    for i, ranks in enumerate(HERE):
        run.step(i / 8)
        places[str(ranks)] = _sweep(program, Place(Machine.parse(f"mesh:{ranks}"), spec=f"mesh:{ranks}"), sizes, rounds)
    with labs.Lab.up(LAB, rate=RATE, name=f"mcast{os.getpid()}") as lab:
        run.step(0.4)
        places["lab"] = _sweep(program, Place(Machine.parse(lab.machine_file), lab), sizes, 5)
        links = lab.plan.links()
    return LabRun(LAB, RATE, {"places": places}, links=links)


def _sweep(program: str, place: Place, sizes: list[int], rounds: int) -> dict[str, dict[str, float]]:
    """{bytes: {contender: median seconds}}; the algorithm that was chosen is named in a key of its own."""
    found: dict[str, dict[str, float]] = {}
    for size in sizes:
        told = place.run([program, str(size), str(rounds), str(place.machine.ranks - 1)])[0]
        found[str(size)] = {
            name.split(":")[0]: statistics.median(seconds)
            for name, seconds in told.items()
            if isinstance(seconds, list)
        }
    return found


def seconds_of(found: LabRun, place: str, contender: str) -> dict[int, float]:
    """{bytes: seconds} of one contender in one place: a number of processes here, or 'lab'."""
    return {int(size): by_name[contender] for size, by_name in found.data["places"][place].items()}


def charts(found: LabRun) -> list[Chart]:
    """One for each place."""
    made = []
    for place in found.data["places"]:
        origin = "lab" if place == "lab" else "real run"
        series = []
        known = next(iter(found.data["places"][place].values()))
        for contender, label in LABELS.items():
            if contender not in known:  # a kept run may be older than a contender
                continue
            times = seconds_of(found, place, contender)
            # Shorter than the clock's microsecond: no place on a logarithmic axis.
            series.append(Series(label, list(times), [1e3 * t if t > 0 else None for t in times.values()], origin))
        title = (
            f"Real, in the lab: {found.lab}, links of {found.rate}"
            if place == "lab"
            else f"Real: {place} processes on two cores of one computer"
        )
        made.append(Chart("message, bytes", "ms", series, title=title, log_y=True))
    return made
