"""The types that the package promises (py.typed): checked by mypy, with the stub that the build wrote."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import allport as ap
import pytest

ROOT = Path(__file__).resolve().parents[2]
STUB = Path(ap._native.__file__).parent / "_native.pyi"

USES = """\
import numpy as np
from allport.comm import Communicator, Transfer, Persistent
import allport as ap

def use(comm: Communicator) -> float:
    total = np.zeros(3)
    comm.Allreduce(np.ones(3), total, np.maximum)
    collected = np.zeros((2, 3)) if comm.Get_rank() == 1 else None
    comm.Gather(total, collected, root=1)
    started: Transfer = comm.Ialltoallv([total, [1, 2]], [total.copy(), [2, 1]])
    often: Persistent = comm.Bcast_init(bytearray(4))
    often.Start().Wait()
    machine: ap.Machine = ap.Machine.parse("torus:4x4")
    plan = ap.plan.gemm(100, 100, 100, machine)
    return plan.predicted + (0.0 if collected is None else float(collected.sum())) + float(started.Test())
"""
WRONG = """\
from allport.comm import Communicator

def use(comm: Communicator) -> None:
    comm.Bcast(3, root="zero")
    comm.Allreduce(1.0, 2.0, op=4)
    comm.teleport()
"""


def mypy(tmp_path: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """In a folder where the package lies with its stub, as in a wheel."""
    if importlib.util.find_spec("mypy") is None:
        pytest.skip("mypy is not installed (dependency group dev)")
    if not STUB.exists():
        pytest.skip("this build wrote no stub")
    package = tmp_path / "allport"
    package.mkdir(exist_ok=True)
    for source in (ROOT / "python" / "allport").iterdir():
        link = package / source.name
        if source.name != "__pycache__" and not source.name.startswith("_native") and not link.exists():
            link.symlink_to(source)
    if not (package / "_native.pyi").exists():
        (package / "_native.pyi").symlink_to(STUB)
    command = [sys.executable, "-m", "mypy", "--config-file", ROOT / "pyproject.toml", *arguments]
    return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=240)


def test_the_stub_names_what_the_module_has():
    if not STUB.exists():
        pytest.skip("this build wrote no stub")
    text = STUB.read_text()
    missing = [
        name for name in dir(ap._native) if not name.startswith("_") and f" {name}" not in text.replace("(", " ")
    ]
    assert not missing


def test_the_package_and_its_studies_are_clean(tmp_path):
    (tmp_path / "studies").symlink_to(ROOT / "studies")
    done = mypy(tmp_path, "-p", "allport", "-p", "studies.figures", "-m", "studies.__main__", "-m", "studies.rank")
    assert done.returncode == 0, done.stdout[-4000:]


def test_what_users_write(tmp_path):
    (tmp_path / "uses.py").write_text(USES)
    (tmp_path / "wrong.py").write_text(WRONG)
    assert (done := mypy(tmp_path, "uses.py")).returncode == 0, done.stdout
    found = mypy(tmp_path, "wrong.py").stdout
    assert '"root"' in found and '"op"' in found and "teleport" in found, found
