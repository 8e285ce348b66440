"""allport graph, and allport simulate of task graphs: what they print, draw and refuse."""

import json

import allport as ap
import numpy as np
import pytest


def test_song09s_graph_is_drawn(allport, golden, tmp_path):
    path = tmp_path / "dag.svg"
    done = allport(*f"graph show cholesky --tiles 4 --lower --grid 2x2 -o {path}".split())
    assert done.returncode == 0, done.stderr
    assert "20 tasks on 4 ranks, 30 edges, 10 tasks on the longest path" in done.stdout
    text = path.read_text()
    assert text.count('class="task"') == 20 and text.count('class="edge"') == 30 and ">G(3, 2, 1)<" in text
    done = allport(*"graph show cholesky --tiles 4 --lower --json".split())
    golden("graph-show", done.stdout)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("check cholesky --shape 1000 --nb 128 --grid 3x2", "holds together: 120 tasks on 6 ranks"),
        (
            "check lu --shape 256 -m bgp:4x4 -a 2d --pivoting partial --panel 32 --grid 4x4",
            "lu by 2d, 256 x 256, on a 4x4x1 grid",
        ),
        ("check gemm --shape 64x32x48 -m bgp:2x2x2", "64 x 32 x 48"),
        ("check cholesky --tiles 40 --exhaustive 100", "along random paths"),
        ("check qr --shape 90x70 --nb 8 --grid 3x2", "qr of 90 x 70 in tiles of 8"),
        ("check cholesky-solve --shape 90x7 --nb 8", "cholesky-solve of 90 x 7"),
        ("check lu-solve --shape 90x7 --nb 8 -m torus:2x3 -a sums", "lu-solve by sums, 90 x 7 in blocks of 8"),
        ("check lu-solve --shape 90x70 --nb 8 -m torus:2x3 -a panels", "lu-solve by panels, 90 x 70"),
    ],
)
def test_graphs_are_checked(allport, words, expected):
    done = allport("graph", *words.split())
    assert done.returncode == 0 and expected in done.stdout, done.stdout + done.stderr


def test_counts(allport, golden):
    done = allport(*"graph count cholesky --tiles 4 --lower --nb 10 --grid 2x2 --tree flat --json".split())
    golden("graph-count", done.stdout)
    done = allport(*"graph count lu --shape 256 -m bgp:6x6 -a 2d --grid 6x6".split())
    lines = done.stdout.splitlines()
    assert done.returncode == 0 and len(lines) == 2 + 24 + 2, done.stderr
    assert lines[-1] == "the 24 ranks that send and receive most, of 36" and lines[-2].startswith(" all")
    empty = json.loads(allport(*"graph count cholesky --shape 0 --json".split()).stdout)
    assert empty["sum"]["tasks"] == 0 and len(empty["ranks"]) == 1


def test_a_graph_is_simulated(allport, golden, tmp_path):
    done = allport(*"simulate cholesky --shape 512 --lower --nb 64 --grid 2x2 -m bgp:2x2 --json --late".split())
    golden("simulate-cholesky", done.stdout)
    data = json.loads(done.stdout)
    assert data["flops"] == 512**3 / 3
    assert data["compute"] + data["communicate"] + data["idle"] == pytest.approx(1)
    assert data["late"][-1]["end"] == data["seconds"] and data["late"][-1]["name"] == "P(7)"
    trace, chart = tmp_path / "t.json", tmp_path / "g.svg"
    done = allport(*f"simulate cholesky --shape 512 --nb 64 -m bgp:2x2 --late --trace {trace} --gantt {chart}".split())
    assert done.returncode == 0, done.stderr
    for words in ("120 tasks", "Gflop/s", "compute", "of 4 ranks", "longest path: 22 tasks", "P(7) on rank", "trace: "):
        assert words in done.stdout, done.stdout
    events = json.loads(trace.read_text())["traceEvents"]
    slices = [e for e in events if e["ph"] == "X"]
    assert sum(e["cat"] != "message" and e["tid"] < 1000 for e in slices) == 120
    assert sum(e["tid"] >= 1000 for e in slices) == data["messages"]
    assert {e["args"]["name"] for e in events if e["name"] == "process_name"} == {f"rank {r}" for r in range(4)}
    assert max(e["ts"] + e["dur"] for e in slices) == pytest.approx(1e6 * data["seconds"])
    assert "critical path" in chart.read_text() and "potrf" in chart.read_text()


