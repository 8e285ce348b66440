"""How a tensor lies on the ranks: its axes, alone or some counted as one, each cut along an axis of a grid of ranks."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from allport._native import Distribution, Machine
from allport.errors import failure
from allport.machine import as_machine, axis_letter

__all__ = ["Hop", "MatrixView", "TensorDistribution", "balanced_cuts", "cuts_of", "hops", "natural_distribution"]

Cuts = tuple[int, ...]


def balanced_cuts(extent: int, parts: int) -> Cuts:
    """Where blocks begin and end that differ by at most one index."""
    return tuple(p * extent // parts for p in range(parts + 1))


@dataclass(frozen=True)
class TensorDistribution:
    """A tensor of `shape`, its axes in groups, each group cut along one axis of a grid of ranks.

    groups: which axes are cut together, ((0,), (1, 2)): indices of a group are counted as one, the last axis fastest. A
    rank's part is a C-ordered array with one dimension for each group, in this order. cuts: part p of group g is
    cuts[g][p] to cuts[g][p + 1] - 1. ranks: of the grid's places, the last group's parts fastest; ranks of the
    communicator may be missing. blocks(), onto() and whole_on() make the usual ones.
    """

    shape: tuple[int, ...]
    groups: tuple[tuple[int, ...], ...]
    cuts: tuple[Cuts, ...]
    ranks: tuple[int, ...]

    def __post_init__(self) -> None:
        if sorted(a for group in self.groups for a in group) != list(range(len(self.shape))):
            raise failure(f"groups = {self.groups}: expected every axis of a tensor of {len(self.shape)} once")
        if len(self.cuts) != len(self.groups):
            raise failure(f"cuts: has {len(self.cuts)} entries; expected one for each of {len(self.groups)} groups")
        for group, cuts in zip(self.groups, self.cuts, strict=True):
            whole = self.extent(group)
            if len(cuts) < 2 or cuts[0] != 0 or cuts[-1] != whole or any(a > b for a, b in itertools.pairwise(cuts)):
                raise failure(f"cuts = {cuts}: expected 0 to {whole}, ascending, for axes {group}")
        if len(self.ranks) != math.prod(self.parts):
            raise failure(f"ranks: has {len(self.ranks)} entries; expected {math.prod(self.parts)}, one a place")
        if len(set(self.ranks)) != len(self.ranks) or min(self.ranks) < 0:
            raise failure("ranks: expected ranks >= 0, each at most once")

    @classmethod
    def blocks(
        cls, shape: Sequence[int], parts: Sequence[int], ranks: Sequence[int] | None = None
    ) -> TensorDistribution:
        """A block a rank: axis a in parts[a] parts that differ by at most one index. ranks: 0, 1, ... when None."""
        shape, parts = tuple(int(n) for n in shape), tuple(int(p) for p in parts)
        if len(parts) != len(shape) or min(parts, default=1) < 1:
            raise failure(f"parts = {parts}: expected a number of parts >= 1 for each of {len(shape)} axes")
        if min(shape, default=0) < 0:
            raise failure(f"shape = {shape}: expected extents >= 0")
        return cls(
            shape,
            tuple((a,) for a in range(len(shape))),
            tuple(balanced_cuts(n, p) for n, p in zip(shape, parts, strict=True)),
            tuple(range(math.prod(parts))) if ranks is None else tuple(int(r) for r in ranks),
        )

    @classmethod
    def onto(
        cls, shape: Sequence[int], machine: Machine | str, where: Sequence[str], mapping: Sequence[int] | None = None
    ) -> TensorDistribution:
        """A block a rank, the tensor's axes along axes of the machine.

        where: for each of the tensor's axes the letters of the machine's axes that it goes along, the slowest first:
        ("y", "", "x", ""). Machine axes that are named nowhere have their first nodes alone. mapping: where the
        communicator's ranks are (Communicator.mapping).
        """
        on = as_machine(machine)
        letters = [axis_letter(a) for a in range(len(on.axes))]
        named = [letter for text in where for letter in text]
        if len(where) != len(shape) or len(set(named)) != len(named) or not set(named) <= set(letters):
            raise failure(
                f"where = {tuple(where)}: expected, for each of {len(shape)} axes, letters of {''.join(letters)}, "
                "each at most once"
            )
        places = np.arange(on.ranks).reshape(*(axis.length for axis in reversed(on.axes)), on.ranks_per_node)
        dims = [letters[::-1].index(letter) for letter in named]
        grid = np.moveaxis(places, dims, range(len(dims)))
        grid = grid.reshape(*grid.shape[: len(dims)], -1)[..., 0]
        lengths = dict(zip(letters, (axis.length for axis in on.axes), strict=True))
        parts = [math.prod(lengths[letter] for letter in text) for text in where]
        rank_at = {place: rank for rank, place in enumerate(mapping)} if mapping is not None else {}
        return cls.blocks(shape, parts, [rank_at.get(p, p) for p in grid.ravel().tolist()])

    @classmethod
    def whole_on(cls, shape: Sequence[int], rank: int = 0) -> TensorDistribution:
        """Everything on one rank."""
        return cls.blocks(shape, [1] * len(shape), [rank])

    def extent(self, group: Sequence[int]) -> int:
        """Indices of axes that are counted as one."""
        return math.prod(self.shape[a] for a in group)

    @property
    def parts(self) -> tuple[int, ...]:
        """The grid's extents: parts of each group."""
        return tuple(len(cuts) - 1 for cuts in self.cuts)

    @property
    def is_blocks(self) -> bool:
        """Whether each axis is cut by itself, so that a rank's part is a block of the tensor."""
        return all(len(group) == 1 for group in self.groups)

    @functools.cached_property
    def grid(self) -> np.ndarray:
        """The rank of each place, [parts of group 0, parts of group 1, ...]."""
        return np.array(self.ranks, dtype=np.int64).reshape(self.parts)

    @functools.cached_property
    def _places(self) -> dict[int, int]:
        return {rank: place for place, rank in enumerate(self.ranks)}

    def position(self, rank: int) -> tuple[int, ...] | None:
        """A rank's place in the grid; None where it has none."""
        place = self._places.get(rank)
        return None if place is None else tuple(int(p) for p in np.unravel_index(place, self.parts))

    def box(self, rank: int) -> tuple[tuple[int, int], ...] | None:
        """(begin, end) of a rank's indices in each group; None where it has no place."""
        at = self.position(rank)
        return None if at is None else tuple((c[p], c[p + 1]) for c, p in zip(self.cuts, at, strict=True))

    def local_shape(self, rank: int) -> tuple[int, ...]:
        """Shape of a rank's part: one dimension a group; zeros where it has no place."""
        box = self.box(rank)
        return (0,) * len(self.groups) if box is None else tuple(end - begin for begin, end in box)

    @property
    def most_elements(self) -> int:
        """Of the largest part."""
        return math.prod(max(b - a for a, b in itertools.pairwise(cuts)) for cuts in self.cuts)

    def unfused(self) -> TensorDistribution:
        """Like it, but with each axis cut by itself: what a group's parts are is shared out over its axes."""
        if self.is_blocks:
            return self
        parts: dict[int, int] = {}
        for group, count in zip(self.groups, self.parts, strict=True):
            for axis in group[:-1]:
                most = max(min(count, self.shape[axis]), 1)
                parts[axis] = max(p for p in range(1, most + 1) if count % p == 0)
                count //= parts[axis]
            if group:
                parts[group[-1]] = count
        if math.prod(parts.values()) != len(self.ranks):  # a group of no axes
            return TensorDistribution.blocks(
                self.shape, [parts[a] for a in range(len(self.shape))], self.ranks[: math.prod(parts.values())]
            )
        order = [a for group in self.groups for a in group]
        return TensorDistribution(
            self.shape,
            tuple((a,) for a in order),
            tuple(balanced_cuts(self.shape[a], parts[a]) for a in order),
            self.ranks,
        )

    def matched(self, axes: Sequence[int]) -> list[int] | None:
        """The groups that, one after the other, have exactly these axes in this order; None where none do."""
        found: list[int] = []
        first = {group[0]: g for g, group in enumerate(self.groups) if group}
        done = 0
        while done < len(axes):
            g = first.get(axes[done])
            if g is None or tuple(axes[done : done + len(self.groups[g])]) != self.groups[g]:
                return None
            found.append(g)
            done += len(self.groups[g])
        return found

    def as_matrix(self, slow: Sequence[int], fast: Sequence[int]) -> MatrixView | None:
        """As a matrix whose rows are the axes `fast` and whose columns are `slow`, both the last axis fastest; None
        where axes that are cut together are in the way."""
        rows, cols = self.matched(fast), self.matched(slow)
        if rows is None or cols is None or len(slow) + len(fast) != len(self.shape):
            return None
        without = [g for g, group in enumerate(self.groups) if not group]
        return MatrixView(self, tuple(rows), (*without, *cols))

    def to_dict(self) -> dict[str, object]:
        """For programs."""
        return {
            "shape": list(self.shape),
            "groups": [list(group) for group in self.groups],
            "cuts": [list(cuts) for cuts in self.cuts],
            "ranks": list(self.ranks),
        }

    def __str__(self) -> str:
        parts = [
            f"{'*'.join(str(a) for a in group) or '-'}:{p}" for group, p in zip(self.groups, self.parts, strict=True)
        ]
        return f"{'x'.join(str(n) for n in self.shape) or 'scalar'} cut {' '.join(parts)}".strip()


