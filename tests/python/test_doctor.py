"""allport doctor: computers of other shapes, jobs that do not fit, programs of other MPI libraries."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import allport as ap
import pytest
from allport import dropin
from allport.doctor import lab_needs, load, processors, program, starts, transports


def computer(root: Path, threads_of_cores: list[str], domains: list[str], **files: str) -> Path:
    """/sys and /proc of a computer with these cores (thread lists) and NUMA domains."""

    def write(path: str, text: str) -> None:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text + "\n")

    everything = [processors.numbers(core) for core in threads_of_cores]
    write("sys/devices/system/cpu/online", ",".join(str(t) for core in everything for t in sorted(core)))
    for text, core in zip(threads_of_cores, everything, strict=True):
        for thread in core:
            write(f"sys/devices/system/cpu/cpu{thread}/topology/thread_siblings_list", text)
    for number, cpus in enumerate(domains):
        write(f"sys/devices/system/node/node{number}/cpulist", cpus)
    for path, text in files.items():
        write(path, text)
    return root


def by_subject(found: list[ap.doctor.Finding]) -> dict[str, ap.doctor.Finding]:
    assert len({f.subject for f in found}) == len(found)
    return {f.subject: f for f in found}


def test_a_plain_computer_is_good(tmp_path):
    p = processors.read(computer(tmp_path, ["0", "1"], ["0-1"]), frozenset({0, 1}))
    assert p.usable_cores() == 2 and p.quota is None
    assert {f.state for f in processors.examine(p)} == {"good"}


def test_smt_numa_and_a_narrow_cpuset_are_seen(tmp_path):
    root = computer(tmp_path, ["0,4", "1,5", "2,6", "3,7"], ["0-1,4-5", "2-3,6-7"])
    p = processors.read(root, frozenset({0, 1, 2, 4, 5}))
    assert p.usable_cores() == 3
    found = by_subject(processors.examine(p))
    assert found["cpuset"].state == "note" and "5 of 8" in found["cpuset"].found and "0-2,4-5" in found["cpuset"].found
    assert "taskset -c 0-7" in found["cpuset"].remedy
    assert found["cores"].state == "note" and "3 cores, 2 of them" in found["cores"].found
    assert found["NUMA"].state == "note" and "2 NUMA domains" in found["NUMA"].found
    # Within one domain, a thread a core: nothing to say.
    found = by_subject(processors.examine(processors.read(root, frozenset({0, 1}))))
    assert found["NUMA"].state == found["cores"].state == "good"


@pytest.mark.parametrize(
    ("files", "quota"),
    [
        ({"proc/self/cgroup": "0::/a/b", "sys/fs/cgroup/a/b/cpu.max": "max 100000"}, None),
        ({"proc/self/cgroup": "0::/a/b", "sys/fs/cgroup/a/b/cpu.max": "150000 100000"}, 1.5),
        ({"proc/self/cgroup": "0::/a/b", "sys/fs/cgroup/a/cpu.max": "250000 100000"}, 2.5),  # above
        (
            {
                "proc/self/cgroup": "4:memory:/x\n3:cpu,cpuacct:/x",
                "sys/fs/cgroup/cpu/x/cpu.cfs_quota_us": "50000",
                "sys/fs/cgroup/cpu/x/cpu.cfs_period_us": "100000",
            },
            0.5,
        ),
        ({"proc/self/cgroup": "0::/", "sys/fs/cgroup/cpu.max": "nonsense"}, None),
    ],
)
def test_a_control_group_s_quota_is_seen(tmp_path, files, quota):
    root = computer(tmp_path, ["0", "1", "2", "3"], ["0-3"], **files)
    p = processors.read(root, frozenset(range(4)))
    assert p.quota == quota
    found = by_subject(processors.examine(p))
    assert ("cpu quota" in found) == (quota is not None)
    if quota is not None:
        assert found["cpu quota"].state == "wrong" and f"{quota:g} of 4" in found["cpu quota"].found
        assert p.usable_cores() == max(1, int(quota))


def four_cores() -> processors.Processors:
    cores = tuple(frozenset({n}) for n in range(4))
    return processors.Processors(frozenset(range(4)), frozenset(range(4)), cores, (), None)


@pytest.mark.parametrize(
    ("ranks", "environment", "state", "remedy"),
    [
        (4, {}, "wrong", "OPENBLAS_NUM_THREADS=1: 4 x 1"),
        (None, {}, "note", "OPENBLAS_NUM_THREADS=1: 4 x 1"),
        (4, {"OMP_NUM_THREADS": "1"}, "good", ""),
        (2, {"OMP_NUM_THREADS": "2,1"}, "good", ""),
        (2, {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "4"}, "wrong", "OPENBLAS_NUM_THREADS=2: 2 x 2"),
        (2, {"OMP_NUM_THREADS": "1"}, "note", "OMP_NUM_THREADS=2, or more ranks"),
        (1, {}, "good", ""),
        (9, {"OMP_NUM_THREADS": "1"}, "wrong", "no more than 4 ranks"),
        (2, {"OMP_NUM_THREADS": "many"}, "wrong", "2 x 2 of 4 cores"),
    ],
)
def test_ranks_times_threads_are_set_against_cores(ranks, environment, state, remedy):
    found = load.examine(four_cores(), ranks, "/usr/lib/libopenblas.so", environment)
    assert found.state == state and remedy in found.remedy and (remedy != "") == (found.remedy != "")


def test_each_blas_reads_its_own_variable():
    environment = {"OPENBLAS_NUM_THREADS": "3", "MKL_NUM_THREADS": "2", "BLIS_NUM_THREADS": "1"}
    assert load.threads_of("libmkl_rt.so", environment, 8) == (2, "MKL_NUM_THREADS")
    assert load.threads_of("libblis.so.4", environment, 8) == (1, "BLIS_NUM_THREADS")
    assert load.threads_of("libblas.so.3", environment, 8) == (3, "OPENBLAS_NUM_THREADS")


@pytest.mark.parametrize(
    ("names", "family"),
    [
        ("libmpi.so.40 libopen-rte.so.40 libopen-pal.so.40", "openmpi"),
        ("libmpi_cxx.so.40 libmpi.so.40", "openmpi"),
        ("libmpi.so.40 libopen-pal.so.80", "openmpi"),
        ("libmpich.so.12 libucp.so.0", "mpich"),
        ("libmpifort.so.12 libmpi.so.12", "mpich"),  # Intel's, MVAPICH
        ("libmpi_cray.so.12", "mpich"),
        ("libm.so.6 libc.so.6", ""),
    ],
)
def test_mpi_libraries_are_told_apart(names, family):
    assert program.mpi_family(dict.fromkeys(names.split(), "/lib")) == family


def test_scalapack_is_seen_also_with_long_integers():
    assert program.scalapack_of({"libscalapack-openmpi.so.2.2": "", "libmpi.so.40": ""}) != ""
    assert "ilp64" in program.scalapack_of({"libmkl_scalapack_ilp64.so.2": ""})
    assert program.scalapack_of({"libopenblas.so.0": ""}) == ""


def test_an_mpi_program_is_given_its_drop_in():
    found = by_subject(program.examine(str(ap.bench.places.executable("bench_collective"))))
    assert found["mpi drop-in"].state == "good" and dropin.library("mpi") in found["mpi drop-in"].remedy
    assert found["scalapack drop-in"].state == "note"
    scalapack = by_subject(program.examine(dropin.library("scalapack")))  # it loads ScaLAPACK itself
    assert scalapack["mpi drop-in"].state == "good"


def test_programs_that_nothing_can_be_preloaded_into(tmp_path):
    script = tmp_path / "script"
    script.write_text("#!/bin/sh\n")
    (finding,) = program.examine(str(script))
    assert finding.state == "note" and "#!/bin/sh" in finding.found
    (finding,) = program.examine("/bin/ls")
    assert finding.state == "note" and "no MPI library" in finding.found
    with pytest.raises(ap.Error, match="program = '/no/such': not there"):
        program.examine("/no/such")


@pytest.mark.skipif(shutil.which("gcc") is None, reason="no gcc")
def test_static_programs_and_missing_libraries(tmp_path):
    source, other = tmp_path / "p.c", tmp_path / "o.c"
    other.write_text("int other(void) { return 0; }\n")
    source.write_text("int other(void); int main(void) { return other(); }\n")
    build = ["gcc", "-o"]
    subprocess.run([*build, "static", "-static", "p.c", "o.c"], cwd=tmp_path, check=True)
    (finding,) = program.examine(str(tmp_path / "static"))
    assert finding.state == "wrong" and "linked statically" in finding.found
    subprocess.run([*build, "libother.so", "-shared", "-fPIC", "o.c"], cwd=tmp_path, check=True)
    subprocess.run([*build, "shared", "p.c", "-L.", "-lother"], cwd=tmp_path, check=True)
    with pytest.raises(ap.Error, match=r"libother\.so cannot be found"):
        program.examine(str(tmp_path / "shared"))


def test_a_job_that_does_not_start_is_wrong(monkeypatch):
    monkeypatch.setenv("ALLPORT_MPIEXEC", "/no/mpiexec")
    found = by_subject(transports.examine())
    assert found["mpiexec"].state == "wrong" and "/no/mpiexec" in found["mpiexec"].found
    monkeypatch.setenv("ALLPORT_MPIEXEC", "false")
    found = by_subject(transports.examine())
    assert found["mpiexec"].state == "wrong" and "exit code 1" in found["mpiexec"].found


def test_networks_are_listed(tmp_path):
    for path, text in {"net/eth0/device/x": "", "net/eth0/speed": "25000", "net/lo/speed": "0"}.items():
        (tmp_path / "sys/class" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "sys/class" / path).write_text(text)
    assert by_subject(transports.examine(tmp_path))["network"].found == "TCP over eth0 (25 Gbit/s)"
    (tmp_path / "sys/class/infiniband/mlx5_0").mkdir(parents=True)
    assert "mlx5_0" in by_subject(transports.examine(tmp_path))["network"].found
    assert by_subject(transports.examine(tmp_path / "none"))["network"].state == "note"


def test_what_the_lab_needs_is_what_the_lab_finds(monkeypatch):
    (finding,) = lab_needs.examine()
    if finding.state == "good":  # then a lab comes up
        with ap.lab.Lab.up("mesh:2", name=f"doctor{os.getpid()}"):
            pass
    monkeypatch.setenv("PATH", "/nowhere")
    (finding,) = lab_needs.examine()
    assert finding.state == "note" and "iproute2" in finding.remedy


def test_the_command_ends_with_1_where_something_is_wrong(allport):
    done = allport("doctor", "--ranks", "999", "--json")
    found = {f["subject"]: f for f in json.loads(done.stdout)["findings"]}
    assert done.returncode == 1 and found["load"]["state"] == "wrong" and "999 ranks" in found["load"]["found"]
    done = allport("doctor", "--ranks", "0")
    assert done.returncode == 1 and "ranks = 0: expected at least 1" in done.stderr
    done = allport("doctor", env={"OPENBLAS_NUM_THREADS": "1"})
    assert "mpiexec" in done.stdout and "NUMA" in done.stdout


def memory_of_loops(path: Path, **seconds: float) -> Path:
    """As Selectors of loops write it; by 'RANKSxTHREADS'."""
    sites = {
        "plate [1 computers x {} ranks x {} threads]".format(*launch.split("x")): {
            "best": "1 x (1 + 0), static",
            "seconds": {"1 x (1 + 0), static": time, "2 x (1 + 0), static": 3 * time},
        }
        for launch, time in seconds.items()
    }
    path.write_text(json.dumps({"allport_memory": 1, "sites": sites}))
    return path


def test_the_next_run_is_advised_by_what_earlier_ones_took(tmp_path, monkeypatch, allport):
    path = memory_of_loops(tmp_path / "memory.json", **{"1x2": 0.3, "2x1": 0.2})
    (found,) = starts.examine(str(path))
    assert found.subject == "loops of plate" and found.state == "note"
    assert found.found.startswith("2 ranks x 1 thread: 200 ms a step") and found.remedy.startswith("start 2 ranks x 1")
    (found,) = starts.examine(str(memory_of_loops(path, **{"1x2": 0.3})))
    assert found.state == "good" and "run it once with 2 ranks x 1 thread" in found.remedy
    assert "1 of a rank's 2 threads do it" in found.remedy
    monkeypatch.setenv("ALLPORT_SELECT_FILE", str(path))
    assert by_subject(ap.doctor.examine())["loops of plate"] == found
    done = allport("doctor", "--select-file", str(path), "--json")
    assert "loops of plate" in {f["subject"] for f in json.loads(done.stdout)["findings"]}


def test_a_memory_that_is_none_is_told(tmp_path, allport):
    with pytest.raises(ap.Error, match="not there"):
        starts.examine(str(tmp_path / "none.json"))
    (tmp_path / "other.json").write_text("{}")
    with pytest.raises(ap.Error, match=r"other\.json"):
        starts.examine(str(tmp_path / "other.json"))
    path = memory_of_loops(tmp_path / "empty.json")
    assert starts.examine(str(path))[0].state == "good"
    done = allport("doctor", "--select-file", str(tmp_path / "none.json"))
    assert done.returncode == 1 and "not there" in done.stderr
