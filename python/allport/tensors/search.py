"""Searches the plan of a contraction of two tensors, by predicted time of exchanges and product together."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeAlias

from allport import _native
from allport._native import GemmPlan, Machine
from allport.errors import Error, failure, together
from allport.io import scalar_of
from allport.machine import as_machine
from allport.options import Options
from allport.plan import parse_grid
from allport.tensors.contraction import Contraction, of_einsum, of_tensordot
from allport.tensors.distribution import Hop, TensorDistribution, hops
from allport.tensors.groups import Ranks, groupings
from allport.tensors.plan import (
    Choice,
    ContractionPlan,
    Labels,
    Problem,
    layout,
    plan_product,
    result_layout,
    stored_sides,
)
from allport.units import format_bytes, parse_memory

if TYPE_CHECKING:
    from allport.comm import Communicator

__all__ = ["ContractionPlan", "plan_einsum", "plan_tensordot"]

Given: TypeAlias = "tuple[TensorDistribution | None, TensorDistribution | None]"

PRODUCTS_TRIED = 12  # number of cheapest products per group of ranks whose exchanges are priced


def _orders(*given: Labels) -> list[Labels]:
    """The distinct orders of the first one's labels; labels that it lacks are dropped from the others."""
    own = given[0]
    return list(dict.fromkeys([own, *(tuple(x for x in some if x in own) for some in given[1:])]))


def _divided_first(labels: Labels, given: TensorDistribution | None, order: Labels) -> Labels:
    """Labels in memory order, but those of cut axes first."""
    if given is None:
        return labels
    cut = {labels[a] for group, parts in zip(given.groups, given.parts, strict=True) if parts > 1 for a in group}
    return tuple(x for x in order if x in cut) + tuple(x for x in order if x not in cut)


