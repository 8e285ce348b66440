"""The supervisor ends a program with all its descendants, and no other process."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from allport.run.launch import start_time
from allport.run.supervisor import Supervised

# A program whose child leaves it (as daemons do), tells its number and waits, deaf to SIGTERM.
LEAVES = """
import os, signal, sys, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        print(os.getpid(), flush=True)
        time.sleep(600)
    os._exit(0)
os.wait()
{then}
"""


@pytest.fixture
def stranger() -> Iterator[subprocess.Popen[bytes]]:
    """A child of this process that has nothing to do with the program."""
    child = subprocess.Popen(["sleep", "600"])
    yield child
    child.kill()
    child.wait()


def program(then: str) -> list[str]:
    return [sys.executable, "-c", LEAVES.format(then=then)]


def gone(pid: int) -> bool:
    """Whether a process has ended; it may still be a zombie of somebody else's."""
    return start_time(pid) == 0 or Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] in "ZX"


def subreaper() -> int:
    """This process's PR_GET_CHILD_SUBREAPER."""
    import ctypes

    found = ctypes.c_int(-1)
    assert ctypes.CDLL(None).prctl(37, ctypes.byref(found), 0, 0, 0) == 0
    return found.value


@pytest.mark.parametrize(("then", "code"), [("sys.exit(3)", 3), ("os.kill(os.getpid(), 9)", -9)])
def test_what_a_program_leaves_behind_ends_with_it(stranger: subprocess.Popen[bytes], then: str, code: int) -> None:
    started = Supervised(program(then), stdout=subprocess.PIPE)
    assert started.stdout is not None
    left = int(started.stdout.readline())
    assert started.wait(60) == code and started.survivors == []
    assert gone(left) and stranger.poll() is None and subreaper() == 0


def test_ending_it_ends_all_of_it(stranger: subprocess.Popen[bytes]) -> None:
    started = Supervised(program("time.sleep(600)"), 0.2, stdout=subprocess.PIPE)
    assert started.stdout is not None
    left = int(started.stdout.readline())
    assert started.wait(0.05) is None
    assert started.end() == -signal.SIGTERM == started.end() == started.wait()
    assert gone(left) and stranger.poll() is None


def test_a_deaf_program_is_killed() -> None:
    code = "import signal, time; signal.signal(15, signal.SIG_IGN); print('deaf', flush=True); time.sleep(600)"
    started = Supervised([sys.executable, "-c", code], 0.1, stdout=subprocess.PIPE)
    assert started.stdout is not None and started.stdout.readline() == b"deaf\n"
    assert started.end() == -signal.SIGKILL


def eventually(true: Callable[[], Any], seconds: float = 60) -> bool:
    end = time.monotonic() + seconds
    while not true() and time.monotonic() < end:
        time.sleep(0.02)
    return bool(true())


@pytest.mark.parametrize("victim", ["caller", "supervisor"])
def test_it_ends_when_the_caller_or_the_supervisor_is_killed(victim: str) -> None:
    caller = (
        "import os, sys; from allport.run.supervisor import Supervised\n"
        "s = Supervised([sys.executable, '-c', 'import os, time; print(os.getpid(), flush=True); time.sleep(600)'])\n"
        "print(s.process.pid, flush=True); print('code', s.wait())"
    )
    process = subprocess.Popen([sys.executable, "-c", caller], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    told = {int(process.stdout.readline()), int(process.stdout.readline())}
    of = {pid: int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1]) for pid in told}
    supervisor = next(pid for pid in told if of[pid] == process.pid)
    (ran,) = told - {supervisor}
    os.kill(process.pid if victim == "caller" else supervisor, signal.SIGKILL)
    rest = process.communicate(timeout=60)[0]
    assert rest == ("" if victim == "caller" else "code -9\n")
    assert eventually(lambda: gone(ran)) and eventually(lambda: gone(supervisor))


def test_the_callers_exit_codes_and_streams_are_its_own(tmp_path: Path) -> None:
    before = subprocess.Popen(["sh", "-c", "read x; exit 5"], stdin=subprocess.PIPE)
    started = Supervised(["sh", "-c", "cat; exit 7"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert started.process.stdin is not None and started.stdout is not None
    during = subprocess.Popen(["sh", "-c", "exit 6"])
    started.process.stdin.write(b"through")
    started.process.stdin.close()
    assert started.wait(60) == 7 and started.stdout.read() == b"through"
    assert during.wait() == 6
    before.communicate(b"\n")
    assert before.returncode == 5


def test_what_is_ignored_stays_ignored_and_ctrl_c_reaches_the_program() -> None:
    code = "import signal; print(*(int(signal.getsignal(n) == signal.SIG_IGN) for n in (1, 2, 15)))"
    show = f"from allport.run.supervisor import Supervised; Supervised([{sys.executable!r}, '-c', {code!r}]).wait()"
    hears = "import os, signal, sys; [signal.signal(n, 0) for n in (1, 2, 15)]; os.execv(sys.argv[1], sys.argv[1:])"
    plain = subprocess.run([sys.executable, "-c", hears, sys.executable, "-c", show], capture_output=True, text=True)
    assert plain.stdout == "0 0 0\n"
    deaf = subprocess.run(["sh", "-c", 'trap "" HUP INT; exec "$@"', "-", sys.executable, "-c", show],
                          capture_output=True, text=True)  # fmt: skip
    assert deaf.stdout == "1 1 0\n"


def test_a_program_that_is_not_there() -> None:
    with pytest.raises(FileNotFoundError, match="no/such/program"):
        Supervised(["/no/such/program"]).wait()


def test_without_a_subreaper_it_says_what_it_cannot_end(tmp_path: Path) -> None:
    from allport.run import supervisor

    text = Path(supervisor.__file__).read_text()
    without = tmp_path / "supervisor.py"
    without.write_text(text.replace("_SUBREAPER, _DEATH_SIGNAL = 36, 1", "_SUBREAPER, _DEATH_SIGNAL = 9999, 1"))
    assert without.read_text() != text
    script = "import sys; from supervisor import Supervised; print(Supervised(['sh', '-c', 'exit 3']).wait())"
    told = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert told.stdout == "3\n"
    assert told.stderr.startswith(
        "allport: warning: this system has no child subreaper: what the program leaves behind"
    )
