"""One rank of orders.py: sends a pattern's messages under several orders by turns, and says how long each took.

Usage: orders_ranks.py FILE ROUNDS; FILE has {"patterns": [{"messages": [[from, to, bytes], ...],
"orders": {NAME: [place of each rank]}}]}. MPI's rank is the place. Rank 0 prints a line of JSON: for each pattern, for
each order, the slowest rank's seconds of each round.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
from mpi4py import MPI

WORLD = MPI.COMM_WORLD


def exchange(messages: list[list[int]], places: list[int], seed: int) -> float:
    """All of the messages at once; seconds until this rank has sent and received its own, after its data is checked."""
    here = WORLD.rank
    mine = [(places[a], places[b], n, tag) for tag, (a, b, n) in enumerate(messages) if here in (places[a], places[b])]
    out = [(to, tag, np.full(n, (tag + seed) % 251, np.uint8)) for source, to, n, tag in mine if source == here]
    into = [(source, tag, np.zeros(n, np.uint8)) for source, to, n, tag in mine if to == here]
    WORLD.Barrier()
    began = MPI.Wtime()
    requests = [WORLD.Irecv(data, source, tag) for source, tag, data in into]
    requests += [WORLD.Isend(data, to, tag) for to, tag, data in out]
    MPI.Request.Waitall(requests)
    seconds = MPI.Wtime() - began
    for source, tag, data in into:
        if not (data == (tag + seed) % 251).all():
            raise RuntimeError(f"rank {here}: message {tag} from {source} is wrong")
    return seconds


def main() -> None:
    given = json.loads(Path(sys.argv[1]).read_text())
    found = []
    for pattern in given["patterns"]:
        times: dict[str, list[float]] = {name: [] for name in pattern["orders"]}
        for round_ in range(int(sys.argv[2]) + 1):
            for name, places in pattern["orders"].items():
                slowest = WORLD.allreduce(exchange(pattern["messages"], places, round_), MPI.MAX)
                if round_ > 0:  # the first one opens connections
                    times[name].append(slowest)
        found.append(times)
    if WORLD.rank == 0:
        print(json.dumps(found), flush=True)


if __name__ == "__main__":
    main()
