"""Broadcasts while computing, then reduces. Run it as: mpiexec -n 4 python broadcast.py"""

import allport as ap  # before mpi4py, so that both use one MPI library
import numpy as np
from mpi4py import MPI

comm = ap.Communicator(MPI.COMM_WORLD, machine=f"torus:{MPI.COMM_WORLD.size}")

weights = np.arange(100_000.0) if comm.rank == 0 else np.empty(100_000)
transfer = comm.Ibcast(weights, root=0)  # comes in along all links at once
mine = np.full(1000, float(comm.rank))
while not transfer.Test():  # moves the message along between pieces of work
    mine = np.sqrt(mine * mine)
assert weights[-1] == 99_999.0

total = np.empty_like(mine) if comm.rank == 0 else None
comm.Reduce(mine, total, MPI.SUM, root=0)
if comm.rank == 0:
    assert (total == sum(range(comm.size))).all()
    print(f"{comm.size} ranks, rank 0 sent {comm.counted.bytes_sent} bytes in {comm.counted.messages_sent} messages")
