"""The libraries to preload: their paths, and the errors if they are missing."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import allport as ap
import pytest
from allport import dropin


def test_the_library_of_the_own_mpi_is_there() -> None:
    path = Path(dropin.library())
    assert path.is_file()
    assert path.name == f"liballport_mpi-{ap.mpi.family() or 'openmpi'}.so"


def test_the_command_prints_the_path() -> None:
    command = [sys.executable, "-m", "allport", "dropin", "mpi"]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    assert result.stdout.strip() == dropin.library("mpi")


def test_the_library_before_scalapack_is_there() -> None:
    path = Path(dropin.library("scalapack"))
    assert path.is_file()
    assert path.name == f"liballport_scalapack-{ap.mpi.family() or 'openmpi'}.so"
    command = [sys.executable, "-m", "allport", "dropin", "scalapack"]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    assert result.stdout.strip() == str(path)


def test_64_bit_integers_are_scalapack_s_alone() -> None:
    with pytest.raises(ap.Error, match="ilp64 = True: expected False for mpi"):
        dropin.library("mpi", ilp64=True)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("pvm", None), "interface = 'pvm': expected mpi or scalapack"),
        (("mpi", "lam"), "mpi = 'lam': expected one of openmpi, mpich"),
    ],
)
def test_wrong_names_are_refused(arguments: tuple[str, str | None], message: str) -> None:
    with pytest.raises(ap.Error, match=message):
        dropin.library(*arguments)


def test_ranks_that_share_a_computer_have_no_links_that_a_spec_describes(tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    given = {"LD_PRELOAD": dropin.library("mpi"), "ALLPORT_MACHINE": "torus:2", "ALLPORT_REPORT": str(report)}
    exports = [argument for name, value in given.items() for argument in export(name, value)]
    program = ap.bench.places.executable("bench_collective")
    command = [
        *ap.run.launch.mpiexec_command(2),
        *exports,
        str(program),
        "bcast",
        "--plan",
        "8;1000000",
        "--iterations",
        "2",
    ]
    subprocess.run(command, env=ap.run.launch.environment(2), capture_output=True, check=True, timeout=60)
    told = json.loads(report.read_text())
    assert not told["active"]
    assert "share one computer" in told["why_inactive"]
    assert told["collectives"]["MPI_Bcast"]["taken"] == 0
    assert "share one computer" in next(iter(told["collectives"]["MPI_Bcast"]["reasons"]))


def test_the_report_has_the_lower_bound_beside_the_time(tmp_path: Path) -> None:
    report, size = tmp_path / "report.json", 1 << 20
    given = {
        "LD_PRELOAD": dropin.library("mpi"),
        "ALLPORT_MACHINE": "torus:3",
        "ALLPORT_DROPIN": "always",
        "ALLPORT_REPORT": str(report),
    }
    exports = [argument for name, value in given.items() for argument in export(name, value)]
    program = [str(ap.bench.places.executable("bench_collective")), "bcast", "--iterations", "2", "--plan"]
    command = [*ap.run.launch.mpiexec_command(3), *exports, *program]
    subprocess.run([*command, "8"], env=ap.run.launch.environment(3), capture_output=True, check=True, timeout=60)
    short = json.loads(report.read_text())["collectives"]["MPI_Bcast"]
    assert short["taken"] > 0 and "of_bound" not in short, "what links need for 8 bytes tells nothing of such a call"
    subprocess.run([*command, str(size)], env=ap.run.launch.environment(3), capture_output=True, check=True, timeout=60)
    calls = json.loads(report.read_text())["collectives"]["MPI_Bcast"]
    assert calls["bounded_calls"] == calls["taken"] > 0
    # A ring's root sends the message over both of its links.
    bandwidth = ap.Machine.parse("torus:3").axes[0].bandwidth
    assert calls["bound_seconds"] == pytest.approx(calls["taken"] * size / (2 * bandwidth))
    assert calls["of_bound"] == pytest.approx(calls["bound_seconds"] / calls["seconds"])


def tried(tmp_path: Path, calls: int = 120, **given: str) -> tuple[dict[str, Any], str]:
    """The report and what was said of broadcasts and reductions of 8 bytes by four ranks under the drop-in."""
    report = tmp_path / "report.json"
    exports = {
        "LD_PRELOAD": dropin.library("mpi"),
        "ALLPORT_MACHINE": "torus:4",
        "ALLPORT_REPORT": str(report),
        "ALLPORT_SELECT": "on",
        **given,
    }
    program = [
        str(ap.bench.places.executable("bench_collective")),
        "bcast,reduce",
        "--plan",
        "8",
        "--calls",
        str(calls),
    ]
    command = [*ap.run.launch.mpiexec_command(4), *(a for n, v in exports.items() for a in export(n, v)), *program]
    done = subprocess.run(
        command, env=ap.run.launch.environment(4), capture_output=True, check=True, timeout=60, text=True
    )
    return json.loads(report.read_text()), done.stderr


def test_what_was_tried_is_remembered_and_explained(tmp_path: Path) -> None:
    memory = tmp_path / "memory.json"
    # Where something else runs on the computer, ours may cost more than 120 calls may: then it waits.
    for calls in (120, 2_000, 40_000):
        memory.unlink(missing_ok=True)
        report, said = tried(tmp_path, calls, ALLPORT_SELECT_FILE=str(memory), ALLPORT_EXPLAIN="1")
        if ": settled" in said:
            break
    (site, found), *others = report["tried"].items()
    assert others == [] and "torus:4" in site and site.endswith("MPI_Bcast of 8 to 15 bytes")  # no reductions
    assert found["best"] in found["seconds"] and "MPI's own" in found["seconds"]
    assert f"{site}: settled" in said
    kept = json.loads(memory.read_text())["sites"]
    assert kept == report["tried"]
    # What stands there counts for the next run, be it true or not.
    algorithm = next((name for name in found["seconds"] if name != "MPI's own"), "line")
    kept[site] = {"best": algorithm, "seconds": {algorithm: 1e-9, "MPI's own": 1.0}}
    memory.write_text(json.dumps({"allport_memory": 1, "sites": kept}))
    report, said = tried(tmp_path, ALLPORT_SELECT_FILE=str(memory), ALLPORT_EXPLAIN="1")
    assert f"{site}: {algorithm} is what earlier runs found to be best" in said
    assert report["collectives"]["MPI_Bcast"]["taken"] > 0


def test_segments_are_tried_beside_those_of_the_best_price(tmp_path: Path) -> None:
    memory = tmp_path / "memory.json"
    size = 1 << 23  # some milliseconds: short calls are tried on one side
    machine = tmp_path / "machine.toml"  # with rates: what is cheapest by price does not hang on what MPI_Init measures
    machine.write_text(ap.Machine.parse("torus:4").to_toml())
    best = ap.explain("broadcast", str(machine), bytes=size).to_dict()
    other = f"{best['algorithm']} by {4 * best['segment']} bytes"
    program = [str(ap.bench.places.executable("bench_collective")), "bcast", "--plan", str(size), "--calls", "20"]

    def told() -> tuple[dict[str, Any], str, str]:
        report = tmp_path / "report.json"
        exports = {
            "LD_PRELOAD": dropin.library("mpi"),
            "ALLPORT_MACHINE": str(machine),
            "ALLPORT_REPORT": str(report),
            "ALLPORT_SELECT": "on",
            "ALLPORT_SELECT_FILE": str(memory),
            "ALLPORT_EXPLAIN": "1",
        }
        command = [*ap.run.launch.mpiexec_command(4), *(a for n, v in exports.items() for a in export(n, v)), *program]
        done = subprocess.run(
            command, env=ap.run.launch.environment(4), capture_output=True, check=True, timeout=60, text=True
        )
        return json.loads(report.read_text()), done.stdout, done.stderr

    (site,) = told()[0]["tried"]
    found = {"best": other, "seconds": {other: 1e-9, "MPI's own": 1.0}}
    memory.write_text(json.dumps({"allport_memory": 1, "sites": {site: found}}))
    report, printed, said = told()
    assert f"{site}: {other} is what earlier runs found to be best" in said
    assert report["collectives"]["MPI_Bcast"]["taken"] > 0
    assert '"wrong": 0' in printed


def test_reductions_are_tried_where_their_bits_are_free(tmp_path: Path) -> None:
    report, _ = tried(tmp_path, ALLPORT_SELECT="free")
    assert [site.rsplit(": ")[-1] for site in report["tried"]] == [
        "MPI_Bcast of 8 to 15 bytes",
        "MPI_Reduce of 8 to 15 bytes",
    ]


@pytest.mark.parametrize("setting", ["auto", "off"])
def test_on_one_computer_nothing_is_tried_unless_asked(tmp_path: Path, setting: str) -> None:
    report, said = tried(tmp_path, ALLPORT_SELECT=setting, ALLPORT_EXPLAIN="1")
    assert report["tried"] == {} and "settled" not in said


def test_a_file_of_somebody_else_s_stays_as_it_was(tmp_path: Path) -> None:
    other = tmp_path / "other.json"
    other.write_text("[1]")
    report, said = tried(tmp_path, ALLPORT_SELECT_FILE=str(other), ALLPORT_SELECT="sometimes")
    assert "warning: ALLPORT_SELECT_FILE" in said and "other.json" in said and other.read_text() == "[1]"
    assert "ALLPORT_SELECT = 'sometimes': expected one of auto, on, free, off; auto is taken" in said
    assert report["tried"] == {}


def export(name: str, value: str) -> list[str]:
    """mpiexec's arguments that give the ranks a variable."""
    return ["-x", f"{name}={value}"] if ap.mpi.family() == "openmpi" else ["-genv", name, value]


