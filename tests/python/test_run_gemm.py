import bz2
import gzip
import json
import os
import subprocess
import sys

import allport as ap
import numpy as np
import pytest
from conftest import longer

rng = np.random.default_rng(2)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("%MatrixMarket matrix coordinate pattern symmetric\n2 2 1\n2 1\n", [[0, 1], [1, 0]]),
        (
            "%%MatrixMarket matrix coordinate unsigned-integer general\n2 2 2\n1 1 18446744073709551615\n2 2 5\n",
            [[2.0**64, 0], [0, 5]],
        ),
        ("%%MatrixMarket matrix coordinate real general\n2 2 2\n1 2 1.0 % note\n2 2 2.0\n", [[0, 1], [0, 2]]),
        ("%%MatrixMarket matrix coordinate real general\n2 2 2\n1 2 1.5D+01\n2 2 -2.0d0\n", [[0, 15], [0, -2]]),
    ],
)
def test_matrix_market_as_others_write_it(text, expected, allport, tmp_path):
    (tmp_path / "A.mtx").write_text(text)
    np.save(tmp_path / "I.npy", np.eye(2))
    done = allport("run", "gemm", "A.mtx", "I.npy", "-o", "C.npy", "-n", 1)
    assert done.returncode == 0, done.stderr
    np.testing.assert_array_equal(np.load(tmp_path / "C.npy"), expected)


@pytest.mark.parametrize(("end", "pack"), [("gz", gzip.compress), ("bz2", bz2.compress)])
def test_compressed_matrix_market_is_read_by_its_name(end, pack, allport, tmp_path):
    text = "%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n1 1 0.5\n3 1 -2.0\n3 2 7.0\n"
    (tmp_path / f"A.mtx.{end}").write_bytes(pack(text.encode()))
    np.save(tmp_path / "I.npy", np.eye(3))
    done = allport("run", "gemm", f"A.mtx.{end}", "I.npy", "-o", "C.npy", "-n", 2)
    assert done.returncode == 0, done.stderr
    np.testing.assert_array_equal(np.load(tmp_path / "C.npy"), [[0.5, 0, -2], [0, 0, 7], [-2, 7, 0]])


def test_compressed_files_that_cannot_be_read_are_named(refuses, tmp_path):
    packed = gzip.compress(b"%%MatrixMarket matrix array real general\n2 1\n2\nx\n")
    np.save(tmp_path / "I.npy", np.eye(1))
    for name, data, words in (
        ("A.mtx", packed, ["'A.mtx': is compressed", "gunzip"]),
        ("A.mtx.gz", packed[:-20], ["A 'A.mtx.gz': cannot be unpacked"]),
        ("B.mtx.gz", b"plain", ["A 'B.mtx.gz': cannot be unpacked", "gzip"]),
        ("C.mtx.gz", gzip.compress(b"2 2\n"), ["A 'C.mtx.gz', unpacked: not a Matrix Market file"]),
        ("A.npy.gz", packed, ["A 'A.npy.gz': must be unpacked first", ".mtx.gz"]),
    ):
        (tmp_path / name).write_bytes(data)
        refuses("gemm", name, "I.npy", "-o", "C.npy", "-n", 1, words=words)
    refuses("gemm", "I.npy", "I.npy", "-o", "C.mtx.gz", "-n", 1, words=["output 'C.mtx.gz'", "compress it afterwards"])
    (tmp_path / "D.mtx.gz").write_bytes(packed)
    words = ["'D.mtx.gz', unpacked: line at byte", "expected 'value'"]
    refuses("gemm", "D.mtx.gz", "I.npy", "-o", "C.npy", "-n", 2, words=words, env={})


def test_what_is_not_a_number_is_refused(refuses, tmp_path):
    a = np.ones((5, 4))
    a[4, 2] = np.nan
    np.save(tmp_path / "A.npy", a)
    np.save(tmp_path / "B.npy", np.ones((4, 3)))
    words = ["'A.npy': element [4, 2], counted from 0, is nan", "numpy.isfinite"]
    refuses("gemm", "A.npy", "B.npy", "-o", "C.npy", "-n", 2, words=words, env={})


def test_ranks_that_share_cores_are_told(allport, tmp_path):
    np.save(tmp_path / "A.npy", np.eye(4))
    for ranks in (1, ap.run.launch.cores() + 1):
        shown = allport("run", "gemm", "A.npy", "A.npy", "-o", "C.npy", "-n", ranks).stdout
        assert (f"{ranks} ranks shared {ap.run.launch.cores()} cores of this computer" in shown) == (ranks > 1)


def write_mtx(path, a):
    rows, cols = np.nonzero(a)
    lines = [f"{r + 1} {c + 1} {float(a[r, c])!r}" for r, c in zip(rows, cols, strict=True)]
    head = f"%%MatrixMarket matrix coordinate real general\n{a.shape[0]} {a.shape[1]} {len(lines)}\n"
    path.write_text(head + "\n".join(lines) + "\n")


