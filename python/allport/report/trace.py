"""Runs to look at, simulated and real: Chrome traces for Perfetto, and a machine whose links light up over time."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from allport.errors import failure
from allport.machine import Machine, axis_letter
from allport.sim import DEEDS, Simulation
from allport.timeline import TaskSimulation, Timeline

__all__ = ["animate", "chrome"]

FIRST_LANE = 1_000  # threads of messages come behind those of workers

MOST_SHOWN = 400_000  # link crossings in one page; browsers get slow beyond


def _need_trace(run: Simulation) -> None:
    if run.counts["messages"] > 0 and not len(run.columns["what"]):
        raise failure("run: was simulated without its timeline; pass trace=True")


def _write(path: str, text: str, name: str) -> None:
    try:
        Path(path).write_text(text)
    except OSError as error:
        raise failure(f"{name} = '{path}': cannot be written: {error.strerror}", "io") from None


def _port_name(machine: Machine, link: int) -> str:
    port = link % (2 * len(machine.axes))
    return ("+" if port % 2 else "-") + axis_letter(port // 2)


def chrome(run: Simulation | TaskSimulation | Timeline, path: str) -> None:
    """Writes a timeline as a Chrome trace (JSON; opens in Perfetto and chrome://tracing); times in microseconds.

    A process a rank. Of a schedule: a thread for its processor and one for each link that leaves it (a segment that is
    passed on appears at its sender). Of a task graph, simulated or as it ran: a thread a worker, and as many as it
    takes for the messages that it sends. What is on the critical path has category 'critical'.
    """
    if isinstance(run, Simulation):
        _need_trace(run)
        events = _of_segments(run)
    else:
        events = _of_tasks(run.timeline if isinstance(run, TaskSimulation) else run)
    _write(path, json.dumps({"traceEvents": events, "displayTimeUnit": "ns"}), "timeline")


def _slice(
    name: str, cat: str, row: tuple[float, float], where: tuple[int, int], args: dict[str, Any]
) -> dict[str, Any]:
    begin, end = row
    pid, tid = where
    times = {"ts": begin * 1e6, "dur": (end - begin) * 1e6}
    return {"name": name, "cat": cat, "ph": "X", **times, "pid": pid, "tid": tid, "args": args}


def _named(processes: dict[int, str], threads: dict[tuple[int, int], str]) -> list[dict[str, Any]]:
    return [
        {"name": "process_name", "ph": "M", "pid": rank, "args": {"name": name}} for rank, name in processes.items()
    ] + [
        {"name": "thread_name", "ph": "M", "pid": rank, "tid": thread, "args": {"name": name}}
        for (rank, thread), name in threads.items()
    ]


def _critical(run: Simulation) -> set[int]:
    c = run.columns
    at = int(np.argmax(c["end"])) if len(c["end"]) else -1
    path_ends = run.critical_path
    if path_ends:
        last = path_ends[-1]
        found = np.nonzero((c["end"] == last["end"]) & (c["rank"] == last["rank"]) & (c["op"] == last["op"]))[0]
        at = int(found[-1])
    critical = set()
    while at >= 0:
        critical.add(at)
        at = int(c["cause"][at])
    return critical


def _of_segments(run: Simulation) -> list[dict[str, Any]]:
    machine, c = run.machine, run.columns
    critical = _critical(run)
    events: list[dict[str, Any]] = []
    threads: dict[tuple[int, int], str] = {}
    rows = zip(*(c[k].tolist() for k in ("what", "rank", "op", "peer", "segment", "link", "begin", "end")))
    for i, (what, rank, op, peer, segment, link, begin, end) in enumerate(rows):
        thread = 1 + link if what == DEEDS.index("link") else 0
        threads.setdefault((rank, thread), f"link {machine.link_name(link)}" if thread else "processor")
        name = f"to {peer}" if peer >= 0 and what != DEEDS.index("receive") else DEEDS[what]
        args = {"operation": op, "segment": segment, "what": DEEDS[what]}
        cat = "critical" if i in critical else DEEDS[what]
        events.append(_slice(f"{name} #{segment}", cat, (begin, end), (rank, thread), args))
    ranks = sorted({r for r, _ in threads})
    where = {r: f"rank {r} {machine.coord(r // machine.ranks_per_node)}" for r in ranks}
    return events + _named(where, threads)


def _of_tasks(timeline: Timeline) -> list[dict[str, Any]]:
    critical = set(timeline.critical)
    events: list[dict[str, Any]] = []
    threads: dict[tuple[int, int], str] = {}
    free: dict[int, list[float]] = {}  # of a rank, when each of the threads for its messages is done
    order = np.argsort(timeline.columns["begin"], kind="stable").tolist()
    for i, row in zip(order, timeline.rows(order), strict=True):
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
        events.append(_slice(name, "critical" if i in critical else cat, times, (rank, thread), args))
    return events + _named({r: f"rank {r}" for r in sorted({r for r, _ in threads})}, dict(sorted(threads.items())))


def animate(run: Simulation, path: str) -> None:
    """Writes one HTML page, without anything from outside: the machine's nodes and links over time, with a slider.

    Links are coloured by how busy they are around the moment, or by what they have carried up to it; nodes by what
    they have received.
    """
    _need_trace(run)
    machine, c = run.machine, run.columns
    crossing = c["what"] == DEEDS.index("link")
    if int(crossing.sum()) > MOST_SHOWN:
        raise failure(
            f"view: {int(crossing.sum()):,} link crossings are more than {MOST_SHOWN:,}; use longer segments or a "
            "smaller machine"
        )
    scale = 1e9
    data = {
        "title": f"{run.schedule.collective} by {run.schedule.algorithm} on {machine.name}",
        "bytes": run.schedule.bytes,
        "seconds": run.seconds,
        "axes": [{"length": a.length, "wraps": a.wraps} for a in machine.axes],
        "perNode": machine.ranks_per_node,
        "link": c["link"][crossing].tolist(),
        "begin": np.rint(c["begin"][crossing] * scale).astype(np.int64).tolist(),
        "end": np.rint(c["end"][crossing] * scale).astype(np.int64).tolist(),
        "peer": c["peer"][crossing].tolist(),
        "names": [_port_name(machine, p) for p in range(2 * len(machine.axes))],
    }
    page = (Path(__file__).parent / "animation.html").read_text()
    _write(path, page.replace('"DATA"', json.dumps(data, separators=(",", ":")).replace("</", "<\\/")), "view")
