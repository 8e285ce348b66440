"""Task graphs of one's own: a class whose methods say which task runs where, what it needs and what it does."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from allport import _native
from allport._native import Machine, Transport
from allport.errors import Error, failure
from allport.gangs import Gang, GangCollective, GangContext, gang_tuple
from allport.options import TREES

__all__ = [
    "Count",
    "Edge",
    "Gang",
    "GangCollective",
    "GangContext",
    "Graph",
    "Task",
    "TaskContext",
    "TaskGraph",
    "Work",
    "asking",
    "ensure_graph",
    "transport_of",
]

Graph = _native.TaskGraph


class Count(NamedTuple):
    """What a rank does and sends. expected_*: what depends on the data, apart."""

    tasks: int
    flops: float
    messages_sent: int
    messages_received: int
    bytes_sent: int
    bytes_received: int
    expected_bytes: float
    expected_messages: float


class Task(NamedTuple):
    """A task's identity. What the numbers mean is the graph's own: kind and layer 0..65535, the others 32 bits."""

    kind: int = 0
    i: int = 0
    j: int = 0
    k: int = 0
    layer: int = 0


class Edge(NamedTuple):
    """From a task to `child`, one of whose inputs is one of the task's outputs.

    kind: 'data'; 'sum', the input is the sum of several tasks' outputs, see contributors(); 'order', nothing
    travels and both are on one rank; 'sent', likewise once the output has left.
    """

    child: Task
    input: int = 0
    output: int = 0
    kind: str = "data"


class Work(NamedTuple):
    """What a task costs. kernel: gemm, syrk, trsm, potrf, panel, add, copy or own, whose rate the machine knows."""

    kernel: str = "own"
    flops: float = 0.0
    bytes: float = 0.0


_native.set_task_type(Task)


class TaskContext:
    """A running task's inputs and outputs as numpy arrays. They keep their memory for as long as they are kept."""

    def __init__(self, native: _native.BodyContext, graph: TaskGraph, task: Task) -> None:
        self._native, self._graph, self._task = native, graph, task

    def input(self, index: int = 0) -> np.ndarray:
        """What came along the edge to this input, read-only; of one dimension unless the graph has input()."""
        values: Any = self._native.input(index)
        values = values.view(self._graph.dtype)
        shape = self._graph.input(self._task, index)
        return values if shape is None else values.reshape(shape)

    def output(self, index: int = 0) -> np.ndarray:
        """Where this output goes, in the shape that output() says. Not to be changed once the body has returned."""
        values: Any = self._native.output(index)
        shape = self._graph.output(self._task, index)
        return values.view(self._graph.dtype).reshape(0 if shape is None else shape)

    @property
    def gang(self) -> GangContext:
        """The other members of the task's gang, who run at the same time. Error where it is in none."""
        self._native.gang_me()
        return GangContext(self._native, self._graph.dtype)

    def progress(self) -> None:
        """Moves messages along; bodies that take long call it now and then."""
        self._native.progress()


