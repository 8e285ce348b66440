import json
import os
import subprocess
import sys

import allport as ap
import numpy as np
import pytest
from conftest import longer

rng = np.random.default_rng(4)


@pytest.fixture
def system(tmp_path):
    a, b = rng.standard_normal((45, 45)) + 3 * np.eye(45), rng.standard_normal((45, 4))
    np.save(tmp_path / "A.npy", a)
    np.save(tmp_path / "B.npy", b)
    return a, b


def left_behind(folder):
    return sorted(p.name for p in folder.iterdir() if p.name not in ("A.npy", "B.npy", "A.mtx"))


@pytest.mark.parametrize(
    "where", [["-n", 1], ["-n", 3], ["--machine", "torus:2x2"], *longer((["-n", 2],), (["--machine", "torus:3x2m"],))]
)
def test_a_system_in_its_solution_out(allport, system, tmp_path, where):
    a, b = system
    done = allport("run", "solve", "A.npy", "B.npy", "-o", "X.npy", *where)
    assert done.returncode == 0, done.stderr
    np.testing.assert_allclose(np.load(tmp_path / "X.npy"), np.linalg.solve(a, b), rtol=1e-9, atol=1e-10)
    assert left_behind(tmp_path) == ["X.npy"]
    for word in ("chosen:", "predicted", "measured", "planned: True", "INFO 0", "growth", "residual", "X.npy"):
        assert word in done.stdout, done.stdout
    assert "\x1b" not in done.stdout + done.stderr  # no colours and no progress bars in a pipe


def test_json_has_plan_report_and_residual(allport, system, tmp_path):
    done = allport("run", "solve", "A.npy", "B.npy", "-o", "X.npy", "--machine", "torus:2x2", "--json")
    assert done.returncode == 0, done.stderr
    data = json.loads(done.stdout)
    assert set(data) == {"plan", "report", "refinement", "residual", "output", "seconds"}
    assert data["output"] == {"path": "X.npy", "shape": [45, 4], "dtype": "float64"}
    assert data["report"]["as_planned"] and data["report"]["info"] == 0 and data["refinement"] is None
    assert 0 < data["residual"] <= 10
    assert data["plan"]["problem"] == {"m": 45, "n": 45, "type": "d", "pivoting": "tournament"}


@pytest.mark.parametrize("trans", ["N", "T", "C"])
@pytest.mark.parametrize("extra", [[], ["--refine"]])
def test_transposed_and_refined(allport, tmp_path, trans, extra):
    a = rng.standard_normal((30, 30)) + 1j * rng.standard_normal((30, 30)) + 8 * np.eye(30)
    b = rng.standard_normal((30, 2))
    np.save(tmp_path / "A.npy", a)
    np.save(tmp_path / "B.npy", b)
    done = allport("run", "solve", "A.npy", "B.npy", "-o", "X.npy", "-n", 3, "--trans", trans, *extra)
    assert done.returncode == 0, done.stderr
    op = {"N": a, "T": a.T, "C": a.conj().T}[trans]
    np.testing.assert_allclose(np.load(tmp_path / "X.npy"), np.linalg.solve(op, b), rtol=1e-10, atol=1e-11)
    assert ("half the precision" in done.stdout) == bool(extra), done.stdout


def test_a_vector_stays_a_vector(allport, system, tmp_path):
    a, b = system
    np.save(tmp_path / "b.npy", b[:, 0])
    done = allport("run", "solve", "A.npy", "b.npy", "-o", "x.npy", "-n", 2, "--json")
    assert done.returncode == 0, done.stderr
    x = np.load(tmp_path / "x.npy")
    assert x.shape == (45,) and json.loads(done.stdout)["output"]["shape"] == [45]
    np.testing.assert_allclose(x, np.linalg.solve(a, b[:, 0]), rtol=1e-9, atol=1e-10)
    assert left_behind(tmp_path) == ["b.npy", "x.npy"]


@pytest.mark.parametrize("dtypes", [("f4", "f4"), ("f4", "f8"), ("c8", "f4"), ("f8", "c8"), ("i4", "i4"), ("c16", "?")])
def test_types_of_files(allport, tmp_path, dtypes):
    a = (rng.integers(0, 3, (12, 12)) + 20 * np.eye(12)).astype(dtypes[0])
    b = rng.integers(0, 2, (12, 3)).astype(dtypes[1])
    np.save(tmp_path / "A.npy", a)
    np.save(tmp_path / "B.npy", np.asfortranarray(b))
    done = allport("run", "solve", "A.npy", "B.npy", "-o", "X.npy", "-n", 2)
    assert done.returncode == 0, done.stderr
    x = np.load(tmp_path / "X.npy")
    wide = {("f4", "f4"): "f4", ("c8", "f4"): "c8", ("f8", "c8"): "c16", ("c16", "?"): "c16"}.get(dtypes, "f8")
    assert x.dtype == np.dtype(wide)
    np.testing.assert_allclose(a.astype("c16") @ x, b, rtol=0, atol=2000 * np.finfo(wide).eps)


def test_matrix_market_and_hdf5(allport, tmp_path):
    h5py = pytest.importorskip("h5py")
    a, b = rng.standard_normal((19, 19)) + 5 * np.eye(19), rng.standard_normal((19, 2))
    lines = "\n".join(repr(float(v)) for v in a.T.ravel())
    (tmp_path / "A.mtx").write_text(f"%%MatrixMarket matrix array real general\n19 19\n{lines}\n")
    with h5py.File(tmp_path / "in.h5", "w") as f:
        f["b"] = b
    done = allport("run", "solve", "A.mtx", "in.h5:b", "-o", "in.h5:x", "-n", 3)
    assert done.returncode == 0, done.stderr
    with h5py.File(tmp_path / "in.h5") as f:
        np.testing.assert_allclose(f["x"][...], np.linalg.solve(a, b), rtol=1e-10, atol=1e-11)


