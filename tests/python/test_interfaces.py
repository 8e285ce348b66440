"""The page of interfaces and what is written from tools/interface_table.py: each is what the code has."""

import ctypes
import importlib
import operator
import re
import shutil
import subprocess
from pathlib import Path

import allport as ap
import pytest

ROOT = Path(__file__).resolve().parents[2]
DECLARED = """\
#include <allport/allport.h>
#include <stdio.h>
extern allport_comm comm;
extern double *mine, *all, *sent, *got;
extern int64_t n, bytes;
extern int steps, ranks, my_data;
void compute_something_else(void);
extern allport_graph_of_rank entries;
extern allport_graph_number owner, parents;
extern allport_graph_of_task children;
extern allport_graph_count count;
extern allport_graph_bytes output;
extern allport_graph_body body;
"""


@pytest.fixture(scope="module")
def tools():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT / "tools"))
        yield importlib.import_module("make_interfaces")


def test_all_is_as_the_table_says(tools):
    for name, write in tools.FILES.items():
        assert (ROOT / name).read_text() == tools.formatted(name, write()), name


def test_the_page_has_every_function(tools):
    fortran = importlib.import_module("make_fortran")
    page = importlib.import_module("interface_page")
    named = set(re.findall(r"`([^`]+)`", page.page()))
    functions = {f.fortran for f in fortran.parse(fortran.header())[2]}
    assert len(functions) > 70 and functions <= named, functions - named
    for c in page.TABLE:
        assert {*c.python_names, c.cpp, f"start_{c.cpp}", f"prepare_{c.cpp}"} <= named, c.name
    assert {row[4] for row in page.OTHERS if row[4]} <= named


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
    names = {f.name for f in fortran.parse(fortran.header())[2]} | {"allport_comm_create"}
    assert 80 <= len(names) <= 100, "types are arguments, and what is queried together is one struct"
    bodies = "".join(path.read_text() for path in (ROOT / "src" / "c").glob("*.cpp"))
    assert [n for n in sorted(names) if f" {n}(" not in bodies] == []
    built = ROOT / "build" / "release" / "liballport.so"
    if built.exists() and built.stat().st_mtime > max(p.stat().st_mtime for p in (ROOT / "src" / "c").glob("*.cpp")):
        library = ctypes.CDLL(str(built))
        assert [n for n in names if not hasattr(library, n)] == []
        library.allport_version.restype = ctypes.c_char_p
        assert library.allport_version().decode() == ap.__version__


def test_the_page_compiles(tmp_path):
    """Each C block of docs/reference/c.md, in a function whose variables are declared before."""
    page = (ROOT / "docs" / "reference" / "c.md").read_text()
    blocks = re.findall(r"```c\n(.*?)```", page, re.DOTALL)
    assert len(blocks) == 3
    compiler = shutil.which("mpicc.openmpi") or shutil.which("mpicc")
    if compiler is None:
        pytest.skip("no mpicc here: the page's C was not compiled")
    source = tmp_path / "page.c"
    source.write_text(DECLARED + "".join(f"void block{i}(void) {{\n{b}}}\n" for i, b in enumerate(blocks)))
    command = [compiler, "-std=c11", "-Wall", "-fsyntax-only", f"-I{ROOT / 'include'}", str(source)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0 and "warning" not in done.stderr, done.stderr
    named = set(re.findall(r"\ballport_\w+(?=`|\(|,)", page))
    fortran = importlib.import_module("make_fortran")
    codes, handles, functions = fortran.parse(fortran.header())
    known = {*codes, *handles, *fortran.structs(fortran.header()), *(f.name for f in functions)}
    known |= {"allport_comm_create", "allport_type", "allport_code", "allport_NAME"}
    assert named <= known, named - known


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
