"""Several threads, each with a communicator of its own: collectives of all at the same time, the GIL released."""

import sys
import threading

import allport as ap
import numpy as np
from allport.comm import MPI

THREADS, ROUNDS = 3, 20
world = ap.Communicator(MPI.COMM_WORLD)
comms = [world.Dup() for _ in range(THREADS)]
wrong: list[str] = []


def work(t: int) -> None:
    c = comms[t]
    try:
        for i in range(ROUNDS):
            mine = np.full(500, 100.0 * t + i + c.rank)
            everyone, total = np.zeros((c.size, 500)), np.zeros(500)
            pending = c.Iallgather(mine, everyone)
            c.Allreduce(mine, total)
            pending.Wait()
            assert (total == sum(100.0 * t + i + r for r in range(c.size))).all()
            assert (everyone == [[100.0 * t + i + r] for r in range(c.size)]).all()
            got = mine if c.rank == i % c.size else np.zeros(500)
            c.Bcast(got, i % c.size)
            assert (got == 100.0 * t + i + i % c.size).all()
            c.Barrier()
    except BaseException as error:
        wrong.append(f"thread {t}: {error!r}")


if MPI.Query_thread() == MPI.THREAD_MULTIPLE:
    threads = [threading.Thread(target=work, args=(t,)) for t in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
else:
    sys.exit("this MPI has no MPI_THREAD_MULTIPLE")
assert not wrong, wrong
if world.rank == 0:
    print("good")
