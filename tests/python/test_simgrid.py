"""The simulator against numbers of SimGrid's, kept by tools/simgrid-check; needs no SimGrid."""

from __future__ import annotations

import json
from pathlib import Path

import allport as ap
import pytest

KEPT = Path(__file__).resolve().parent.parent / "sim" / "simgrid.json"
TOLD = json.loads(KEPT.read_text())
CASES, HEADER = TOLD["cases"], TOLD["header"]


def simulate(case: dict, tmp_path: Path, **options: object) -> ap.sim.Simulation:
    file = tmp_path / "machine.toml"
    file.write_text(case["machine"])
    machine = ap.Machine.parse(str(file))
    schedule = ap.make_schedule(
        case["collective"],
        machine,
        algorithm=case["algorithm"],
        root=case["root"],
        bytes=case["nbytes"],
        element=8 if "reduce" in case["collective"] else 1,
        segment=case["segment"],
        window=case["window"],
    )
    return ap.simulate(schedule, machine, model=ap.sim.Model(sharing="fair", latency_weights=True, **options))


def name(case: dict) -> str:
    machine = case["machine"].splitlines()[0].split('"')[1]
    return f"{machine}-{case['collective']}-{case['algorithm']}-{case['nbytes']}"


def test_there_is_something_to_compare():
    assert len(CASES) >= 40
    assert {c["contended"] for c in CASES} == {True, False}


@pytest.mark.parametrize("case", CASES, ids=name)
def test_agrees_with_simgrid(case: dict, tmp_path: Path):
    run = simulate(case, tmp_path)
    assert (run.counts["contended_links"] > 0) == case["contended"]
    limit = 0.15 if case["contended"] else 0.05
    # The limits are those of the page; in fact they agree to a thousandth, and a change that spoils that is to be seen.
    assert run.seconds == pytest.approx(case["kernel_seconds"], rel=0.005)
    if case["comm_seconds"] is not None:
        assert run.seconds == pytest.approx(case["comm_seconds"], rel=limit)
        assert simulate(case, tmp_path, header=HEADER).seconds == pytest.approx(case["comm_seconds"], rel=0.005)
