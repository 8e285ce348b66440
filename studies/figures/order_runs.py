"""Pena13's orders of ranks on real links: a lab of routers with two hosts each, whose y links are half as fast as x's.

`python -m studies.figures.order_runs JSON` is one of its ranks.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
from collections.abc import Callable
from typing import Any

from allport import _native, pattern
from allport import lab as labs
from allport.bench.places import Place
from allport.machine import Machine
from allport.pattern import Pattern
from allport.run.rank import as_rank, emit

from studies.figures.figure import Run, Table
from studies.figures.lab_runs import RANK, LabRun
from studies.figures.routers import CART, MATCHED, PLAIN, counted, laid, saved, timed

__all__ = ["NAME", "in_the_lab", "measure"]

NAME = "pena13-orders"
LAB, RATE = "mesh:4x2/ppn=2", "x=40mbit,y=20mbit"
GRID = (4, 4)  # of hosts, the two of a router neighbours along y
ORDERS = (PLAIN, CART, MATCHED)
REPEATS, BUDGET = 9, 6.0


def _patterns() -> dict[str, Callable[[str], Pattern]]:
    """By the letters that figures ask for them."""
    return {
        "all-to-all in rows along X": lambda order: pattern.alltoall(GRID, [0], "128KiB", order=order),
        "all-to-all in rows along Y": lambda order: pattern.alltoall(GRID, [1], "128KiB", order=order),
        "2D halo": lambda order: pattern.halo(GRID, local=16384, order=order, periodic=False),
    }


def _job(name: str, order: str, sent: Pattern, places: list[int]) -> dict[str, Any]:
    """What the ranks are told of a case. Messages are between places: schedules run over these."""
    messages = [[places[a], places[b], n] for a, b, n in sent.messages]
    return {"pattern": name, "order": order, "places": places, "messages": messages}


def measure(run: Run) -> LabRun:
    """Seconds of every pattern under every order, some times each. Raises Error."""
    with labs.Lab.up(LAB, rate=RATE, name=f"orders{os.getpid()}") as lab:
        machine = Machine.parse(lab.machine_file)
        jobs = [
            _job(name, order, *laid(machine, order, made)) for name, made in _patterns().items() for order in ORDERS
        ]
        job = {"repeats": 3 if run.quick else REPEATS, "jobs": jobs}
        lines = Place(machine, lab).run([*RANK, "studies.figures.order_runs", json.dumps(job)])
        links = lab.plan.links()
    rows = [{k: line[k] for k in ("pattern", "order", "places", "seconds")} for line in lines if "pattern" in line]
    return LabRun(LAB, RATE, {"rows": rows, "machine": machine.to_toml()}, links=links)


def in_the_lab(found: LabRun, word: str) -> tuple[Table, str]:
    """A table of the patterns whose name has the word, measured beside simulated, and what it says."""
    machine = Machine.from_toml(found.data["machine"])
    rows: list[list[object]] = []
    said = []
    for name, made in _patterns().items():
        if word not in name:
            continue
        mine = [r for r in found.data["rows"] if r["pattern"] == name]
        times = {r["order"]: r["seconds"] for r in mine}
        middle = {order: statistics.median(t) for order, t in times.items()}
        simulated = {r["order"]: timed(machine, made(counted(r["order"])), r["places"]) for r in mine}
        for order, t in times.items():
            rows.append([name, order, 1e3 * middle[order], 1e3 * min(t), 1e3 * max(t),
                         1e3 * simulated[order].seconds, simulated[order].link])  # fmt: skip
        others = [o for o in times if o != MATCHED]
        beside = " and ".join(f"{saved(middle[o], middle[MATCHED])} beside {o}" for o in others)
        first = min(simulated, key=lambda o: simulated[o].seconds)
        # Orders that the simulator holds alike are all named.
        named = [o for o in simulated if simulated[o].seconds < 1.02 * simulated[first].seconds]
        right = min(middle, key=lambda o: middle[o]) in named
        said.append(f"{name}, {MATCHED}: {beside}; the simulator {'names' if right else 'does not name'} the fastest")
    columns = ["in the lab", "order", "milliseconds", "least", "most", "simulated", "busiest link"]
    title = f"the same on real links: {found.lab}, {found.rate}"
    return Table(columns, rows, title), f" In the lab: {'; '.join(said)}."


def _work(text: str) -> dict[str, Any] | None:
    from allport.comm import MPI, Communicator

    job = json.loads(text)
    comm = Communicator(MPI.COMM_WORLD, os.environ["ALLPORT_MACHINE"])
    for one in job["jobs"]:
        messages = [(a, b, n) for a, b, n in one["messages"]]
        schedule = Pattern(one["pattern"], comm.size, messages).schedule()
        seconds, _ = _native.measure(comm._native, schedule, job["repeats"], BUDGET)
        if comm.rank == 0:
            emit(result={k: one[k] for k in ("pattern", "order", "places")} | {"seconds": list(seconds)})
    return {}


if __name__ == "__main__":
    sys.exit(as_rank(lambda: _work(sys.argv[1])))
