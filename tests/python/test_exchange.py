"""Exported schedules do what the collective promises, run by executors that know nothing of Allport."""

from __future__ import annotations

import json

import allport as ap
import numpy as np
import pytest
from goal_and_msccl import Msccl, read_goal, run_goal

ALGORITHMS = [(a["collective"], a["name"]) for a in ap.collectives.algorithms()]
SUMS = ("reduce", "allreduce", "reduce_scatter")


def _machines():
    specs = ("torus:1", "torus:2", "torus:5", "mesh:2x3", "torus:3x2m", "torus:2x2/ppn=2", "torus:3x2")
    sound = [ap.Machine.parse(s) for s in specs]
    cut = '\n[[link]]\nfrom = [1, 1]\naxis = "x"\ndirection = "+"\ndead = true\n'
    return [*sound, ap.Machine.from_toml(ap.Machine.parse("torus:3x2").to_toml() + cut)]


def _schedule(collective, name, spec, root=0, size=640, segment=64, window=2):
    """Or None where the algorithm cannot serve."""
    element = 8 if collective in SUMS else 1
    size = 0 if collective == "barrier" else size
    try:
        return ap.make_schedule(
            collective, spec, algorithm=name, root=root, bytes=size, element=element, segment=segment, window=window
        )
    except ap.Error as error:
        if "cannot serve" in str(error) or "no algorithm" in str(error) or "expected one that" in str(error):
            return None
        raise


