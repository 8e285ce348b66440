"""What is done to one operand of a contraction before the product, each rank on its own part: diagonals are taken, axes
that stretch are left out, indices that no one else has are summed over."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from allport.tensors.contraction import Contraction
from allport.tensors.distribution import Cuts, Hop, TensorDistribution, hops

__all__ = ["Operand", "reduced_array"]


@dataclass(frozen=True)
class _Blocks:
    """A tensor's blocks on a grid: labels and cuts of its dimensions, in the order of memory. A label that ends with
    '+' counts partial sums, one a part."""

    labels: tuple[str, ...]
    cuts: tuple[Cuts, ...]
    grid: np.ndarray

    @property
    def distribution(self) -> TensorDistribution:
        """With dimensions as axes."""
        shape = tuple(c[-1] for c in self.cuts)
        ranks = tuple(int(r) for r in self.grid.ravel())
        return TensorDistribution(shape, tuple((a,) for a in range(len(shape))), self.cuts, ranks)

    def place(self, rank: int) -> tuple[int, ...] | None:
        """A rank's place in the grid."""
        found = np.argwhere(self.grid == rank)
        return tuple(int(p) for p in found[0]) if len(found) else None

    def empty(self, local: np.ndarray) -> np.ndarray:
        """The part of a rank that has no place."""
        return np.zeros((0,) * len(self.labels), dtype=local.dtype)


Part = tuple[_Blocks, np.ndarray | None]


def _diagonal(of: _Blocks, rank: int, local: np.ndarray | None, p: int, q: int) -> Part:
    """Dimensions p < q become one: its parts are the pairs of theirs, in order, each what both have of the diagonal."""
    first, second = of.cuts[p], of.cuts[q]
    common = [(max(a0, b0), min(a1, b1)) for a0, a1 in pairwise(first) for b0, b1 in pairwise(second)]
    counts = [max(end - begin, 0) for begin, end in common]
    grid = np.moveaxis(of.grid, q, p + 1)
    grid = grid.reshape(*grid.shape[:p], -1, *grid.shape[p + 2 :])
    cuts = list(of.cuts)
    cuts[p] = tuple(int(n) for n in np.cumsum([0, *counts]))
    del cuts[q]
    made = _Blocks(of.labels[:q] + of.labels[q + 1 :], tuple(cuts), grid)
    if local is None:
        return made, None
    at = of.place(rank)
    if at is None:
        return made, made.empty(local)
    begin, end = common[at[p] * (len(second) - 1) + at[q]]
    both: list[slice] = [slice(None)] * local.ndim
    for axis, cut in ((p, first), (q, second)):
        both[axis] = slice(begin - cut[at[axis]], max(begin, end) - cut[at[axis]])
    if end <= begin:
        both[p] = both[q] = slice(0, 0)
    return made, np.moveaxis(np.diagonal(local[tuple(both)], axis1=p, axis2=q), -1, p)


def _left_out(of: _Blocks, rank: int, local: np.ndarray | None, p: int) -> Part:
    """Dimension p, of extent 1, is left out: ranks that have nothing of it have no place any more."""
    owner = next(k for k, (a, b) in enumerate(pairwise(of.cuts[p])) if b > a)
    made = _Blocks(of.labels[:p] + of.labels[p + 1 :], of.cuts[:p] + of.cuts[p + 1 :], of.grid.take(owner, axis=p))
    if local is None:
        return made, None
    return made, local.squeeze(p) if made.place(rank) is not None else made.empty(local)


def _summed(of: _Blocks, rank: int, local: np.ndarray | None, p: int) -> Part:
    """Each part sums over its indices of dimension p. Where there are several parts, their sums stay apart."""
    parts = len(of.cuts[p]) - 1
    cuts = (*of.cuts[:p], tuple(range(parts + 1)), *of.cuts[p + 1 :])
    made = _Blocks((*of.labels[:p], of.labels[p] + "+", *of.labels[p + 1 :]), cuts, of.grid)
    if local is not None:
        local = local.sum(axis=p, keepdims=True) if of.place(rank) is not None else made.empty(local)
    return _left_out(made, rank, local, p) if parts == 1 else (made, local)


