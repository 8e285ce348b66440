"""Runs a program on a lab and watches over it: cut links, killed ranks, and nothing left running at the end."""

from __future__ import annotations

import contextlib
import ctypes
import math
import os
import re
import shlex
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import IO, TextIO

from allport.errors import AllportError, failure
from allport.lab import state
from allport.lab.plan import Cable, Plan
from allport.lab.torus import Lab
from allport.launch import JobFailed, ended_by_signals

__all__ = ["run"]

_SUBREAPER, _DEATH_SIGNAL = 36, 1


def _pairs(texts: Sequence[str], option: str) -> list[tuple[str, str]]:
    made = []
    for text in texts:
        key, equals, value = text.partition("=")
        if not key or (not equals and key not in os.environ):
            raise failure(f"{option} = '{text}': expected NAME=VALUE")
        made.append((key, value if equals else os.environ[key]))
    return made


def run(
    lab: Lab,
    program: Sequence[str],
    *,
    ranks: int | None = None,
    mpi: str | None = None,
    on: int | None = None,
    mca: Sequence[str] = (),
    export: Sequence[str] = (),
    mpiexec: str = "",
    grace: float = 4.0,
) -> int:
    """Runs an MPI program on the lab, or a command inside node `on`; returns its exit code. Output passes through.

    mca: 'key=value' for Open MPI. export: 'NAME=VALUE' for the ranks alone. mpiexec: more of its arguments.
    grace: seconds that the run may last after a link was cut and not rerouted.
    Raises JobFailed, with everything ended, when a link is cut, a rank is killed or the lab goes away.
    """
    if not program:
        raise failure("program: expected one after --, such as allport lab run -- ./program")
    if not grace >= 0:
        raise failure(f"grace = {grace}: expected seconds >= 0, or inf")
    if on is not None:
        argv, env = lab.node_command(on), {**os.environ, "ALLPORT_LAB": lab.name}
        _check_links(lab.plan, math.inf)
    else:
        _check_links(lab.plan, grace)
        extra = [word for key, value in _pairs(mca, "--mca") for word in ("--mca", key, value)]
        argv, env = lab.mpiexec_command(ranks, mpi, [*extra, *shlex.split(mpiexec)], _pairs(export, "--export"))
    return _Run(lab, [*argv, *program], env, grace).wait()


def _check_links(plan: Plan, grace: float) -> None:
    gone = [c for c in plan.cables if c.cut and not c.rerouted]
    if gone and math.isfinite(grace):
        raise JobFailed(
            f"lab '{plan.name}': {plan.cable_name(gone[0])} is cut and its routes are withdrawn; "
            f"allport lab restore {gone[0].low}-{gone[0].high}, or run with --grace inf"
        )


