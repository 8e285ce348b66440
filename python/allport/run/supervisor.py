"""Ends a program with all its descendants, and no other process.

A separate process, the supervisor, is the program's parent and adopts its orphaned descendants
(PR_SET_CHILD_SUBREAPER). It signals only its own children, and only before it has waited for them, so that a process
number cannot have been reused; when they die, their children become its own. It never signals a number that comes from
a file, a message or another computer. The calling process keeps its own children, their exit codes and its settings.

This file implements both sides, and needs only the standard library; the supervisor is
`python -I -S supervisor.py DOOR PARENT PATIENCE PROGRAM [ARG ...]`.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from typing import Any

__all__ = ["Supervised"]

_SUBREAPER, _DEATH_SIGNAL = 36, 1
_KILLING = 10.0  # seconds after which a killed process counts as stuck in the kernel
_STUCK = 120.0  # seconds after which a silent supervisor is given up
_LINGER = 0.5  # seconds that the program's children may run after its end


class Supervised:
    """A running program. Streams as for subprocess.Popen; `stdout`, `stderr`: the ends of their pipes, if requested.

    patience: seconds between asking the program to end (SIGTERM) and killing it. If the calling process dies, the
    program is ended as by `end`.
    """

    def __init__(self, argv: Sequence[str], patience: float = 5.0, **streams: Any) -> None:
        self.patience = patience
        self.code: int | None = None  # the program's exit code; -N for signal N, as in subprocess
        self.survivors: list[int] = []  # processes that even SIGKILL did not end
        self.channel, theirs = socket.socketpair()
        self.received = b""
        own = [sys.executable, "-I", "-S", os.path.abspath(__file__)]
        words = [str(theirs.fileno()), str(os.getpid()), str(patience)]
        with theirs:
            self.process = subprocess.Popen([*own, *words, *argv], pass_fds=[theirs.fileno()], **streams)
        self.stdout, self.stderr = self.process.stdout, self.process.stderr

    def wait(self, timeout: float | None = None) -> int | None:
        """The program's exit code once it has ended with all its descendants; None on timeout."""
        limit = None if timeout is None else time.monotonic() + timeout
        poller = select.poll()
        while self.channel.fileno() >= 0:
            poller.register(self.channel, select.POLLIN)
            if not poller.poll(None if limit is None else max(0.0, limit - time.monotonic()) * 1e3):
                return None
            part = b""
            with contextlib.suppress(ConnectionError):
                part = self.channel.recv(1 << 16)
            self.received += part
            if not part:
                self._gone()
        return self.code

    def _gone(self) -> None:
        """Reads the supervisor's final message."""
        self.channel.close()
        self.process.wait()
        for line in self.received.splitlines():
            said = json.loads(line)
            if "error" in said:
                self.code = 127  # as in shells
                raise OSError(*said["error"])
            if "warning" in said:
                sys.stderr.write(f"allport: warning: {said['warning']}\n")
            self.code, self.survivors = said.get("code", self.code), said.get("survivors", self.survivors)
        if self.code is None:  # the supervisor was killed; the program has received SIGTERM
            self.code = -signal.SIGKILL

    def end(self) -> int:
        """Ends the program, if it still runs, and all its descendants; returns its exit code."""
        if self.channel.fileno() >= 0:
            with contextlib.suppress(OSError):
                self.channel.shutdown(socket.SHUT_WR)
        if self.wait(self.patience + _STUCK) is None:
            self.process.kill()  # it was stopped: when it dies, the kernel sends SIGTERM to the program
            self.wait()
        assert self.code is not None
        return self.code


def _adopts() -> bool:
    """Makes this process the parent of orphaned descendants; False if the system does not support it."""
    try:
        return ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0) == 0
    except (OSError, AttributeError):
        return False


def _end_with_parent() -> None:
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_DEATH_SIGNAL, signal.SIGTERM, 0, 0, 0)


