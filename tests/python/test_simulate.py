"""allport simulate and compare: numbers, traces, pages, errors."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import allport as ap
import numpy as np
import pytest


def cli(*argv: str, code: int = 0) -> str:
    done = subprocess.run([sys.executable, "-m", "allport", *argv], capture_output=True, text=True)
    assert done.returncode == code, done.stderr
    return done.stdout if code == 0 else done.stderr


def broadcast(machine: str = "bgp:4x4", size: int = 1 << 16, **more: Any) -> ap.Schedule:
    return ap.make_schedule("bcast", machine, bytes=size, **{"algorithm": "rectangular", "segment": 4096, **more})


def test_time_of_one_hop_is_its_formula() -> None:
    machine = ap.Machine.parse("bgp:2x1x1")
    schedule = ap.make_schedule("bcast", machine, algorithm="line", bytes=1000, segment=1000)
    run = ap.simulate(schedule, machine)
    # o at both ends, the latency, the bytes
    assert run.seconds == pytest.approx(2 * 0.5e-6 + 0.5e-6 + 1000 / 375e6, rel=1e-12)


def test_links_ranks_and_counts_agree_with_the_programs() -> None:
    machine = ap.Machine.parse("bgp:3x5")
    for collective in ("bcast", "allgather", "alltoall", "allreduce"):
        schedule = ap.make_schedule(collective, machine, bytes=4096, element=8)
        run = ap.simulate(schedule, machine)
        traffic = [schedule.traffic(r) for r in range(schedule.ranks)]
        assert run.counts["messages"] == sum(t.messages_sent for t in traffic)
        assert run.link_bytes.sum() >= sum(t.bytes_sent for t in traffic)
        assert run.rank_seconds.max() == run.seconds > 0
        assert run.link_busy.max() <= run.seconds * (1 + 1e-9)
        assert np.allclose(run.link_bytes / 375e6, run.link_busy)


def test_link_loads_are_those_of_the_proof() -> None:
    machine = ap.Machine.parse("bgp:4x4x2")
    schedule = ap.make_schedule("alltoall", machine, bytes=1024)
    run = ap.simulate(schedule, machine)
    links = ap.verify.prove(schedule, machine).links
    assert run.link_bytes.max() == links["max"]
    assert run.link_bytes.sum() == links["bytes"]


def test_critical_path_and_timeline() -> None:
    run = ap.simulate(broadcast(), "bgp:4x4", trace=True)
    assert run.engine == "events" and "timeline" in run.engine_why
    assert run.seconds == ap.simulate(broadcast(), "bgp:4x4").seconds
    path = run.critical_path
    assert path[0]["begin"] == 0 and path[-1]["end"] == run.seconds
    assert {r["activity"] for r in run.timeline} == {"send", "link", "receive"}
    steps = run.late()
    assert sum(s["records"] for s in steps) == len(path)


def test_random_placement_is_slower_and_repeatable() -> None:
    machine = ap.Machine.parse("bgp:16x16x16")
    schedule = ap.make_schedule("bcast", machine, algorithm="binomial", bytes=1 << 20, segment=1 << 20)
    plain = ap.simulate(schedule, machine).seconds
    mixed = ap.simulate(schedule, machine, placement="random:7").seconds
    assert mixed > 1.4 * plain
    assert mixed == ap.simulate(schedule, machine, placement="random:7").seconds
    with pytest.raises(ap.Error, match="placement = 'random'"):
        ap.simulate(schedule, machine, placement="random")


def test_nothing_broken_is_simulated() -> None:
    schedule = broadcast("bgp:4x4")
    with pytest.raises(ap.Error, match="ranks"):
        ap.simulate(schedule, "bgp:4x5", proof=True)
    with pytest.raises(ap.Error, match="sharing = 'both'"):
        ap.simulate(schedule, "bgp:4x4", model=ap.sim.Model(sharing="both"))
    with pytest.raises(ap.Error, match=r"engine = 'recurrence': .*more than one link"):
        ap.simulate(
            ap.make_schedule("bcast", "bgp:4x4", algorithm="binomial", bytes=9),
            "bgp:4x4",
            model=ap.sim.Model(engine="recurrence"),
        )


def test_command_prints_a_table_and_json(tmp_path: Path) -> None:
    argv = ["simulate", "bcast", "--machine", "bgp:4x4", "--size", "64KiB", "--algorithm", "rectangular"]
    text = cli(*argv, "--late")
    assert "of the bound" in text and "what made the last rank late" in text
    data = json.loads(cli(*argv, "--json"))
    assert data["seconds"] > data["bound"] > 0 and data["links"]["used"] == 60
    assert data["engine"] == "recurrence" and data["counts"]["contended_links"] == 0
    assert "there is no folder" in cli(*argv, "--trace", str(tmp_path / "no" / "t.json"), code=1)
    assert "machine" in cli("simulate", "bcast", "--machine", "torus:0x4", code=1)


def test_what_would_take_too_long_is_refused_before_it_begins() -> None:
    argv = ["simulate", "bcast", "--machine", "bgp:32x32x32", "--size", "64MiB", "--algorithm", "binomial"]
    said = cli(*argv, "--segment", "1KiB", code=1)
    assert "million segment hops" in said and "at most 60 s" in said and "--force" in said
    segment = re.search(r"--segment (\S+)", said)[1]
    data = ap.make_schedule("bcast", "bgp:32x32x32", algorithm="binomial", bytes="64MiB", segment=segment)
    assert data.segment > 1024
    with pytest.raises(ap.Error, match="whole messages still are"):
        ap.simulate(broadcast(), "bgp:4x4", model=ap.sim.Model(most_seconds=1e-9))
    assert (
        ap.simulate(broadcast(), "bgp:4x4", model=ap.sim.Model(most_seconds=60)).seconds
        == ap.simulate(broadcast(), "bgp:4x4").seconds
    )


def test_chrome_trace_is_whole(tmp_path: Path) -> None:
    run = ap.simulate(broadcast(size=20_000), "bgp:4x4", trace=True)
    ap.report.trace.chrome(run, str(tmp_path / "t.json"))
    events = json.loads((tmp_path / "t.json").read_text())["traceEvents"]
    bars = [e for e in events if e["ph"] == "X"]
    assert len(bars) == len(run.timeline)
    assert max(e["ts"] + e["dur"] for e in bars) == pytest.approx(run.seconds * 1e6)
    assert len([e for e in bars if e["cat"] == "critical"]) == len(run.critical_path)
    assert {e["pid"] for e in bars} == set(range(16))
    with pytest.raises(ap.Error, match="trace=True"):
        ap.report.trace.chrome(ap.simulate(broadcast(), "bgp:4x4"), str(tmp_path / "t.json"))


def test_view_needs_nothing_from_outside(tmp_path: Path) -> None:
    run = ap.simulate(broadcast("bgp:3x4x2", size=20_000), "bgp:3x4x2", trace=True)
    ap.report.trace.animate(run, str(tmp_path / "v.html"))
    page = (tmp_path / "v.html").read_text()
    assert not re.search(r"""(src|href)\s*=\s*["']?(https?:)?//""", page)
    found = re.search(r"const data = (\{.*?\});\n", page)
    assert found is not None
    data = json.loads(found.group(1))
    assert len(data["link"]) == run.counts["hops"] and data["axes"][1] == {"length": 4, "wraps": True}


def test_compare_marks_the_fastest(tmp_path: Path) -> None:
    out, plot = tmp_path / "c.json", tmp_path / "c.svg"
    text = cli(
        "compare", "bcast", "--machine", "bgp:4x4", "--sizes", "1KiB,1MiB", "-o", str(out), "--plot", str(plot)
    )  # fmt: skip
    assert "rectangular" in text and "* fastest" in text and plot.stat().st_size > 1000
    for row in json.loads(out.read_text())["rows"]:
        times = {a: r["seconds"] for a, r in row["algorithms"].items() if "seconds" in r}
        assert times[row["fastest"]] == min(times.values()) >= row["bound"]
    assert "bcast has" in cli("compare", "bcast", "--machine", "bgp:4x4", "--algorithms", "quick", code=1)
