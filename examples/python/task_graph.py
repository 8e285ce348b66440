"""A task graph of your own: heat along a rod, in blocks. Run it as: mpiexec -n 4 python task_graph.py"""

import allport as ap  # before mpi4py, so that both use one MPI library
import numpy as np
from mpi4py import MPI


class Heat(ap.TaskGraph):
    """Task (0, i, k): block i after k steps, from itself and one cell of each neighbour, a step before."""

    def __init__(self, ranks, rod, blocks, rounds):
        super().__init__(ranks)
        self.start, self.blocks, self.rounds, self.done = np.split(rod, blocks), blocks, rounds, {}

    def owner(self, task):
        return task.i * self.ranks // self.blocks

    def entries(self, rank):
        return [t for t in (ap.graph.Task(0, i) for i in range(self.blocks)) if self.owner(t) == rank]

    def count(self, rank):
        return len(self.entries(rank)) * (self.rounds + 1)

    def num_parents(self, task):
        return 0 if task.k == 0 else 1 + (task.i > 0) + (task.i < self.blocks - 1)

    def children(self, task):  # input and output 0: the block's last cell, 1: all of it, 2: its first cell
        for to in range(max(task.i - 1, 0), min(task.i + 2, self.blocks) if task.k < self.rounds else 0):
            yield ap.graph.Edge(ap.graph.Task(0, to, k=task.k + 1), input=task.i - to + 1, output=task.i - to + 1)

    def output(self, task, index):
        return len(self.start[task.i]) if index == 1 else 1

    def run(self, task, context):
        u = self.start[task.i]
        if task.k > 0:
            left = context.input(0) if task.i > 0 else [0.0]
            right = context.input(2) if task.i < self.blocks - 1 else [0.0]
            u = context.input(1) + 0.25 * np.diff(np.concatenate((left, context.input(1), right)), 2)
        context.output(0)[:], context.output(1)[:], context.output(2)[:] = u[-1:], u, u[:1]
        if task.k == self.rounds:
            self.done[task.i] = u


world = MPI.COMM_WORLD
comm = ap.Communicator(world, machine=f"torus:{world.size}")
rod = np.sin(np.linspace(0.0, 9.0, 800))
graph = Heat(comm.size, rod, blocks=8, rounds=50)
ap.graph.check(graph)
report = ap.graph.run(graph, comm)

found = world.gather(graph.done)
if found is not None:
    expected = rod
    for _ in range(graph.rounds):
        expected = expected + 0.25 * np.diff(np.pad(expected, 1), 2)
    every = {i: u for part in found for i, u in part.items()}
    np.testing.assert_array_equal(np.concatenate([every[i] for i in range(graph.blocks)]), expected)
    print(f"as one process computes it; rank 0 ran {report.count.tasks} tasks and sent {report.count.bytes_sent} bytes")
