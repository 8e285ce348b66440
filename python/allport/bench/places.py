"""The place where a benchmark's ranks run: this computer or a lab."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from allport import _native
from allport.machine import Machine
from allport.run import launch
from allport.run.launch import JobFailed
from allport.run.mpiexec import find
from allport.run.rank import MARK
from allport.run.supervisor import Supervised

__all__ = ["Place", "executable", "raw_machine"]


@dataclass
class Place:
    """A machine on which to start ranks. lab: a lab that is up; None: this computer."""

    machine: Machine
    lab: Any = None
    mpi: str | None = None  # family; None: the one that Allport was built for
    spec: str | None = None  # value of ALLPORT_MACHINE; None: the lab's machine file, or the machine's name

    @property
    def family(self) -> str:
        """'openmpi' or 'mpich'."""
        return self.mpi or str(_native.build_info()["mpi_family"])

    def command(self, exports: Sequence[tuple[str, str]] = ()) -> tuple[list[str], dict[str, str]]:
        """(argv, environment); append the program. exports: variables of the ranks only."""
        given = list(exports)
        if self.spec is not None:
            given.append(("ALLPORT_MACHINE", self.spec))
        if self.lab is not None:
            return self.lab.mpiexec_command(mpi=self.mpi, exports=given)
        ranks = self.machine.ranks
        argv, env = launch.mpiexec_command(ranks), launch.environment(ranks)
        if self.mpi is not None and self.mpi != _native.build_info()["mpi_family"]:
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
        """Runs a program that prints JSON lines; returns them.

        Raises JobFailed with the program's output, or after `limit` seconds; then all of its processes have ended.
        """
        argv, environment = self.command(exports)
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            environment = {**environment, **(env or {})}
            started = Supervised([*argv, *program], env=environment, stdin=subprocess.DEVNULL, stdout=out, stderr=err)
            try:
                ended = started.wait(limit) is not None
            finally:
                code = started.end()
            if not ended:
                raise JobFailed(f"{os.path.basename(program[0])} was not done after {limit:.0f} s and was ended")
            output, errors_written = (_text(stream) for stream in (out, err))
        lines, errors = [], []
        for line in output.splitlines():
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
        if code != 0 or errors:
            texts = errors or [t for t in (errors_written + output).splitlines() if t.strip()][-12:]
            raise JobFailed("\n".join(texts) or f"mpiexec ended with exit code {code}", code or 1)
        return lines


def raw_machine(place: Place) -> Machine:
    """The machine with the configured rates of its links, for bounds."""
    if place.lab is None:
        return place.machine
    axes = ", ".join(
        f'{{ length = {a.length}, wraps = {str(a.wraps).lower()}, bandwidth = "{bits} bit/s", latency = 0 }}'
        for a, bits in zip(place.machine.axes, place.lab.plan.bits, strict=True)
    )
    return Machine.from_toml(
        f'name = "{place.machine.name}"\nranks_per_node = {place.machine.ranks_per_node}\naxes = [ {axes} ]'
    )


def _text(stream: IO[bytes]) -> str:
    stream.seek(0)
    return stream.read().decode(errors="replace")


def executable(name: str) -> str | None:
    """Path of a program installed with the package."""
    beside = Path(str(_native.__file__)).parent / "libexec" / name
    return str(beside) if os.access(beside, os.X_OK) else shutil.which(name)
