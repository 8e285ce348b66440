"""Chan06 on real links: node 0 of a lab sends to 1 to 6 neighbours at once.

    neighbour_runs.measure(run)                                   # brings a lab up: needs root

`python -m studies.figures.neighbour_runs JSON` is one of its ranks.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
import time
from typing import TYPE_CHECKING, Any

from allport import lab as labs
from allport.bench.places import Place
from allport.machine import Machine
from allport.model import MultilinkTerms
from allport.run.rank import as_rank, emit

from studies.figures.figure import Run, Series
from studies.figures.lab_runs import RANK, LabRun

if TYPE_CHECKING:
    from mpi4py.MPI import Comm

__all__ = ["LONG", "NAME", "curves", "fit_real", "measure", "times_of"]

NAME = "chan06-sends"
LAB, RATE = "torus:3x3x3", "40mbit"
SENDS = 6  # Chan06, slide 19
BEST_OF = 40  # of short messages, for the ranks take turns on few cores; of our runs
SHORT, LONG = 2048, 1 << 17  # bytes: alpha is fitted up to the one, beta from the other on; of our runs
# Bytes that a link passes at once, of our runs; the usual 32 KiB would hide its rate from all but the longest.
BURST = 4096


def measure(run: Run) -> LabRun:
    """Seconds until the last of m messages of n bytes has arrived, the least of some. Raises Error."""
    sizes = (
        [8, 128, 2048, 32768, 1 << 17, 1 << 18]
        if run.quick
        else [8, 32, 128, 512, 2048, 8192, 32768, 1 << 17, 1 << 18, 1 << 19]
    )
    job = {"sizes": sizes, "best_of": 5 if run.quick else BEST_OF}
    with labs.Lab.up(LAB, rate=RATE, burst=BURST, name=f"sends{os.getpid()}") as lab:
        place = Place(Machine.parse(lab.machine_file), lab)
        lines = place.run([*RANK, "studies.figures.neighbour_runs", json.dumps(job)])
        links = lab.plan.links()
    data = {str(line["bytes"]): line["seconds"] for line in lines if "bytes" in line}
    return LabRun(LAB, RATE, {"seconds": data, "best_of": job["best_of"]}, links=links)


def times_of(found: LabRun) -> dict[int, list[float]]:
    """{bytes: seconds of 1, 2, ... sends at once}."""
    return {int(n): list(t) for n, t in found.data["seconds"].items()}


def fit_real(times: dict[int, list[float]]) -> MultilinkTerms:
    """alpha: the median of one short message; beta: of long ones, least relative errors. Between them a link's bucket
    lets a part pass for nothing, which no straight line has. tau 0."""
    alpha = statistics.median(t[0] for n, t in times.items() if n <= SHORT)
    parts = [(n / t[0], (t[0] - alpha) / t[0]) for n, t in times.items() if n >= LONG]
    beta = sum(a * b for a, b in parts) / sum(a * a for a, _ in parts)
    return MultilinkTerms(alpha, 1.0 / beta)


def curves(times: dict[int, list[float]], shown: range | tuple[int, ...]) -> list[Series]:
    """Microseconds over bytes, one curve for each number of sends."""
    sizes = sorted(times)
    return [
        Series(f"{m} send{'s' if m > 1 else ''}, lab", sizes, [1e6 * times[n][m - 1] for n in sizes], "lab")
        for m in shown
    ]


def _once(group: Comm, sends: int, out: bytes, into: bytearray) -> float:
    """All start at one moment of the computer's one clock; until the last of them is done."""
    from mpi4py import MPI

    mine = 0 < group.rank <= sends
    requests = [group.Irecv([into, MPI.BYTE], 0)] if mine else []
    group.Barrier()
    start = group.bcast(time.monotonic() + 0.004, 0)
    while time.monotonic() < start:
        time.sleep(20e-6)
    if group.rank == 0:
        requests = [group.Isend([out, MPI.BYTE], to) for to in range(1, sends + 1)]
    MPI.Request.Waitall(requests)
    end = time.monotonic() if mine else start
    if mine and into != out:
        raise ValueError(f"{len(out)} bytes came wrong")
    return group.allreduce(end, MPI.MAX) - start


def _work(text: str) -> dict[str, Any] | None:
    from allport.comm import MPI

    job, world = json.loads(text), MPI.COMM_WORLD
    machine = Machine.parse(os.environ["ALLPORT_MACHINE"])
    around = [machine.neighbour(0, port) for port in range(SENDS)]
    place = [0, *around].index(world.rank) if world.rank in (0, *around) else -1
    group = world.Split(0 if place >= 0 else MPI.UNDEFINED, max(place, 0))
    for n in job["sizes"] if place >= 0 else ():
        out, into = bytes(i * 7 % 251 for i in range(n)), bytearray(n)
        least = [
            min(_once(group, m, out, into) for _ in range(job["best_of"] if n < 32768 else 5))
            for m in range(1, SENDS + 1)
        ]
        if place == 0:
            emit(result={"bytes": n, "seconds": least})
    done = world.Ibarrier()
    while not done.Test():  # the others sleep meanwhile
        time.sleep(0.01)
    return {}


if __name__ == "__main__":
    sys.exit(as_rank(lambda: _work(sys.argv[1])))