def listing(cuts: Sequence[Cuts]) -> tuple[int, int, np.ndarray, np.ndarray]:
    """(extent, parts, starts, owners) of indices that are each cut by themselves and counted as one, the last fastest:
    run q begins at starts[q] and is part owners[q]'s, parts being counted likewise."""
    starts, owners = np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64)
    extent = parts = 1
    for own in reversed(cuts):
        bounds = np.array(own, dtype=np.int64)
        if len(starts) == 1:
            some = np.flatnonzero(np.diff(bounds))
            starts, owners = bounds[some] * extent, some * parts + owners[0]
        else:
            index = np.arange(bounds[-1])
            outer = np.searchsorted(bounds, index, side="right") - 1
            starts = np.add.outer(index * extent, starts).ravel()
            owners = np.add.outer(outer * parts, owners).ravel()
        extent *= int(bounds[-1])
        parts *= len(own) - 1
    return (extent, parts, starts, owners) if extent else (0, parts, starts[:0], owners[:0])


def cuts_of(distribution: Distribution) -> tuple[Cuts, Cuts, np.ndarray]:
    """(rows' cuts, columns' cuts, ranks as [grid rows, grid columns]) of a matrix that lies in plain blocks."""
    rows, cols = distribution.parts
    grid = np.array(distribution.grid).reshape(cols, rows).T
    counts = (
        [distribution.local_shape(int(rank))[0] for rank in grid[:, 0]],
        [distribution.local_shape(int(rank))[1] for rank in grid[0, :]],
    )
    row_cuts, col_cuts = (tuple(int(n) for n in np.cumsum([0, *some])) for some in counts)
    return row_cuts, col_cuts, grid


