"""Candidates that are simulated: each as its own plan's graph, in the order of what they take."""

import json
from dataclasses import replace

import allport as ap
import pytest
from allport.cli import main
from allport.plan import decided

CASES = [
    (ap.plan.gemm, (600, 500, 400), {}),
    (ap.plan.lu, (512, 512), {"options": ap.Options(pivoting="tournament")}),
    (ap.plan.lu, (300, 500), {"options": ap.Options(pivoting="partial", grid="4x4")}),
    (ap.plan.cholesky, (700,), {"options": ap.Options(workers=2)}),
    (ap.plan.qr, (900, 200), {"dtype": "c8"}),
]


@pytest.mark.parametrize(("plan", "extents", "arguments"), CASES)
def test_each_is_simulated_as_its_own_plan_runs(plan, extents, arguments):
    ranked = ap.sim.simulate_candidates(plan, *extents, "bgp:4x4", most=4, **arguments)
    times = [one.seconds for one in ranked if one.seconds is not None]
    assert times
    assert times == sorted(times)
    assert [one.seconds is None for one in ranked] == sorted(one.seconds is None for one in ranked)
    ways = [(one.candidate.get("algorithm"), tuple(one.candidate["grid"])) for one in ranked]
    assert len(set(ways)) == len(ways)
    best = ranked[0]
    options = arguments.get("options", ap.Options())
    taken = replace(options, **decided(plan(*extents, "bgp:4x4", **arguments), best.candidate))
    again = plan(*extents, "bgp:4x4", **{**arguments, "options": taken})
    run = ap.graph.simulate(ap.graph.planned(again), "bgp:4x4", model=ap.graph.Model(workers=options.workers))
    assert (run.seconds, run.tasks) == (best.seconds, best.tasks)
    assert best.priced == best.candidate["seconds"]["total"]
    assert best.compute + best.communicate + best.idle == pytest.approx(1)


def test_what_is_not_simulated_says_why():
    small = ap.sim.simulate_candidates(ap.plan.cholesky, 2000, "bgp:4x4", most=2, tasks=10)
    assert all(one.seconds is None and "more than 10" in one.why_not for one in small)
    # Cannon's blocks that are handed on are a graph like any other.
    cannon = ap.sim.simulate_candidates(
        ap.plan.gemm, 512, 512, 512, "bgp:4x4", most=3, options=ap.Options(algorithm="cannon")
    )
    assert [one.seconds > 0 and not one.why_not for one in cannon] == [True]
    with pytest.raises(ap.Error, match="most = 0: expected 1 or more"):
        ap.sim.simulate_candidates(ap.plan.cholesky, 100, "bgp:4x4", most=0)


def test_progress_goes_to_the_end():
    told = []
    ap.sim.simulate_candidates(
        ap.plan.lu, 400, 400, "bgp:2x2", most=2, progress=lambda words, share: told.append((words, share))
    )
    shares = [share for _, share in told]
    assert shares == sorted(shares)
    assert shares[0] == 0
    assert 0.5 <= shares[-1] <= 1


def test_the_command_ranks_them_and_marks_the_best(capsys):
    def run(*arguments):
        with pytest.raises(SystemExit) as ended:
            main(list(arguments))
        assert ended.value.code == 0
        return capsys.readouterr().out

    words = ["plan", "lu", "--shape", "512x512", "--machine", "bgp:4x4", "--simulate", "3"]
    data = json.loads(run(*words, "--json"))
    assert len(data["simulated"]) == 3
    best = min(one["seconds"] for one in data["simulated"] if one["seconds"] is not None)
    assert data["simulated"][0]["seconds"] == best
    assert "simulated, the best of each algorithm and grid by price" in run(*words)
