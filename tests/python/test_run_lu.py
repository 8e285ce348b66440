import json
import os
import subprocess
import sys

import allport as ap
import numpy as np
import pytest
from conftest import longer

rng = np.random.default_rng(3)


@pytest.fixture
def a(tmp_path):
    whole = rng.standard_normal((45, 45))
    np.save(tmp_path / "A.npy", whole)
    return whole


def left_behind(folder):
    return sorted(p.name for p in folder.iterdir() if p.name not in ("A.npy", "A.mtx", "A.h5"))


def product(path):
    """(P A, L U) of a file, as a function of A."""
    with np.load(path) as file:
        factors, pivots = file["factors"], file["pivots"]
    k = min(factors.shape)
    lower = np.tril(factors[:, :k], -1)
    lower[np.arange(k), np.arange(k)] = 1
    order = np.arange(factors.shape[0])
    for i, other in enumerate(pivots):
        order[[i, other]] = order[[other, i]]
    return order, lower @ np.triu(factors[:k])


def is_factored(path, a):
    order, lu = product(path)
    np.testing.assert_allclose(lu, a[order], rtol=0, atol=60 * len(a) * np.finfo(lu.dtype).eps * np.abs(a).max())


@pytest.mark.parametrize(
    "where", [["-n", 1], ["-n", 3], ["--machine", "torus:2x2"], *longer((["-n", 2],), (["--machine", "torus:3x2m"],))]
)
@pytest.mark.parametrize("pivot", ["tournament", "partial"])
def test_a_file_in_its_factors_out(allport, a, tmp_path, where, pivot):
    done = allport("run", "lu", "A.npy", "-o", "F.npz", "--pivoting", pivot, "--panel", 8, *where)
    assert done.returncode == 0, done.stderr
    is_factored(tmp_path / "F.npz", a)
    assert left_behind(tmp_path) == ["F.npz"]
    for word in (
        "chosen:",
        f"{pivot} pivoting",
        "planned: True",
        "INFO 0",
        "growth",
        "residual",
        "F.npz",
        "lower bounds",
    ):
        assert word in done.stdout, done.stdout
    assert "\x1b" not in done.stdout + done.stderr  # no colours and no progress bars in a pipe


def test_json_has_plan_report_and_residual(allport, a, tmp_path):
    done = allport("run", "lu", "A.npy", "-o", "F.npz", "--machine", "torus:2x2", "--json")
    assert done.returncode == 0, done.stderr
    data = json.loads(done.stdout)
    assert set(data) == {"plan", "report", "checked", "residual", "output", "seconds"}
    assert data["output"] == {"path": "F.npz", "shape": [45, 45], "dtype": "float64"}
    assert data["report"]["as_planned"] and data["report"]["predicted"] == data["report"]["measured"]
    assert data["report"]["info"] == 0 and data["report"]["growth"] > 0 and data["checked"]
    assert 0 < data["residual"] <= 1
    assert data["plan"]["problem"] == {"m": 45, "n": 45, "type": "d", "pivoting": "tournament"}
    assert set(data["seconds"]) == {"load", "lu", "check", "save"}
    unchecked = allport("run", "lu", "A.npy", "-o", "F.npz", "-n", 2, "--no-check", "--json")
    data = json.loads(unchecked.stdout)
    assert data["residual"] is None and not data["checked"]


@pytest.mark.parametrize("shape", [(30, 12), (12, 30), (1, 1), (1, 9), (9, 1)])
def test_any_shape(allport, tmp_path, shape):
    a = rng.standard_normal(shape)
    np.save(tmp_path / "A.npy", a)
    done = allport("run", "lu", "A.npy", "-o", "F.npz", "-n", 3, "--panel", 4)
    assert done.returncode == 0, done.stderr
    is_factored(tmp_path / "F.npz", a)


@pytest.mark.parametrize("dtype", ["f4", "c8", "c16", "i2", "?"])
def test_types_of_files(allport, tmp_path, dtype):
    a = (rng.integers(0, 2, (12, 12)) + 7 * np.eye(12)).astype(dtype)
    np.save(tmp_path / "A.npy", np.asfortranarray(a))
    done = allport("run", "lu", "A.npy", "-o", "F.npz", "-n", 2, "--json")
    assert done.returncode == 0, done.stderr
    wide = {"f4": "f4", "c8": "c8", "c16": "c16"}.get(dtype, "f8")
    with np.load(tmp_path / "F.npz") as file:
        assert file["factors"].dtype == np.dtype(wide)
    if dtype != "?":  # all ones: singular
        is_factored(tmp_path / "F.npz", a.astype(wide))


