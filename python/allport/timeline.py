"""What happened in a run of a task graph, simulated or real, and how it is written for others to show."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from allport._native import Machine
from allport.errors import failure
from allport.notebook import Shown
from allport.task_graph import Graph

__all__ = ["TaskSimulation", "Timeline", "named", "slice_of", "write_events"]

FIRST_LANE = 1_000  # threads of messages come behind those of workers


def slice_of(
    name: str, cat: str, times: tuple[float, float], where: tuple[int, int], args: dict[str, Any]
) -> dict[str, Any]:
    """An event of a Chrome trace that has begun and ended, in seconds; where: process and thread."""
    begin, end = times
    pid, tid = where
    span = {"ts": begin * 1e6, "dur": (end - begin) * 1e6}
    return {"name": name, "cat": cat, "ph": "X", **span, "pid": pid, "tid": tid, "args": args}


def named(processes: dict[int, str], threads: dict[tuple[int, int], str]) -> list[dict[str, Any]]:
    """What a Chrome trace calls its processes and threads."""
    return [
        {"name": "process_name", "ph": "M", "pid": rank, "args": {"name": name}} for rank, name in processes.items()
    ] + [
        {"name": "thread_name", "ph": "M", "pid": rank, "tid": thread, "args": {"name": name}}
        for (rank, thread), name in threads.items()
    ]


def write_events(events: list[dict[str, Any]], path: str | os.PathLike[str]) -> None:
    """Writes a Chrome trace. Raises Error where the file cannot be written."""
    try:
        Path(path).write_text(json.dumps({"traceEvents": events, "displayTimeUnit": "ns"}))
    except OSError as error:
        raise failure(f"timeline = '{path}': cannot be written: {error.strerror}", "io") from None


class Timeline(Shown):
    """What tasks and messages did, of a simulated or of a real run; seconds from the start.

    columns: name, kernel ('none' for messages), rank (a message's sender), to (its receiver; -1 for tasks), worker,
    bytes, begin, end, and cause, the row that it waited for last (-1: none, or not known).
    """

    def __init__(self, columns: dict[str, Any], ranks: int, title: str) -> None:
        self.columns, self.ranks, self.title = columns, ranks, title
        self.critical: list[int] = []

    def __len__(self) -> int:
        return len(self.columns["name"])

    def rows(self, which: Iterable[int] | None = None) -> list[dict[str, Any]]:
        """A dict for each task and message, in the order of which, else of the columns."""
        lists = {k: v if isinstance(v, list) else v.tolist() for k, v in self.columns.items()}
        return [{k: v[x] for k, v in lists.items()} for x in (range(len(self)) if which is None else which)]

    def write_trace(self, path: str | os.PathLike[str]) -> None:
        """Writes a Chrome trace (opens in Perfetto): a process a rank, a thread a worker, and as many more as it takes
        for the messages that it sends. What is on the critical path has category 'critical'."""
        critical = set(self.critical)
        events: list[dict[str, Any]] = []
        threads: dict[tuple[int, int], str] = {}
        free: dict[int, list[float]] = {}  # of a rank, when each of the threads for its messages is done
        order = np.argsort(self.columns["begin"], kind="stable").tolist()
        for i, row in zip(order, self.rows(order), strict=True):
            rank, to, times = row["rank"], row["to"], (row["begin"], row["end"])
            if to < 0:
                thread, cat = row["worker"], row["kernel"]
                threads.setdefault((rank, thread), f"worker {thread}")
                name, args = row["name"], {"kernel": row["kernel"]}
            else:
                lanes = free.setdefault(rank, [])
                lane = next((x for x, done in enumerate(lanes) if done <= times[0]), len(lanes))
                lanes[lane : lane + 1] = [times[1]]
                thread, cat = FIRST_LANE + lane, "message"
                threads.setdefault((rank, thread), f"messages {lane}")
                name, args = f"{row['name']} to {to}", {"bytes": row["bytes"], "to": to}
            events.append(slice_of(name, "critical" if i in critical else cat, times, (rank, thread), args))
        ranks = {r: f"rank {r}" for r in sorted({r for r, _ in threads})}
        write_events(events + named(ranks, dict(sorted(threads.items()))), path)


class TaskSimulation(Shown):
    """A simulated run of a task graph. Times in seconds."""

    def __init__(self, data: dict[str, Any], graph: Graph, machine: Machine, workers: int, kept: int) -> None:
        self._data, self.graph, self.machine, self.workers = data, graph, machine, workers
        self.timeline = Timeline(data["spans"], graph.ranks, f"simulated on {machine.name}")
        #: Whether there were more tasks and messages than were to be kept: the critical path is not known then.
        self.truncated = len(self.timeline) >= kept
        cause, at = data["spans"]["cause"], -1 if self.truncated else data["last"]
        while at >= 0:
            self.timeline.critical.append(at)
            at = int(cause[at])
        self.timeline.critical.reverse()

    @property
    def seconds(self) -> float:
        """Until the last task is done."""
        return float(self._data["seconds"])

    @property
    def steps(self) -> int:
        """Of the graph; 0 where it has none."""
        return int(self._data["steps"])

    @property
    def simulated_steps(self) -> int:
        """How many of them were simulated: fewer than all where these were to stand for all, or to be alone."""
        return int(self._data["simulated_steps"])

    @property
    def tasks(self) -> int:
        """How many have run."""
        return int(self._data["tasks"])

    @property
    def messages(self) -> int:
        """How many have travelled, hop by hop."""
        return int(self._data["messages"])

    @property
    def compute(self) -> np.ndarray:
        """[ranks] seconds of workers in tasks; with communicate and idle, seconds * workers."""
        return self._data["compute"]

    @property
    def communicate(self) -> np.ndarray:
        """[ranks] seconds of workers that waited while data were on their way to or from the rank, or in a gang."""
        return self._data["communicate"]

    @property
    def idle(self) -> np.ndarray:
        """[ranks] seconds of workers that waited while nothing was."""
        return self._data["idle"]

    @property
    def link_busy(self) -> np.ndarray:
        """[link ids] seconds that each directed link of the machine was busy."""
        return self._data["link_busy"]

    @property
    def longest_work(self) -> float:
        """Seconds of work on the longest path: no machine with such workers is faster, whatever its links."""
        return float(self._data["longest_work"])

    @property
    def longest_tasks(self) -> int:
        """Tasks on the path with most."""
        return int(self._data["longest_tasks"])

    @property
    def critical_path(self) -> list[dict[str, Any]]:
        """With trace: tasks and messages that made the last one late, from the start on."""
        return self.timeline.rows(self.timeline.critical)

    def to_dict(self) -> dict[str, Any]:
        """What `allport simulate --json` prints: shares of all workers' time, no arrays by rank or link."""
        ranks = max(self.graph.ranks, 1)
        whole = self.seconds * self.workers * ranks
        busy = self.link_busy

        def share(spent: np.ndarray) -> float:
            return float(spent.sum()) / whole if whole > 0 else 0.0

        return {
            "machine": self.machine.name,
            "ranks": self.graph.ranks,
            "workers": self.workers,
            "seconds": self.seconds,
            "steps": self.steps,
            "simulated_steps": self.simulated_steps,
            "tasks": self.tasks,
            "messages": self.messages,
            "compute": share(self.compute),
            "communicate": share(self.communicate),
            "idle": share(self.idle),
            "longest_work": self.longest_work,
            "longest_tasks": self.longest_tasks,
            "most_waiting": int(self._data["most_waiting"]),
            "busiest_link": float(busy.max()) / self.seconds if busy.size and self.seconds > 0 else 0.0,
        }

    def __repr__(self) -> str:
        return f"TaskSimulation({self.tasks} tasks on {self.machine.name}, {self.seconds:.6g} s)"
