"""The recipes for Debian, Spack and conda say what CMakeLists.txt and pyproject.toml say."""

import ast
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
PACKAGING = ROOT / "packaging"


def version() -> str:
    found = re.search(r"project\(allport VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())
    assert found is not None
    return found[1]


def conda() -> dict[str, Any]:
    told = yaml.safe_load((PACKAGING / "conda" / "recipe.yaml").read_text())
    assert isinstance(told, dict)
    return told


def spack_calls() -> list[ast.Call]:
    tree = ast.parse((PACKAGING / "spack" / "package.py").read_text())
    return [node for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)]


def spack_told(directive: str) -> list[str]:
    of_it = [call for call in spack_calls() if isinstance(call.func, ast.Name) and call.func.id == directive]
    return [str(call.args[0].value) for call in of_it if isinstance(call.args[0], ast.Constant)]


def test_all_have_the_version_of_the_library() -> None:
    first = (PACKAGING / "debian" / "changelog").read_text().splitlines()[0]
    assert first.startswith(f"allport ({version()})")
    assert conda()["context"]["version"] == version()
    assert version() in spack_told("version")


def test_debian_names_the_major_version_of_the_shared_library() -> None:
    assert f"Package: liballport{version().split('.')[0]}\n" in (PACKAGING / "debian" / "control").read_text()


def test_what_cmake_looks_for_is_in_every_recipe() -> None:
    text = (ROOT / "CMakeLists.txt").read_text()
    wanted = set(re.findall(r"^\s+find_package\((\w+)", text, re.MULTILINE)) - {"GTest", "OpenMP"}
    assert wanted == {"fmt", "nlohmann_json", "tomlplusplus", "MPI", "BLAS", "LAPACK", "Hwloc", "Scotch", "Python3"}
    debian = (PACKAGING / "debian" / "control").read_text()
    for name in ("fmt", "nlohmann-json3", "tomlplusplus", "openmpi", "openblas", "hwloc", "scotch"):
        assert re.search(rf"\b(lib)?{name}-dev\b", debian), name
    assert re.search(r"^Build-Depends:.*\bpython3,", debian, re.MULTILINE)
    spack = " ".join(spack_told("depends_on"))
    for name in ("fmt", "nlohmann-json", "tomlplusplus", "mpi", "blas", "lapack", "hwloc", "scotch", "python"):
        assert re.search(rf"\b{name}\b", spack), name
    host = " ".join(conda()["requirements"]["host"])
    for name in ("fmt", "nlohmann_json", "tomlplusplus", "mpi", "libblas", "liblapack", "libhwloc", "scotch", "python"):
        assert re.search(rf"\b{name}\b", host), name


def test_conda_asks_for_what_the_python_package_asks_for() -> None:
    text = (ROOT / "pyproject.toml").read_text()
    listed = re.search(r"^dependencies = \[\n(.*?)^\]", text, re.MULTILINE | re.DOTALL)
    assert listed is not None
    wanted = {tuple(re.split(r"(?=>=)", name)) for name in re.findall(r'"(.+?)"', listed[1])}
    told = {tuple(line.split()) for line in conda()["requirements"]["run"] if line != "python"}
    assert {(name.replace("matplotlib-base", "matplotlib"), bound) for name, bound in told} == wanted


@pytest.mark.skipif(shutil.which("dpkg-source") is None, reason="no dpkg-source (Debian: dpkg-dev)")
def test_a_debian_source_package_can_be_made(tmp_path: Path) -> None:
    tree = tmp_path / f"allport-{version()}"
    for name in ("CMakeLists.txt", "LICENSE", "cmake", "src", "include", "dropin", "tools"):
        there = ROOT / name
        if there.is_dir():
            shutil.copytree(there, tree / name)
        else:
            tree.mkdir(exist_ok=True)
            shutil.copy(there, tree)
    shutil.copytree(PACKAGING / "debian", tree / "debian")
    made = subprocess.run(["dpkg-source", "-b", tree.name], cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert made.returncode == 0, made.stderr
    told = (tmp_path / f"allport_{version()}.dsc").read_text()
    assert "Binary: liballport0, liballport-dev, allport-dropin" in told


def test_the_spack_recipe_is_python(tmp_path: Path) -> None:
    compile((PACKAGING / "spack" / "package.py").read_text(), "package.py", "exec")
    assert sys.version_info >= (3, 10)
