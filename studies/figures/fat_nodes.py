"""The nodes of Robson18, and Jacobi on four of them as a task graph with cores and links."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from allport import graph, model
from allport.machine import Machine

__all__ = [
    "BLOCKS", "BRIDGES", "GRID", "NODES", "NOISE", "OURS", "SUMMIT", "Node", "Outcome", "assumptions", "simulate",
]  # fmt: skip

GRID = 178_848  # cells along each side (Robson18, slide 8)
BLOCKS = (7452, 14904, 3726)  # cells of a block's side: 24^2 objects (Robson18, slide 8), a quarter, four times as many
NODES = 4  # Robson18, slide 8
RUNS = 5  # Robson18, slide 8
NOISE = 0.03  # standard deviation of a task's time over its mean: in no source
CELL = 24.0  # bytes of memory that a cell moves: read, written, and read before it is written: in no source
FORK = 2e-6  # seconds of a loop of two threads: in no source
FORK_EACH = 0.15e-6  # seconds for each thread beyond: in no source
LOSS_EACH = 0.002  # of the work, for each thread beyond the first, as chunks end unevenly: in no source
LOSS_ACROSS = 0.08  # of the work, where a team reaches over both sockets: in no source
OURS = ("fat_nodes",)


@dataclass(frozen=True)
class Node:
    """Two sockets. memory, injection: bytes/s."""

    name: str
    cores: int
    memory: float
    injection: float
    latency: float

    @property
    def spreads(self) -> list[int]:
        """Threads on a block: the divisors of the cores."""
        return [s for s in range(1, self.cores + 1) if self.cores % s == 0]


# Cores: Robson18, slide 10. Memory and network are in no source: two sockets of Haswell E5-2695 v3 with DDR4-2133 and
# Omni-Path, 1.5 us.
BRIDGES = Node("Bridges, 2 x 14 cores", 28, 110e9, 12.5e9, 1.5e-6)
# Cores: Robson18, slide 10. Memory and network are in no source: two sockets of POWER9 with dual-rail EDR, 1.5 us.
SUMMIT = Node("Summit, 2 x 22 cores", 44, 270e9, 23e9, 1.5e-6)

# A rank's share of a node's flop/s is 10^9, and so is each of its workers': flops of a task are nanoseconds.
TEXT = """
name = "fat nodes"
ranks_per_node = {ranks}
flops = {flops}
overhead = "0.5 us"
injection = {injection}
memory_bandwidth = {memory}
axes = [
  {{ length = {x}, wraps = true, bandwidth = {link}, latency = {latency} }},
  {{ length = {y}, wraps = true, bandwidth = {link}, latency = {latency} }},
]
"""


def machine(node: Node, ranks: int, nodes: int = NODES) -> Machine:
    """Nodes behind a switch that is never the narrow place, with so many ranks on each."""
    x = 1
    while x * x < nodes:
        x *= 2
    return Machine.from_toml(
        TEXT.format(
            ranks=ranks,
            flops=ranks * 1e9,
            injection=node.injection,
            memory=node.memory,
            link=4 * node.injection,
            latency=node.latency,
            x=x,
            y=nodes // x,
        )
    )


def grain(node: Node, block: int) -> float:
    """Seconds of a block on one core, which has its share of the node's memory."""
    return block**2 * CELL / (node.memory / node.cores)


