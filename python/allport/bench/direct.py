"""`python -m allport.bench.direct JSON` is a rank of the direct mode: it times Allport's schedules and checks every
byte."""

from __future__ import annotations

import json
import sys
from typing import Any

from allport import _native
from allport.bench.job import element_of
from allport.collectives import algorithms, load_algorithms
from allport.run.rank import as_rank, emit
from allport.select import explain


def _work(text: str) -> dict[str, Any] | None:
    from allport.comm import MPI, Communicator

    job = json.loads(text)
    for file in job["load"]:
        load_algorithms(file)
    comm = Communicator(MPI.COMM_WORLD)
    element = element_of(job["collective"])
    known: list[str | None] = [a["name"] for a in algorithms() if a["collective"] == job["collective"]]
    named: dict[str, list[str | None]] = {"chosen": [None], "all": known}
    wanted = named.get(job["algorithms"], job["algorithms"].split(","))
    for size, block in job["sizes"].items():
        for algorithm in wanted:
            try:
                choice = explain(job["collective"], comm.machine, bytes=block, element=element, algorithm=algorithm)
            except _native.AllportError as error:
                if getattr(error, "kind", "") != "unsupported":
                    raise
                continue  # it does not apply to this machine
            schedule = _native.make_schedule(comm.machine, choice)
            seconds, wrong = _native.measure(comm._native, schedule, job["iterations"], job["seconds"])
            if comm.rank == 0:
                emit(result={"asked": int(size), "algorithm": choice.algorithm, "seconds": seconds, "wrong": wrong})
    return {}


sys.exit(as_rank(lambda: _work(sys.argv[1])))
