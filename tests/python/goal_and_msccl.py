"""Two small executors that know nothing of Allport: one of GOAL text, one of MSCCL XML."""

from __future__ import annotations

import random
import re
from collections import defaultdict, deque
from dataclasses import dataclass, field
from xml.etree import ElementTree

import numpy as np

_OPERATION = re.compile(
    r"^(?:(\w+):\s*)?(?:(send|recv) (\d+)b (?:to|from) (\d+)(?: tag (\d+))?|calc (\d+))(?: cpu (\d+))?(?: nic (\d+))?$"
)
_WAIT = re.compile(r"^(\w+) (i?requires) (\w+)$")


@dataclass
class GoalOperation:
    """One line of a rank."""

    kind: str
    size: int
    peer: int = -1
    tag: int = 0
    needs_end: list[str] = field(default_factory=list)
    needs_start: list[str] = field(default_factory=list)
    started: bool = False
    done: bool = False


def read_goal(text: str) -> list[dict[str, GoalOperation]]:
    """The ranks' operations by label, line by line as LogGOPSim's txt2bin takes them."""
    ranks: list[dict[str, GoalOperation]] = []
    count, inside = -1, False
    for raw in text.splitlines():
        line = raw.strip()
        if not line or line.startswith("//"):
            continue
        if line.startswith("num_ranks "):
            count = int(line.split()[1])
        elif line.startswith("rank "):
            assert not inside and line == f"rank {len(ranks)} {{"
            ranks.append({})
            inside = True
        elif line == "}":
            inside = False
        elif wait := _WAIT.match(line):
            later, how, earlier = wait.groups()
            assert earlier in ranks[-1], line
            (ranks[-1][later].needs_end if how == "requires" else ranks[-1][later].needs_start).append(earlier)
        else:
            found = _OPERATION.match(line)
            assert inside and found, line
            label, kind, size, peer, tag, calc, _, _ = found.groups()
            assert label not in ranks[-1], line
            ranks[-1][label] = (
                GoalOperation("calc", int(calc))
                if kind is None
                else GoalOperation(kind, int(size), int(peer), int(tag or 0))
            )
    assert len(ranks) == count
    return ranks


def run_goal(ranks: list[dict[str, GoalOperation]], seed: int, most_posted: int | None = None) -> list[list[int]]:
    """Runs to the end with synchronous sends, in an order drawn by seed; messages match as they are posted.

    Returns (messages sent, received, bytes sent, received) of each rank. most_posted: no more sends or receives of one
    (pair, tag) may be open at once.
    """
    draw = random.Random(seed)
    sends: dict[tuple[int, int, int], deque[GoalOperation]] = defaultdict(deque)
    receives: dict[tuple[int, int, int], deque[GoalOperation]] = defaultdict(deque)
    counts = [[0, 0, 0, 0] for _ in ranks]
    waiting = [(r, o) for r, operations in enumerate(ranks) for o in operations.values()]
    while waiting:
        draw.shuffle(waiting)
        left = []
        for r, o in waiting:
            mine = ranks[r]
            if not all(mine[n].done for n in o.needs_end) or not all(mine[n].started for n in o.needs_start):
                left.append((r, o))
                continue
            o.started = True
            if o.kind == "calc":
                o.done = True
                continue
            key = (r, o.peer, o.tag) if o.kind == "send" else (o.peer, r, o.tag)
            (sends if o.kind == "send" else receives)[key].append(o)
            assert most_posted is None or len((sends if o.kind == "send" else receives)[key]) <= most_posted
            if sends[key] and receives[key]:
                sent, got = sends[key].popleft(), receives[key].popleft()
                assert sent.size == got.size
                sent.done = got.done = True
                for rank, at in ((key[0], 0), (key[1], 1)):
                    counts[rank][at] += 1
                    counts[rank][at + 2] += sent.size
        assert len(left) < len(waiting), f"nothing can move; {len(left)} operations wait"
        waiting = left
    assert not any(sends.values()) and not any(receives.values()), "messages without another end"
    assert all(o.done for operations in ranks for o in operations.values())
    return counts


@dataclass
class Block:
    """A threadblock: its steps, one after the other."""

    gpu: int
    send: int
    recv: int
    channel: int
    steps: list[dict[str, str]]
    at: int = 0
    flag: int = -1  # the last step that others were told of


