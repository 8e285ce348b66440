"""What a contraction is planned to be: a product, where it wants its tensors, and what bringing them there takes."""

from __future__ import annotations

import functools
import itertools
import math
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from allport import _native
from allport._native import GemmPlan, Machine, Pattern
from allport.errors import failure
from allport.io import DTYPES
from allport.options import Options
from allport.plan import gemm as plan_gemm
from allport.tensors.contraction import Contraction
from allport.tensors.distribution import Hop, TensorDistribution, balanced_cuts, cuts_of, hops
from allport.tensors.groups import Ranks, groupings
from allport.tensors.operands import Operand

__all__ = ["Choice", "ContractionPlan", "Problem"]

Labels = tuple[str, ...]
COUNTED_IN_FULL = 4096  # ranks; of more the memory of some is looked at


@dataclass(frozen=True)
class Choice:
    """What is chosen. parts: so many groups of ranks have their own share of the batch. turned: the product is
    C^T = B^T A^T. trans: 'N' or 'T' of its left and right matrix, as they are stored. rows, cols, inner, batch: indices
    of A and C, of B and C, of A and B, of all, in the order in which they are counted as one."""

    parts: int
    turned: bool
    trans: str
    rows: Labels
    cols: Labels
    inner: Labels
    batch: Labels
    algorithm: str
    grid: tuple[int, int, int]
    order: str
    panel: int


@dataclass(frozen=True)
class Problem:
    """A contraction on a machine, and where its tensors lie; None: wherever the product wants them."""

    contraction: Contraction
    machine: Machine
    mapping: tuple[int, ...]
    scalar: str
    given_a: TensorDistribution | None
    given_b: TensorDistribution | None
    wanted: TensorDistribution | None = None
    memory: int = 0
    algorithm: str | None = None
    grid: tuple[int, int, int] | None = None

    def operands(self) -> tuple[Operand, Operand]:
        """A and B, as they come to the product."""
        return (
            Operand.of(self.contraction, True, self.given_a),
            Operand.of(self.contraction, False, self.given_b),
        )

    @property
    def element(self) -> int:
        """Bytes."""
        return int(np.dtype(DTYPES[self.scalar]).itemsize)

    @property
    def limit(self) -> int:
        """Bytes of memory per rank; 0: unknown."""
        return self.memory or int(self.machine.rates.memory / self.machine.ranks_per_node)

    @property
    def rows(self) -> Labels:
        """Indices of A and the result, in A's order."""
        there = self.contraction.kept(False)
        return tuple(x for x in self.contraction.kept(True) if x in self.contraction.out and x not in there)

    @property
    def cols(self) -> Labels:
        """Indices of B and the result, in B's order."""
        there = self.contraction.kept(True)
        return tuple(x for x in self.contraction.kept(False) if x in self.contraction.out and x not in there)

    @property
    def inner(self) -> Labels:
        """Indices of A and B, in A's order."""
        there = self.contraction.kept(False)
        return tuple(x for x in self.contraction.kept(True) if x not in self.contraction.out and x in there)

    @property
    def batch(self) -> Labels:
        """Indices of all three, in the result's order."""
        both = set(self.contraction.kept(True)) & set(self.contraction.kept(False))
        return tuple(x for x in self.contraction.out if x in both)

    def extents_of_product(self) -> tuple[int, int]:
        """m and n."""
        return self.extent(self.rows), self.extent(self.cols)

    def extent(self, labels: Labels) -> int:
        """Indices that are counted as one."""
        extents = self.contraction.extents
        return math.prod(extents[x] for x in labels)

    def seconds(self, hop: Hop) -> float:
        """Of an exchange: of its busiest link, or of what its busiest rank has to say, and of copying in memory."""
        rates = self.machine.rates
        time = 0.0
        copied = hop.copied + (hop.packed if hop.moves else 0)
        if copied and rates.memory_bandwidth:
            time = 2 * copied * self.element * self.machine.ranks_per_node / rates.memory_bandwidth
        if not hop.moves:
            return time
        messages = zip(*(some.tolist() for some in hop.messages()), strict=True)
        pattern = Pattern("", self.machine.ranks, [(s, t, n * self.element) for s, t, n in messages])
        return time + _native.mapping_score(self.machine, pattern, list(self.mapping))["predicted_s"]


