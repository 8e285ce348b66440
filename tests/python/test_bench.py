import json
import shutil
import subprocess

import allport as ap
import pytest

SPOILER = r"""
#include <mpi.h>
int MPI_Bcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  int rank, code = PMPI_Bcast(data, count, type, root, comm);
  PMPI_Comm_rank(comm, &rank);
  if (rank == 1 && count > 5) ((char*)data)[5] ^= 1;
  return code;
}
"""


def test_ours_beside_mpi_and_kept_for_explain(allport, tmp_path):
    kept = tmp_path / "kept.json"
    done = allport(
        *"bench bcast --through direct -n 3 --sizes 8,20000 --rounds 2 --iterations 2 --json".split(),
        *("--measured", kept, "--plot", "p.svg", "-o", "all.json"),
    )
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert [row["bytes"] for row in result["sizes"]] == [8, 20000]
    for row in result["sizes"]:
        assert row["wrong"] == 0 and row["ratio"] > 0
        assert row["mpi"]["default"]["samples"] == 4 and row["ours"][row["ours_best"]]["samples"] == 4
        assert len(row["mpi"]) == 1 + ap.bench.FINALISTS or ap.mpi.build_info()["mpi_family"] != "openmpi"
        assert 0 < row["mpi"]["default"]["least"] <= row["mpi"]["default"]["median"]
    assert json.loads((tmp_path / "all.json").read_text()) == result
    assert "<svg" in (tmp_path / "p.svg").read_text()

    told = allport(*"explain bcast --size 20000 -m mesh:3 --json".split(), "--measured", kept)
    seen = json.loads(told.stdout)["measured"]
    assert {e["algorithm"] for e in seen} == {result["sizes"][1]["ours_best"], ap.bench.measured.MPI}
    shown = allport(*"explain bcast --size 20000 -m mesh:3".split(), env={"ALLPORT_MEASURED": str(kept)})
    assert shown.stdout.count(" on 20") == 2
    other = allport(*"explain bcast --size 20000 -m torus:3 --json".split(), "--measured", kept)
    assert json.loads(other.stdout)["measured"] == []


@pytest.mark.parametrize("collective", ["reduce", "allgatherv", "alltoall", "reduce_scatter_block", "barrier"])
def test_collectives_of_all_kinds_are_right(collective, tmp_path):
    job = ap.bench.Job(
        collective, sizes=["0,9,5000"], machine="mesh:3", sweep=False, rounds=1, iterations=1, through="direct",
        measured=str(tmp_path / "m.json"),
    )  # fmt: skip
    rows = ap.bench.run(job)["sizes"]
    assert all(row["wrong"] == 0 and row["mpi"]["default"]["samples"] == 1 for row in rows)


COMPILER = shutil.which(f"mpicc.{ap.mpi.build_info()['mpi_family']}") or shutil.which("mpicc")


@pytest.mark.skipif(COMPILER is None, reason="no mpicc")
def test_a_wrong_byte_is_seen(allport, tmp_path):
    (tmp_path / "spoiler.c").write_text(SPOILER)
    subprocess.run([COMPILER, "-shared", "-fPIC", "-o", "spoiler.so", "spoiler.c"], cwd=tmp_path, check=True)
    done = allport(
        *"bench bcast --through preload --library spoiler.so -n 2 --sizes 100 --rounds 1 --iterations 2".split(),
        *("--no-sweep", "--measured", tmp_path / "m.json"),
    )
    assert done.returncode == 1 and "WRONG: 3 bytes" in done.stdout, done.stdout + done.stderr


def test_sizes():
    assert ap.bench.sizes_of(["8:64", "4MB,1KiB"]) == [8, 16, 32, 64, 1024, 4000000]
    assert ap.bench.sizes_of([0]) == [0]
    for bad in ("64:8", "1:2:3", "0:8", "many"):
        with pytest.raises(ap.Error, match="sizes"):
            ap.bench.sizes_of([bad])


def test_blocks_are_cut_from_the_vector():
    assert ap.bench.block_of("bcast", 100, 16) == 100
    assert ap.bench.block_of("allgather", 100, 16) == 6
    assert ap.bench.block_of("alltoall", 3, 16) == 1
    assert ap.bench.block_of("reduce_scatter_block", 4096, 16) == 256
    assert ap.bench.block_of("reduce", 4, 16) == 8
    assert ap.bench.block_of("barrier", 4, 16) == 0


def test_open_mpi_is_tried_with_segments_only_where_they_cut():
    names = [v.name for v in ap.bench.rivals.variants("openmpi", "bcast", 100)]
    assert names[0] == "default" and "pipeline" in names and not any("KiB" in n for n in names)
    tunes = {v.name: v.tune for v in ap.bench.rivals.variants("openmpi", "bcast", 4 << 20)}
    assert tunes["pipeline, 64 KiB"] == "3:65536"
    assert ap.bench.rivals.variants("mpich", "bcast", 8)[1].env[0][0] == "MPIR_CVAR_BCAST_INTRA_ALGORITHM"


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        ("bench brodcast", "brodcast"),
        ("bench bcast --sizes 8:4", "sizes"),
        ("bench bcast --rounds 0", "rounds"),
        ("bench bcast --through magic", "magic"),
        ("bench bcast --against ucx", "against"),
        ("bench bcast --through preload --library no.so", "no.so"),
        ("bench bcast --through preload --algorithms all", "direct"),
        ("bench bcast --plot no/such/p.svg", "plot"),
        ("bench bcast -n 2 --through direct --algorithms quick", "quick"),
    ],
)
def test_wrong_use_is_named(allport, arguments, word):
    done = allport(*arguments.split())
    assert done.returncode != 0 and word in done.stderr


