"""Starts ranks with the mpiexec of the MPI that Allport was built for, and says which rank failed and how."""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import re
import select
import shlex
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from allport import _native
from allport.errors import failure
from allport.run.mpiexec import find
from allport.run.rank import MARK, RANK_NAMES, joined_rank, joined_size
from allport.run.supervisor import Supervised

__all__ = ["JobFailed", "cores", "environment", "joined_rank", "joined_size", "mpiexec_command", "run", "start_time"]

# Private memory of a rank that has imported numpy and mpi4py, in bytes.
LEAST = 24 << 20
# A rank first identifies itself, before anything that takes time or can fail.
BOOT = f"""\
import json, os, runpy, sys
rank = next((os.environ[n] for n in {RANK_NAMES!r} if os.environ.get(n, "").isdigit()), "0")
who = dict(rank=int(rank), pid=os.getpid())
try:
    who["started"] = int(open("/proc/self/stat").read().rpartition(")")[2].split()[19])
except OSError:
    pass
sys.stdout.write({MARK!r} + json.dumps(who) + "\\n")
sys.stdout.flush()
module = sys.argv.pop(1)
sys.argv[0] = module
runpy.run_module(module, run_name="__main__", alter_sys=True)
"""


class JobFailed(RuntimeError):
    """A job failed; the message names the rank if it is known."""

    def __init__(self, message: str, code: int = 1) -> None:
        super().__init__(message)
        self.code = code


def start_time(pid: int) -> int:
    """Start time of a process in ticks since boot; 0 if there is none. Number and start time identify a process
    uniquely."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19])
    return 0


def cores() -> int:
    """Number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def check_room(ranks: int, available: int | None = None) -> None:
    """Raises Error if this computer has too little memory for so many Python processes, before the kernel kills some.

    available: free bytes; None: as the kernel reports. Does nothing if a batch system or ALLPORT_MPIEXEC may start
    ranks on several computers.
    """
    if {"ALLPORT_MPIEXEC", "SLURM_JOB_ID", "PBS_NODEFILE", "LSB_JOBID"} & os.environ.keys():
        return
    if available is None:
        with contextlib.suppress(OSError, ValueError, IndexError):
            text = Path("/proc/meminfo").read_text().split("MemAvailable:")[1]
            available = int(text.split()[0]) * 1024
    if available is not None and ranks * LEAST > available:
        raise failure(
            f"ranks = {ranks}: this computer has memory for {available // LEAST} at most ({available >> 20} MiB free, "
            f"{LEAST >> 20} MiB a rank before any data); start fewer, let ALLPORT_MPIEXEC start them on several "
            "computers, or see what a larger machine would do with `allport plan` and `allport simulate`",
            "memory",
        )


def reads_other_processes() -> bool:
    """Whether ranks may copy directly from each other's memory (CMA): containers and ptrace limits can forbid it, and
    then Open MPI prints a warning on every run. Tested with a child process that only waits."""
    with contextlib.suppress(OSError):
        if Path("/proc/sys/kernel/yama/ptrace_scope").read_text().strip() != "0":
            return False  # parents may read children, but ranks are siblings
    try:
        libc = ctypes.CDLL(None, use_errno=True)
        call = libc.process_vm_readv
    except (OSError, AttributeError):
        return False

    class Span(ctypes.Structure):
        _fields_ = (("base", ctypes.c_void_p), ("length", ctypes.c_size_t))

    ours, theirs = ctypes.create_string_buffer(8), ctypes.create_string_buffer(b"allport")
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(writer)
        os.read(reader, 1)  # until the parent has tried
        os._exit(0)
    try:
        local, remote = Span(ctypes.addressof(ours), 8), Span(ctypes.addressof(theirs), 8)
        one = ctypes.c_ulong(1)
        got = call(child, ctypes.byref(local), one, ctypes.byref(remote), one, ctypes.c_ulong(0))
        return got == 8 and ours.raw == theirs.raw
    finally:
        os.close(writer)
        os.close(reader)
        with contextlib.suppress(ChildProcessError):  # other code in this process waits for all children
            os.waitpid(child, 0)


def mpiexec_command(ranks: int) -> list[str]:
    """mpiexec with the flags that its library needs; ALLPORT_MPIEXEC overrides the command, including flags."""
    given = shlex.split(os.environ.get("ALLPORT_MPIEXEC", ""))
    command = given or [str(_native.build_info()["mpiexec"]) or find(None)[1]]
    if shutil.which(command[0]) is None:
        raise failure(
            f"mpiexec '{command[0]}' is not there; set ALLPORT_MPIEXEC to the launcher of "
            f"{' '.join(_native.mpi_library_version().split()[:3])}",
            "mpi",
        )
    command += ["-n", str(ranks)]
    if not given and _native.build_info()["mpi_family"] == "openmpi":
        command += ["--oversubscribe", "--bind-to", "none"]
    return command


