"""Collectives against the MPI library's best setting, side by side in one run, every byte checked.

    result = ap.bench.run(ap.bench.Job("bcast", sizes=["4MB"], machine="torus:4x4"))

`python -m allport.bench JSON` is a rank of the direct mode.
"""

from __future__ import annotations

import json
import os
import re
import statistics
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from allport import _native, dropin, measured, places
from allport import lab as labs
from allport.collectives import algorithms
from allport.errors import AllportError, failure
from allport.job import machine_for
from allport.launch import cores, ended_by_signals
from allport.machine import Machine
from allport.places import Place, raw_machine
from allport.rank import as_rank, emit
from allport.rivals import Variant, collectives, variants
from allport.select import explain
from allport.sim import simulate
from allport.units import parse_bytes

__all__ = ["Job", "run", "sizes_of"]

Progress = Callable[[str, float], None]
FINALISTS = 2  # settings of MPI that go on to the rounds beside its default
WHOLE = ("bcast", "reduce", "allreduce", "barrier")
SUMS = ("reduce", "allreduce", "reduce_scatter", "reduce_scatter_block")


@dataclass
class Job:
    """What is to be compared. Sizes are of the whole vector: block collectives cut it into a block per rank.

    lab: a spec, brought up for this run with links of `rate`, `burst` and `limit` as `Lab.up` takes them, or the name
    of a lab that is up; None: this computer.
    through: 'preload' runs the plain MPI program with the drop-in, 'direct' calls the Communicator, 'auto' preloads
    where the drop-in is built. algorithms: 'chosen', 'all' or names, for the direct mode. sweep: try the MPI library's
    settings, else only its default; settings: only those whose names hold one of these words. rounds: both sides by
    turns; iterations: at most so many in each.
    """

    collective: str
    sizes: Sequence[str | int] = ("8:1MiB",)
    machine: str | None = None
    lab: str | None = None
    rate: str | None = None
    burst: int | None = None
    limit: int | None = None
    mpi: str | None = None
    against: str | None = "mpi"
    through: str = "auto"
    algorithms: str = "chosen"
    sweep: bool = True
    rounds: int = 5
    iterations: int = 20
    seconds: float = 0.5
    library: str | None = None
    measured: str | None = None
    ranks: int | None = None
    settings: Sequence[str] = ()
    environment: dict[str, str] = field(default_factory=dict)


def sizes_of(texts: Sequence[str | int]) -> list[int]:
    """Sizes of '8', '4MB' and 'FIRST:LAST' (doubling), ascending."""
    found: set[int] = set()
    for text in texts:
        for part in str(text).split(","):
            ends = [parse_bytes(end, "sizes") for end in part.split(":")]
            if len(ends) > 2 or (len(ends) == 2 and not 0 < ends[0] <= ends[1]):
                raise failure(f"sizes = '{part}': expected SIZE or FIRST:LAST with 0 < FIRST <= LAST, like 8:16MiB")
            size = ends[0]
            while size <= ends[-1]:
                found.add(size)
                if size == 0:
                    break
                size *= 2
    return sorted(found)


def element_of(collective: str) -> int:
    """Bytes that are never cut apart: doubles where they are added, else single bytes."""
    return 8 if collective in SUMS else 1