HALVES = """
from mpi4py import MPI
world = MPI.COMM_WORLD
row = world.Split(world.rank % 2, -world.rank)  # the ranks turned round
row.sendrecv(None, dest=1 - row.rank, source=1 - row.rank)
row.Sendrecv(bytearray(1000 * (world.rank + 1)), dest=1 - row.rank, recvbuf=bytearray(4000), source=1 - row.rank)
"""


def test_what_a_program_sends_is_captured_and_mapped(tmp_path: Path) -> None:
    trace, script = tmp_path / "trace.json", tmp_path / "halves.py"
    script.write_text(HALVES)
    given = {"LD_PRELOAD": dropin.library("mpi"), "ALLPORT_CAPTURE": str(trace)}
    exports = [argument for name, value in given.items() for argument in export(name, value)]
    command = [*ap.run.launch.mpiexec_command(4), *exports, sys.executable, str(script)]
    done = subprocess.run(
        command, env=ap.run.launch.environment(4), capture_output=True, check=True, timeout=60, text=True
    )
    assert f"between 4 pairs of ranks were captured in {trace}" in done.stderr
    sent = {(source, target): size for source, target, size in json.loads(trace.read_text())["messages"]}
    assert sent.keys() == {(0, 2), (2, 0), (1, 3), (3, 1)}
    pickled = sent[0, 2] - 1000  # None's, the same for all
    assert 0 < pickled < 200
    assert sent == {(r, (r + 2) % 4): 1000 * (r + 1) + pickled for r in range(4)}
    # On a ring of four the partners are opposite each other, and another order has them side by side.
    mapped = subprocess.run(
        [sys.executable, "-m", "allport", "map", "--pattern", str(trace), "--machine", "torus:4", "--json"],
        capture_output=True,
        check=True,
        timeout=60,
        text=True,
    )
    places = json.loads(mapped.stdout)["places"]
    assert {abs(places[r] - places[r + 2]) % 2 for r in range(2)} == {1}


def test_a_capture_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    given = {"LD_PRELOAD": dropin.library("mpi"), "ALLPORT_CAPTURE": str(tmp_path / "nowhere" / "trace.json")}
    exports = [argument for name, value in given.items() for argument in export(name, value)]
    command = [*ap.run.launch.mpiexec_command(2), *exports, sys.executable, "-c", "from mpi4py import MPI"]
    done = subprocess.run(
        command, env=ap.run.launch.environment(2), capture_output=True, check=True, timeout=60, text=True
    )
    assert "ALLPORT_CAPTURE = " in done.stderr and "cannot be written" in done.stderr
