"""The figures of a machine's links: on the simulator against the machine's own numbers, on MPI, and beside a file."""

import itertools
import json
import math
import subprocess
import sys

import allport as ap
import numpy as np
import pytest
from allport.run.links.drift import Drift

UNEVEN = """
name = "uneven"
overhead = "1 us"
axes = [
  { length = 4, wraps = true,  bandwidth = "40 MB/s", latency = "3 us" },
  { length = 5, wraps = false, bandwidth = "20 MB/s", latency = "7 us" },
  { length = 1, wraps = true, bandwidth = "1 MB/s", latency = "1 us" },
]
"""


def _by_name(figures):
    return {f.what: f for f in figures}


def test_the_simulator_gives_back_what_the_file_says():
    machine = ap.Machine.from_toml(UNEVEN)
    found = _by_name(ap.run.links.simulated(machine, quick=True))
    for letter, rate in (("x", 40e6), ("y", 20e6)):
        for directions, group in itertools.product(("+", "-", "+-"), ("one pair", "all pairs")):
            figure = found[f"rate {letter}{directions} {group}"]
            assert figure.value == pytest.approx(rate, rel=1e-3)
            assert figure.low == figure.value == figure.high and figure.samples == 1
    assert not [what for what in found if " z" in what]
    for hops in (1, 2):
        assert found[f"start x over {hops} hop{'s' * (hops > 1)}"].value == pytest.approx(2e-6 + hops * 3e-6, rel=0.1)
    assert len([w for w in found if w.startswith("start y")]) == 4
    # To three neighbours until the slowest of the three links is done: x+, y+ and x-.
    assert found["rate to 1 neighbour"].value == pytest.approx(40e6, rel=1e-3)
    assert found["rate to 3 neighbours"].value == pytest.approx(60e6, rel=1e-3)
    assert "rate to 4 neighbours" in found and "rate to 5 neighbours" not in found


@pytest.mark.parametrize("asks_beyond", [None, 1 << 15])
def test_messages_go_in_short_pieces_where_those_that_cross_are_quicker(asks_beyond):
    """A network that is half-duplex for longer messages, as TCP is under MPI libraries with a rendezvous."""
    machine = ap.Machine.from_toml(UNEVEN)
    pieces = []

    def timer(schedule):
        pieces.append(schedule.segment)
        late = asks_beyond is not None and schedule.segment > asks_beyond
        programs = json.loads(schedule.to_json())["programs"]
        sent = {(a, op["peer"]) for a, p in enumerate(programs) for op in p["operations"] if op["kind"] == "send"}
        crosses = any((b, a) in sent for a, b in sent)
        return [ap.simulate(schedule, machine).seconds * (2 if late and crosses else 1)]

    among = [case for case in ap.run.links.cases(machine) if case.group == "one pair"]
    found = _by_name(ap.run.links.measured_by(machine, timer, among=among))
    for letter, rate in (("x", 40e6), ("y", 20e6)):
        for directions in ("+", "-", "+-"):
            assert found[f"rate {letter}{directions} one pair"].value == pytest.approx(rate, rel=1e-3)
    tried, used = pieces[:2], pieces[2:]
    assert tried == [1 << 15, 1 << 16]
    assert max(used) == (1 << 16 if asks_beyond is None else 1 << 15)


def test_hosts_share_their_routers_links():
    machine = ap.Machine.parse("gemini:4x2x2m")
    found = _by_name(ap.run.links.simulated(machine, quick=True))
    assert found["rate x+ one pair"].value == pytest.approx(5.8e9, rel=1e-2)
    assert found["rate x+ one pair, 2 ranks each"].value == pytest.approx(2.9e9, rel=1e-2)
    assert found["rate y+- all pairs, 2 ranks each"].value == pytest.approx(1.45e9, rel=1e-2)
    assert found["rate host+ one pair"].value == pytest.approx(10.4e9, rel=1e-2)
    # Both of y's cables lead to one neighbour, as x+ and x- do not.
    assert max(int(w.split()[2]) for w in found if w.startswith("rate to")) == 4


