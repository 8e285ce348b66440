import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import allport as ap
import numpy as np
import pytest
from allport.run import launch
from allport.run.launch import JobFailed

HERE = Path(__file__).parent


def test_a_killed_rank_is_named(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(HERE / "ranks"), os.environ.get("PYTHONPATH", "")]))
    with pytest.raises(JobFailed) as error:
        ap.run.launch.run("die", {}, 3)
    assert "rank 1 (pid" in str(error.value) and "SIGKILL" in str(error.value)
    assert error.value.code != 0


def test_a_module_that_fails_is_reported(monkeypatch):
    with pytest.raises(JobFailed, match="no_such_module"):
        ap.run.launch.run("no_such_module", {}, 2)


@pytest.mark.parametrize(
    ("env", "size"),
    [
        ({}, None),
        ({"OMPI_COMM_WORLD_SIZE": "16"}, 16),
        ({"PMI_SIZE": "4", "PMI_RANK": "1"}, 4),
        ({"SLURM_NTASKS": "8", "PMIX_RANK": "3"}, 8),
        ({"SLURM_NTASKS": "8"}, None),  # the shell of an allocation, not a task of it
    ],
)
def test_it_knows_when_it_was_started_by_a_launcher(monkeypatch, env, size):
    for name in list(os.environ):
        if name.startswith(("OMPI_", "PMI", "SLURM", "MPI_LOCAL")):
            monkeypatch.delenv(name)
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    assert ap.run.launch.joined_size() == size


def test_ranks_that_are_each_alone_are_told_of_their_launcher(monkeypatch):
    for name in list(os.environ):
        if name.startswith(("OMPI_", "PMI", "SLURM", "MPI_LOCAL")):
            monkeypatch.delenv(name)
    ap.mpi.check_ranks(1)
    monkeypatch.setenv("PMI_SIZE", "4")
    ap.mpi.check_ranks(4)
    with pytest.raises(ImportError, match="mpiexec has started 4 processes, and each is alone") as error:
        ap.mpi.check_ranks(1)
    assert "start it with" in str(error.value) and "allport run" in str(error.value)


def test_another_library_s_launcher_is_told_where_ranks_start():
    # A launcher's environment without the launcher: this process is alone, though it is told of 2.
    env = {name: value for name, value in os.environ.items() if not name.startswith(("OMPI_", "PMI"))}
    code = "import allport as ap; ap.Communicator()"
    done = subprocess.run(
        [sys.executable, "-c", code], env=env | {"MPI_LOCALNRANKS": "2"}, capture_output=True, text=True, timeout=60
    )
    assert done.returncode != 0
    assert "ImportError: mpiexec has started 2 processes, and each is alone" in done.stderr


def test_more_ranks_than_there_is_memory_for_are_refused(monkeypatch):
    for name in ("ALLPORT_MPIEXEC", "SLURM_JOB_ID", "PBS_NODEFILE", "LSB_JOBID"):
        monkeypatch.delenv(name, raising=False)
    launch.check_room(4, available=1 << 30)
    with pytest.raises(ap.Error, match="ranks = 100: this computer has memory for 42 at most") as error:
        launch.check_room(100, available=1 << 30)
    assert error.value.kind == "memory" and "allport simulate" in str(error.value)
    with pytest.raises(ap.Error, match="ranks = 1000000: this computer has memory for"):
        ap.run.launch.run("never", {}, 1000000)
    monkeypatch.setenv("SLURM_JOB_ID", "1")
    launch.check_room(100, available=1 << 30)


def test_import_starts_no_mpi_and_loads_little():
    look = "print('mpi4py' in sys.modules, 'numpy' in sys.modules)"
    code = f"import sys, allport; allport.Machine.parse('torus:4'); {look}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout.split() == ["False", "False"], done.stderr


def test_mpi4py_is_led_to_our_library():
    code = "import allport; from mpi4py import MPI; import allport.comm; print(MPI.Get_library_version()[:8])"
    env = {k: v for k, v in os.environ.items() if not k.startswith("MPI4PY")}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, env=env)
    assert done.stdout.strip() == ap.mpi.library_version()[:8], done.stderr


def test_another_mpi_is_refused_with_a_remedy():
    # A stand-in for an mpi4py that was started on another MPI library.
    code = (
        "import sys, types\n"
        "fake = types.ModuleType('mpi4py'); fake.MPI = types.ModuleType('mpi4py.MPI')\n"
        "fake.MPI.Get_library_version = lambda: 'Other MPI 1.0'\n"
        "sys.modules['mpi4py'] = fake; sys.modules['mpi4py.MPI'] = fake.MPI\n"
        "import allport\n"
        "try:\n    allport.Communicator\nexcept ImportError as error:\n    print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    for word in (
        "different MPI libraries",
        "Other MPI",
        "MPI4PY_MPIABI",
        "MPI4PY_LIBMPI",
        "import allport before mpi4py",
    ):
        assert word in done.stdout, (done.stdout, done.stderr)


def _ranks_of(tag: str) -> dict[int, int]:
    """{rank: pid} of a job's processes, known by a variable in their environment."""
    found = {}
    for entry in Path("/proc").iterdir():
        try:
            program, *arguments = (entry / "cmdline").read_text().split("\0")
            env = dict(line.split("=", 1) for line in (entry / "environ").read_text().split("\0") if "=" in line)
        except (OSError, UnicodeDecodeError):
            continue
        rank = env.get("OMPI_COMM_WORLD_RANK", env.get("PMI_RANK"))
        is_rank = Path(program).name.startswith("python") and "allport.run.jobs" in arguments
        if is_rank and rank is not None and env.get("ALLPORT_TEST_JOB") == tag:
            found[int(rank)] = int(entry.name)
    return found


