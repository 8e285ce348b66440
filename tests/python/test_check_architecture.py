"""tools/check_architecture.py reports each seeded violation, and nothing in a clean tree."""

import importlib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = """
| layer | module | what lives there | may include, besides `base` |
|---|---|---|---|
| 0 | `base` | units | - |
| 1 | `machine` | the hardware | - |
| 2 | `model` | costs | machine |
| 3 | `graph` (planned) | tasks | machine, model |
| 5 | `comm` | MPI | machine, graph |
| 7 | `linalg` | matrices | comm, machine |

| layer | module | what lives there | may import |
|---|---|---|---|
| 0 | `allport._native` | compiled | - |
| 1 | `allport` | public | allport._native |
| 2 | `allport.run` | jobs | allport, allport._native |
| 3 | `allport.cli` | commands | allport, allport.run |
"""
INIT = """
from allport import machine
from allport._native import x
if TYPE_CHECKING:
    from allport import run
_MODULES = ("run",)
_HOMES = {"Machine": "machine"}
"""


@pytest.fixture(scope="module")
def check_architecture():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT / "tools")
        yield importlib.import_module("check_architecture")


@pytest.fixture
def tree(tmp_path):
    def write(name, text):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    write("docs/concepts/architecture.md", PAGE)
    write("CMakeLists.txt", "allport_module(machine DEPENDS base)\nallport_module(model DEPENDS machine)\n")
    write("include/allport/base.h", '#include "allport/base/units.h"\n')
    write("include/allport/base/units.h", "#include <string>\n")
    write("include/allport/machine/machine.h", '#include "allport/base/units.h"\n')
    write("src/machine/machine.cpp", '#include "allport/machine/machine.h"\n')
    write("src/model/cost.cpp", '#include "allport/machine/machine.h"\n')
    write("src/comm/run.cpp", '#include <mpi.h>\n#include "allport/machine/machine.h"\n')
    uses = '#include "allport/comm/run.h"\n#include "allport/machine/machine.h"\n'
    write("src/linalg/gemm.cpp", f"#include <cblas.h>\n{uses}void f() {{ dgemm_(1); }}\n")
    write("src/c/communicator.cpp", '#include <mpi.h>\n#include "allport/linalg/gemm.h"\n')
    write("python/allport/__init__.py", INIT)
    write("python/allport/__main__.py", "from allport.cli import plan\n")
    write("python/allport/machine.py", "from allport import _native\n")
    write("python/allport/comm.py", "from allport.machine import Machine\n")
    write("python/allport/run/__init__.py", "")
    write("python/allport/run/rank.py", "from allport._native import info\n")
    write("python/allport/run/launch.py", "from .rank import emit\ndef f():\n    from allport.comm import MPI\n")
    write("python/allport/cli/__init__.py", "")
    write("python/allport/cli/plan.py", "import typer\nfrom rich.table import Table\nimport allport as ap\nap.run\n")
    write("python/allport/cli/show.py", "from allport.machine import Machine\n")
    for module in ("machine", "model", "comm", "linalg"):
        write(f"tests/{module}/some.cpp", "#include <mpi.h>\n")
    return tmp_path, write


def problems(check_architecture, root):
    architecture = check_architecture.Architecture(root)
    architecture.check()
    return architecture.problems


def test_a_clean_tree_has_no_problem(check_architecture, tree):
    assert problems(check_architecture, tree[0]) == []


