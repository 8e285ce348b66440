"""Creates, names, enters and removes network and UTS namespaces.

A namespace is entered per thread: code that needs a node runs in a thread of its own, which then ends.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

from allport.errors import failure
from allport.lab import tcp
from allport.lab.plan import Plan
from allport.lab.state import NETNS, State

__all__ = ["end_processes", "in_each", "make", "processes", "remove"]

_NEWNET, _NEWUTS = 0x40000000, 0x04000000
_BIND, _REC, _SHARED, _DETACH = 4096, 16384, 1 << 20, 2
_T = TypeVar("_T")
_P = TypeVar("_P")

# Applied to every new interface: packets may arrive on another interface than the reply would leave by, because routes
# there and back differ, and nobody sends or follows redirects.
_SETTINGS = {
    "net/ipv4/conf/all/rp_filter": "0",
    "net/ipv4/conf/default/rp_filter": "0",
    "net/ipv4/conf/all/send_redirects": "0",
    "net/ipv4/conf/default/send_redirects": "0",
    "net/ipv4/conf/all/accept_redirects": "0",
    "net/ipv4/conf/default/accept_redirects": "0",
    "net/ipv6/conf/all/disable_ipv6": "1",
    "net/ipv6/conf/default/disable_ipv6": "1",
}

_METRICS = {"net/ipv4/tcp_no_metrics_save": "1"}  # a run must not start with metrics of an earlier one


def _call(what: str, *arguments: int | bytes | ctypes.c_ulong | None) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if getattr(libc, what)(*arguments) != 0:
        number = ctypes.get_errno()
        remedy = "; a lab needs root and a kernel with namespaces" if number in (1, 22, 38) else ""
        raise failure(f"lab: {what}: {os.strerror(number)}{remedy}", "io")


def _mount(source: str, target: Path, flags: int) -> None:
    _call("mount", source.encode(), str(target).encode(), b"none", ctypes.c_ulong(flags), None)


def _is_mount(path: Path) -> bool:
    with contextlib.suppress(OSError):
        return any(line.split()[4] == str(path) for line in Path("/proc/self/mountinfo").read_text().splitlines())
    return False


def prepare() -> None:
    """Creates the folder of named namespaces as iproute2 does, as a separate mount: otherwise the first `ip netns add`
    of another program would hide our mounts inside it."""
    NETNS.mkdir(mode=0o755, parents=True, exist_ok=True)
    if not _is_mount(NETNS):
        _mount(str(NETNS), NETNS, _BIND | _REC)
        _mount("", NETNS, _SHARED | _REC)


def _in_thread(function: Callable[[_P], _T], places: Iterable[_P], threads: int) -> list[_T]:
    with ThreadPoolExecutor(threads, thread_name_prefix="lab") as pool:
        return list(pool.map(function, places))


def _set_kernel(plan: Plan, forwards: bool) -> None:
    """Sets the kernel's parameters in the calling thread's namespace. The first namespace decides on the TCP of all."""
    try:
        own_tcp = plan.tcp == tcp.DEFAULT
        settings = {"net/ipv4/ip_forward": str(int(forwards)), **_SETTINGS, **({} if own_tcp else _METRICS)}
        for key, value in settings.items():
            with contextlib.suppress(FileNotFoundError):  # a kernel without IPv6
                Path("/proc/sys", key).write_text(value)
        if not own_tcp:
            plan.tcp = tcp.choose(plan.tcp or None)
    except OSError as error:
        raise failure(
            f"lab: {error.filename or '/proc/sys'}: {error.strerror}; a lab sets its namespaces' network there: run it "
            "where root may (in a container: with /proc/sys writable, such as docker run --privileged)",
            "io",
        ) from None


def make(state: State) -> None:
    """Creates and names the namespaces of all vertices and of the front; records their inodes and their TCP."""
    (state.path / "uts").mkdir()

    def one(place: int | str) -> tuple[str, int]:
        name = state.plan.namespace(place)
        _call("unshare", _NEWNET | _NEWUTS)
        socket.sethostname(state.plan.host(place))
        _set_kernel(state.plan, isinstance(place, str) or state.plan.forwards(place))
        for kind, path in (("net", NETNS / name), ("uts", state.path / "uts" / state.plan.label(place))):
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDONLY, 0o444))
            _mount(f"/proc/thread-self/ns/{kind}", path, _BIND)
        return name, os.stat(NETNS / name).st_ino

    # One thread for each place: a thread that has entered a new namespace cannot be reused.
    for name, inode in _in_thread(one, state.plan.places(), 1):
        state.inodes[name] = inode
    state.save()


def in_each(
    state: State, function: Callable[[int | str], _T], places: Iterable[int | str] | None = None, threads: int = 4
) -> list[_T]:
    """Calls function(place) for each place, in a thread that has entered the place's network namespace."""

    def one(place: int | str) -> _T:
        name = state.plan.namespace(place)
        try:
            handle = os.open(NETNS / name, os.O_RDONLY | os.O_CLOEXEC)
        except OSError as error:
            raise failure(
                f"lab '{state.plan.name}': namespace {name}: {error.strerror}; allport lab down", "io"
            ) from None
        try:
            _call("setns", handle, _NEWNET)
        finally:
            os.close(handle)
        return function(place)

    return _in_thread(one, state.plan.places() if places is None else places, threads)