def natural_distribution(shape: Sequence[int], ranks: Sequence[int]) -> TensorDistribution:
    """A block a rank where nobody asks for another distribution: cut on the first axes and on those from the middle on,
    as the matrix of the first half's indices by the second half's is cut in nearly square blocks.

    ranks: in the machine's order."""
    shape = tuple(int(n) for n in shape)
    middle, count = (len(shape) + 1) // 2, len(ranks)
    sides = (list(range(middle)), list(range(middle, len(shape))))
    extents = [max(math.prod(shape[a] for a in side), 1) for side in sides]
    divisors = [p for p in range(1, count + 1) if count % p == 0]
    first = min(divisors, key=lambda p: extents[0] / p + extents[1] / (count // p)) if sides[1] else count
    parts = [1] * len(shape)
    for side, wanted in zip(sides, (first, count // first), strict=True):
        left = wanted
        for axis in side[:-1]:
            parts[axis] = max(p for p in range(1, left + 1) if left % p == 0 and p <= max(shape[axis], 1))
            left //= parts[axis]
        if side:
            parts[side[-1]] = left
    return TensorDistribution.blocks(shape, parts, list(ranks)[: math.prod(parts)])


@dataclass(frozen=True)
class MatrixView:
    """A distribution as a matrix': the groups that are its rows and those that are its columns, slowest first."""

    distribution: TensorDistribution
    rows: tuple[int, ...]
    cols: tuple[int, ...]

    @property
    def order(self) -> tuple[int, ...]:
        """Of a part's dimensions where the part, C-ordered, is the matrix' part, column-major."""
        return self.cols + self.rows

    @property
    def is_turned(self) -> bool:
        """Whether a part has to be turned round to be that."""
        return list(self.order) != sorted(self.order)

    def cuts(self, side: tuple[int, ...]) -> tuple[Cuts, ...]:
        """Of the groups of a side."""
        return tuple(self.distribution.cuts[g] for g in side)

    @functools.cached_property
    def grid(self) -> np.ndarray:
        """Ranks, [row parts, column parts]."""
        parts = self.distribution.parts
        turned = self.distribution.grid.transpose(self.rows + self.cols)
        return turned.reshape(math.prod(parts[g] for g in self.rows), -1)

    @functools.cached_property
    def native(self) -> Distribution:
        """As the compiled functions take it."""
        rows, cols = (listing(self.cuts(side)) for side in (self.rows, self.cols))
        return Distribution.listed(
            (*rows[:2], rows[2].tolist(), rows[3].tolist()),
            (*cols[:2], cols[2].tolist(), cols[3].tolist()),
            self.grid.T.ravel().tolist(),
        )

    def part(self, local: np.ndarray, rank: int) -> np.ndarray:
        """A rank's part as [local rows, local columns], column-major: a view where it lies so already."""
        if self.distribution.position(rank) is None:
            return np.empty((0, 0), dtype=local.dtype, order="F")
        shape = local.shape
        rows, cols = (math.prod(shape[g] for g in side) for side in (self.rows, self.cols))
        return np.ascontiguousarray(local.transpose(self.order)).reshape(cols, rows).T


@dataclass(frozen=True)
class Hop:
    """One exchange that redistributes a tensor. Both distributions are views as matrices of equal rows and columns."""

    source: MatrixView
    target: MatrixView

    @functools.cached_property
    def moves(self) -> bool:
        """Whether anything travels or is stored elsewhere."""
        return self.source.native != self.target.native

    @property
    def copied(self) -> int:
        """Elements that a rank turns round in its own memory, before and after, at most."""
        return sum(end.distribution.most_elements for end in (self.source, self.target) if end.is_turned)

    @property
    def packed(self) -> int:
        """Elements that a rank packs and unpacks at most, where something travels."""
        return self.source.distribution.most_elements + self.target.distribution.most_elements

    def messages(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(senders, receivers, elements) of all that travels."""
        a, b = self.source, self.target
        rows, cols = _shared(a.cuts(a.rows), b.cuts(b.rows)), _shared(a.cuts(a.cols), b.cuts(b.cols))
        (r0, r1), (c0, c1) = np.nonzero(rows), np.nonzero(cols)
        sent = np.multiply.outer(rows[r0, r1], cols[c0, c1]).ravel()
        senders, receivers = a.grid[np.ix_(r0, c0)].ravel(), b.grid[np.ix_(r1, c1)].ravel()
        away = senders != receivers
        return senders[away], receivers[away], sent[away]


def _shared(source: tuple[Cuts, ...], target: tuple[Cuts, ...]) -> np.ndarray:
    """How many indices each part of one side has in common with each part of the other."""
    extent, parts, starts, owners = listing(source)
    _, others, begins, holders = listing(target)
    shared = np.zeros((parts, others), dtype=np.int64)
    both = np.union1d(starts, begins)
    mine = owners[np.searchsorted(starts, both, side="right") - 1]
    theirs = holders[np.searchsorted(begins, both, side="right") - 1]
    np.add.at(shared, (mine, theirs), np.diff(np.append(both, extent)))
    return shared


def _hop(source: TensorDistribution, target: TensorDistribution) -> Hop | None:
    for base in (target, source):
        count = len(base.groups)
        for border in [*range(count - 1, -1, -1), count]:
            slow = [a for group in base.groups[:border] for a in group]
            fast = [a for group in base.groups[border:] for a in group]
            views = source.as_matrix(slow, fast), target.as_matrix(slow, fast)
            if views[0] is not None and views[1] is not None:
                return Hop(views[0], views[1])
    return None


@functools.lru_cache(maxsize=1024)
def hops(source: TensorDistribution, target: TensorDistribution) -> tuple[Hop, ...]:
    """The exchanges from one distribution to another: none, one, or two. Two are needed if axes that are cut together
    in one distribution are cut with others in the other."""
    if source.shape != target.shape:
        raise failure(f"distribution: is of shape {target.shape}, the tensor of {source.shape}")
    if source == target:
        return ()
    direct = _hop(source, target)
    if direct is not None:
        return (direct,)
    between = source.unfused() if target.is_blocks else target.unfused()
    first, second = _hop(source, between), _hop(between, target)
    assert first is not None and second is not None, "every distribution has an exchange with blocks"
    return (first, second)