def environment(ranks: int) -> dict[str, str]:
    """The environment of a job with so many ranks."""
    env = dict(os.environ)
    threads = str(max(1, cores() // ranks))
    for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
        env.setdefault(name, threads)
    env["PYTHONUNBUFFERED"] = "1"
    if "ALLPORT_MPIEXEC" in env:
        return env
    if _native.build_info()["mpi_family"] == "openmpi":
        for prefix in ("OMPI", "PRTE"):
            env[f"{prefix}_ALLOW_RUN_AS_ROOT"] = env[f"{prefix}_ALLOW_RUN_AS_ROOT_CONFIRM"] = "1"
        # All ranks are on this computer: idle ranks yield, no network is used, and direct copies between processes are
        # used only if the system allows them.
        env.setdefault("OMPI_MCA_mpi_yield_when_idle", "1" if ranks > cores() else "0")
        single_copy = "cma" if reads_other_processes() else "none"
        env.setdefault("OMPI_MCA_btl_vader_single_copy_mechanism", single_copy)
        env.setdefault("OMPI_MCA_btl_sm_single_copy_mechanism", single_copy)
        env.setdefault("OMPI_MCA_btl", "^tcp,openib,ofi,uct,usnic")
        env.setdefault("OMPI_MCA_pml", "ob1")
        env.setdefault("OMPI_MCA_btl_base_warn_component_unused", "0")
    else:
        env.setdefault("HYDRA_LAUNCHER", "fork")
    return env


@dataclass
class _Watch:
    """The output and events of a running job."""

    on_event: Callable[[dict[str, Any]], None] | None
    pids: dict[int, int] = field(default_factory=dict)
    errors: dict[int, str] = field(default_factory=dict)
    results: list[dict[str, Any]] = field(default_factory=list)
    noise: list[str] = field(default_factory=list)
    deaths: list[int] = field(default_factory=list)  # ranks on this computer, in the order in which they ended
    handles: dict[int, int] = field(default_factory=dict)  # pidfd -> rank
    lock: threading.Lock = field(default_factory=threading.Lock)
    done: bool = False
    failure: BaseException | None = None  # raised by on_event

    def out(self, stream: IO[str]) -> None:
        """Reads stdout to its end whatever happens: a job blocks if nobody reads its output."""
        for line in stream:
            event = _event_of(line)
            if event is None:
                self.err_line(line)
            else:
                self._event(event)

    def err(self, stream: IO[str]) -> None:
        for line in stream:
            self.err_line(line)

    def err_line(self, line: str) -> None:
        with self.lock:
            self.noise.append(line.rstrip("\n"))
        # Stall warnings ("allport: rank 0 on HOST has waited ...") and similar lines are printed at once.
        if re.match(r"allport: (warning|rank \d+ on \S+ has waited)", line):
            sys.stderr.write(line)

    def _event(self, event: dict[str, Any]) -> None:
        with self.lock:
            if "pid" in event:
                self.pids[event["pid"]] = event["rank"]
                self._follow(event)
            if "error" in event:
                self.errors[event["rank"]] = event["error"]
            if "result" in event:
                self.results.append(event["result"])
        if self.on_event and self.failure is None:
            try:
                self.on_event(event)
            except BaseException as error:  # raised again by the waiting thread
                self.failure = error

    def _follow(self, event: dict[str, Any]) -> None:
        """Opens a pidfd of the rank's process, if it is on this computer and not another process with the same
        number."""
        pid, started = event["pid"], event.get("started")
        if not started or not hasattr(os, "pidfd_open"):
            return
        with contextlib.suppress(OSError):
            handle = os.pidfd_open(pid)
            if start_time(pid) == started:
                self.handles[handle] = event["rank"]
            else:
                os.close(handle)

    def follow_deaths(self) -> None:
        """Records the order in which ranks end: when one dies, MPICH's mpiexec kills the others and may name one of
        them."""
        known: set[int] = set()
        poller = select.poll()
        while not self.done:
            with self.lock:
                fresh = self.handles.keys() - known
            for handle in fresh:
                poller.register(handle, select.POLLIN)
            known |= fresh
            for handle, _ in poller.poll(20):
                poller.unregister(handle)
                self.deaths.append(self.handles[handle])
        for handle in self.handles:
            os.close(handle)


def _event_of(line: str) -> dict[str, Any] | None:
    """A rank's event for the launcher; None for any other line, also if the lines of two ranks were interleaved."""
    if not line.startswith(MARK):
        return None
    try:
        event = json.loads(line[len(MARK) :])
    except ValueError:
        return None
    whole = isinstance(event, dict) and ("rank" in event or not event.keys() & {"pid", "error"})
    return event if whole and all(isinstance(event.get(key, 0), int) for key in ("rank", "pid")) else None


def _signal_name(number: int) -> str:
    try:
        return f"signal {number} ({signal.Signals(number).name})"
    except ValueError:
        return f"signal {number}"


def _death(watch: _Watch) -> str | None:
    """Which rank died of which signal or exit code, parsed from the output of Open MPI's or MPICH's mpiexec."""
    text = "\n".join(watch.noise)
    found = re.search(r"process rank (\d+) with PID (\d+) .*?exited on signal (\d+)", text, re.DOTALL)
    if found:
        rank, pid, number = (int(g) for g in found.groups())
        pid = next((p for p, r in watch.pids.items() if r == rank), pid)  # mpiexec sometimes prints 0
        return f"rank {rank}{f' (pid {pid})' if pid else ''} died of {_signal_name(number)}"
    found = re.search(r"BAD TERMINATION.*?PID (\d+) RUNNING.*?EXIT CODE: (\d+)", text, re.DOTALL)
    if found:
        pid, code = int(found.group(1)), int(found.group(2))
        if watch.deaths:
            pid = next(p for p, r in watch.pids.items() if r == watch.deaths[0])
        who = f"rank {watch.pids[pid]} (pid {pid})" if pid in watch.pids else f"a rank (pid {pid})"
        ended = re.search(r"EXIT STRING: .*?\(signal (\d+)\)", text)
        return f"{who} died of {_signal_name(int(ended.group(1)))}" if ended else f"{who} ended with exit code {code}"
    found = re.search(r"Process name: \[\[\d+,\d+\],(\d+)\]\s+Exit code:\s+(\d+)", text)
    if found:
        return f"rank {found.group(1)} ended with exit code {found.group(2)}"
    return None


def _complaint(watch: _Watch, code: int) -> str:
    if watch.errors:
        texts = set(watch.errors.values())
        rank, text = min(watch.errors.items())
        return text if len(texts) == 1 else f"rank {rank}: {text}"
    death = _death(watch)
    if death:
        last = [
            line for line in watch.noise if re.match(r"[\w.]*(Error|Exception|Interrupt): |.*: No module named ", line)
        ]
        return death + (f": {last[-1].strip()}" if last and "signal" not in death else "")
    output = "\n".join(line for line in watch.noise if line.strip())
    return f"mpiexec ended with exit code {code}" + (f":\n{output}" if output else "")


@contextlib.contextmanager
def ended_by_signals() -> Iterator[None]:
    """Lets SIGTERM and SIGHUP raise an exception, as Ctrl-C does, so that they end the ranks, too."""

    def stop(number: int, _frame: Any) -> None:
        raise SystemExit(128 + number)

    before: dict[signal.Signals, Any] = {}
    if threading.current_thread() is threading.main_thread():  # only this thread may set handlers
        for number in (signal.SIGTERM, signal.SIGHUP):
            # Ignored signals (nohup) stay ignored; a handler that is not Python's (None) could not be restored.
            if signal.getsignal(number) not in (signal.SIG_IGN, None):
                before[number] = signal.signal(number, stop)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def run(
    module: str, job: dict[str, Any], ranks: int, on_event: Callable[[dict[str, Any]], None] | None = None
) -> dict[str, Any]:
    """Runs `python -m module JOB` on `ranks` ranks; returns the result that rank 0 emits.

    Raises JobFailed, and ends all ranks, if any of them fails. An exception of `on_event` also ends them, and is raised
    again.
    """
    check_room(ranks)
    command = [*mpiexec_command(ranks), sys.executable, "-c", BOOT, module, json.dumps(job)]
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    started = Supervised(command, env=environment(ranks), text=True, errors="replace", **pipes)
    watch = _Watch(on_event)
    threads = [
        threading.Thread(target=watch.out, args=(started.stdout,), daemon=True),
        threading.Thread(target=watch.err, args=(started.stderr,), daemon=True),
    ]
    if hasattr(select, "poll"):
        threads.append(threading.Thread(target=watch.follow_deaths, daemon=True))
    for thread in threads:
        thread.start()
    try:
        with ended_by_signals():
            while (code := started.wait(0.2)) is None:
                if watch.failure is not None:
                    raise watch.failure
    except BaseException:
        started.end()
        raise
    finally:
        watch.done = True
    for thread in threads:  # the other ends of the pipes are closed
        thread.join(5 if started.survivors else None)
    if watch.failure is not None:
        raise watch.failure
    if code != 0 or watch.errors or not watch.results:
        if os.environ.get("ALLPORT_DEBUG") == "1":
            sys.stderr.write("\n".join(watch.noise) + "\n")
        raise JobFailed(_complaint(watch, code), code if 0 < code < 256 else 1)
    return watch.results[-1]
