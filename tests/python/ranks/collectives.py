"""Broadcasts and reductions of numpy arrays: blocking, non-blocking, persistent, on sub-communicators."""

import allport as ap
import numpy as np
from given_comm import comm

size, rank = comm.size, comm.rank


def check_all(c: ap.Communicator) -> None:
    rng = np.random.default_rng(5)  # the same numbers on every rank, whatever it did before
    for root in sorted({0, c.size - 1, c.size // 2}):
        for shape in [(), (0,), (1,), (1000,), (37, 11)]:
            for dtype in ["f4", "f8", "c16", "i4", "u1", "?"]:
                wanted = np.asarray(rng.integers(0, 2, shape).astype(dtype))
                got = wanted.copy() if c.rank == root else np.zeros(shape, dtype)
                assert c.bcast(got, root) is got and (got == wanted).all()
        parts = [np.asfortranarray(rng.integers(-9, 9, (23, 17)).astype(float)) for _ in range(c.size)]
        for op, wanted in [("sum", sum(parts)), ("max", np.max(parts, axis=0)), ("min", np.min(parts, axis=0))]:
            result = c.reduce(parts[c.rank], op, root)
            assert (result is not None) == (c.rank == root)
            if result is not None:
                assert (result == wanted).all()
    for name in (a["name"] for a in ap.algorithms("bcast")):
        got = np.arange(5000.0) if c.rank == 0 else np.zeros(5000)
        c.bcast(got, 0, algorithm=name)
        assert (got == np.arange(5000.0)).all()


def check_blocks(c: ap.Communicator) -> None:
    rng = np.random.default_rng(6)
    for shape in [(), (0,), (3,), (700,), (5, 40)]:
        everyone = rng.integers(-9, 9, (c.size, c.size, *shape)).astype(float)  # [source, destination, ...]
        mine = everyone[c.rank]
        assert (c.alltoall(mine) == everyone[:, c.rank]).all()
        assert (c.reduce_scatter(mine) == everyone.sum(axis=0)[c.rank]).all()
        assert (c.allreduce(mine, "max") == everyone.max(axis=0)).all()
        assert (c.allgather(mine[0]) == everyone[:, 0]).all()
        for root in sorted({0, c.size - 1, c.size // 2}):
            out = np.zeros(shape)
            assert c.scatter(mine if c.rank == root else None, out, root) is out
            assert (out == everyone[root, c.rank]).all()
            collected = c.gather(mine[0], root)
            assert (collected is not None) == (c.rank == root)
            assert collected is None or (collected == everyone[:, 0]).all()
    fortran = np.asfortranarray(rng.random((4, 6)))
    assert np.allclose(c.allreduce(fortran), c.size * fortran)
    for name in (a["name"] for a in ap.algorithms("alltoall")):
        mine = np.arange(c.size * 9.0).reshape(c.size, 9) + 1000 * c.rank
        wanted = np.arange(9.0) + 9 * c.rank + 1000 * np.arange(c.size)[:, None]
        assert (c.alltoall(mine, algorithm=name) == wanted).all()
    try:
        c.alltoall(np.zeros((c.size + 1, 2)))
    except ap.AllportError as error:
        assert "one block a rank" in str(error)
    else:
        raise AssertionError("blocks for one rank too many")


check_all(comm)
check_blocks(comm)

# Many in flight at once, finished in the opposite order.
arrays = [np.full(3000 + i, float(i)) if rank == i % size else np.zeros(3000 + i) for i in range(12)]
transfers = [comm.start_bcast(a, i % size) for i, a in enumerate(arrays)]
sums = [comm.start_reduce(np.full(100, float(rank + i)), root=i % size) for i in range(6)]
for i in reversed(range(12)):
    transfers[i].wait()
    assert transfers[i].test() and not transfers[i].active
    assert (arrays[i] == i).all()
for i, transfer in enumerate(sums):
    result = transfer.wait()
    if rank == i % size:
        assert (result == sum(r + i for r in range(size))).all()

# test() alone moves things along, too.
polled = np.arange(200.0) if rank == 0 else np.zeros(200)
transfer = comm.start_bcast(polled)
while not transfer.test():
    pass
assert (polled == np.arange(200.0)).all()

# Persistent: the same arrays many times.
data = np.zeros(777)
schedule = comm.schedule_for("bcast", root=0, bytes=data.nbytes)
often = comm.prepare(schedule, data)
for round_ in range(4):
    if rank == 0:
        data[:] = round_
    often.start().wait()
    assert (data == round_).all()
    comm.barrier()

# Traffic is what the schedule says.
comm.reset_counted()
comm.bcast(np.zeros(4000), 0)
predicted = comm.schedule_for("bcast", root=0, bytes=32000).traffic(comm._native.position(rank))
assert comm.counted.to_dict() == predicted.to_dict(), (comm.counted, predicted)

part = comm.split(rank % 2, -rank)
assert part.size == len(range(rank % 2, size, 2)) and part.rank == part.size - 1 - rank // 2
check_all(part)
check_blocks(part)
assert comm.split(None) is None
if rank < (size + 1) // 2:
    half = comm.sub(list(range((size + 1) // 2)))
    check_all(half)
    check_blocks(half)

# Bad arguments are errors, not crashes, and the communicator goes on working.
for call, word in [
    (lambda: comm.bcast(np.zeros(4), size), "root"),
    (lambda: comm.bcast([1, 2], 0), "numpy"),
    (lambda: comm.bcast(np.array([None]), 0), "objects"),
    (lambda: comm.bcast(np.zeros((4, 4))[::2, ::2], 0), "contiguous"),
    (lambda: comm.reduce(np.zeros(4), "xor"), "op"),
]:
    try:
        call()
    except ap.AllportError as error:
        assert word in str(error), error
    else:
        raise AssertionError(word)
comm.barrier()
if rank == 0:
    print("good", comm.machine.name)
