"""Factors a distributed matrix once and solves with it many times. Run it as: mpiexec -n 4 python solve.py"""

import allport as ap  # before mpi4py, so that both use one MPI library
import numpy as np
from mpi4py import MPI

world = MPI.COMM_WORLD
comm = ap.Communicator(world, machine=f"torus:{world.size}")

# The root has the matrix; every rank gets its part, and replaces it by its part of the factors.
rng = np.random.default_rng(1)
n = 300
whole = rng.standard_normal((n, n)) if comm.rank == 0 else None
factors = ap.lu(ap.distribute(whole, comm), overwrite_a=True)
report = ap.last_report()

# Right-hand sides in numpy, which rank 0 has, give solutions in numpy on every rank; transposed systems need no new
# factors.
b = np.ones((n, 3)) if comm.rank == 0 else None
x, y = factors.solve(b), factors.solve(b, trans="T")
sign, logarithm = factors.slogdet()
condition = factors.condition()

if comm.rank == 0:
    np.testing.assert_allclose(whole @ x, b, atol=1e-9)
    np.testing.assert_allclose(whole.T @ y, b, atol=1e-9)
    print(f"growth {factors.growth:.3g}, condition {condition:.3g}, det {sign:+.0f} * exp({logarithm:.5g})")
    print(f"factored in {report.seconds['total']:.3g} s, as planned: {report.as_planned}")
