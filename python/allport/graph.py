"""Task graphs: computations that are defined once, and checked, counted, priced, simulated, drawn and run.

class Chain(ap.TaskGraph): ...                # owner, entries, num_parents, children, run
ap.graph.check(Chain(4))
ap.graph.run(Chain(comm.size), comm)
print(ap.graph.simulate(ap.graph.cholesky(8192, 256, "4x4"), "bgp:4x4").seconds)
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

from allport import _native
from allport._native import CholeskyPlan, Distribution, GemmPlan, LuPlan, Machine, QrPlan, Transport
from allport.errors import failure
from allport.gangs import Gang, GangCollective, GangContext
from allport.io import scalar_of
from allport.machine import as_machine
from allport.notebook import in_notebook
from allport.notebook import progress as bar_in_notebook
from allport.plan import parse_grid
from allport.task_graph import Count, Edge, Graph, Task, TaskContext, TaskGraph, Work, asking, transport_of
from allport.tasks import RunReport, run, timeline
from allport.timeline import TaskSimulation, Timeline
from allport.units import parse_bytes

__all__ = [
    "BlockWork",
    "CheckReport",
    "Count",
    "Edge",
    "Gang",
    "GangCollective",
    "GangContext",
    "Model",
    "Price",
    "RunReport",
    "Task",
    "TaskContext",
    "TaskGraph",
    "TaskSimulation",
    "Timeline",
    "Work",
    "block_owners",
    "blocks",
    "check",
    "cholesky",
    "cholesky_solve",
    "count",
    "draw",
    "gemm",
    "lu",
    "lu_solve",
    "planned",
    "price",
    "qr",
    "run",
    "simulate",
    "tasks_of",
    "timeline",
]

# What a machine's rates, of double precision, become by element type: a complex multiply-add counts as two operations.
FACTORS = {"s": 2.0, "d": 1.0, "c": 0.5, "z": 0.25}


class CheckReport(NamedTuple):
    """What check() has looked at."""

    tasks: int
    edges: int
    longest: int  #: tasks on the longest path
    exhaustive: bool  #: False: along random paths, which cannot see all
    unreached_unknown: bool  #: some rank has no count(): tasks that nothing leads to cannot be found


class Price(NamedTuple):
    """Seconds: of the busiest rank's work, of the links, along the chain of highest priority, and in all."""

    work: float
    links: float
    chain: float
    total: float


@dataclass(frozen=True, kw_only=True)
class Model:
    """How a simulation models a graph's ranks and messages."""

    #: Of each rank, each as fast as the machine says of a rank.
    workers: int = 1
    #: What the dtype makes of the machine's rates; the graph's own when None.
    factor: float | None = None
    #: Bytes that a relay has before it passes a message on; None: as in a run on that machine.
    segment: int | str | None = None
    #: No rank begins a step before it has done its part of the one before, as programs do that do not look ahead.
    in_steps: bool = False
    #: Tasks and messages that a trace has at most.
    trace_limit: int = 2_000_000
    #: A machine whose levels say how the workers of a node share memory: worker w of its rank r is their part
    #: r * workers + w. None: as the ranks of the simulated machine.
    memory: Machine | None = None


@dataclass(frozen=True, kw_only=True)
class BlockWork:
    """What the blocks of blocks() compute and send."""

    #: How often each block is computed.
    iterations: int = 1
    #: Of an iteration of a whole block.
    flops: float = 0.0
    #: Standard deviation of flops and bytes over their mean, below 0.5, from `seed`.
    noise: float = 0.0
    seed: int = 0
    #: False: no faces travel, and blocks wait for themselves alone.
    sends: bool = True
    #: Of memory, that an iteration of a whole block reads and writes. Where the machine's levels have a memory
    #: bandwidth, blocks that are computed at the same time share it.
    bytes: float = 0.0
    #: Bytes of cache that hold a whole block, so that it moves none; 0: no cache does.
    footprint: float = 0.0
    #: To start a block's loop, whatever its size.
    seconds: float = 0.0


def tasks_of(graph: Graph) -> int | None:
    """How many tasks a graph has; None where it does not say."""
    with asking(graph):
        return _native.graph_total(graph)


def check(graph: Graph, *, exhaustive: int = 1_000_000, paths: int = 1_000, seed: int = 1) -> CheckReport:
    """Whether a graph holds together: raises Error that names the task where it does not.

    Parents and children agree, no task waits for itself, every input is filled once, shapes fit, counts are right, no
    memory is overwritten while others may use it. Graphs of more than `exhaustive` tasks: along random paths.
    """
    with asking(graph):
        return CheckReport(**_native.graph_check(graph, exhaustive, paths, seed))


