"""Multiplies two distributed matrices and checks the product. Run it as: mpiexec -n 4 python multiply.py"""

import allport as ap  # before mpi4py, so that both use one MPI library
import numpy as np
from mpi4py import MPI

world = MPI.COMM_WORLD
comm = ap.Communicator(world, machine=f"torus:{world.size}")

# The root has the matrices; every rank gets its part.
rng = np.random.default_rng(1)
a = rng.standard_normal((300, 200)) if comm.rank == 0 else None
b = rng.standard_normal((200, 250)) if comm.rank == 0 else None
part_a, part_b = ap.distribute(a, comm), ap.distribute(b, comm)

# What will be done and what it will cost, before it is done.
plan = ap.plan.gemm(300, 250, 200, comm.machine)
product = ap.gemm(part_a, part_b, plan=plan)
report = ap.last_report()

whole = product.gather(root=0)
if comm.rank == 0:
    np.testing.assert_allclose(whole, a @ b, rtol=1e-12, atol=1e-12)
    print(f"{plan.algorithm} on {plan.grid}: {report.seconds['total']:.3g} s, as planned: {report.as_planned}")