@dataclass(frozen=True)
class Layouts:
    """Where a product wants its tensors: A and B as they come to it, with partial sums side by side, and C."""

    a: TensorDistribution
    b: TensorDistribution
    c: TensorDistribution


def stored_sides(left: bool, letter: str, outer: Labels, inner: Labels) -> tuple[Labels, Labels]:
    """(columns, rows) of a product's left or right matrix as it is stored; outer: its indices that the product has."""
    return (inner, outer) if left == (letter == "N") else (outer, inner)


def layouts(choice: Choice, ranks: Ranks, product: GemmPlan, problem: Problem) -> Layouts:
    """The product's matrices as tensors: [batch, columns, rows] of each, as it is stored."""
    matrices = (product.a, product.b)
    made = []
    for operand, outer in zip(problem.operands(), (choice.rows, choice.cols), strict=True):
        left = operand.of_a != choice.turned
        letter, matrix = (choice.trans[0], matrices[0]) if left else (choice.trans[1], matrices[1])
        sides = stored_sides(left, letter, outer, choice.inner)
        made.append(layout(choice.batch, *sides, matrix, ranks, problem, operand))
    x, y = (choice.cols, choice.rows) if choice.turned else (choice.rows, choice.cols)
    return Layouts(made[0], made[1], layout(choice.batch, y, x, product.c, ranks, problem, None))


def layout(
    batch: Labels,
    slow: Labels,
    fast: Labels,
    matrix: _native.Distribution,
    ranks: Ranks,
    problem: Problem,
    operand: Operand | None,
) -> TensorDistribution:
    """A matrix of the product, columns `slow`, rows `fast`, as the tensor of an operand, or of the result."""
    rows, cols, grid = cuts_of(matrix)
    labels = operand.labels if operand is not None else problem.contraction.out
    extents = problem.contraction.extents
    partial: tuple[int, ...] = ()
    shape = [extents.get(x, 0) for x in labels]
    if operand is not None and operand.distribution is not None:
        partial, shape = operand.partial, list(operand.distribution.shape)
    sums = math.prod(shape[a] for a in partial)
    groups = [tuple(labels.index(x) for x in some) for some in (slow, fast)]
    cuts = [cols, tuple(n * sums for n in rows)]
    places = np.array(ranks.members)[:, grid.T]
    if batch:
        groups.insert(0, tuple(labels.index(x) for x in batch))
        cuts.insert(0, balanced_cuts(problem.extent(batch), ranks.parts))
    groups[-1] += partial
    return TensorDistribution(tuple(shape), tuple(groups), tuple(cuts), tuple(int(r) for r in places.ravel()))


