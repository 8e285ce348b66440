"""Every example runs: those whose first line says mpiexec on several ranks, the others alone."""

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parents[2] / "examples" / "python").glob("*.py"))


def test_there_are_examples():
    assert len(EXAMPLES) >= 4


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_example(path, ranks, tmp_path):
    first = path.read_text().splitlines()[0]
    if "mpiexec -n 4" in first:
        done = ranks(path, 4)
    else:
        done = subprocess.run([sys.executable, path], cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0 and done.stdout.strip(), done.stderr[-3000:]
