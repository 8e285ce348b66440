"""Collectives of arrays: blocking, non-blocking, persistent, on sub-communicators."""

import array

import allport as ap
import numpy as np
from given_comm import MPI, comm

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
    for name in (a["name"] for a in ap.collectives.algorithms("bcast")):
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
    for name in (a["name"] for a in ap.collectives.algorithms("alltoall")):
        mine = np.arange(c.size * 9.0).reshape(c.size, 9) + 1000 * c.rank
        wanted = np.arange(9.0) + 9 * c.rank + 1000 * np.arange(c.size)[:, None]
        assert (c.alltoall(mine, algorithm=name) == wanted).all()
    try:
        c.alltoall(np.zeros((c.size + 1, 2)))
    except ap.Error as error:
        assert "one block a rank" in str(error)
    else:
        raise AssertionError("blocks for one rank too many")


class OnlyDlpack:
    """An array that has nothing but DLPack."""

    def __init__(self, array: np.ndarray) -> None:
        self._array = array

    def __dlpack__(self, **how: object) -> object:
        return self._array.__dlpack__()

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._array.__dlpack_device__()


def check_forms(c: ap.Communicator) -> None:
    """Started and prepared calls, blocks of different lengths, given outputs, arrays that are not numpy's."""
    rng = np.random.default_rng(7)
    counts = [0 if r % 3 == 1 else r + 2 for r in range(c.size)]
    rows = rng.integers(-9, 9, (c.size, sum(counts), 3)).astype(float)  # [source, row, ...]
    ends = np.cumsum(counts)
    mine = slice(int(ends[c.rank]) - counts[c.rank], int(ends[c.rank]))
    gathered = np.concatenate([rows[r, : counts[r]] for r in range(c.size)])
    pairs = np.array([[(s + 2 * d) % 4 for d in range(c.size)] for s in range(c.size)])
    sent = [np.arange(3.0 * pairs[s].sum()).reshape(-1, 3) + 1000 * s for s in range(c.size)]
    begins = np.cumsum(pairs, axis=1) - pairs
    got = np.concatenate([sent[s][begins[s, c.rank] :][: pairs[s, c.rank]] for s in range(c.size)])
    root = c.size - 1
    here = c.rank == root
    one = rows[c.rank, : counts[c.rank]].copy()
    even = rng.integers(-9, 9, (c.size, c.size, 5)).astype(float)
    wanted = {
        "bcast": (even[root, 0], (even[root, 0].copy() if here else np.zeros(5), root)),
        "reduce": (even[:, 0].sum(axis=0) if here else None, (even[c.rank, 0], "sum", root)),
        "allreduce": (even[:, 0].max(axis=0), (even[c.rank, 0], "max")),
        "scatter": (even[root, c.rank], (even[root] if here else None, np.zeros(5), root)),
        "gather": (even[:, 0] if here else None, (even[c.rank, 0], root)),
        "allgather": (even[:, 0], (even[c.rank, 0],)),
        "reduce_scatter": (even.sum(axis=0)[c.rank], (even[c.rank],)),
        "alltoall": (even[:, c.rank], (even[c.rank],)),
        "scatterv": (rows[root, mine], (rows[root] if here else None, np.zeros((counts[c.rank], 3)), counts, root)),
        "gatherv": (gathered if here else None, (one, counts, root)),
        "allgatherv": (gathered, (one, counts)),
        "reduce_scatterv": (rows.sum(axis=0)[mine], (rows[c.rank], counts)),
        "alltoallv": (got, (sent[c.rank], pairs[c.rank], pairs[:, c.rank])),
    }

    def same(result: np.ndarray | None, right: np.ndarray | None, what: str) -> None:
        assert (result is None) == (right is None), what
        assert right is None or (result.shape == right.shape and (result == right).all()), (what, result, right)

    for name, (right, arguments) in wanted.items():
        same(getattr(c, name)(*arguments), right, name)
        started = getattr(c, f"start_{name}")(*arguments)
        same(started.wait(), right, f"start_{name}")
        prepared = getattr(c, f"prepare_{name}")(*arguments)
        for _ in range(2):
            same(prepared.start().wait(), right, f"prepare_{name}")
        if right is not None and name not in ("bcast", "scatter", "scatterv"):
            out = np.full_like(right, 99)
            assert getattr(c, name)(*arguments, out=out) is out
            same(out, right, f"{name} into an array")
        elif right is None:
            getattr(c, name)(*arguments)
    c.start_barrier().wait()
    c.prepare_barrier().start().wait()
    # Arrays of others: an object with DLPack alone, and Python's own buffers.
    data = np.arange(6.0) if c.rank == 0 else np.zeros(6)
    c.bcast(OnlyDlpack(data))
    assert (data == np.arange(6.0)).all()
    assert (c.allgather(OnlyDlpack(even[c.rank, 0])) == even[:, 0]).all()
    letters = bytearray(b"allport" if c.rank == 0 else b".......")
    c.bcast(letters)
    assert letters == b"allport"
    numbers = array.array("d", [c.rank, 1.0])
    assert (c.allreduce(numbers) == [c.size * (c.size - 1) / 2, c.size]).all()