class ContractionPlan:
    """How a contraction will be done, equal on every rank, and what it will cost.

    a, b: where the product wants the operands (None where indices of one are summed over or taken from diagonals
    first); c: where the result will lie. Tensors that lie so already cost no exchange.
    """

    def __init__(self, problem: Problem, choice: Choice, candidates: list[dict[str, Any]] | None = None) -> None:
        self.problem, self.choice = problem, choice
        self.ranks = _groups_of(problem, choice.parts)
        self.product = _product(problem, self.ranks, choice)
        self.layouts = layouts(choice, self.ranks, self.product, problem)
        self.operands = problem.operands()
        self.redistributions = _redistributions(problem, self.operands, self.layouts)
        self.seconds = _seconds(problem, choice, self.ranks, self.product, self.redistributions)
        self.memory = _memory(problem, self.ranks, self.product, self.layouts, self.redistributions)
        self.candidates = candidates or []

    @property
    def a(self) -> TensorDistribution | None:
        """Where the product wants A."""
        return None if self.operands[0].is_reduced else self.layouts.a

    @property
    def b(self) -> TensorDistribution | None:
        """Where the product wants B."""
        return None if self.operands[1].is_reduced else self.layouts.b

    @property
    def c(self) -> TensorDistribution:
        """Where the result will lie."""
        wanted = self.problem.wanted
        return wanted if wanted is not None else result_layout(self.layouts.c)

    @property
    def batches(self) -> tuple[int, ...]:
        """Products of each group of ranks."""
        if not self.choice.batch:
            return (1,)
        cuts = balanced_cuts(self.problem.extent(self.choice.batch), self.ranks.parts)
        return tuple(end - begin for begin, end in itertools.pairwise(cuts))

    @property
    def predicted(self) -> float:
        """Seconds."""
        return self.seconds["total"]

    @property
    def machine(self) -> Machine:
        """The machine it is for."""
        return self.problem.machine

    def traffic(self) -> tuple[np.ndarray, np.ndarray]:
        """(of the product, of redistribution): messages sent, received, bytes sent, received of each rank. Exact."""
        return self._counted

    @functools.cached_property
    def _counted(self) -> tuple[np.ndarray, np.ndarray]:
        count, element = self.machine.ranks, self.problem.element
        product, moved = np.zeros((count, 4), dtype=np.int64), np.zeros((count, 4), dtype=np.int64)
        if not self.ranks.is_single:
            own = [_four(t) for t in self.product.to_dict()["traffic"]]
            for members, batches in zip(self.ranks.members, self.batches, strict=True):
                product[list(members)] += np.array(own, dtype=np.int64) * batches
        for hop in itertools.chain(*self.redistributions.values()):
            if hop.moves:
                ends, where = (hop.source.native, hop.target.native), (self.machine, list(self.problem.mapping))
                for rank in range(count):
                    moved[rank] += _four(_native.redistribution_traffic(*ends, rank, element, *where).to_dict())
        return product, moved

    def to_dict(self) -> dict[str, Any]:
        """For programs."""
        problem, choice = self.problem, self.choice
        product, moved = self.traffic() if self.machine.ranks <= COUNTED_IN_FULL else (None, None)
        made: dict[str, Any] = {
            "problem": {
                "contraction": problem.contraction.text,
                "shape_a": list(problem.contraction.shape_a),
                "shape_b": list(problem.contraction.shape_b),
                "shape": list(problem.contraction.shape),
                "type": problem.scalar,
                "m": problem.extent(choice.rows),
                "n": problem.extent(choice.cols),
                "k": problem.extent(choice.inner),
                "batches": problem.extent(choice.batch),
            },
            "machine": self.machine.name,
            "ranks": self.machine.ranks,
            "chosen": {
                **asdict(choice),
                "ranks_of_a_group": len(self.ranks.members[0]),
                "seconds": self.seconds,
                "memory_bytes": self.memory,
            },
            "a": self.layouts.a.to_dict(),
            "b": self.layouts.b.to_dict(),
            "c": self.c.to_dict(),
            "candidates": self.candidates,
        }
        for name, counted in (("product", product), ("redistribution", moved)):
            if counted is not None:
                made["chosen"][f"{name}_words"] = int(counted[:, 2:].max(initial=0)) // problem.element
                made["chosen"][f"{name}_messages"] = int(counted[:, :2].max(initial=0))
        return made

    def __repr__(self) -> str:
        grid = "x".join(str(g) for g in self.choice.grid)
        batch = f", {self.choice.parts} groups" if self.choice.parts > 1 else ""
        return f"ContractionPlan({self.choice.algorithm} on {grid}{batch}, predicted {self.predicted:.3g} s)"


def _four(traffic: dict[str, int]) -> tuple[int, int, int, int]:
    names = ("messages_sent", "messages_received", "bytes_sent", "bytes_received")
    return tuple(traffic[name] for name in names)  # type: ignore[return-value]


