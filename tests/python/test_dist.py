"""The source tarball: what it has, and that CMake builds the libraries from it without Python."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import allport as ap
import pytest

ROOT = Path(__file__).resolve().parents[2]
SETTINGS = (
    "-DCMAKE_BUILD_TYPE=Release", "-DALLPORT_TESTS=OFF", "-DALLPORT_DROPIN=OFF", "-DALLPORT_MERGE=ON",
    "-DCMAKE_DISABLE_FIND_PACKAGE_Python=ON", "-DCMAKE_DISABLE_FIND_PACKAGE_Python3=ON",
)  # fmt: skip
GENERATOR = ("-G", "Ninja") if shutil.which("ninja") else ()


def run(*command: str | Path) -> str:
    done = subprocess.run([*map(str, command)], capture_output=True, text=True)
    assert done.returncode == 0, f"{command}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
    return done.stdout


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The unpacked tarball."""
    if not (ROOT / ".git").exists() or shutil.which("git") is None:
        pytest.skip("this is no clone, and only a clone can be packed")
    folder = tmp_path_factory.mktemp("dist")
    run(ROOT / "tools/dist", folder)
    name = f"allport-{ap.__version__}"
    run("tar", "-x", "-C", folder, "-f", folder / f"{name}.tar.gz")
    return folder / name


def test_it_has_what_git_has_and_what_is_made_from_it(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    import make_docs
    import make_fortran

    tracked = {name for name in run("git", "-C", ROOT, "ls-files", "-z").split("\0") if name and (ROOT / name).exists()}
    made = {f"docs/{name}" for name in (*make_docs.PAGES, *make_docs.PICTURES)} | {"fortran/allport.f90"}
    assert not made & tracked
    assert {str(path.relative_to(tree)) for path in tree.rglob("*") if path.is_file()} == tracked | made
    assert (tree / "fortran/allport.f90").read_text() == make_fortran.module(make_fortran.header())


def configured(tree: Path) -> Path:
    build = tree / "build" / "release"
    run("cmake", "-S", tree, "-B", build, *GENERATOR, *SETTINGS)
    return build


def test_cmake_configures_it_without_python(tree: Path) -> None:
    cache = (configured(tree) / "CMakeCache.txt").read_text()
    assert not re.search(r"^_?Python3?_EXECUTABLE:\w+=/", cache, re.MULTILINE)
    if re.search(r"^CMAKE_Fortran_COMPILER:\w+=/", cache, re.MULTILINE):
        targets = run("cmake", "--build", tree / "build/release", "--target", "help")
        assert "allport_fortran" in targets


def installed_example(examples: Path, names: Sequence[str]) -> Path:
    return next(examples / name for name in names if (examples / name).exists())


@pytest.mark.long
def test_it_builds_installs_and_runs_without_python(tree: Path, tmp_path: Path) -> None:
    """Minutes where the compiler cache is cold."""
    build, prefix, examples = configured(tree), tmp_path / "prefix", tmp_path / "examples"
    run("cmake", "--build", build, "-j", "2")
    if (build / "build.ninja").exists():
        assert not re.search(r"/python[\d.]*\s", (build / "build.ninja").read_text())
    run("cmake", "--install", build, "--prefix", prefix, "--component", "library")
    run("cmake", "-S", tree / "examples", "-B", examples, *GENERATOR, f"-DCMAKE_PREFIX_PATH={prefix}")
    run("cmake", "--build", examples, "-j", "2")
    cache = (build / "CMakeCache.txt").read_text()
    launcher = re.search(r"^MPIEXEC_EXECUTABLE:\w+=(\S+)", cache, re.MULTILINE)
    assert launcher is not None
    if re.search(r"^CMAKE_Fortran_COMPILER:\w+=/", cache, re.MULTILINE):
        assert (examples / "gemm_fortran").exists()
    run(tree / "tools/mpirun", launcher[1], "2", installed_example(examples, ["gemm_fortran", "gemm_c"]), "torus:2")
