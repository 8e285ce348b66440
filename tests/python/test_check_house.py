"""tools/check_house.py must catch what it is there for: each seeded violation, and nothing in a clean tree."""

import importlib.util
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = """
| floor | room | what lives there | may include, besides `base` |
|---|---|---|---|
| 0 | `base` | units | - |
| 1 | `machine` | the hardware | - |
| 2 | `model` | costs | machine |
| 5 | `comm` | MPI | machine |
| 7 | `linalg` | matrices | comm, machine |
"""


@pytest.fixture(scope="module")
def check_house():
    spec = importlib.util.spec_from_file_location("check_house", ROOT / "tools/check_house.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def tree(tmp_path):
    def write(name, text):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    write("docs/concepts/house.md", PAGE)
    write("CMakeLists.txt", "allport_room(machine DEPENDS base)\nallport_room(model DEPENDS machine)\n")
    write("include/allport/machine/machine.h", '#include "allport/base/units.h"\n')
    write("src/machine/machine.cpp", '#include "allport/machine/machine.h"\n')
    write("src/model/cost.cpp", '#include "allport/machine/machine.h"\n')
    write("src/comm/run.cpp", "#include <mpi.h>\n")
    write("src/linalg/gemm.cpp", "#include <cblas.h>\nvoid f() { dgemm_(1); }\n")
    write("src/allport_c.cpp", '#include <mpi.h>\n#include "allport/linalg/gemm.h"\n')
    write("python/allport/cli/plan.py", "import json\nimport typer\nfrom rich.table import Table\nimport allport\n")
    for room in ("machine", "model", "comm", "linalg"):
        write(f"tests/{room}/some.cpp", "#include <mpi.h>\n")
    return tmp_path, write


def problems(check_house, root):
    house = check_house.House(root)
    house.check()
    return house.problems


def test_a_clean_tree_has_no_problem(check_house, tree):
    assert problems(check_house, tree[0]) == []


@pytest.mark.parametrize(
    ("name", "text", "complaint"),
    [
        (
            "src/machine/up.cpp",
            '#include "allport/model/cost.h"\n',
            "machine/up.cpp:1: machine may not include model",
        ),
        ("include/allport/model/x.h", '\n#include "allport/comm/run.h"\n', "model/x.h:2: model may not include comm"),
        ("src/model/new.cpp", '#include "allport/attic/x.h"\n', "a room without a row"),
        ("src/model/new.cpp", '#include "allport/allport.h"\n', "no room includes the C interface"),
        ("src/model/mpi.cpp", "#include <mpi.h>\n", "only comm and dropin speak MPI"),
        ("src/comm/fast.cpp", "#include <cblas.h>\n", "only linalg calls BLAS"),
        ("src/comm/fast.cpp", "void f() { zgemm_(a); }\n", "comm names zgemm_"),
        ("src/attic/x.cpp", "", "a room without a row"),
        ("src/utils/x.cpp", "", "a name that says nothing"),
        ("src/base/units.cpp", "", "a room without tests/base"),
        ("include/allport/machine/json.h", "#include <nlohmann/json.hpp>\n", "installed headers do not include"),
        ("python/allport/cli/run.py", "import numpy\n", "a command imports numpy"),
        ("python/allport/cli/run.py", "def f():\n    from allport._native import x\n", "use the public API"),
        ("CMakeLists.txt", "allport_room(machine DEPENDS base model)\n", "machine links model"),
        (
            "docs/concepts/house.md",
            PAGE.replace("the hardware | - |", "the hardware | comm |"),
            "which is not below it",
        ),
    ],
)
def test_a_seeded_violation_is_named(check_house, tree, name, text, complaint):
    root, write = tree
    write(name, text)
    found = problems(check_house, root)
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
def test_comments_and_lookalikes_pass(check_house, tree, name, text):
    root, write = tree
    write(name, text)
    assert problems(check_house, root) == []


def test_a_long_file_is_a_warning(check_house, tree):
    root, write = tree
    write("src/model/long.cpp", "\n" * 401)
    house = check_house.House(root)
    house.check()
    assert house.problems == []
    assert house.long_files == [(401, "src/model/long.cpp")]
