"""The parameters of a benchmark: collective, sizes, where its ranks run, and with which programs."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from allport import _native, dropin
from allport import lab as labs
from allport.bench.places import Place, executable
from allport.bench.rivals import collectives
from allport.collectives import algorithms
from allport.errors import Error, failure
from allport.machine import Machine
from allport.run.job import machine_for
from allport.run.launch import cores
from allport.units import parse_bytes

__all__ = [
    "Job",
    "block_of",
    "check",
    "contract_name",
    "dropin_library",
    "element_of",
    "place_of",
    "program_of",
    "sizes_of",
]

WHOLE = ("bcast", "reduce", "allreduce", "barrier")
SUMS = ("reduce", "allreduce", "reduce_scatter", "reduce_scatter_block")


@dataclass
class Job:
    """A benchmark's parameters. Sizes are of the whole vector: block collectives cut it into a block per rank.

    lab: a spec of a lab to bring up for this run, with links of `rate`, `burst` and `limit` as for `Lab.up`, or the
    name of a lab that is up; None: this computer. through: 'preload' runs the plain MPI program with the drop-in,
    'direct' calls the Communicator, 'auto' preloads if the drop-in is built. algorithms: 'chosen', 'all' or names, for
    the direct mode. sweep: try the MPI library's settings, else only its default; settings: only those whose names
    contain one of these words. rounds: both libraries in turn; iterations: maximum in each round.
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
    """Parses sizes such as '8', '4MB' and 'FIRST:LAST' (doubling); ascending."""
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
    """Bytes of an element: 8 (doubles) for reductions, else 1."""
    return 8 if collective in SUMS else 1


def block_of(collective: str, size: int, ranks: int) -> int:
    """The contract's bytes: of the message, or of one block."""
    if collective == "barrier":
        return 0
    unit = element_of(collective)
    parts = 1 if collective in WHOLE else ranks
    return max(size // unit // parts, 1 if size else 0) * unit


def contract_name(collective: str) -> str:
    """Allport's name of the collective: without v-variants, and one name for both forms of MPI_Reduce_scatter."""
    return {"reduce_scatter_block": "reduce_scatter"}.get(collective, collective.removesuffix("v"))


def check(job: Job) -> None:
    """Raises Error for invalid parameters."""
    if job.collective not in collectives():
        raise failure(f"collective = '{job.collective}': expected one of {', '.join(collectives())}")
    for name in ("rounds", "iterations"):
        if getattr(job, name) < 1:
            raise failure(f"{name} = {getattr(job, name)}: expected at least 1")
    if job.through not in ("auto", "preload", "direct"):
        raise failure(f"through = '{job.through}': expected auto, preload or direct")
    if job.algorithms not in ("chosen", "all"):
        known = [a["name"] for a in algorithms() if a["collective"] == contract_name(job.collective)]
        for name in job.algorithms.split(","):
            if name not in known:
                raise failure(f"algorithms = '{name}': expected chosen, all, or some of {', '.join(known)}")
    if job.against not in (None, "mpi"):
        raise failure(f"against = '{job.against}': expected mpi")
    for name in ("rate", "burst", "limit"):
        if job.lab is None and getattr(job, name) is not None:
            raise failure(f"{name} = {getattr(job, name)}: is of a lab's links; give a lab, such as lab = torus:4x4")


@contextmanager
def place_of(job: Job) -> Iterator[Place]:
    """The place of a benchmark; takes the lab down at the end if it was brought up for it."""
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
    """Path of the plain MPI program; the installed one is for the MPI that Allport was built for."""
    built = family == _native.build_info()["mpi_family"]
    found = os.environ.get("ALLPORT_BENCH_PROGRAM") or (executable("bench_collective") if built else None)
    if found is None or not os.access(found, os.X_OK):
        raise failure(
            f"bench_collective: the plain MPI program for {family} is not there; make setup builds that of this "
            "build; or: mpicxx -std=c++20 -O2 bench/collective.cpp -o P, and ALLPORT_BENCH_PROGRAM=P",
            "io",
        )
    return found


def dropin_library(job: Job) -> str | None:
    """The library to preload, or None if it is not built."""
    given = job.library or os.environ.get("ALLPORT_DROPIN_LIBRARY")
    if given:
        if not os.access(given, os.R_OK):
            raise failure(f"library = '{given}': not there; allport dropin mpi prints the path of the drop-in", "io")
        return os.path.abspath(given)
    try:
        return dropin.library("mpi", job.mpi)
    except Error:
        if job.through == "preload":
            raise
        return None  # the direct mode needs none
