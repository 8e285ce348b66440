"""Compares Jacobi in blocks with a spread (Robson18) with plain MPI + OpenMP, its variants, and CkLoop's policy.

result = ap.bench.jacobi.run(ap.bench.jacobi.Jacobi(grid="4096x4096", block="512x512", spread="1,2"))
"""

from __future__ import annotations

import os
import statistics
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from allport.bench.job import Job, place_of
from allport.bench.places import Place, executable
from allport.errors import failure
from allport.notebook import with_bar
from allport.run.launch import ended_by_signals

__all__ = ["Jacobi", "program", "run"]


@dataclass
class Jacobi:
    """The problem, where it runs, and the variants that compute it.

    grid, block: two or three lengths, '2048x2048'. objects: number of blocks along each axis, instead of block.
    variants: some of 'mpi+openmp', 'nested', 'ckloop', 'spread', 'openmp' (as spread, with OpenMP's loops), 'process a
    core', separated by commas. spread: threads per block, '1,2'; None: all divisors of a rank's threads. chunk,
    schedule, collapse: of the loop within a block. work: times that each row is computed. heavy: factor of this for the
    first of heavy_part parts of the grid. balance: 'none', 'greedy', 'refine', between rounds; several separated by
    commas are all tried. send: whether faces are sent. threads: of a rank; None: its share of the cores. iterations:
    per round.
    """

    grid: str = "2048x2048"
    block: str = "256x256"
    objects: str | None = None
    variants: str = "mpi+openmp,process a core,nested,ckloop,spread"
    spread: str | None = None
    schedule: str = "static"
    chunk: int = 0
    collapse: int = 0
    work: int = 1
    heavy: int = 1
    heavy_part: int = 4
    balance: str = "none"
    send: bool = True
    ranks: int | None = None
    threads: int | None = None
    machine: str | None = None
    lab: str | None = None
    rate: str | None = None
    burst: int | None = None
    limit: int | None = None
    iterations: int = 10
    rounds: int = 5


def program() -> str:
    """Path of this build's bench_jacobi."""
    found = os.environ.get("ALLPORT_JACOBI_PROGRAM") or executable("bench_jacobi")
    if found is None or not os.access(found, os.X_OK):
        raise failure("bench_jacobi: not there; make setup builds it where the compiler has OpenMP", "io")
    return found


def _block(job: Jacobi) -> str:
    """The block's lengths; from the number of objects along each axis, if that is given."""
    if job.objects is None:
        return job.block
    try:
        grid, objects = ([int(n) for n in text.split("x")] for text in (job.grid, job.objects))
    except ValueError:
        raise failure(
            f"objects = '{job.objects}': expected numbers like 24x24, and grid = '{job.grid}' lengths"
        ) from None
    if len(grid) != len(objects) or min(objects) < 1:
        raise failure(f"objects = '{job.objects}': expected as many numbers as grid = '{job.grid}' has, at least 1")
    return "x".join(str(-(-cells // count)) for cells, count in zip(grid, objects, strict=True))


def _one(job: Jacobi, place: Place, variants: str, threads: int | None) -> dict[str, Any]:
    argv = [program(), "--grid", job.grid, "--block", _block(job), "--variants", variants]
    argv += ["--iterations", str(job.iterations), "--rounds", str(job.rounds), "--schedule", job.schedule]
    argv += ["--chunk", str(job.chunk), "--collapse", str(job.collapse), "--heavy", str(job.heavy)]
    argv += ["--work", str(job.work), "--heavy-part", str(job.heavy_part)]
    argv += ["--balance", job.balance]
    argv += ["--threads", str(threads)] if threads else []
    spreads = {"spread", "nested", "openmp"} & set(variants.split(","))
    argv += ["--spread", job.spread] if job.spread and spreads else []
    argv += [] if job.send else ["--no-send"]
    ranks = place.machine.ranks
    crowded = ranks * (threads or 1) > len(os.sched_getaffinity(0))
    # With more threads than cores, waiting OpenMP threads must not occupy a core.
    exports = [("OMP_WAIT_POLICY", "passive")] if crowded else []
    return place.run(argv, exports)[0]


def _recovered(found: dict[str, Any]) -> None:
    """How much of what the slowest rank loses for its work, where no block moves, is won back by moving blocks."""
    median = {name: statistics.median(variant["seconds"]) for name, variant in found.items()}
    for name, variant in found.items():
        base, _, balancer = name.rpartition(", ")
        alone = found.get(f"{base}, none")
        if balancer not in ("greedy", "refine") or alone is None:
            continue
        lost = median[f"{base}, none"] * (1 - 1 / statistics.median(alone["imbalance"]))
        variant["recovered"] = (median[f"{base}, none"] - median[name]) / lost if lost > 0 else None


@with_bar("Jacobi")
def run(job: Jacobi, progress: Callable[[str, float], None] | None = None) -> dict[str, Any]:
    """{"variants": {NAME: {"seconds": [of an iteration, by round], "peak_to_mean": [...], "received": {...}}}, ...}.

    imbalance of Allport's variants: maximum over mean work of the ranks, by round. With several balancers, one of them
    none, recovered: the share of the time lost to imbalance that moving blocks recovers.

    'process a core' starts the program a second time, with one rank per thread. Raises Error or JobFailed.
    """
    variants = [name.strip() for name in job.variants.split(",")]
    of_cores = "process a core" in variants
    others = ",".join(name for name in variants if name != "process a core")
    bench_job = Job("jacobi", machine=job.machine, lab=job.lab, rate=job.rate, burst=job.burst, limit=job.limit,
                    ranks=job.ranks)  # fmt: skip
    with ended_by_signals(), place_of(bench_job) as place:
        if progress:
            progress(others or "a process a core", 0.0)
        result = _one(job, place, others, job.threads) if others else None
        if of_cores and job.lab is None:
            threads = result["threads"] if result else job.threads or 1
            whole = Job("jacobi", machine=f"mesh:{place.machine.ranks * threads}")
            if progress:
                progress("a process a core", 0.7)
            with place_of(whole) as wide:
                found = _one(job, wide, "mpi+openmp", 1)
            one = {"a process a core": next(iter(found["variants"].values()))}
            merged = {**(result["variants"] if result else {}), **one}
            result = {**(result or found), "variants": merged}
        if result is None:
            raise failure("variants = 'process a core': in a lab a node's ranks are given by its spec; give /ppn=")
        if not result["same"]:
            raise failure("two variants computed different cells", "schedule")
        _recovered(result["variants"])
        result["lab"] = None if place.lab is None else place.lab.plan.spec
        return result
