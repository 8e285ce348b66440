"""bench/never_slower: the coverage of its sample, its criterion for slower calls, and a run."""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

import pytest
from conftest import clean_environment

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "bench" / "never_slower"
BUILD = ROOT / "build" / "release"


@pytest.fixture(autouse=True)
def _importable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(FOLDER))


def test_the_sample_is_the_same_each_time_and_has_every_pair() -> None:
    import scalapack_cases as cases

    sample = cases.sample()
    assert len(sample) == len(set(sample)) == 150 and sample == cases.sample()
    found = {pair for case in sample for pair in itertools.combinations(asdict(case).items(), 2)}
    for one, other in itertools.combinations(cases.CHOICES, 2):
        for pair in itertools.product(cases.CHOICES[one], cases.CHOICES[other]):
            values = dict(zip((one, other), pair, strict=True))
            too_large = values.get("n") == 8000 and values.get("type", "d") != "d"
            assert too_large or tuple(values.items()) in found, values


def test_routines_have_the_names_that_reports_have() -> None:
    import scalapack_cases as cases

    names = {cases.Case(r, t, 100, 16, "1x2", 1).fortran_name for r in cases.ROUTINES for t in "dz"}
    assert names == {
        *("gemm", "getrf", "getrs", "gesv", "potrf", "potrs", "posv", "geqrf", "gels"),
        *("orgqr", "ormqr", "ungqr", "unmqr"),
    }


def test_microseconds_are_no_loss_but_a_twentieth_is() -> None:
    import mpi
    import scalapack

    assert scalapack.ratios(50e-6, 52.9e-6) == 1.0  # 3 us are allowed
    assert scalapack.ratios(50e-6, 60e-6) == pytest.approx(50 / 57)
    assert scalapack.ratios(1.0, 1.1) == pytest.approx(1 / 1.1, rel=1e-5)
    assert scalapack.ratios(1.0, 0.5) == 2.0
    found = {"first": {"plain": 1.0, "ours": 1.1, "again": 1.06}, "later": {"plain": 1.0, "ours": 1.2, "again": 1.1}}
    assert [scalapack.slowest(found, who) for who in ("plain", "ours", "again")] == [0, 1, 0]
    assert mpi.is_met({"plain": 1e-7, "ours": 1.99e-7}) and not mpi.is_met({"plain": 2e-6, "ours": 2.1e-6})
    assert mpi.is_met({"plain": 2e-6, "ours": 2.05e-6})


@pytest.mark.skipif(
    not (BUILD / "bench" / "never_slower_scalapack").exists(), reason="no ScaLAPACK was found to build it"
)
def test_a_row_is_measured_and_its_times_are_kept(tmp_path: Path) -> None:
    out = tmp_path / "times.json"
    done = subprocess.run(
        [sys.executable, str(FOLDER), "scalapack", "--case", "0", "--json", str(out)],
        env=clean_environment(),  # an MPI library that a test initialized here leaves variables for its ranks
        capture_output=True,
        text=True,
    )
    assert out.exists(), done.stderr
    assert done.returncode in (0, 1), done.stderr  # 1: slower, which a busy machine may be
    (row,) = json.loads(out.read_text())["cases"]
    assert row["case"]["routine"] == "gemmTN" and row["case"]["n"] == 100 and not row["taken"]
    assert {len(runs) for runs in row["seconds"].values()} in ({6}, {12})
    assert "1 cases of two times each" in done.stdout
