"""allreduce of as many elements on all ranks but the last: an error where a message is another than was expected, a
line about the wait where none comes, and with ALLPORT_CHECK=1 an error on every rank. Arguments: what to expect."""

import sys

import allport as ap
import numpy as np
from allport.comm import MPI

comm = ap.Communicator(MPI.COMM_WORLD)
last = comm.rank == comm.size - 1
few = {"mismatch": 11, "checked": 0, "stall": 0}[sys.argv[1]]
try:
    mine = np.ones(few if last else 10)
    comm.Allreduce(mine, mine.copy())
    print(f"no error on {comm.rank}", flush=True)
except ap.Error as error:
    print(f"rank {comm.rank}: {error.kind}: {error}", flush=True)
    raise
