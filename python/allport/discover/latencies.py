"""Discovers a network that no source describes: hosts with low latency between them form a group.

`python -m allport.discover.latencies JSON` is one of the ranks.
"""

from __future__ import annotations

import dataclasses
import itertools
import json
import math
import socket
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from allport.discover.shape import Evidence, Level, Shape, tree_of
from allport.errors import failure
from allport.run.launch import run as launch
from allport.run.rank import as_rank

__all__ = ["cluster", "join", "run", "shape_of"]

NAMES = ("host", "group", "cluster", "site")
STEP = 1.5  # latencies that differ by a smaller factor count as the same distance
CALLS = 30


def _joined(seconds: np.ndarray, below: float) -> list[list[int]]:
    """0 .. n-1 in groups connected by latencies less than `below`; groups are ascending and sorted by their first
    members."""
    groups: list[list[int]] = []
    left = set(range(len(seconds)))
    while left:
        reached, new = set(), [min(left)]
        while new:
            i = new.pop()
            if i not in reached:
                reached.add(i)
                new += [j for j in left if j not in reached and seconds[i, j] < below]
        groups.append(sorted(reached))
        left -= reached
    return groups


def cluster(seconds: np.ndarray) -> tuple[list, float]:
    """Nested lists of 0 .. n-1, clustered by latency, and the smallest ratio between two distances, at least STEP; inf
    if there is one distance only.

    seconds: symmetric, of one message between each pair. Single-linkage clustering: a jump by STEP in the join times
    separates levels of groups.
    """
    # Prim's algorithm: the join times are the edges of the minimum spanning tree.
    n = len(seconds)
    nearest = np.array(seconds[0]) if n else np.zeros(0)
    inside = np.zeros(n, dtype=bool)
    inside[:1] = True
    joins: list[float] = []
    for _ in range(1, n):
        new = int(np.argmin(np.where(inside, np.inf, nearest)))
        joins.append(float(nearest[new]))
        inside[new] = True
        nearest = np.minimum(nearest, seconds[new])
    joins.sort()
    jumps = [(a, b) for a, b in itertools.pairwise(joins) if b > STEP * a]
    tree: list = list(range(n))
    for a, b in jumps:
        below = math.sqrt(a * b) if a > 0 else b / 2
        firsts = {_members(branch)[0]: branch for branch in tree}
        tree = [[firsts[i] for i in group if i in firsts] for group in _joined(seconds, below)]
    return tree, min((b / a if a > 0 else math.inf for a, b in jumps), default=math.inf)


def _members(branch: Any) -> list[int]:
    return [branch] if isinstance(branch, int) else [i for inner in branch for i in _members(inner)]


def shape_of(hosts: Sequence[str], seconds: np.ndarray) -> Shape:
    """The tree of hosts, clustered by latency. seconds: a matrix; (i, j) and (j, i) may differ. Raises Error."""
    n = len(hosts)
    if n == 0 or np.shape(seconds) != (n, n) or not np.isfinite(seconds).all() or (np.asarray(seconds) < 0).any():
        raise failure(f"seconds: expected a time >= 0 between each two of {n} hosts")
    both = np.minimum(seconds, np.transpose(seconds))
    branches, clear = cluster(both)

    def named(branch: Any) -> Any:
        return hosts[branch] if isinstance(branch, int) else [named(inner) for inner in branch]

    found = tree_of([named(branch) for branch in branches], NAMES, "latencies", "groups")
    off = both[~np.eye(n, dtype=bool)]
    spread = f"{off.min() * 1e6:.3g} to {off.max() * 1e6:.3g} us" if n > 1 else "one host"
    sure = f"measured, groups {clear:.1f} times apart" if math.isfinite(clear) else "measured, no groups"
    first, *rest = found.evidence
    found_as = Evidence(first.what, first.value, f"latencies of {n} hosts, {spread}", sure)
    return dataclasses.replace(found, evidence=(found_as, *rest))


def join() -> Shape | None:
    """Measures latencies between the hosts of the ranks that mpiexec has started, one pair at a time; returns the shape
    on rank 0.

    If all ranks are on one host, measures between the ranks. Collective.
    """
    from allport.comm import MPI

    comm = MPI.COMM_WORLD
    names = comm.allgather(socket.gethostname())
    alone = len(set(names)) == 1
    chosen = list(range(comm.size)) if alone else [names.index(name) for name in dict.fromkeys(names)]
    hosts = [f"{names[r]}:{r}" if alone else names[r] for r in chosen]
    seconds = np.zeros((len(chosen), len(chosen)))
    word = np.zeros(1, dtype=np.uint8)
    for i, a in enumerate(chosen):
        for j, b in enumerate(chosen[:i]):
            comm.Barrier()
            if comm.rank in (a, b):
                other = b if comm.rank == a else a
                times = []
                for _ in range(CALLS):
                    began = MPI.Wtime()
                    if comm.rank == a:
                        comm.Send(word, other)
                        comm.Recv(word, other)
                    else:
                        comm.Recv(word, other)
                        comm.Send(word, other)
                    times.append(MPI.Wtime() - began)
                seconds[i, j] = seconds[j, i] = min(times) / 2
            seconds[i, j] = seconds[j, i] = comm.bcast(float(seconds[i, j]), a)
    return dataclasses.replace(shape_of(hosts, seconds), inside=alone) if comm.rank == 0 else None


def run(ranks: int) -> Shape:
    """join() on ranks that this process starts. Raises Error or JobFailed."""
    told = launch("allport.discover.latencies", {}, ranks, lambda event: None)
    return Shape(
        tuple(told["lengths"]),
        tuple(told["wraps"]),
        tuple(Level(**level) for level in told["levels"]),
        tuple(told["hosts"]),
        tuple(Evidence(**evidence) for evidence in told["evidence"]),
        inside=told["inside"],
    )


def _work() -> dict[str, Any] | None:
    found = join()
    return None if found is None else dataclasses.asdict(found)


if __name__ == "__main__":
    json.loads(sys.argv[1])
    sys.exit(as_rank(_work))
