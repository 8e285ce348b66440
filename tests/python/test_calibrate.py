import json
import subprocess
import sys

import allport as ap
import pytest


def test_a_machine_is_measured_and_written(allport, tmp_path):
    done = allport("machine", "calibrate", "-n", 2, "--quick", "-o", "mine.toml", "--json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    machine = ap.Machine.parse(str(tmp_path / "mine.toml"))
    # Nobody has named it, so it is called by its file.
    kept = {k: v for k, v in told.items() if k not in ("output", "link_figures")} | {
        "name": str(tmp_path / "mine.toml")
    }
    assert machine.ranks == 2 and machine.to_dict() == kept
    found = told["calibration"]
    assert found["ranks"] == 2 and found["library"] == ap._native.mpi_library_name()
    measured = {f["what"]: f["value"] for f in found["fits"]}
    assert {"bandwidth x", "overhead", "tau of long messages", "triad 1 24"} <= set(measured)
    kernels = ["gemm", "syrk", "trsm", "potrf", "panel", "geqrt", "tpqrt", "gemqrt", "tpmqrt"]
    assert all(measured[f"flops {kernel}{size}"] > 1e6 for kernel in kernels for size in ("", " 64"))
    assert measured["bytes add"] > 1e6 and measured["bytes copy"] > 1e6
    # Where there is a ScaLAPACK, it is timed, too.
    theirs = {name.split()[1]: value for name, value in measured.items() if name.startswith("scalapack")}
    assert set(theirs) in (set(), {"gemm", "getrf", "potrf", "geqrf"}) and all(v > 1e6 for v in theirs.values())
    # Which Cholesky is priced by.
    assert ap.plan.cholesky(4096, machine, options=ap.Options(grid="1x2")).predicted > 0
    assert set(found["mpi"]) >= {"bcast", "reduce", "allreduce", "alltoall", "barrier"}
    assert all(s > 0 for timed in found["mpi"].values() for s in timed["seconds"])
    assert told["tau_short"] == machine.rates.tau_short == measured["tau of short messages"] >= 0
    assert told["adds"] > 0 and told["memory_bandwidth"] > 0 and told["axes"][0]["bandwidth"] > 0
    # What was timed is what explain calls calibrated.
    choice = ap.explain("bcast", machine, bytes=found["mpi"]["bcast"]["bytes"][-1])
    assert choice.mpi_is_calibrated and choice.mpi == found["mpi"]["bcast"]["seconds"][-1]
    # Ours of that length is priced, not timed: a fifth less is asked of it.
    assert len(found["mpi"]["bcast"].get("ours", [])) < len(found["mpi"]["bcast"]["bytes"])
    assert choice.expects_to_win == (choice.predicted <= 0.8 * choice.mpi)


def test_how_a_machine_is_made_outlasts_what_is_measured(allport, tmp_path):
    fits = ", ".join(f'{{ what = "{what}", value = {v}, error = 0 }}' for what, v in (("burst", 32768), ("stale", 7)))
    (tmp_path / "made.toml").write_text(ap.Machine.parse("laptop:2").to_toml() + f"\n[calibration]\nfit = [{fits}]\n")
    made = ap.Machine.parse(str(tmp_path / "made.toml"))
    assert ap.machine.measured_on(made) == ""
    done = allport("machine", "calibrate", "-m", "made.toml", "--quick", "-o", "mine.toml", "--json")
    assert done.returncode == 0, done.stderr
    mine = ap.Machine.parse(str(tmp_path / "mine.toml"))
    known = {fit["what"]: fit["value"] for fit in mine.to_dict()["calibration"]["fits"]}
    assert known["burst"] == 32768 and "stale" not in known
    assert ap.machine.measured_on(mine) != ""


def test_ranks_that_mpiexec_started_are_joined(tmp_path):
    command = [
        sys.executable,
        "-m",
        "allport",
        "machine",
        "calibrate",
        "--quick",
        "--no-mpi-collectives",
        "--no-kernels",
        "--no-scalapack",
    ]
    done = subprocess.run(
        [*ap.run.launch.mpiexec_command(3), *command, "-m", "torus:3", "-o", str(tmp_path / "ring.toml")],
        env=ap.run.launch.environment(3),
        capture_output=True,
        text=True,
        timeout=200,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("torus:3, 3 ranks") == 1
    machine = ap.Machine.parse(str(tmp_path / "ring.toml"))
    assert machine.axes[0].wraps and machine.ranks == 3
    assert not ap.explain("bcast", machine, bytes=8).mpi_is_calibrated
    assert "flops" not in done.stdout and "flops gemm" not in machine.to_toml()


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["-n", "2", "-o", "mine.txt"], ".toml"),
        (["-n", "2", "-o", "no/such/mine.toml"], "there is no folder"),
        (["-n", "3", "-m", "torus:4"], "more"),
        (["-m", "tours:4"], "tours"),
    ],
)
def test_what_cannot_be_is_said_before_anything_runs(allport, arguments, word):
    done = allport("machine", "calibrate", *arguments)
    assert done.returncode == 1
    assert word in done.stderr or "fewer" in done.stderr