class _Search:
    """The search for one problem."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.operands = problem.operands()
        self.best: ContractionPlan | None = None
        self.rows: list[dict[str, Any]] = []
        self.refused: list[Error] = []
        self._priced: dict[Hop, float] = {}
        self.before = [self.seconds(operand.before) for operand in self.operands]
        self.least_memory = 0
        memory = [self._memory_orders(k) for k in (0, 1)]
        out = self._result_orders()
        self.orders = (
            _orders(problem.rows, *memory[0], *out),
            _orders(problem.cols, *memory[1], *out),
            _orders(problem.inner, *memory[0], *memory[1]),
            _orders(problem.batch, *memory[0], *memory[1], *out),
        )

    def _memory_orders(self, which: int) -> list[Labels]:
        operand = self.operands[which]
        given = operand.distribution
        if given is None:
            return []
        order = tuple(operand.labels[a] for group in given.groups for a in group)
        return [order, _divided_first(operand.labels, given, order)]

    def _result_orders(self) -> list[Labels]:
        wanted, out = self.problem.wanted, self.problem.contraction.out
        if wanted is None:
            return []
        order = tuple(out[a] for group in wanted.groups for a in group)
        return [order, _divided_first(out, wanted, order)]

    def run(self) -> ContractionPlan:
        """The best plan. Raises Error if no plan is usable."""
        problem = self.problem
        for ranks in groupings(problem.machine, problem.mapping, problem.extent(problem.batch)):
            for turned in self._turns():
                try:
                    asked = Options(algorithm=problem.algorithm, grid=problem.grid, candidates=PRODUCTS_TRIED)
                    products = plan_product(problem, ranks, turned, "NN", asked)
                except Error as error:
                    self.refused.append(error)
                    continue
                for product in self._products(ranks, turned, products):
                    self._try(ranks, turned, product)
        if self.best is None:
            if self.refused:
                raise self.refused[0]
            raise failure(
                f"memory: the contraction needs {self.least_memory} bytes per rank "
                f"({format_bytes(self.least_memory)}) and {problem.limit} ({format_bytes(problem.limit)}) are there; "
                "use more ranks, raise memory, or take a smaller type",
                "memory",
            )
        self.rows.sort(key=lambda row: ("why_not" in row, row["seconds"]["total"]))
        self.best.candidates = self.rows
        return self.best

    def _turns(self) -> tuple[bool, ...]:
        """Whether to compute C^T. If no distribution of the result is requested, it is chosen such that the result's
        last index is fastest."""
        if self.problem.wanted is not None:
            return (True, False)
        out = self.problem.contraction.out
        return (not out or out[-1] not in self.problem.rows,)

    def _products(self, ranks: Ranks, turned: bool, found: GemmPlan) -> Iterator[GemmPlan]:
        """The cheapest products, each with its grid's axes in either order over the ranks."""
        usable = [c for c in found.to_dict()["candidates"] if "why_not" not in c]
        batches = -(-self.problem.extent(self.problem.batch) // ranks.parts)
        for c in usable[:PRODUCTS_TRIED]:
            orders = [c["order"]]
            if sorted(c["order"]) == ["i", "j", "l"] and (self.operands[0].given or self.operands[1].given):
                orders.append(c["order"].translate(str.maketrans("ij", "ji")))
            for order in orders:
                alone = c["seconds"]["total"] * batches
                if self.best is not None and alone >= self.best.predicted:
                    if order == c["order"]:
                        self._leave_out(ranks, turned, c, alone)
                    continue
                asked = Options(algorithm=c["algorithm"], grid=tuple(c["grid"]), panel=c["panel"], order=order)
                yield plan_product(self.problem, ranks, turned, "NN", replace(asked, candidates=1))

    def _leave_out(self, ranks: Ranks, turned: bool, product: dict[str, Any], seconds: float) -> None:
        """Records a product that alone takes longer than the best contraction."""
        row = {name: product[name] for name in ("algorithm", "order", "panel", "grid")}
        row |= {"parts": ranks.parts, "turned": turned, "seconds": {"product": seconds, "total": seconds}}
        self.rows.append({**row, "why_not": "its product alone takes as long as another contraction"})

    def _try(self, ranks: Ranks, turned: bool, product: GemmPlan) -> None:
        exchanges = _Exchanges(self, ranks, turned, product)
        rows, cols, inner, batch = min(itertools.product(*self.orders), key=lambda o: exchanges.seconds(*o))
        letters = [exchanges.operand(k, outer, inner, batch)[2] for k, outer in ((0, rows), (1, cols))]
        chosen = product.to_dict()["chosen"]
        choice = Choice(
            parts=ranks.parts,
            turned=turned,
            trans="".join(letters[::-1] if turned else letters),
            rows=rows,
            cols=cols,
            inner=inner,
            batch=batch,
            algorithm=chosen["algorithm"],
            grid=tuple(chosen["grid"]),
            order=chosen["order"],
            panel=chosen["panel"],
        )
        seconds = {
            "redistribute_a": self.before[0] + exchanges.operand(0, rows, inner, batch)[0],
            "redistribute_b": self.before[1] + exchanges.operand(1, cols, inner, batch)[0],
            "redistribute_c": exchanges.result(rows, cols, batch),
            "product": product.predicted * -(-self.problem.extent(batch) // ranks.parts),
        }
        row = {
            **{name: getattr(choice, name) for name in ("algorithm", "order", "panel", "parts", "turned", "trans")},
            "grid": list(choice.grid),
            "rows": list(rows),
            "cols": list(cols),
            "inner": list(inner),
            "seconds": {**seconds, "total": sum(seconds.values())},
        }
        self.rows.append(row)
        if self.best is not None and row["seconds"]["total"] >= self.best.predicted:
            return
        plan, limit = ContractionPlan(self.problem, choice), self.problem.limit
        if limit and plan.memory > limit:
            row["why_not"] = f"needs {plan.memory} bytes per rank, the limit is {limit}"
            self.least_memory = min(self.least_memory or plan.memory, plan.memory)
        else:
            self.best = plan

    def seconds(self, exchanges: tuple[Hop, ...]) -> float:
        """Predicted seconds of exchanges; each one is priced once."""
        for hop in exchanges:
            if hop not in self._priced:
                self._priced[hop] = self.problem.seconds(hop)
        return sum(self._priced[hop] for hop in exchanges)


@dataclass
class _Exchanges:
    """Predicted times of the exchanges of one product, by the orders of indices."""

    search: _Search
    ranks: Ranks
    turned: bool
    product: GemmPlan
    _known: dict[Any, Any] = field(default_factory=dict)

    def seconds(self, rows: Labels, cols: Labels, inner: Labels, batch: Labels) -> tuple[float, int]:
        """Seconds of all three exchanges, then the number of operands that are not in their own order, to break
        ties."""
        a, b = self.operand(0, rows, inner, batch), self.operand(1, cols, inner, batch)
        return a[0] + b[0] + self.result(rows, cols, batch), a[1] + b[1]

    def operand(self, which: int, outer: Labels, inner: Labels, batch: Labels) -> tuple[float, int, str]:
        """(seconds, 0 or 1 if not in its own order, 'N' or 'T') of an operand in the cheaper storage order."""
        key = which, outer, inner, batch
        if key not in self._known:
            self._known[key] = min(self._stored(which, outer, inner, batch, letter) for letter in "NT")
        return self._known[key]

    def _stored(self, which: int, outer: Labels, inner: Labels, batch: Labels, letter: str) -> tuple[float, int, str]:
        problem, operand = self.search.problem, self.search.operands[which]
        left = operand.of_a != self.turned
        matrix = self.product.a if left else self.product.b
        if letter == "T":
            matrix = _native.transposed(matrix)
        target = layout(batch, *stored_sides(left, letter, outer, inner), matrix, self.ranks, problem, operand)
        order = [a for group in target.groups for a in group]
        if operand.distribution is None:
            return 0.0, int(order != sorted(order)), letter
        return self.search.seconds(hops(operand.distribution, target)), 0, letter

    def result(self, rows: Labels, cols: Labels, batch: Labels) -> float:
        """Seconds to move the result to the requested distribution."""
        problem = self.search.problem
        if problem.wanted is None:
            return 0.0
        key = rows, cols, batch
        if key not in self._known:
            slow, fast = (rows, cols) if self.turned else (cols, rows)
            stored = layout(batch, slow, fast, self.product.c, self.ranks, problem, None)
            self._known[key] = self.search.seconds(hops(result_layout(stored), problem.wanted))
        return self._known[key]


@functools.lru_cache(maxsize=64)
def best_plan(problem: Problem) -> ContractionPlan:
    """The plan of a problem with the least predicted time (cached)."""
    return _Search(problem).run()


@functools.lru_cache(maxsize=64)
def plan_as_chosen(problem: Problem, choice: Choice) -> ContractionPlan:
    """The plan of a choice (cached)."""
    return ContractionPlan(problem, choice)


def plan_on(comm: Communicator, problem: Problem) -> ContractionPlan:
    """The plan that rank 0 chooses for all ranks. Collective."""
    plan: Any = None
    choice: Any = None
    with together(comm):
        if comm.rank == 0:
            plan = best_plan(problem)
            choice = plan.choice
    choice = comm.mpi4py.bcast(choice, 0)
    with together(comm):
        if comm.rank != 0:
            plan = plan_as_chosen(problem, choice)
    return plan


OPTIONS = ("algorithm", "grid", "memory", "mapping")


def problem_of(
    contraction: Contraction,
    machine: Machine | str,
    dtype: Any,
    *,
    given: Given = (None, None),
    distribution: TensorDistribution | None = None,
    options: Options | None = None,
) -> Problem:
    """Checks the arguments of a contraction on a machine. Raises Error."""
    on, options = as_machine(machine), options or Options()
    options.only("a contraction's plan", *OPTIONS)
    problem = Problem(
        contraction=contraction,
        machine=on,
        mapping=tuple(range(on.ranks)) if options.mapping is None else tuple(int(p) for p in options.mapping),
        scalar=scalar_of(dtype),
        given_a=given[0],
        given_b=given[1],
        wanted=distribution,
        memory=parse_memory(options.memory),
        algorithm=options.algorithm,
        grid=None if options.grid is None else parse_grid(options.grid),
    )
    _check_distributions(problem)
    return problem


def _check_distributions(problem: Problem) -> None:
    """Raises Error if tensors are on ranks that the machine does not have, or have other shapes."""
    contraction = problem.contraction
    for name, given, shape in (
        ("a", problem.given_a, contraction.shape_a),
        ("b", problem.given_b, contraction.shape_b),
        ("distribution", problem.wanted, contraction.shape),
    ):
        if given is None:
            continue
        if given.shape != shape:
            raise failure(f"{name}: is distributed as a tensor of shape {given.shape}; expected {shape}")
        if max(given.ranks) >= problem.machine.ranks:
            raise failure(
                f"{name}: lies on rank {max(given.ranks)}; expected ranks of {problem.machine.name}, "
                f"which has {problem.machine.ranks}"
            )


def plan_einsum(
    subscripts: str,
    shape_a: Sequence[int],
    shape_b: Sequence[int],
    machine: Machine | str,
    *,
    dtype: Any = "f8",
    given: Given = (None, None),
    distribution: TensorDistribution | None = None,
    options: Options | None = None,
) -> ContractionPlan:
    """Plans numpy.einsum of two tensors on a machine, without MPI.

    It chooses by predicted time of exchanges and product together: the orders of row, column and inner indices, the
    product or its transpose, the product's algorithm and grid, and the number of groups of ranks for the batch (indices
    of all three tensors).
    given: distributions of the operands; None: as the product needs them. distribution: that of the result; None: as
    the product leaves it. options: algorithm, grid, memory, mapping. Raises Error.
    """
    contraction = of_einsum(subscripts, shape_a, shape_b)
    return best_plan(problem_of(contraction, machine, dtype, given=given, distribution=distribution, options=options))


def plan_tensordot(
    shape_a: Sequence[int],
    shape_b: Sequence[int],
    machine: Machine | str,
    *,
    axes: Any = 2,
    dtype: Any = "f8",
    given: Given = (None, None),
    distribution: TensorDistribution | None = None,
    options: Options | None = None,
) -> ContractionPlan:
    """Plans numpy.tensordot of two tensors on a machine, without MPI; the arguments are those of plan_einsum()."""
    contraction = of_tensordot(axes, shape_a, shape_b)
    return best_plan(problem_of(contraction, machine, dtype, given=given, distribution=distribution, options=options))


def plan_for(plan: ContractionPlan, problem: Problem) -> ContractionPlan:
    """Adapts a caller's plan to the distributions of the tensors. Raises Error if it is for another contraction."""
    theirs = plan.problem
    for name, own, wanted in (
        ("contraction", _shown(theirs.contraction), _shown(problem.contraction)),
        ("dtype", theirs.scalar, problem.scalar),
        ("machine", theirs.machine, problem.machine),
        ("mapping", theirs.mapping, problem.mapping),
    ):
        if not own == wanted:
            raise failure(f"plan: is for {name} {own}; expected {wanted}; tensors.plan_einsum() makes another")
    kept = replace(problem, memory=theirs.memory, algorithm=theirs.algorithm, grid=theirs.grid)
    return plan if kept == theirs else plan_as_chosen(kept, plan.choice)


def _shown(contraction: Contraction) -> str:
    shapes = " and ".join("x".join(str(n) for n in s) or "scalar" for s in (contraction.shape_a, contraction.shape_b))
    terms = (",".join(labels) for labels in (contraction.a, contraction.b, contraction.out))
    return f"{' ; '.join(terms)} of {shapes}"
