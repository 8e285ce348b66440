"""Where labs are recorded: one folder a lab under /run/allport-lab, written before anything is made.

A namespace belongs to a lab when the lab's state names it, and when it still is the one that was made (its inode).
Nothing else is ever touched.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from allport.errors import failure
from allport.lab.plan import Plan
from allport.launch import start_time

__all__ = ["NETNS", "State", "alive", "folder", "load", "locked", "names"]

ROOT = Path("/run/allport-lab")
NETNS = Path("/run/netns")  # where iproute2 looks for named namespaces
MARK = "made by allport lab up"


@dataclass
class State:
    """A lab as recorded."""

    plan: Plan
    phase: str = "starting"  # then 'up', 'going'
    maker: int = 0  # process that works on it
    maker_start: int = 0  # its start time, so that a later process of the same number is not mistaken for it
    inodes: dict[str, int] = field(default_factory=dict)  # of the network namespaces, by name
    changes: int = 0  # number of cuts, restorations and throttlings

    @property
    def path(self) -> Path:
        """Its folder."""
        return folder(self.plan.name)

    @property
    def abandoned(self) -> bool:
        """Whether the `up` or `down` that worked on it has died."""
        return self.phase != "up" and not alive(self.maker, self.maker_start)

    def save(self) -> None:
        """Writes it, whole or not at all."""
        data = {
            "mark": MARK,
            "phase": self.phase,
            "maker": self.maker,
            "maker_start": self.maker_start,
            "inodes": self.inodes,
            "changes": self.changes,
            "plan": self.plan.to_dict(),
        }
        fresh = self.path / "lab.json.new"
        fresh.write_text(json.dumps(data))
        fresh.replace(self.path / "lab.json")

    def owns(self, namespace: str) -> bool:
        """Whether the namespace of this name is the one that this lab made."""
        with contextlib.suppress(OSError):
            inode = os.stat(NETNS / namespace).st_ino
            # Not recorded: `up` died while it was making them, having seen that the names were free.
            return self.inodes.get(namespace, inode) == inode
        return False


def folder(name: str) -> Path:
    """The folder of a lab."""
    return ROOT / name


def names() -> list[str]:
    """Names of the labs that are recorded."""
    if not ROOT.is_dir():
        return []
    return sorted(p.name for p in ROOT.iterdir() if (p / "lab.json").is_file())


def load(name: str) -> State:
    """Reads a lab's state. Raises AllportError when there is none or it is none of ours."""
    try:
        data: dict[str, Any] = json.loads((folder(name) / "lab.json").read_text())
    except FileNotFoundError:
        others = names()
        there = f"; there is {', '.join(others)}" if others else ""
        raise failure(f"no lab '{name}' is up{there}: allport lab up torus:4x4 --rate 40mbit", "io") from None
    except (OSError, ValueError) as error:
        raise failure(f"{folder(name) / 'lab.json'}: cannot be read: {error}", "io") from None
    if data.get("mark") != MARK:
        raise failure(f"{folder(name)}: not made by allport lab; it is left alone", "io")
    return State(
        Plan.from_dict(data["plan"]),
        data["phase"],
        data["maker"],
        data["maker_start"],
        data["inodes"],
        data["changes"],
    )


def forget(state: State) -> None:
    """Removes a lab's folder."""
    shutil.rmtree(state.path, ignore_errors=True)


@contextlib.contextmanager
def locked(name: str) -> Iterator[None]:
    """One change to a lab at a time. Waits for the others."""
    path = ROOT / f"{name}.lock"
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
    """Opens and locks a file that others may remove while we wait for it."""
    while True:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        fcntl.flock(handle, fcntl.LOCK_EX)
        with contextlib.suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(handle), os.stat(path)):
                return handle
        os.close(handle)


def alive(pid: int, started: int) -> bool:
    """Whether the process of this number that started then still runs."""
    return started != 0 and start_time(pid) == started
