"""Broadcasts of SIZE bytes by our schedules for SECONDS; rank 0 prints the best rate."""

import sys
import time

import allport as ap
import numpy as np
from mpi4py import MPI

size, seconds = int(sys.argv[1]), float(sys.argv[2])
world = MPI.COMM_WORLD
comm = ap.Communicator(world)
data = np.zeros(size, dtype=np.uint8)
end, best, more = time.monotonic() + seconds, 0.0, np.ones(1, dtype=np.uint8)
while more[0]:
    data[:] = 7 if comm.rank == 0 else 0
    comm.barrier()
    start = time.monotonic()
    comm.Bcast(data, algorithm=sys.argv[3] if len(sys.argv) > 3 else None)
    comm.barrier()
    best = max(best, size / (time.monotonic() - start))
    assert (data == 7).all()
    more[0] = time.monotonic() < end
    comm.Bcast(more)
if comm.rank == 0:
    print(f"{best / 1e6:.2f} MB/s", flush=True)