class Msccl:
    """An MSCCL file, run on chunks of real numbers: one number a chunk."""

    slots = 1  # steps of a connection in flight; MSCCL has NCCL_STEPS / MSCCL_CHUNKSTEPS = 2

    def __init__(self, text: str) -> None:
        self.algo = ElementTree.fromstring(text)
        assert self.algo.tag == "algo" and self.algo.get("proto") == "Simple"
        self.ranks = int(self.algo.get("ngpus", ""))
        self.chunks_per_loop = int(self.algo.get("nchunksperloop", ""))
        self.buffers: list[dict[str, np.ndarray]] = []
        self.blocks: list[list[Block]] = []
        for gpu in self.algo:
            assert int(gpu.get("id", "")) == len(self.blocks)
            size = {b: int(gpu.get(f"{b}_chunks", "")) for b in "ios"}
            self.buffers.append({b: np.full(n, np.nan) for b, n in size.items()})
            if self.algo.get("inplace") == "1":
                assert self.algo.get("outofplace") == "0" and size["i"] == size["o"]
                self.buffers[-1]["i"] = self.buffers[-1]["o"]
            self.blocks.append([self._block(len(self.blocks), i, tb) for i, tb in enumerate(gpu)])
        self._check_connections()

    def _block(self, gpu: int, index: int, tb: ElementTree.Element) -> Block:
        assert int(tb.get("id", "")) == index < 128
        steps = [dict(s.attrib) for s in tb]
        assert [int(s["s"]) for s in steps] == list(range(len(steps)))
        numbers = {a: int(tb.get(a, "")) for a in ("send", "recv", "chan")}
        assert 0 <= numbers["chan"] < int(self.algo.get("nchannels", "")) <= 32
        assert gpu not in (numbers["send"], numbers["recv"])
        return Block(gpu, numbers["send"], numbers["recv"], numbers["chan"], steps)

    def _check_connections(self) -> None:
        """One threadblock has each end of a connection; at most 32 on a channel."""
        ends = [
            (direction, b.gpu, peer, b.channel)
            for blocks in self.blocks
            for b in blocks
            for direction, peer in (("s", b.send), ("r", b.recv))
            if peer >= 0
        ]
        assert len(ends) == len(set(ends))
        per_channel = defaultdict(int)
        for direction, gpu, _, channel in ends:
            per_channel[direction, gpu, channel] += 1
        assert max(per_channel.values(), default=0) <= 32

    def run(self, seed: int) -> None:
        """All threadblocks to their ends, in an order drawn by seed."""
        draw = random.Random(seed)
        self.links: dict[tuple[int, int, int], deque[np.ndarray]] = defaultdict(deque)
        open_blocks = [b for blocks in self.blocks for b in blocks if b.steps]
        while open_blocks:
            draw.shuffle(open_blocks)
            moved = [self._step(b) for b in open_blocks]
            assert any(moved), "deadlock"
            open_blocks = [b for b in open_blocks if b.at < len(b.steps)]
        assert not any(self.links.values()), "chunks that nobody received"

    def _met(self, block: Block, step: dict[str, str]) -> bool:
        other = int(step["depid"])
        if other < 0:
            return True
        awaited = self.blocks[block.gpu][other].steps[int(step["deps"])]
        assert awaited["hasdep"] == "1", "nobody would be told"
        return self.blocks[block.gpu][other].flag >= int(step["deps"])

    def _step(self, block: Block) -> bool:
        step = block.steps[block.at]
        # A nop belongs to the step that follows: that one waits for all of them at once.
        count = int(step["cnt"])
        assert count <= 71
        if not self._met(block, step):
            return False
        if step["type"] == "nop":
            following = block.steps[block.at + 1]
            assert int(step["depid"]) >= 0 and int(following["depid"]) >= 0 and step["hasdep"] == "0"
        elif step["type"] == "s":
            link = self.links[block.gpu, block.send, block.channel]
            if block.send < 0 or len(link) >= self.slots:
                return False
            link.append(self._view(block, step, "src", count).copy())
        elif step["type"] == "r":
            link = self.links[block.recv, block.gpu, block.channel]
            if block.recv < 0 or not link:
                return False
            self._view(block, step, "dst", count)[:] = link.popleft()
        elif step["type"] == "cpy":
            self._view(block, step, "dst", count)[:] = self._view(block, step, "src", count)
        else:
            assert step["type"] == "re", step
            self._view(block, step, "dst", count)[:] += self._view(block, step, "src", count)
        if step["hasdep"] == "1":
            block.flag = block.at
        block.at += 1
        return True

    def _view(self, block: Block, step: dict[str, str], side: str, count: int) -> np.ndarray:
        offset = int(step[f"{side}off"])
        chunks = self.buffers[block.gpu][step[f"{side}buf"]]
        assert offset >= 0 and count > 0 and offset + count <= len(chunks), step
        return chunks[offset : offset + count]
