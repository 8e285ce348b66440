"""Jacobi in blocks that spread, balance and change while it runs. Run it as: mpiexec -n 4 python jacobi.py"""

import allport as ap  # before mpi4py, so that both use one MPI library
import numpy as np

comm = ap.Communicator()
plate = ap.loops.Blocks((300, 200), (32, 50), comm=comm)  # more blocks than cores
plate.fill(lambda i, j: np.where(i < 0, 1.0, 0.0))  # warm along one edge


def relax(part):
    """Rows of a block; several threads call it, and numpy runs without the interpreter's lock."""
    t = part.now
    part.next[:] = 0.2 * (t[1:-1, 1:-1] + t[:-2, 1:-1] + t[2:, 1:-1] + t[1:-1, :-2] + t[1:-1, 2:])


plate.select(blocks=[(32, 50), (75, 100)], schedules=["static", "dynamic"])  # and all shapes of the teams
for _ in range(10):
    plate.iterate(20, relax)  # in another configuration each time, until the best is known
    plate.balance()

heat = comm.allreduce(sum(part.cells.sum() for part in plate))
assert abs(heat - 1286.2324633) < 1e-6  # as a serial program has it, on any number of ranks and threads
if comm.rank == 0:
    print(f"after {plate.iteration} iterations the plate holds {heat:.6f}; {plate.best} is best so far")
