"""Fits many curves to noisy samples by one tall least squares problem. Run it as: mpiexec -n 4 python fit.py"""

import allport as ap  # before mpi4py, so that both use one MPI library
import numpy as np
from mpi4py import MPI

world = MPI.COMM_WORLD
comm = ap.Communicator(world, machine=f"torus:{world.size}")

# Chebyshev polynomials at 2000 points, and three curves with noise; the root deals its rows to all ranks.
rng = np.random.default_rng(1)
points = np.linspace(-1, 1, 2000)
columns = np.polynomial.chebyshev.chebvander(points, 11) if comm.rank == 0 else None
curves = np.stack([np.exp(points), np.sin(3 * points), 1 / (2 + points)], axis=1)
noisy = curves + 1e-3 * rng.standard_normal(curves.shape) if comm.rank == 0 else None
a, b = ap.distribute(columns, comm), ap.distribute(noisy, comm)

x = ap.lstsq(a, b, options=ap.Options(nb=32))
report = ap.last_report()
coefficients = x.to_numpy()

# The same columns, orthonormal: what every further fit at these points needs is a product with Q^H.
q, r = ap.qr(a, options=ap.Options(nb=32))
again = ap.gemm(q.H, b).to_numpy()

if comm.rank == 0:
    fitted = columns @ coefficients
    np.testing.assert_allclose(fitted, curves, atol=1e-3)
    print(f"residuals {', '.join(f'{r:.3g}' for r in report.residuals)}, condition about {report.condition:.3g}")
whole = r.to_numpy()
np.testing.assert_allclose(np.linalg.solve(whole, again), coefficients, atol=1e-12)

# A column twice: the first that depends on others is named.
if comm.rank == 0:
    columns[:, 7] = columns[:, 2]
try:
    ap.lstsq(ap.distribute(columns, comm), b, options=ap.Options(nb=32))
except ap.RankDeficient as error:
    if comm.rank == 0:
        print(f"column {error.column} depends on those before it; rank about {error.rank}")
