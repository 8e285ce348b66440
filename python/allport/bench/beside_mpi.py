"""Compares Allport's collectives with the MPI library's, in turn in one run, after a search for MPI's best settings."""

from __future__ import annotations

import json
import re
import statistics
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from allport import _native
from allport.bench import measured
from allport.bench.job import (
    Job,
    block_of,
    check,
    contract_name,
    dropin_library,
    element_of,
    place_of,
    program_of,
    sizes_of,
)
from allport.bench.places import Place, raw_machine
from allport.bench.rivals import Variant, variants
from allport.collectives import loaded
from allport.errors import failure
from allport.notebook import with_bar
from allport.run.launch import ended_by_signals
from allport.select import explain
from allport.sim import Model, simulate

__all__ = ["run"]

Progress = Callable[[str, float], None]
FINALISTS = 2  # MPI settings besides the default that are timed in the rounds


@dataclass
class _Row:
    """The times of one size."""

    size: int
    bytes: int
    mpi: dict[str, list[float]] = field(default_factory=dict)
    ours: dict[str, list[float]] = field(default_factory=dict)
    wrong: int = 0


class _Bench:
    def __init__(self, job: Job, place: Place, progress: Progress) -> None:
        self.job, self.place, self.progress = job, place, progress
        self.program = program_of(place.family) if job.against or job.through != "direct" else ""
        self.library = dropin_library(job) if job.through != "direct" else None
        ranks = place.machine.ranks
        self.rows = {s: _Row(s, block_of(job.collective, s, ranks)) for s in sizes_of(job.sizes)}
        if job.collective == "barrier":
            self.rows = {0: _Row(0, 0)}
        self.settings = {s: [Variant("default")] for s in self.rows}
        self.mpi_name = _native.mpi_library_name()
        self.env = {"OMPI_MCA_coll_tuned_use_dynamic_rules": "1", **job.environment}

    def _limits(self, iterations: int, seconds: float) -> list[str]:
        return ["--iterations", str(iterations), "--seconds", str(seconds)]

    def _mpi(self, wanted: dict[int, list[Variant]], iterations: int, seconds: float) -> None:
        """One run of the plain program for all settings without an environment of their own, and one for each of the
        others."""
        groups: dict[tuple[tuple[str, str], ...], dict[int, list[Variant]]] = {}
        for size, some in wanted.items():
            for one in some:
                groups.setdefault(one.env, {}).setdefault(size, []).append(one)
        for env, plan in groups.items():
            names = {(size, v.tune): v.name for size, some in plan.items() for v in some}
            text = ";".join(f"{size}={','.join(v.tune for v in some)}" for size, some in plan.items())
            for line in self._plain(text, env, iterations, seconds):
                name = names[line["asked"], line["variant"]] if not env else plan[line["asked"]][0].name
                row = self.rows[line["asked"]]
                row.mpi.setdefault(name, []).extend(line["seconds"])
                row.wrong += line["wrong"]

    def _plain(
        self, plan: str, exports: Sequence[tuple[str, str]], iterations: int, seconds: float
    ) -> list[dict[str, Any]]:
        argv = [self.program, self.job.collective, "--plan", plan, *self._limits(iterations, seconds)]
        lines = self.place.run(argv, exports, self.env)
        for line in lines:
            if "library" in line:
                self.mpi_name = " ".join(re.sub(r"\bv(?=\d)|Version:", "", line["library"]).split())
        return [line for line in lines if "asked" in line]

    def sweep(self) -> None:
        """Times every setting of the MPI library once at all sizes, and keeps the best few for each size."""
        tried = {s: _named(variants(self.place.family, self.job.collective, s), self.job.settings) for s in self.rows}
        self._mpi(tried, 1 if max(self.rows) >= 1 << 18 else 5, 0.05)
        for size, row in self.rows.items():
            others = [v for v in tried[size] if v.name != "default" and v.name in row.mpi]
            best = sorted(others, key=lambda v: min(row.mpi[v.name]))[:FINALISTS]
            self.settings[size] = [Variant("default"), *best]
            row.mpi = {}

    def rival_round(self) -> None:
        """A round of MPI's default and best settings."""
        self._mpi(self.settings, self.job.iterations, self.job.seconds)

    def our_round(self) -> None:
        """A round of Allport, through the drop-in or directly."""
        if self.library is not None:
            policy = self.env.get("ALLPORT_DROPIN", "always")
            exports = [("LD_PRELOAD", self.library), ("ALLPORT_DROPIN", policy)]
            plan = ";".join(str(size) for size in self.rows)
            for line in self._plain(plan, exports, self.job.iterations, self.job.seconds):
                self._keep(line["asked"], "drop-in", line)
            return
        asked = {
            "collective": contract_name(self.job.collective),
            "sizes": {str(s): row.bytes for s, row in self.rows.items()},
            "algorithms": self.job.algorithms,
            "load": loaded(),
            "iterations": self.job.iterations,
            "seconds": self.job.seconds,
        }
        for line in self.place.run(
            [sys.executable, "-m", "allport.bench.direct", json.dumps(asked)], env=self.job.environment
        ):
            if "asked" in line:
                self._keep(line["asked"], line["algorithm"], line)

    def _keep(self, size: int, name: str, line: dict[str, Any]) -> None:
        self.rows[size].ours.setdefault(name, []).extend(line["seconds"])
        self.rows[size].wrong += line["wrong"]

    def all(self) -> None:
        job = self.job
        steps = job.rounds + (1 if job.against and job.sweep else 0)
        if job.against and job.sweep:
            self.progress("trying MPI's settings", 0.0)
            self.sweep()
        for i in range(job.rounds):
            self.progress(f"round {i + 1} of {job.rounds}", (steps - job.rounds + i) / steps)
            if job.against:
                self.rival_round()
            self.our_round()

    def result(self) -> dict[str, Any]:
        place, job = self.place, self.job
        return {
            "collective": job.collective,
            "machine": place.machine.name,
            "ranks": place.machine.ranks,
            "lab": None if place.lab is None else place.lab.plan.spec,
            "links": None if place.lab is None else place.lab.plan.links(),
            "library": self.mpi_name,
            "through": "direct" if self.library is None else "preload",
            "rounds": job.rounds,
            "sizes": [_summary(row, job, place) for row in self.rows.values()],
        }