def count(graph: Graph, *, tree: Transport | str | None = None, machine: Machine | str | None = None) -> list[Count]:
    """What each rank will do and send, exactly; ranks behind the graph's own are there where they relay.

    tree: 'flat', 'chain', 'prefix', 'axes' or 'binomial', as run() sends by that tree on the machine (a plain
    line when None), or 'collectives': outputs and sums along binomial trees, as a library's broadcasts and reductions
    would; the graph's own when None: as run() does, but for what follows a plan.
    """
    where = None if machine is None else as_machine(machine)
    with asking(graph):
        return [Count(**c) for c in _native.graph_count(graph, transport_of(graph, tree, where))]


def price(
    graph: Graph,
    machine: Machine | str,
    *,
    tree: Transport | str | None = None,
    workers: int = 1,
    factor: float | None = None,
) -> Price:
    """What a graph will take, from samples of its steps: milliseconds where a simulation takes minutes.

    For graphs with steps(). factor: what the dtype makes of the machine's rates; the graph's own when None.
    """
    with asking(graph):
        rate = getattr(graph, "factor", 1.0) if factor is None else factor
        where = as_machine(machine)
        segment = _native.default_segment(where)
        return Price(**_native.graph_price(graph, where, transport_of(graph, tree, where), workers, rate, segment))


def draw(graph: Graph, path: str | os.PathLike[str] | None = None, *, most: int = 400) -> str:
    """A small graph as SVG text: tasks below what they wait for, coloured by kernel, edges between ranks dashed.

    path: also writes it there. Raises Error beyond `most` tasks.
    """
    with asking(graph):
        text = str(_native.graph_draw(graph, most))
    if path is not None:
        try:
            Path(path).write_text(text)
        except OSError as error:
            raise failure(f"path = '{path}': cannot be written: {error.strerror}", "io") from None
    return text


def simulate(
    graph: Graph,
    machine: Machine | str,
    *,
    tree: Transport | str | None = None,
    model: Model | None = None,
    trace: bool = False,
    steps: tuple[int, int] | None = None,
    sample: int | tuple[int, int, int, int] = 0,
    progress: Callable[[int], None] | None = None,
) -> TaskSimulation:
    """How long a graph takes on a machine: tasks occupy workers, data occupy links. Holds the graph's frontier alone.

    tree: as for count(). trace: record the timeline and the critical path. steps: only the graph's steps first ...
    end - 1, as if all before were done when they begin. sample: cut the graph's steps into so many equal parts,
    simulate some 36 in the middle of each, and let these stand for the part (docs/concepts/graph.md says how far that
    is off); 0: simulate all; (parts, warm, span, tail): so many steps before those whose time is taken, so many whose
    time is, and so many behind. progress: called now and then with the tasks done.
    Raises Error, of kind 'machine' where the machine does not say how fast it computes.
    """
    model = model or Model()
    where = as_machine(machine)
    segment = _native.default_segment(where) if model.segment is None else parse_bytes(model.segment, "segment")
    windows, warm, span, tail = sample if isinstance(sample, tuple) else (sample, 16, 16, 4)
    if windows < 0 or (windows > 0 and (trace or steps is not None)):
        raise failure(f"sample = {sample}: expected 0, or more without trace and steps, which a sample does not have")
    if steps is not None and not 0 <= steps[0] < steps[1]:
        raise failure(f"steps = {steps}: expected a first step, and a later end")
    with asking(graph), bar_in_notebook("simulating", progress is None) as bar:
        total = max(_native.graph_total(graph) or 1, 1) if progress is None and in_notebook() else 1
        data = _native.graph_simulate(
            graph,
            where,
            transport_of(graph, tree, where),
            _native.GraphSimOptions(
                workers=model.workers,
                factor=getattr(graph, "factor", 1.0) if model.factor is None else model.factor,
                segment=segment,
                trace=trace,
                trace_limit=model.trace_limit,
                first=steps[0] if steps is not None else 0,
                end=steps[1] if steps is not None else 0,
                in_steps=model.in_steps,
                memory=model.memory,
            ),
            windows,
            warm,
            span,
            tail,
            progress or (lambda done: bar("", done / total)),
        )
        return TaskSimulation(data, graph, where, model.workers, model.trace_limit)


def _tiles(shape: tuple[int, int], nb: int, grid: str | tuple[int, ...]) -> Distribution:
    rows, cols, layers = parse_grid(grid)
    if layers != 1:
        raise failure(f"grid = '{grid}': expected P x Q, without layers")
    if min(shape) < 0 or nb < 1:
        raise failure(
            f"{shape[0]} x {shape[1]} in tiles of {nb}: expected extents of 0 or more, and tiles of 1 or more"
        )
    return Distribution.cyclic(shape, (rows, cols), (nb, nb), list(range(rows * cols)))


