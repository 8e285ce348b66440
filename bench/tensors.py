"""A contraction of two tensors of order 4 beside the product of the same size, by turns in one run.

    bench/tensors.py [--lab torus:4x4 --rate 40mbit] [--ranks N] [--extents 45x45] [--dtype f8] [--rounds 3]

C[i,j,k,l] = sum over a, b of A[i,j,a,b] B[a,b,k,l], every pair of axes having these extents. gemm is of matrices that
lie where its plan wants them. The tensors lie a block a rank, cut on their first and third axes; their result lies
where the product leaves it ("as it comes"), or comes back into blocks ("into blocks"). Some of each result is checked.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import allport as ap
import numpy as np

SUBSCRIPTS = "ijab,abkl->ijkl"


def values(index: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Numbers in -1 .. 1 by their place in the whole, the same on every rank."""
    x = np.sin(index * 0.7391 + 0.1)
    return (x + 1j * np.cos(index * 0.331) if dtype.kind == "c" else x).astype(dtype)


def tensor(comm: Any, shape: tuple[int, ...], distribution: Any, dtype: np.dtype) -> Any:
    """A tensor of values(), each rank making its part."""
    box = distribution.box(comm.rank)
    if box is None:
        return ap.DistributedTensor(comm, distribution, np.zeros(distribution.local_shape(comm.rank), dtype))
    strides = [int(np.prod(shape[a + 1 :])) for a in range(len(shape))]
    index = sum(
        (np.arange(*ends) * strides[a]).reshape([-1 if b == a else 1 for b in range(len(shape))])
        for a, ends in enumerate(box)
    )
    return ap.DistributedTensor(comm, distribution, values(np.asarray(index), dtype))


def largest_error(c: Any, pairs: tuple[int, int]) -> float:
    """Of some elements, which this rank has."""
    n = pairs[0] * pairs[1]
    rng, worst = np.random.default_rng(c.comm.rank), 0.0
    if c.local.size:
        for place in rng.integers(0, c.local.size, 5):
            at = np.unravel_index(int(place), c.local.shape)
            whole = [0] * 4
            for group, (begin, _), k in zip(c.distribution.groups, c.distribution.box(c.comm.rank), at, strict=True):
                for axis, i in zip(group, np.unravel_index(begin + k, [c.shape[a] for a in group]), strict=True):
                    whole[axis] = int(i)
            row, col = whole[0] * pairs[1] + whole[1], whole[2] * pairs[1] + whole[3]
            left, right = values(row * n + np.arange(n), c.dtype), values(np.arange(n) * n + col, c.dtype)
            worst = max(worst, abs(c.local[at] - left @ right))
    return float(max(c.comm.mpi4py.allgather(worst)))


def on_ranks(options: argparse.Namespace) -> None:
    """A rank's side: rank 0 prints the result."""
    from mpi4py import MPI

    comm, dtype = ap.Communicator(MPI.COMM_WORLD), np.dtype(options.dtype)
    pairs = tuple(int(n) for n in options.extents.split("x"))
    shape, n = (*pairs, *pairs), pairs[0] * pairs[1]
    product = ap.plan.gemm(n, n, n, comm.machine, dtype=dtype, options=ap.Options(mapping=comm.mapping, candidates=1))
    a, b = (ap.DistributedMatrix.empty(comm, d, dtype) for d in (product.a, product.b))
    a.local[...], b.local[...] = 0.5, 0.25
    x = tensor(comm, shape, ap.DistributedTensor.zeros(comm, shape, dtype).distribution, dtype)
    variants = {
        "gemm": lambda: ap.gemm(a, b, plan=product),
        "einsum, as it comes": lambda: ap.einsum(SUBSCRIPTS, x, x),
        "einsum, into blocks": lambda: ap.einsum(SUBSCRIPTS, x, x, distribution=x.distribution),
    }
    seconds: dict[str, list[float]] = {name: [] for name in variants}
    found: dict[str, Any] = {"errors": {}, "reports": {}, "as_planned": True}
    for round_ in range(options.rounds + 1):  # the first warms up, plans, and is checked
        for name, run in variants.items():
            comm.barrier()
            start = time.perf_counter()
            result = run()
            comm.barrier()
            report = ap.last_report()
            if round_:
                seconds[name].append(time.perf_counter() - start)
            elif name != "gemm":
                found["errors"][name] = largest_error(result, pairs)
            found["as_planned"] = found["as_planned"] and report.as_planned
            found["reports"][name] = report.seconds
    if comm.rank == 0:
        plan = ap.tensors.plan_einsum(
            SUBSCRIPTS,
            shape,
            shape,
            comm.machine,
            dtype=dtype,
            given=(x.distribution, x.distribution),
            options=ap.Options(mapping=comm.mapping),
        )
        found |= {"seconds": seconds, "n": n, "ranks": comm.size, "machine": comm.machine.name, "dtype": str(dtype)}
        found |= {"plan": plan.to_dict()["chosen"], "gemm": repr(product), "predicted": plan.seconds}
        print(json.dumps(found), flush=True)


def start(options: argparse.Namespace) -> dict[str, Any]:
    """Starts the ranks, in a lab of their own where one is named."""
    own = [sys.executable, str(Path(__file__).resolve()), "--on-ranks", "--extents", options.extents]
    own += ["--dtype", options.dtype, "--rounds", str(options.rounds)]
    if options.lab:
        with ap.lab.Lab.up(options.lab, rate=options.rate, name="tensors") as lab:
            argv, env = lab.mpiexec_command(exports=[("OPENBLAS_NUM_THREADS", "1")])
            done = subprocess.run([*argv, *own], env=env, check=True, stdout=subprocess.PIPE, text=True)
    else:
        argv = ap.run.launch.mpiexec_command(options.ranks)
        env = ap.run.launch.environment(options.ranks)
        done = subprocess.run([*argv, *own], env=env, check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout[done.stdout.index("{") :])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lab", help="a lab that is brought up for it, like torus:4x4; needs root")
    parser.add_argument("--rate", default="40mbit", help="of the lab's links")
    parser.add_argument("--ranks", type=int, default=4, help="without a lab")
    parser.add_argument("--extents", default="45x45", help="of each pair of axes")
    parser.add_argument("--dtype", default="f8")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--on-ranks", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.on_ranks:
        on_ranks(options)
        return
    found = start(options)
    if options.json:
        print(json.dumps(found, indent=1))
        return
    n, gflop = found["n"], (8 if "complex" in found["dtype"] else 2) * found["n"] ** 3 / 1e9
    print(f"{SUBSCRIPTS}, pairs of {options.extents} ({n} x {n} x {n}), {found['dtype']}, on {found['machine']}")
    print(f"{found['gemm']}; contraction predicted {found['predicted']['total']:.3g} s")
    base = found["seconds"]["gemm"]
    for name, times in found["seconds"].items():
        speed = [g / t for g, t in zip(base, times, strict=True)]
        print(
            f"{name:22} {statistics.median(times):8.3f} s [{min(times):.3f} .. {max(times):.3f}] "
            f"{gflop / statistics.median(times):7.2f} Gflop/s, {statistics.median(speed):.2f} of gemm's speed"
        )
    print(f"largest errors {found['errors']}; words as planned: {found['as_planned']}")
    assert found["as_planned"], found["reports"]
    assert max(found["errors"].values()) < (1e-3 if found["dtype"] in ("float32", "complex64") else 1e-10) * n


if __name__ == "__main__":
    main()
