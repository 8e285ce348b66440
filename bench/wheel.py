"""A wheel's speed beside that of the library as it is built from source: the same short program under both Pythons in
turn, each time in processes of its own, on two ranks of this computer.

Usage: bench/wheel.py WHEEL_PYTHON BUILT_PYTHON [--rounds 29] [--what allreduce_8B,allreduce_1MiB,solve_2000]
Both must find the same MPI library. Medians over the rounds, and the median of the rounds' ratios with its quartiles.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import time
from collections.abc import Callable

RANKS = 2
LAUNCH = (
    "import allport as ap, json; "
    "launch = ap.run.launch; "
    f"print(json.dumps([launch.mpiexec_command({RANKS}), launch.environment({RANKS}), ap.mpi.library_path()]))"
)


def timed(call: Callable[[], object], times: int, batches: int) -> float:
    """Seconds of one call: the median over batches."""
    seconds = []
    for _ in range(batches):
        begin = time.perf_counter()
        for _ in range(times):
            call()
        seconds.append((time.perf_counter() - begin) / times)
    return statistics.median(seconds)


def ranks_part(what: str) -> None:
    """What each rank does; rank 0 prints seconds."""
    import allport as ap
    import numpy as np
    from mpi4py import MPI

    comm = ap.Communicator(MPI.COMM_WORLD)
    kind, _, size = what.partition("_")
    if kind == "allreduce":
        x = np.full({"8B": 1, "1MiB": 131072}[size], 1.0 + comm.rank)
        y = np.empty_like(x)
        times = 1000 if size == "8B" else 20
        timed(lambda: comm.Allreduce(x, y), times, 2)
        seconds = timed(lambda: comm.Allreduce(x, y), times, 21)
        assert (y == RANKS * (RANKS + 1) / 2).all()
    elif kind == "solve":
        n = int(size)
        rng = np.random.default_rng(1)
        whole, right = rng.standard_normal((n, n)), rng.standard_normal((n, 1))
        a, b = ap.distribute(whole, comm), ap.distribute(right, comm)
        solution = ap.solve(a, b).gather()
        seconds = timed(lambda: ap.solve(a, b), 1, 3)
        if comm.rank == 0:
            assert np.linalg.norm(whole @ solution - right) < 1e-7 * n
    else:
        raise SystemExit(f"--what {what}: expected allreduce_8B, allreduce_1MiB or solve_N")
    if comm.rank == 0:
        print(f"seconds {seconds!r}")


class Side:
    """A Python with an allport."""

    def __init__(self, python: str) -> None:
        self.python = python
        self.base = {k: v for k, v in os.environ.items() if not k.startswith(("MPI4PY_", "PYTHONPATH"))}
        done = subprocess.run([python, "-c", LAUNCH], env=self.base, capture_output=True, text=True, check=True)
        self.launcher, more, self.library = json.loads(done.stdout)
        self.env = {**self.base, **more, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}

    def run(self, what: str) -> float:
        command = [*self.launcher, self.python, __file__, "--ranks-part", what]
        done = subprocess.run(command, env=self.env, capture_output=True, text=True, check=True)
        return float(next(line for line in done.stdout.splitlines() if line.startswith("seconds ")).split()[1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pythons", nargs="*")
    parser.add_argument("--rounds", type=int, default=29)
    parser.add_argument("--what", default="allreduce_8B,allreduce_1MiB,solve_2000")
    parser.add_argument("--ranks-part", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.ranks_part:
        return ranks_part(given.ranks_part)
    if len(given.pythons) != 2:
        parser.error("expected WHEEL_PYTHON BUILT_PYTHON")
    sides = [Side(python) for python in given.pythons]
    if sides[0].library != sides[1].library:
        raise SystemExit(f"two MPI libraries: {sides[0].library} and {sides[1].library}; set MPI4PY_LIBMPI")
    for what in given.what.split(","):
        pairs = []
        for i in range(given.rounds):
            both = {k: sides[k].run(what) for k in ((0, 1) if i % 2 == 0 else (1, 0))}
            pairs.append((both[0], both[1]))
        wheel, built = (statistics.median(side) * 1e6 for side in zip(*pairs, strict=True))
        ratios = sorted(a / b for a, b in pairs)
        low, middle, high = statistics.quantiles(ratios, n=4)
        print(
            f"{what:16} wheel {wheel:10.2f} us, built {built:10.2f} us, ratio {wheel / built:.3f}; "
            f"of {given.rounds} rounds median {middle:.3f}, quartiles {low:.3f} {high:.3f}",
            flush=True,
        )
    return None


if __name__ == "__main__":
    main()
