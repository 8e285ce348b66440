"""Task graphs with bodies in Python on several ranks: results, sums, memory in place, errors, Ctrl-C, records."""

import json
import os
import signal
import threading
import time
from pathlib import Path

import allport as ap
import numpy as np
from allport.graph import Edge, Task
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


class Ladder(ap.TaskGraph):
    """Task (0, i, k) adds its neighbours' values of round k - 1 on a ring of 2 size + 1 places."""

    def __init__(self, rounds, dtype="i8", length=3):
        super().__init__(size, dtype)
        self.places, self.rounds, self.length = 2 * size + 1, rounds, length
        self.done, self.kept, self.threads = {}, [], set()

    def owner(self, task):
        return task.i % size

    def entries(self, rank):
        return [(0, i) for i in range(self.places) if i % size == rank]

    def exits(self, rank):
        return [(0, i, 0, self.rounds) for i in range(self.places) if i % size == rank]

    def num_parents(self, task):
        return 3 if task.k else 0

    def children(self, task):
        if task.k < self.rounds:
            for x in range(3):
                yield Edge(Task(0, (task.i + x - 1) % self.places, 0, task.k + 1), x)

    def output(self, task, index):
        return (self.length, 2)

    def input(self, task, index):
        return (self.length, 2)

    def work(self, task):
        return "add", 2.0 * self.length

    def name(self, task):
        return f"L({task.i}, {task.k})"

    def run(self, task, context):
        self.threads.add(threading.get_ident())
        out = context.output()
        assert out.shape == (self.length, 2) and out.dtype == self.dtype
        if task.k == 0:
            out[:] = task.i
        else:
            given = [context.input(x) for x in range(3)]
            assert all(g.shape == (self.length, 2) and not (g.size and g.flags.writeable) for g in given)
            out[:] = sum(given)
            self.kept.append((given[0], given[0].copy()))
        context.progress()
        if task.k == self.rounds:
            self.done[task.i] = out.copy()

    def expected(self):
        u = np.arange(self.places)
        for _ in range(self.rounds):
            u = np.roll(u, 1) + u + np.roll(u, -1)
        return u


class CountedLadder(Ladder):
    def count(self, rank):
        return len(self.entries(rank)) * (self.rounds + 1)


for kind in (Ladder, CountedLadder):
    for workers in (1, 3):
        for tree in ("flat", "chain", "prefix", "binomial"):
            for dtype, length in (("i8", 3), ("f4", 700), ("c16", 1), ("i4", 0)):
                graph = kind(5, dtype, length)
                assert ap.graph.check(graph).tasks == graph.places * 6
                report = ap.graph.run(graph, comm, workers=workers, tree=tree)
                for i, found in graph.done.items():
                    assert np.array_equal(found, np.full((length, 2), graph.expected()[i])), (i, found)
                assert sorted(graph.done) == [i for i in range(graph.places) if i % size == rank]
                # Arrays that bodies have kept keep their memory.
                assert all(np.array_equal(a, b) for a, b in graph.kept)
                assert len(graph.threads) <= workers
                assert report.count == ap.graph.count(graph, tree=tree, machine=comm.machine)[rank]
                assert report.records["begin"].size == 0


class Total(ap.TaskGraph):
    """Everybody's part of a sum, made on rank 0; twice in place of the same memory, which is overwritten when sent."""

    def __init__(self):
        super().__init__(size)
        self.tile = np.zeros((2, 600))
        self.sums, self.kept = [], []

    def owner(self, task):
        return task.i

    def entries(self, rank):
        yield Task(0, rank)

    def count(self, rank):
        return 4 if rank == 0 else 2

    def num_parents(self, task):
        return {0: 0, 1: 1 if task.i else 2, 2: size}[task.kind]

    def children(self, task):
        if task.kind < 2:
            yield Edge(Task(2, 0, 0, task.kind), 0, 0, "sum")
        if task.kind == 0:
            yield Edge(Task(1, task.i), kind="sent" if task.i else "order")
        if task.kind == 2 and task.k == 0:
            yield Edge(Task(1, 0), kind="order")

    def contributors(self, child, input):
        return [Task(child.k, r) for r in range(size)]

    def output(self, task, index):
        return (2, 600) if task.kind < 2 else None

    def writes(self, task):
        return [Task(7)] if task.kind < 2 else []

    def in_place(self, task, index):
        return True

    def memory(self, tile):
        return self.tile

    def run(self, task, context):
        if task.kind < 2:
            self.tile[...] = (task.i + 1) * 10**task.kind
        else:
            self.kept.append(context.input(0))
            self.sums.append(self.kept[-1][5])