def test_singular_and_not_a_number(allport, tmp_path):
    np.save(tmp_path / "A.npy", np.diag([1.0, 2.0, 0.0, 4.0]))
    done = allport("run", "lu", "A.npy", "-o", "F.npz", "-n", 2)
    assert done.returncode == 0 and "INFO 3: U(3, 3)" in done.stdout, done.stdout + done.stderr
    with np.load(tmp_path / "F.npz") as file:
        assert file["info"] == 3
    a = rng.standard_normal((9, 9))
    a[4, 4] = np.nan
    np.save(tmp_path / "A.npy", a)
    done = allport("run", "lu", "A.npy", "-o", "F.npz", "-n", 2)
    assert done.returncode == 1 and "'A.npy': element [4, 4], counted from 0, is nan" in done.stderr, done.stderr


def test_growth_is_told_and_mended(allport, tmp_path):
    a = rng.standard_normal((40, 40))
    a[0, 0] = 1e-9
    np.save(tmp_path / "A.npy", a)
    arguments = ["run", "lu", "A.npy", "-o", "F.npz", "-n", 2, "--pivoting", "none", "--growth-bound", 1e4, "--json"]
    told = allport(*arguments)
    assert told.returncode == 0 and json.loads(told.stdout)["report"]["growth"] > 1e4
    assert told.stderr.startswith("allport: warning: ") and "growth" in told.stderr
    mended = allport(*arguments, "--fall-back")
    data = json.loads(mended.stdout)
    assert mended.returncode == 0 and data["report"]["growth"] < 100 and data["residual"] <= 1
    assert data["report"]["pivoting"] == "partial" and data["plan"]["problem"]["pivoting"] == "none"


def test_factors_are_read_again(allport, a, tmp_path):
    assert allport("run", "lu", "A.npy", "-o", "F.npz", "-n", 3).returncode == 0
    code = (
        "import allport as ap, numpy as np; f = ap.linalg.LU.load('F.npz'); b = np.ones(45); "
        "x = f.solve(b); print(np.abs(np.load('A.npy') @ x - b).max() < 1e-10)"
    )
    done = subprocess.run(
        [*ap.run.launch.mpiexec_command(2), sys.executable, "-c", code],
        cwd=tmp_path,
        env={**os.environ, **ap.run.launch.environment(2)},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0 and done.stdout.count("True") == 2, done.stderr


class TestBadInput:
    """One line that names the trouble, a non-zero exit, and no output file."""

    def test_files(self, refuses, a, tmp_path):
        refuses("lu", "none.npy", "-o", "F.npz", "-n", 2, words=["A 'none.npy'", "no such file"])
        refuses("lu", "A", "-o", "F.npz", "-n", 2, words=["A 'A'", ".npy"])
        refuses("lu", "A.npy", "-o", "F", "-n", 2, words=["output 'F'", ".npz"])
        refuses("lu", "A.npy", "-o", "F.npy", "-n", 2, words=[".npz"])
        refuses("lu", "A.npy", "-o", "no/folder/F.npz", "-n", 2, words=["folder 'no/folder'"])
        (tmp_path / "F.npz").mkdir()
        refuses("lu", "A.npy", "-o", "F.npz", "-n", 2, words=["output 'F.npz'", "is a folder"])
        refuses("lu", "A.npy", "-n", 2, words=["output"], code=2)
        np.save(tmp_path / "A.npy", np.zeros((2, 2, 2)))
        refuses("lu", "A.npy", "-o", "F.npz", "-n", 2, words=["A.npy", "3"])

    def test_a_truncated_file(self, refuses, a, tmp_path):
        whole = (tmp_path / "A.npy").read_bytes()
        (tmp_path / "A.npy").write_bytes(whole[:-100])
        refuses("lu", "A.npy", "-o", "F.npz", "-n", 2, words=["A.npy", str(len(whole))])

    def test_options(self, refuses, a):
        files = ("A.npy", "-o", "F.npz", "-n", 2)
        refuses("lu", *files, "--pivoting", "rook", words=["rook", "tournament"])
        refuses("lu", *files, "--algorithm", "magic", words=["magic", "2.5d"])
        refuses("lu", *files, "--grid", "3x1x1", words=["grid"])
        refuses("lu", *files, "--memory", "1KiB", words=["1024"])
        refuses("lu", *files, "--tree", "shouting", words=["--tree", "shouting"])
        refuses("lu", *files, "--growth-bound", "-2", words=["--growth-bound = -2"])
        refuses("lu", *files, "--growth-bound", "nan", words=["--growth-bound = nan"])
        refuses("lu", *files, "--fall-back", words=["--fall-back", "--growth-bound"])
        refuses("lu", *files, "--panel", "8", "--outer-panel", "12", words=["--outer-panel = 12", "panel = 8"])
        refuses("lu", *files, "--panel", "-8", words=["panel"], code=2)