def check_numbers_and_operators(c: ap.Communicator) -> None:
    """Reductions of numbers give numbers; mpi4py's operators are ours."""
    got = [c.allreduce(1.5), c.start_allreduce(1.5).wait(), c.prepare_allreduce(np.float64(1.5)).start().wait()]
    assert all(type(x) is np.float64 and x == 1.5 * c.size for x in got), got
    assert c.allreduce(c.rank, MPI.MAX) == c.size - 1 and c.allreduce(2j) == 2j * c.size
    one = c.reduce(np.float32(2), MPI.PROD)
    assert (type(one) is np.float32 and one == 2.0**c.size) if c.rank == 0 else one is None
    assert type(c.allreduce(np.array(1.5))) is np.ndarray
    assert (c.allgather(c.rank) == np.arange(c.size)).all()
    for op, wanted in [(MPI.SUM, c.size), (MPI.PROD, 1.0), (MPI.MAX, 1.0), (MPI.MIN, 1.0)]:
        assert (c.allreduce(np.ones(4), op) == wanted).all()
        assert (c.reduce_scatter(np.ones((c.size, 2)), op) == wanted).all()


check_all(comm)
check_blocks(comm)
check_forms(comm)
check_numbers_and_operators(comm)

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
    check_forms(half)

# Bad arguments are errors, not crashes, and the communicator goes on working.
for call, word in [
    (lambda: comm.bcast(np.zeros(4), size), "root"),
    (lambda: comm.bcast([1, 2], 0), "numpy"),
    (lambda: comm.bcast(np.array([None]), 0), "objects"),
    (lambda: comm.bcast(np.zeros((4, 4))[::2, ::2], 0), "array[...] = b"),
    (lambda: comm.allreduce(np.zeros(4)[::2]), "numpy.ascontiguousarray makes one"),
    (lambda: comm.allreduce(np.zeros(4), MPI.BAND), "MPI.SUM"),
    (lambda: comm.allreduce(np.zeros(4), sum), "MPI.SUM"),
    (lambda: comm.allreduce([1.0]), "numpy.asarray"),
    (lambda: comm.allreduce(2**80), "objects"),
    (lambda: comm.bcast(1.0), "numpy.array(array)"),
    (lambda: comm.alltoall(1.0), "one block a rank"),
    (lambda: comm.reduce(np.zeros(4), "xor"), "op"),
    (lambda: comm.bcast(b"read-only"), "writable"),
    (lambda: comm.allgather(object()), "DLPack"),
    (lambda: comm.allgather(np.zeros(4), out=np.zeros(4)), "out"),
    (lambda: comm.allreduce(np.zeros(4), out=np.zeros(4, "f4")), "out"),
    (lambda: comm.allgatherv(np.zeros(4), [4] * (size + 1)), "counts"),
    (lambda: comm.allgatherv(np.zeros(4), [5] * size), "counts"),
    (lambda: comm.alltoallv(np.zeros(0), [0] * size, [-1] * size), "received"),
    (lambda: comm.start_alltoallv(np.zeros(size), [1] * size, [1] * size, "mst"), "algorithm"),
]:
    try:
        call()
    except ap.Error as error:
        assert word in str(error), error
    else:
        raise AssertionError(word)
comm.barrier()
if rank == 0:
    print("good", comm.machine.name)
