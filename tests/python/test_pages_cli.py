"""--report of the commands: it writes the page, the command's output is unchanged, and bad names are errors at once."""

from __future__ import annotations

import json
from pathlib import Path

import allport as ap
import numpy as np
import pytest
from page_reader import PageReader

COMMANDS = {
    "plan gemm --shape 500x400x300 -m bgp:2x2": "Candidates by predicted time",
    "plan lu --shape 600x500 -m bgp:2x2 --grid 4x1": "Over time",
    "plan cholesky --shape 700 -m bgp:2x2 --simulate 2": "Candidates, simulated",
    "plan qr --shape 900x100 -n 4": "Candidates by predicted time",
    "simulate bcast -m bgp:4x4 --size 64KiB": "The schedule on its machine",
    "simulate alltoall -m bgp:4x2 --size 1KiB": "Over time",
    "simulate cholesky --shape 700 --nb 100 -m bgp:2x2": "Over time",
    "simulate lu --shape 500 -m bgp:2x2": "Links",
    "compare bcast -m bgp:2x2 --sizes 1KiB:8KiB": "Simulated",
    "map -m torus:4x4 --stencil 2d --grid 8x2": "Orders by predicted time",
    "explain allreduce -m bgp:4x4 --size 1MiB --element 8": "Algorithms",
    "machine show torus:4x4": "Nodes and links",
    "schedule show bcast -m torus:4x4": "On its machine",
    "graph show cholesky --tiles 4 --grid 2x2": "What ranks do",
}


@pytest.mark.parametrize("command", COMMANDS)
def test_a_page_beside_what_is_printed(command: str, allport, tmp_path: Path) -> None:
    done = allport(*command.split(), "--report", "p.html")
    assert done.returncode == 0 and done.stderr == "", done.stderr
    assert "p.html" in done.stdout
    found = PageReader((tmp_path / "p.html").read_text())
    assert found.wrong == [] and COMMANDS[command] in found.headings


def test_json_stays_json(allport, tmp_path: Path) -> None:
    for command in ("plan cholesky --shape 700 -m bgp:2x2", "simulate cholesky --shape 300 --nb 100 -m bgp:2x2"):
        data = allport(*command.split(), "--report", "q.html", "--json")
        assert json.loads(data.stdout)["ranks"] == 4 and (tmp_path / "q.html").exists()


@pytest.mark.parametrize("command", [*COMMANDS, "bench bcast", "run gemm gone.npy gone.npy -o c.npy"])
def test_a_bad_name_is_refused_before_the_work(command: str, allport, tmp_path: Path) -> None:
    names = {"p.txt": "expected a name that ends in .html", "no/p.html": "there is no folder 'no'"}
    for name, words in [*names.items()][: None if command.startswith("plan gemm") else 1]:
        done = allport(*command.split(), "--report", name)
        assert done.returncode == 1 and done.stderr.startswith("allport: report") and words in done.stderr, done.stderr
        assert done.stdout == "" and not list(tmp_path.iterdir())


@pytest.fixture
def matrices(tmp_path: Path) -> Path:
    random = np.random.default_rng(1)
    a = random.standard_normal((96, 96))
    np.save(tmp_path / "a.npy", a)
    np.save(tmp_path / "s.npy", a @ a.T + 96 * np.eye(96))
    np.save(tmp_path / "b.npy", random.standard_normal((96, 3)))
    return tmp_path


RUNS = {
    "gemm a.npy b.npy -o o.npy": ("Multiplied", False),
    "lu a.npy -o o.npz --pivoting partial --grid 3x1": ("Factored", False),
    "solve a.npy b.npy -o o.npy": ("Solved", False),
    "solve s.npy b.npy -o o.npy --assume-a pos": ("Solved", False),
    "cholesky s.npy -o o.npy --nb 32": ("Factored", True),
    "qr a.npy -o o.npy --nb 32": ("Factored", True),
    "lstsq a.npy b.npy -o o.npy": ("Least squares", True),
}


REPORTS = {
    ("Multiplied", False): ap.linalg.GemmReport,
    ("Factored", False): ap.linalg.LuReport,
    ("Solved", False): ap.linalg.LuReport,
    ("Factored", True): ap.linalg.CholeskyReport,
    ("Least squares", True): ap.linalg.LstsqReport,
}


@pytest.mark.parametrize("command", RUNS)
def test_a_run_tells_predicted_beside_measured(command: str, allport, matrices: Path) -> None:
    title, recorded = RUNS[command]
    done = allport("run", *command.split(), "-n", "3", "--report", "p.html", "--json")
    assert done.returncode == 0, done.stderr
    data = json.loads(done.stdout)
    assert data.get("trace") is None, "the page's own record is nobody's trace"
    assert sorted(p.name for p in matrices.iterdir() if p.suffix not in (".npy", ".npz")) == ["p.html"]
    found = PageReader((matrices / "p.html").read_text())
    assert found.wrong == [] and found.headings[0].startswith(title)
    (matrices / "run.json").write_text(done.stdout)
    kept = allport("report", "run.json", "-o", "kept.html")
    assert kept.returncode == 0 and (matrices / "kept.html").read_text().count("<h1>" + title) == 1, kept.stderr
    assert "Predicted against measured" in found.headings
    assert ("Over time, as it ran" in found.headings) == recorded
    assert "Over time, simulated" in found.headings
    shown = PageReader(REPORTS[title, recorded](data["report"])._repr_html_())
    assert shown.wrong == [] and "time" in shown.facts, "what ap.gemm and others report shows itself"


def test_a_run_that_fails_leaves_no_page(allport, matrices: Path) -> None:
    np.save(matrices / "a.npy", np.zeros((5, 5)))
    done = allport("run", "solve", "a.npy", "a.npy", "-o", "o.npy", "-n", "2", "--report", "p.html")
    assert done.returncode == 1 and not (matrices / "p.html").exists()
    done = allport("run", "cholesky", "a.npy", "-o", "o.npy", "-n", "2", "--report", "p.html")
    assert done.returncode == 1 and not [p for p in matrices.iterdir() if p.suffix != ".npy"]


def test_a_trace_that_is_asked_for_stays(allport, matrices: Path) -> None:
    arguments = "run cholesky s.npy -o o.npy --nb 32 -n 2 --report p.html --trace t.json".split()
    done = allport(*arguments)
    assert done.returncode == 0 and "trace: t.json" in done.stdout and (matrices / "t.json").exists(), done.stderr
    assert "Over time, as it ran" in (matrices / "p.html").read_text()
