import json

import allport as ap
import numpy as np
import pytest
from conftest import longer

rng = np.random.default_rng(4)


ON = [(1, "-"), (3, "-"), *longer((2, "-"), (4, "torus:2x2"), (6, "torus:3x2m"))]


@pytest.mark.parametrize(("count", "spec"), ON)
def test_qr(ranks, count, spec):
    done = ranks("qr", count, spec)
    assert done.returncode == 0 and "good" in done.stdout, done.stderr[-3000:]


@pytest.mark.parametrize(("count", "spec", "places"), [(4, "torus:2x2", "3,1,0,2"), *longer((3, "mesh:3", "1,2,0"))])
def test_qr_of_ranks_at_other_places(ranks, count, spec, places):
    done = ranks("qr", count, spec, places)
    assert done.returncode == 0 and "good" in done.stdout, done.stderr[-3000:]


@pytest.fixture
def system(tmp_path):
    a, b = rng.standard_normal((90, 20)), rng.standard_normal((90, 4))
    np.save(tmp_path / "A.npy", a)
    np.save(tmp_path / "B.npy", b)
    np.save(tmp_path / "b.npy", b[:, 0])
    np.save(tmp_path / "wide.npy", a.T)
    return a, b


@pytest.mark.parametrize("where", [["-n", 1], ["-n", 3], ["--machine", "torus:2x2"]])
@pytest.mark.parametrize("name", ["A.npy", "wide.npy"])
def test_a_matrix_in_its_factors_out(allport, system, tmp_path, where, name):
    done = allport("run", "qr", name, "-o", "R.npy", "--q-out", "Q.npy", "--workers", 2, "--nb", 8, *where)
    assert done.returncode == 0, done.stderr
    q, r = np.load(tmp_path / "Q.npy"), np.load(tmp_path / "R.npy")
    np.testing.assert_allclose(q @ r, np.load(tmp_path / name), atol=1e-12)
    np.testing.assert_allclose(q.T @ q, np.eye(20), atol=1e-13)
    for word in ("A = Q R", "chosen:", "predicted", "measured", "tasks", "residual", "R.npy", "Q.npy", "Gflop/s"):
        assert word in done.stdout, done.stdout
    assert "\x1b" not in done.stdout + done.stderr


def test_json_has_plan_report_and_quality(allport, system):
    done = allport("run", "qr", "A.npy", "-o", "R.mtx", "--machine", "torus:2x2", "--json")
    assert done.returncode == 0, done.stderr
    data = json.loads(done.stdout)
    assert set(data) == {"plan", "report", "checked", "residual", "orthogonality", "trace", "output", "seconds"}
    assert data["plan"]["problem"] == {"m": 90, "n": 20, "type": "d"}
    assert data["report"]["tasks"] == data["plan"]["counted"]["tasks"]
    assert 0 < data["residual"] <= 10 and 0 < data["orthogonality"] <= 10 and data["output"]["shape"] == [20, 20]
    unchecked = json.loads(allport("run", "qr", "A.npy", "-o", "R.npy", "-n", 2, "--no-check", "--json").stdout)
    assert unchecked["residual"] is None and unchecked["output"]["q_path"] is None


@pytest.mark.parametrize(("a", "b", "x"), [("A.npy", "B.npy", "X.npy"), ("A.npy", "b.npy", "X.npy")])
def test_a_problem_in_its_solution_out(allport, system, tmp_path, a, b, x):
    done = allport("run", "lstsq", a, b, "-o", x, "-n", 3)
    assert done.returncode == 0, done.stderr
    wanted = np.linalg.lstsq(np.load(tmp_path / a), np.load(tmp_path / b), rcond=None)[0]
    np.testing.assert_allclose(np.load(tmp_path / x), wanted, atol=1e-11)
    for word in ("rank 20", "condition", "||b - A x||"):
        assert word in done.stdout, done.stdout
    data = json.loads(allport("run", "lstsq", a, b, "-o", x, "-n", 2, "--json").stdout)
    assert set(data) == {"plan", "report", "output", "seconds", "trace"} and data["report"]["dependent"] is None
    assert len(data["report"]["residuals"]) == (4 if b == "B.npy" else 1)


def test_the_solution_of_least_norm(allport, system, tmp_path):
    np.save(tmp_path / "B.npy", rng.standard_normal((20, 2)))
    done = allport("run", "lstsq", "wide.npy", "B.npy", "-o", "X.npy", "-n", 3)
    assert done.returncode == 0, done.stderr
    wanted = np.linalg.lstsq(np.load(tmp_path / "wide.npy"), np.load(tmp_path / "B.npy"), rcond=None)[0]
    np.testing.assert_allclose(np.load(tmp_path / "X.npy"), wanted, atol=1e-11)


def test_the_dependent_column_is_named(allport, system, tmp_path):
    a, _ = system
    a[:, 7] = a[:, 2]
    np.save(tmp_path / "A.npy", a)
    done = allport("run", "lstsq", "A.npy", "B.npy", "-o", "X.npy", "-n", 2)
    assert done.returncode == 1 and "column 7" in done.stderr and not (tmp_path / "X.npy").exists(), done.stderr


@pytest.mark.parametrize(
    ("command", "word"),
    [
        (["lstsq", "A.npy", "wide.npy"], "20 rows"),
        (["qr", "A.npy", "--grid", "1x1x2"], "layers"),
        (["qr", "A.npy", "--q-out", "nowhere/Q.npy"], "nowhere"),
        (["qr", "nothing.npy"], "nothing.npy"),
    ],
)
def test_what_is_wrong_is_said_before_ranks_start(allport, system, command, word):
    done = allport("run", *command, "-o", "F.npy", "-n", 2)
    assert done.returncode == 1 and word in done.stderr, done.stderr


def test_plans_are_shown(allport):
    done = allport("plan", "qr", "--shape", "30000x300", "--machine", "torus:4x4")
    assert done.returncode == 0 and "chosen:" in done.stdout and "tasks" in done.stdout, done.stderr
    data = json.loads(allport("plan", "qr", "--shape", "30000x300", "-m", "torus:4x4", "--json").stdout)
    plan = ap.plan.qr(30000, 300, "torus:4x4")
    assert data == plan.to_dict() and plan.shape == (30000, 300)
    assert plan.predicted == min(c["seconds"]["total"] for c in data["candidates"])
    assert plan.grid[0] > plan.grid[1]  # tall and skinny
    with pytest.raises(ap.Error, match="memory"):
        ap.plan.qr(30000, 300, "torus:4x4", options=ap.Options(memory="1MiB"))