def test_a_run_is_traced_as_a_simulation_is(allport, tmp_path):
    rng = np.random.default_rng(3)
    a = rng.standard_normal((90, 90))
    np.save(tmp_path / "a.npy", a @ a.T + 90 * np.eye(90))
    done = allport(*"run cholesky a.npy -o l.npy --grid 2x1 --nb 16 -m torus:2 --trace run.json".split())
    assert done.returncode == 0 and "trace: run.json" in done.stdout, done.stdout + done.stderr
    events = json.loads((tmp_path / "run.json").read_text())["traceEvents"]
    graph = ap.graph.cholesky(90, 16, "2x1")
    names = [e["name"] for e in events if e["ph"] == "X" and e["tid"] < 1000]
    assert len(names) == len(set(names)) == ap.graph.check(graph).tasks == 56
    assert {"P(0)", "T(5, 4)", "G(5, 5, 4)"} < set(names)
    sent = [e for e in events if e["ph"] == "X" and e["tid"] >= 1000]
    assert len(sent) == sum(c.messages_sent for c in ap.graph.count(graph)) and all(e["dur"] >= 0 for e in sent)
    assert {(e["pid"], e["args"]["to"]) for e in sent} == {(0, 1), (1, 0)}
    done = allport(*"run qr a.npy -o r.npy --grid 2x1 --nb 16 -m torus:2 --trace qr.json --no-check".split())
    assert done.returncode == 0 and "trace: qr.json" in done.stdout, done.stdout + done.stderr
    events = json.loads((tmp_path / "qr.json").read_text())["traceEvents"]
    graph = ap.graph.qr(90, 90, 16, "2x1")
    assert sum(e["ph"] == "X" and e["tid"] < 1000 for e in events) == ap.graph.check(graph).tasks
    assert {"geqrt", "tpqrt", "gemqrt", "tpmqrt"} <= {e["cat"] for e in events if e["ph"] == "X"}
    np.save(tmp_path / "b.npy", np.ones(90))
    done = allport(*"run lstsq a.npy b.npy -o x.npy --grid 2x1 --nb 16 -m torus:2 --trace least.json".split())
    assert done.returncode == 0 and "trace: least.json" in done.stdout, done.stdout + done.stderr
    events = json.loads((tmp_path / "least.json").read_text())["traceEvents"]
    assert sum(e["ph"] == "X" and e["tid"] < 1000 for e in events) == ap.graph.check(graph).tasks
    done = allport(*"run lstsq a.npy b.npy -o x.npy -m torus:2 --trace no/run.json".split())
    assert done.returncode == 1 and "folder 'no'" in done.stderr
    done = allport(*"run cholesky a.npy -o l.npy -m torus:2 --trace no/run.json".split())
    assert done.returncode == 1 and "folder 'no'" in done.stderr


def test_a_factorization_tells_how_far_it_is():
    rng = np.random.default_rng(5)
    a = rng.standard_normal((640, 600))
    comm = ap.Communicator()
    for run in (
        lambda tell: ap.cholesky(a.T @ a + 600 * np.eye(600), comm=comm, options=ap.Options(nb=8, progress=tell)),
        lambda tell: ap.qr(a, comm=comm, options=ap.Options(nb=16, progress=tell)),
        lambda tell: ap.lstsq(a, np.ones(640), comm=comm, options=ap.Options(nb=16, progress=tell)),
    ):
        seen = []
        run(lambda done, total, seen=seen: seen.append((done, total)))
        assert len({total for _, total in seen}) == 1 and all(0 <= done <= total for done, total in seen)
        assert [done for done, _ in seen] == sorted(done for done, _ in seen)
    with pytest.raises(ZeroDivisionError):
        ap.qr(a, comm=comm, options=ap.Options(nb=16, progress=lambda done, total: 1 / 0))