def test_cases_name_messages_between_neighbours_once():
    for spec in ("torus:5", "torus:2", "mesh:3x4", "torus:3x4/ppn=3", "torus:1", "gemini:2x2x2"):
        machine = ap.Machine.parse(spec)
        all_ = ap.run.links.cases(machine)
        assert len({c.what for c in all_}) == len(all_)
        for case in all_:
            assert len(set(case.messages)) == len(case.messages) > 0
            assert all(0 <= r < machine.ranks for pair in case.messages for r in pair)
            if case.group == "all pairs":  # every rank in one pair at most
                ends = [frozenset(pair) for pair in case.messages]
                assert len({r for pair in set(ends) for r in pair}) == 2 * len(set(ends))
            if case.of in ("x", "y", "z") and case.group != "start":
                nodes = [(a // machine.ranks_per_node, b // machine.ranks_per_node) for a, b in case.messages]
                assert all(machine.hops(a, b) == 1 for a, b in nodes)
    assert ap.run.links.cases(ap.Machine.parse("torus:1")) == []


def test_pairs_across_dead_links_are_left_out():
    link = '[[link]]\nfrom = [0, 0, 0]\naxis = "x"\ndirection = "+"\ndead = true\n'
    machine = ap.Machine.from_toml(UNEVEN + link)
    found = {c.what: c for c in ap.run.links.cases(machine)}
    assert found["rate x+ one pair"].messages == ((2, 3),)
    assert "start x over 1 hop" not in found
    assert ap.run.links.simulated(machine, quick=True)


@pytest.mark.parametrize("n", [1, 2, 5, 6, 7, 15, 25, 100])
def test_intervals_hold_the_median_as_often_as_they_say(n):
    random = np.random.default_rng(n)
    held = 0
    for _ in range(2000):
        low, high, confidence = ap.run.links.interval(random.exponential(size=n).tolist())
        held += low <= math.log(2) <= high
    assert held / 2000 == pytest.approx(confidence, abs=0.03)
    assert confidence >= 0.95 or n < 6
    # Compared with the binomial distribution, summed up.
    ordered = list(range(n))
    low, high, confidence = ap.run.links.interval(ordered)
    tail = sum(math.comb(n, k) for k in range(low + 1)) / 2**n
    assert confidence == pytest.approx(max(1 - 2 * tail, 0.0)) and low + high == n - 1
    if low + 1 < high - 1:  # one step in would not do
        inner = 1 - 2 * sum(math.comb(n, k) for k in range(low + 2)) / 2**n
        assert inner < 0.95


def test_an_interval_of_nothing_is_refused():
    with pytest.raises(ValueError, match="at least one"):
        ap.run.links.interval([])


def test_figures_go_into_a_machine_file_and_back():
    machine = ap.Machine.from_toml(UNEVEN)
    figures = ap.run.links.simulated(machine, quick=True)
    kept = ap.run.links.keep(machine, figures, "nobody's MPI")
    assert kept.axes[0].bandwidth == machine.axes[0].bandwidth and "[[link]]" not in kept.to_toml()
    again = ap.Machine.from_toml(kept.to_toml())
    assert again == kept
    stored = ap.run.links.stored(again)
    assert stored == {f.what: (f.value, f.low, f.high) for f in figures}
    assert again.to_dict()["calibration"]["library"] == "nobody's MPI"
    assert [ap.run.links.Figure.from_dict(json.loads(json.dumps(f.to_dict()))) for f in figures] == figures


def test_directions_that_differ_become_links():
    text = UNEVEN + "".join(
        f'[[link]]\nfrom = [{x}, {y}, 0]\naxis = "x"\ndirection = "-"\nbandwidth = "10 MB/s"\nboth_directions = false\n'
        for x in range(4)
        for y in range(5)
    )
    slow = ap.Machine.from_toml(text)
    # Measured on the one with a slow direction, kept for one of which nobody knew.
    kept = ap.run.links.keep(ap.Machine.from_toml(UNEVEN), ap.run.links.simulated(slow, quick=True), "")
    back = ap.simulate(ap.pattern.Pattern("one", 20, [(1, 0, 1 << 20)]).schedule(), kept).seconds
    there = ap.simulate(ap.pattern.Pattern("one", 20, [(0, 1, 1 << 20)]).schedule(), kept).seconds
    assert back / there == pytest.approx(4, rel=0.02)


def test_levels_take_what_was_measured():
    machine = ap.Machine.parse("gemini:2x2x2")
    figures = ap.run.links.simulated(ap.Machine.from_toml(machine.to_toml().replace("10.4 GB/s", "8 GB/s")), quick=True)
    assert ap.run.links.keep(machine, figures, "").levels[0].bandwidth == pytest.approx(8e9, rel=1e-2)
    plain = ap.Machine.parse("torus:2x2/ppn=2")
    assert ap.run.links.keep(plain, ap.run.links.simulated(plain, quick=True), "").levels[0].bandwidth == 0


def test_drift_is_more_than_the_tolerance_and_sure():
    def drift(stored, now, tolerance=0.1):
        return Drift("rate x+ one pair", "B/s", stored, now, tolerance)

    assert not drift((100, 99, 101), (95, 94, 96)).drifted
    assert drift((100, 99, 101), (80, 79, 81)).drifted
    assert drift((100, 99, 101), (125, 120, 130)).drifted
    assert not drift((100, 99, 101), (80, 60, 99.5)).drifted
    assert not drift((100, 99, 101), (80, 79, 81), 0.25).drifted
    assert "not sure" in drift((100, 99, 101), (80, 60, 99.5)).text
    assert "drifted" in drift((100, 99, 101), (80, 79, 81)).text
    assert drift((0, 0, 0), (1, 1, 1)).drifted and not drift((0, 0, 0), (0, 0, 0)).drifted


def test_what_cannot_be_compared_is_told():
    machine = ap.Machine.parse("torus:4")
    figures = ap.run.links.simulated(machine, quick=True)
    with pytest.raises(ap.Error, match="has no figures of links"):
        ap.run.links.compare(machine, figures)
    with pytest.raises(ap.Error, match="tolerance"):
        ap.run.links.compare(ap.run.links.keep(machine, figures, ""), figures, -1)
    for sizes in ((8,), (8, 8), (16, 8), (0, 8)):
        with pytest.raises(ap.Error, match="sizes"):
            ap.run.links.measured_by(machine, lambda schedule: [1.0], sizes=sizes)


def test_noise_does_not_make_a_rate_negative():
    machine = ap.Machine.parse("torus:2m")
    times = itertools.cycle([[2.0, 1.0, 3.0]])
    for figure in ap.run.links.measured_by(machine, lambda schedule: next(times), sizes=(1 << 10, 1 << 20)):
        assert 0 < figure.low <= figure.value <= figure.high


def test_the_command_measures_checks_and_draws(allport, tmp_path):
    only = ["--only-links", "--quick"]
    done = allport("machine", "calibrate", "-n", 2, *only, "-o", "mine.toml", "--plot", "links.svg", "--json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert "<svg" in (tmp_path / "links.svg").read_text()
    names = {f["what"] for f in told["link_figures"]}
    assert {"rate x+ one pair", "rate x+- all pairs", "start x over 1 hop", "rate to 1 neighbour"} <= names
    for f in told["link_figures"]:
        assert 0 < f["low"] <= f["value"] <= f["high"] and f["samples"] >= 3
    stored = ap.run.links.stored(ap.Machine.parse(str(tmp_path / "mine.toml")))
    assert stored.keys() == names
    # Against itself nothing can be far off, whatever else this computer does; against a tenth of it everything is.
    loose = allport("machine", "calibrate", "--check", "mine.toml", "--quick", "--tolerance", 1e6)
    assert loose.returncode == 0, loose.stdout + loose.stderr
    assert f"none of {len(names)} figures" in loose.stdout
    far = ap.Machine.parse(str(tmp_path / "mine.toml"))
    fits = [(what, v / 100, 0.0, low / 100, high / 100) for what, (v, low, high) in stored.items()]
    far = far.with_measured_links([0, 0], [0] * len(far.levels), fits, "", "")
    (tmp_path / "far.toml").write_text(far.to_toml())
    checked = allport("machine", "calibrate", "--check", "far.toml", "--quick", "--json")
    assert checked.returncode == 1
    drifts = json.loads(checked.stdout)["drifts"]
    assert any(d["drifted"] for d in drifts) and {d["what"] for d in drifts} == names


def test_the_command_takes_the_simulator_in_mpis_place(allport, tmp_path):
    (tmp_path / "uneven.toml").write_text(UNEVEN)
    options = ["machine", "calibrate", "-m", "uneven.toml", "--on", "simulator", "--quick"]
    done = allport(*options, "-o", "kept.toml")
    assert done.returncode == 0, done.stderr
    assert "rate y+- all pairs" in done.stdout and "exact" in done.stdout
    same = allport("machine", "calibrate", "--check", "kept.toml", "--on", "simulator", "--quick")
    assert same.returncode == 0 and "none of" in same.stdout
    slower = (tmp_path / "uneven.toml").read_text().replace("20 MB/s", "15 MB/s")
    (tmp_path / "slower.toml").write_text(slower)
    options = ["machine", "calibrate", "-m", "slower.toml", "--check", "kept.toml", "--on", "simulator", "--quick"]
    drifted = allport(*options)
    assert drifted.returncode == 1 and "rate y+ one pair" in drifted.stdout.split("figures are")[1]
    assert "rate x+ one pair" not in drifted.stdout.split("figures are")[1]


@pytest.mark.parametrize(
    ("options", "word"),
    [
        (["--on", "paper"], "expected mpi or simulator"),
        (["--check", "a.toml", "-o", "b.toml"], "expected one of the two"),
        (["--check", "gone.toml"], "gone.toml"),
        (["--only-links", "-n", 2, "--plot", "no/such/p.svg"], "there is no folder"),
    ],
)
def test_what_cannot_be_is_said_before_anything_runs(allport, options, word):
    done = allport("machine", "calibrate", *options)
    assert done.returncode == 1 and word in done.stderr


def test_ranks_that_mpiexec_started_are_joined():
    command = [sys.executable, "-m", "allport", "machine", "calibrate", "--only-links", "--quick", "-m", "torus:3"]
    done = subprocess.run(
        [*ap.run.launch.mpiexec_command(3), *command, "--json"],
        env=ap.run.launch.environment(3),
        capture_output=True,
        text=True,
        timeout=200,
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert {f["what"] for f in told["link_figures"]} == {
        c.what for c in ap.run.links.cases(ap.Machine.parse("torus:3"))
    }
