from itertools import pairwise

import allport as ap
import numpy as np
import pytest
from allport.graph import Edge, Task
from conftest import longer


class Tree(ap.TaskGraph):
    """A sum over a binary tree of leaves, one a rank: task (0, i, k) is node i of level k."""

    def __init__(self, levels, dtype="f8"):
        super().__init__(2**levels, dtype)
        self.levels, self.result = levels, None

    def owner(self, task):
        return task.i << task.k

    def entries(self, rank):
        return [Task(0, rank)]

    def count(self, rank):
        return 1 + next(k for k in range(self.levels + 1) if rank >> k & 1 or k == self.levels)

    def num_parents(self, task):
        return 2 if task.k else 0

    def children(self, task):
        return [Edge(Task(0, task.i // 2, 0, task.k + 1), task.i % 2)] if task.k < self.levels else []

    def output(self, task, index):
        return 10

    def input(self, task, index):
        return 10

    def work(self, task):
        return ap.graph.Work("add", 10.0, 240.0)

    def steps(self):
        return self.levels + 1

    def tasks(self, rank, step):
        return [Task(0, rank >> step, 0, step)] if rank % (1 << step) == 0 else []


def _said(call, *arguments):
    with pytest.raises(ap.Error) as caught:
        call(*arguments)
    return caught.value


def _check_and_count(graph):
    ap.graph.check(graph)
    ap.graph.count(graph)


def test_a_graph_of_ones_own_is_checked_counted_priced_simulated_and_drawn():
    tree = Tree(3)
    report = ap.graph.check(tree)
    assert report == (15, 14, 4, True, False)
    counts = ap.graph.count(tree, tree="flat")
    assert [c.tasks for c in counts] == [4, 1, 2, 1, 3, 1, 2, 1]
    assert [c.bytes_received for c in counts] == [240, 0, 80, 0, 160, 0, 80, 0]
    assert sum(c.flops for c in counts) == 150
    run = ap.graph.simulate(tree, "bgp:8", tree="collectives", model=ap.graph.Model(workers=2), trace=True)
    assert run.tasks == 15 and run.messages == 7 and run.longest_tasks == 4
    spent = run.compute + run.communicate + run.idle
    np.testing.assert_allclose(spent, 2 * run.seconds)
    assert run.to_dict()["compute"] + run.to_dict()["communicate"] + run.to_dict()["idle"] == pytest.approx(1)
    path = run.critical_path
    assert path[0]["begin"] == 0 and path[-1]["end"] == run.seconds and len(run.timeline) == 22
    assert all(a["end"] <= b["end"] for a, b in pairwise(path))
    price = ap.graph.price(tree, "bgp:8", tree="collectives")
    assert price.chain == pytest.approx(4 * 10 / 13.6e9) and price.chain < price.links <= price.total < run.seconds
    assert ap.graph.draw(tree).count('class="task"') == 15
    assert ap.graph.simulate(tree, "bgp:8", tree="collectives", model=ap.graph.Model(factor=2.0)).seconds < run.seconds
    relayed = ap.graph.simulate(tree, "bgp:8")  # as it runs by default, along prefixes
    assert relayed.messages == sum(c.messages_sent for c in ap.graph.count(tree, machine="bgp:8")) > 7


class Panel(ap.TaskGraph):
    """Rank 0 sends the first twelve ranks a panel in four outputs."""

    def __init__(self, ranks, parts):
        super().__init__(ranks)
        self.of = parts

    def owner(self, task):
        return task.i

    def entries(self, rank):
        return [Task(0)] if rank == 0 else []

    def count(self, rank):
        return int(rank < 12)

    def num_parents(self, task):
        return 4 * task.kind

    def children(self, task):
        return [Edge(Task(1, r), part, part) for r in range(1, 12) for part in range(4) if task.kind == 0]

    def output(self, task, index):
        return 100_000

    def parts(self, task, index):
        return self.of


def test_parts_of_one_thing_take_different_ways():
    one, four = (ap.graph.simulate(Panel(16, parts), "torus:4x4", tree="axes").seconds for parts in (1, 4))
    assert 0.4 * one < four < 0.8 * one
    counts = ap.graph.count(Panel(16, 4), machine="torus:4x4", tree="axes")
    assert sum(c.bytes_received for c in counts) >= 11 * 4 * 800_000
    with pytest.raises(ap.Error, match="parts = '0 of task 0"):
        ap.graph.simulate(Panel(16, 0), "torus:4x4", tree="axes")


class Round(ap.TaskGraph):
    """Rank 0 makes a block, and each rank hands it on to the next; all look at it."""

    def entries(self, rank):
        return [Task(0)] if rank == 0 else []

    def count(self, rank):
        return 2

    def owner(self, task):
        return task.i

    def num_parents(self, task):
        return int(task != Task(0))

    def children(self, task):
        if task.kind == 0:
            return [Task(1, task.i), *([Task(0, task.i + 1)] if task.i + 1 < self.ranks else [])]
        return []

    def output(self, task, index):
        return 3

    def forwards(self, task, index):
        return 0 if task.i else -1

    def run(self, task, context):
        if task.kind == 1:
            assert context.input(0).tolist() == [1, 2, 3]
        elif task.i == 0:
            context.output(0)[:] = 1, 2, 3


def test_what_is_handed_on_is_an_input():
    graph = Round(5)
    assert ap.graph.check(graph).tasks == 10
    assert [c.bytes_sent for c in ap.graph.count(graph, tree="flat")] == [24, 24, 24, 24, 0]

    class Longer(Round):
        def output(self, task, index):
            return 3 + (task.i == 2)

    with pytest.raises(ap.Error, match="is its input 0, and 4 x 1"):
        ap.graph.check(Longer(5))
    Longer.forwards = lambda self, task, index: -2
    with pytest.raises(ap.Error, match="forwards = '-2 of"):
        ap.graph.check(Longer(5))


def test_cholesky_is_song09s_graph(tmp_path):
    graph = ap.graph.cholesky(4, 1, "2x2", lower=True)
    report = ap.graph.check(graph)
    assert (report.tasks, report.longest) == (20, 10)
    text = ap.graph.draw(graph, tmp_path / "dag.svg")
    assert (tmp_path / "dag.svg").read_text() == text
    # Three kinds of edges, as in Song09, slide 4: T-infinity's path of ten tasks, from step to step, and others.
    assert text.count('class="edge"') == report.edges == 30 and text.count('stroke="#d00000"') == 9 + 1
    names = ("critical path", "loop-carried", "loop-independent", "to another rank")
    assert all(f">{name}</text>" in text for name in names)
    assert sum(c.flops for c in ap.graph.count(ap.graph.cholesky(300, 300))) == 300 * 301 * 601 / 6
    # Twice as fast in single precision, a quarter in complex doubles, which move twice the bytes.
    seconds = [ap.graph.simulate(ap.graph.cholesky(900, 300, dtype=t), "bgp:2").seconds for t in ("f4", "f8", "c16")]
    np.testing.assert_allclose(seconds, [seconds[1] / 2, seconds[1], 4 * seconds[1]])


def test_the_other_graphs_of_the_library():
    for graph in (ap.graph.qr(70, 50, 8, "2x3"), ap.graph.cholesky_solve(70, 9, 8, "3x2", dtype="c8")):
        assert ap.graph.check(graph).exhaustive and graph.ranks == 6
        assert ap.graph.simulate(graph, "bgp:3x2").tasks == sum(c.tasks for c in ap.graph.count(graph))
    assert graph.factor == 0.5 and graph.element == 8


def test_plans_as_graphs_send_what_their_plans_say():
    plan = ap.plan.gemm(256, 256, 256, "bgp:4x4", dtype="f4", options=ap.Options(algorithm="summa"))
    graph = ap.graph.gemm(plan)
    ap.graph.check(graph)
    assert graph.factor == 2.0
    assert sum(c.flops for c in ap.graph.count(graph)) == 2 * 256**3
    flat = ap.graph.count(graph, tree="flat")
    assert sum(c.bytes_sent for c in flat) == sum(c.bytes_received for c in flat) > 0
    plan = ap.plan.lu(256, 256, "bgp:4x4", options=ap.Options(algorithm="2d", pivoting="partial"))
    graph = ap.graph.lu(plan)
    del plan
    ap.graph.check(graph)
    assert ap.graph.simulate(graph, "bgp:4x4").seconds > 0
    with pytest.raises(ap.Error, match="without layers"):
        ap.graph.cholesky(10, 2, "2x2x2")
    with pytest.raises(ap.Error, match="dtype"):
        ap.graph.cholesky(10, 2, dtype="i4")


def test_errors_name_the_method_the_task_and_the_cause():
    class Broken(Tree):
        def children(self, task):
            return {}[task.k] if task.k == 2 else super().children(task)

    error = _said(lambda: ap.graph.check(Broken(3)))
    assert "children() of Broken raised KeyError: 2" in str(error) and "test_graph.py:" in str(error)
    assert isinstance(error.__cause__, KeyError) and error.kind == "schedule"

    for what, gives, words in (
        ("owner", "here", "owner() of Strange gave 'here'; expected an integer"),
        ("owner", 8, "expected a rank in 0..7"),
        ("num_parents", -1, "0 or more"),
        ("children", [(0.5,)], "expected an Edge"),
        ("children", [Edge(Task(0, 1), 0, 0, "air")], "data, sum, order or sent"),
        ("children", 7, "not iterable"),
        ("entries", [Task(2**16)], "kind to be an integer in 0..65535"),
        ("entries", [Task(0, 2**31)], "i to be an integer"),
        ("output", (2, -1), "extents of 0 or more"),
        ("work", ("think", 1.0), "one of none, gemm, syrk, trsm, potrf, panel, add, copy, own"),
        ("work", 3.0, "expected Work"),
    ):
        strange = type("Strange", (Tree,), {what: lambda self, *_, gives=gives: gives})
        said = str(_said(_check_and_count, strange(3)))
        assert words in said, (what, gives, said)


def test_classes_that_leave_something_out():
    class Nothing(ap.TaskGraph):
        def owner(self, task):
            return 0

    assert "Nothing: has no method entries()" in str(_said(lambda: Nothing(1)))

    class Unmade(Tree):
        def __init__(self):
            self.levels = 1

    assert "super().__init__(ranks)" in str(_said(lambda: ap.graph.check(Unmade())))
    assert "expected an ap.TaskGraph, got int" in str(_said(lambda: ap.graph.check(7)))
    assert "dtype" in str(_said(lambda: Tree(1, object)))
    assert "flat, chain, prefix, axes, binomial, kary or collectives" in str(
        _said(lambda: ap.graph.count(Tree(1), tree="star"))
    )
    unfinished = type("Bodiless", (Tree,), {})(0)
    assert "define run()" in str(_said(lambda: ap.graph.run(unfinished)))
    assert _said(lambda: ap.graph.run(ap.graph.cholesky(4, 1))).kind == "unsupported"


def test_ctrl_c_ends_what_only_reads(monkeypatch):
    class Pressed(Tree):
        def owner(self, task):
            if task.k == 2:
                raise KeyboardInterrupt
            return super().owner(task)

    with pytest.raises(KeyboardInterrupt):
        ap.graph.check(Pressed(3))


@pytest.mark.parametrize("count", [1, 3, *longer((2,), (5,))])
def test_bodies_in_python_on_several_ranks(ranks, count):
    done = ranks("task_graphs", count)
    assert done.returncode == 0 and f"{count} ranks: " in done.stdout, done.stderr[-3000:]
    assert "leaked" not in done.stderr


@pytest.mark.parametrize("count", [1, 3, *longer((2,), (5,))])
def test_gangs_in_python_on_several_ranks(ranks, count):
    done = ranks("gangs", count)
    assert done.returncode == 0 and f"{count} ranks met" in done.stdout, done.stderr[-3000:]
    assert "leaked" not in done.stderr


def test_blocks_as_a_graph_are_checked_counted_and_simulated():
    graph = ap.graph.blocks((20, 15), (5, 4), 4, work=ap.graph.BlockWork(iterations=3, flops=1e6))
    assert ap.graph.check(graph).tasks == 3 * 16
    owners = ap.graph.block_owners((20, 15), (5, 4), 4)
    assert sorted(owners) == [r for r in range(4) for _ in range(4)]
    counts = ap.graph.count(graph, tree="flat")
    assert sum(c.flops for c in counts) == pytest.approx(3 * 1e6 * 15)
    assert {c.messages_sent for c in counts} == {2 * 4}  # 2 x 2 boxes: two faces of two blocks, after two iterations
    quiet = ap.graph.blocks((20, 15), (5, 4), 4, work=ap.graph.BlockWork(iterations=3, sends=False))
    assert sum(c.messages_sent for c in ap.graph.count(quiet, tree="flat")) == 0
    with pytest.raises(ap.Error, match="noise"):
        ap.graph.blocks((20, 15), (5, 4), 4, work=ap.graph.BlockWork(noise=0.7))
    with pytest.raises(ap.Error, match="owners"):
        ap.graph.blocks((20, 15), (5, 4), 4, owners=[0])


def test_blocks_share_the_memory_of_a_socket():
    text = """
    flops = "6 GF"
    levels = [
      { name = "socket", count = 2, memory_bandwidth = "30 GB/s", cache = "60 MB" },
      { name = "core", count = 6, memory_bandwidth = "12 GB/s" },
    ]
    axes = [{ length = 1, bandwidth = "1 GB/s", latency = 0 }]
    """
    shared = ap.Machine.from_toml(text)
    assert (shared.levels[0].cache, shared.levels[1].memory_bandwidth) == (60_000_000, 12e9)
    assert ap.Machine.from_toml(shared.to_toml()) == shared
    work = ap.graph.BlockWork(bytes=120e6, sends=False)
    rates = [ap.graph.simulate(ap.graph.blocks((t,), (1,), t, work=work), shared).seconds for t in range(1, 13)]
    # The roofline without flops: T threads of one socket get min(12 T, 30) GB/s, those of the other the same.
    assert rates == pytest.approx([0.12e9 * max(1 / 12e9, min(t, 6) / 30e9) for t in range(1, 13)])
    # One process whose six workers are the first socket's cores.
    one = ap.Machine.from_toml('flops = "1 GF"\naxes = [{ length = 1, bandwidth = 1, latency = 0 }]')
    socket = ap.Machine.from_toml(text.replace("count = 2", "count = 1"))
    graph = ap.graph.blocks((8,), (1,), 1, work=work)
    found = ap.graph.simulate(graph, one, model=ap.graph.Model(workers=6, memory=socket))
    assert found.seconds == pytest.approx(6 * 0.12 / 30 + 0.12 / 12)  # six, then two
    assert found.seconds == pytest.approx(
        ap.model.spread_time(1, cores=6, objects=8, grain=0, moved=0.12e9, memory=30e9, core_memory=12e9)
    )


def test_spread_time_has_its_best_inside():
    node = {"cores": 28, "objects": 144, "grain": 0.3, "fork": 2e-6, "loss_each": 0.002, "domain": 14}
    times = {s: ap.model.spread_time(s, **node, loss_across=0.08) for s in (1, 2, 4, 7, 14, 28)}
    assert times[1] == pytest.approx(6 * 0.3)  # 144 objects on 28 cores are six rounds
    assert min(times, key=times.get) == 7
    with pytest.raises(ap.Error, match="spread"):
        ap.model.spread_time(29, **node)
