"""One plan per run: the plan that was shown, checked and priced is the one that runs, without a second search."""

import json
from pathlib import Path

import allport as ap
import numpy as np
import pytest
from allport import _native
from allport.cli import main
from allport.plan import decisions

HERE = Path(__file__).parent
MACHINES = ("torus:4x4", "torus:2x3", "mesh:12", "bgp:2x2x2", "torus:3x3x2/ppn=2")


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize(
    "shape", [(100, 100, 100), (10, 1000, 3), (1000, 1000, 10), (1, 1, 1), (0, 5, 5), (64, 64, 4096)]
)
def test_a_product_planned_again_from_its_decisions_is_the_same(machine, shape):
    for trans in ("NN", "TN", "NC"):
        plan = ap.plan.gemm(*shape, machine, trans=trans)
        again = ap.plan.gemm(*shape, machine, trans=trans, options=ap.Options(**decisions(plan)))
        assert again.to_dict()["chosen"] == plan.to_dict()["chosen"]
        assert (again.a, again.b, again.c) == (plan.a, plan.b, plan.c)


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("shape", [(100, 100), (300, 20), (20, 300), (1, 1), (0, 4)])
def test_a_factorization_planned_again_from_its_decisions_is_the_same(machine, shape):
    for pivot in ("tournament", "partial", "none"):
        plan = ap.plan.lu(*shape, machine, options=ap.Options(pivoting=pivot))
        again = ap.plan.lu(*shape, machine, options=ap.Options(**decisions(plan), pivoting=pivot))
        assert again.to_dict()["chosen"] == plan.to_dict()["chosen"]
        assert again.distribution == plan.distribution


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("n", [0, 1, 100, 3000])
def test_a_cholesky_planned_again_from_its_decisions_is_the_same(machine, n):
    for lower in (True, False):
        plan = ap.plan.cholesky(n, machine, lower=lower)
        again = ap.plan.cholesky(n, machine, lower=lower, options=ap.Options(**decisions(plan)))
        assert again.to_dict()["chosen"] == plan.to_dict()["chosen"]
        assert again.distribution == plan.distribution


def test_the_tree_of_a_products_panels_is_asked_for(allport):
    trees = ("axes", "binomial", "prefix", "chain", "flat")
    plans = [
        ap.plan.gemm(1024, 1024, 1024, "bgp:4x4", options=ap.Options(grid="4x4", panel=64, tree=tree)) for tree in trees
    ]
    assert len({plan.to_dict()["chosen"]["seconds"]["total"] for plan in plans}) >= 4
    done = allport("plan", "gemm", "--shape", "64x64x64", "-m", "torus:4x4", "--tree", "star")
    assert (
        done.returncode == 1 and "--tree = 'star': expected one of flat, chain, prefix, axes, binomial" in done.stderr
    )
    done = allport(*"plan gemm --shape 1024x1024x1024 -m bgp:4x4 --grid 4x4 --tree binomial --json".split())
    assert done.returncode == 0, done.stderr


def test_the_order_of_the_grids_axes_can_be_asked_for_and_is_checked():
    for order in ("ijl", "jil"):
        assert (
            ap.plan.gemm(64, 64, 64, "torus:4x4", options=ap.Options(grid="4x4", order=order)).to_dict()["chosen"][
                "order"
            ]
            == order
        )
        assert (
            ap.plan.lu(64, 64, "torus:4x4", options=ap.Options(grid="4x4", order=order)).to_dict()["chosen"]["order"]
            == order
        )
    for bad in ("ij", "iil", "row", "ijlk"):
        with pytest.raises(ap.Error, match=f"order = '{bad}': .*write jil"):
            ap.plan.gemm(64, 64, 64, "torus:4x4", options=ap.Options(order=bad))
        with pytest.raises(ap.Error, match=f"order = '{bad}'"):
            ap.plan.lu(64, 64, "torus:4x4", options=ap.Options(order=bad))


@pytest.mark.parametrize("count", [1, 3, 4])
def test_every_rank_plans_once(ranks, tmp_path, count):
    np.save(tmp_path / "A.npy", np.random.default_rng(2).random((24, 24)) + 24 * np.eye(24))
    done = ranks("plans", count, tmp_path / "A.npy", tmp_path)
    assert done.returncode == 0, done.stderr
    assert "planned once" in done.stdout


@pytest.mark.parametrize("words", [("gemm", "A.npy", "A.npy", "-o", "C.npy"), ("lu", "A.npy", "-o", "F.npz")])
def test_the_command_plans_once_and_its_ranks_take_that_plan(tmp_path, monkeypatch, capsys, words):
    np.save(tmp_path / "A.npy", np.random.default_rng(2).random((24, 24)) + 24 * np.eye(24))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(HERE / "ranks"))
    monkeypatch.setenv("ALLPORT_COUNT_PLANS", str(tmp_path))
    run, planner, planned, told = ap.run.launch.run, f"plan_{words[0]}", [], []
    plan = getattr(_native, planner)
    monkeypatch.setattr(_native, planner, lambda *a: planned.append(planner) or plan(*a))
    monkeypatch.setattr(ap.run.launch, "run", lambda module, job, *rest: told.append(job) or run("plans", job, *rest))
    with pytest.raises(SystemExit) as ended:
        main(["run", *words, "--machine", "torus:2x2", "--json"])
    assert ended.value.code == 0
    chosen = json.loads(capsys.readouterr().out)["plan"]["chosen"]
    assert planned == [planner]
    assert [json.loads((tmp_path / f"{rank}.json").read_text()) for rank in range(4)] == [[planner]] * 4
    assert all(told[0][name] == chosen[name] for name in ("algorithm", "grid", "order"))
