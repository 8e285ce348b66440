"""How long a schedule takes on a machine, segment by segment, link by link.

schedule = ap.make_schedule("bcast", "bgp:8x8x8", algorithm="rectangular", root=0, bytes="1MiB")
run = ap.simulate(schedule, "bgp:8x8x8", trace=True)
print(run.seconds, run.critical_path[-1])
"""

from __future__ import annotations

import functools
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from allport import _native
from allport._native import Machine, Schedule
from allport.candidates import SimulatedCandidate, simulate_candidates
from allport.errors import failure
from allport.machine import as_machine
from allport.notebook import Shown
from allport.notebook import progress as bar_in_notebook
from allport.verify import prove

__all__ = [
    "MOST_SECONDS",
    "PROVED_UP_TO",
    "Model",
    "SimulatedCandidate",
    "Simulation",
    "bound",
    "placement_of",
    "simulate",
    "simulate_candidates",
]

DEEDS = ("send", "link", "receive", "combine", "copy")
PROVED_UP_TO = 2_000_000  # segments; the proof takes seconds then
MOST_SECONDS = 60.0  # of one core that the command line waits for unless told to


class Simulation(Shown):
    """A simulated run. Times in seconds from the common start of all ranks."""

    def __init__(
        self, data: dict[str, Any], schedule: Schedule, machine: Machine, placed: tuple[list[int], list[int]] = ([], [])
    ) -> None:
        self._data, self.schedule, self.machine, self._placed = data, schedule, machine, placed

    @property
    def seconds(self) -> float:
        """Until the last rank is done."""
        return float(self._data["seconds"])

    @functools.cached_property
    def bound(self) -> float:
        """Seconds that no schedule of the same promise beats with these ranks at these places; 0: none is known."""
        return _native.schedule_bound(self.schedule, self.machine, *self._placed)

    @property
    def rank_seconds(self) -> np.ndarray:
        """[ranks] until each rank is done."""
        return self._data["ranks"]

    @property
    def link_busy(self) -> np.ndarray:
        """[link ids] seconds that each directed link carries something at its full rate; id = node * 2 axes + port."""
        return self._data["link_busy"]

    @property
    def link_bytes(self) -> np.ndarray:
        """[link ids] bytes over each directed link."""
        return self._data["link_bytes"]

    @property
    def utilisation(self) -> np.ndarray:
        """[link ids] link_busy / seconds."""
        return self.link_busy / self.seconds if self.seconds > 0 else np.zeros_like(self.link_busy)

    @property
    def counts(self) -> dict[str, int]:
        """Streams, messages (segments), hops (messages x links), events, contended_links (of more than one stream)."""
        return self._data["counts"]

    @property
    def engine(self) -> str:
        """'events' or 'recurrence'."""
        return str(self._data["engine"])

    @property
    def engine_why(self) -> str:
        """Why it was not the recurrence."""
        return str(self._data["engine_why"])

    @property
    def columns(self) -> dict[str, np.ndarray]:
        """The timeline as arrays: what (index into DEEDS), rank, op, peer, segment, link, begin, end, cause."""
        return self._data["timeline"]

    @property
    def timeline(self) -> list[dict[str, Any]]:
        """With trace: what every message end, link and operator did, and the record that it waited for (`cause`)."""
        return list(_records(self._data["timeline"]))

    @property
    def critical_path(self) -> list[dict[str, Any]]:
        """With trace: the chain of records that made the last rank late, from the start on."""
        return list(_records(self._data["critical_path"]))

    def late(self) -> list[dict[str, Any]]:
        """The critical path with neighbouring segments of one operation on one link together."""
        steps: list[dict[str, Any]] = []
        for r in self.critical_path:
            last = steps[-1] if steps else None
            if last and all(last[k] == r[k] for k in ("kind", "rank", "op", "link")):
                last.update(end=r["end"], last=r["segment"], records=last["records"] + 1)
                continue
            steps.append({**r, "first": r["segment"], "last": r["segment"], "records": 1})
        return steps

    def to_dict(self) -> dict[str, Any]:
        """What `allport simulate --json` prints: no arrays by link or rank, only their extremes."""
        busy, used = self.utilisation, self.link_bytes > 0
        return {
            "collective": self.schedule.collective,
            "algorithm": self.schedule.algorithm,
            "machine": self.machine.name,
            "ranks": self.schedule.ranks,
            "bytes": self.schedule.bytes,
            "segment": self.schedule.segment,
            "window": self.schedule.window,
            "seconds": self.seconds,
            "first_rank_seconds": float(self.rank_seconds.min()) if self.rank_seconds.size else 0.0,
            "engine": self.engine,
            "engine_why": self.engine_why,
            "counts": self.counts,
            "links": {
                "used": int(used.sum()),
                "busiest": float(busy.max()) if used.any() else 0.0,
                "mean": float(busy[used].mean()) if used.any() else 0.0,
                "most_bytes": float(self.link_bytes.max()) if used.any() else 0.0,
            },
        }

    def __repr__(self) -> str:
        return f"Simulation({self.schedule.collective} '{self.schedule.algorithm}', {self.seconds:.6g} s)"


