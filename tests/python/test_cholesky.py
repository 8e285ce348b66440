import json

import allport as ap
import numpy as np
import pytest
from conftest import longer

rng = np.random.default_rng(4)


ON = [(1, "-"), (3, "-"), *longer((2, "-"), (4, "torus:2x2"), (6, "torus:3x2m"))]


@pytest.mark.parametrize(("count", "spec"), ON)
def test_cholesky(ranks, count, spec):
    done = ranks("cholesky", count, spec)
    assert done.returncode == 0 and "good" in done.stdout, done.stderr[-3000:]


@pytest.mark.parametrize(("count", "spec", "places"), [(4, "torus:2x2", "3,1,0,2"), *longer((3, "mesh:3", "1,2,0"))])
def test_cholesky_of_ranks_at_other_places(ranks, count, spec, places):
    done = ranks("cholesky", count, spec, places)
    assert done.returncode == 0 and "good" in done.stdout, done.stderr[-3000:]


@pytest.fixture
def system(tmp_path):
    x = rng.standard_normal((70, 70))
    a, b = x @ x.T + np.eye(70), rng.standard_normal((70, 4))
    np.save(tmp_path / "A.npy", a)
    np.save(tmp_path / "B.npy", b)
    return a, b


@pytest.mark.parametrize("where", [["-n", 1], ["-n", 3], ["--machine", "torus:2x2"]])
@pytest.mark.parametrize("lower", [True, False])
def test_a_matrix_in_its_factor_out(allport, system, tmp_path, where, lower):
    a, _ = system
    done = allport("run", "cholesky", "A.npy", "-o", "F.npy", *(["--lower"] if lower else []), "--workers", 2, *where)
    assert done.returncode == 0, done.stderr
    wanted = np.linalg.cholesky(a)
    np.testing.assert_allclose(np.load(tmp_path / "F.npy"), wanted if lower else wanted.T, atol=1e-11)
    for word in ("chosen:", "predicted", "measured", "tasks", "INFO 0", "residual", "F.npy", "Gflop/s"):
        assert word in done.stdout, done.stdout
    assert "\x1b" not in done.stdout + done.stderr


def test_json_has_plan_report_and_residual(allport, system, tmp_path):
    done = allport("run", "cholesky", "A.npy", "-o", "L.mtx", "--machine", "torus:2x2", "--json")
    assert done.returncode == 0, done.stderr
    data = json.loads(done.stdout)
    assert set(data) == {"plan", "report", "checked", "residual", "trace", "output", "seconds"}
    assert data["plan"]["problem"] == {"n": 70, "type": "d", "uplo": "U"}
    assert data["report"]["tasks"] == data["plan"]["counted"]["tasks"] and data["report"]["info"] == 0
    assert 0 < data["residual"] <= 1 and data["output"]["shape"] == [70, 70]
    unchecked = allport("run", "cholesky", "A.npy", "-o", "L.npy", "-n", 2, "--no-check", "--json")
    assert json.loads(unchecked.stdout)["residual"] is None


def test_a_system_in_its_solution_out(allport, system, tmp_path):
    a, b = system
    np.save(tmp_path / "A.npy", np.triu(a) - 5 * np.tri(70, k=-1))  # the other triangle is not looked at
    done = allport("run", "solve", "A.npy", "B.npy", "-o", "X.npy", "-n", 3, "--assume-a", "pos")
    assert done.returncode == 0, done.stderr
    np.testing.assert_allclose(np.load(tmp_path / "X.npy"), np.linalg.solve(a, b), rtol=1e-7, atol=1e-8)
    assert "time of solve" in done.stdout and "residual" in done.stdout
    done = allport("run", "solve", "A.npy", "B.npy", "-o", "X.npy", "-n", 2, "--assume-a", "pos", "--json")
    data = json.loads(done.stdout)
    assert data["residual"] <= 10 and data["solve"]["sweeps"] == 1 and data["report"]["info"] == 0


@pytest.mark.parametrize("command", [["cholesky", "A.npy"], ["solve", "A.npy", "B.npy", "--assume-a", "pos"]])
def test_the_leading_minor_is_named(allport, system, tmp_path, command):
    a, _ = system
    a[6, 6] = -1
    np.save(tmp_path / "A.npy", a)
    done = allport("run", *command, "-o", "F.npy", "-n", 2)
    assert done.returncode == 1 and "minor of order 7" in done.stderr and not (tmp_path / "F.npy").exists()


@pytest.mark.parametrize(
    ("command", "word"),
    [
        (["cholesky", "B.npy"], "70 x 4"),
        (["cholesky", "A.npy", "--grid", "2x2x2"], "layers"),
        (["solve", "A.npy", "B.npy", "--assume-a", "pos", "--refine"], "refine"),
        (["solve", "A.npy", "B.npy", "--assume-a", "pos", "--pivoting", "none"], "--pivoting"),
        (["solve", "A.npy", "B.npy", "--assume-a", "maybe"], "assume"),
        (["solve", "A.npy", "B.npy", "--workers", 2], "workers"),
    ],
)
def test_what_is_wrong_is_said_before_ranks_start(allport, system, command, word):
    done = allport("run", *command, "-o", "F.npy", "-n", 2)
    assert done.returncode == 1 and word in done.stderr, done.stderr


def test_plans_are_shown(allport):
    done = allport("plan", "cholesky", "--shape", "3000", "--machine", "torus:4x4")
    assert done.returncode == 0 and "chosen:" in done.stdout and "tasks" in done.stdout, done.stderr
    data = json.loads(allport("plan", "cholesky", "--shape", "3000x3000", "-m", "torus:4x4", "--json").stdout)
    plan = ap.plan.cholesky(3000, "torus:4x4")
    assert data == plan.to_dict()
    assert plan.predicted == min(c["seconds"]["total"] for c in data["candidates"])
    assert data["counted"]["flops"] == 3000 * 3001 * 6001 / 6
    assert allport("plan", "cholesky", "--shape", "3000x2000", "-m", "torus:4x4").returncode == 1


def test_single_precision_and_complex_have_their_price():
    seconds = {
        t: ap.plan.cholesky(8000, "bgp:4x4", dtype=t, options=ap.Options(grid="4x4", nb=256)).predicted
        for t in ("f4", "f8", "c16")
    }
    assert seconds["f4"] < seconds["f8"] < seconds["c16"]
