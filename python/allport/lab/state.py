"""Records of labs: one folder per lab under /run/allport-lab, written before anything is created.

A namespace belongs to a lab if the lab's state names it and it still has the recorded inode. Nothing else is ever
touched.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import shutil
import sys
import time
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from allport.errors import Error, failure
from allport.lab import record
from allport.lab.plan import Plan, check_name
from allport.run.launch import start_time

__all__ = ["NETNS", "State", "alive", "fingerprint", "folder", "load", "locked", "names"]

ROOT = Path("/run/allport-lab")
NETNS = Path("/run/netns")  # iproute2's folder of named namespaces


@dataclass
class State:
    """A lab's recorded state."""

    plan: Plan
    phase: str = "starting"  # then 'up', 'going'
    maker: int = 0  # process that brings it up or takes it down
    maker_start: int = 0  # its start time, to distinguish it from a later process with the same number
    inodes: dict[str, int] = field(default_factory=dict)  # of the network namespaces, by name
    changes: int = 0  # number of cuts, restorations and throttlings
    born: str = field(default_factory=lambda: uuid.uuid4().hex)  # identifies this lab among later ones of its name

    @property
    def path(self) -> Path:
        """Its folder."""
        return folder(self.plan.name)

    @property
    def abandoned(self) -> bool:
        """Whether the process that brought it up or took it down has died."""
        return self.phase != "up" and not alive(self.maker, self.maker_start)

    def save(self) -> None:
        """Writes the record atomically."""
        data = {
            "mark": record.MARK,
            "phase": self.phase,
            "maker": self.maker,
            "maker_start": self.maker_start,
            "inodes": self.inodes,
            "changes": self.changes,
            "born": self.born,
            "plan": self.plan.to_dict(),
        }
        fresh = self.path / "lab.json.new"
        fresh.write_text(json.dumps(data))
        fresh.replace(self.path / "lab.json")

    def owns(self, namespace: str) -> bool:
        """Whether the namespace of this name is the one that this lab has created."""
        with contextlib.suppress(OSError):
            there = os.lstat(NETNS / namespace)
            if os.path.samestat(there, _everyones()) or there.st_dev != _everyones().st_dev:
                return False
            # Not recorded: `up` died while it created them, after it had checked that the names were free.
            return self.inodes.get(namespace, there.st_ino) == there.st_ino
        return False


def _everyones() -> os.stat_result:
    """The network namespace of the host (of process 1); if that is not readable, our own."""
    with contextlib.suppress(PermissionError):
        return os.stat("/proc/1/ns/net")
    return os.stat("/proc/self/ns/net")


def folder(name: str) -> Path:
    """The folder of a lab; every path of a lab is below it. Raises Error for invalid names."""
    return ROOT / check_name(name)


def fingerprint(name: str) -> tuple[int, int, int] | None:
    """A value that changes whenever a lab's record changes; None if there is no record."""
    with contextlib.suppress(OSError):
        found = os.stat(folder(name) / "lab.json")
        return found.st_ino, found.st_mtime_ns, found.st_size
    return None


def names() -> list[str]:
    """Names of the labs that are recorded."""
    if not ROOT.is_dir():
        return []
    return sorted(p.name for p in ROOT.iterdir() if _may_be_a_labs(p.name) and (p / "lab.json").is_file())


def _may_be_a_labs(name: str) -> bool:
    try:
        return bool(check_name(name))
    except Error:
        return False


def load(name: str) -> State:
    """Reads a lab's state. Raises Error if there is none or it is invalid."""
    try:
        data = record.read(folder(name) / "lab.json", name)
    except FileNotFoundError:
        others = names()
        there = f"; there is {', '.join(others)}" if others else ""
        raise failure(f"no lab '{name}' is up{there}: allport lab up torus:4x4 --rate 40mbit", "io") from None
    del data["mark"]
    return State(**data)


def forget(state: State) -> None:
    """Removes a lab's folder."""
    shutil.rmtree(state.path, ignore_errors=True)


@contextlib.contextmanager
def locked(name: str) -> Iterator[None]:
    """Locks a lab for one change at a time. Waits for other changes, and says so."""
    path = folder(name).with_suffix(".lock")
    try:
        ROOT.mkdir(mode=0o755, exist_ok=True)
        handle = _take(path)
    except OSError as error:
        raise failure(f"{ROOT}: cannot be written: {error.strerror}; a lab needs root", "io") from None
    try:
        yield
    finally:
        if not folder(name).exists():
            path.unlink(missing_ok=True)
        os.close(handle)


def _take(path: Path) -> int:
    """Opens and locks a file that other processes may remove meanwhile."""
    while True:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        _await_lock(handle, path.stem)
        with contextlib.suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(handle), os.stat(path)):
                return handle
        os.close(handle)


def _await_lock(handle: int, name: str) -> None:
    """Waits for the lock; prints a message only after a while, because most changes take a fraction of a second."""
    end = time.monotonic() + 2.0
    while time.monotonic() < end:
        with contextlib.suppress(BlockingIOError):
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        time.sleep(0.01)
    sys.stderr.write(f"allport: lab '{name}': waits for another command that is changing it\n")
    fcntl.flock(handle, fcntl.LOCK_EX)


def alive(pid: int, started: int) -> bool:
    """Whether the process with this number and start time still runs."""
    return started != 0 and start_time(pid) == started