def test_nothing_to_solve(allport, tmp_path):
    np.save(tmp_path / "A.npy", np.eye(5))
    np.save(tmp_path / "B.npy", np.zeros((5, 0)))
    done = allport("run", "solve", "A.npy", "B.npy", "-o", "X.npy", "-n", 2)
    assert done.returncode == 0, done.stderr
    assert np.load(tmp_path / "X.npy").shape == (5, 0)


def test_it_joins_when_mpiexec_has_started_it(system, tmp_path):
    words = ["run", "solve", "A.npy", "B.npy", "-o", "X.npy", "--json"]
    command = [*ap.run.launch.mpiexec_command(4), sys.executable, "-m", "allport", *words]
    env = {**os.environ, **ap.run.launch.environment(4), "ALLPORT_MACHINE": "torus:2x2"}
    done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["plan"]["machine"] == "torus:2x2"
    np.testing.assert_allclose(np.load(tmp_path / "X.npy"), np.linalg.solve(*system), rtol=1e-9, atol=1e-10)


class TestBadInput:
    """One line that names the trouble, a non-zero exit, and no output file."""

    @pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
    def test_what_is_not_a_number(self, refuses, system, tmp_path, value):
        b = system[1]
        b[3, 1] = value
        np.save(tmp_path / "B.npy", b)
        words = ["'B.npy': element [3, 1], counted from 0,", str(value), "numpy.isfinite"]
        refuses("solve", "A.npy", "B.npy", "-o", "X.npy", "-n", 2, words=words, env={})

    def test_what_is_not_a_number_in_the_triangle_that_is_read(self, refuses, allport, tmp_path):
        a = np.where(np.tri(6, k=0), np.eye(6) * 4, np.nan)
        np.save(tmp_path / "A.npy", a)
        np.save(tmp_path / "B.npy", np.ones((6, 1)))
        words = ["solve", "A.npy", "B.npy", "-o", "X.npy", "-n", 2, "--assume-a", "pos"]
        refuses(*words, words=["'A.npy': element [0, 1]", "nan"], env={})
        assert allport("run", *words, "--lower").returncode == 0
        assert np.load(tmp_path / "X.npy").tolist() == [[0.25]] * 6

    @pytest.mark.parametrize("extra", [[], ["--refine"], ["--pivoting", "partial"], ["--trans", "T"]])
    def test_a_singular_matrix(self, refuses, system, tmp_path, extra):
        a = np.diag(np.arange(45.0)[::-1] - 30)  # the zero is at 14
        np.save(tmp_path / "A.npy", a)
        words = ["singular", "U[14, 14]", "INFO = 15"]
        refuses("solve", "A.npy", "B.npy", "-o", "X.npy", "-n", 3, *extra, words=words, env={})

    def test_an_output_is_refused_before_the_work_on_ranks_that_are_there_already(self, system, tmp_path):
        np.save(tmp_path / "A.npy", np.zeros((45, 45)))  # would be found singular
        command = [*ap.run.launch.mpiexec_command(3), sys.executable, "-m", "allport", "run", "solve", "A.npy", "B.npy"]
        env = {**os.environ, **ap.run.launch.environment(3)}
        done = subprocess.run(
            [*command, "-o", "no/X.npy"], cwd=tmp_path, env=env, capture_output=True, text=True, timeout=240
        )
        assert done.returncode != 0 and done.stdout == "", done.stdout
        assert done.stderr.count("allport: ") == 1 and "folder 'no'" in done.stderr, done.stderr
        assert "singular" not in done.stderr

    def test_shapes(self, refuses, system, tmp_path):
        refuses("solve", "B.npy", "B.npy", "-o", "X.npy", "-n", 2, words=["A 'B.npy'", "45 x 4", "square"])
        np.save(tmp_path / "B.npy", np.ones((44, 2)))
        refuses("solve", "A.npy", "B.npy", "-o", "X.npy", "-n", 2, words=["B 'B.npy'", "44 rows", "45"])

    def test_files(self, refuses, system):
        refuses("solve", "A.npy", "none.npy", "-o", "X.npy", "-n", 2, words=["B 'none.npy'", "no such file"])
        refuses("solve", "A.npy", "B.npy", "-o", "no/folder/X.npy", "-n", 2, words=["folder 'no/folder'"])
        refuses("solve", "A.npy", "B.npy", "-o", "X.npz", "-n", 2, words=["output 'X.npz'", ".npy"])
        refuses("solve", "A.npy", "B.npy", "-o", "X", "-n", 2, words=["output 'X'", ".npy"])
        refuses("solve", "A.npy", "B.npy", "-n", 2, words=["output"], code=2)
        refuses("solve", "A.npy", "-o", "X.npy", "-n", 2, words=["B"], code=2)

    def test_options(self, refuses, system, tmp_path):
        files = ("A.npy", "B.npy", "-o", "X.npy", "-n", 2)
        refuses("solve", *files, "--trans", "H", words=["trans"])
        refuses("solve", *files, "--pivoting", "rook", words=["rook", "tournament"])
        refuses("solve", *files, "--grid", "2x2x2", words=["grid"])
        refuses("solve", *files, "--memory", "1KiB", words=["1024"])
        refuses("solve", *files, "--machine", "torus:4x4", words=["ranks = 2", "16"])
        np.save(tmp_path / "A.npy", np.eye(45, dtype="f4"))
        np.save(tmp_path / "B.npy", np.ones((45, 1), dtype="f4"))
        refuses("solve", *files, "--refine", words=["refine", "float32"])