def test_times_replace_older_ones_of_the_same_thing(tmp_path):
    machine, file = ap.Machine.parse("torus:4"), str(tmp_path / "deep" / "m.json")
    entry = {"collective": "bcast", "bytes": 8, "algorithm": "ring", "segment": 8, "seconds": 2.0, "least": 1.0}
    ap.bench.measured.record(machine, [entry], file)
    ap.bench.measured.record(machine, [{**entry, "seconds": 3.0}, {**entry, "segment": 4}], file)
    assert sorted(e["seconds"] for e in ap.bench.measured.find(machine, "bcast", 8, file)) == [2.0, 3.0]
    assert ap.bench.measured.find(ap.Machine.parse("mesh:4"), "bcast", 8, file) == []
    for bad in ("[1]", "[" * 100_000, '{"some": [1]}'):
        (tmp_path / "bad.json").write_text(bad)
        with pytest.raises(ap.Error, match=r"bad\.json"):
            ap.bench.measured.find(machine, "bcast", 8, str(tmp_path / "bad.json"))


def test_calls_in_a_row_plain_and_under_the_dropin(allport):
    done = allport(
        *"bench all --calls 20 -m mesh:3 --sizes 0,64 --rounds 1 --seconds 0.01 --json".split(),
    )
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert (result["ranks"], result["calls"], result["calibrated"]) == (3, 20, False)
    assert {row["collective"] for row in result["rows"]} == set(ap.bench.rivals.collectives())
    for row in result["rows"]:
        assert row["wrong"] == 0
        assert "later" not in row
        for mode in ("plain", "auto", "always"):
            assert 0 < row[mode]["least"] <= row[mode]["median"] <= row[mode]["most"]


def test_the_first_calls_of_a_communicator_half_and_half(allport):
    done = allport(
        *"bench bcast,allreduce --calls 25 --first --modes plain,free -m mesh:3 --sizes 8 --rounds 1 --json".split(),
        env={"ALLPORT_SELECT": "on"},  # the mode's counts
    )
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["modes"] == ["plain", "free"]
    for row in result["rows"]:
        assert row["wrong"] == 0 and "auto" not in row
        for mode in result["modes"]:
            # A call takes in the second half at most as long as if the whole time had been that half's.
            assert 0 < row["later"][mode]["median"] <= 25 / 13 * row[mode]["median"] * 1.0001


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ("bcast,scan", "collective = 'scan': expected all, or some of"),
        ("bcast --modes plain,fast", "modes = 'fast': expected some of plain, repeat, auto, free, price, always"),
        ("bcast --modes auto", "modes = auto: expected plain among them"),
    ],
)
def test_calls_that_cannot_be_compared_are_refused(allport, words, complaint):
    done = allport(*f"bench {words} --calls 20 -m mesh:2".split())
    assert done.returncode == 1 and complaint in done.stderr


def test_jacobi_computes_the_same_cells_by_all_variants():
    job = ap.bench.jacobi.Jacobi(
        grid="90x70", objects="4x3", ranks=2, threads=2, iterations=3, rounds=2, heavy=2, balance="refine"
    )
    result = ap.bench.jacobi.run(job)
    assert result["same"] and result["ranks"] == 2 and result["threads"] == 2
    assert result["block"] == [1, 23, 24]
    assert {"ckloop's policy", "spread 1", "spread 2", "a process a core"} < set(result["variants"])
    for variant in result["variants"].values():
        assert len(variant["seconds"]) == 2 and min(variant["seconds"]) > 0
    # An exchange of all faces an iteration, of either kind of program: 2 x 70 or 2 x 90 doubles between two ranks.
    assert sum(result["variants"]["mpi+openmp, 2 threads"]["received"]["bytes"]) in (3 * 2 * 70 * 8, 3 * 2 * 90 * 8)


def test_jacobi_on_the_command_line(allport, tmp_path):
    out = tmp_path / "jacobi.json"
    argv = [
        "bench",
        "jacobi",
        "--grid",
        "20x30x10",
        "--block",
        "8x8x8",
        "-n",
        "1",
        "--threads",
        "2",
        "--iterations",
        "2",
    ]
    done = allport(*argv, "--rounds", "1", "--variants", "spread,ckloop", "-o", str(out))
    assert done.returncode == 0, done.stderr
    assert "spread 2" in done.stdout
    assert json.loads(out.read_text())["grid"] == [20, 30, 10]
    wrong = allport(*argv, "--objects", "2x2")
    assert wrong.returncode == 1 and "objects = '2x2'" in wrong.stderr
    wrong = allport(*argv, "--variants", "magic")
    assert wrong.returncode == 1 and "magic" in wrong.stderr
