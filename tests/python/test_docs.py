"""The reference pages that follow from the code are as the code says."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_the_page_of_algorithms_is_up_to_date() -> None:
    result = subprocess.run(
        [sys.executable, ROOT / "tools" / "make_docs.py", "--check"], capture_output=True, text=True
    )
    assert result.returncode == 0, result.stderr