@pytest.fixture
def ab(tmp_path):
    a, b = rng.standard_normal((37, 29)), rng.standard_normal((29, 41))
    np.save(tmp_path / "A.npy", a)
    np.save(tmp_path / "B.npy", b)
    return a, b


def left_behind(folder):
    return sorted(p.name for p in folder.iterdir() if p.name not in ("A.npy", "B.npy"))


@pytest.mark.parametrize(
    "where",
    [["-n", 1], ["-n", 3], ["--machine", "torus:2x2/ppn=2"], *longer((["-n", 4],), (["--machine", "torus:2x2"],))],
)
def test_two_files_in_one_out(allport, ab, tmp_path, where):
    done = allport("run", "gemm", "A.npy", "B.npy", "-o", "C.npy", *where)
    assert done.returncode == 0, done.stderr
    np.testing.assert_allclose(np.load(tmp_path / "C.npy"), ab[0] @ ab[1], rtol=1e-12, atol=1e-12)
    assert left_behind(tmp_path) == ["C.npy"]
    for word in ("chosen:", "predicted", "measured", "as planned" if False else "planned: True", "C.npy"):
        assert word in done.stdout, done.stdout
    assert "\x1b" not in done.stdout + done.stderr  # no colours and no progress bars in a pipe


def test_json_has_plan_report_and_output(allport, ab, tmp_path):
    done = allport("run", "gemm", "A.npy", "B.npy", "-o", "C.npy", "--machine", "torus:2x2", "--json")
    assert done.returncode == 0, done.stderr
    data = json.loads(done.stdout)
    assert set(data) == {"plan", "report", "output", "seconds"}
    assert data["output"] == {"path": "C.npy", "shape": [37, 41], "dtype": "float64"}
    assert data["report"]["as_planned"] and data["report"]["predicted"] == data["report"]["measured"]
    assert data["plan"]["problem"] == {"m": 37, "n": 41, "k": 29, "type": "d", "trans_a": "N", "trans_b": "N"}


@pytest.mark.parametrize(
    ("algorithm", "grid"),
    [("summa", "2x2x1"), ("cannon", "2x2x1"), ("summa", "4x1x1"), ("summa25", "2x1x2"), (None, "2x1x2")],
)
def test_algorithm_and_grid_as_told(allport, ab, tmp_path, algorithm, grid):
    extra = ["--algorithm", algorithm] if algorithm else []
    done = allport("run", "gemm", "A.npy", "B.npy", "-o", "C.npy", "-n", 4, "--grid", grid, *extra, "--json")
    assert done.returncode == 0, done.stderr
    chosen = json.loads(done.stdout)["plan"]["chosen"]
    assert "x".join(map(str, chosen["grid"])) == grid and algorithm in (None, chosen["algorithm"])
    np.testing.assert_allclose(np.load(tmp_path / "C.npy"), ab[0] @ ab[1], rtol=1e-12, atol=1e-12)


