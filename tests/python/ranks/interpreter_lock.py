"""A call that waits for other ranks lets the program's other threads run, also where it is an object's end that waits.

Rank 0 makes each call first; the other ranks make theirs only when another thread of rank 0 has sent them a word.
"""

import threading
import time

import allport as ap
import numpy as np
from allport.comm import MPI

comm = ap.Communicator(MPI.COMM_WORLD)
rank, size = comm.rank, comm.size
mpi = MPI.COMM_WORLD


def in_turn(call):
    """Rank 0's part of `call` first, then a word from another thread of it, then the others' parts."""
    if rank != 0:
        mpi.recv(source=0, tag=7)
        return call()

    def tell():
        time.sleep(0.02)  # so that the call is under way
        for other in range(1, size):
            mpi.send(None, dest=other, tag=7)

    thread = threading.Thread(target=tell)
    thread.start()
    result = call()
    thread.join()
    return result


def leave_unfinished():
    array = np.full(1000, 3.0) if rank == size - 1 else np.zeros(1000)
    transfer = comm.Ibcast(array, root=size - 1)
    del transfer  # waits, as nobody has
    return array


assert (in_turn(leave_unfinished) == 3.0).all()
in_turn(comm.barrier)
in_turn(lambda: comm.ensure_all_well(""))
in_turn(lambda: comm.ensure_agreement("n", 5))
part = in_turn(lambda: comm.Split(0))
assert part.size == size
assert in_turn(lambda: comm.sub(list(range(size)))).size == size
assert in_turn(lambda: ap.Communicator(mpi, "mesh:" + str(size))).size == size
total = np.zeros(10)
in_turn(lambda: comm.Allreduce(np.ones(10), total))
assert (total == size).all()
schedule = comm.schedule_for("bcast", root=0, bytes=80)
seconds, wrong = in_turn(lambda: ap._native.measure(comm._native, schedule, 2, 1.0))
assert wrong == 0

# Persistent collectives keep their tags: ranks start them in different orders.
arrays = [np.zeros(10), np.zeros(20)]
often = [comm.prepare(comm.schedule_for("bcast", root=0, bytes=a.nbytes), a) for a in arrays]
for round_ in range(3):
    for i, a in enumerate(arrays):
        a[:] = 10 * round_ + i if rank == 0 else -1
    first = rank % 2
    started = [often[first].Start(), often[1 - first].Start()]
    for transfer in started:
        transfer.Wait()
    for i, a in enumerate(arrays):
        assert (a == 10 * round_ + i).all(), (round_, i, a)
    comm.barrier()
if rank == 0:
    print("good")
