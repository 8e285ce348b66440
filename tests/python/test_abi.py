"""Which core of a wheel is loaded: by the MPI library that mpi4py takes. tools/test-wheel tries wheels themselves."""

import ctypes
import os
import subprocess
import sys
from pathlib import Path

import allport as ap
import mpi4py
import pytest
from allport import abi

# Without allport, whose module brings its MPI library into the process, where mpi4py takes what is there already.
FIND = f"""
import importlib.util
spec = importlib.util.spec_from_file_location("abi", {abi.__file__!r})
abi = importlib.util.module_from_spec(spec)
spec.loader.exec_module(abi)
library = abi.find_mpi()
print(abi.interface_of(library), abi.path_of(library))
print(*set(line.split()[-1] for line in open("/proc/self/maps") if "/libmpi" in line))
"""


def find(code: str = FIND, **variables: str) -> subprocess.CompletedProcess[str]:
    env = {name: value for name, value in os.environ.items() if not name.startswith("MPI4PY_")}
    return subprocess.run(
        [sys.executable, "-c", code], env=env | variables, capture_output=True, text=True, timeout=120
    )


def _of_any_library() -> bool:
    return bool(list(Path(mpi4py.__path__[0]).glob("MPI.*mp*.so")))


def test_a_build_from_source_holds_one_core() -> None:
    assert abi.load_core() is None
    assert ap.mpi.interface() in ("openmpi", "mpich", "mpiabi")


def test_cores_are_known_by_their_names(tmp_path: Path) -> None:
    for name in ("openmpi.abi3", "mpich.abi3", "lam.abi3", "cpython-311", "abi3"):
        (tmp_path / f"_native.{name}.so").touch()
    assert abi.cores(tmp_path) == {name: tmp_path / f"_native.{name}.abi3.so" for name in ("openmpi", "mpich")}


def test_a_library_tells_its_interface_and_where_it_lies() -> None:
    library = ctypes.CDLL(ap.mpi.library_path())
    assert abi.interface_of(library) == ap.mpi.interface()
    assert abi.path_of(library) == os.path.realpath(ap.mpi.library_path())


def test_what_mpi4py_takes_is_found() -> None:
    found = find(MPI4PY_LIBMPI=ap.mpi.library_path())
    assert found.returncode == 0, found.stderr
    interface, path = found.stdout.splitlines()[0].split()
    assert interface == ap.mpi.interface()
    assert Path(path).name.startswith("libmpi")


@pytest.mark.parametrize(("name", "begins"), [("/bin/allport", "allport: "), ("script.py", "ImportError: ")])
def test_the_command_tells_in_one_line_what_a_script_raises(tmp_path: Path, name: str, begins: str) -> None:
    if not _of_any_library():
        pytest.skip("this mpi4py was built for one MPI library")
    (tmp_path / "abi.py").write_text(Path(abi.__file__).read_text())
    (tmp_path / "_native.openmpi.abi3.so").touch()  # a wheel's, as far as is looked at here
    code = f"import sys; sys.argv = [{name!r}]\n" + FIND.replace(abi.__file__, str(tmp_path / "abi.py"))
    told = find(code, MPI4PY_LIBMPI="/nowhere/libmpi.so")
    assert told.returncode == 1
    message = "MPI4PY_LIBMPI = '/nowhere/libmpi.so': cannot be loaded as an MPI library; pip install 'allport[mpich]'"
    assert told.stderr.splitlines()[-1].startswith(begins + message)
    assert (len(told.stderr.splitlines()) == 1) == (name == "/bin/allport"), told.stderr


@pytest.mark.parametrize(("wanted", "begins"), [("openmpi", "libmpi.so.40"), ("mpich", "libmpi")])
def test_beside_the_library_that_is_asked_for_no_other_is_loaded(wanted: str, begins: str) -> None:
    if not _of_any_library():
        pytest.skip("this mpi4py was built for one MPI library")
    found = find(MPI4PY_MPIABI=wanted)
    if found.returncode != 0 and f"no MPI library with the interface '{wanted}'" in found.stderr:
        pytest.skip(f"no MPI library with the interface {wanted} here")
    assert found.returncode == 0, found.stderr
    (interface, path), loaded = (line.split() for line in found.stdout.splitlines())
    assert interface == wanted and Path(path).name.startswith(begins)
    other = "libmpich.so" if wanted == "openmpi" else "libmpi.so.40"
    assert not [name for name in loaded if Path(name).name.startswith(other)], loaded


def test_a_wheel_tells_mpi4py_in_this_process_alone() -> None:
    # Of what a wheel has, only that it has cores of its own.
    code = (
        "import os, allport as ap\nfrom allport import abi, mpi\n"
        "for name in ('MPI4PY_MPIABI', 'MPI4PY_LIBMPI'): os.environ.pop(name, None)\n"
        "abi.cores = lambda package: {mpi.interface(): package}\n"
        "mpi.guide_mpi4py()\n"
        "from mpi4py import _mpiabi\n"
        "print(_mpiabi.MPIABI == mpi.interface(), [name for name in os.environ if name.startswith('MPI4PY')])\n"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert told.stdout == "True []\n", told.stderr


@pytest.mark.parametrize(
    ("variables", "message"),
    [
        (
            {"MPI4PY_LIBMPI": "/nowhere/libmpi.so"},
            "MPI4PY_LIBMPI = '/nowhere/libmpi.so': cannot be loaded as an MPI library",
        ),
        ({"MPI4PY_MPIABI": "lam"}, "MPI4PY_MPIABI = 'lam': expected one of openmpi, mpich, mpiabi"),
    ],
)
def test_what_cannot_be_is_refused_in_one_sentence(variables: dict[str, str], message: str) -> None:
    if not _of_any_library():
        pytest.skip("this mpi4py was built for one MPI library")
    refused = find(**variables)
    assert refused.returncode != 0
    told = refused.stderr.strip().splitlines()[-1]
    assert told.startswith(f"ImportError: {message}"), refused.stderr
    assert "LIBMPI" not in variables or "pip install 'allport[mpich]'" in told
