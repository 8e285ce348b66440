"""Files that are damaged, missing or in the way, on several ranks: nothing hangs, and nothing is lost."""

import pytest


@pytest.mark.parametrize("count", [1, 2, 3])
def test_one_error_on_every_rank_and_nothing_lost(ranks, count):
    done = ranks("files", count)
    assert done.returncode == 0 and "good" in done.stdout, done.stdout + done.stderr
