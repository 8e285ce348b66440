"""allport exec: it detects a program's libraries, and runs the program with matching drop-ins."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import allport as ap
import pytest
from allport import dropin, preload
from allport.preload import program as examined

CALLS = """
from mpi4py import MPI
world = MPI.COMM_WORLD
print(f"sum {world.allreduce(world.rank)}", flush=True)
buffer = bytearray(1 << 20)
for root in range(world.size):
    world.Bcast(buffer, root=root)
"""


def allport(*arguments, env=None):
    given = {**os.environ, **(env or {})}
    given.pop("ALLPORT_MACHINE", None)
    command = [sys.executable, "-m", "allport", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, env={**given, **(env or {})}, timeout=120)


def program():
    return str(ap.bench.places.executable("bench_collective"))


def test_a_compiled_program_gets_its_launcher_and_its_drop_in():
    start = preload.prepare(program(), ["bcast", "--plan", "8"], machine="torus:3")
    assert (start.family, start.ranks, start.interfaces) == (ap.mpi.family(), 3, ("mpi",))
    assert start.environment["LD_PRELOAD"] == dropin.library("mpi")
    assert start.environment["ALLPORT_MACHINE"] == "torus:3"
    at = start.command.index("env")
    assert start.command[1:3] == ["-n", "3"]
    assert start.command[at + 1 :][-4:] == [str(Path(program()).absolute()), "bcast", "--plan", "8"]
    assert not start.notes


def test_a_program_in_this_folder_is_found_as_it_is_typed(tmp_path, monkeypatch):
    os.symlink(program(), tmp_path / "program")
    monkeypatch.chdir(tmp_path)
    for typed in ("./program", "program", f"../{tmp_path.name}/program"):
        start = preload.prepare(typed, ranks=2)
        assert Path(start.program[0]).is_absolute() and os.path.samefile(start.program[0], program())


def test_it_runs_and_reports(tmp_path):
    report = tmp_path / "report.json"
    words = ["exec", "-m", "torus:3", "-x", "ALLPORT_DROPIN=always", "--report", report, program()]
    done = allport(*words, "bcast", "--plan", "100000", "--iterations", "2")
    assert done.returncode == 0, done.stderr
    assert json.loads(report.read_text())["collectives"]["MPI_Bcast"]["taken"] > 0


def test_python_is_asked_what_its_mpi4py_loads(tmp_path):
    script = tmp_path / "calls.py"
    script.write_text(f"#!{sys.executable}\n{CALLS}")
    script.chmod(0o755)
    for words in ([sys.executable, script], [script]):
        done = allport("exec", "-n", 2, "-m", "torus:2", "-x", "ALLPORT_DROPIN=always", *words)
        assert done.returncode == 0, done.stderr
        assert done.stdout.count("sum 1") == 2
        assert "MPI_Bcast" in done.stdout + done.stderr


def test_the_program_s_exit_code_and_its_own_options_are_its_own():
    end = "import sys; print(sys.argv); sys.exit(3)"
    done = allport("exec", "-n", 1, "--quiet", sys.executable, "-c", end, "--dry-run", "-n", "7", "--json")
    assert done.returncode == 3
    assert "['-c', '--dry-run', '-n', '7', '--json']" in done.stdout


def test_dry_prints_a_line_that_a_shell_takes():
    done = allport("exec", "--dry-run", "-n", 2, program(), "bcast", "--plan", "8;64", "--iterations", "1")
    assert done.returncode == 0
    assert "no machine is named" in done.stderr
    # Not what MPI, if it was started in this process, has put into C's environment.
    again = subprocess.run(done.stdout, shell=True, capture_output=True, timeout=60, env=dict(os.environ))
    assert again.returncode == 0, again.stderr
    told = json.loads(allport("exec", "--json", "-n", 2, program()).stdout)
    assert told["interfaces"] == ["mpi"]
    assert told["environment"]["ALLPORT_REPORT"] == "1"


def test_another_launcher_is_taken_as_it_is(monkeypatch):
    start = preload.prepare(program(), ranks=2, launch="env A=1 nice", machine="torus:2")
    assert start.command[:5] == ["env", "A=1", "nice", "-n", "2"]
    monkeypatch.setenv("ALLPORT_MPIEXEC", "nice -n 1")
    assert preload.prepare(program(), ranks=2).command[:3] == ["nice", "-n", "1"]
    with pytest.raises(ap.Error, match="launcher = 'no-such-thing': is not there"):
        preload.prepare(program(), ranks=2, launch="no-such-thing")


def test_what_is_preloaded_already_stays(monkeypatch):
    monkeypatch.setenv("LD_PRELOAD", "/lib/other.so")
    start = preload.prepare(program(), ranks=2)
    assert start.environment["LD_PRELOAD"].split() == [dropin.library("mpi"), "/lib/other.so"]


def compiled(tmp_path, *flags):
    source = tmp_path / "empty.c"
    source.write_text("int main(void) { return 0; }\n")
    done = subprocess.run(["cc", *flags, "-o", str(tmp_path / "empty"), str(source)], capture_output=True)
    return str(tmp_path / "empty") if done.returncode == 0 else pytest.skip(f"cc {' '.join(flags)} does not work here")


def script(tmp_path, first):
    path = tmp_path / first.split("/")[-1].split()[0]
    path.write_text(f"{first}\n")
    path.chmod(0o755)
    return str(path)


def test_a_python_that_finds_no_mpich_of_another_name_is_brought_it(monkeypatch, tmp_path):
    bridge = tmp_path / "libmpi.so.12"
    bridge.touch()
    monkeypatch.setattr(examined, "abi_name", lambda: bridge)

    def probe(python, preloaded=""):
        return (["MPICH", "/usr/lib/libmpich.so.12", ""], "") if preloaded == str(bridge) else ([], "not found")

    monkeypatch.setattr(examined, "_probe", probe)
    found = preload.examine(sys.executable)
    assert (found.family, found.library, found.late) == ("mpich", str(bridge), True)
    bridge.unlink()
    with pytest.raises(ap.Error, match="fails: not found"):
        preload.examine(sys.executable)


def test_a_launcher_is_no_program():
    for name in ("mpiexec", "mpirun", ap.run.launch.mpiexec_command(1)[0]):
        if shutil.which(name) is None:
            continue
        with pytest.raises(ap.Error, match="is a launcher, and allport exec starts one itself"):
            preload.prepare(name, ["-n", "2", sys.executable])


def test_a_python_whose_mpi4py_fails_is_told_why(tmp_path):
    python = tmp_path / "python3"
    python.write_text(f'#!/bin/sh\nexec {sys.executable} -I -S "$@"\n')  # sees no packages
    python.chmod(0o755)
    python_script = tmp_path / "calls.py"
    python_script.write_text(f"#!{python}\n{CALLS}")
    python_script.chmod(0o755)
    with pytest.raises(ap.Error, match="fails: ModuleNotFoundError: No module named 'mpi4py'"):
        preload.prepare(str(python_script))


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
def test_what_nothing_can_be_preloaded_into_is_refused(tmp_path):
    with pytest.raises(ap.Error, match="is linked statically, and nothing can be preloaded"):
        preload.prepare(compiled(tmp_path, "-static"))
    with pytest.raises(ap.Error, match="loads no MPI library that is known"):
        preload.prepare(compiled(tmp_path))
    Path(tmp_path / "empty").chmod(0o4755)
    with pytest.raises(ap.Error, match="is set-user-ID"):
        preload.prepare(str(tmp_path / "empty"))


def test_errors_name_the_argument_and_the_remedy(tmp_path):
    own = ap.mpi.family()
    other = "mpich" if own == "openmpi" else "openmpi"
    plain = tmp_path / "data.txt"
    plain.write_text("no program")
    for arguments, options, message in [
        (["no/such/program"], {}, "program = 'no/such/program': not there"),
        ([str(tmp_path)], {}, "not there"),
        ([str(plain)], {}, "is not executable; chmod"),
        ([program()], {"ranks": 0}, "ranks = 0: expected 1 or more"),
        ([program()], {"ranks": 3, "machine": "torus:2x2"}, "ranks = 3: machine 'torus:2x2' has 4 places"),
        ([program()], {"machine": "donut:4"}, "donut"),
        ([program()], {"mpi": "lam"}, "mpi = 'lam': expected openmpi or mpich"),
        ([program()], {"mpi": other}, f"mpi = '{other}': .* is linked with {own}"),
        ([program()], {"interfaces": ["blas"]}, "interface = 'blas': expected mpi or scalapack"),
        ([program()], {"interfaces": ["scalapack"]}, "loads no shared ScaLAPACK"),
        ([script(tmp_path, "#!/bin/sh")], {}, "is a script.* give --mpi openmpi or --mpi mpich"),
        ([script(tmp_path, "#!/no/such/python3")], {}, "could not be asked for its MPI library"),
    ]:
        with pytest.raises(ap.Error, match=message):
            preload.prepare(*arguments, **options)
    done = allport("exec", "-x", "NAME", program())
    assert done.returncode == 1
    assert "-x NAME: expected NAME=VALUE" in done.stderr


def test_a_shell_script_runs_when_it_is_said_what_it_comes_to(tmp_path):
    shell = script(tmp_path, f'#!/bin/sh\nexec "{program()}" "$@"')
    done = allport("exec", "-n", 2, "--mpi", ap.mpi.family(), shell, "bcast", "--plan", "8", "--iterations", "1")
    assert done.returncode == 0, done.stderr
