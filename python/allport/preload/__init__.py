"""Starts an MPI program that never heard of Allport with the drop-ins that fit it.

    start = preload.prepare("./solver", ["input.txt"], ranks=16, machine="torus:4x4")
    print(start.shell())
    start.run()

What a program is linked with says which MPI library it wants, and so which launcher and which drop-ins; of Python it is
what its mpi4py loads. The ranks alone are given the drop-ins, not the launcher.
"""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from allport import dropin
from allport.errors import Error, failure
from allport.machine import as_machine
from allport.preload import launcher
from allport.preload.program import Program, examine
from allport.run.launch import cores

__all__ = ["INTERFACES", "Program", "Start", "examine", "prepare"]

INTERFACES = ("mpi", "scalapack")


@dataclass(frozen=True)
class Start:
    """A command that is ready: the launcher's part, what the ranks' environment gets, and the program's part."""

    launch: tuple[str, ...]
    launch_environment: dict[str, str]
    environment: dict[str, str]
    program: tuple[str, ...]
    family: str
    interfaces: tuple[str, ...]
    ranks: int
    notes: tuple[str, ...]

    @property
    def command(self) -> list[str]:
        """env(1) gives the variables to the program alone, whatever launcher that is."""
        given = [f"{name}={value}" for name, value in self.environment.items()]
        return [*self.launch, "env", *given, *self.program]

    def shell(self) -> str:
        """For a shell, on one line."""
        given = [f"{name}={shlex.quote(value)}" for name, value in self.launch_environment.items()]
        return " ".join([*given, *(shlex.quote(word) for word in self.command)])

    def run(self) -> int:
        """Its exit code."""
        return subprocess.run(self.command, env={**os.environ, **self.launch_environment}).returncode

    def replace_this_process(self) -> None:
        """As exec does: signals and the exit code are the launcher's then."""
        os.execvpe(self.command[0], self.command, {**os.environ, **self.launch_environment})

    def to_dict(self) -> dict[str, Any]:
        """For programs."""
        return {
            "command": self.command,
            "shell": self.shell(),
            "mpi": self.family,
            "interfaces": list(self.interfaces),
            "ranks": self.ranks,
            "environment": self.environment,
            "launch_environment": self.launch_environment,
            "notes": list(self.notes),
        }


def _libraries(program: Program, interfaces: Sequence[str] | None, notes: list[str]) -> dict[str, str]:
    """Which drop-ins, interface to path. What was asked for by name must be there; what was not is only told."""
    wanted = INTERFACES if interfaces is None else tuple(interfaces)
    for interface in wanted:
        if interface not in INTERFACES:
            raise failure(f"interface = '{interface}': expected {' or '.join(INTERFACES)}")
    found = {}
    for interface in wanted:
        if interface == "scalapack" and not program.scalapack:
            if interfaces is not None:
                raise failure(
                    f"interface = 'scalapack': {program.path} loads no shared ScaLAPACK; one that is linked in "
                    "statically cannot be reached: link it with the shared library, or leave it out"
                )
            continue
        ilp64 = interface == "scalapack" and "ilp64" in program.scalapack
        try:
            found[interface] = dropin.library(interface, program.abi, ilp64=ilp64)
        except Error as error:
            if interfaces is not None or interface == "mpi":
                raise
            notes.append(str(error))
    return found


def _places(machine: str | None, ranks: int | None, notes: list[str]) -> tuple[str | None, int]:
    spec = machine if machine is not None else os.environ.get("ALLPORT_MACHINE")
    if not spec:
        notes.append(
            "no machine is named: where all ranks share one computer every collective call is passed on; "
            "--machine torus:4x4 or a machine file tells how they are connected"
        )
        return None, ranks if ranks is not None else cores()
    there = as_machine(spec).ranks
    if ranks is not None and ranks != there:
        raise failure(
            f"ranks = {ranks}: machine '{spec}' has {there} places; leave -n out, or name a machine of {ranks}"
        )
    return str(Path(spec).resolve()) if Path(spec).is_file() else spec, there


def prepare(
    program: str,
    arguments: Sequence[str] = (),
    *,
    ranks: int | None = None,
    machine: str | None = None,
    mpi: str | None = None,
    launch: str | None = None,
    interfaces: Sequence[str] | None = None,
    report: str | None = "1",
    variables: dict[str, str] | None = None,
) -> Start:
    """Finds out what a program needs, and makes the command that starts it.

    program: a path, or a name in PATH. ranks: the machine's when None; without a machine, one a core.
    machine: a spec or a file; ALLPORT_MACHINE when None. mpi: 'openmpi' or 'mpich', where the program does not say.
    launch: the launcher with its options, in place of the one that belongs to the program's MPI library ('srun
    --mpi=pmix'); ALLPORT_MPIEXEC when None. It is given -n RANKS. interfaces: 'mpi', 'scalapack'; all that fit when
    None.
    report: '1' prints what was taken at the end, another text is the file for it as JSON; None: neither.
    variables: more of them for the ranks. Raises Error, which says what is missing and how to get it.
    """
    if ranks is not None and ranks < 1:
        raise failure(f"ranks = {ranks}: expected 1 or more")
    notes: list[str] = []
    found = examine(program, mpi)
    family = found.family
    libraries = _libraries(found, interfaces, notes)
    spec, count = _places(machine, ranks, notes)
    begin, around = launcher.command(found, count, launch)
    environment = dict(variables or {})
    # The one before the other: ScaLAPACK's calls go to ours before any of MPI's are seen.
    preloaded = [libraries[name] for name in reversed(INTERFACES) if name in libraries]
    if found.late and found.library:
        # A wheel's drop-ins name no MPI library: they stand before the one that the program has.
        preloaded.append(found.library)
    already = environment.get("LD_PRELOAD") or os.environ.get("LD_PRELOAD")
    environment["LD_PRELOAD"] = " ".join([*preloaded, *([already] if already else [])])
    if spec is not None:
        environment.setdefault("ALLPORT_MACHINE", spec)
    if report is not None:
        environment.setdefault("ALLPORT_REPORT", report if report == "1" else str(Path(report).resolve()))
    return Start(
        tuple(begin), around, environment, (str(found.path), *arguments), family, tuple(libraries), count, tuple(notes)
    )  # fmt: skip
