"""Grids in blocks that ranks own, exchange and balance, and loops by teams of threads (Robson18).

plate = ap.loops.Blocks((300, 200), (32, 50))          # of float64, halos of one cell, all ranks
plate.fill(lambda i, j: np.where(i < 0, 1.0, 0.0))     # cells, and the border around the grid
plate.iterate(20, lambda part: np.copyto(part.next, relaxed(part.now)))
plate.balance()

A body is called for parts of blocks, by several threads, each with the interpreter's lock: what releases it, as numpy
does in its operations and functions of numba with nogil=True, runs at the same time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from allport import _native
from allport.errors import failure, together

if TYPE_CHECKING:
    from allport.comm import Communicator

__all__ = ["BalanceReport", "Blocks", "Part", "Team", "Teams"]

Body = Callable[["Part"], object]


class BalanceReport(NamedTuple):
    """What balance() has done."""

    between_ranks: int  #: blocks that moved to another rank, over all ranks
    between_leaders: int  #: blocks of this rank that moved to another of its team leaders
    before: float  #: the most that a rank had to do over the mean, by measured times
    after: float


class Part:
    """Rows of a block, along the outermost axis: all of them, or the chunk that one thread computes."""

    __slots__ = ("block", "cells", "first", "iteration", "next", "now")

    def __init__(self, blocks: Blocks, native: tuple[Any, ...]) -> None:
        self.block: int
        self.iteration: int
        #: The grid's index of the part's first cell.
        self.first: tuple[int, ...]
        self.block, self.iteration, self.first, lengths, strides, now, later = native
        halo = blocks.halo
        shape = tuple(n + 2 * halo for n in lengths)
        inside = tuple(slice(halo, halo + n) for n in lengths)
        #: The cells of this iteration, read-only, with `halo` more on each side: those of neighbours, or the border.
        #: Corners of the halo are as they were filled in.
        self.now: np.ndarray = np.ndarray(shape, blocks.dtype, buffer=now, strides=strides)
        self.now.flags.writeable = False
        #: `now` without the halo.
        self.cells: np.ndarray = self.now[inside]
        #: Where the body writes the cells of the next iteration; all of the part, without a halo.
        self.next: np.ndarray = np.ndarray(shape, blocks.dtype, buffer=later, strides=strides)[inside]

    def __repr__(self) -> str:
        return f"Part(block {self.block}, iteration {self.iteration}, cells {self.cells.shape} from {self.first})"


def _raise(outcome: tuple[str, str, Any] | None) -> None:
    """What a compiled function has given: the error, and the exception of a body that is its cause on this rank."""
    if outcome is None:
        return
    text, kind, cause = outcome
    if cause is not None and not isinstance(cause, Exception):
        raise cause  # KeyboardInterrupt and the like
    raise failure(text, kind) from cause


class Team:
    """Threads of this process that run loops together; the calling one is among them. 0: one for each processor."""

    def __init__(self, threads: int = 0) -> None:
        self._native = _native.Team(threads)

    @property
    def size(self) -> int:
        """Number of threads."""
        return self._native.size

    def parallel_for(
        self, begin: int, end: int, body: Callable[[int, int], object], *, schedule: str = "static", chunk: int = 0
    ) -> None:
        """body(first, last) for chunks first ... last - 1 of begin ... end - 1.

        schedule: 'static', 'dynamic' or 'guided', as OpenMP's. Raises Error when a body raises: what the loop on one
        thread would have raised is its cause.
        """
        _raise(self._native.parallel_for(begin, end, body, schedule, chunk))


class Teams:
    """All cores of this rank as teams: each has a leader, which owns blocks, and members, which share its loops.

    threads: 0: one for each core that is this rank's share. One team of all at first. The calling thread is pinned to
    a core for as long as the teams are there. Called by all ranks.
    """

    def __init__(self, comm: Communicator | None = None, *, threads: int = 0) -> None:
        self._native = _native.Teams(_comm(comm)._native, threads)

    @property
    def threads(self) -> int:
        """Number of threads in all."""
        return self._native.threads

    @property
    def leaders(self) -> int:
        """Number of teams."""
        return self._native.leaders

    @property
    def members(self) -> int:
        """Threads of a team beside its leader."""
        return self._native.members

    @property
    def shapes(self) -> list[tuple[int, int]]:
        """All (leaders, members) that use every thread, most leaders first."""
        n = self.threads
        return [(leaders, n // leaders - 1) for leaders in range(n, 0, -1) if n % leaders == 0]

    def configure(self, leaders: int, members: int) -> None:
        """Changes the shape, between two iterations; by the thread that made the teams."""
        self._native.configure(leaders, members)


def _comm(comm: Communicator | None) -> Communicator:
    from allport.comm import world

    return world() if comm is None else comm


class Blocks:
    """A grid of one to three axes in blocks, more of them than cores, which ranks own and teams compute.

    grid, block: cells along each axis; the last block along an axis has what is left. comm: all ranks when None. teams:
    this rank's share of the cores when None. halo: layers of cells that a block sees of its neighbours. periodic: for
    all axes, or for each. owners: the rank of each block, by rows of blocks; boxes of equal size when None.
    All cells are 0 at first. Methods are called by all ranks, unless they say otherwise.
    Raises Error on every rank when a shape does not fit, or ranks differ.
    """

    def __init__(
        self,
        grid: Sequence[int],
        block: Sequence[int],
        *,
        comm: Communicator | None = None,
        teams: Teams | None = None,
        dtype: Any = "f8",
        halo: int = 1,
        periodic: bool | Sequence[bool] = False,
        owners: Sequence[int] | None = None,
    ) -> None:
        self.comm = _comm(comm)
        with together(self.comm):
            self.dtype = np.dtype(dtype)
            if self.dtype.hasobject:
                raise failure(f"dtype = '{self.dtype}': expected numbers, which other ranks can read")
            self.grid = tuple(int(n) for n in grid)
            self.halo = int(halo)
            axes = [periodic] * len(self.grid) if isinstance(periodic, bool) else periodic
            self.periodic = tuple(bool(p) for p in axes)
            cut = [int(n) for n in block]
            first_owners = [] if owners is None else [int(o) for o in owners]
        self.teams = Teams(self.comm) if teams is None else teams
        self._native = _native.Blocks(
            self.comm._native, self.teams._native, self.grid, cut, self.periodic, self.halo, self.dtype.itemsize,
            first_owners,
        )  # fmt: skip

    @property
    def block(self) -> tuple[int, ...]:
        """Cells of a block along each axis."""
        return tuple(self._native.block)

    @property
    def owners(self) -> list[int]:
        """The rank of each block."""
        return self._native.owners

    @property
    def iteration(self) -> int:
        """How many iterations have run."""
        return self._native.iteration

    def fill(self, value: Any) -> None:
        """Gives every cell, and the border around the grid, its value.

        value: a number, or a function of arrays of indices, one for each axis, as np.ogrid has them: those of the
        border are -halo ... -1 and from the grid's length on; along a periodic axis there are none. Raises Error on
        every rank when it raises on any.
        """

        def write(*native: Any) -> None:
            part = Part(self, native)
            lengths = part.cells.shape
            index = [np.arange(f - self.halo, f + n + self.halo) for f, n in zip(part.first, lengths, strict=True)]
            index = [i % n if wraps else i for i, n, wraps in zip(index, self.grid, self.periodic, strict=True)]
            values = value(*np.ix_(*index)) if callable(value) else value
            np.ndarray(part.now.shape, self.dtype, buffer=native[-1], strides=native[4])[...] = values

        with together(self.comm):
            _raise(self._native.visit(True, write))

    def __iter__(self) -> Iterator[Part]:
        """This rank's blocks, whole: their cells as they are now. Not collective."""
        found: list[Part] = []
        _raise(self._native.visit(False, lambda *native: found.append(Part(self, native))))
        return iter(found)

    def gather(self, root: int = 0) -> np.ndarray | None:
        """The whole grid on the root, None elsewhere."""
        every = self.comm.gather([(part.first, part.cells.copy()) for part in self], root)
        if every is None:
            return None
        whole = np.empty(self.grid, self.dtype)
        for first, cells in (one for rank in every for one in rank):
            whole[tuple(slice(f, f + n) for f, n in zip(first, cells.shape, strict=True))] = cells
        return whole

    def iterate(self, count: int, body: Body, *, schedule: str = "static", chunk: int = 0) -> None:
        """count iterations: body(part) writes part.next from part.now, for all parts of all blocks.

        A block is computed as soon as its neighbours' faces of the iteration before are there; blocks may be one
        iteration apart from their neighbours. Each is cut into chunks of rows for the threads of its team, by schedule
        'static', 'dynamic' or 'guided'; after select() the configuration is chosen, and these two are not used.
        Raises Error on every rank when a body raises on any: it names block, iteration and rank, and has the exception
        as its cause where that was raised. Only fill() may follow.
        """
        _raise(self._native.iterate(count, lambda *native: body(Part(self, native)), schedule, chunk))

    def balance(self, balancer: str = "refine", *, tolerance: float = 1.05) -> BalanceReport:
        """Moves blocks between ranks and team leaders by the core-seconds that they took since the last call.

        balancer: 'refine' moves from whoever has more than tolerance times the mean, and keeps neighbours together;
        'greedy' distributes anew; 'none' only measures.
        """
        return BalanceReport(*self._native.balance(balancer, tolerance))

    def loads(self) -> np.ndarray:
        """Core-seconds of each block since the last balance(), on every rank."""
        return np.array(self._native.loads())

    def recut(self, block: Sequence[int]) -> None:
        """Cuts the grid into blocks of another size; cells and the border stay."""
        self._native.recut([int(n) for n in block])

    def select(
        self,
        *,
        blocks: Sequence[Sequence[int]] = (),
        schedules: Sequence[str | tuple[str, int]] = ("static",),
        fewer_threads: bool = False,
        site: str = "",
    ) -> None:
        """From now on each iterate() runs in a configuration that is chosen by measured times, within a bounded loss.

        Tried are all shapes of the teams, with each schedule ('dynamic', or ('dynamic', 16) with its chunk) and size of
        blocks (as they are when there are none), the first of each at first. fewer_threads: also shapes of three
        quarters and half of the threads. site: where results are stored in ALLPORT_SELECT_FILE. Calls of iterate()
        should have equal counts, large enough to be timed.
        """
        named = [(s, 0) if isinstance(s, str) else (str(s[0]), int(s[1])) for s in schedules]
        self._native.select(self.teams._native, [[int(n) for n in b] for b in blocks], named, fewer_threads, site)

    @property
    def best(self) -> str:
        """The configuration that select() has found best so far: '2 x (1 + 1), static, blocks of 32 x 50'."""
        return self._native.selection(False)

    def explain(self) -> str:
        """Each configuration of select(): its time, or why it was not tried."""
        return self._native.selection(True)

    def __repr__(self) -> str:
        return f"Blocks({self.grid} by {self.block}, {self.dtype}, iteration {self.iteration})"
