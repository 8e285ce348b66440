import pytest
from conftest import longer


@pytest.mark.parametrize(
    ("count", "spec"), [(1, "-"), (3, "-"), (4, "torus:2x2"), *longer((2, "-"), (5, "-"), (7, "-"))]
)
def test_messages_that_nobody_expects(ranks, count, spec):
    done = ranks("channel", count, spec)
    assert done.returncode == 0 and "good" in done.stdout, done.stderr[-3000:]