def _records(columns: dict[str, np.ndarray]) -> Iterator[dict[str, Any]]:
    names = [n for n in columns if n != "what"]
    for row in zip(columns["what"].tolist(), *(columns[n].tolist() for n in names)):
        yield {"kind": DEEDS[row[0]], **dict(zip(names, row[1:]))}


def bound(schedule: Schedule, machine: Machine | str) -> float:
    """Seconds that no schedule of the same promise can beat on a machine, its ranks placed as the machine counts them.

    0 where nothing has to move between nodes, and where none is known: no collective's promise, blocks that differ.
    `ap.verify.prove` says the same (`lower_bound_seconds`), and `Simulation.bound` of ranks that are placed otherwise.
    """
    return _native.schedule_bound(schedule, as_machine(machine), [], [])


def placement_of(placement: str | Sequence[int] | None, machine: Machine, ranks: int) -> list[int]:
    """The node of each rank: a list, 'random:SEED' (a shuffle of all places), or none, the machine's own order."""
    if placement is None or placement == "x-fastest":
        return []
    if isinstance(placement, str):
        word, _, seed = placement.partition(":")
        if word != "random" or not seed.lstrip("-").isdigit():
            raise failure(f"placement = '{placement}': expected x-fastest, random:SEED or a list of nodes")
        places = [node for node in range(machine.nodes) for _ in range(machine.ranks_per_node)]
        random.Random(int(seed)).shuffle(places)
        return places[:ranks]
    return [int(n) for n in placement]


@dataclass(frozen=True, kw_only=True)
class Model:
    """How a simulation models links, messages and what they cost."""

    #: 'fifo': links carry one segment at a time; 'fair': all at once at max-min fair rates.
    sharing: str = "fifo"
    #: With 'fair': shares are inverse to the latency of the route.
    latency_weights: bool = False
    #: Who spends o: 'parallel', an engine for each stream; 'serial', the rank's one processor.
    overheads: str = "parallel"
    #: 'events'; 'recurrence', the same times without a queue, where streams share nothing; or 'auto'.
    engine: str = "auto"
    #: Bytes up to which a message does not wait for its receive.
    eager: int = 0
    #: A message that waits pays a request and an answer.
    handshake: bool = False
    #: Bytes that every message has beside its own.
    header: int = 0
    #: Refuse, before it begins, what would take longer, and say which segments would not; 0: never refuse.
    most_seconds: float = 0.0


def simulate(
    schedule: Schedule,
    machine: Machine | str,
    *,
    model: Model | None = None,
    placement: str | Sequence[int] | None = None,
    places: Sequence[int] | None = None,
    trace: bool = False,
    proof: bool | None = False,
    progress: Callable[[float], None] | None = None,
) -> Simulation:
    """Runs a schedule on a simulated machine.

    placement: the node of each rank, or 'random:SEED'; then messages are routed. places: instead of it, the place of
    each rank among the machine's ranks, which says the host within a node, too; there may be fewer ranks than places.
    trace: keep the timeline and the critical path.
    proof: prove the schedule first; None: if it has at most PROVED_UP_TO segments.
    Raises Error: a schedule that is wrong or stops, a model that does not fit, kind 'unsupported' what would take
    more than model.most_seconds.
    """
    model = model or Model()
    where = as_machine(machine)
    nodes = placement_of(placement, where, schedule.ranks)
    provable = schedule.collective != "none" and not nodes and not places
    if proof or (proof is None and provable and _segments(schedule) <= PROVED_UP_TO):
        report = prove(schedule, where, links=False, max_findings=1)
        if not report:
            raise failure(
                f"schedule: fails its proof, so it is not simulated: {report.findings[0]['message']}", "schedule"
            )
    at = [int(p) for p in places or []]
    options = _native.SimOptions(
        **asdict(model),
        placement=nodes,
        places=at,
        trace=trace,
    )
    with bar_in_notebook("simulating", progress is None) as bar:
        data = _native.simulate(schedule, where, options, progress or (lambda fraction: bar("", fraction)))
    return Simulation(data, schedule, where, (nodes, at))


def _segments(schedule: Schedule) -> int:
    """About how many segments travel: those of one rank in the middle, for all."""
    ops = schedule.program(schedule.ranks // 2).ops
    return schedule.ranks * sum(op.segments for op in ops if op.kind == "receive")
