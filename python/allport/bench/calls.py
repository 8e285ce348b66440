"""Times many short collective calls with and without the preloaded library.

    result = ap.bench.calls.run(ap.bench.Job("all", sizes=["0", "8:64KiB"], machine="torus:2x2"), calls=200)

Calls follow each other as in programs, with rotating roots, in these modes: plain; with the drop-in in `auto`; with
tuning of reductions, too (`free`: ALLPORT_SELECT); without tuning (`price`); with every call taken (`always`).
"""

from __future__ import annotations

import os
import statistics
from collections.abc import Callable, Sequence
from typing import Any

from allport.bench.job import Job, dropin_library, place_of, program_of, sizes_of
from allport.bench.places import Place
from allport.bench.rivals import collectives
from allport.errors import failure
from allport.machine import measured_on
from allport.notebook import with_bar
from allport.run.launch import ended_by_signals

__all__ = ["MODES", "run"]

MODES: dict[str, dict[str, str]] = {
    "plain": {},
    "repeat": {},
    "auto": {"ALLPORT_DROPIN": "auto"},
    "free": {"ALLPORT_DROPIN": "auto", "ALLPORT_SELECT": "free"},
    "price": {"ALLPORT_DROPIN": "auto", "ALLPORT_SELECT": "off"},
    "always": {"ALLPORT_DROPIN": "always"},
}
"""The drop-in's settings by mode. plain: without the drop-in; repeat: the same again, to show how much runs differ."""
USUAL = ("plain", "auto", "always")
WITHOUT = ("plain", "repeat")


def _check(job: Job, calls: int, modes: Sequence[str]) -> list[str]:
    names = collectives() if job.collective == "all" else [name.strip() for name in job.collective.split(",")]
    for name in names:
        if name not in collectives():
            raise failure(f"collective = '{name}': expected all, or some of {', '.join(collectives())}")
    for mode in modes:
        if mode not in MODES:
            raise failure(f"modes = '{mode}': expected some of {', '.join(MODES)}")
    if "plain" not in modes:
        raise failure(f"modes = {','.join(modes)}: expected plain among them, beside which the others stand")
    for what, number in (("calls", calls), ("rounds", job.rounds)):
        if number < 1:
            raise failure(f"{what} = {number}: expected at least 1")
    return names


def _round(
    job: Job, place: Place, mode: str, names: list[str], calls: int, library: str, first: bool
) -> list[dict[str, Any]]:
    """One run of the plain MPI program, with or without the drop-in: a line for each collective and size."""
    exports = [] if mode in WITHOUT else [("LD_PRELOAD", library), *MODES[mode].items()]
    plan = ";".join(str(size) for size in sizes_of(job.sizes))
    argv = [program_of(place.family), ",".join(names), "--plan", plan]
    argv += ["--calls", str(calls), "--seconds", str(job.seconds), "--first", str(int(first))]
    return [line for line in place.run(argv, exports, job.environment) if "asked" in line]


def _times(values: list[float]) -> dict[str, float]:
    return {"median": statistics.median(values), "least": min(values), "most": max(values)}


@with_bar("calls")
def run(
    job: Job,
    calls: int = 200,
    progress: Callable[[str, float], None] | None = None,
    modes: Sequence[str] = USUAL,
    first: bool = False,
) -> dict[str, Any]:
    """{"calls", "modes", "rows": [{collective, size, wrong, MODE...}]}: seconds of a call, {median, least, most}.

    job: a bench.Job, of which these are used: collective ('all' or names separated by commas), sizes, machine or lab,
    mpi, library, rounds, and seconds (for each collective and size in a round). Each round starts the program once for
    each mode, in rotated order. first: time the first `calls` calls of a communicator, during which the drop-in tunes
    itself; a row's "later" then has the times of the second half of them. Raises Error or JobFailed.
    """
    names = _check(job, calls, modes)
    with ended_by_signals(), place_of(job) as place:
        library = dropin_library(job)
        if library is None:
            raise failure("library: the MPI drop-in is not built; make setup builds it", "io")
        rows: dict[tuple[str, int], dict[str, Any]] = {}
        for turn in range(job.rounds):
            order = [modes[(turn + i) % len(modes)] for i in range(len(modes))]  # each mode comes first in some rounds
            for i, mode in enumerate(order):
                if progress:
                    progress(f"round {turn + 1} of {job.rounds}, {mode}", (turn + i / len(modes)) / job.rounds)
                for line in _round(job, place, mode, names, calls, library, first):
                    key = (line["collective"], line["asked"])
                    row = rows.setdefault(key, {"collective": key[0], "size": key[1], "wrong": 0})
                    row.setdefault(mode, []).append(line["seconds"])
                    if first:
                        row.setdefault("later", {}).setdefault(mode, []).append(line["later"])
                    row["wrong"] += line["wrong"]
        for row in rows.values():
            for mode in modes:
                row[mode] = _times(row[mode])
            if first:
                row["later"] = {mode: _times(row["later"][mode]) for mode in modes}
        return {
            "machine": place.machine.name,
            "calibrated": bool(measured_on(place.machine)),
            "ranks": place.machine.ranks,
            "lab": None if place.lab is None else place.lab.plan.spec,
            "cores": len(os.sched_getaffinity(0)),
            "mpi": place.family,
            "calls": calls,
            "modes": list(modes),
            "rounds": job.rounds,
            "rows": list(rows.values()),
        }
