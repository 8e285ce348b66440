"""Runs a program on a lab and monitors it: reports cut links and killed ranks, and leaves no process behind."""

from __future__ import annotations

import contextlib
import math
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Sequence

from allport.errors import Error, failure
from allport.lab import state
from allport.lab.lab import Lab
from allport.lab.output import PassedOn
from allport.lab.plan import Plan
from allport.lab.shape import Cable
from allport.run.launch import JobFailed, ended_by_signals
from allport.run.supervisor import Supervised

__all__ = ["run", "run_on"]


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
    mca: Sequence[str] = (),
    export: Sequence[str] = (),
    mpiexec: str = "",
    grace: float = 4.0,
) -> int:
    """Runs an MPI program on the lab; forwards its output and returns its exit code.

    mca: 'key=value' for Open MPI. export: 'NAME=VALUE' for the ranks only. mpiexec: more arguments for it. grace:
    seconds that the run may last after a link was cut and not rerouted. Ends the run and raises JobFailed if a link is
    cut, a rank is killed or the lab is taken down.
    """
    _check(program, grace)
    _check_links(lab.plan, grace)
    extra = [word for key, value in _pairs(mca, "--mca") for word in ("--mca", key, value)]
    argv, env = lab.mpiexec_command(ranks, mpi, [*extra, *shlex.split(mpiexec)], _pairs(export, "--export"))
    return _Run(lab, [*argv, *program], env, grace).wait()


def run_on(lab: Lab, node: int, command: Sequence[str], *, grace: float = 4.0) -> int:
    """Runs one command, without MPI, inside a node of the lab; returns its exit code. grace, raises: as for run()."""
    _check(command, grace)
    return _Run(lab, [*lab.node_command(node), *command], {**os.environ, "ALLPORT_LAB": lab.name}, grace).wait()


def _check(program: Sequence[str], grace: float) -> None:
    if not program:
        raise failure("program: expected one after --, such as allport lab run -- ./program")
    if not grace >= 0:
        raise failure(f"grace = {grace}: expected seconds >= 0, or inf")


def _check_links(plan: Plan, grace: float) -> None:
    gone = [c for c in plan.cables if c.cut and not c.rerouted]
    if gone and math.isfinite(grace):
        raise JobFailed(
            f"lab '{plan.name}': {plan.cable_name(gone[0])} is cut and its routes are withdrawn; "
            f"allport lab restore {plan.label(gone[0].low)}-{plan.label(gone[0].high)}, or run with --grace inf"
        )


class _Run:
    """A running program."""

    def __init__(self, lab: Lab, argv: list[str], env: dict[str, str], grace: float) -> None:
        self.lab, self.grace = lab, grace
        self.read: tuple[int, int, int] | None = None  # fingerprint of the lab's record when its plan was read
        self.code: int | None = None
        # SIGTERM to mpiexec comes first, so that it can end its ranks in order.
        self.program = Supervised(argv, 1.5, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert self.program.stdout is not None and self.program.stderr is not None
        self.outputs = [PassedOn(self.program.stdout, sys.stdout), PassedOn(self.program.stderr, sys.stderr)]

    def wait(self) -> int:
        """Waits for the end; raises JobFailed if the cause of a failure is known."""
        try:
            with ended_by_signals():
                fault = self._watch()
        finally:
            code = self.program.end()
        for output in self.outputs:
            output.finish(None if not self.program.survivors else 2.0)
        if fault is not None:
            raise JobFailed(fault)
        if code:
            self._explain(code)
        return code if code >= 0 else 128 - code

    def _watch(self) -> str | None:
        """Waits for the program's end, or for an event that must end it; returns a description of the event."""
        since: float | None = None
        while True:
            self.code = self.program.wait(0.2)
            if self.code is not None:
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
        """Reads the lab's state if it has changed; False if the lab is gone, is being taken down, or is another one of
        this name."""
        seen = state.fingerprint(self.lab.name)
        if seen is not None and seen == self.read:
            return True
        with contextlib.suppress(Error):
            now = state.load(self.lab.name)
            self.lab.plan, self.read = now.plan, seen
            return now.phase == "up" and now.born == self.lab.born
        return False

    def _gone(self) -> str:
        return f"lab '{self.lab.name}' was taken down while the program ran"

    def _why(self) -> str | None:
        """The event in the lab that may have ended the program."""
        # Some mpiexec exit with 0 if they and their ranks are killed.
        if not self._refresh():
            return self._gone()
        if self.code == 0:
            return None
        broken = self._broken()
        if broken is None:
            return None
        return f"{self.lab.plan.cable_name(broken)}, is cut; the program ended with code {self.code}"

    def _explain(self, code: int) -> None:
        """Raises JobFailed naming the rank that was killed, as parsed from mpiexec's output."""
        text = "\n".join(output.end for output in self.outputs)
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
            # mpiexec reports one rank only, and not always the first one that ended.
            after = ": it wrote to a rank that had gone before it" if number == signal.SIGPIPE else ""
            title = self.lab.plan.title(node)
            where = f"node {node}" if title == str(node) else f"node {node} {title}"
            raise JobFailed(
                f"{who} on {where} died of signal {number} ({signal_name}){after}",
                128 + number,
            )

    def _say(self, text: str) -> None:
        if sys.stderr is None:
            return
        sys.stderr.write(f"allport: lab '{self.lab.name}': {text}\n")
        sys.stderr.flush()
