"""The libraries to preload: where they are, and what is said when they are not."""

import subprocess
import sys
from pathlib import Path

import allport as ap
import pytest


def test_the_library_of_the_own_mpi_is_there() -> None:
    path = Path(ap.dropin.library())
    assert path.is_file()
    assert path.name == f"liballport_mpi-{ap.mpi.family() or 'openmpi'}.so"


def test_the_command_prints_the_path() -> None:
    command = [sys.executable, "-m", "allport", "dropin", "mpi"]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    assert result.stdout.strip() == ap.dropin.library("mpi")


def test_the_library_before_scalapack_is_there() -> None:
    path = Path(ap.dropin.library("scalapack"))
    assert path.is_file()
    assert path.name == f"liballport_scalapack-{ap.mpi.family() or 'openmpi'}.so"
    command = [sys.executable, "-m", "allport", "dropin", "scalapack"]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    assert result.stdout.strip() == str(path)


def test_64_bit_integers_are_scalapack_s_alone() -> None:
    with pytest.raises(ap.AllportError, match="ilp64 = True: expected False for mpi"):
        ap.dropin.library("mpi", ilp64=True)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("pvm", None), "interface = 'pvm': expected mpi or scalapack"),
        (("mpi", "lam"), "mpi = 'lam': expected one of openmpi, mpich"),
    ],
)
def test_wrong_names_are_refused(arguments: tuple[str, str | None], message: str) -> None:
    with pytest.raises(ap.AllportError, match=message):
        ap.dropin.library(*arguments)
