"""A broadcast of the program's own on several ranks: refused where ranks differ, chosen by price, used by threads."""

import importlib.util
import sys
import threading

import allport as ap
import numpy as np
from mpi4py import MPI

spec = importlib.util.spec_from_file_location("custom_bcast", sys.argv[1])
mine = importlib.util.module_from_spec(spec)
rank, size = MPI.COMM_WORLD.rank, MPI.COMM_WORLD.size
where = f"torus:{size}"
before = ap.Communicator(MPI.COMM_WORLD, machine=where)


def said(call) -> str:
    try:
        call()
    except ap.Error as error:
        return str(error)
    return "nothing was raised"


if rank == 1:
    spec.loader.exec_module(mine)
told = said(lambda: ap.Communicator(MPI.COMM_WORLD, machine=where))
assert "algorithms registered by the program" in told and "bcast heap on rank 1" in told, told
if rank != 1:
    spec.loader.exec_module(mine)
assert "choose one of" in said(lambda: before.Bcast(np.zeros(9), algorithm="heap"))


def broken(machine, contract, cut):
    return lambda rank: [][rank]


ap.collectives.register_algorithm("bcast", "broken", broken)
ap.collectives.register_algorithm(
    "bcast", "cheap", mine.heap, price=lambda machine, contract, cut: 1e-9 * contract.bytes / 1e6
)
comm = ap.Communicator(MPI.COMM_WORLD, machine=where)
data = np.arange(1e5) if rank == 0 else np.empty(100_000)
comm.Bcast(data)
assert (data == np.arange(1e5)).all()
assert comm.schedule_for("bcast", bytes=800_000).algorithm == "cheap"
told = said(lambda: comm.Bcast(np.zeros(9), algorithm="broken"))
assert "algorithm 'broken' raised IndexError" in told and "registered.py:" in told, told

# Programs are made from many threads at once, each of which needs the interpreter for it.
schedule = ap.make_schedule("bcast", "torus:6x6", algorithm="heap", bytes="64KiB")
proofs = []
threads = [
    threading.Thread(target=lambda: proofs.append(bool(ap.verify.prove(schedule, "torus:6x6")))) for _ in range(4)
]
for thread in threads:
    thread.start()
transfers = [comm.Ibcast(np.full(1000, rank), root=r % size, algorithm="heap") for r in range(8)]
for transfer in transfers:
    transfer.Wait()
for thread in threads:
    thread.join()
assert proofs == [True] * 4
MPI.COMM_WORLD.Barrier()
if rank == 0:
    print("registered ok")
