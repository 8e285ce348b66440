"""Programs in the lab: ranks on their nodes, messages over the links, and what a fault does to a run."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import allport as ap
import pytest
from allport import dropin
from allport.lab import Lab
from allport.run import mpiexec
from allport.run.launch import JobFailed
from lab_rig import NAME, later, nothing_left, sent, why_not

HERE = Path(__file__).parent


if WHY := why_not():
    pytest.skip(f"the lab {WHY}", allow_module_level=True)


HELLO = """
import os, socket, sys
from mpi4py import MPI
world = MPI.COMM_WORLD
names = world.gather((world.rank, socket.gethostname(), os.environ["ALLPORT_NODE"], os.environ["ALLPORT_MACHINE"]))
if world.rank == 0:
    import json
    print(json.dumps(names))
"""


def families() -> list[str]:
    """The MPI libraries whose mpiexec is here, the one that Allport was built for first."""
    found = []
    for family in sorted(mpiexec.FAMILIES, key=lambda f: f != ap.mpi.family()):
        try:
            mpiexec.find(family)
        except ap.Error:
            continue
        found.append(family)
    return found


def test_ranks_sit_x_fastest_on_their_nodes(up: Callable[..., Lab], capfd: pytest.CaptureFixture[str]) -> None:
    lab = up("torus:3x2m/ppn=2")
    # Open MPI 4.1 by itself has been seen to wait for ever in this gather, once: ranks that connect to each other.
    killed = 137
    for _ in range(3):
        capfd.readouterr()
        code = ap.lab.run(lab, ["timeout", "-s", "KILL", "60", sys.executable, "-c", HELLO])
        if code != killed:
            break
    assert code == 0
    told = json.loads(capfd.readouterr().out)
    assert told == [[r, f"{NAME}-{r // 2}", f"({r // 2 % 3},{r // 6})", lab.machine_file] for r in range(12)]
    with pytest.raises(ap.Error, match=r"ranks = 13: lab .* has places for 1 to 12"):
        ap.lab.run(lab, ["true"], ranks=13)
    assert ap.lab.run(lab, ["sh", "-c", "exit 3"], ranks=1) == 3
    assert ap.lab.run_on(lab, 5, ["sh", "-c", "exit 4"]) == 4


RING = """
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
static char out[300000], in[300000];
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks, seconds = argc > 1 ? atoi(argv[1]) : 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  double end = MPI_Wtime() + seconds;
  int more = 1;
  while (more) {
    MPI_Sendrecv(out, sizeof out, MPI_BYTE, (rank + 1) % ranks, 0, in, sizeof in, MPI_BYTE, (rank + ranks - 1) % ranks,
                 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    more = MPI_Wtime() < end;
    MPI_Bcast(&more, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }
  if (rank == 0) printf("round\\n");
  return MPI_Finalize();
}
"""


@pytest.fixture(scope="module", params=families() or ["none"])
def ring(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """(MPI, program): messages round a ring for some seconds, in C, that never heard of Allport."""
    compiler = shutil.which(f"mpicc.{request.param}") or (shutil.which("mpicc") if len(families()) == 1 else None)
    if compiler is None:
        pytest.skip(f"no mpicc of {request.param}")
    folder = tmp_path_factory.mktemp("ring")
    (folder / "ring.c").write_text(RING)
    subprocess.run([compiler, "-O1", str(folder / "ring.c"), "-o", str(folder / "ring")], check=True)
    return request.param, str(folder / "ring")


def test_any_mpi_program_runs_over_the_links(
    up: Callable[..., Lab], ring: tuple[str, str], capfd: pytest.CaptureFixture[str]
) -> None:
    lab = up("torus:3x2", "20mbit")
    assert ap.lab.run(lab, [ring[1]], mpi=ring[0]) == 0
    assert capfd.readouterr().out == "round\n"
    assert sent(lab)["(0,0)+x -> (1,0)"] > 300_000
    assert all(node["control"] < 200_000 for node in ap.lab.status(NAME)["nodes"])


def test_a_cut_ends_the_run_and_names_the_link(up: Callable[..., Lab], ring: tuple[str, str]) -> None:
    lab = up("torus:4", "20mbit")
    fault = later(3, lambda: Lab.attach(NAME).cut("3-0"))
    start = time.monotonic()
    with pytest.raises(JobFailed, match=r"link 3-0, \(3\)\+x -> \(0\)"):
        ap.lab.run(lab, [ring[1], "600"], mpi=ring[0], grace=2)
    assert time.monotonic() - start < 60
    fault.join()
    assert nothing_left()
    with pytest.raises(JobFailed, match="is cut and its routes are withdrawn; allport lab restore 3-0"):
        ap.lab.run(lab, [ring[1]], mpi=ring[0])


def test_a_stalled_rank_names_the_link_that_it_has_lost(
    up: Callable[..., Lab], capfd: pytest.CaptureFixture[str]
) -> None:
    lab = up("torus:4", "20mbit")
    fault = later(5, lambda: Lab.attach(NAME).cut("3-0"))
    with pytest.raises(JobFailed, match=r"link 3-0, \(3\)\+x -> \(0\), is cut; the program ended with code"):
        ap.lab.run(lab, [sys.executable, str(HERE / "ranks" / "broadcasts.py"), "1000000", "600"], grace=60)
    fault.join()
    told = [line for line in capfd.readouterr().err.splitlines() if "has lost its carrier; waits for" in line]
    assert told and any(
        f"allport: rank {rank} (node ({rank})): link ({rank}){port}x -> ({other}) has lost" in line
        for line in told
        for rank, port, other in ((0, "-", 3), (3, "+", 0))
    )
    assert nothing_left()


def test_a_rerouted_cut_lets_the_run_finish(
    up: Callable[..., Lab], ring: tuple[str, str], capfd: pytest.CaptureFixture[str]
) -> None:
    lab = up("torus:4", "20mbit")
    fault = later(3, lambda: Lab.attach(NAME).cut("3-0", reroute=True))
    assert ap.lab.run(lab, [ring[1], "8"], mpi=ring[0]) == 0
    fault.join()
    assert capfd.readouterr().out == "round\n"
    assert ap.lab.status(NAME)["links"][3]["state"] == "cut, rerouted"


def running_in(node: int, *words: str) -> list[int]:
    """Processes in a node that pgrep finds by these words; waits for the first: a busy machine starts ranks late."""
    inode, end = os.stat(f"/run/netns/allport-{NAME}-{node}").st_ino, time.monotonic() + 120
    while time.monotonic() < end:
        ours = []
        for pid in subprocess.run(["pgrep", *words], capture_output=True, text=True).stdout.split():
            with contextlib.suppress(FileNotFoundError):  # it has ended by now
                if os.stat(f"/proc/{pid}/ns/net").st_ino == inode:
                    ours.append(int(pid))
        if ours:
            return ours
        time.sleep(0.1)
    raise AssertionError(f"nothing that pgrep {' '.join(words)} finds runs in node {node}")


def test_a_killed_rank_is_named(up: Callable[..., Lab], ring: tuple[str, str]) -> None:
    lab = up("torus:4", "20mbit")

    def kill() -> None:
        os.kill(max(running_in(2, "-x", "ring")), signal.SIGKILL)

    fault = later(3, kill)
    with pytest.raises(JobFailed, match=r"rank 2 on node 2 \(2\) died of signal 9 \(SIGKILL\)"):
        ap.lab.run(lab, [ring[1], "600"], mpi=ring[0])
    fault.join()
    assert nothing_left()


def test_going_down_ends_the_run(up: Callable[..., Lab], ring: tuple[str, str]) -> None:
    lab = up("torus:3", "20mbit")
    fault = later(3, lambda: ap.lab.take_down(NAME))
    with pytest.raises(JobFailed, match="was taken down while the program ran"):
        ap.lab.run(lab, [ring[1], "600"], mpi=ring[0])
    fault.join()


def test_commands(allport: Callable[..., subprocess.CompletedProcess[str]], up: Callable[..., Lab]) -> None:
    assert json.loads(allport("lab", "up", "torus:2x2", "--name", NAME, "--json").stdout)["cables"] == 8
    try:
        assert allport("lab", "run", "--name", NAME, "-n", "2", "--", "hostname").stdout.split().count(f"{NAME}-0") == 1
        failed = allport("lab", "run", "--name", NAME, "--node", "1", "--", "sh", "-c", "exit 7")
        assert failed.returncode == 7
        assert "cut; its routes are withdrawn" in allport("lab", "cut", "0+x", "--name", NAME).stdout
        shown = json.loads(allport("lab", "status", "--name", NAME, "--json").stdout)[0]
        assert [link["state"] for link in shown["links"]].count("cut") == 1
        assert "as new" in allport("lab", "restore", "0+x", "--name", NAME).stdout
        assert "0-1" in allport("lab", "status", "--name", NAME).stdout
        wrong = allport("lab", "cut", "0-3", "--name", NAME)
        assert wrong.returncode == 1 and "there is none; node 0 has 0-1 (x+)" in wrong.stderr
        nothing = allport("lab", "run", "--name", NAME)
        assert nothing.returncode == 2 and "PROGRAM" in nothing.stderr.upper()
    finally:
        assert allport("lab", "down", "--name", NAME).returncode == 0
    gone = allport("lab", "run", "--name", NAME, "--", "hostname")
    assert gone.returncode == 1 and f"no lab '{NAME}' is up" in gone.stderr


@pytest.fixture
def preloaded() -> tuple[list[str], list[str]]:
    """A plain MPI program that broadcasts again and again and checks every byte; what preloads the drop-in into it."""
    program = ap.bench.places.executable("bench_collective")
    assert program is not None
    exports = [f"LD_PRELOAD={dropin.library('mpi')}", "ALLPORT_DROPIN=always"]
    return [program, "bcast", "--plan", "2000000", "--seconds", "600", "--iterations"], exports


def test_a_cut_under_the_dropin_ends_the_run_and_names_the_link(
    up: Callable[..., Lab], preloaded: tuple[list[str], list[str]]
) -> None:
    lab = up("torus:4", "20mbit")
    fault = later(5, lambda: Lab.attach(NAME).cut("3-0"))
    with pytest.raises(JobFailed, match=r"link 3-0, \(3\)\+x -> \(0\)"):
        ap.lab.run(lab, [*preloaded[0], "10000"], export=preloaded[1], grace=2)
    fault.join()
    assert nothing_left()


def test_a_rerouted_cut_under_the_dropin_lets_the_run_finish(
    up: Callable[..., Lab], preloaded: tuple[list[str], list[str]], capfd: pytest.CaptureFixture[str]
) -> None:
    lab = up("torus:4", "20mbit")
    fault = later(5, lambda: Lab.attach(NAME).cut("3-0", reroute=True))
    assert ap.lab.run(lab, [*preloaded[0], "12"], export=preloaded[1]) == 0
    fault.join()
    told = capfd.readouterr()
    line = next(json.loads(text) for text in told.out.splitlines() if text.startswith('{"collective"'))
    assert line["wrong"] == 0 and len(line["seconds"]) == 12
    assert max(line["seconds"][-3:]) > 1.2 * min(line["seconds"]), "the cut came too late to be felt"


def test_a_rank_killed_under_the_dropin_is_named(
    up: Callable[..., Lab], preloaded: tuple[list[str], list[str]]
) -> None:
    lab = up("torus:4", "20mbit")

    def kill() -> None:
        name = Path(preloaded[0][0]).name[:15]  # as the kernel keeps it
        os.kill(max(running_in(2, "-x", name)), signal.SIGKILL)

    fault = later(5, kill)
    # Its neighbours write to it, and Open MPI sometimes tells of one of these.
    killed = r"rank 2 on node 2 \(2\) died of signal 9 \(SIGKILL\)"
    after = r"rank [013] on node \d \(\d\) died of signal 13 \(SIGPIPE\): it wrote to a rank that had gone before it"
    with pytest.raises(JobFailed, match=f"{killed}|{after}"):
        ap.lab.run(lab, [*preloaded[0], "10000"], export=preloaded[1])
    fault.join()
    assert nothing_left()


def test_the_dropin_measures_links_that_nobody_has(
    up: Callable[..., Lab], preloaded: tuple[list[str], list[str]], tmp_path: Path
) -> None:
    lab = up("torus:4", "40mbit")
    report = tmp_path / "report.json"
    export = [preloaded[1][0], "ALLPORT_MACHINE=torus:4", "ALLPORT_RATES=", f"ALLPORT_REPORT={report}"]
    program = [preloaded[0][0], "gather", "--plan", "4000000", "--iterations", "1"]
    assert ap.lab.run(lab, program, export=[*export, "ALLPORT_SELECT=off"]) == 0
    told = json.loads(report.read_text())
    assert told["tried"] == {}
    assert told["rates"]["source"] == "measured at start"
    assert told["rates"]["seconds"] < 0.5, "a start takes a fifth of a second, and this computer may be loaded"
    # The preset's 4 GB/s would hand it back; beside other work the links look slower than they are, never much faster.
    assert told["rates"]["axes"][0]["bandwidth"] < 20e6
    assert told["collectives"]["MPI_Gather"]["taken"] > 0
    # Where it may try, the library goes first; then ours is the quicker one, and stays.
    assert ap.lab.run(lab, [*program[:-1], "8", "--seconds", "60"], export=export) == 0
    told = json.loads(report.read_text())
    (found,) = told["tried"].values()
    assert found["best"] != "MPI's own" and found["seconds"][found["best"]] < found["seconds"]["MPI's own"]
    assert told["collectives"]["MPI_Gather"]["taken"] > 2


def test_ranks_that_form_no_box_are_tried_under_the_dropin(
    up: Callable[..., Lab], preloaded: tuple[list[str], list[str]], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    lab = up("torus:4x2", "40mbit")
    report = tmp_path / "report.json"
    export = [preloaded[1][0], "ALLPORT_MACHINE=torus:4x2", "ALLPORT_RATES=", f"ALLPORT_REPORT={report}"]
    program = [sys.executable, str(Path(__file__).parent / "ranks" / "no_box.py"), "250000", "8"]
    assert ap.lab.run(lab, program, export=export) == 0
    assert "seconds" in capfd.readouterr().out
    told = json.loads(report.read_text())
    site, found = next((s, f) for s, f in told["tried"].items() if "MPI_Bcast of 524288" in s)
    assert "7 ranks of torus:4x2" in site and " at 6 5 4 3 2 1 0" in site
    # Two trees of its own against MPI's one.
    assert found["best"] != "MPI's own" and found["seconds"][found["best"]] < found["seconds"]["MPI's own"]
    assert told["collectives"]["MPI_Bcast"]["taken"] > 2
    # By the lab's own rates: those measured at a start beside other work say now this, now that of prices.
    export.remove("ALLPORT_RATES=")
    assert ap.lab.run(lab, program, export=[*export, "ALLPORT_SELECT=off"]) == 0
    told = json.loads(report.read_text())
    assert told["collectives"]["MPI_Bcast"]["taken"] == 0
    assert any("no box" in why for why in told["collectives"]["MPI_Bcast"]["reasons"]), told["collectives"]


def test_without_a_machine_what_is_tried_is_taken_and_nothing_else(
    up: Callable[..., Lab], preloaded: tuple[list[str], list[str]], tmp_path: Path
) -> None:
    lab = up("torus:4", "40mbit")
    report = tmp_path / "report.json"
    export = [preloaded[1][0], "ALLPORT_MACHINE=", "ALLPORT_RATES=", f"ALLPORT_REPORT={report}"]

    def told(collective: str, *settings: str) -> dict:
        program = [preloaded[0][0], collective, "--plan", "1000000", "--iterations", "8", "--seconds", "60"]
        assert ap.lab.run(lab, program, export=[*export, *settings]) == 0
        return json.loads(report.read_text())

    gathers = told("gather")
    ((site, found),) = gathers["tried"].items()
    assert "torus:4 in" in site and "MPI_Gather" in site and gathers["rates"]["source"] == "measured at start"
    assert found["best"] != "MPI's own" and found["seconds"][found["best"]] < found["seconds"]["MPI's own"]
    assert gathers["collectives"]["MPI_Gather"]["taken"] > 2
    sums = told("allreduce")
    assert sums["tried"] == {} and sums["collectives"]["MPI_Allreduce"]["taken"] == 0
    off = told("gather", "ALLPORT_SELECT=off")
    assert off["why_inactive"] == "ALLPORT_MACHINE is not set"
