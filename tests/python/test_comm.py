import pytest
from conftest import longer

RANKS = [1, 3, 7, *longer((2,), (4,))]


@pytest.mark.parametrize("count", RANKS)
def test_collectives_on_a_plain_line(ranks, count):
    done = ranks("collectives", count)
    assert done.returncode == 0 and "good" in done.stdout, done.stderr[-3000:]


@pytest.mark.parametrize(("count", "spec"), [(4, "torus:2x2"), (6, "torus:3x2m"), (4, "mesh:2/ppn=2")])
def test_collectives_on_a_machine(ranks, count, spec):
    done = ranks("collectives", count, spec)
    assert done.returncode == 0 and f"good {spec}" in done.stdout, done.stderr[-3000:]


@pytest.mark.parametrize(
    ("count", "spec"), [(1, "-"), (3, "-"), (4, "torus:2x2"), *longer((2, "-"), (8, "torus:2x2x2"))]
)
def test_matrices(ranks, count, spec):
    done = ranks("matrices", count, spec)
    assert done.returncode == 0 and "good" in done.stdout, done.stderr[-3000:]


@pytest.mark.parametrize("script", ["collectives", "matrices"])
@pytest.mark.parametrize(
    ("count", "spec", "places"),
    [(4, "torus:2x2", "3,1,0,2"), *longer((3, "mesh:3", "1,2,0"), (6, "torus:3x2m", "5,0,3,1,4,2"))],
)
def test_ranks_at_other_places(ranks, script, count, spec, places):
    done = ranks(script, count, spec, places)
    assert done.returncode == 0 and "good" in done.stdout, done.stderr[-3000:]


@pytest.mark.parametrize("count", [2, 3])
def test_calls_that_wait_let_other_threads_run(ranks, count):
    done = ranks("interpreter_lock", count)
    assert done.returncode == 0 and "good" in done.stdout, done.stderr[-3000:]


@pytest.mark.parametrize("count", [2, 3])
def test_a_machine_that_one_rank_cannot_read(ranks, count):
    done = ranks("specs", count)
    assert done.returncode == 0 and "good" in done.stdout, done.stderr[-3000:]


def test_unequal_lengths_are_an_error_that_names_the_check(ranks, monkeypatch):
    done = ranks("unequal_lengths", 3, "mismatch")
    assert done.returncode != 0 and ": mismatch: " in done.stdout and "ALLPORT_CHECK=1" in done.stdout, done.stdout
    monkeypatch.setenv("ALLPORT_CHECK", "1")
    done = ranks("unequal_lengths", 3, "checked")
    assert done.returncode != 0 and "no error" not in done.stdout, done.stdout
    assert "0 bytes" in done.stdout and "80 bytes" in done.stdout, done.stdout


def test_a_wait_for_a_message_that_nobody_sends_names_the_check(ranks, monkeypatch):
    monkeypatch.setenv("ALLPORT_STALL_SECONDS", "1")
    monkeypatch.setenv("ALLPORT_STALL", "abort")
    done = ranks("unequal_lengths", 2, "stall")
    assert done.returncode != 0 and "different arguments: ALLPORT_CHECK=1" in done.stderr, done.stderr[-3000:]
