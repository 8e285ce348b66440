"""A lab for a test: whether this machine can have one, its name, and what brings it up and takes it down."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import allport as ap
import pytest
from allport.lab import Lab, wires
from allport.network import Topology

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

    def bring(spec: str | Topology, rate: str = "40mbit", name: str = NAME, **more: Any) -> Lab:
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
        found[plan.link_name(cable.low, cable.low_port)] = row["sent_forth"]
        found[plan.link_name(cable.high, cable.high_port)] = row["sent_back"]
    return found


SEND = """
import socket, sys, threading, time
mine, other, port, size, way = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), sys.argv[5]
if way == "listen":
    door = socket.create_server((mine, port))
    print("ready", flush=True)
    line = door.accept()[0]
else:
    line = socket.create_connection((other, port), source_address=(mine, 0))
sends = threading.Thread(target=lambda: line.sendall(bytes(size)))
if way != "listen" or "both" in sys.argv[6:]:
    sends.start()
got, start = 0, None
while way == "listen" or "both" in sys.argv[6:]:
    part = line.recv(1 << 16)
    start = start or time.monotonic()
    got += len(part)
    if not part or got == size:
        break
if got:
    print(got / (time.monotonic() - start), flush=True)
if sends.ident:
    sends.join()
line.shutdown(socket.SHUT_WR)
while line.recv(1 << 16):
    pass
"""


class Flow:
    """Bytes from one node to another, by plain sockets."""

    def __init__(
        self, lab: Lab, source: int, target: int, size: int, port: int = 7000, both: bool = False, rail: int = 0
    ):
        addresses = lab.plan.address(source, rail), lab.plan.address(target, rail)
        tail = ["both"] if both else []
        run = [sys.executable, "-c", SEND]
        words = [addresses[1], addresses[0], str(port), str(size), "listen", *tail]
        self.target = subprocess.Popen([*lab.node_command(target), *run, *words], stdout=subprocess.PIPE, text=True)
        assert self.target.stdout is not None and self.target.stdout.readline() == "ready\n"
        words = [addresses[0], addresses[1], str(port), str(size), "connect", *tail]
        self.source = subprocess.Popen([*lab.node_command(source), *run, *words], stdout=subprocess.PIPE, text=True)

    def rates(self, limit: float = 60) -> list[float]:
        """Bytes/s as the target, and with `both` also the source, has received them."""
        told = [p.communicate(timeout=limit)[0].split() for p in (self.target, self.source)]
        assert self.target.returncode == 0 and self.source.returncode == 0
        return [float(word) for words in told for word in words]
