import json

import allport as ap
import numpy as np
import pytest
from conftest import longer

ON = [(1, "-"), (3, "-"), *longer((2, "-"), (4, "torus:2x2"), (6, "torus:3x2m"))]


@pytest.mark.parametrize(("count", "spec"), ON)
def test_systems(ranks, count, spec):
    done = ranks("solve", count, spec)
    assert done.returncode == 0 and "good" in done.stdout, done.stderr[-3000:]


@pytest.mark.parametrize(("count", "spec", "places"), [(4, "torus:2x2", "3,1,0,2"), *longer((3, "mesh:3", "1,2,0"))])
def test_systems_of_ranks_at_other_places(ranks, count, spec, places):
    done = ranks("solve", count, spec, places)
    assert done.returncode == 0 and "good" in done.stdout, done.stderr[-3000:]


def test_a_plan_needs_no_ranks():
    plan = ap.plan.lu(5000, 4000, "torus:4x4", dtype="f4", options=ap.Options(pivoting="partial"))
    data = plan.to_dict()
    assert plan.shape == (5000, 4000) and plan.pivoting == "partial" and plan.distribution.shape == (5000, 4000)
    assert data["problem"] == {"m": 5000, "n": 4000, "type": "s", "pivoting": "partial"}
    assert (
        plan.predicted
        == data["chosen"]["seconds"]["total"]
        == min(c["seconds"]["total"] for c in data["candidates"] if "why_not" not in c)
    )
    assert plan.memory == data["chosen"]["memory_bytes"] >= 5000 * 4000 * 4 / 16
    chosen = data["chosen"]
    assert chosen["bound_words"] == max(chosen["bound_memory_dependent"], chosen["bound_memory_independent"]) > 0
    assert chosen["ratio_to_bound"] == pytest.approx(
        (chosen["words"] + chosen["exchanged_words"]) / chosen["bound_words"]
    )
    assert "partial" in repr(plan)


@pytest.mark.parametrize(
    ("fixed", "words"),
    [
        ({"pivoting": "sometimes"}, ["pivoting", "sometimes", "tournament"]),
        ({"algorithm": "magic"}, ["magic"]),
        ({"grid": "5x5x1"}, ["grid", "5x5x1"]),
        ({"panel": -1}, ["panel"]),
        ({"panel": 8, "outer_panel": 12}, ["12", "8"]),
        ({"panel": 8, "nb": 12}, ["nb", "8"]),
        ({"algorithm": "1d", "grid": "2x8x1"}, ["1d", "one row"]),
        ({"memory": "1KiB"}, ["1024"]),
        ({"memory": 0}, ["memory = 0"]),
        ({"tree": "shouting"}, ["tree", "shouting", "prefix"]),
        ({"workers": 2}, ["workers", "plan.lu"]),
    ],
)
def test_plans_that_cannot_be(fixed, words):
    with pytest.raises(ap.Error) as error:
        ap.plan.lu(400, 400, "torus:4x4", options=ap.Options(**fixed))
    assert all(word in str(error.value) for word in words), str(error.value)
    with pytest.raises(ap.Error):
        ap.plan.lu(-1, 4, "torus:4x4")
    with pytest.raises(ap.Error, match="int32"):
        ap.plan.lu(400, 400, "torus:4x4", dtype="i4")


def test_trees_of_panels_can_be_compared():
    """Rectangular trees and others (Solomonik11, slide 19)."""
    trees = ("axes", "flat", "binomial")
    plans = [
        ap.plan.lu(1024, 1024, "bgp:4x2m", options=ap.Options(tree=tree, grid="4x2", panel=64)).to_dict()["chosen"]
        for tree in trees
    ]
    assert plans[0]["messages"] != plans[1]["messages"]
    assert len({str(plan["seconds"]) for plan in plans}) == 3


def test_what_is_chosen_is_left_alone():
    plan = ap.plan.lu(300, 300, "torus:4x3", options=ap.Options(grid="4x3", panel=20, algorithm="2d", pivoting="none"))
    assert (plan.grid, plan.panel, plan.algorithm, plan.pivoting) == ((4, 3, 1), 20, "2d", "none")
    assert {a["name"] for a in ap.plan.lu_algorithms()} == {"1d", "2d", "2.5d"}


def test_plan_lu_on_the_command_line(allport):
    done = allport("plan", "lu", "--shape", "4000x4000", "--machine", "torus:4x4")
    assert done.returncode == 0, done.stderr
    assert "\x1b" not in done.stdout and done.stderr == ""
    for word in (
        "P A = L U",
        "tournament pivoting",
        "chosen:",
        "2d",
        "outer panel",
        "x bound",
        "lower bounds on words",
    ):
        assert word in done.stdout, done.stdout
    done = allport("plan", "lu", "--shape", "400x300", "-n", 6, "--pivoting", "partial", "--json")
    data = json.loads(done.stdout)
    assert data["problem"] == {"m": 400, "n": 300, "type": "d", "pivoting": "partial"} and data["ranks"] == 6
    assert all(np.prod(c["grid"]) <= 6 for c in data["candidates"])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--shape", "40x40x40", "-n", 2], ["shape", "MxN"]),
        (["--shape", "40x40", "-n", 2, "--dtype", "text"], ["dtype", "float64"]),
        (["--shape", "40x40", "-n", 2, "--pivoting", "rook"], ["rook", "tournament"]),
    ],
)
def test_bad_plans_on_the_command_line(allport, arguments, words):
    done = allport("plan", "lu", *arguments)
    assert done.returncode == 1 and done.stdout == "" and done.stderr.startswith("allport: ")
    assert all(word in done.stderr for word in words), done.stderr
