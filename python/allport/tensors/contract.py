"""Contractions of two distributed tensors: numpy's einsum and tensordot over the ranks of a machine."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from allport import _native
from allport.errors import failure, together
from allport.io import working_dtype
from allport.linalg.gemm import GemmReport
from allport.linalg.matrix import DistributedMatrix, TransposedMatrix, world_of
from allport.options import Options
from allport.reports import remember
from allport.tensors.contraction import Contraction, of_einsum, of_tensordot
from allport.tensors.distribution import TensorDistribution
from allport.tensors.operands import Operand, part_of_array, reduced_array
from allport.tensors.plan import ContractionPlan, result_layout
from allport.tensors.search import plan_for, plan_on, problem_of
from allport.tensors.tensor import DistributedTensor, hash_of, travel
from allport.whole_arrays import Whole, whole_arrays

if TYPE_CHECKING:
    from allport.comm import Communicator

__all__ = ["ContractionReport", "einsum", "tensordot"]


class ContractionReport(GemmReport):
    """What a contraction measured, beside what its plan predicted."""

    @property
    def seconds(self) -> dict[str, float]:
        """total, product, compute, wait and redistribute of the slowest rank."""
        return dict(self._data["seconds"])


class _Watch:
    """Seconds and traffic of the parts of a run on this rank."""

    def __init__(self, comm: Communicator) -> None:
        self._comm = comm
        self.seconds = {"total": 0.0, "product": 0.0, "compute": 0.0, "wait": 0.0, "redistribute": 0.0}
        self.traffic = {"product": np.zeros(4, dtype=np.int64), "redistribute": np.zeros(4, dtype=np.int64)}
        self._begin = self._last = time.perf_counter()
        self._counted = self._count()

    def _count(self) -> np.ndarray:
        t = self._comm._native.counted
        counted = (t.messages_sent, t.messages_received, t.bytes_sent, t.bytes_received)
        return np.array(counted, dtype=np.int64)

    def done(self, part: str, planned: bool = True) -> None:
        """What has gone by since the part before belongs to this one; its traffic only where the plan has it."""
        now, counted = time.perf_counter(), self._count()
        self.seconds[part] += now - self._last
        self.traffic[part] += (counted - self._counted) * planned
        self.seconds["total"] = now - self._begin
        self._last, self._counted = now, counted

    def sent(self, measured: dict[str, int]) -> None:
        """What the tasks of a product sent, which the communicator does not count."""
        names = ("messages_sent", "messages_received", "bytes_sent", "bytes_received")
        self.traffic["product"] += np.array([measured[name] for name in names], dtype=np.int64)

    def report(self, plan: ContractionPlan) -> ContractionReport:
        """Of all ranks. Called by all."""
        everyone = self._comm.mpi4py.allgather((self.seconds, self.traffic["product"], self.traffic["redistribute"]))
        product, moved = plan.traffic()
        measured = np.array([one[1] for one in everyone]), np.array([one[2] for one in everyone])
        names = ("messages_sent", "messages_received", "bytes_sent", "bytes_received")

        def rows(counted: np.ndarray) -> list[dict[str, int]]:
            return [dict(zip(names, row, strict=True)) for row in counted.tolist()]

        return ContractionReport(
            {
                "seconds": {part: max(one[0][part] for one in everyone) for part in self.seconds},
                "predicted_seconds": plan.seconds,
                "product": {"predicted": rows(product), "measured": rows(measured[0])},
                "redistribution": {"predicted": rows(moved), "measured": rows(measured[1])},
                "bytes": int(measured[0][:, 2:].max(initial=0)),
                "messages": int(measured[0][:, :2].max(initial=0)),
                "redistributed_bytes": int(measured[1][:, 2:].max(initial=0)),
                "redistributed_messages": int(measured[1][:, :2].max(initial=0)),
                "predicted_memory_bytes": plan.memory,
                "as_planned": bool((product == measured[0]).all() and (moved == measured[1]).all()),
            }
        )


def _operand(x: Any, name: str) -> Any:
    if isinstance(x, (DistributedMatrix, TransposedMatrix)):
        raise failure(
            f"{name}: is a {type(x).__name__}; expected a tensor: "
            f"DistributedTensor.from_matrix({name}, {name}.shape) makes one"
        )
    return x


def _two(operands: Sequence[Any]) -> tuple[Any, Any]:
    if len(operands) == 2:
        return operands[0], operands[1]
    remedy = "numpy.einsum(subscripts, x.to_numpy()) serves one"
    if len(operands) > 2:
        remedy = "contract two at a time: einsum('ik,kl->il', einsum('ij,jk->ik', a, b), c)"
    raise failure(f"operands: got {len(operands)}; expected two; {remedy}")


def _ensure_on(x: Any, name: str, comm: Communicator) -> None:
    if isinstance(x, DistributedTensor) and (x.comm.size != comm.size or x.comm.rank != comm.rank):
        raise failure(
            f"{name}: lies on another communicator, of {x.comm.size} ranks; expected {comm.size} in the same order"
        )


def _part_of_whole(
    comm: Communicator, operand: Operand, x: Whole, target: TensorDistribution, dtype: np.dtype
) -> np.ndarray:
    """A rank's part of a whole array where the product wants it. Called by all ranks."""
    local: np.ndarray = np.empty(0)
    extents = operand.contraction.extents
    source = TensorDistribution.whole_on(tuple(extents[label] for label in operand.labels), 0)
    with together(comm):
        whole = None if x.array is None else reduced_array(operand, x.array.astype(dtype, copy=False))
        if x.everywhere and whole is not None:
            local = part_of_array(whole, target, comm.rank)
        else:
            local = np.zeros(source.local_shape(comm.rank), dtype=dtype) if whole is None else whole
            local = np.ascontiguousarray(local).reshape(source.local_shape(comm.rank))
    return local if x.everywhere else travel(comm, source, target, local)