@pytest.mark.parametrize(
    "words",
    [
        "gemm --shape 512 -m bgp:4x4 -a summa --dtype complex64",
        "lu --shape 512 -m bgp:4x4 --workers 2",
        "qr --shape 512x128 --nb 32 -m bgp:2x2x2 --tree chain",
        "cholesky-solve --shape 512x16 --nb 64 -m bgp:8/ppn=2 --segment 8KiB",
        "lu-solve --shape 512x16 --nb 64 -m bgp:4x4",
    ],
)
def test_every_graph_is_simulated(allport, words):
    done = allport("simulate", *words.split())
    assert done.returncode == 0 and "flop/s" in done.stdout, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("graph show star --tiles 4", "expected cholesky, cholesky-solve, qr, gemm, lu or lu-solve"),
        ("graph check lu-solve --shape 90x7 -m torus:2x2 -a both", "--algorithm = 'both': expected sums or panels"),
        ("graph check lu-solve --shape 90x0 -m torus:2x2", "0 right-hand sides: expected 1 or more"),
        ("graph check lu-solve --shape 90x1025 -m torus:2x2 -a sums", "at most 1024 by sums"),
        ("graph show cholesky", "expected one of --shape and --tiles, got none"),
        ("graph show cholesky --shape 4 --tiles 4", "got both"),
        ("graph show cholesky --tiles 40 -o a.svg", "at most 400 tasks to draw"),
        ("graph show cholesky --tiles 4 -o a.png", "ends in .svg"),
        ("graph show cholesky --tiles 4 -o no/a.svg", "folder 'no'"),
        ("graph show cholesky --shape 4x4", "expected 1 extents"),
        ("graph count qr --shape 64 -a summa", "expected none for qr"),
        ("graph count cholesky --tiles 4 --tree star", "flat, chain, prefix, axes, binomial, kary or collectives"),
        ("simulate cholesky --shape 64 -m bgp:2x2 --view v.html", "--view: is for collectives"),
        ("simulate cholesky --shape 64 -m bgp:2x2 --grid 3x3", "9"),
        ("simulate bcast -m torus:4 --shape 64", "--shape: is for task graphs"),
        ("simulate bcast -m torus:4 --gantt g.svg", "--gantt: is for task graphs"),
        ("simulate cholesky --shape 64 -m bgp:2x2 --workers 0", "workers"),
        ("simulate bcast -m torus:4 --sample 2", "--sample: is for task graphs"),
        ("simulate bcast -m torus:4 --steps 1:2", "--steps: is for task graphs"),
        ("simulate lu --shape 512 -m bgp:2x2 --steps 5", "--steps 5: expected FIRST:END"),
        ("simulate lu --shape 512 -m bgp:2x2 --steps 5:900", "a step behind 5"),
        ("simulate lu --shape 512 -m bgp:2x2 --sample 2 --late", "--sample 2: expected none with --late"),
    ],
)
def test_what_is_refused(allport, words, expected):
    done = allport(*words.split())
    assert done.returncode == 1 and expected in done.stderr, done.stdout + done.stderr


LU = "simulate lu --shape 4096 -m bgp:2x2 --grid 2x2x1 --panel 16 -a 2d"


def test_a_sample_of_steps_says_that_it_is_one(allport):
    whole = json.loads(allport(*f"{LU} --json".split()).stdout)
    done = allport(*f"{LU} --sample 2".split()).stdout
    assert "from a sample: 90 of 256 steps were simulated" in " ".join(done.split())
    found = json.loads(allport(*f"{LU} --sample 2 --json".split()).stdout)
    assert (whole["steps"], whole["simulated_steps"], found["simulated_steps"]) == (256, 256, 90)
    assert found["seconds"] == pytest.approx(whole["seconds"], rel=0.05)
    assert found["compute"] == pytest.approx(whole["compute"], rel=0.06)


def test_some_steps_alone_have_a_critical_path(allport):
    done = allport(*f"{LU} --steps 99:108 --late".split()).stdout
    assert "9 of 256 steps alone, as if all before were done" in " ".join(done.split())
    assert "panel 107" in done and "panel 98" not in done and "Gflop/s" not in done


def test_ranks_that_take_one_step_after_the_other_are_slower():
    plan = ap.plan.lu(
        2048, 2048, "bgp:4x4", options=ap.Options(algorithm="2d", grid="4x4x1", panel=32, pivoting="partial")
    )
    graph = ap.graph.lu(plan)
    ahead, stepwise = (ap.graph.simulate(graph, "bgp:4x4", model=ap.graph.Model(in_steps=s)) for s in (False, True))
    assert stepwise.tasks == ahead.tasks
    assert stepwise.seconds > 1.05 * ahead.seconds


def test_more_than_can_be_recorded_has_no_critical_path():
    graph = ap.graph.cholesky(1000, 100, "2x2")
    run = ap.graph.simulate(graph, "bgp:2x2", model=ap.graph.Model(trace_limit=100), trace=True)
    assert run.truncated and run.critical_path == [] and len(run.timeline) == 100
    whole = ap.graph.simulate(graph, "bgp:2x2", trace=True)
    assert not whole.truncated and whole.seconds == run.seconds and whole.critical_path
    with pytest.raises(ap.Error, match="nothing was recorded"):
        ap.report.gantt.chart(ap.graph.simulate(graph, "bgp:2x2").timeline)
