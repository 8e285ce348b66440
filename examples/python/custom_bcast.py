"""A broadcast of your own, proven, simulated, explained and run. Run it as: mpiexec -n 4 python custom_bcast.py

Or load it: allport schedule verify bcast -m torus:4x4 -a heap --load custom_bcast.py
"""

import allport as ap  # before mpi4py, so that both use one MPI library
from allport.schedule import Op, Piece, Slot


def heap(machine, contract, cut):
    """A binary heap of ranks: rank v from the root hangs below (v - 1) / 2."""
    n, root, home = contract.ranks, contract.root, Slot("output")

    def program(rank):
        if contract.bytes == 0:
            return []
        piece = Piece((root, root), (0, n - 1), (0, contract.bytes))
        v, arrived = (rank - root) % n, []
        if v > 0:
            arrived = [Op("receive", piece, peer=((v - 1) // 2 + root) % n, segment=cut.segment, target=home)]
        children = [(child + root) % n for child in (2 * v + 1, 2 * v + 2) if child < n]
        after = [(0, 0)] if arrived else []  # segment i goes on once segment i is here
        return arrived + [Op("send", piece, peer=c, segment=cut.segment, source=home, after=after) for c in children]

    return program


ap.collectives.register_algorithm("bcast", "heap", heap)

if __name__ == "__main__":
    import numpy as np
    from mpi4py import MPI

    comm = ap.Communicator(MPI.COMM_WORLD, machine=f"torus:{MPI.COMM_WORLD.size}")
    data = np.arange(1e5) if comm.rank == 0 else np.empty(100_000)
    comm.Bcast(data, algorithm="heap")
    assert data[-1] == 99_999
    if comm.rank == 0:
        schedule = ap.make_schedule("bcast", "torus:4x4", algorithm="heap", bytes="64KiB")
        print(ap.verify.prove(schedule, "torus:4x4"), ap.simulate(schedule, "torus:4x4").seconds, "s")
        print(ap.explain("bcast", "torus:4x4", bytes="64KiB", algorithm="heap"))
