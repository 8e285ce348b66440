"""Machines, schedules and plans through a pickle, also into another process."""

import copy
import pickle
import subprocess
import sys

import allport as ap
import numpy as np
import pytest

MACHINES = ["torus:4x4", "mesh:3x2m/ppn=2", "bgp:2x2x2", "torus:5"]


def again(thing):
    return pickle.loads(pickle.dumps(thing))


@pytest.mark.parametrize("spec", MACHINES)
def test_machines(spec):
    machine = ap.Machine.parse(spec)
    assert again(machine) == machine and copy.deepcopy(machine).to_toml() == machine.to_toml()


def test_every_registered_algorithm():
    machine = ap.Machine.parse("torus:3x2")
    for algorithm in ap.collectives.algorithms():
        try:
            schedule = ap.make_schedule(
                algorithm["collective"], machine, algorithm=algorithm["name"], root=0, bytes=960, element=8
            )
        except ap.Error:
            continue  # another shape's
        same = again(schedule)
        assert repr(same) == repr(schedule)
        for rank in range(machine.ranks):
            assert repr(same.program(rank).ops) == repr(schedule.program(rank).ops)
            assert same.traffic(rank).to_dict() == schedule.traffic(rank).to_dict()
        assert ap.verify.prove(same, machine).counts == ap.verify.prove(schedule, machine).counts, algorithm["name"]


def test_a_schedule_that_runs_elsewhere():
    schedule = ap.make_schedule("reduce", "mesh:5", root=3, bytes=800, element=8)
    parts = [np.arange(100.0) * r for r in range(5)]
    wanted, got = (ap.schedule.interpret(s, parts)[3] for s in (schedule, again(schedule)))
    assert (wanted == got).all() and (got == np.arange(100.0) * 10).all()


@pytest.mark.parametrize(
    "make",
    [
        lambda: ap.plan.gemm(900, 800, 700, "torus:2x2", trans="TN", dtype="f4", options=ap.Options(memory="1GiB")),
        lambda: ap.plan.gemm(640, 640, 640, "torus:4", options=ap.Options(grid="2x2x1", mapping=[3, 1, 0, 2])),
        lambda: ap.plan.lu(500, 500, "torus:2x2", options=ap.Options(pivoting="partial")),
        lambda: ap.plan.cholesky(512, "bgp:2x2x1", lower=False, options=ap.Options(grid="2x2", workers=2)),
        lambda: ap.plan.qr(700, 300, "bgp:2x2x1", options=ap.Options(nb=64)),
    ],
)
def test_plans(make):
    plan = make()
    assert again(plan).to_dict() == plan.to_dict() and repr(again(plan)) == repr(plan)


def test_another_process_opens_it(tmp_path):
    plan = ap.plan.gemm(300, 300, 300, "torus:2x2")
    (tmp_path / "plan").write_bytes(pickle.dumps(plan))
    script = "import pickle, sys; print(repr(pickle.load(open(sys.argv[1], 'rb'))))"
    done = subprocess.run([sys.executable, "-c", script, tmp_path / "plan"], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == repr(plan)


def test_what_was_changed_is_refused():
    from allport import _native, pickling

    state = _native.schedule_state(ap.make_schedule("bcast", "torus:4", root=0, bytes=64))
    for broken in (
        {**state, "programs": state["programs"][:-1]},
        {**state, "programs": [state["programs"][0][:-8], *state["programs"][1:]]},
        {**state, "what": 77},
        {**state, "numbers": state["numbers"][:3]},
    ):
        with pytest.raises(ap.Error):
            pickling.schedule(broken)