def _made(graph: _native.TaskGraph, scalar: str) -> _native.TaskGraph:
    graph.factor = FACTORS[scalar]
    return graph


def _uplo(lower: bool) -> str:
    return "L" if lower else "U"


def cholesky(
    n: int, nb: int, grid: str | tuple[int, ...] = "1x1", *, lower: bool = False, dtype: Any = "f8", block: int = 0
) -> _native.TaskGraph:
    """Tile Cholesky of an n x n matrix in tiles of nb x nb on a grid of P x Q ranks, without bodies (Song09, slide 4).

    Of U^H U, or of L L^H where `lower`. Tile (i, j) is on rank i % P + P * (j % Q). block: rows and columns of the
    distribution's blocks, a multiple of nb; then it is block (i, j) that is there.
    """
    scalar = scalar_of(dtype)
    return _made(_native.cholesky_graph(_tiles((n, n), block or nb, grid), _uplo(lower), scalar, nb), scalar)


def cholesky_solve(
    n: int, columns: int, nb: int, grid: str | tuple[int, ...] = "1x1", *, lower: bool = False, dtype: Any = "f8"
) -> _native.TaskGraph:
    """Solves with Cholesky factors for an n x columns right-hand side, both in tiles as cholesky() has them."""
    scalar = scalar_of(dtype)
    factors, b = _tiles((n, n), nb, grid), _tiles((n, columns), nb, grid)
    return _made(_native.cholesky_solve_graph(factors, b, _uplo(lower), scalar), scalar)


def qr(m: int, n: int, nb: int, grid: str | tuple[int, ...] = "1x1", *, dtype: Any = "f8") -> _native.TaskGraph:
    """Tile QR of an m x n matrix, with reduction trees over the grid's rows, without bodies."""
    scalar = scalar_of(dtype)
    return _made(_native.qr_graph(_tiles((m, n), nb, grid), scalar), scalar)


def lu_solve(
    n: int,
    columns: int,
    nb: int,
    grid: str | tuple[int, ...],
    machine: Machine | str,
    *,
    trans: str = "N",
    form: str | None = None,
    dtype: Any = "f8",
) -> _native.TaskGraph:
    """Solves with LU factors in blocks of nb x nb over a grid of P x Q ranks for n x columns right-hand sides.

    machine: where it is to run: what travels is cut for it. trans: 'N', 'T' or 'C'. form: 'sums' moves what the
    unknowns that are known contribute, 'panels' the factors; None: the quicker by predicted time. Sums of at most
    1,024 right-hand sides are under way together, and are what a graph has.

    Raises Error for more columns by sums.
    """
    scalar = scalar_of(dtype)
    if columns < 1 or n < 1:
        raise failure(f"{n} x {n} with {columns} right-hand sides: expected 1 or more of each")
    made = _native.solve_graph(_tiles((n, n), nb, grid), columns, trans, scalar, as_machine(machine), form)
    return _made(made, scalar)


def planned(plan: GemmPlan | LuPlan | CholeskyPlan | QrPlan) -> _native.TaskGraph:
    """A product or a factorization as its plan runs it, its edges over the schedules that the plan has priced."""
    graph = _native.plan_graph(plan)
    graph.tree = _native.plan_transport(plan)
    return _made(graph, _native.plan_scalar(plan))


def gemm(plan: GemmPlan) -> _native.TaskGraph:
    """A product as its plan runs it, its edges over the schedules that the plan has priced."""
    return planned(plan)


def lu(plan: LuPlan) -> _native.TaskGraph:
    """A factorization as its plan runs it: 1D, 2D or 2.5D, panels and row exchanges as gangs."""
    return planned(plan)


def block_owners(grid: Sequence[int], block: Sequence[int], ranks: int, periodic: Sequence[bool] = ()) -> list[int]:
    """Which rank has each block at first, row-major: boxes of blocks, as even as a row of all would be."""
    return list(_native.block_owners(list(grid), list(block), list(periodic), ranks))


def blocks(
    grid: Sequence[int],
    block: Sequence[int],
    ranks: int,
    *,
    owners: Sequence[int] | None = None,
    periodic: Sequence[bool] = (),
    work: BlockWork | None = None,
) -> _native.TaskGraph:
    """A grid of doubles in blocks that iterate as their neighbours' faces come, without bodies (Robson18).

    grid, block: lengths along one to three axes. owners: a rank for each block, row-major; block_owners() when None.
    """
    work = work or BlockWork()
    given = block_owners(grid, block, ranks, periodic) if owners is None else list(owners)
    return _made(
        _native.blocks_graph(
            list(grid),
            list(block),
            list(periodic),
            given,
            ranks,
            _native.BlocksWork(**asdict(work)),
        ),
        "d",
    )
