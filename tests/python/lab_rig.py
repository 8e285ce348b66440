"""A lab for a test: whether this machine can have one, its name, and what brings it up and takes it down."""

from __future__ import annotations

import os
import shutil
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import allport as ap
import pytest
from allport.lab import Lab, wires

NAME = f"t{os.getpid()}"


def why_not() -> str:
    if os.geteuid() != 0:
        return "needs root, to make network namespaces"
    missing = [tool for tool in ("ip", "tc", "nsenter", "unshare") if shutil.which(tool) is None]
    if missing:
        return f"needs {', '.join(missing)} (iproute2, util-linux)"
    try:
        wires.need_mounts()
    except ap.Error as error:
        return f"cannot be: {str(error).removeprefix('lab: ')}"
    tried = subprocess.run(
        ["unshare", "--net", "--uts", "ip", "link", "add", "probe0", "type", "veth"], capture_output=True
    )
    return "" if tried.returncode == 0 else f"this kernel makes no namespaces or veth: {tried.stderr.decode().strip()}"


def namespaces() -> set[str]:
    """Names of the network namespaces of this process's labs; others may come and go meanwhile."""
    there = os.listdir("/run/netns") if os.path.isdir("/run/netns") else []
    return {name for name in there if name.startswith(f"allport-{NAME}")}


def nothing_left(seconds: float = 10) -> bool:
    """Whether no process is left in the lab's nodes, or is gone within seconds: the kernel takes its time to end
    those that were killed, and a launcher that crashed leaves that to the supervisor."""
    end = time.monotonic() + seconds
    while ap.lab.status(NAME)["processes"] != 0:
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


@pytest.fixture
def up() -> Iterator[Callable[..., Lab]]:
    """Brings up labs, and takes down what the test has left up."""
    made: list[str] = []

    def bring(spec: str, rate: str = "40mbit", name: str = NAME, **more: Any) -> Lab:
        made.append(name)
        return Lab.up(spec, rate, name, **more)

    yield bring
    for name in made:
        if name in ap.lab.names():
            ap.lab.take_down(name)


def later(seconds: float, action: Callable[[], Any]) -> threading.Thread:
    """Does something while the test runs a program."""

    def wait() -> None:
        time.sleep(seconds)
        action()

    thread = threading.Thread(target=wait)
    thread.start()
    return thread


def sent(lab: Lab) -> dict[str, int]:
    """Bytes that each directed link has carried."""
    plan, found = lab.plan, {}
    for cable, row in zip(plan.cables, ap.lab.status(lab.name)["links"]):
        found[plan.link_name(cable.low, cable.axis, 1)] = row["sent_forth"]
        found[plan.link_name(cable.high, cable.axis, -1)] = row["sent_back"]
    return found
