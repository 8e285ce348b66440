import pytest
from conftest import longer

ON = [(1, "-"), (2, "-"), (3, "-"), (5, "-"), *longer((4, "torus:2x2"))]


@pytest.mark.parametrize(("count", "spec"), ON)
def test_rank_0_has_the_matrix(ranks, count, spec):
    done = ranks("whole_arrays", count, spec)
    assert done.returncode == 0 and "good" in done.stdout, done.stderr[-3000:]


def test_ranks_at_other_places(ranks):
    done = ranks("whole_arrays", 4, "torus:2x2", "3,1,0,2")
    assert done.returncode == 0 and "good" in done.stdout, done.stderr[-3000:]
