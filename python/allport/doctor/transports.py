"""MPI's transports on this computer, and whether a job starts at all."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from allport import mpi as _mpi
from allport.doctor.finding import Finding
from allport.errors import Error
from allport.run.launch import environment, mpiexec_command, reads_other_processes
from allport.units import format_bytes

__all__ = ["examine"]

_START_SECONDS = 30.0
_ENOUGH_SHARED = 64 << 20


def _starts() -> Finding:
    """Tries to start two processes with mpiexec; they need not be MPI programs."""
    try:
        command = mpiexec_command(2)
    except Error as error:
        return Finding("mpiexec", "wrong", str(error), "install it, or set ALLPORT_MPIEXEC")
    version = " ".join(_mpi.library_version().split()[:3]).rstrip(",")
    try:
        done = subprocess.run(
            [*command, "true"], env=environment(2), capture_output=True, text=True, timeout=_START_SECONDS
        )
    except subprocess.TimeoutExpired:
        return Finding(
            "mpiexec",
            "wrong",
            f"{' '.join(command)} true has not ended within {_START_SECONDS:g} s",
            "does this computer's name resolve (hostname -i), and is a firewall between it and itself?",
        )
    if done.returncode == 0:
        return Finding("mpiexec", "good", f"starts two processes: {command[0]} ({version})")
    text = " ".join((done.stderr or done.stdout).split())[:300]
    return Finding("mpiexec", "wrong", f"{' '.join(command)} true: exit code {done.returncode}: {text}")


def _shared_memory() -> list[Finding]:
    found = []
    try:
        free = shutil.disk_usage("/dev/shm").free
        if free < _ENOUGH_SHARED:
            remedy = "a larger /dev/shm: docker run --shm-size=1g, or mount -o remount,size=1g /dev/shm"
            found.append(Finding("/dev/shm", "wrong", f"{format_bytes(free)} free; ranks meet there", remedy))
        else:
            found.append(Finding("/dev/shm", "good", f"{format_bytes(free)} free"))
    except OSError as error:
        found.append(Finding("/dev/shm", "wrong", f"{error.strerror}; ranks meet there", "mount a tmpfs on it"))
    if reads_other_processes():
        found.append(Finding("single copy", "good", "ranks may copy straight out of each other's memory (CMA)"))
    else:
        found.append(
            Finding(
                "single copy",
                "note",
                "ranks may not read each other's memory (CMA): long messages are copied twice",
                "kernel.yama.ptrace_scope=0, docker run --cap-add=SYS_PTRACE; Open MPI complains less with "
                "--mca btl_vader_single_copy_mechanism none",
            )
        )
    return found


def _networks(root: Path) -> Finding:
    fast = sorted(path.name for path in (root / "sys/class/infiniband").glob("*"))
    plain = []
    for path in sorted((root / "sys/class/net").glob("*")):
        if path.name == "lo" or not (path / "device").exists():
            continue
        try:
            speed = int((path / "speed").read_text())
        except (OSError, ValueError):
            speed = 0
        plain.append(path.name + (f" ({speed / 1000:g} Gbit/s)" if speed > 0 else ""))
    if fast:
        return Finding("network", "good", f"{', '.join(fast)} beside {', '.join(plain) or 'no Ethernet'}")
    if plain:
        return Finding("network", "good", f"TCP over {', '.join(plain)}")
    return Finding("network", "note", "none but the loopback: jobs stay on this computer")


def _root() -> list[Finding]:
    if os.geteuid() != 0 or _mpi.family() != "openmpi":
        return []
    return [
        Finding(
            "root",
            "note",
            "Open MPI's mpiexec refuses root",
            "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1, or another user; allport run sets them itself",
        )
    ]


def examine(root: Path = Path("/")) -> list[Finding]:
    """Examines mpiexec, shared memory and networks."""
    return [_starts(), *_shared_memory(), _networks(root), *_root()]
