"""All benchmarks, one after the other: rivals beside ours in one run, results checked first, medians and spread.

Usage: bench/run.py BUILD_DIR [--quick]. Tables on the terminal, everything in BUILD_DIR/bench.json.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import statistics
import subprocess
import sys
from pathlib import Path

from allport.run.launch import reads_other_processes

ROOT = Path(__file__).resolve().parent.parent


def spread(values: list[float]) -> str:
    return f"{statistics.median(values):8.4f}  [{min(values):.4f} .. {max(values):.4f}]"


def mpiexec_of(build: Path) -> str:
    """The mpiexec that the build directory was configured with."""
    found = re.search(r"^MPIEXEC_EXECUTABLE:\w+=(.+)$", (build / "CMakeCache.txt").read_text(), re.MULTILINE)
    name = found.group(1) if found else "mpiexec"
    return shutil.which(name) or name


def gemm(build: Path, ranks: int, n: int, rounds: int) -> dict:
    """Side by side: the ranks' own dgemm (the peak), ours from its own distribution and from ScaLAPACK's, pdgemm."""
    program = build / "bench" / "bench_gemm"
    if not program.exists():
        return {"skipped": "bench_gemm was not built: ScaLAPACK is missing"}
    command = [str(ROOT / "tools" / "mpirun"), mpiexec_of(build), str(ranks), str(program), str(n), str(rounds)]
    # The peer's best setting and ours: ranks copy straight out of each other's memory where the machine lets them.
    copy = "cma" if reads_other_processes() else "none"
    env = {**os.environ, "OMPI_MCA_btl_vader_single_copy_mechanism": copy}
    output = subprocess.run(command, check=True, capture_output=True, text=True, env=env).stdout
    result = json.loads(output[output.index("{") :])
    # Inner products of n products of entries in -0.5 .. 0.5.
    assert result["largest_error"] < 1e-11 * n, f"wrong result: {result['largest_error']}"
    seconds = result["seconds"]
    best = min((k for k in seconds if k.startswith("pdgemm")), key=lambda k: statistics.median(seconds[k]))
    gflop = 2.0 * n**3 / 1e9
    error = result["largest_error"]
    print(f"\ngemm, n = {n}, double, {ranks} ranks x 1 thread, {rounds} rounds (largest error {error:.1e})")
    print(f"{'':34} seconds: median [min .. max]      GF/s   of peak   time of best pdgemm / ours")
    for name, values in seconds.items():
        of_peak = [p / t for p, t in zip(seconds["peak"], values, strict=True)]
        ratio = [s / t for s, t in zip(seconds[best], values, strict=True)]
        mark = " <- best pdgemm" if name == best else ""
        print(
            f"{name:34}{spread(values)}  {gflop / statistics.median(values):6.1f}  {statistics.median(of_peak):7.3f}"
            f"   {statistics.median(ratio):.3f} [{min(ratio):.3f} .. {max(ratio):.3f}]{mark}"
        )
    print("COSMA is not in Debian, PyPI or another registry that this runs from, so it is not beside these.")
    return result


def contenders(build: Path, program: str, ranks: int, n: int, rounds: int, *options: str) -> dict:
    """A factorization beside its peers; the program checks every result before it is timed."""
    path = build / "bench" / program
    if not path.exists():
        return {"skipped": f"{program} was not built: ScaLAPACK is missing"}
    command = [str(ROOT / "tools" / "mpirun"), mpiexec_of(build), str(ranks), str(path), str(n), str(rounds), *options]
    copy = "cma" if reads_other_processes() else "none"
    env = {**os.environ, "OMPI_MCA_btl_vader_single_copy_mechanism": copy, "OPENBLAS_NUM_THREADS": "1"}
    output = subprocess.run(command, check=True, capture_output=True, text=True, env=env).stdout
    result = json.loads(output[output.index("{") :])
    print(f"\n{program}, n = {n}, double, {ranks} ranks, {rounds} rounds {' '.join(options)}")
    print(f"{'':44} seconds: median [min .. max]      GF/s")
    for one in result["contenders"]:
        print(f"{one['name']:44}{spread(one['seconds'])}  {one['gflops_median']:8.1f}")
    return result


def tasks(build: Path, ranks: int, rounds: int) -> dict:
    """What the executor takes for itself: a task, or the shortest task that keeps half of the processors busy."""
    path = build / "bench" / "bench_tasks"
    if not path.exists():
        return {"skipped": "bench_tasks was not built: OpenMP is missing"}
    command = [str(ROOT / "tools" / "mpirun"), mpiexec_of(build), str(ranks), str(path)]
    output = subprocess.run([*command, str(rounds)], check=True, capture_output=True, text=True).stdout
    result = json.loads(output[output.index("{") :])
    print(f"\ntasks on {ranks} ranks, {rounds} rounds{'':14} microseconds: median [min .. max]")
    for name, values in result.items():
        if name != "ranks":
            print(f"{name:44}{spread([1e6 * v for v in values])}")
    return result


def loops(build: Path, threads: int, rounds: int) -> dict:
    """What a parallel loop takes for itself, beside OpenMP's and oneTBB's."""
    path = build / "bench" / "bench_loops"
    if not path.exists():
        return {"skipped": "bench_loops was not built: OpenMP is missing"}
    output = subprocess.run([str(path), str(threads), str(rounds)], check=True, capture_output=True, text=True).stdout
    result = json.loads(output)
    print(f"\nloops on {threads} threads, {rounds} rounds{'':14} microseconds: median [min .. max]")
    for name, values in result.items():
        if name != "threads":
            print(f"{name:44}{spread([1e6 * v for v in values])}")
    return result


def verify(build: Path) -> dict:
    """The proof of the 6-tree broadcast on 262,144 nodes."""
    command = [str(build / "bench" / "bench_verify"), "torus:64x64x64", str(1 << 20), str(64 << 10)]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    report, memory = output.rsplit("peak memory:", 1)
    result = json.loads(report)
    print(f"\nproof of a rectangular broadcast, torus:64x64x64, 1 MiB: {result.get('seconds')} s, {memory.strip()}")
    result["peak_memory"] = memory.strip()
    return result


def main() -> int:
    quick = "--quick" in sys.argv
    arguments = [a for a in sys.argv[1:] if not a.startswith("-")]
    build = Path(arguments[0]) if arguments else ROOT / "build" / "release"
    n, tiles = (1000, "128") if quick else (6000, "256,384,512")
    results = {
        "gemm": [gemm(build, 2, n, rounds) for n, rounds in ([(500, 3)] if quick else [(1000, 9), (4000, 5)])],
        "cholesky": [
            contenders(
                build, "bench_cholesky", 1, n, 3 if quick else 7, "--workers", "2", "--no-scalapack", "--nb", tiles
            ),
            contenders(build, "bench_cholesky", 2, n, 3 if quick else 7, "--no-lapack", "--nb", tiles),
        ],
        "tasks": [tasks(build, ranks, 3 if quick else 7) for ranks in (1, 2)],
        "loops": [loops(build, 2, 3 if quick else 7)],
        "verify": verify(build),
    }
    (build / "bench.json").write_text(json.dumps(results, indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