@dataclass(frozen=True)
class Operand:
    """One operand: how it comes, and how it goes to the product.

    given: where it lies; None where it is a whole array. before: the exchanges that come first, where axes that
    are cut together have to be looked at alone. labels, distribution: as it is after its own sums; labels that end with
    '+' are partial sums, which are added up where the product wants them.
    """

    contraction: Contraction
    of_a: bool
    given: TensorDistribution | None
    before: tuple[Hop, ...]
    labels: tuple[str, ...]
    distribution: TensorDistribution | None

    @classmethod
    def of(cls, contraction: Contraction, of_a: bool, given: TensorDistribution | None) -> Operand:
        """What will be done to it."""
        if given is None:
            return cls(contraction, of_a, None, (), contraction.kept(of_a), None)
        made = cls(contraction, of_a, given, (), (), given)
        labels = made.own
        if labels == contraction.kept(of_a):
            return replace(made, labels=labels)
        blocks = given.unfused()
        after, _ = made.reduced(blocks, -1, None)
        return replace(made, before=hops(given, blocks), labels=after.labels, distribution=after.distribution)

    @property
    def own(self) -> tuple[str, ...]:
        """Labels of its axes, as the caller wrote them."""
        return self.contraction.a if self.of_a else self.contraction.b

    @property
    def is_reduced(self) -> bool:
        """Whether it is worked on before the product."""
        return self.own != self.contraction.kept(self.of_a)

    @property
    def partial(self) -> tuple[int, ...]:
        """Axes that count partial sums."""
        return tuple(axis for axis, label in enumerate(self.labels) if label.endswith("+"))

    def axes(self, labels: tuple[str, ...]) -> tuple[int, ...]:
        """The axes of labels."""
        return tuple(self.labels.index(x) for x in labels)

    def reduced(self, blocks: TensorDistribution, rank: int, local: np.ndarray | None) -> Part:
        """Diagonals, stretched axes, sums, of a rank's part of `blocks`; without a part, where everything is then."""
        contraction = self.contraction
        shape = contraction.shape_a if self.of_a else contraction.shape_b
        order = [group[0] for group in blocks.groups]
        stretched = contraction.stretched(self.own, shape)
        leave = {self.own[a] for a in order if stretched[a]}
        part: Part = _Blocks(tuple(self.own[a] for a in order), blocks.cuts, blocks.grid), local
        kept = contraction.kept(self.of_a)
        p = 0
        while p < len(part[0].labels):
            label = part[0].labels[p]
            again = [q for q in range(p + 1, len(part[0].labels)) if part[0].labels[q] == label]
            if again:
                part = _diagonal(part[0], rank, part[1], p, again[0])
            elif label in leave:
                part = _left_out(part[0], rank, part[1], p)
            elif label not in kept and not label.endswith("+"):
                part = _summed(part[0], rank, part[1], p)
            else:
                p += 1
        return part


def reduced_array(operand: Operand, whole: np.ndarray) -> np.ndarray:
    """The same of an array that this rank has all of: its axes are the labels that are kept, in order."""
    contraction, kept = operand.contraction, operand.contraction.kept(operand.of_a)
    if not operand.is_reduced:
        return whole
    shape = contraction.shape_a if operand.of_a else contraction.shape_b
    stretched = contraction.stretched(operand.own, shape)
    some = whole[tuple(0 if leave else slice(None) for leave in stretched)]
    labels = [x for x, leave in zip(operand.own, stretched, strict=True) if not leave]
    number = {x: k for k, x in enumerate(dict.fromkeys(labels))}
    return np.asarray(np.einsum(some, [number[x] for x in labels], [number[x] for x in kept], dtype=whole.dtype))


def part_of_array(whole: np.ndarray, target: TensorDistribution, rank: int) -> np.ndarray:
    """A rank's part of an array that it has all of."""
    box = target.box(rank)
    if box is None:
        return np.zeros(target.local_shape(rank), dtype=whole.dtype)
    order = [a for group in target.groups for a in group]
    if order == sorted(order) and whole.flags.c_contiguous:
        counted = whole.reshape([target.extent(group) for group in target.groups])
        return np.ascontiguousarray(counted[tuple(slice(*ends) for ends in box)])
    index: list[np.ndarray] = [np.empty(0)] * whole.ndim
    for dim, (group, (begin, end)) in enumerate(zip(target.groups, box, strict=True)):
        where = np.unravel_index(np.arange(begin, end), [whole.shape[a] for a in group]) if group else ()
        for axis, some in zip(group, where, strict=True):
            index[axis] = some.reshape([-1 if d == dim else 1 for d in range(len(box))])
    shape = target.local_shape(rank)
    if math.prod(shape) == 0:
        return np.zeros(shape, dtype=whole.dtype)
    return np.ascontiguousarray(whole[tuple(index)]).reshape(shape)
