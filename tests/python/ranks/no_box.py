"""Gathers and broadcasts among all ranks but the last, as an MPI program; rank 0 prints the seconds of broadcasts."""

import sys
import time

import numpy as np
from mpi4py import MPI

world = MPI.COMM_WORLD
some = world.Split(0 if world.rank + 1 < world.size else MPI.UNDEFINED, -world.rank)
if some != MPI.COMM_NULL:
    n = int(sys.argv[1])
    took = []
    for turn in range(int(sys.argv[2])):
        data = np.full(n, turn if some.rank == 1 else -1, dtype=np.int32)
        some.Barrier()
        start = time.monotonic()
        some.Bcast(data, root=1)
        took.append(some.allreduce(time.monotonic() - start, MPI.MAX))
        assert (data == turn).all()
        everyone = np.zeros((some.size, 8), dtype=np.int32) if some.rank == 0 else None
        some.Gather(np.full(8, some.rank + turn, dtype=np.int32), everyone)
        assert everyone is None or (everyone == np.arange(some.size)[:, None] + turn).all()
    if some.rank == 0:
        print("seconds", *(f"{s:.3f}" for s in took), flush=True)
    some.Free()
