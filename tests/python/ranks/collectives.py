"""Collectives of arrays, named as in mpi4py: blocking, started, prepared, on sub-communicators."""

import array
from collections.abc import Callable
from typing import Any

import allport as ap
import numpy as np
from given_comm import MPI, comm

size, rank = comm.size, comm.rank
HERE = comm.Get_rank(), comm.Get_size()
assert HERE == (rank, size) == (MPI.COMM_WORLD.rank, MPI.COMM_WORLD.size)


def got(call: Callable[..., None], *arguments: Any, like: Any, **more: Any) -> np.ndarray:
    """What a call puts into an array like `like`, its second buffer."""
    made = np.full_like(np.asarray(like), 99)
    call(arguments[0], made, *arguments[1:], **more)
    return made


def check_all(c: ap.Communicator) -> None:
    rng = np.random.default_rng(5)  # the same numbers on every rank, whatever it did before
    for root in sorted({0, c.size - 1, c.size // 2}):
        for shape in [(), (0,), (1,), (1000,), (37, 11)]:
            for dtype in ["f4", "f8", "c16", "i4", "u1", "?"]:
                wanted = np.asarray(rng.integers(0, 2, shape).astype(dtype))
                data = wanted.copy() if c.rank == root else np.zeros(shape, dtype)
                c.Bcast(data, root)
                assert (data == wanted).all()
        parts = [np.asfortranarray(rng.integers(-9, 9, (23, 17)).astype(float)) for _ in range(c.size)]
        for op, wanted in [("sum", sum(parts)), ("max", np.max(parts, axis=0)), ("min", np.min(parts, axis=0))]:
            result = np.zeros_like(parts[0]) if c.rank == root else None
            c.Reduce(parts[c.rank], result, op, root)
            assert result is None or (result == wanted).all()
    for name in (a["name"] for a in ap.collectives.algorithms("bcast")):
        data = np.arange(5000.0) if c.rank == 0 else np.zeros(5000)
        c.Bcast(data, 0, algorithm=name)
        assert (data == np.arange(5000.0)).all()


def check_blocks(c: ap.Communicator) -> None:
    rng = np.random.default_rng(6)
    for shape in [(), (0,), (3,), (700,), (5, 40)]:
        everyone = rng.integers(-9, 9, (c.size, c.size, *shape)).astype(float)  # [source, destination, ...]
        mine = everyone[c.rank]
        assert (got(c.Alltoall, mine, like=mine) == everyone[:, c.rank]).all()
        assert (got(c.Reduce_scatter_block, mine, like=mine[0]) == everyone.sum(axis=0)[c.rank]).all()
        assert (got(c.Allreduce, mine, "max", like=mine) == everyone.max(axis=0)).all()
        one = mine[0].copy() if shape else np.array(mine[0])
        assert (got(c.Allgather, one, like=mine) == everyone[:, 0]).all()
        for root in sorted({0, c.size - 1, c.size // 2}):
            out = np.zeros(shape)
            c.Scatter(mine if c.rank == root else None, out, root)
            assert (out == everyone[root, c.rank]).all()
            collected = np.zeros_like(mine) if c.rank == root else None
            c.Gather(one, collected, root)
            assert collected is None or (collected == everyone[:, 0]).all()
    fortran = np.asfortranarray(rng.random((4, 6)))
    assert np.allclose(got(c.Allreduce, fortran, like=fortran), c.size * fortran)
    for name in (a["name"] for a in ap.collectives.algorithms("alltoall")):
        mine = np.arange(c.size * 9.0).reshape(c.size, 9) + 1000 * c.rank
        wanted = np.arange(9.0) + 9 * c.rank + 1000 * np.arange(c.size)[:, None]
        assert (got(c.Alltoall, mine, like=mine, algorithm=name) == wanted).all()


class OnlyDlpack:
    """An array that has nothing but DLPack."""

    def __init__(self, array: np.ndarray) -> None:
        self._array = array

    def __dlpack__(self, **how: object) -> object:
        return self._array.__dlpack__()

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._array.__dlpack_device__()


def check_forms(c: ap.Communicator) -> None:
    """Started and prepared calls, blocks of different lengths, arrays that are not numpy's."""
    rng = np.random.default_rng(7)
    counts = [0 if r % 3 == 1 else r + 2 for r in range(c.size)]
    parts = rng.integers(-9, 9, (c.size, sum(counts))).astype(float)  # [source, element]
    ends = np.cumsum(counts)
    mine = slice(int(ends[c.rank]) - counts[c.rank], int(ends[c.rank]))
    gathered = np.concatenate([parts[r, : counts[r]] for r in range(c.size)])
    pairs = np.array([[(s + 2 * d) % 4 for d in range(c.size)] for s in range(c.size)])
    sent = [np.arange(1.0 * pairs[s].sum()) + 1000 * s for s in range(c.size)]
    begins = np.cumsum(pairs, axis=1) - pairs
    swapped = np.concatenate([sent[s][begins[s, c.rank] :][: pairs[s, c.rank]] for s in range(c.size)])
    root = c.size - 1
    here = c.rank == root
    one = parts[c.rank, : counts[c.rank]].copy()
    even = rng.integers(-9, 9, (c.size, c.size, 5)).astype(float)
    own = even[c.rank, 0].copy()
    starts = (ends - counts).tolist()
    # By name: what the result is, the buffer for it, and the arguments that the buffer is put into.
    cases: dict[str, tuple[Any, Callable[[Any], tuple[Any, ...]]]] = {
        "Bcast": (even[root, 0], lambda out: (out, root)),
        "Reduce": (even[:, 0].sum(axis=0) if here else None, lambda out: (own, out, MPI.SUM, root)),
        "Allreduce": (even[:, 0].max(axis=0), lambda out: (own, out, np.maximum)),
        "Scatter": (even[root, c.rank], lambda out: (even[root] if here else None, out, root)),
        "Gather": (even[:, 0] if here else None, lambda out: (own, out, root)),
        "Allgather": (even[:, 0], lambda out: (own, out)),
        "Reduce_scatter_block": (even.sum(axis=0)[c.rank], lambda out: (even[c.rank], out)),
        "Alltoall": (even[:, c.rank], lambda out: (even[c.rank], out)),
        "Scatterv": (parts[root, mine], lambda out: ([parts[root] if here else None, counts], out, root)),
        "Gatherv": (gathered if here else None, lambda out: (one, [out, counts], root)),
        "Allgatherv": (gathered, lambda out: (one, [out, (counts, starts)])),
        "Reduce_scatter": (parts.sum(axis=0)[mine], lambda out: (parts[c.rank], out, counts)),
        "Alltoallv": (swapped, lambda out: ([sent[c.rank], pairs[c.rank]], [out, pairs[:, c.rank]])),
    }
    for name, (right, arguments) in cases.items():

        def fresh(right: Any = right, name: str = name) -> Any:
            if name == "Bcast":
                return even[root, 0].copy() if here else np.zeros(5)
            return None if right is None else np.full_like(right, 99)

        def same(out: Any, what: str, right: Any = right) -> None:
            assert right is None or (out.shape == right.shape and (out == right).all()), (what, out, right)

        out = fresh()
        assert getattr(c, name)(*arguments(out)) is None
        same(out, name)
        out, started = fresh(), f"I{name[0].lower()}{name[1:]}"
        assert getattr(c, started)(*arguments(out)).Wait()
        same(out, started)
        out = fresh()
        prepared = getattr(c, f"{name}_init")(*arguments(out))
        for _ in range(2):
            if out is not None and name != "Bcast":
                out[...] = 99
            prepared.Start()
            assert prepared.Wait() and prepared.Test()
            same(out, f"{name}_init")
        prepared.Free()
    c.Ibarrier().Wait()
    c.Barrier_init().Start().Wait()
    # Arrays of others: an object with DLPack alone, and Python's own buffers.
    data = np.arange(6.0) if c.rank == 0 else np.zeros(6)
    c.Bcast(OnlyDlpack(data))
    assert (data == np.arange(6.0)).all()
    assert (got(c.Allgather, OnlyDlpack(own), like=even[0]) == even[:, 0]).all()
    letters = bytearray(b"allport" if c.rank == 0 else b".......")
    c.Bcast(letters)
    assert letters == b"allport"
    numbers = array.array("d", [c.rank, 1.0])
    total = array.array("d", [0.0, 0.0])
    c.Allreduce(numbers, total)
    assert list(total) == [c.size * (c.size - 1) / 2, c.size]


def check_in_place(c: ap.Communicator) -> None:
    """MPI.IN_PLACE: the input is what the output holds."""
    x = np.arange(4.0) + c.rank
    c.Allreduce(MPI.IN_PLACE, x)
    assert (x == sum(np.arange(4.0) + r for r in range(c.size))).all()
    x = np.arange(4.0) + c.rank
    c.Ireduce(MPI.IN_PLACE if c.rank == 0 else x, x if c.rank == 0 else None, MPI.MAX).Wait()
    assert c.rank > 0 or (x == np.arange(4.0) + c.size - 1).all()
    x = np.where(np.arange(c.size)[:, None] == c.rank, c.rank + 1.0, 0.0) * np.ones((c.size, 3))
    c.Allgather(MPI.IN_PLACE, x)
    assert (x == np.arange(1.0, c.size + 1)[:, None]).all()
    x = np.arange(1.0 * c.size) + 10 * c.rank
    c.Alltoall(MPI.IN_PLACE, x)
    assert (x == 10 * np.arange(c.size) + c.rank).all()


def check_objects_and_operators(c: ap.Communicator) -> None:
    """Lower-case methods are mpi4py's; operators are MPI's, numpy's, or names."""
    assert c.allreduce(1.5) == 1.5 * c.size and c.allreduce(c.rank, MPI.MAX) == c.size - 1
    assert c.bcast({"a": c.rank}) == {"a": 0} and c.allgather(str(c.rank)) == [str(r) for r in range(c.size)]
    assert c.gather(c.rank) == (list(range(c.size)) if c.rank == 0 else None)
    assert c.reduce((c.rank,), root=0) == (tuple(range(c.size)) if c.rank == 0 else None)
    assert c.scatter(list("abcdefghijklmnopqrstuvwxyz"[: c.size]) if c.rank == 0 else None) == chr(97 + c.rank)
    assert c.alltoall([c.rank] * c.size) == list(range(c.size))
    if c.size > 1:
        c.send("left", (c.rank + 1) % c.size) if c.rank % 2 == 0 else None
        assert c.rank == 0 or (c.rank - 1) % 2 or c.recv((c.rank - 1) % c.size) == "left"
        assert c.rank > 0 or c.size % 2 == 0 or c.recv(c.size - 1) == "left"
    ones = np.ones(4)
    for ops, wanted in [
        ((MPI.SUM, np.add, "sum"), c.size),
        ((MPI.PROD, np.multiply, "prod"), 1.0),
        ((MPI.MAX, np.maximum, "max"), 1.0),
        ((MPI.MIN, np.minimum, "min"), 1.0),
    ]:
        for op in ops:
            assert (got(c.Allreduce, ones, op, like=ones) == wanted).all()


check_all(comm)
check_blocks(comm)
check_forms(comm)
check_in_place(comm)
check_objects_and_operators(comm)

# Many in flight at once, finished in the opposite order.
arrays = [np.full(3000 + i, float(i)) if rank == i % size else np.zeros(3000 + i) for i in range(12)]
transfers = [comm.Ibcast(a, i % size) for i, a in enumerate(arrays)]
sums = [np.zeros(100) if rank == i % size else None for i in range(6)]
reductions = [comm.Ireduce(np.full(100, float(rank + i)), s, root=i % size) for i, s in enumerate(sums)]
for i in reversed(range(12)):
    transfers[i].Wait()
    assert transfers[i].Test() and not transfers[i].active
    assert (arrays[i] == i).all()
for i, transfer in enumerate(reductions):
    transfer.Wait()
    assert sums[i] is None or (sums[i] == sum(r + i for r in range(size))).all()

# Test() alone moves things along, too.
polled = np.arange(200.0) if rank == 0 else np.zeros(200)
transfer = comm.Ibcast(polled)
while not transfer.Test():
    pass
assert (polled == np.arange(200.0)).all()

# A schedule of one's own, many times.
data = np.zeros(777)
schedule = comm.schedule_for("bcast", root=0, bytes=data.nbytes)
often = comm.prepare(schedule, data)
for round_ in range(4):
    if rank == 0:
        data[:] = round_
    often.Start().Wait()
    assert (data == round_).all()
    comm.Barrier()

# Traffic is what the schedule says.
comm.reset_counted()
comm.Bcast(np.zeros(4000), 0)
predicted = comm.schedule_for("bcast", root=0, bytes=32000).traffic(comm._native.position(rank))
assert comm.counted.to_dict() == predicted.to_dict(), (comm.counted, predicted)

part = comm.Split(rank % 2, -rank)
assert part.size == len(range(rank % 2, size, 2)) and part.rank == part.size - 1 - rank // 2
check_all(part)
check_blocks(part)
assert comm.Split(None) is None and comm.Split(MPI.UNDEFINED) is None
with comm.Dup() as twice:
    assert (twice.rank, twice.size, twice.machine.ranks) == (rank, size, comm.machine.ranks)
    check_blocks(twice)
try:
    twice.Barrier()
except ap.Error as error:
    assert "freed" in str(error)
else:
    raise AssertionError("a communicator that was freed")
twice.Free()
if rank < (size + 1) // 2:
    half = comm.sub(list(range((size + 1) // 2)))
    check_all(half)
    check_blocks(half)
    check_forms(half)
    half.Free()

# Bad arguments are errors, not crashes, and the communicator goes on working.
four = np.zeros(4)
for call, word in [
    (lambda: comm.Bcast(np.zeros(4), size), "root"),
    (lambda: comm.Bcast([1, 2], 0), "expected an array"),
    (lambda: comm.Bcast(np.array([None]), 0), "objects"),
    (lambda: comm.Bcast(np.zeros((4, 4))[::2, ::2], 0), "buf[...] = b"),
    (lambda: comm.Allreduce(np.zeros(4)[::2], np.zeros(2)), "numpy.ascontiguousarray makes one"),
    (lambda: comm.Allreduce(four, four.copy(), MPI.BAND), "MPI.SUM"),
    (lambda: comm.Allreduce(four, four.copy(), np.subtract), "numpy.add"),
    (lambda: comm.Allreduce(four, four.copy(), sum), "MPI.SUM"),
    (lambda: comm.Allreduce(1.0, four), "lower case"),
    (lambda: comm.Bcast(1.0), "numpy.array(buf)"),
    (lambda: comm.Allreduce(four, None), "recvbuf"),
    (lambda: comm.Alltoall(np.zeros(size + 1) if size > 1 else np.zeros((0, 1)), np.zeros(size + 2)), "recvbuf"),
    (lambda: comm.Allreduce(four, four.copy(), "xor"), "op"),
    (lambda: comm.Bcast(b"read-only"), "writable"),
    (lambda: comm.Allgather(object(), np.zeros(4 * size)), "DLPack"),
    (lambda: comm.Allgather(four, np.zeros(4 * size + 1)), "recvbuf"),
    (lambda: comm.Allreduce(four, np.zeros(4, "f4")), "recvbuf"),
    (lambda: comm.Allreduce_init(MPI.IN_PLACE, four), "IN_PLACE"),
    (lambda: comm.Allgatherv(four, [np.zeros(4 * size), [4] * (size + 1)]), "counts"),
    (lambda: comm.Allgatherv(four, [np.zeros(4 * size), [5] * size]), "counts"),
    (lambda: comm.Allgatherv(four, [np.zeros(4 * size), ([4] * size, [1] * size)]), "displacements"),
    (lambda: comm.Alltoallv([np.zeros(0), [0] * size], [np.zeros(0), [-1] * size]), "recvbuf"),
    (lambda: comm.Ialltoallv(np.zeros(size), np.zeros(size), algorithm="mst"), "algorithm"),
]:
    try:
        call()
    except ap.Error as error:
        assert word in str(error), error
    else:
        raise AssertionError(word)
comm.Barrier()
if rank == 0:
    print("good", comm.machine.name)
