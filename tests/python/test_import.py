"""`import allport` is the public API and nothing else: what it loads, and what each name of it loads."""

import json
import subprocess
import sys

import allport as ap
import pytest

EXTRAS = ("matplotlib", "rich", "typer", "h5py")
ABOVE = (
    "allport.run",
    "allport.lab",
    "allport.doctor",
    "allport.discover",
    "allport.preload",
    "allport.bench",
    "allport.report",
    "allport.cli",
)


def loaded(code: str) -> set[str]:
    """The modules of a fresh interpreter after these lines."""
    lines = f"{code}\nimport json, sys\nprint(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", lines], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return set(json.loads(done.stdout.splitlines()[-1]))


def test_import_allport_loads_no_tool_and_no_room_above_it() -> None:
    found = loaded("import allport")
    assert not found & {*EXTRAS, *ABOVE, "numpy", "mpi4py.MPI", "allport.comm"}
    assert {name for name in found if name.startswith("allport.")} == {
        "allport._native",
        "allport.abi",
        "allport.mpi",
        "allport.threads",
    }


def test_the_public_api_needs_no_tool_and_no_room_above_it() -> None:
    public = sorted({*ap._MODULES, *ap._HOMES.values()} - {"bench", "discover", "doctor", "lab", "report", "run"})
    assert "comm" in public and "linalg.lu" in public
    found = loaded(f"import importlib\nfor name in {public!r}: importlib.import_module('allport.' + name)")
    assert not found & {*EXTRAS, *ABOVE}


@pytest.mark.parametrize("name", sorted(ap.__all__))
def test_every_public_name_is_there(name: str) -> None:
    assert getattr(ap, name) is not None