def result_layout(stored: TensorDistribution) -> TensorDistribution:
    """The product's own distribution, without the sides that have no axes: their one index is on some ranks only."""
    groups, cuts, grid = list(stored.groups), list(stored.cuts), stored.grid
    for g in reversed(range(len(groups))):
        if not groups[g]:
            grid = grid.take(next(p for p, end in enumerate(cuts[g][1:]) if end > 0), axis=g)
            del groups[g], cuts[g]
    return TensorDistribution(stored.shape, tuple(groups), tuple(cuts), tuple(int(r) for r in grid.ravel()))


def _redistributions(problem: Problem, operands: tuple[Operand, Operand], to: Layouts) -> dict[str, tuple[Hop, ...]]:
    """The exchanges of each tensor."""
    found: dict[str, tuple[Hop, ...]] = {}
    for name, operand, target in (("a", operands[0], to.a), ("b", operands[1], to.b)):
        own = () if operand.distribution is None else hops(operand.distribution, target)
        found[name] = operand.before + own
    found["c"] = () if problem.wanted is None else hops(result_layout(to.c), problem.wanted)
    return found


def _groups_of(problem: Problem, parts: int) -> Ranks:
    """As many groups of ranks. Raises Error where the machine has none."""
    found = next((g for g in groupings(problem.machine, problem.mapping, parts) if g.parts == parts), None)
    if found is None:
        raise failure(f"parts = {parts}: the machine has no so many equal groups of ranks")
    return found


def plan_product(problem: Problem, ranks: Ranks, turned: bool, trans: str, options: Options) -> GemmPlan:
    """The plan of one product, on one group of ranks."""
    m, n = problem.extents_of_product()
    return plan_gemm(
        *((n, m) if turned else (m, n)),
        problem.extent(problem.inner),
        ranks.machine,
        dtype=DTYPES[problem.scalar],
        trans=trans,
        options=replace(options, memory=problem.memory or None, mapping=ranks.places),
    )


def _product(problem: Problem, ranks: Ranks, choice: Choice) -> GemmPlan:
    chosen = Options(algorithm=choice.algorithm, grid=choice.grid, order=choice.order, panel=choice.panel, candidates=1)
    return plan_product(problem, ranks, choice.turned, choice.trans, chosen)


def _seconds(
    problem: Problem, choice: Choice, ranks: Ranks, product: GemmPlan, exchanges: dict[str, tuple[Hop, ...]]
) -> dict[str, float]:
    batches = -(-problem.extent(choice.batch) // ranks.parts)
    seconds = {f"redistribute_{name}": sum(map(problem.seconds, some)) for name, some in exchanges.items()}
    seconds["product"] = product.predicted * batches
    seconds["total"] = sum(seconds.values())
    return seconds


def _memory(
    problem: Problem, ranks: Ranks, product: GemmPlan, to: Layouts, exchanges: dict[str, tuple[Hop, ...]]
) -> int:
    """Bytes per rank: the product's parts of all three and its work space, and what the largest exchange has beside."""
    element, machine = problem.element, problem.machine
    parts = sum(one.most_elements for one in (to.a, to.b, to.c)) * element
    shapes = [max(math.prod(d.local_shape(r)) for r in d.grid) for d in (product.a, product.b, product.c)]
    work = max(product.memory - sum(shapes) * element, 0)
    exchange = 0
    some = range(0, machine.ranks, max(machine.ranks // COUNTED_IN_FULL, 1))
    for hop in itertools.chain(*exchanges.values()):
        buffers = 0
        if hop.moves:
            ends, where = (hop.source.native, hop.target.native), (machine, list(problem.mapping))
            buffers = max(_native.redistribution_memory(*ends, rank, element, *where) for rank in some)
        exchange = max(exchange, buffers + hop.copied * element)
    return parts + max(work, exchange)
