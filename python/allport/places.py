"""Where a benchmark's ranks run: on this computer, or on a lab."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from allport import _native, launch
from allport.launch import MARK, JobFailed
from allport.machine import Machine

__all__ = ["Place"]


@dataclass
class Place:
    """A machine with ranks to start. lab: a lab that is up, None for this computer."""

    machine: Machine
    lab: Any = None
    mpi: str | None = None  # family; None: the one that Allport was built for
    spec: str | None = None  # what ALLPORT_MACHINE is to be; None: the lab's own file, or the machine's name

    @property
    def family(self) -> str:
        """'openmpi' or 'mpich'."""
        return self.mpi or str(_native.build_info()["mpi_family"])

    def command(self, exports: Sequence[tuple[str, str]] = ()) -> tuple[list[str], dict[str, str]]:
        """(argv, environment) to which the program is appended; exports reach the ranks alone."""
        given = list(exports)
        if self.spec is not None:
            given.append(("ALLPORT_MACHINE", self.spec))
        if self.lab is not None:
            return self.lab.mpiexec_command(mpi=self.mpi, exports=given)
        ranks = self.machine.ranks
        argv, env = launch.mpiexec_command(ranks), launch.environment(ranks)
        if self.mpi is not None and self.mpi != _native.build_info()["mpi_family"]:
            from allport.lab.mpiexec import find

            argv, env = [find(self.mpi)[1], "-n", str(ranks)], {**env, "HYDRA_LAUNCHER": "fork"}
        for name, value in given:
            argv += ["-x", f"{name}={value}"] if self.family == "openmpi" else ["-genv", name, value]
        return argv, env

    def run(
        self,
        program: Sequence[str],
        exports: Sequence[tuple[str, str]] = (),
        env: dict[str, str] | None = None,
        limit: float = 900.0,
    ) -> list[dict[str, Any]]:
        """Runs a program that prints JSON lines; returns them. Raises JobFailed with what it said."""
        argv, environment = self.command(exports)
        try:
            done = subprocess.run(
                [*argv, *program],
                env={**environment, **(env or {})},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=limit,
            )
        except subprocess.TimeoutExpired:
            raise JobFailed(f"{os.path.basename(program[0])} was not done after {limit:.0f} s") from None
        lines, errors = [], []
        for line in done.stdout.splitlines():
            text = line[len(MARK) :] if line.startswith(MARK) else line
            if not text.startswith("{"):
                continue
            try:
                entry = json.loads(text)
            except ValueError:
                continue
            if "error" in entry:
                errors.append(entry["error"])
            lines.append(entry.get("result", entry))
        if done.returncode != 0 or errors:
            told = errors or [t for t in (done.stderr + done.stdout).splitlines() if t.strip()][-12:]
            raise JobFailed("\n".join(told) or f"mpiexec ended with exit code {done.returncode}", done.returncode or 1)
        return lines


def executable(name: str) -> str | None:
    """A program that is installed beside the package."""
    from pathlib import Path

    beside = Path(str(_native.__file__)).parent / "libexec" / name
    return str(beside) if os.access(beside, os.X_OK) else shutil.which(name)