def block_of(collective: str, size: int, ranks: int) -> int:
    """Contract's bytes: the message, or one block."""
    if collective == "barrier":
        return 0
    unit = element_of(collective)
    parts = 1 if collective in WHOLE else ranks
    return max(size // unit // parts, 1 if size else 0) * unit


def contract_name(collective: str) -> str:
    """Allport's name: v-variants and MPI_Reduce_scatter's two forms are one collective each."""
    return {"reduce_scatter_block": "reduce_scatter"}.get(collective, collective.removesuffix("v"))


def _check(job: Job) -> None:
    if job.collective not in collectives():
        raise failure(f"collective = '{job.collective}': expected one of {', '.join(collectives())}")
    for name in ("rounds", "iterations"):
        if getattr(job, name) < 1:
            raise failure(f"{name} = {getattr(job, name)}: expected at least 1")
    if job.through not in ("auto", "preload", "direct"):
        raise failure(f"through = '{job.through}': expected auto, preload or direct")
    if job.against not in (None, "mpi"):
        raise failure(f"against = '{job.against}': expected mpi")
    for name in ("rate", "burst", "limit"):
        if job.lab is None and getattr(job, name) is not None:
            raise failure(f"{name} = {getattr(job, name)}: is of a lab's links; give a lab, such as lab = torus:4x4")


@contextmanager
def place_of(job: Job) -> Iterator[Place]:
    """The lab is taken down at the end if it was brought up for this."""
    if job.lab is None:
        spec = job.machine or os.environ.get("ALLPORT_MACHINE") or f"mesh:{job.ranks or cores()}"
        yield Place(machine_for(spec, job.ranks, 1), mpi=job.mpi, spec=spec)
        return
    if job.lab in labs.names():
        lab = labs.Lab.attach(job.lab)
        for name in ("rate", "burst", "limit"):
            if getattr(job, name) is not None:
                there = labs.format_links(lab.plan.links())
                raise failure(
                    f"{name} = {getattr(job, name)}: lab '{job.lab}' is up already, with {there}; leave it out, or "
                    f"give the spec of a lab that is brought up for this run"
                )
        yield Place(Machine.parse(job.machine or lab.machine_file), lab, job.mpi, job.machine)
        return
    lab = labs.Lab.up(job.lab, job.rate, f"bench{os.getpid()}", job.burst, job.limit)
    with lab:
        yield Place(Machine.parse(job.machine or lab.machine_file), lab, job.mpi, job.machine)


def program_of(family: str) -> str:
    """The plain MPI program; the one beside the package is of the MPI that Allport was built for."""
    built = family == _native.build_info()["mpi_family"]
    found = os.environ.get("ALLPORT_BENCH_PROGRAM") or (places.executable("bench_collective") if built else None)
    if found is None or not os.access(found, os.X_OK):
        raise failure(
            f"bench_collective: the plain MPI program for {family} is not there; make setup builds that of this "
            "build; or: mpicxx -std=c++20 -O2 bench/collective.cpp -o P, and ALLPORT_BENCH_PROGRAM=P",
            "io",
        )
    return found


def dropin_library(job: Job) -> str | None:
    """The library to preload, or None where it is not built."""
    given = job.library or os.environ.get("ALLPORT_DROPIN_LIBRARY")
    if given:
        if not os.access(given, os.R_OK):
            raise failure(f"library = '{given}': not there; allport dropin mpi prints the path of the drop-in", "io")
        return os.path.abspath(given)
    try:
        return dropin.library("mpi", job.mpi)
    except AllportError:
        if job.through == "preload":
            raise
        return None  # the direct mode needs none


@dataclass
class _Row:
    """All times of one size."""

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
        """One run of the plain program for all settings that need no environment of their own, one for each other."""
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
        """Every setting of the MPI library once, all sizes; the best few of each size stay."""
        tried = {s: _named(variants(self.place.family, self.job.collective, s), self.job.settings) for s in self.rows}
        self._mpi(tried, 1 if max(self.rows) >= 1 << 18 else 5, 0.05)
        for size, row in self.rows.items():
            others = [v for v in tried[size] if v.name != "default" and v.name in row.mpi]
            best = sorted(others, key=lambda v: min(row.mpi[v.name]))[:FINALISTS]
            self.settings[size] = [Variant("default"), *best]
            row.mpi = {}

    def rival_round(self) -> None:
        """MPI's own, its finalists."""
        self._mpi(self.settings, self.job.iterations, self.job.seconds)

    def our_round(self) -> None:
        """Ours, through the drop-in or directly."""
        if self.library is not None:
            policy = self.env.get("ALLPORT_DROPIN", "always")
            exports = [("LD_PRELOAD", self.library), ("ALLPORT_DROPIN", policy)]
            plan = ";".join(str(size) for size in self.rows)
            for line in self._plain(plan, exports, self.job.iterations, self.job.seconds):
                self._keep(line["asked"], "drop-in", line)
            return
        told = {
            "collective": contract_name(self.job.collective),
            "sizes": {str(s): row.bytes for s, row in self.rows.items()},
            "algorithms": self.job.algorithms,
            "iterations": self.job.iterations,
            "seconds": self.job.seconds,
        }
        for line in self.place.run([sys.executable, "-m", "allport.bench", json.dumps(told)], env=self.job.environment):
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
    simulated = simulate(_native.make_schedule(place.machine, choice), place.machine, overheads="serial").seconds
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
    """What explain shows later."""
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


def run(job: Job, progress: Progress | None = None) -> dict[str, Any]:
    """Runs the comparison; {"sizes": [{size, mpi, mpi_best, ours, ours_best, ratio, bound, of_bound, wrong, ...}]},
    and in "links" what the lab's links are set to.

    Times in seconds of the slowest rank. Keeps them for `allport explain`. Raises AllportError or JobFailed.
    """
    _check(job)
    with ended_by_signals(), place_of(job) as place:  # or a lab would outlive it
        bench = _Bench(job, place, progress or (lambda what, done: None))
        bench.all()
        result = bench.result()
        result["measured"] = str(measured.record(place.machine, _entries(result), job.measured))
    return result


def _direct(text: str) -> dict[str, Any] | None:
    """A rank of the direct mode: times schedules of ours."""
    from allport.comm import MPI, Communicator

    job = json.loads(text)
    comm = Communicator(MPI.COMM_WORLD)
    element = element_of(job["collective"])
    known = [a["name"] for a in algorithms() if a["collective"] == job["collective"]]
    wanted = {"chosen": [None], "all": known}.get(job["algorithms"], job["algorithms"].split(","))
    for size, block in job["sizes"].items():
        for algorithm in wanted:
            try:
                choice = explain(job["collective"], comm.machine, bytes=block, element=element, algorithm=algorithm)
            except _native.AllportError as error:
                if getattr(error, "kind", "") != "unsupported":
                    raise
                continue  # it cannot serve this machine
            schedule = _native.make_schedule(comm.machine, choice)
            seconds, wrong = _native.measure(comm._native, schedule, job["iterations"], job["seconds"])
            if comm.rank == 0:
                emit(result={"asked": int(size), "algorithm": choice.algorithm, "seconds": seconds, "wrong": wrong})
    return {}


if __name__ == "__main__":
    sys.exit(as_rank(lambda: _direct(sys.argv[1])))
