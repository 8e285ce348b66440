"""Random small problems, one after the other on all ranks of MPI, each compared with what was asked for: factorizations
and solves by Cholesky, LU and QR, least squares, products. Problem i of a seed is the same in every run. A rank whose
problem takes longer than --stall seconds says where it is and ends the job. Run by tools/delay-suite:

    mpiexec -n 4 python tests/python/random_factorizations.py --seed 1 --problems 100
"""

from __future__ import annotations

import argparse
import collections
import faulthandler
import random
import sys
import time
from collections.abc import Callable
from typing import Any

import allport as ap
import numpy as np
from mpi4py import MPI

LARGEST_ERROR = 1e-11  # backward, of problems of less than 200 rows


def error_of(difference: np.ndarray, *sizes: float) -> float:
    """The largest number of a difference, by what it is a difference of."""
    return float(np.abs(difference).max(initial=0.0)) / max(float(np.prod(sizes)), 1e-300)


def norm(a: np.ndarray) -> float:
    return float(np.abs(a).sum(axis=1).max(initial=0.0))


class Problem:
    """Sizes, block size and numbers, drawn from a seed and a number."""

    def __init__(self, seed: int, number: int) -> None:
        self.draw = random.Random(seed * 1_000_003 + number)
        self.numbers = np.random.default_rng([seed, number])
        self.kind = self.draw.choice(list(KINDS))
        self.n = self.draw.randint(1, 90)
        self.k = self.draw.randint(1, 60)
        self.rhs = self.draw.randint(1, 30)
        self.nb = self.draw.choice([0, 4, 8, 16])
        self.workers = self.draw.choice([1, 1, 1, 2])

    def __str__(self) -> str:
        return f"{self.kind} n={self.n} k={self.k} rhs={self.rhs} nb={self.nb} workers={self.workers}"

    def normal(self, *shape: int) -> np.ndarray:
        return self.numbers.standard_normal(shape)

    def options(self, comm: Any) -> dict[str, Any]:
        return {"comm": comm, "options": ap.Options(nb=self.nb, workers=self.workers)}


def residual(a: np.ndarray, x: np.ndarray, b: np.ndarray) -> float:
    return error_of(a @ x - b, norm(a) * norm(x) + norm(b))


def positive(p: Problem) -> np.ndarray:
    a = p.normal(p.n, p.n)
    return a @ a.T + p.n * np.eye(p.n)


def cholesky(p: Problem, comm: Any) -> float:
    a, b = positive(p), p.normal(p.n, p.rhs)
    return residual(a, ap.solve(a, b, assume_a="pos", **p.options(comm)), b)


def lu(p: Problem, comm: Any) -> float:
    a, b = p.normal(p.n, p.n) + p.n * np.eye(p.n), p.normal(p.n, p.rhs)
    return residual(a, ap.lu(a, comm=comm).solve(b), b)


def solve(p: Problem, comm: Any) -> float:
    a, b = p.normal(p.n, p.n) + p.n * np.eye(p.n), p.normal(p.n, p.rhs)
    return residual(a, ap.solve(a, b, comm=comm, options=ap.Options(refine=p.draw.choice([False, True]))), b)


def qr(p: Problem, comm: Any) -> float:
    a = p.normal(p.n, p.k)
    q, r = ap.qr(a, **p.options(comm))
    return max(error_of(q @ r - a, norm(a)), error_of(q.T @ q - np.eye(q.shape[1]), p.n))


def lstsq(p: Problem, comm: Any) -> float:
    a, b = p.normal(p.n + p.k, p.n), p.normal(p.n + p.k, p.rhs)
    x = ap.lstsq(a, b, **p.options(comm))
    return error_of(a.T @ (a @ x - b), norm(a.T), norm(a) * norm(x) + norm(b))


def gemm(p: Problem, comm: Any) -> float:
    a, b = p.normal(p.n, p.k), p.normal(p.k, p.rhs)
    return error_of(ap.gemm(a, b, comm=comm) - a @ b, norm(a), norm(b))


KINDS: dict[str, Callable[[Problem, Any], float]] = {
    "cholesky": cholesky,
    "lu": lu,
    "qr": qr,
    "lstsq": lstsq,
    "solve": solve,
    "gemm": gemm,
}


def main() -> int:
    asks = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asks.add_argument("--seed", type=int, default=1)
    asks.add_argument("--problems", type=int, default=100)
    asks.add_argument("--first", type=int, default=0, help="the number of the first problem")
    asks.add_argument("--stall", type=float, default=300.0, help="seconds that one problem may take; 0: no end")
    told = asks.parse_args()
    world = MPI.COMM_WORLD
    comm = ap.Communicator(world)
    counts: collections.Counter[str] = collections.Counter()
    worst, began = 0.0, time.monotonic()
    for number in range(told.first, told.first + told.problems):
        if told.stall > 0:
            faulthandler.dump_traceback_later(told.stall, exit=True)
        problem = Problem(told.seed, number)
        try:
            error = KINDS[problem.kind](problem, comm)
        except Exception as what:
            error = float("nan")
            print(f"rank {world.rank}: {what!r}", file=sys.stderr)
        if not error < LARGEST_ERROR:
            where = f"problem {number} of seed {told.seed} on {world.size} ranks: {problem}"
            print(f"rank {world.rank}: error {error:.1e} in {where}")
            sys.stdout.flush()
            world.Abort(3)
        worst = max(worst, error)
        counts[problem.kind] += 1
    faulthandler.cancel_dump_traceback_later()
    if world.rank == 0:
        kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(counts.items()))
        seconds = time.monotonic() - began
        where = f"{world.size} ranks, seed {told.seed}"
        print(f"{counts.total()} well on {where}, {seconds:.0f} s: {kinds}; worst {worst:.1e}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
