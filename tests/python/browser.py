"""A real headless browser for the tests of pages: it opens a file, and returns the result of a probe in it."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

OPTIONS = "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking"
OPTIONS += " --disable-component-update --disable-sync --virtual-time-budget=20000"


def browse(page: Path, folder: Path, *, size: str = "900,900", more: tuple[str, ...] = ()) -> dict[str, Any]:
    """What a page in which a probe has been put writes to document.body.dataset.found, as JSON."""
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if browser is None:
        pytest.skip("no chromium here (Debian: apt-get install chromium): the page was not opened in a browser")
    done = subprocess.run(
        [
            browser, *OPTIONS.split(), f"--window-size={size}", f"--user-data-dir={folder / 'profile'}", *more,
            "--dump-dom", page.as_uri(),
        ],
        capture_output=True, text=True, timeout=300, check=True,
    )  # fmt: skip
    found = re.search(r"data-found=\"([^\"]*)\"", done.stdout)
    assert found, done.stdout[:300] + done.stderr[-600:]
    return json.loads(found[1].replace("&quot;", '"').replace("&amp;", "&"))
