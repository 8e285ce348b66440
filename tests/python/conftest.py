"""Shared by the tests: the command line as a user calls it, scripts on several ranks, and golden files."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import allport as ap
import pytest
from allport import abi
from lab_rig import up as up
from warm import Warm

HERE = Path(__file__).parent
LIMIT = 240
#: Of _unit(): more than ten seconds each.
LONGEST = [f"test_{name}" for name in "lab figures shown tutorials tensors lu qr cholesky graph".split()]


def longer(*parameters: Any) -> list[Any]:
    """Parameters whose shape others have: pytest -m long runs them, as make test-suites does."""
    return [pytest.param(*each, marks=pytest.mark.long) for each in parameters]


def _unit(nodeid: str) -> str:
    """What stays in one process: a file, whose fixtures are made once, or all of the lab's, which share the cores."""
    file = Path(nodeid.split("::")[0]).stem
    return "test_lab" if file.startswith("test_lab") else file


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What takes longest comes first, so that several processes (pytest -n) end together."""
    order = {name: i for i, name in enumerate(LONGEST)}
    items.sort(key=lambda item: order.get(_unit(item.nodeid), len(order)))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    # Not xdist's own loadgroup: with pytest 9 it parts the tests of a group.
    from xdist.scheduler import LoadScopeScheduling

    class Units(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return _unit(nodeid)

    config.option.loadscopereorder = False
    return Units(config, log)


#: What ranks are told by themselves. A build from source writes MPI4PY_... when it is imported; from a wheel it is what
#: the user wants (tools/test-wheel).
TOLD = ("OMPI_", "PMI", "ALLPORT_MACHINE", *(() if abi.cores(Path(ap.__file__).parent) else ("MPI4PY_",)))


def clean_environment(extra: dict[str, str] | None = None) -> dict[str, str]:
    env = {k: v for k, v in os.environ.items() if not k.startswith(TOLD)}
    # What was measured on this computer before must not change what is printed.
    kept = str(Path(tempfile.gettempdir()) / f"allport-tests-{os.getpid()}" / "measured.json")
    return {**env, "COLUMNS": "200", "ALLPORT_MEASURED": kept, **(extra or {})}


@pytest.fixture(scope="session")
def warm() -> Warm:
    return Warm()


@pytest.fixture
def allport(tmp_path: Path, warm: Warm):
    """Runs `allport ARGUMENTS` in an empty folder; returns the finished process."""

    def call(*arguments: Any, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
        words = [str(a) for a in arguments]
        if all(name.startswith("ALLPORT_") for name in env or {}):
            return warm(words, tmp_path, clean_environment(env), LIMIT)
        return subprocess.run(  # what else there is may be read when a process starts
            [sys.executable, "-m", "allport", *words],
            cwd=tmp_path,
            env=clean_environment(env),
            capture_output=True,
            text=True,
            timeout=LIMIT,
        )

    return call


#: What is found before ranks are started.
NO_RANKS = {"ALLPORT_MPIEXEC": "false"}


@pytest.fixture
def refuses(allport, tmp_path: Path):
    """Runs `allport run ARGUMENTS`, which must fail with one line that has these words, and write no file."""

    def call(*arguments: Any, words: Sequence[str], code: int = 1, env: dict[str, str] = NO_RANKS) -> None:
        before = sorted(tmp_path.iterdir())
        done = allport("run", *arguments, env=env)
        assert done.returncode == code, (done.returncode, done.stdout, done.stderr)
        assert done.stderr.startswith("allport: ") and "Traceback" not in done.stderr, done.stderr
        for word in words:
            assert word in done.stderr, done.stderr
        assert done.stdout == "" and sorted(tmp_path.iterdir()) == before

    return call


@pytest.fixture
def ranks(tmp_path: Path):
    """Runs tests/python/ranks/SCRIPT.py, or a script by its path, on so many ranks."""

    def call(script: str | Path, count: int, *arguments: Any) -> subprocess.CompletedProcess[str]:
        path = script if isinstance(script, Path) else HERE / "ranks" / f"{script}.py"
        env = {**clean_environment(), **ap.run.launch.environment(count)}
        return subprocess.run(
            [*ap.run.launch.mpiexec_command(count), sys.executable, str(path), *(str(a) for a in arguments)],
            cwd=tmp_path,
            env=env,
            capture_output=True,
            text=True,
            timeout=LIMIT,
        )

    return call


def same(got: Any, wanted: Any, where: str = "") -> list[str]:
    """Differences of two JSON values; floats may differ in the ninth digit."""
    if isinstance(wanted, dict) and isinstance(got, dict):
        keys = [f"{where}.{k}: only on one side" for k in wanted.keys() ^ got.keys()]
        return keys + [d for k in wanted.keys() & got.keys() for d in same(got[k], wanted[k], f"{where}.{k}")]
    if isinstance(wanted, list) and isinstance(got, list):
        if len(wanted) != len(got):
            return [f"{where}: {len(got)} entries, expected {len(wanted)}"]
        return [d for i, (g, w) in enumerate(zip(got, wanted, strict=True)) for d in same(g, w, f"{where}[{i}]")]
    if isinstance(wanted, float) or isinstance(got, float):
        return [] if got == pytest.approx(wanted, rel=1e-9) else [f"{where}: {got}, expected {wanted}"]
    return [] if got == wanted and type(got) is type(wanted) else [f"{where}: {got!r}, expected {wanted!r}"]


@pytest.fixture
def golden():
    """Compares JSON text with tests/python/golden/NAME.json; ALLPORT_UPDATE_GOLDEN=1 writes it anew."""

    def check(name: str, text: str, drop: tuple[str, ...] = ()) -> None:
        data = json.loads(text)
        for key in drop:
            data.pop(key)
        path = HERE / "golden" / f"{name}.json"
        if os.environ.get("ALLPORT_UPDATE_GOLDEN") == "1":
            path.write_text(json.dumps(data, indent=1) + "\n")
        differences = same(data, json.loads(path.read_text()))
        assert not differences, f"{path.name}: {differences[:10]}; if meant, ALLPORT_UPDATE_GOLDEN=1 pytest"

    return check
