import pytest
from conftest import longer

ON = [(1, "-"), (3, "-"), *longer((2, "-"), (4, "torus:2x2"), (5, "-"))]


@pytest.mark.parametrize(("count", "spec"), ON)
def test_eigh(ranks, count, spec):
    done = ranks("eigh", count, spec)
    assert done.returncode == 0 and "good" in done.stdout, done.stderr[-3000:]


def test_eigh_of_ranks_at_other_places(ranks):
    done = ranks("eigh", 4, "torus:2x2", "3,1,0,2")
    assert done.returncode == 0 and "good" in done.stdout, done.stderr[-3000:]


@pytest.mark.parametrize(("count", "spec"), [(3, "-"), *longer((1, "-"), (4, "torus:2x2"))])
def test_inverses_and_determinants(ranks, count, spec):
    done = ranks("inverse", count, spec)
    assert done.returncode == 0 and "good" in done.stdout, done.stderr[-3000:]
