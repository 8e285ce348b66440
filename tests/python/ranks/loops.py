"""Blocks with bodies in Python on several ranks, beside the whole grid in numpy: the same bits, and errors on all."""

import threading

import allport as ap
import numpy as np
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


def start(*index):
    """A value of each cell, of the grid or the border."""
    return sum((7 + 4 * a) * i % (11 + a) for a, i in enumerate(index)) / 3.0


def relaxed(padded, halo):
    """The mean of a cell and its neighbours up to `halo` along each axis, always added in one order."""
    inside = tuple(slice(halo, n - halo) for n in padded.shape)
    total = padded[inside].copy()
    for axis in range(padded.ndim):
        for shift in (*range(-halo, 0), *range(1, halo + 1)):
            moved = list(inside)
            moved[axis] = slice(halo + shift, padded.shape[axis] - halo + shift)
            total += (0.5 + axis) * padded[tuple(moved)]
    return total / 8


class Whole:
    """The grid on one rank."""

    def __init__(self, grid, halo, periodic):
        index = [np.arange(-halo, n + halo) for n in grid]
        index = [i % n if wraps else i for i, n, wraps in zip(index, grid, periodic)]
        self.padded, self.halo, self.periodic = np.asarray(start(*np.ix_(*index))), halo, periodic
        self.inside = tuple(slice(halo, halo + n) for n in grid)

    @property
    def cells(self):
        return self.padded[self.inside]

    def iterate(self, count):
        for _ in range(count):
            self.padded[self.inside] = relaxed(self.padded, self.halo)
            for axis, wraps in enumerate(self.periodic):
                if not wraps:
                    continue
                face = [slice(None)] * self.padded.ndim
                low, high, first, last = (list(face) for _ in range(4))
                h, n = self.halo, self.padded.shape[axis]
                low[axis], last[axis] = slice(0, h), slice(n - 2 * h, n - h)
                high[axis], first[axis] = slice(n - h, n), slice(h, 2 * h)
                self.padded[tuple(low)], self.padded[tuple(high)] = self.padded[tuple(last)], self.padded[tuple(first)]


def all_as_whole(grid, block, halo=1, periodic=None, dtype="f8", sizes=()):
    periodic = periodic or [False] * len(grid)
    whole = Whole(grid, halo, periodic)
    teams = ap.loops.Teams(comm, threads=4)
    blocks = ap.loops.Blocks(grid, block, comm=comm, teams=teams, dtype=dtype, halo=halo, periodic=periodic)
    blocks.fill(start)

    def body(part):
        part.next[:] = relaxed(part.now, halo)

    def same(what):
        got = blocks.gather(root=size - 1)
        assert (got is None) == (rank != size - 1)
        if got is not None:
            assert np.array_equal(got, whole.cells), (grid, block, what)

    for count, schedule, chunk in ((1, "static", 0), (3, "dynamic", 1), (0, "static", 0), (2, "guided", 2)):
        blocks.iterate(count, body, schedule=schedule, chunk=chunk)
        whole.iterate(count)
        same(schedule)
    for shape, size_of_blocks in zip(teams.shapes, [*sizes, *[block] * 3]):
        teams.configure(*shape)
        blocks.recut(size_of_blocks)
        same("recut")
        blocks.iterate(2, body)
        whole.iterate(2)
        same(shape)
        report = blocks.balance("greedy")
        assert report.after <= report.before + 1e-9
        blocks.iterate(1, body)
        whole.iterate(1)
        same("balanced")
    assert blocks.iteration == 6 + 9 and len(blocks.owners) == len(blocks.loads())


all_as_whole((17,), (3,), halo=2, sizes=[(5,), (17,)])
all_as_whole((13, 11), (4, 3), sizes=[(13, 11), (1, 2), (5, 11)])
all_as_whole((12, 10), (6, 5), halo=2, periodic=[False, True], sizes=[(4, 2)])
all_as_whole((5, 6, 7), (2, 3, 4), periodic=[True, False, True], sizes=[(5, 6, 7), (2, 2, 2)])


def relax(part):
    part.next[:] = relaxed(part.now, 1)


# Numbers of another type, a scalar to fill with, and parts that say where they are.
points = ap.loops.Blocks((9, 4), (2, 4), comm=comm, dtype="c8", owners=[b % size for b in range(5)])
assert points.owners == [b % size for b in range(5)]
points.fill(2 + 1j)
for part in points:
    assert part.now.shape == (part.cells.shape[0] + 2, 6) and (part.now == 2 + 1j).all()
    assert part.first == (2 * part.block, 0) and not part.cells.flags.writeable