class _Supervisor:
    """The supervisor process. It has one thread."""

    def __init__(self, channel: socket.socket, parent: int, patience: float) -> None:
        self.channel, self.parent, self.patience = channel, parent, patience
        self.asked = False  # end requested
        self.wakes = socket.socketpair()
        for end in self.wakes:
            end.setblocking(False)
        signal.set_wakeup_fd(self.wakes[1].fileno(), warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        # The caller handles Ctrl-C. The program inherits ignored signals (nohup), but not handlers.
        handlers = {signal.SIGTERM: self._ask, signal.SIGHUP: self._ask, signal.SIGINT: lambda *_: None}
        for number, handler in handlers.items():
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, handler)
        self.main = 0
        self.code: int | None = None

    def _ask(self, *_: Any) -> None:
        self.asked = True

    def say(self, **words: Any) -> None:
        with contextlib.suppress(OSError):  # the caller has died
            self.channel.sendall(json.dumps(words).encode() + b"\n")

    def run(self, program: list[str]) -> None:
        if not _adopts():
            self.say(warning="this system has no child subreaper: what the program leaves behind is not ended")
        try:
            process = subprocess.Popen(program, preexec_fn=_end_with_parent)
        except OSError as error:
            self.say(error=[error.errno, error.strerror, program[0]])
            return
        self.main = process.pid
        while self.code is None and not self._to_end():
            self._reap()
            if self.code is None:
                self._sleep(1.0)
        if self.code is None:
            self._ask_program()
        else:
            self._await_children(_LINGER)
        self.say(survivors=self._kill_children(), code=-signal.SIGKILL if self.code is None else self.code)

    def _to_end(self) -> bool:
        """Whether the caller has requested the end, or has died."""
        if not self.asked and select.select([self.channel], [], [], 0)[0]:
            self.asked = True  # the caller never writes: its end of the socket was closed
        return self.asked or os.getppid() != self.parent

    def _sleep(self, seconds: float) -> None:
        """Sleeps until an event or the timeout."""
        select.select([self.channel, self.wakes[0]] if not self.asked else [self.wakes[0]], [], [], seconds)
        with contextlib.suppress(BlockingIOError):
            self.wakes[0].recv(1 << 12)

    def _reap(self) -> None:
        """Waits for all children that have ended."""
        with contextlib.suppress(ChildProcessError):
            while True:
                pid, status = os.waitpid(-1, os.WNOHANG)
                if pid == 0:
                    return
                if pid == self.main:
                    self.code = os.waitstatus_to_exitcode(status)

    def _children(self) -> list[int]:
        """Running children. None of their numbers can be reused before `_reap` is called."""
        found = []
        with contextlib.suppress(FileNotFoundError):  # no /proc
            for name in os.listdir("/proc"):
                with contextlib.suppress(OSError, IndexError):
                    if name.isdigit():
                        with open(f"/proc/{name}/stat", "rb") as file:
                            state, parent = file.read().rpartition(b")")[2].split()[:2]
                        if int(parent) == os.getpid() and state not in b"ZX":
                            found.append(int(name))
            return found
        return [self.main] if self.code is None else []

    def _await_children(self, seconds: float) -> bool:
        """Waits for all children to end; whether they did."""
        end = time.monotonic() + seconds
        while True:
            self._reap()
            if not self._children():
                return True
            left = end - time.monotonic()
            if left <= 0:
                return False
            self._sleep(min(left, 0.05))

    def _ask_program(self) -> None:
        os.kill(self.main, signal.SIGTERM)  # our child, not waited for
        end = time.monotonic() + self.patience
        while self.code is None and time.monotonic() < end:
            self._sleep(0.05)
            self._reap()

    def _kill_children(self) -> list[int]:
        """Kills all descendants, generation by generation; returns those that remain."""
        end = time.monotonic() + _KILLING
        while (left := self._children()) and time.monotonic() < end:
            for pid in left:
                with contextlib.suppress(PermissionError):  # it runs as another user now
                    os.kill(pid, signal.SIGKILL)
            self._sleep(0.02)
            self._reap()
        self._reap()
        return left


def main() -> None:
    """The main function of the supervisor process."""
    channel, parent, patience = sys.argv[1:4]
    _Supervisor(socket.socket(fileno=int(channel)), int(parent), float(patience)).run(sys.argv[4:])


if __name__ == "__main__":
    main()
