"""The command line from a process that has its modules already and forks for each call: a call has a process of its
own, as from a shell, but starts in milliseconds, where Python and its packages take half a second."""

from __future__ import annotations

import atexit
import gc
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from selectors import EVENT_READ, DefaultSelector


def serve() -> None:
    """A line of JSON is a call; its exit code is the answer. Returns in the forked process, as that call's."""
    import allport.cli

    gc.freeze()
    for line in sys.stdin:
        call = json.loads(line)
        child = os.fork()
        if child == 0:
            os.setpgid(0, 0)
            for descriptor, name in ((0, os.devnull), (1, call["out"]), (2, call["err"])):
                os.dup2(os.open(name, os.O_RDONLY if descriptor == 0 else os.O_WRONLY), descriptor)
            os.chdir(call["folder"])
            os.environ.clear()
            os.environ.update(call["environment"])
            sys.path[0] = call["folder"]
            sys.argv = ["allport", *call["arguments"]]
            allport.cli.main(call["arguments"])
        print(child, flush=True)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


class Warm:
    """The process that forks, and what calls it."""

    def __init__(self) -> None:
        self.server = subprocess.Popen([sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.answers = DefaultSelector()
        self.answers.register(self.server.stdout, EVENT_READ)
        atexit.register(self.end)

    def end(self) -> None:
        self.server.stdin.close()
        self.server.wait()

    def __call__(
        self, arguments: Sequence[str], folder: Path, environment: Mapping[str, str], limit: float
    ) -> subprocess.CompletedProcess[str]:
        with tempfile.NamedTemporaryFile("r") as out, tempfile.NamedTemporaryFile("r") as err:
            call = {"arguments": [*arguments], "folder": str(folder), "environment": dict(environment)}
            self.server.stdin.write(json.dumps({**call, "out": out.name, "err": err.name}).encode() + b"\n")
            self.server.stdin.flush()
            child = int(self._answer(limit))
            try:
                code = int(self._answer(limit))
            except subprocess.TimeoutExpired:
                os.killpg(child, signal.SIGKILL)
                self._answer(limit)
                raise
            return subprocess.CompletedProcess(["allport", *arguments], code, out.read(), err.read())

    def _answer(self, limit: float) -> bytes:
        # Unbuffered: what is waited for is what the selector sees.
        line = b""
        while not line.endswith(b"\n"):
            if not self.answers.select(limit):
                raise subprocess.TimeoutExpired("allport", limit)
            more = os.read(self.server.stdout.fileno(), 1)
            if not more:
                raise RuntimeError(f"the process that forks has ended with {self.server.wait()}")
            line += more
        return line


if __name__ == "__main__":
    serve()
