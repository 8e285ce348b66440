"""Gangs whose bodies are Python: a panel with partial pivoting beside numpy, what is counted, errors, Ctrl-C."""

import os
import signal
import threading
import time

import allport as ap
import numpy as np
from allport.graph import Edge, Gang, GangCollective, Task
from mpi4py import MPI

world = MPI.COMM_WORLD
comm = ap.Communicator(world, machine=f"torus:{world.size}")
rank, size = comm.rank, comm.size


def said(call, *arguments, **options) -> ap.Error | None:
    try:
        call(*arguments, **options)
    except ap.Error as error:
        return error
    return None


class Panel(ap.TaskGraph):
    """LU with partial pivoting of m x n, rows dealt round, by all ranks together: a reduction a column. Then each
    member's rows go to task (1, rank) of the next rank."""

    def __init__(self, a, dtype):
        super().__init__(size, dtype)
        self.m, self.n = a.shape
        self.rows = a[rank::size].astype(dtype)
        self.pivots, self.sent, self.passed = [], 0, None

    def owner(self, task):
        return (task.i + task.kind) % size

    def entries(self, rank):
        return [(0, rank)]

    def count(self, rank):
        return 2

    def num_parents(self, task):
        return task.kind

    def children(self, task):
        return [Edge(Task(1, task.i))] if task.kind == 0 else []

    def output(self, task, index):
        return (len(range(task.i, self.m, size)), self.n)

    def input(self, task, index):
        return self.output(task, index)

    def gang(self, task):
        if task.kind == 1:
            return None
        collectives = [GangCollective("allreduce", 2, times=self.n, dtype="f8")]
        collectives += [GangCollective("bcast", (1, self.n), c % size) for c in range(self.n)]
        return Gang([Task(0, r) for r in range(size)], collectives, 8.0 * self.n, 1.0)

    def run(self, task, context):
        if task.kind == 1:
            self.passed = context.input().copy()
            return
        gang, rows = context.gang, self.rows
        assert (gang.rank, gang.size) == (rank, size) == (task.i, self.ranks)
        mine = np.arange(rank, self.m, size)
        for c in range(self.n):
            bid = np.array([-1.0, self.m])
            below = np.flatnonzero(mine >= c)
            if below.size:
                best = below[np.argmax(np.abs(rows[below, c]))]
                bid[:] = abs(rows[best, c]), mine[best]
            _, row = gang.allreduce(bid, lambda x, y: x if (-x[0], x[1]) <= (-y[0], y[1]) else y)
            self.pivots.append(int(row))
            self.swap(gang, c, int(row))
            top = rows[c // size].copy() if c % size == rank else np.empty(self.n, self.dtype)
            assert gang.bcast(top, root=c % size) is top
            below = np.flatnonzero(mine > c)
            rows[below, c] /= top[c]
            rows[np.ix_(below, range(c + 1, self.n))] -= np.outer(rows[below, c], top[c + 1 :])
            context.progress()
        context.output()[:] = rows

    def swap(self, gang, c, row):
        here, there = c % size, row % size
        if here == there == rank:
            self.rows[[c // size, row // size]] = self.rows[[row // size, c // size]]
        elif rank in (here, there) and here != there:
            other, at = (there, c // size) if rank == here else (here, row // size)
            gang.send(other, self.rows[at])
            got = gang.receive(other)
            assert got.flags.writeable and got.dtype == self.dtype
            self.rows[at] = got
            self.sent += got.nbytes


def checked(a, dtype, workers):
    graph = Panel(a, dtype)
    assert ap.graph.check(graph).tasks == 2 * size
    report = ap.graph.run(graph, comm, workers=workers, tree="axes")
    parts = world.allgather((graph.rows, graph.pivots))
    packed = np.empty(a.shape, graph.dtype)
    for r, (rows, pivots) in enumerate(parts):
        packed[r::size] = rows
        assert pivots == graph.pivots
    permuted = a.astype(dtype)
    for c, row in enumerate(graph.pivots):
        permuted[[c, row]] = permuted[[row, c]]
    lower, upper = np.tril(packed, -1) + np.eye(*a.shape), np.triu(packed[: a.shape[1]])
    eps = np.finfo(dtype).eps
    np.testing.assert_allclose(lower @ upper, permuted, atol=100 * eps * np.abs(a).max())
    assert np.abs(np.tril(packed, -1)).max(initial=0.0) <= 1 + 4 * eps
    np.testing.assert_array_equal(graph.passed, parts[(rank - 1) % size][0])
    counted = ap.graph.count(graph, tree="axes", machine=comm.machine)[rank]
    mine = report.count
    assert mine[:6] == counted[:6], (mine, counted)
    assert mine.expected_bytes == graph.sent, (mine, graph.sent)
    assert size == 1 or ap.graph.simulate(graph, "bgp:8").tasks == 2 * size
    return graph.sent


random = np.random.default_rng(5)
moved = 0
for dtype in ("f4", "f8", "c16"):
    for m, n in ((max(4, size), 4), (41, 7), (23, 1)):
        a = random.standard_normal((m, n))
        moved += checked(a + 1j * random.standard_normal((m, n)) if dtype == "c16" else a, dtype, 1 + m % 2)
assert world.allreduce(moved) > 0 or size == 1


class Meeting(ap.TaskGraph):
    """A gang of all ranks, whose members do what they are told; and a task that is in none."""

    def __init__(self, body, gang=None):
        super().__init__(size, "i4")
        self.body, self.own = body, gang

    def owner(self, task):
        return task.i

    def entries(self, rank):
        return [(1, rank)]

    def count(self, rank):
        return 1

    def num_parents(self, task):
        return 0

    def children(self, task):
        return []

    def name(self, task):
        return f"G({task.i})"

    def gang(self, task):
        return self.own(task) if self.own else Gang([(1, r) for r in range(size)])

    def run(self, task, context):
        self.body(context.gang)


def ran(body, gang=None):
    return said(lambda: ap.graph.run(Meeting(body, gang), comm))


# What arrives: any dtype, lengths of 0, operators by name and of one's own.
def talks(gang):
    assert gang.reduce(np.full((2, 3), gang.rank + 1.5), "max", root=size - 1) is None or rank == size - 1
    total = gang.allreduce(np.full((2, 3), gang.rank, "i8"))
    assert total.shape == (2, 3) and (total == size * (size - 1) // 2).all() and total.flags.writeable
    last = gang.reduce(np.array(gang.rank), np.maximum, root=size - 1)
    assert (last == size - 1) if rank == size - 1 else last is None
    assert gang.allreduce(np.empty((0, 2)), np.add).shape == (0, 2)
    strings = gang.bcast(np.full(3, f"from {gang.rank}"), root=size // 2)
    assert list(strings) == [f"from {size // 2}"] * 3
    for length in (0, 5, 100_000):
        for to in range(size):
            if to != gang.rank:
                gang.send(to, np.arange(length, dtype="i4") + gang.rank)
                gang.send(to, np.array([gang.rank, to], "c8"))
        for source in range(size):
            if source != gang.rank:
                assert np.array_equal(gang.receive(source), np.arange(length) + source)
                assert np.array_equal(gang.receive(source, "c8"), [source, gang.rank])


assert ran(talks) is None


# Errors reach every rank, and name the task.
def refused(body, words, kind=None, gang=None):
    error = ran(body, gang)
    assert error is not None and "G(" in str(error) and words in str(error), (words, error)
    assert kind is None or error.kind == kind, error.kind


refused(lambda gang: gang.send(gang.rank, np.zeros(1)), "expected another member")
refused(lambda gang: gang.bcast(np.zeros(1), root=size), f"root = {size}: expected a member, in 0..{size - 1}")
refused(lambda gang: gang.bcast([1, 2]), "expected a numpy array, got list")
refused(lambda gang: gang.send(0, np.zeros((3, 3))[:, 1]), "expected a contiguous array")
refused(lambda gang: gang.allreduce(np.zeros(2), "median"), "median")
refused(lambda gang: gang.allreduce(np.zeros(2, "c8"), "max"), "sum or prod for complex")
refused(
    lambda gang: None, "the task itself among the members", gang=lambda task: Gang([(1, (task.i + 1) % size, 0, 9)])
)
for wrong, words in (
    ([(1, 0)], "expected an ap.graph.Gang, or None"),
    (Gang([]), "a gang of one member or more"),
    (Gang([(1, rank)], [GangCollective("gossip", 1)]), "expected bcast, reduce or allreduce"),
    (Gang([(1, rank)], [GangCollective("bcast", 1, root=1)]), "expected a member of the gang, in 0..0"),
    (Gang([(1, rank)], [GangCollective("bcast", -1)]), "expected 0 or more elements"),
    (Gang([(1, rank)], ["bcast"]), "expected ap.graph.GangCollective"),
    (Gang([(1, rank)], expected_bytes="many"), "expected_bytes to be a number"),
):
    error = ran(lambda gang: None, lambda task, wrong=wrong: wrong)
    assert error is not None and words in str(error), (wrong, error)
error = ran(lambda gang: gang.rank, lambda task: None)
assert error is not None and "is a member of one" in str(error), error

if size > 1:
    refused(lambda gang: gang.allreduce(np.zeros(1 + gang.rank)), "bytes, as member")
    refused(lambda gang: gang.allreduce(np.zeros(3), lambda x, y: x[:2]), "op: gave an array of shape (2,)")

    def sends_bytes(gang):
        if gang.rank == 0:
            gang.send(1, np.zeros(3, "u1"))
        elif gang.rank == 1:
            gang.receive(0)

    refused(sends_bytes, "expected what member 0 has sent, 3 bytes")

    def leaves(gang):
        if gang.rank == 1:
            raise ZeroDivisionError("not today")
        gang.receive(1)

    error = ran(leaves)
    assert error is not None and "task G(1): run() of Meeting raised ZeroDivisionError: not today" in str(error), error
    assert isinstance(error.__cause__, ZeroDivisionError) == (rank == 1)


# Ctrl-C ends members that wait for others.
def waits(gang):
    if gang.rank == 0:
        timer = threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT))
        timer.start()
        if size == 1:
            time.sleep(60)
        gang.receive(size - 1)
    gang.bcast(np.zeros(1))


begin = time.monotonic()
try:
    ended = str(ran(waits))
except KeyboardInterrupt:
    ended = "interrupted"
assert time.monotonic() - begin < 20
assert ended == "interrupted" if rank == 0 else "nterrupt" in ended, ended

# A context that has ended is told from one that runs, and the communicator is as good as before.
kept = []
assert ran(kept.append) is None
error = said(kept[0].allreduce, np.zeros(1))
assert error is not None and "a task that has ended" in str(error)
assert ran(talks) is None
if rank == 0:
    print(f"{size} ranks met")