class TaskGraph(_native.OwnGraph):
    """A computation of your own: functions of a task, the same on every rank, and never a table.

    ranks: how many have a part in it. dtype: of all inputs and outputs.
    A class defines entries, owner, num_parents and children, and what it needs of the others. Tasks may be given as any
    tuple (kind, i, j, k, layer), the last of them left out. Methods are called from several threads when it runs on
    several workers.
    """

    #: The multicast tree of outputs where count, price and simulate are given none: graph.run()'s default.
    tree: Transport | str = "prefix"
    #: What dtype makes of a machine's rates: 2 for single precision, 1/4 for complex doubles.
    factor = 1.0

    def __init__(self, ranks: int, dtype: Any = "f8") -> None:
        self.dtype = np.dtype(dtype)
        if self.dtype.hasobject:
            raise failure(f"dtype = '{self.dtype}': expected numbers, which other ranks can read")
        defined = [n for n in _METHODS if getattr(type(self), n) is not getattr(TaskGraph, n)]
        for name in _REQUIRED:
            if name not in defined:
                raise failure(f"{type(self).__name__}: has no method {name}(); expected one: {_REQUIRED[name]}")
        defined += [f"_{n}" for n in ("gang", "memory", "run") if n in defined]
        super().__init__(ranks, self.dtype.itemsize, defined)

    def entries(self, rank: int) -> Iterable[Task]:
        """Tasks of a rank that wait for nothing."""
        raise NotImplementedError

    def owner(self, task: Task) -> int:
        """The rank that runs a task."""
        raise NotImplementedError

    def num_parents(self, task: Task) -> int:
        """Edges that lead to a task; the contributions to a sum count one by one."""
        raise NotImplementedError

    def children(self, task: Task) -> Iterable[Edge | Task]:
        """Edges that leave a task; a Task alone stands for the edge from output 0 to its input 0."""
        raise NotImplementedError

    def run(self, task: Task, context: TaskContext) -> None:
        """The body: reads context.input(index), fills context.output(index)."""
        raise NotImplementedError

    def count(self, rank: int) -> int | None:
        """How many tasks a rank runs. Without it a run ends by a wave of votes, and lost tasks cannot be found."""
        return None

    def exits(self, rank: int) -> Iterable[Task]:
        """Tasks of a rank that nobody waits for, for check() where count() is not known."""
        return ()

    def name(self, task: Task) -> str:
        """For messages, drawings and traces."""
        return f"Task{tuple(task)}"

    def output(self, task: Task, index: int) -> int | tuple[int, ...] | None:
        """The shape of what travels, in elements; None where nothing does."""
        return None

    def parts(self, task: Task, index: int) -> int:
        """Of an output that is one of several parts of what goes to the same tasks: how many.

        They may take different routes, so that no link has all of it (docs/decisions/0009-transport-of-outputs.md).
        """
        return 1

    def input(self, task: Task, index: int) -> int | tuple[int, ...] | None:
        """The shape that an input has, for check() and for TaskContext.input(); None where any will do."""
        return None

    def contributors(self, child: Task, input: int) -> Iterable[Task]:
        """The tasks whose outputs are summed, in the order in which they are; one a rank, the child's among them."""
        return ()

    def gang(self, task: Task) -> Gang | None:
        """The tasks, one a rank, that run at the same time as this one because their bodies communicate; None: alone.

        The same for every member. Where tasks have steps all are in one.
        """
        return None

    def work(self, task: Task) -> Work | tuple[Any, ...]:
        """What it costs: (kernel, flops, bytes touched)."""
        return Work("none")

    def priority(self, task: Task) -> float:
        """Larger first; among equals in the order of readiness."""
        return 0.0

    def writes(self, task: Task) -> Iterable[Task]:
        """Names of memory, as tuples, that a task overwrites, so that check() finds what is not ordered."""
        return ()

    def in_place(self, task: Task, index: int) -> bool:
        """Whether an output is the first memory that writes() names, and lies where memory() says."""
        return False

    def forwards(self, task: Task, index: int) -> int:
        """The input that an output is, in the same memory: what is handed on without a copy; -1: the body makes it.

        The body neither asks for such an output nor writes it. The two have one shape
        (docs/decisions/0008-task-graphs.md).
        """
        return -1

    def memory(self, tile: Task) -> np.ndarray:
        """Where a piece of memory lies: always the same contiguous array."""
        raise NotImplementedError

    def steps(self) -> int:
        """An order that no edge runs against: tasks(rank, 0), tasks(rank, 1), ...; 0 where there is none."""
        return 0

    def tasks(self, rank: int, step: int) -> Iterable[Task]:
        """A rank's tasks of a step; with them price() can look at some."""
        return ()

    def step(self, task: Task) -> int:
        """The step in which tasks() names a task. With it no task runs far ahead of the slowest rank, and a
        run's memory is bounded."""
        return -1

    def _run(self, task: Task, native: _native.BodyContext) -> None:
        self.run(task, TaskContext(native, self, task))

    def _gang(self, task: Task) -> tuple[Any, ...] | None:
        return gang_tuple(self.gang(task), self.dtype)

    def _memory(self, tile: Task) -> np.ndarray:
        array = self.memory(tile)
        if not isinstance(array, np.ndarray) or not array.flags.c_contiguous or not array.flags.writeable:
            raise failure(f"memory({tuple(tile)}): expected a contiguous array that may be written, got {array!r:.80}")
        return array.reshape(-1).view(np.uint8)


_REQUIRED = {
    "entries": "the tasks of a rank that wait for nothing",
    "owner": "the rank of a task",
    "num_parents": "how many edges lead to a task",
    "children": "the edges that leave a task",
}
_METHODS = (
    *_REQUIRED,
    *("run", "count", "exits", "name", "output", "parts", "input", "contributors", "gang", "work", "priority"),
    *("writes", "in_place", "forwards", "memory", "steps", "tasks", "step"),
)


def ensure_graph(graph: Any) -> None:
    """Raises Error unless it is a task graph that has been made."""
    if not isinstance(graph, Graph):
        raise failure(f"graph: expected an ap.TaskGraph, got {type(graph).__name__}")
    if isinstance(graph, TaskGraph) and not hasattr(graph, "dtype"):
        raise failure(f"graph: __init__ of {type(graph).__name__} has not called super().__init__(ranks)")


@contextmanager
def asking(graph: Any) -> Iterator[None]:
    """What a method of a graph of one's own has raised is the cause of the Error that follows; Ctrl-C and the
    like are raised as they are."""
    ensure_graph(graph)
    take = graph._take_raised if isinstance(graph, TaskGraph) else lambda: None
    try:
        yield
    except Error as error:
        cause = take()
        if cause is not None and not isinstance(cause, Exception):
            raise cause from None
        raise error from cause
    finally:
        take()


def transport_of(graph: Graph, tree: Transport | str | None, machine: Machine | None = None) -> Transport:
    """By the tree that is asked for, else the graph's own; trees are over the machine's topology IDs."""
    chosen = tree if tree is not None else getattr(graph, "tree", "")
    if not isinstance(chosen, str):
        return chosen
    if chosen == "collectives":
        return _native.transport("binomial")
    if chosen and chosen not in TREES:
        raise failure(f"tree = '{chosen}': expected {', '.join(TREES)} or collectives")
    return _native.tree_transport(machine or Machine.flat(max(graph.ranks, 1)), chosen)