def _loss(node: Node, spread: int) -> float:
    return (spread - 1) * LOSS_EACH + (LOSS_ACROSS if spread > node.cores // 2 else 0.0)


def task_seconds(node: Node, block: int, spread: int) -> float:
    """A block's iteration on a team."""
    fork = FORK + (spread - 2) * FORK_EACH if spread > 1 else 0.0
    return grain(node, block) / spread * (1 + _loss(node, spread)) + fork


def expected(node: Node, block: int, spread: int, sends: bool = True, cost: float = 1.0) -> float:
    """T(S) of an iteration, module model's. cost: factor of what a team costs, its loops' starts and losses."""
    side = GRID // block
    faces = 2 * side if sends else 0  # a quarter of the grid on each node: two of its sides are others'
    return model.spread_time(
        spread,
        cores=node.cores,
        objects=side * side // NODES,
        grain=grain(node, block),
        fork=cost * FORK,
        fork_each=cost * FORK_EACH,
        loss_each=cost * LOSS_EACH,
        domain=node.cores // 2,
        loss_across=cost * LOSS_ACROSS,
        traffic=faces // 2 * block * 8.0,
        injection=node.injection,
        message=block * 8.0 if sends else 0.0,
        latency=node.latency if sends else 0.0,
    )


@dataclass(frozen=True)
class Outcome:
    """Seconds of an iteration in each run, and, of the first one, (moment, bytes) of what nodes received of others."""

    seconds: list[float]
    received: list[tuple[float, int]]
    whole: float  # seconds of the first run

    @property
    def median(self) -> float:
        return statistics.median(self.seconds)


def _owners(block: int, masters: int, nodes: int) -> list[int]:
    """A box of blocks for each node, dealt to its masters row by row."""
    places = graph.block_owners((GRID, GRID), (block, block), nodes)
    each = places.count(0)
    seen = [0] * nodes
    owners = []
    for node in places:
        owners.append(node * masters + seen[node] * masters // each)
        seen[node] += 1
    return owners


def simulate(
    node: Node,
    block: int,
    spread: int,
    *,
    iterations: int,
    runs: int = RUNS,
    sends: bool = True,
    one_process: bool = False,
    trace: bool = False,
    nodes: int = NODES,
) -> Outcome:
    """Blocks that go on as their faces come. A rank is a team, with blocks of its own; one_process: a rank is a node,
    and its teams take whichever of its blocks may run."""
    masters = node.cores // spread
    ranks, workers = (1, masters) if one_process else (masters, 1)
    where = machine(node, ranks, nodes)
    owners = _owners(block, ranks, nodes)
    seconds: list[float] = []
    received: list[tuple[float, int]] = []
    whole = 0.0
    for run in range(runs):
        made = graph.blocks(
            (GRID, GRID),
            (block, block),
            nodes * ranks,
            owners=owners,
            work=graph.BlockWork(
                iterations=iterations,
                flops=task_seconds(node, block, spread) * 1e9,
                noise=NOISE,
                seed=run + 1,
                sends=sends,
            ),
        )
        model = graph.Model(workers=workers)
        result = graph.simulate(made, where, tree="flat", model=model, trace=trace and run == 0)
        seconds.append(result.seconds / iterations)
        if run == 0:
            whole = result.seconds
            if trace:
                received = _between_nodes(result, ranks)
    return Outcome(seconds, received, whole)


def _between_nodes(result: graph.TaskSimulation, ranks: int) -> list[tuple[float, int]]:
    spans = result.timeline.columns
    found = []
    for at, to in enumerate(spans["to"]):
        if to >= 0 and to // ranks != spans["rank"][at] // ranks:
            found.append((float(spans["end"][at]), int(spans["bytes"][at])))
    return found


def best(times: dict[int, float]) -> int:
    """The spread with the least time."""
    return min(times, key=lambda s: times[s])


def gains(times: dict[int, float]) -> tuple[float, float]:
    """Of the best spread over spread 1 and over all cores, as shares of the time."""
    least = times[best(times)]
    return 1 - least / times[min(times)], 1 - least / times[max(times)]


def bins(received: Sequence[tuple[float, int]], whole: float, count: int = 60) -> tuple[list[float], list[float]]:
    """(moments, bytes/s of all nodes together) in `count` equal parts of the run."""
    width = whole / count
    found = [0.0] * count
    for when, size in received:
        found[min(int(when / width), count - 1)] += size / width
    return [(i + 0.5) * width for i in range(count)], found


def assumptions(node: Node) -> str:
    """What no source says, for a figure's text."""
    return (
        f"{node.name}: {node.memory / 1e9:.0f} GB/s of memory, of which each core has its share whether others work or "
        f"not, {CELL:.0f} bytes a cell; {node.injection / 1e9:g} GB/s out of a node; a loop of S threads "
        f"{FORK * 1e6:g} us + {FORK_EACH * 1e6:g} us for each beyond two; chunks that end unevenly "
        f"{100 * LOSS_EACH:g} % a thread, a team over both sockets {100 * LOSS_ACROSS:g} %; {RUNS} runs whose tasks "
        f"scatter by {100 * NOISE:g} % (uniform, seeds 1 to {RUNS})"
    )