def _inside(pid: int, spaces: set[int]) -> bool:
    """Whether a process is in one of these network namespaces."""
    with contextlib.suppress(OSError):
        return os.stat(f"/proc/{pid}/ns/net").st_ino in spaces
    return False


def _spaces(state: State) -> set[int]:
    return {inode for name, inode in state.inodes.items() if state.owns(name)}


def processes(state: State) -> list[int]:
    """Processes inside the lab's namespaces."""
    ours = _spaces(state)
    numbers = (int(name) for name in os.listdir("/proc") if name.isdigit())
    return [pid for pid in numbers if ours and pid != os.getpid() and _inside(pid, ours)]


def _signal(pid: int, number: int, spaces: set[int]) -> None:
    """Signals a process if it is in one of these namespaces; a later process with the same number is never
    signalled."""
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    try:
        if _inside(pid, spaces):
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(handle, number)
    finally:
        os.close(handle)


def end_processes(state: State, patience: float = 2.0) -> int:
    """Ends the processes inside the lab: SIGTERM, then SIGKILL. Returns how many have ended."""
    first = processes(state)
    spaces, end = _spaces(state), time.monotonic() + patience
    try:
        for number in (signal.SIGTERM, signal.SIGKILL):
            for pid in processes(state) if first else []:
                _signal(pid, number, spaces)
            while first and processes(state) and time.monotonic() < end:
                time.sleep(0.02)
            end += patience
    except (AttributeError, OSError) as error:  # no pidfd before Linux 5.3: a number may be reused
        sys.stderr.write(
            f"allport: warning: this system has no handles of processes ({error}); still running in lab "
            f"'{state.plan.name}', to be ended by hand: {', '.join(map(str, processes(state)))}\n"
        )
    return len(set(first) - set(processes(state)))


def remove(state: State) -> list[str]:
    """Removes the lab's namespaces. Returns the names of those that belong to others by now; they stay."""
    foreign = []
    for place in state.plan.places():
        path = state.path / "uts" / state.plan.label(place)
        with contextlib.suppress(OSError):
            ctypes.CDLL(None).umount2(str(path).encode(), _DETACH)
            path.unlink()
        name = state.plan.namespace(place)
        path = NETNS / name
        if not path.exists():
            continue
        if not state.owns(name):
            foreign.append(name)
            continue
        ctypes.CDLL(None).umount2(str(path).encode(), _DETACH)
        with contextlib.suppress(OSError):
            path.unlink()
    return foreign
