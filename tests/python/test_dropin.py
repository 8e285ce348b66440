"""The libraries to preload: where they are, and what is said when they are not."""

import json
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


def test_ranks_that_share_a_computer_have_no_links_that_a_spec_describes(tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    given = {"LD_PRELOAD": ap.dropin.library("mpi"), "ALLPORT_MACHINE": "torus:2", "ALLPORT_REPORT": str(report)}
    exports = [argument for name, value in given.items() for argument in export(name, value)]
    program = ap.places.executable("bench_collective")
    command = [
        *ap.launch.mpiexec_command(2),
        *exports,
        str(program),
        "bcast",
        "--plan",
        "8;1000000",
        "--iterations",
        "2",
    ]
    subprocess.run(command, env=ap.launch.environment(2), capture_output=True, check=True, timeout=60)
    told = json.loads(report.read_text())
    assert told["rates"]["source"] == "assumed"
    assert told["collectives"]["MPI_Bcast"]["taken"] == 0
    assert "share one computer" in next(iter(told["collectives"]["MPI_Bcast"]["reasons"]))


def test_the_report_has_the_lower_bound_beside_the_time(tmp_path: Path) -> None:
    report, size = tmp_path / "report.json", 1 << 20
    given = {
        "LD_PRELOAD": ap.dropin.library("mpi"),
        "ALLPORT_MACHINE": "torus:3",
        "ALLPORT_DROPIN": "always",
        "ALLPORT_REPORT": str(report),
    }
    exports = [argument for name, value in given.items() for argument in export(name, value)]
    program = [str(ap.places.executable("bench_collective")), "bcast", "--plan", str(size), "--iterations", "2"]
    command = [*ap.launch.mpiexec_command(3), *exports, *program]
    subprocess.run(command, env=ap.launch.environment(3), capture_output=True, check=True, timeout=60)
    calls = json.loads(report.read_text())["collectives"]["MPI_Bcast"]
    assert calls["bounded_calls"] == calls["taken"] > 0
    # A ring's root sends the message over both of its links.
    bandwidth = ap.Machine.parse("torus:3").axes[0].bandwidth
    assert calls["bound_seconds"] == pytest.approx(calls["taken"] * size / (2 * bandwidth))
    assert calls["of_bound"] == pytest.approx(calls["bound_seconds"] / calls["seconds"])


def export(name: str, value: str) -> list[str]:
    """mpiexec's arguments that give the ranks a variable."""
    return ["-x", f"{name}={value}"] if ap.mpi.family() == "openmpi" else ["-genv", name, value]