@pytest.mark.parametrize(("collective", "name"), ALGORITHMS)
def test_goal_text_runs_to_the_end_with_the_same_traffic(tmp_path, collective, name):
    ran = 0
    for i, machine in enumerate(_machines()):
        window = 1 + i % 3
        schedule = _schedule(collective, name, machine, root=machine.ranks // 2, size=192, segment=40, window=window)
        if schedule is None:
            continue
        file = tmp_path / "a.goal"
        ap.schedule.export_goal(schedule, file, machine=machine)
        counts = run_goal(read_goal(file.read_text()), i, most_posted=window)
        for rank, got in enumerate(counts):
            t = schedule.traffic(rank)
            assert got == [t.messages_sent, t.messages_received, t.bytes_sent, t.bytes_received], (machine, rank)
        ran += 1
    assert ran >= 1


class _Rank:
    """A program's counters, as an executor keeps them: posted, and completed without a gap."""

    def __init__(self, program, window):
        self.ops = program.ops
        self.windows = [window if o.kind in ("send", "receive") else 1 for o in self.ops]
        self.posted = [0] * len(self.ops)
        self.done = [set() for _ in self.ops]
        self.completed = [0] * len(self.ops)

    def complete(self, op, segment):
        self.done[op].add(segment)
        while self.completed[op] in self.done[op]:
            self.completed[op] += 1

    def may_begin(self):
        return {f"o{k}s{self.posted[k]}" for k in range(len(self.ops)) if self._may(k)}

    def _may(self, k):
        i = self.posted[k]
        if i == self.ops[k].segments or i - self.completed[k] == self.windows[k]:
            return False
        for other, lag in self.ops[k].after:
            if lag < 0 and self.completed[other] < self.ops[other].segments:
                return False
            if 0 <= lag <= i and self.completed[other] <= i - lag:
                return False
        return True


@pytest.mark.parametrize(("collective", "name"), ALGORITHMS)
def test_goal_text_allows_at_every_moment_what_the_program_allows(tmp_path, collective, name):
    """One rank at a time: its operations begin and end in random orders, in any of which its peers may let them."""
    draw = np.random.default_rng(2)
    machine = next(m for m in reversed(_machines()) if _schedule(collective, name, m) is not None)
    for window in (1, 2, 3):
        schedule = _schedule(collective, name, machine, size=192, segment=40, window=window)
        assert schedule is not None
        ap.schedule.export_goal(schedule, tmp_path / "a.goal")
        ranks = read_goal((tmp_path / "a.goal").read_text())
        for rank in {0, 1, len(ranks) - 1}:
            goal = ranks[rank]
            mine = _Rank(schedule.program(rank), window)
            while True:
                free = {
                    label
                    for label, o in goal.items()
                    if not o.started
                    and all(goal[n].done for n in o.needs_end)
                    and all(goal[n].started for n in o.needs_start)
                }
                assert free == mine.may_begin()
                running = [label for label, o in goal.items() if o.started and not o.done]
                if not free and not running:
                    break
                label = draw.choice(sorted(free) + running)
                op, segment = (int(n) for n in label[1:].split("s"))
                if label in free:
                    goal[label].started = True
                    mine.posted[op] += 1
                else:
                    goal[label].done = True
                    mine.complete(op, segment)
            assert all(o.done for o in goal.values())


def _operations(schedule, rank):
    def slot(s):
        return (s.buffer, s.ring, s.offset)

    return [
        (
            o.kind,
            o.port,
            o.peer,
            o.channel,
            o.length,
            o.segment,
            o.after,
            slot(o.source),
            slot(o.operand),
            slot(o.target),
            o.piece.sources,
            o.piece.destinations,
            o.piece.bytes,
            o.piece.combined,
        )
        for o in schedule.program(rank).ops
    ]


def test_goal_text_comes_back_as_the_same_schedule(tmp_path):
    file = tmp_path / "b.goal"
    machine = ap.Machine.parse("torus:4x4")
    for collective, name in (
        ("bcast", "rectangular"),
        ("reduce", "rectangular"),
        ("alltoall", None),
        ("barrier", None),
    ):
        schedule = _schedule(collective, name, machine)
        ap.schedule.export_goal(schedule, file, machine=machine)
        back = ap.schedule.import_goal(file)
        assert repr(back) == repr(schedule) and back.segment == schedule.segment and back.window == schedule.window
        for rank in range(16):
            assert _operations(back, rank) == _operations(schedule, rank)
        assert ap.verify.prove(back, machine).ok


def _sizes(collective, ranks, chunks, block, is_root):
    """Chunks of a rank's input and output."""
    return {
        "bcast": (chunks, chunks),
        "reduce": (chunks, chunks if is_root else 0),
        "allreduce": (chunks, chunks),
        "scatter": (ranks * chunks if is_root else 0, chunks),
        "gather": (chunks, ranks * chunks if is_root else 0),
        "allgather": (block, chunks),
        "reduce_scatter": (chunks, block),
        "alltoall": (chunks, chunks),
    }[collective]


def _wanted(collective, inputs, rank, root, block):
    """What must lie in a rank's output."""
    cut = slice(rank * block, (rank + 1) * block)
    nothing = np.empty(0)
    if collective == "bcast":
        return inputs[root]
    if collective in ("reduce", "allreduce"):
        return sum(inputs) if collective == "allreduce" or rank == root else nothing
    if collective == "reduce_scatter":
        return sum(inputs)[cut]
    if collective == "scatter":
        return inputs[root][cut]
    if collective in ("gather", "allgather"):
        return np.concatenate(inputs) if collective == "allgather" or rank == root else nothing
    return np.concatenate([i[cut] for i in inputs])


def _run_msccl(text, collective, root, seed):
    """Fills the inputs with numbers, runs the file, and checks all that the collective promises."""
    algo, rng = Msccl(text), np.random.default_rng(seed)
    n = algo.chunks_per_loop  # of the message, or of all blocks
    block = n // algo.ranks if collective in ("allgather", "reduce_scatter", "alltoall") else n
    inputs = []
    for r, buffers in enumerate(algo.buffers):
        sizes = _sizes(collective, algo.ranks, n, block, r == root)
        assert (len(buffers["i"]), len(buffers["o"])) == sizes, r
        inputs.append(rng.integers(-99, 99, sizes[0]).astype(float))
        if collective != "bcast" or r == root:
            buffers["i"][:] = inputs[-1]
    algo.run(seed)
    for r, buffers in enumerate(algo.buffers):
        assert (buffers["o"] == _wanted(collective, inputs, r, root, block)).all(), (collective, r)
        assert collective == "bcast" or (buffers["i"] == inputs[r]).all(), "the input was written"


@pytest.mark.parametrize(("collective", "name"), [(c, n) for c, n in ALGORITHMS if c != "barrier"])
def test_msccl_files_deliver_what_the_collective_promises(tmp_path, collective, name):
    ran = 0
    for machine in _machines():
        root = machine.ranks // 2
        for size, segment in ((1920, 240), (240 * 80, 240 * 80)):
            schedule = _schedule(collective, name, machine, root=root, size=size, segment=segment)
            if schedule is None:
                continue
            file = tmp_path / "a.xml"
            ap.schedule.export_msccl(schedule, file, steps=4096)
            for seed in range(2):
                _run_msccl(file.read_text(), collective, root, seed)
            ran += 1
    assert ran >= 2


def test_long_segments_become_several_steps(tmp_path):
    file = tmp_path / "a.xml"
    # Trees of 4, 4 and 4 thousand bytes less one chunk of 8: chunks of 8 bytes, hundreds in a segment.
    schedule = ap.make_schedule("reduce", "torus:4", algorithm="line", bytes=8008, element=8, segment=8000)
    ap.schedule.export_msccl(schedule, file)
    algo = Msccl(file.read_text())
    assert max(int(s["cnt"]) for blocks in algo.blocks for b in blocks for s in b.steps) == 71
    _run_msccl(file.read_text(), "reduce", 0, 1)


def test_msccl_refuses_what_it_cannot_say(tmp_path):
    def refusal(*arguments, limits=None, **more):
        with pytest.raises(ap.Error) as caught:
            ap.schedule.export_msccl(ap.make_schedule(*arguments, **more), tmp_path / "a.xml", **(limits or {}))
        assert not list(tmp_path.iterdir())
        return str(caught.value)

    assert "barriers" in refusal("barrier", "torus:4")
    assert "no bytes" in refusal("bcast", "torus:4", bytes=0)
    assert "steps of one threadblock = 65" in refusal("bcast", "torus:4", algorithm="line", bytes=6600, segment=66)
    assert "use longer segments" in refusal("bcast", "torus:4", algorithm="line", bytes=6600, segment=66)
    assert "at most 32768 in MSCCL" in refusal("bcast", "torus:4", bytes=99999, algorithm="binomial", segment=50000)
    limits = {"channels": 1, "peers": 1}
    assert "more than 1 channels of 1 peers" in refusal("alltoall", "torus:4", bytes=64, limits=limits)
    assert "threadblocks" in refusal("alltoall", "torus:5", bytes=64, limits={"blocks": 3})
    assert "steps = 0" in refusal("bcast", "torus:4", bytes=64, limits={"steps": 0})


def test_a_foreign_file_has_no_contract(tmp_path):
    file = tmp_path / "foreign.goal"
    file.write_text(
        "num_ranks 2\nrank 0 {\na: calc 1000\nb: send 8b to 1 tag 3\nb requires a\n}\n"
        "rank 1 {\nrecv 8b from 0 tag 3\n}\n"
    )
    with pytest.raises(ap.Error, match=r"foreign.goal:3: calc 1000 takes time"):
        ap.schedule.import_goal(file)
    schedule = ap.schedule.import_goal(file, machine="torus:2")
    assert schedule.collective == "none" and schedule.ranks == 2
    copied = schedule.program(0).ops[0]
    assert copied.kind == "copy"
    per_byte = ap._native.exchange_costs(ap.Machine.parse("torus:2"))[1]
    assert copied.length * per_byte == pytest.approx(1e-6, rel=0.01)
    with pytest.raises(ap.Error, match="this one has none, so there is nothing to prove"):
        ap.verify.prove(schedule, "torus:2")
    with pytest.raises(ap.Error, match="cannot interpret a none"):
        ap.schedule.interpret(schedule, np.zeros(1))
    with pytest.raises(ap.Error, match="no contract"):
        ap.schedule.export_msccl(schedule, tmp_path / "a.xml")
    with pytest.raises(ap.Error, match="none"):
        ap.make_schedule("none", "torus:2")
    # And it can be written again, with its comments this time.
    ap.schedule.export_goal(schedule, tmp_path / "again.goal")
    again = ap.schedule.import_goal(tmp_path / "again.goal")
    assert [_operations(again, r) for r in range(2)] == [_operations(schedule, r) for r in range(2)]


def test_an_imported_schedule_is_simulated(tmp_path):
    machine = ap.Machine.parse("torus:4x3")
    file = tmp_path / "a.goal"
    for collective in ("bcast", "allgather"):
        # Long segments: streams spend o one segment after the other, the statements of a foreign file side by side.
        schedule = _schedule(collective, "rectangular", machine, size=640000, segment=16000)
        ap.schedule.export_goal(schedule, file, machine=machine)
        wanted = ap.simulate(schedule, machine)
        back = ap.simulate(ap.schedule.import_goal(file), machine)
        assert back.seconds == wanted.seconds and (back.rank_seconds == wanted.rank_seconds).all()
        # Without its comments it sends the same over the same links; where it copies, as long as calc says.
        stripped = "".join(line for line in file.read_text().splitlines(True) if not line.startswith("//@"))
        file.write_text(stripped)
        foreign = ap.schedule.import_goal(file, machine=machine)
        run = ap.simulate(foreign, machine)
        assert foreign.collective == "none" and (run.link_bytes == wanted.link_bytes).all() and run.seconds > 0
        if collective == "bcast":  # which copies nothing
            assert run.rank_seconds == pytest.approx(wanted.rank_seconds, rel=1e-9)


def test_files_that_cannot_be_read_or_written_are_named(tmp_path):
    with pytest.raises(ap.Error, match=r"absent.goal: cannot be read: No such file"):
        ap.schedule.import_goal(tmp_path / "absent.goal")
    with pytest.raises(ap.Error, match=r"cannot be read: Is a directory"):
        ap.schedule.import_goal(tmp_path)
    schedule = ap.make_schedule("bcast", "torus:4", bytes=64)
    with pytest.raises(ap.Error, match=r"nowhere/a.goal: cannot be written: No such file"):
        ap.schedule.export_goal(schedule, tmp_path / "nowhere" / "a.goal")
    with pytest.raises(ap.Error, match="segments = "):
        ap.schedule.export_goal(schedule, tmp_path / "a.goal", most_segments=3)
    assert not list(tmp_path.iterdir())


def test_the_command_line_exports_and_imports(allport, tmp_path):
    done = allport(
        *"schedule export bcast -a rectangular --machine torus:4x4 --size 64KiB --segment 4KiB --format goal".split(),
        "-o", "a.goal", "--json",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["messages"] == 15 * 16 and told["bytes_moved"] == 15 * 65536 and told["file"] == "a.goal"
    back = allport("schedule", "import", "a.goal", "--json")
    assert back.returncode == 0, back.stderr
    assert {**json.loads(back.stdout), "format": "goal"} == told
    shown = allport("schedule", "import", "a.goal", "-m", "torus:4x4").stdout
    assert "bcast by rectangular: 16 ranks" in shown and "simulated: " in shown
    done = allport(
        *"schedule export allreduce -m torus:2x2 --size 64KiB --segment 64KiB --element 8 -f msccl -o b.xml".split()
    )
    assert done.returncode == 0, done.stderr
    _run_msccl((tmp_path / "b.xml").read_text(), "allreduce", 0, 3)
    for arguments, word in (
        ("schedule export bcast -m torus:4 -f pdf -o c", "expected goal or msccl"),
        ("schedule export barrier -m torus:4 --size 0 -f msccl -o c", "barriers"),
        ("schedule import nowhere.goal", "nowhere.goal: cannot be read"),
        ("schedule import b.xml", "b.xml:1: expected 'num_ranks'"),
    ):
        failed = allport(*arguments.split())
        assert failed.returncode == 1 and word in failed.stderr, (arguments, failed.stderr)
    assert not (tmp_path / "c").exists()