def _brought(
    comm: Communicator, operand: Operand, x: DistributedTensor, target: TensorDistribution, dtype: np.dtype
) -> np.ndarray:
    """A rank's part of an operand where the product wants it, partial sums added up. Called by all ranks."""
    local: np.ndarray = np.empty(0)
    assert operand.given is not None and operand.distribution is not None
    with together(comm):
        local = x.local.astype(dtype, copy=False)
    if operand.is_reduced:
        blocks = operand.given.unfused()
        local = travel(comm, operand.given, blocks, local)
        with together(comm):
            reduced = operand.reduced(blocks, comm.rank, local)[1]
            assert reduced is not None
            local = np.ascontiguousarray(reduced).reshape(operand.distribution.local_shape(comm.rank))
    local = travel(comm, operand.distribution, target, local)
    sums = 1
    for axis in operand.partial:
        sums *= operand.distribution.shape[axis]
    if sums > 1:
        with together(comm):
            rows = local.shape[-1] // sums
            local = local.reshape(*local.shape[:-1], rows, sums).sum(axis=-1)
    return local


def _multiply(
    comm: Communicator,
    plan: ContractionPlan,
    a: np.ndarray,
    b: np.ndarray,
    dtype: np.dtype,
    progress: Callable[[int, int], None] | None,
    watch: _Watch,
) -> np.ndarray:
    """The product of what each rank has of A and B, as the plan's layout of C wants it. Called by all ranks."""
    choice, ranks = plan.choice, plan.ranks
    shape = plan.layouts.c.local_shape(comm.rank)
    c = np.empty(0)
    with together(comm):
        c = np.empty(shape, dtype=dtype)
    if not choice.batch:
        a, b, c = (x.reshape(1, *x.shape) for x in (a, b, c))
    left, right = (b, a) if choice.turned else (a, b)
    if ranks.is_single:
        start = time.perf_counter()
        with together(comm):
            if c.size:
                some = (x.swapaxes(1, 2) if t == "T" else x for x, t in zip((left, right), choice.trans, strict=True))
                first, second = some
                np.matmul(second, first, out=c)
        watch.seconds["compute"] += time.perf_counter() - start
        return c.reshape(shape)
    own = next((members for members in ranks.members if comm.rank in members), None)
    part = comm
    if own is not None and ranks.parts > 1:
        part = comm.part_on(own, ranks.machine, ranks.places)

    def products() -> None:
        """Of this rank's group."""
        batches = plan.batches[ranks.members.index(own)] if own is not None else 0
        for at in range(batches):
            report = None if progress is None else functools.partial(_report, progress, at, batches)
            three = [
                _native.Matrix(part._native, d, _slice(x, at, d, part.rank))
                for x, d in ((left, plan.product.a), (right, plan.product.b), (c, plan.product.c))
            ]
            data = _native.gemm(plan.product, 1.0, three[0], three[1], 0.0, three[2], report)
            for name in ("compute", "wait"):
                watch.seconds[name] += data["seconds"][name]
            watch.sent(data["measured"][part.rank])

    if ranks.parts == 1:
        products()
    else:
        with together(comm):  # groups end at their own times, and with their own errors
            products()
    return c.reshape(shape)


def _report(progress: Callable[[int, int], None], at: int, batches: int, done: int, steps: int) -> None:
    progress(at * steps + done, batches * steps)


def _slice(x: np.ndarray, at: int, distribution: _native.Distribution, rank: int) -> np.ndarray:
    """One matrix of a batch, column-major."""
    if x.shape[0] == 0:
        return np.empty(distribution.local_shape(rank), dtype=x.dtype, order="F")
    return x[at].T


