"""docs/reference/interfaces.md and what is written from tools/interface_table.py: each is what the code has."""

import ctypes
import importlib
import operator
import re
from pathlib import Path

import allport as ap
import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "reference" / "interfaces.md"


@pytest.fixture(scope="module")
def tools():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT / "tools"))
        yield importlib.import_module("make_interfaces")


def test_all_is_as_the_table_says(tools):
    for name, write in tools.FILES.items():
        assert (ROOT / name).read_text() == tools.formatted(name, write()), name


def test_pythons_names_are_there(tools):
    page = importlib.import_module("interface_page")
    comm = importlib.import_module("allport.comm").Communicator
    for collective in page.TABLE:
        for name in collective.python_names:
            assert getattr(comm, name).__doc__, name
    for what, _, _, _, python in page.OTHERS:
        if python and python.partition(".")[0] not in ("Transfer", "Persistent"):
            assert operator.attrgetter(python)(ap) is not None, what


def test_a_name_that_is_not_there_is_found(tools, monkeypatch):
    page = importlib.import_module("interface_page")
    with pytest.raises(SystemExit, match="C\\+\\+ Communicator::teleport"):
        monkeypatch.setattr(page, "OTHERS", [("x", "comm/communicator", "Communicator::teleport", "", "")])
        page.page()
    with pytest.raises(SystemExit, match="a row for allport_"):
        monkeypatch.setattr(page, "OTHERS", [])
        page.page()


def test_every_c_function_is_in_the_library(tools):
    fortran = importlib.import_module("make_fortran")
    names = {f.name for f in fortran.parse(fortran.header())[2]}
    assert len(names) > 120
    bodies = "".join(path.read_text() for path in (ROOT / "src").glob("allport_c*.cpp"))
    plain = [n for n in names if not re.match(r"allport_([sdcz])(?=ge|po|or|un)", n)]
    missing = [n for n in plain if f"{n}(" not in bodies and not n.startswith("allport_graph_set_")]
    assert not missing
    built = ROOT / "build" / "release" / "liballport.so"
    if built.exists() and built.stat().st_mtime > max(p.stat().st_mtime for p in (ROOT / "src").glob("allport_c*.cpp")):
        library = ctypes.CDLL(str(built))
        assert [n for n in names if not hasattr(library, n)] == []
        library.allport_version.restype = ctypes.c_char_p
        assert library.allport_version().decode() == ap.__version__


def test_one_version_everywhere():
    """CMake's project() has it; the package, the C library and the citation follow."""
    text = (ROOT / "CMakeLists.txt").read_text()
    version = re.search(r"project\(allport VERSION ([0-9.]+)", text)[1]
    assert re.fullmatch(r"\d+\.\d+\.\d+", version), "major.minor.patch (semver.org)"
    assert ap.__version__ == version
    project = (ROOT / "pyproject.toml").read_text()  # Python 3.10 reads no TOML by itself
    assert 'dynamic = ["version"]' in project and 'input = "CMakeLists.txt"' in project
    citation = re.search(r"^version: *\"?([0-9.]+)", (ROOT / "CITATION.cff").read_text(), re.MULTILINE)
    assert citation is None or citation[1] == version
