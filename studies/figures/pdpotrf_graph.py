"""ScaLAPACK's right-looking Cholesky factorization as a task graph without bodies: what Song09 sets its own against."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from allport import graph
from allport.graph import Edge, Task, Work

__all__ = ["Pdpotrf"]

DIAGONAL, PANEL, UPDATE = range(3)


class _Behind(NamedTuple):
    """Rows in the blocks behind each step: of all those that process row i, process column j, or both have."""

    rows: np.ndarray  #: [i, k]
    cols: np.ndarray  #: [j, k]
    both: np.ndarray  #: [i, j, k]


def _behind(n: int, nb: int, p: int, q: int) -> _Behind:
    blocks = np.arange(-(-n // nb))
    sizes = np.minimum(nb, n - blocks * nb)

    def behind(mine: np.ndarray) -> np.ndarray:
        have = np.where(mine, sizes, 0)
        return have.sum(axis=-1, keepdims=True) - have.cumsum(axis=-1)

    row, column = blocks % p == np.arange(p)[:, None], blocks % q == np.arange(q)[:, None]
    return _Behind(behind(row), behind(column), behind(row[:, None] & column[None]))


class Pdpotrf(graph.TaskGraph):
    """pdpotrf of n x n in blocks of nb on a p x q grid, lower triangle: a rank's part of a step is one task.

    No rank begins a step before it has done its part of the one before, for pdpotrf does not look ahead.

    Step k: DIAGONAL, the diagonal block is factored and sent down its process column; PANEL, each rank there solves
    for its rows, which go along its process row and, transposed, to the process columns that need them; UPDATE,
    every rank's part of the trailing matrix.
    """

    tree = "collectives"

    def __init__(self, n: int, nb: int, grid: tuple[int, int]) -> None:
        super().__init__(grid[0] * grid[1])
        self.n, self.nb, (self.p, self.q) = n, nb, grid
        self.blocks = -(-n // nb)
        self.behind = _behind(n, nb, *grid)

    def owner(self, task: Task) -> int:
        return task.i + self.p * task.j

    def entries(self, rank: int) -> list[Task]:
        return [Task(DIAGONAL)] if rank == 0 and self.blocks else []

    def count(self, rank: int) -> int:
        i, j = rank % self.p, rank // self.p
        mine = range(j, self.blocks, self.q)
        panels = len(range(j, self.blocks - 1, self.q))
        return sum(k % self.p == i for k in mine) + panels + max(0, self.blocks - 1)

    def num_parents(self, task: Task) -> int:
        waits = int(task.k > 0)
        if task.kind == UPDATE:
            return self.p + (waits if task.j != task.k % self.q else 0)
        return waits + (task.kind == PANEL)

    def children(self, task: Task) -> Iterator[Edge]:
        _, i, j, k, _ = task
        if task.kind == DIAGONAL:
            for row in range(self.p if k + 1 < self.blocks else 0):
                yield Edge(Task(PANEL, row, j, k))
        elif task.kind == PANEL:
            for row in range(self.p):
                for column in range(self.q):
                    update = Task(UPDATE, row, column, k)
                    yield Edge(update) if row == i else Edge(update, 1 + i, 1 + column)
        else:
            if (i, j) == ((k + 1) % self.p, (k + 1) % self.q):
                yield Edge(Task(DIAGONAL, i, j, k + 1), kind="order")
            if k + 2 < self.blocks:
                kind = PANEL if j == (k + 1) % self.q else UPDATE
                yield Edge(Task(kind, i, j, k + 1), kind="order")

    def output(self, task: Task, index: int) -> tuple[int, int]:
        wide = min(self.nb, self.n - task.k * self.nb)
        if task.kind == DIAGONAL:
            return wide, wide
        both, rows = self.behind.both, self.behind.rows
        return int(rows[task.i, task.k] if index == 0 else both[task.i, index - 1, task.k]), wide

    def work(self, task: Task) -> Work:
        wide = min(self.nb, self.n - task.k * self.nb)
        rows = float(self.behind.rows[task.i, task.k])
        if task.kind == DIAGONAL:
            return Work("potrf", wide**3 / 3)
        if task.kind == PANEL:
            return Work("trsm", rows * wide**2)
        return Work("gemm", rows * float(self.behind.cols[task.j, task.k]) * wide)  # the lower half