def test_a_rank_killed_in_the_main_job_is_named_and_leaves_no_file(tmp_path):
    np.save(tmp_path / "A.npy", np.ones((700, 700)))
    tag = f"{os.getpid()}-killed"
    env = {**os.environ, "ALLPORT_TEST_JOB": tag}
    command = [sys.executable, "-m", "allport", "run", "gemm", "A.npy", "A.npy", "-o", "C.npy", "-n", "3"]
    job = subprocess.Popen(command, cwd=tmp_path, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        ends = time.monotonic() + 60
        while len(pids := _ranks_of(tag)) < 3 and time.monotonic() < ends and job.poll() is None:
            time.sleep(0.01)
        assert len(pids) == 3, job.communicate()
        os.kill(pids[2], signal.SIGSTOP)  # or a slow machine might see the end of the job first
        time.sleep(0.3)  # they have told their numbers by now, or not: both must end well
        os.kill(pids[2], signal.SIGKILL)
        out, err = job.communicate(timeout=60)
    finally:
        job.kill()
    assert job.returncode != 0 and out == "", (out, err)
    assert err.startswith("allport: ") and "SIGKILL" in err, err
    assert "rank 2" in err or f"pid {pids[2]}" in err, err
    assert [p.name for p in tmp_path.iterdir()] == ["A.npy"]


# Stands for mpiexec: a rank says who it is, as rank 0 and under a number that is another process's here.
SAYS = """
import json, os, sys, time
told = json.loads(os.environ["TOLD"])
print("@allport " + json.dumps(told), flush=True)
print("@allport 7", flush=True)
print("@allport " + json.dumps({"rank": 0, "phase": "works"}), flush=True)
time.sleep(600)
"""


@pytest.fixture
def other():
    """A process that no job has started."""
    process = subprocess.Popen(["sleep", "600"])
    yield process
    process.kill()
    process.wait()


@pytest.fixture
def stand_in(monkeypatch, other, tmp_path):
    (tmp_path / "says.py").write_text(SAYS)
    told = {"rank": 0, "pid": other.pid, "host": socket.gethostname(), "started": 12345}
    monkeypatch.setenv("TOLD", json.dumps(told))
    monkeypatch.setenv("ALLPORT_MPIEXEC", f"{sys.executable} {tmp_path}/says.py")


@pytest.mark.parametrize("host", ["this", "another"])
def test_numbers_that_ranks_tell_are_never_signalled(monkeypatch, stand_in, other, host):
    if host == "another":
        monkeypatch.setenv("TOLD", os.environ["TOLD"].replace(socket.gethostname(), "another"))
    code = "import allport as ap; ap.run.launch.run('die', {}, 2, lambda e: print(e, flush=True))"
    job = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while "works" not in job.stdout.readline():
        assert job.poll() is None, job.communicate()
    job.send_signal(signal.SIGTERM)
    job.communicate(timeout=60)
    assert job.returncode == 128 + signal.SIGTERM
    assert other.poll() is None


def test_what_a_listener_raises_ends_the_job(stand_in, other):
    def listen(event):
        if "phase" in event:
            raise KeyError("no such bar")

    with pytest.raises(KeyError, match="no such bar"):
        ap.run.launch.run("die", {}, 2, listen)
    assert other.poll() is None


def test_a_benchmark_that_takes_too_long_is_ended_with_all_its_ranks(tmp_path, monkeypatch, other):
    # A rank that holds on to mpiexec's output: whoever reads to its end waits for the rank.
    (tmp_path / "stays.py").write_text("import os, time\nos.fork() or os.setsid()\ntime.sleep(600)\n")
    monkeypatch.setenv("ALLPORT_MPIEXEC", f"{sys.executable} {tmp_path}/stays.py")
    with pytest.raises(JobFailed, match="was not done after 1 s and was ended"):
        ap.bench.places.Place(ap.Machine.parse("torus:2")).run(["program"], limit=1)
    assert other.poll() is None
    assert not [p for p in Path("/proc").iterdir() if p.name.isdigit() and _runs(p, f"{tmp_path}/stays.py")]


def _runs(process: Path, word: str) -> bool:
    try:
        return word in (process / "cmdline").read_text()
    except OSError:
        return False


def test_ranks_that_mpiexec_leaves_behind_are_ended(tmp_path, monkeypatch, other):
    leave = "import os, sys, time\nif os.fork():\n    sys.exit(3)\nos.setsid()\nprint(os.getpid(), flush=True)\n"
    leave += "time.sleep(600)\n"
    (tmp_path / "leaves.py").write_text(leave)
    monkeypatch.setenv("ALLPORT_MPIEXEC", f"{sys.executable} {tmp_path}/leaves.py")
    with pytest.raises(JobFailed, match="exit code 3") as error:
        ap.run.launch.run("die", {}, 2)
    (left,) = (int(word) for word in str(error.value).split() if word.isdigit() and int(word) > 3)
    assert ap.run.launch.start_time(left) == 0 and other.poll() is None
