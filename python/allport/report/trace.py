"""Chrome traces (for Perfetto) of simulated and real runs, and an animated page of a machine's links over time."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from allport.errors import failure
from allport.machine import Machine, axis_letter
from allport.sim import ACTIVITIES, Simulation
from allport.timeline import TaskSimulation, Timeline, named, slice_of, write_events

__all__ = ["animate", "chrome"]

MOST_SHOWN = 400_000  # link crossings in one page; browsers get slow beyond


def _need_trace(run: Simulation) -> None:
    if run.counts["messages"] > 0 and not len(run.columns["activity"]):
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

    Each rank is a process of the trace. A schedule has a thread for the rank's processor and one for each link out of
    it (a forwarded segment appears at its sender). A task graph, simulated or run, has a thread for each worker, and as
    many as needed for the messages that the rank sends. Events on the critical path have category 'critical'.
    """
    if isinstance(run, Simulation):
        _need_trace(run)
        write_events(_of_segments(run), path)
    else:
        (run.timeline if isinstance(run, TaskSimulation) else run).write_trace(path)


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
    rows = zip(*(c[k].tolist() for k in ("activity", "rank", "op", "peer", "segment", "link", "begin", "end")))
    for i, (activity, rank, op, peer, segment, link, begin, end) in enumerate(rows):
        thread = 1 + link if activity == ACTIVITIES.index("link") else 0
        threads.setdefault((rank, thread), f"link {machine.link_name(link)}" if thread else "processor")
        name = f"to {peer}" if peer >= 0 and activity != ACTIVITIES.index("receive") else ACTIVITIES[activity]
        args = {"operation": op, "segment": segment, "activity": ACTIVITIES[activity]}
        cat = "critical" if i in critical else ACTIVITIES[activity]
        events.append(slice_of(f"{name} #{segment}", cat, (begin, end), (rank, thread), args))
    ranks = sorted({r for r, _ in threads})
    where = {r: f"rank {r} {machine.coord(r // machine.ranks_per_node)}" for r in ranks}
    return events + named(where, threads)


def animate(run: Simulation, path: str) -> None:
    """Writes one self-contained HTML page: the machine's nodes and links over time, with a slider.

    Links are coloured by their utilisation around the selected time, or by their bytes up to it; nodes by the bytes
    that they have received.
    """
    _need_trace(run)
    machine, c = run.machine, run.columns
    crossing = c["activity"] == ACTIVITIES.index("link")
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