def test_alpha_beta_and_transposes(allport, tmp_path):
    a, b, c = rng.standard_normal((9, 14)), rng.standard_normal((5, 9)), rng.standard_normal((14, 5))
    for name, x in zip("ABC", (a, b, c), strict=True):
        np.save(tmp_path / f"{name}0.npy", x)
    done = allport(
        *("run", "gemm", "A0.npy", "B0.npy", "-o", "C.npy", "-n", 2, "--trans", "TC"),
        *("--alpha", "-2.5", "--beta", "0.5", "--c-in", "C0.npy"),
    )
    assert done.returncode == 0, done.stderr
    np.testing.assert_allclose(np.load(tmp_path / "C.npy"), -2.5 * a.T @ b.T + 0.5 * c, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("count", [1, 2])
def test_c0_lies_in_memory_once(ranks, tmp_path, count):
    a, b, c = rng.standard_normal((900, 3)), rng.standard_normal((3, 800)), rng.standard_normal((900, 800))
    for name, x in zip(("A", "B", "C0"), (a, b, c), strict=True):
        np.save(tmp_path / f"{name}.npy", x)
    done = ranks("product_in_place", count, tmp_path)
    assert done.returncode == 0 and "good" in done.stdout, done.stdout + done.stderr
    np.testing.assert_allclose(np.load(tmp_path / "C.npy"), a @ b + c, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("dtype", ["f4", "c8", "c16", "i2", "f2", "?"])
def test_types_of_files(allport, tmp_path, dtype):
    a, b = (rng.integers(0, 3, (12, 12)).astype(dtype) for _ in range(2))
    np.save(tmp_path / "A.npy", np.asfortranarray(a))
    np.save(tmp_path / "B.npy", b)
    done = allport("run", "gemm", "A.npy", "B.npy", "-o", "C.npy", "-n", 2)
    assert done.returncode == 0, done.stderr
    got = np.load(tmp_path / "C.npy")
    wide = {"f4": "f4", "f2": "f4", "c8": "c8", "c16": "c16"}.get(dtype, "f8")
    assert got.dtype == np.dtype(wide) and (got == a.astype(wide) @ b.astype(wide)).all()


def test_matrix_market_in_and_out(allport, tmp_path):
    a = np.where(rng.random((23, 17)) < 0.3, rng.standard_normal((23, 17)), 0)
    b = rng.standard_normal((17, 8))
    write_mtx(tmp_path / "A.mtx", a)
    np.save(tmp_path / "B.npy", b)
    assert allport("run", "gemm", "A.mtx", "B.npy", "-o", "C.mtx", "-n", 3).returncode == 0
    head, shape, *values = (tmp_path / "C.mtx").read_text().splitlines()
    assert head == "%%MatrixMarket matrix array real general" and shape == "23 8"
    got = np.array([float(v) for v in values]).reshape(8, 23).T
    np.testing.assert_allclose(got, a @ b, rtol=1e-12, atol=1e-12)
    # What was written reads back, bit for bit.
    np.save(tmp_path / "I.npy", np.eye(8))
    assert allport("run", "gemm", "C.mtx", "I.npy", "-o", "D.npy", "-n", 2).returncode == 0
    assert (np.load(tmp_path / "D.npy") == got).all()


def test_hdf5_in_and_out(allport, tmp_path):
    h5py = pytest.importorskip("h5py")
    a, b = rng.standard_normal((19, 7)), rng.standard_normal((7, 11))
    with h5py.File(tmp_path / "in.h5", "w") as f:
        f["group/a"], f["b"] = a, b
    done = allport("run", "gemm", "in.h5:group/a", "in.h5:b", "-o", "in.h5:c", "-n", 3)
    assert done.returncode == 0, done.stderr
    with h5py.File(tmp_path / "in.h5") as f:
        np.testing.assert_allclose(f["c"][...], a @ b, rtol=1e-12, atol=1e-12)
        assert (f["b"][...] == b).all()
    missing = allport("run", "gemm", "in.h5:none", "in.h5:b", "-o", "C.npy", "-n", 2)
    assert missing.returncode == 1 and "group/a" in missing.stderr
    assert allport("run", "gemm", "in.h5:b", "in.h5:b", "-o", "in.h5", "-n", 2).returncode == 1


def test_it_joins_when_mpiexec_has_started_it(ab, tmp_path):
    command = [
        *ap.run.launch.mpiexec_command(4),
        sys.executable,
        "-m",
        "allport",
        "run",
        "gemm",
        "A.npy",
        "B.npy",
        "-o",
        "C.npy",
    ]
    env = {**os.environ, **ap.run.launch.environment(4), "ALLPORT_MACHINE": "torus:2x2"}
    done = subprocess.run([*command, "--json"], cwd=tmp_path, env=env, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["plan"]["machine"] == "torus:2x2"
    np.testing.assert_allclose(np.load(tmp_path / "C.npy"), ab[0] @ ab[1], rtol=1e-12, atol=1e-12)
    wrong = subprocess.run([*command, "-n", "3"], cwd=tmp_path, env=env, capture_output=True, text=True, timeout=240)
    assert wrong.returncode != 0 and wrong.stderr.count("allport: ranks = 3") == 1


class TestBadInput:
    """One line that names the trouble, a non-zero exit, and no output file."""

    def test_shapes_that_do_not_meet(self, refuses, ab):
        refuses("gemm", "A.npy", "A.npy", "-o", "C.npy", "-n", 2, words=["37 x 29"])

    def test_a_missing_file(self, refuses, ab):
        refuses("gemm", "A.npy", "none.npy", "-o", "C.npy", "-n", 2, words=["B 'none.npy'", "no such file"])

    def test_a_truncated_file(self, refuses, ab, tmp_path):
        whole = (tmp_path / "A.npy").read_bytes()
        (tmp_path / "A.npy").write_bytes(whole[:-100])
        refuses("gemm", "A.npy", "B.npy", "-o", "C.npy", "-n", 2, words=["A.npy", str(len(whole))])

    @pytest.mark.parametrize("text", [b"", b"hello", b"\x93NUMPY\x01\x00", b"\x93NUMPY\x09\x00\x10\x00{'descr': "])
    def test_something_else_than_a_matrix(self, refuses, ab, tmp_path, text):
        (tmp_path / "A.npy").write_bytes(text)
        refuses("gemm", "A.npy", "B.npy", "-o", "C.npy", "-n", 2, words=["A.npy"])

    def test_object_arrays_are_never_unpickled(self, refuses, ab, tmp_path):
        class Trap:
            def __reduce__(self):
                return os.mkdir, (str(tmp_path / "sprung"),)

        np.save(tmp_path / "A.npy", np.array([[Trap()]], dtype=object), allow_pickle=True)
        refuses("gemm", "A.npy", "B.npy", "-o", "C.npy", "-n", 2, words=["A.npy", "object"])

    def test_three_dimensions(self, refuses, ab, tmp_path):
        np.save(tmp_path / "A.npy", np.zeros((2, 2, 2)))
        refuses("gemm", "A.npy", "B.npy", "-o", "C.npy", "-n", 2, words=["A.npy", "3"])

    def test_an_unknown_machine(self, refuses, ab):
        refuses("gemm", "A.npy", "B.npy", "-o", "C.npy", "--machine", "donut:4x4", words=["donut"])

    def test_more_ranks_than_the_machine_has(self, refuses, ab):
        words = ["20", "16", "torus:4x4"]
        refuses("gemm", "A.npy", "B.npy", "-o", "C.npy", "--machine", "torus:4x4", "-n", 20, words=words)
        refuses("gemm", "A.npy", "B.npy", "-o", "C.npy", "-n", 0, words=["ranks = 0"])

    def test_too_little_memory(self, refuses, ab):
        refuses("gemm", "A.npy", "B.npy", "-o", "C.npy", "-n", 2, "--memory", "1KiB", words=["1024"])

    def test_unknown_algorithm_grid_and_numbers(self, refuses, ab):
        files = ("A.npy", "B.npy", "-o", "C.npy", "-n", 2)
        refuses("gemm", *files, "--algorithm", "magic", words=["magic", "summa"])
        refuses("gemm", *files, "--grid", "3x1x1", words=["grid"])
        refuses("gemm", *files, "--grid", "2", words=["grid"])
        refuses("gemm", *files, "--memory", "plenty", words=["plenty"])
        refuses("gemm", *files, "--alpha", "one", words=["alpha"])
        refuses("gemm", *files, "--beta", "1", words=["--c-in"])
        refuses("gemm", *files, "--trans", "NQ", words=["trans = 'NQ'", "TN"])
        refuses("gemm", *files, "--trans", "T", words=["trans = 'T'", "two letters"])
        refuses("gemm", *files, "--tree", "shouting", words=["tree", "shouting", "binomial"])
        refuses("gemm", "A.npy", "B.npy", "-n", 2, words=["output"], code=2)

    def test_an_output_that_cannot_be(self, refuses, ab):
        refuses("gemm", "A.npy", "B.npy", "-o", "no/folder/C.npy", "-n", 2, words=["folder 'no/folder'"])
        refuses("gemm", "A.npy", "B.npy", "-o", "C.xlsx", "-n", 2, words=[".npy"])

    def test_a_launcher_that_is_not_there(self, refuses, ab):
        words, env = ["ALLPORT_MPIEXEC", "no-such-mpiexec"], {"ALLPORT_MPIEXEC": "no-such-mpiexec"}
        refuses("gemm", "A.npy", "B.npy", "-o", "C.npy", "-n", 2, words=words, env=env)

    def test_bad_lines_deep_in_a_text_file(self, refuses, ab, tmp_path):
        a = rng.standard_normal((37, 29))
        write_mtx(tmp_path / "A.mtx", a)
        text = (tmp_path / "A.mtx").read_text().splitlines()
        text[600] = "5 oops 1.0"
        (tmp_path / "A.mtx").write_text("\n".join(text) + "\n")
        refuses("gemm", "A.mtx", "B.npy", "-o", "C.npy", "-n", 3, words=["A.mtx"], env={})


@pytest.mark.parametrize("shape", [(10**8, 10**8, 10**8), (1, 10**8, 10**8), (3, 7, 2**52)])
def test_plans_of_huge_products(shape):
    """Their panels are counted, not walked through: these took hours."""
    for machine in ("torus:4x4", "torus:3x2x2"):
        plan = ap.plan.gemm(*shape, machine)
        chosen = plan.to_dict()["chosen"]
        assert plan.memory >= sum(shape[i] * shape[j] * 8 // 16 for i, j in ((0, 1), (0, 2), (1, 2)))
        assert chosen["words"] >= chosen["bound_words"] * (1 - 1e-9)


def test_products_that_no_memory_holds():
    for shape in [(2**40, 2**40, 1), (2**63 - 1, 1, 1), (1, 2**62, 2**62)]:
        with pytest.raises(ap.Error, match="m, n, k"):
            ap.plan.gemm(*shape, "torus:4x4")
    with pytest.raises(ap.Error, match="m, n"):
        ap.plan.lu(2**40, 2**40, "torus:4x4")