graph = Total()
assert ap.graph.check(graph).tasks == 2 * size + 2
ap.graph.run(graph, comm, workers=2)
assert rank or graph.sums == [size * (size + 1) / 2, 10 * size * (size + 1) / 2], graph.sums
assert size > 1 or all(np.shares_memory(a, graph.tile) for a in graph.kept)
refused = said(lambda: ap.graph.run(graph, comm, op="median"))
assert refused and "median" in str(refused), refused


class Broken(Ladder):
    def run(self, task, context):
        if (task.i, task.k) == (size - 1, 2):
            raise ZeroDivisionError("not today")
        super().run(task, context)


for workers in (1, 2):
    error = said(ap.graph.run, Broken(4), comm, workers=workers)
    assert error is not None
    for words in (f"task L({size - 1}, 2): run() of Broken raised ZeroDivisionError: not today", "task_graphs.py:"):
        assert words in str(error), error
    assert isinstance(error.__cause__, ZeroDivisionError) == (rank == size - 1), error.__cause__


class Lost(Ladder):
    def children(self, task):
        return [] if task.k == 1 else super().children(task)


error = said(lambda: ap.graph.run(Lost(3), comm))
assert error is None or "wait for inputs that never arrive" in str(error), error  # nothing waits: no input has come
error = said(lambda: ap.graph.check(Lost(3)))
assert error is not None and "L(" in str(error), error


class Misspelt(Ladder):
    def children(self, task):
        return [Edge("next")]


error = said(lambda: ap.graph.run(Misspelt(3), comm))
assert error is not None and "children() of Misspelt gave Edge(child='next'" in str(error), error


class Sleeping(Ladder):
    """The last rank is told to stop by itself: in a body, or while it waits for another rank's."""

    inside = True

    def run(self, task, context):
        last = rank == size - 1
        if task.k == 1 and last and self.inside:
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(60)
        if task.k == 1 and (size == 1 or not last) and not self.inside:
            time.sleep(0.5)
        super().run(task, context)


for inside in (True, False):
    graph = Sleeping(30)
    graph.inside = inside
    timer = threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT))
    begin = time.monotonic()
    world.Barrier()
    try:
        if rank == size - 1 and not inside:
            timer.start()
        ap.graph.run(graph, comm, workers=1 if inside else 2)
        ended = "it ran"
    except KeyboardInterrupt:
        ended = "interrupted"
    except ap.Error as error:
        ended = str(error)
    timer.join() if timer.ident else None
    assert time.monotonic() - begin < 10
    assert ended == "interrupted" if rank == size - 1 else "nterrupt" in ended, (inside, rank, ended)

# The communicator is as good as before, and a recorded run tells all that was done.
graph = CountedLadder(5)
report = ap.graph.run(graph, comm, workers=2, record=True)
timeline = ap.graph.timeline(report, comm)
sent = world.allreduce(report.count.messages_sent)
if rank == 0:
    rows = timeline.rows()
    tasks = [r for r in rows if r["to"] < 0]
    assert sorted(r["name"] for r in tasks) == sorted(f"L({i}, {k})" for i in range(graph.places) for k in range(6))
    assert {r["kernel"] for r in tasks} == {"add"} and all(
        r["rank"] == int(r["name"][2:].split(",")[0]) % size for r in tasks
    )
    assert len(rows) - len(tasks) == sent
    assert all(0 <= r["begin"] <= r["end"] for r in rows)
    ap.report.trace.chrome(timeline, "run.json")
    ap.report.gantt.chart(timeline, "run.svg", title="as it ran")
    events = json.loads(Path("run.json").read_text())["traceEvents"]
    assert sum(e["ph"] == "X" for e in events) == len(rows) and "as it ran" in Path("run.svg").read_text()
    # Slices of one thread do not overlap: a worker has one task at a time, messages have threads enough.
    ends = {}
    for e in (e for e in events if e["ph"] == "X"):
        assert e["ts"] >= ends.get((e["pid"], e["tid"]), 0.0) - 1e-6, e
        ends[e["pid"], e["tid"]] = e["ts"] + e["dur"]
    print(f"{size} ranks: {len(tasks)} tasks, {sent} messages")
else:
    assert timeline is None