def mark(part):
    assert part.iteration == 0 and part.next.shape == part.cells.shape
    part.next[:] = part.cells + np.arange(part.first[0], part.first[0] + part.next.shape[0])[:, None]


points.iterate(1, mark)
got = points.gather()
assert rank != 0 or np.array_equal(got, np.full((9, 4), 2 + 1j, "c8") + np.arange(9)[:, None])
kept = [part.cells for part in points]
points.recut((9, 1))  # an array keeps its memory
assert all(np.isfinite(cells).all() for cells in kept)
report = ap.loops.Blocks((40, 4), (4, 4), comm=comm, owners=[0] * 10).balance("none")
assert report.between_ranks == 0

# The first configuration takes effect at once, others when they are worth trying; the cells are the same.
plate = ap.loops.Blocks((24, 20), (6, 20), comm=comm, teams=ap.loops.Teams(comm, threads=2))
whole = Whole((24, 20), 1, [False, False])
plate.fill(start)
plate.select(blocks=[(24, 5), (6, 20)], schedules=["static", ("dynamic", 2)])
for step in range(60):
    plate.iterate(2, relax)
    whole.iterate(2)
    if step == 0:
        assert plate.block == (24, 5) and (plate.teams.leaders, plate.teams.members) == (2, 0)
shapes = ("2 x (1 + 0), static", "1 x (1 + 1), static", "1 x (1 + 1), dynamic by 2")
tried = [f"{shape}, blocks of {b}" for shape in shapes for b in ("24 x 5", "6 x 20")]
assert plate.best in tried and all(name in plate.explain() for name in tried), plate.explain()
got = plate.gather()
assert rank != 0 or np.array_equal(got, whole.cells)


# An error in a body: the same text on every rank, the exception where it was raised; fill() makes all anew.
def fails(part):
    if part.iteration == 121 and part.first[0] == 0 and part.first[1] == 0:
        raise ZeroDivisionError("no cell is that hot")
    relax(part)


error = said(plate.iterate, 4, fails)
assert error is not None and "no cell is that hot" in str(error) and "iteration 121" in str(error), error
assert "block 0" in str(error) and f"on rank {plate.owners[0]}" in str(error) and "loops.py" in str(error)
texts = comm.allgather(str(error))
assert len(set(texts)) == 1, texts
causes = comm.allgather(type(error.__cause__).__name__)
assert causes[plate.owners[0]] == "ZeroDivisionError", causes
assert "did not fail" in str(said(plate.iterate, 1, relax)) and "did not fail" in str(said(plate.balance))
plate.fill(start)
plate.iterate(1, relax)

# What does not fit is refused on all ranks, and nothing is changed.
refused = [
    (said(plate.iterate, -1, relax), "count"),
    (said(ap.loops.Blocks, (4, 4, 4, 4), (1, 1, 1, 1), comm=comm), "grid"),
    (said(ap.loops.Blocks, (4, 4), (1,), comm=comm), "block"),
    (said(ap.loops.Blocks, (4, 4), (2, 2), comm=comm, dtype=object), "dtype"),
    (said(ap.loops.Blocks, (4, 4), (2, 2), comm=comm, owners=[0]), "owners"),
    (said(ap.loops.Blocks, (4, 4), (1 if rank == 0 else 9, 4), comm=comm, halo=2), "halo"),
    (said(ap.loops.Teams, comm, threads=-1), "threads"),
    (said(plate.recut, (0, 1)), "block"),
    (said(plate.balance, "best"), "balancer"),
    (said(plate.balance, tolerance=0.5), "tolerance"),
    (said(plate.select, schedules=["sideways"]), "schedule"),
    (said(plate.select, blocks=[(24, 20, 1)]), "block"),
    (said(plate.fill, lambda i, j: 1 / 0 if rank == plate.owners[0] else 0.0), "division by zero"),
    (said(plate.iterate, 1, relax, schedule="sideways"), "schedule"),
]
for n, (error, word) in enumerate(refused):
    assert error is not None and word in str(error), (n, word, error)
plain = ap.loops.Blocks((4, 4), (2, 2), comm=comm)
assert "select()" in str(said(plain.explain))

# A loop by threads of this process.
team = ap.loops.Team(3)
cells, users = np.zeros(1000), set()


def square(first, last):
    users.add(threading.get_ident())
    cells[first:last] += np.arange(first, last) ** 2.0


team.parallel_for(0, 1000, square, schedule="dynamic", chunk=10)
assert team.size == 3 and np.array_equal(cells, np.arange(1000.0) ** 2) and users
error = said(team.parallel_for, 0, 10, lambda first, last: [][first])
assert "IndexError" in str(error) and isinstance(error.__cause__, IndexError)
world.Barrier()
if rank == 0:
    print("all as on one rank")
