"""Ladder terms of coupled cluster doubles, iterated to the energy. Run it as: mpiexec -n 4 python coupled_cluster.py"""

import allport as ap  # before mpi4py, so that both use one MPI library
import numpy as np
from mpi4py import MPI

world = MPI.COMM_WORLD
comm = ap.Communicator(world, machine=f"torus:{world.size}")
occupied, virtual = 5, 9

# Integrals with the symmetries of <pq||rs>, weak enough for the iteration to converge, and orbital energies.
rng = np.random.default_rng(1)
n = occupied + virtual
raw = rng.standard_normal((n, n, n, n))
raw = raw - raw.transpose(1, 0, 2, 3)
raw = raw - raw.transpose(0, 1, 3, 2)
whole = 0.02 * (raw + raw.transpose(2, 3, 0, 1))
energy = np.concatenate([-2 - rng.random(occupied), 1 + rng.random(virtual)])
o, v = slice(0, occupied), slice(occupied, n)
denominators = (
    energy[o, None, None, None] + energy[o, None, None] - energy[v, None] - energy[v]
)  # [i, j, a, b], below zero

# The root has the integrals; amplitudes and what is added to them lie alike: virtual a along the ranks.
mine = ap.tensors.TensorDistribution.onto((occupied, occupied, virtual, virtual), comm.machine, ("", "", "x", ""))


def dealt(array, distribution=None):
    return ap.tensors.distribute(array if comm.rank == 0 else None, comm, distribution=distribution)


v_oovv, d = dealt(whole[o, o, v, v], mine), dealt(denominators, mine)
v_vvvv, v_oooo = dealt(whole[v, v, v, v]), dealt(whole[o, o, o, o])


def over_denominators(r):
    return ap.DistributedTensor(comm, mine, r.local / d.local)


t = over_denominators(v_oovv)
steps = 0
while steps < 30:
    steps += 1
    ladder = ap.einsum("abcd,ijcd->ijab", v_vvvv, t, distribution=mine)
    report = ap.last_report()
    assert report.as_planned
    holes = ap.einsum("klij,klab->ijab", v_oooo, t, distribution=mine)
    new = over_denominators(v_oovv + 0.5 * ladder + 0.5 * holes)
    change = (new - t).to_numpy()
    t = new
    if np.abs(change).max() < 1e-12:
        break
correlation = 0.25 * float(ap.einsum("ijab,ijab->", v_oovv, t).to_numpy())

# The same by numpy alone.
wanted = whole[o, o, v, v] / denominators
for _ in range(steps):
    r = whole[o, o, v, v] + 0.5 * np.einsum("abcd,ijcd->ijab", whole[v, v, v, v], wanted)
    wanted = (r + 0.5 * np.einsum("klij,klab->ijab", whole[o, o, o, o], wanted)) / denominators
np.testing.assert_allclose(t.to_numpy(), wanted, rtol=1e-10, atol=1e-12)
np.testing.assert_allclose(correlation, 0.25 * (whole[o, o, v, v] * wanted).sum(), rtol=1e-10)

if comm.rank == 0:
    plan = ap.tensors.plan_einsum(
        "abcd,ijcd->ijab", v_vvvv.shape, t.shape, comm.machine, given=(v_vvvv.distribution, mine)
    )
    print(f"correlation energy {correlation:.9f} after {steps} steps; particle ladder: {plan}")
