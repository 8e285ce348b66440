"""Task graphs that run: bodies in Python or compiled, over the ranks of a communicator.

report = ap.graph.run(graph, comm, workers=2, record=True)
timeline = ap.graph.timeline(report, comm)      # of all ranks, on rank 0
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from allport import _native
from allport.arrays import Operator, operator_name
from allport.task_graph import Count, Graph, TaskGraph, asking
from allport.timeline import Timeline

if TYPE_CHECKING:
    from allport.comm import Communicator

__all__ = ["RunReport", "report_of", "run", "timeline"]

TASK, SEND, RECEIVE = range(3)


class RunReport(NamedTuple):
    """What this rank has done. count: as graph.count() predicts for the same tree; seconds in bodies, and from one
    to the next, over all workers are busy_seconds; peak_bytes: of outputs that were kept at one time; peak_transit:
    bytes that were only handed on, at one time; forwarded: messages of other ranks' outputs; dropped:
    messages of an earlier run, which was over, that were not delivered (0, or there is a fault: an error with
    ALLPORT_CHECK=1)."""

    seconds: float
    busy_seconds: float
    count: Count  # type: ignore[assignment]  # tuple's own count() would look for a value
    control_messages: int
    forwarded: int
    peak_bytes: int
    peak_transit: int
    records: dict[str, Any]  #: columns, with record=True: what tasks and messages did here; timeline() reads them
    dropped: int = 0


def report_of(data: dict[str, Any]) -> RunReport:
    """What a compiled run tells, as a report."""
    return RunReport(**{**data, "count": Count(**data["count"])})


def run(
    graph: Graph,
    comm: Communicator | None = None,
    *,
    workers: int = 1,
    tree: str | None = None,
    op: Operator = "sum",
    stall_seconds: float = 10.0,
    record: bool = False,
) -> RunReport:
    """Runs a task graph whose tasks have bodies. Called by all ranks, with equal graphs.

    comm: all ranks when None. workers: threads that run bodies; Python's own bodies take turns, but for what releases
    the interpreter's lock, as numpy does. tree: the multicast tree by which an output reaches several ranks: 'flat',
    'chain', 'prefix', 'axes' or 'binomial'; None: along the axes of a machine that was named, else by prefix. op: how
    contributions to sums are combined. stall_seconds: after so long without anything a rank says what it waits for; 0:
    never. record: keep what every task and message did.
    Raises Error on every rank when a body raises on any: it names the task, and has the exception as its cause
    where that was raised. Ctrl-C ends all ranks, too.
    """
    from allport.comm import world

    comm = world() if comm is None else comm
    kind = ""
    if isinstance(graph, TaskGraph) and type(graph).contributors is not TaskGraph.contributors:
        kind = graph.dtype.str
    with asking(graph):
        data = _native.run_graph(
            graph, comm._native, workers, tree or "", operator_name(op) if kind else "", kind, stall_seconds, record
        )
        return report_of(data)


def timeline(
    records: dict[str, Any] | RunReport, comm: Communicator, *, root: int = 0, title: str = "run"
) -> Timeline | None:
    """What tasks and messages of all ranks did, on the root; None elsewhere. Called by all ranks.

    records: of a RunReport, or of whatever else has recorded a run; or the report itself.

    The ranks' clocks start when all of them have met, so that ranks may differ by what a barrier takes.
    """
    mine = records.records if isinstance(records, RunReport) else records
    every = comm.mpi4py.gather(mine, root)
    return None if every is None else _joined(every, title)


def _joined(every: list[dict[str, Any]], title: str) -> Timeline:
    columns: dict[str, list[Any]] = {n: [] for n in ("name", "kernel", "rank", "to", "worker", "bytes", "begin", "end")}
    # A message was there when its receiver says so: the number says which one of a pair of ranks it is.
    arrived = {
        (peer, rank, number): end
        for rank, records in enumerate(every)
        for activity, peer, number, end in _rows(records, "activity", "peer", "number", "end")
        if activity == RECEIVE
    }
    wanted = ("activity", "name", "kernel", "worker", "peer", "number", "bytes", "begin", "end")
    for rank, records in enumerate(every):
        for activity, name, kernel, worker, peer, number, size, begin, end in _rows(records, *wanted):
            if activity == RECEIVE:
                continue
            if activity == SEND:
                end = max(begin, arrived[rank, peer, number])
            values = (name, kernel, rank, peer if activity == SEND else -1, worker, size, begin, end)
            for column, value in zip(columns.values(), values):
                column.append(value)
    kept: dict[str, Any] = {n: v if n in ("name", "kernel") else np.array(v) for n, v in columns.items()}
    kept["cause"] = np.full(len(columns["name"]), -1)
    return Timeline(kept, len(every), title)


def _rows(records: dict[str, Any], *names: str) -> Iterator[tuple[Any, ...]]:
    return zip(*(v if isinstance(v, list) else v.tolist() for v in (records[n] for n in names)))
