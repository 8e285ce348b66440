"""Grids in blocks and loops by teams of threads, from Python."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("size", [1, 2, 3, 5])
def test_blocks_are_as_the_whole_grid(ranks, size):
    done = ranks("loops", size)
    assert done.returncode == 0 and "all as on one rank" in done.stdout, done.stderr[-3000:]


@pytest.mark.parametrize("size", [1, 3])
def test_jacobi_in_thirty_lines_on_other_numbers_of_ranks(ranks, size):
    path = ROOT / "examples" / "python" / "jacobi.py"
    assert len(path.read_text().splitlines()) <= 30
    done = ranks(path, size)
    assert done.returncode == 0, done.stderr[-3000:]
    assert re.match(r"after 200 iterations the plate holds 1286\.232463; .* is best so far", done.stdout), done.stdout