class _Run:
    """One program in flight."""

    def __init__(self, lab: Lab, argv: list[str], env: dict[str, str], grace: float) -> None:
        self.lab, self.grace = lab, grace
        self.told: dict[str, deque[bytes]] = {}
        ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)  # whatever the program leaves behind becomes our child
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(argv, env=env, stdout=pipe, stderr=pipe, preexec_fn=_die_with_parent)
        self.readers = [
            threading.Thread(target=self._pass_on, args=(source, target), daemon=True)
            for source, target in ((self.process.stdout, sys.stdout), (self.process.stderr, sys.stderr))
        ]
        for reader in self.readers:
            reader.start()

    def _pass_on(self, source: IO[bytes], target: TextIO) -> None:
        """Copies output as it comes, and keeps its end, where mpiexec says what went wrong."""
        kept = self.told[target.name] = deque(maxlen=64)
        target.flush()
        while part := os.read(source.fileno(), 1 << 16):
            kept.append(part)
            with contextlib.suppress(BrokenPipeError):  # the reader of our output has gone, which is its right
                target.buffer.write(part)
                target.buffer.flush()

    def wait(self) -> int:
        """Waits for the end; raises JobFailed when it is a bad one that has a name."""
        try:
            with ended_by_signals():
                fault = self._watch()
        except BaseException:
            self._end()
            raise
        code = self.process.returncode if fault is None else 1
        self._end()
        for reader in self.readers:
            reader.join(timeout=2)
        if fault is not None:
            raise JobFailed(fault)
        if code:
            self._explain(code)
        return code if code >= 0 else 128 - code

    def _watch(self) -> str | None:
        """Waits for the program's end, or for something that ends it; the latter in words."""
        since: float | None = None
        while True:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(timeout=0.2)
                return self._why()
            if not self._refresh():
                return self._gone()
            broken = self._broken()
            if broken is None:
                since = None
                continue
            if since is None:
                since = time.monotonic()
                self._say(f"{self.lab.plan.cable_name(broken)}, was cut; its routes are withdrawn")
            if time.monotonic() - since > self.grace:
                return (
                    f"{self.lab.plan.cable_name(broken)}, has lost its carrier and was not rerouted or restored within "
                    f"{self.grace:g} s: the run was ended"
                )

    def _broken(self) -> Cable | None:
        return next((c for c in self.lab.plan.cables if c.cut and not c.rerouted), None)

    def _refresh(self) -> bool:
        """Reads the lab's state; False when it is there no more, or about to go."""
        with contextlib.suppress(AllportError):
            now = state.load(self.lab.name)
            self.lab.plan = now.plan
            return now.phase == "up"
        return False

    def _gone(self) -> str:
        return f"lab '{self.lab.name}' was taken down while the program ran"

    def _why(self) -> str | None:
        """What in the lab may have made a program fail that ended by itself."""
        if self.process.returncode == 0:
            return None
        if not self._refresh():
            return self._gone()
        broken = self._broken()
        if broken is None:
            return None
        return f"{self.lab.plan.cable_name(broken)}, is cut; the program ended with code {self.process.returncode}"

    def _explain(self, code: int) -> None:
        """Names the rank that was killed, which mpiexec does in many words."""
        text = "\n".join(b"".join(kept).decode(errors="replace") for kept in self.told.values())
        found = re.search(r"process rank (\d+) with PID (\d+) on node (\S+) exited on signal (\d+)", text)
        if found:
            rank, number = int(found.group(1)), int(found.group(4))
            self._killed(f"rank {rank}", rank // self.lab.plan.ranks_per_node, number)
        found = re.search(r"BAD TERMINATION.*?PID \d+ RUNNING AT (\S+).*?EXIT CODE: (\d+)", text, re.DOTALL)
        if found and int(found.group(2)) < 65:
            host = found.group(1).rpartition("-")[2]
            if host.isdigit():
                node = int(host)
                per = self.lab.plan.ranks_per_node
                who = f"rank {node}" if per == 1 else f"one of ranks {node * per} to {node * per + per - 1}"
                self._killed(who, node, int(found.group(2)))

    def _killed(self, who: str, node: int, number: int) -> None:
        with contextlib.suppress(ValueError):
            signal_name = signal.Signals(number).name
            raise JobFailed(
                f"{who} on node {node} {self.lab.plan.title(node)} died of signal {number} ({signal_name})",
                128 + number,
            )

    def _say(self, text: str) -> None:
        sys.stderr.write(f"allport: lab '{self.lab.name}': {text}\n")
        sys.stderr.flush()

    def _end(self) -> None:
        """Ends all that descends from the program: asks mpiexec first, so that it can end its ranks in order."""
        if self.process.poll() is None:
            self.process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(timeout=1.5)
        end = time.monotonic() + 5
        while (left := _descendants(self.process.pid)) and time.monotonic() < end:
            for pid in left:
                with contextlib.suppress(OSError):
                    os.kill(pid, signal.SIGKILL)
            time.sleep(0.02)
        self.process.poll()


def _die_with_parent() -> None:
    ctypes.CDLL(None).prctl(_DEATH_SIGNAL, signal.SIGTERM, 0, 0, 0)


def _descendants(first: int) -> list[int]:
    """Living descendants of this process: the program's, and those that it has left behind and that came to us."""
    parents: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError, ValueError, IndexError):
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
                if fields[0] not in "ZX":
                    parents[int(entry.name)] = int(fields[1])
                elif int(fields[1]) == os.getpid() and int(entry.name) != first:
                    os.waitpid(int(entry.name), os.WNOHANG)
    found, grown = {os.getpid()}, True
    while grown:
        more = {pid for pid, parent in parents.items() if parent in found and pid not in found}
        grown = bool(more)
        found |= more
    return sorted(found - {os.getpid()})
