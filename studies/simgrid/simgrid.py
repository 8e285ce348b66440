"""Runs schedules on SimGrid: module `comm` compiled with smpicxx, and our streams straight on SimGrid's kernel."""

from __future__ import annotations

import json
import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

import allport as ap
from cases import Case, has_twin_cables, machine_file

# Each with its reason, for the page.
NETWORK_SETTINGS = {
    "network/crosstraffic:0": "else messages also load the route back with some of their bytes, as TCP's answers would",
    "network/weight-S:0": "else shares of a link also depend on the bandwidths of the rest of the route",
    "surf/precision:1e-12": "the grain of the clock; the default is longer than our hops, and smpirun's own "
    "adds up over many small messages",
}
SMPI_SETTINGS = {
    "smpi/bw-factor:0:1": "else bandwidths are bent by message size, as fitted once on a cluster of 2012",
    "smpi/lat-factor:0:1": "the same for latencies",
    "smpi/os:0:0:0:0:0": "no time in a send; the machines of this check have o = 0",
    "smpi/or:0:0:0:0:0": "none in a receive",
    "smpi/ois:0:0:0:0:0": "none in a non-blocking send",
    "smpi/async-small-thresh:0": "every message waits for its receive to be posted",
    "smpi/send-is-detached-thresh:0": "every send is complete when its message has arrived; by default short ones "
    "are complete at once",
    "smpi/simulate-computation:no": "our own processor time is not added to the simulated clock",
    "smpi/test:0": "no nap in a poll; the idle poll waits instead (studies/simgrid/smpi/waiting.h)",
    "smpi/iprobe:0": "the same for probes, which we do not use",
    "smpi/wtime:0": "reading the clock takes no time",
    "smpi/privatization:no": "all ranks share our globals, so that state hidden in one would show",
}
HEADER = 16  # bytes that SMPI sends beside every message's own (studies/docs/simgrid.md)
ROUTES_UP_TO = 64  # nodes; beyond, and where SimGrid's own torus fits, that


def version() -> str:
    """Of the SimGrid that is run: '3.32'."""
    told = subprocess.run(["smpirun", "--version"], capture_output=True, text=True, check=True).stdout
    if not (found := re.search(r"SimGrid version (\S+)", told)):
        raise RuntimeError(f"smpirun --version says {told!r}: expected 'SimGrid version ...'")
    return found[1]


@dataclass
class Answer:
    """What SimGrid says of one case. seconds: until the slowest rank is done; wall: ours."""

    seconds: float
    wall: float
    rank_seconds: list[float]
    messages: int = 0
    wrong: int = 0
    checked: bool = False


class SimGrid:
    """The programs of build folder `build`. Machine files and host lists go to build/cases."""

    def __init__(self, build: Path) -> None:
        self.programs = build / "bench" / "simgrid"
        self.folder = build / "cases"
        self.folder.mkdir(exist_ok=True)

    def network(self, case: Case) -> str:
        return "torus" if ap.Machine.parse(case.machine).nodes > ROUTES_UP_TO else "routes"

    def comm(self, cases: list[Case], timeout: float = 300) -> dict[Case, Answer]:
        """Cases of one machine, in one simulation after the other; none where MPI could not name the cable."""
        first = cases[0]
        if has_twin_cables(first.machine):
            return {}
        ranks = ap.Machine.parse(first.machine).ranks
        hosts = self.folder / f"hosts-{ranks}"
        hosts.write_text("".join(f"node-{r}\n" for r in range(ranks)))
        machine = str(machine_file(self.folder, first))
        settings = [f"--cfg={s}" for s in {**NETWORK_SETTINGS, **SMPI_SETTINGS}]
        command = ["smpirun", "-np", str(ranks), "-platform", str(self.programs / "simgrid_platform.so")]
        command += ["-hostfile", str(hosts), "--log=root.thres:warning", *settings]
        command += [str(self.programs / "smpi" / "simgrid_driver.so"), machine, *(c.text for c in cases)]
        environment = {"ALLPORT_SIMGRID_MACHINE": machine, "ALLPORT_SIMGRID_NETWORK": self.network(first)}
        lines = _lines(command, timeout, environment)
        by_text = {line.pop("case"): line for line in lines}
        return {c: Answer(**by_text[c.text]) for c in cases}

    def streams(self, case: Case, timeout: float = 300) -> Answer:
        """The same schedule without MPI."""
        return self._streams(self.network(case), machine_file(self.folder, case), case.text, timeout)

    def carry(self, machine: Path, schedule: ap.Schedule, timeout: float = 300) -> Answer:
        """Any schedule on a machine file, over routes as ours, without MPI."""
        goal = self.folder / "carried.goal"
        ap.schedule.export_goal(schedule, goal)
        return self._streams("routes", machine, str(goal), timeout)

    def _streams(self, network: str, machine: Path, case: str, timeout: float) -> Answer:
        settings = [f"--cfg={s}" for s in ("network/model:CM02", *NETWORK_SETTINGS)]
        command = [str(self.programs / "simgrid_streams"), network, str(machine), case]
        line = _lines([*command, "--log=root.thres:warning", *settings], timeout, {})[0]
        line.pop("case")
        return Answer(**line)


def _lines(command: list[str], timeout: float, environment: dict[str, str]) -> list[dict]:
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=timeout, env={**os.environ, **environment}, check=False
    )
    if done.returncode != 0:
        raise RuntimeError(
            f"{' '.join(command)}\nexit code {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-4000:]}"
        )
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