def _without_sides(plan: ContractionPlan, rank: int, c: np.ndarray) -> np.ndarray:
    """A rank's part of the product without the dimensions of sides that have no axes."""
    shape = result_layout(plan.layouts.c).local_shape(rank)
    return c.reshape(shape) if c.size else np.zeros(shape, dtype=c.dtype)


OPTIONS = ("algorithm", "grid", "memory", "replicated", "progress")


def _contract(
    read: Callable[[Any, Any], Contraction],
    operands: Sequence[Any],
    comm: Communicator | None,
    plan: ContractionPlan | None,
    distribution: TensorDistribution | None,
    options: Options,
) -> Any:
    if comm is None:
        comm = next((x.comm for x in operands if isinstance(x, DistributedTensor)), None)
    comm = world_of(comm)
    with together(comm):
        a, b = _two(operands)
    a, b = whole_arrays(comm, _operand, {"a": a, "b": b}, replicated=options.replicated)
    with together(comm):
        options.only("a contraction", *OPTIONS)
        for name, x in (("a", a), ("b", b)):
            _ensure_on(x, name, comm)
        contraction = read(a.shape, b.shape)
        dtype = working_dtype(a.dtype, b.dtype)
        given_a, given_b = (x.distribution if isinstance(x, DistributedTensor) else None for x in (a, b))
        how = Options(algorithm=options.algorithm, grid=options.grid, memory=options.memory, mapping=comm.mapping)
        given = (given_a, given_b)
        problem = problem_of(contraction, comm.machine, dtype, given=given, distribution=distribution, options=how)
    received = (
        contraction, problem.scalar, problem.given_a, problem.given_b, problem.wanted, problem.grid, options.algorithm
    )  # fmt: skip
    comm.ensure_agreement(
        "arguments of the contraction (subscripts or axes, shapes, types, distributions)", hash_of(received)
    )
    if plan is None:
        plan = plan_on(comm, problem)
    else:
        with together(comm):
            plan = plan_for(plan, problem)
        comm.ensure_agreement("plan", hash_of(plan.choice))
    watch = _Watch(comm)
    to = plan.layouts
    parts = []
    for operand, x, target in zip(plan.operands, (a, b), (to.a, to.b), strict=True):
        given_whole = isinstance(x, Whole)
        parts.append((_part_of_whole if given_whole else _brought)(comm, operand, x, target, dtype))
        watch.done("redistribute", planned=not given_whole)
    c = _multiply(comm, plan, parts[0], parts[1], dtype, options.progress, watch)
    watch.done("product")
    own = result_layout(to.c)
    result = DistributedTensor(comm, own, _without_sides(plan, comm.rank, c))
    if distribution is not None:
        result = DistributedTensor(comm, distribution, travel(comm, own, distribution, result.local))
    watch.done("redistribute")
    report = watch.report(plan)
    distributed = distribution is not None or any(isinstance(x, DistributedTensor) for x in (a, b))
    answer = result if distributed else result.to_numpy()
    remember(report)
    return answer


def einsum(
    subscripts: str,
    *operands: Any,
    comm: Communicator | None = None,
    plan: ContractionPlan | None = None,
    distribution: TensorDistribution | None = None,
    options: Options | None = None,
) -> Any:
    """numpy.einsum(subscripts, a, b) over all ranks of a communicator. Called by all ranks with equal arguments.

    operands: a and b, numpy arrays or DistributedTensor. Returns a numpy array on every rank when both are
    arrays and no distribution is named, otherwise a DistributedTensor where the product leaves it, or in
    `distribution`. last_report() is a tensors.ContractionReport then.
    Whole arrays: rank 0's is the tensor; the other ranks pass theirs, of its shape and dtype, or None, unless
    options.replicated says that all have equal copies.
    Indices of both operands and the result are a batch; repeated ones of one operand take its diagonal; those of one
    operand alone are summed over; '...' and axes of extent 1 are broadcast, all as in numpy.
    plan: of tensors.plan_einsum(); made here when None. options: algorithm, grid, memory, replicated, progress.
    Raises Error on every rank for wrong subscripts, shapes, types, or too little memory.
    """
    return _contract(lambda x, y: of_einsum(subscripts, x, y), operands, comm, plan, distribution, options or Options())


def tensordot(
    a: Any,
    b: Any,
    axes: int | Sequence[Any] = 2,
    *,
    comm: Communicator | None = None,
    plan: ContractionPlan | None = None,
    distribution: TensorDistribution | None = None,
    options: Options | None = None,
) -> Any:
    """numpy.tensordot(a, b, axes) over all ranks of a communicator. Called by all ranks with equal arguments.

    axes: N, for the last N axes of a with the first N of b; or (axes of a, axes of b). All else is as in einsum().
    """
    return _contract(lambda x, y: of_tensordot(axes, x, y), (a, b), comm, plan, distribution, options or Options())
