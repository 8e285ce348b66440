"""One rank kills itself while the others wait for it."""

import os
import signal
import sys

import allport as ap
import numpy as np
from allport.comm import MPI

comm = ap.Communicator(MPI.COMM_WORLD)
comm.barrier()
if comm.rank == 1:
    os.kill(os.getpid(), signal.SIGKILL)
comm.Bcast(np.zeros(1000), 1)
sys.exit(0)