def _named(known: list[Variant], words: Sequence[str]) -> list[Variant]:
    found = [v for v in known if v.name == "default" or not words or any(w in v.name for w in words)]
    if words and len(found) == 1:
        raise failure(f"settings = {', '.join(words)!r}: known are {', '.join(v.name for v in known)}")
    return found


def _times(values: list[float]) -> dict[str, Any]:
    return {"median": statistics.median(values), "least": min(values), "most": max(values), "samples": len(values)}


def _summary(row: _Row, job: Job, place: Place) -> dict[str, Any]:
    mpi = {name: _times(v) for name, v in row.mpi.items()}
    ours = {name: _times(v) for name, v in row.ours.items()}
    rival = min(mpi, key=lambda n: mpi[n]["least"]) if mpi else None
    best = min(ours, key=lambda n: ours[n]["least"]) if ours else None
    what = contract_name(job.collective)
    choice = explain(what, place.machine, bytes=row.bytes, element=element_of(job.collective))
    bound = _native.bound(what, raw_machine(place), 0, row.bytes)
    simulated = simulate(
        _native.make_schedule(place.machine, choice), place.machine, model=Model(overheads="serial")
    ).seconds
    found: dict[str, Any] = {
        "size": row.size,
        "bytes": row.bytes,
        "wrong": row.wrong,
        "chosen": {"algorithm": choice.algorithm, "segment": choice.segment, "predicted": choice.predicted},
        "simulated": simulated,
        "mpi_price": choice.mpi,
        "mpi": mpi,
        "mpi_best": rival,
        "ours": ours,
        "ours_best": best,
        "bound": bound,
    }
    if best is not None:
        found["of_bound"] = bound / ours[best]["least"]
    if best is not None and rival is not None:
        found["ratio"] = mpi[rival]["least"] / ours[best]["least"]
        found["ratio_of_medians"] = mpi[rival]["median"] / ours[best]["median"]
    return found


def _entries(result: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The entries that `allport explain` shows later."""
    for row in result["sizes"]:
        head = {"collective": contract_name(result["collective"]), "bytes": row["bytes"], "library": result["library"]}
        for name, t in row["ours"].items():
            chosen = name in ("drop-in", row["chosen"]["algorithm"])
            algorithm = row["chosen"]["algorithm"] if chosen else name
            segment = row["chosen"]["segment"] if chosen else None
            yield {**head, "algorithm": algorithm, "segment": segment, "seconds": t["median"], **t}
        if row["mpi_best"] is not None:
            t = row["mpi"].get("default") or row["mpi"][row["mpi_best"]]
            yield {**head, "algorithm": measured.MPI, "segment": None, "seconds": t["median"], **t}


@with_bar("benchmark")
def run(job: Job, progress: Progress | None = None) -> dict[str, Any]:
    """Runs the comparison; {"sizes": [{size, mpi, mpi_best, ours, ours_best, ratio, bound, of_bound, wrong, ...}]},
    and in "links" the settings of the lab's links.

    Times are seconds of the slowest rank; they are stored for `allport explain`. Raises Error or JobFailed.
    """
    check(job)
    with ended_by_signals(), place_of(job) as place:  # so that the lab is taken down
        bench = _Bench(job, place, progress or (lambda what, done: None))
        bench.all()
        result = bench.result()
        result["measured"] = str(measured.record(place.machine, _entries(result), job.measured))
    return result