@pytest.mark.parametrize(
    ("name", "text", "complaint"),
    [
        (
            "src/machine/up.cpp",
            '#include "allport/model/cost.h"\n',
            "machine/up.cpp:1: machine may not include model",
        ),
        ("include/allport/model/x.h", '\n#include "allport/comm/run.h"\n', "model/x.h:2: model may not include comm"),
        ("src/model/new.cpp", '#include "allport/attic/x.h"\n', "a module without a row"),
        ("src/model/new.cpp", '#include "allport/allport.h"\n', "no module includes the C interface"),
        ("src/model/new.cpp", '#include "allport/allport.hpp"\n', "no module includes the C interface or all modules"),
        ("src/model/new.cpp", '#include "allport/comm.h"\n', "model may not include comm (allport/comm.h)"),
        ("src/model/part/new.cpp", '#include "comm/state.h"\n', "model may not include comm (comm/state.h)"),
        ("include/allport/model.h", '#include "allport/comm/run.h"\n', "model may not include comm"),
        ("include/allport/model.h", '#include "model/cost.h"\n', "installed headers do not include <model/cost.h>"),
        ("src/model/mpi.cpp", "#include <mpi.h>\n", "only comm and dropin speak MPI"),
        ("src/comm/fast.cpp", "#include <cblas.h>\n", "only linalg calls BLAS"),
        ("src/comm/fast.cpp", "void f() { zgemm_(a); }\n", "comm names zgemm_"),
        ("src/attic/x.cpp", "", "a module without a row"),
        ("src/utils/x.cpp", "", "a name that says nothing"),
        ("include/allport/graph/x.h", "", "graph is called planned, and is there"),
        (
            "docs/concepts/architecture.md",
            PAGE.replace("| costs | machine |", "| costs | machine |\n| 2 | `io` | files | - |"),
            "io has no files",
        ),
        ("include/allport/base/new.h", "", "include/allport/base.h: does not include allport/base/new.h"),
        ("src/comm/run.cpp", "#include <mpi.h>\n", "comm may include machine and does not"),
        ("src/model/cost.cpp", "", "model may include machine and does not"),
        ("src/base/units.cpp", "", "a module without tests/base"),
        ("include/allport/machine/json.h", "#include <nlohmann/json.hpp>\n", "installed headers do not include"),
        ("python/allport/cli/run.py", "import numpy\n", "a command imports numpy"),
        ("python/allport/attic/x.py", "", "python/allport/attic: a subpackage without a row"),
        ("python/allport/run/misc.py", "", "a name that says nothing"),
        (
            "python/allport/machine.py",
            "from allport.run import rank\nimport allport._native",
            "may not import allport.run.rank",
        ),
        (
            "python/allport/comm.py",
            "if TYPE_CHECKING:\n    from allport.run.rank import emit\n",
            "comm.py:2: allport may not import allport.run.rank, of allport.run; it may import: allport._native",
        ),
        ("python/allport/run/job.py", "import allport as ap\n", "only allport.cli may do so"),
        ("python/allport/run/job.py", "def f():\n    import allport.machine\n", "allport.machine inside a function"),
        ("python/allport/run/rank.py", "", "allport.run may include allport._native and does not"),
        ("python/allport/cli/plan.py", "", "allport.cli may include allport.run and does not"),
        ("CMakeLists.txt", "allport_module(machine DEPENDS base model)\n", "machine links model"),
        (
            "docs/concepts/architecture.md",
            PAGE.replace("the hardware | - |", "the hardware | comm |"),
            "which is not below it",
        ),
    ],
)
def test_a_seeded_violation_is_named(check_architecture, tree, name, text, complaint):
    root, write = tree
    write(name, text)
    found = problems(check_architecture, root)
    assert len(found) == 1, found
    assert complaint in found[0]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("src/model/a.cpp", '// #include "allport/comm/run.h"\n/* dgemm_(x) */\n'),
        ("src/comm/a.cpp", "void pdgemm_(int);\n"),
        ("src/comm/a.cpp", 'char const* url = "http://x";\n'),
    ],
)
def test_comments_and_lookalikes_pass(check_architecture, tree, name, text):
    root, write = tree
    write(name, text)
    assert problems(check_architecture, root) == []


@pytest.mark.parametrize(
    ("texts", "circle"),
    [
        ({"a": "from allport.b import x", "b": "from allport import a"}, "allport.a -> allport.b -> allport.a"),
        ({"a": "import allport.a.b", "b": ""}, ""),
        (
            {"a": "from allport.comm import x", "comm": "def f():\n    from allport import a"},
            "allport.a -> allport.comm",
        ),
        (
            {"a": "from .b import x", "b": "from . import c", "c": "from .a import y"},
            "allport.a -> allport.b -> allport.c",
        ),
        ({"a": "from allport.b import x", "b": "if TYPE_CHECKING:\n    from allport import a"}, ""),
    ],
)
def test_circles_of_imports_are_found_wherever_they_are_hidden(check_architecture, tree, texts, circle):
    root, write = tree
    for name, text in texts.items():
        write(f"python/allport/{name}.py", text)
    found = [p for p in problems(check_architecture, root) if "circle" in p]
    assert len(found) == (1 if circle else 0), found
    assert not circle or circle in found[0]


def test_a_long_file_is_refused(check_architecture, tree):
    root, write = tree
    write("src/model/long.cpp", "\n" * 401)
    write("tests/model/short.cpp", "\n" * 400)
    (said,) = problems(check_architecture, root)
    assert "src/model/long.cpp" in said and "401 lines" in said
