"""Multiplication and LU on real links, 2D and 2.5D, rectangular and binomial: Solomonik11, slides 18, 19, 35 and 36.

    lu_runs.measure(run)                                          # brings labs up: needs root

`python -m studies.figures.lu_runs JSON` is one of its ranks.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

import numpy as np
from allport import lab as labs
from allport.bench.places import Place
from allport.linalg.gemm import gemm
from allport.linalg.lu import lu
from allport.linalg.matrix import DistributedMatrix, distribute
from allport.machine import Machine
from allport.options import Options
from allport.plan import gemm as plan_gemm
from allport.plan import lu as plan_lu
from allport.reports import last_report
from allport.run.rank import as_rank, emit

from studies.figures.figure import Bars, Chart, Run, Series
from studies.figures.lab_runs import RANK, LabRun

__all__ = ["NAME", "WHY", "bars", "breakdown", "curve", "gigaflops", "measure", "said"]

NAME = "solomonik11-lu"
RATE = "40mbit"
LABS = {4: "torus:2x2", 8: "torus:2x2x2", 16: "torus:4x2x2"}
FLAT = {4: "2x2x1", 8: "2x4x1", 16: "4x4x1"}
LAYERED = {8: "2x2x2", 16: "2x2x4"}
VARIANTS = {
    "2.5D RCT": (LAYERED, "axes"),
    "2.5D BNM": (LAYERED, "binomial"),
    "2D RCT": (FLAT, "axes"),
    "2D BNM": (FLAT, "binomial"),
}
WORK = ("gemm", "none", "tournament")  # multiplication; LU by its pivoting
N, BEST_OF = 1024, 3  # of our runs
WHY = (
    "In the lab n is so small beside its slow links that nearly all of the time is one message after another: there "
    "layers cost LU more messages than they save words, and rectangular trees pay most where lines are longest."
)


def measure(run: Run) -> LabRun:
    """The least seconds of some, with their parts on the busiest rank, for all variants and numbers of nodes."""
    data: dict[str, dict[str, dict[str, dict[str, float]]]] = {}
    job = {"n": 256 if run.quick else N, "best_of": 1 if run.quick else BEST_OF}
    for i, (nodes, spec) in enumerate(LABS.items()):
        run.step(i / len(LABS))
        with labs.Lab.up(spec, rate=RATE, name=f"lu{os.getpid()}") as lab:
            place = Place(Machine.parse(lab.machine_file), lab)
            lines = place.run([*RANK, "studies.figures.lu_runs", json.dumps({**job, "nodes": nodes})])
            links = lab.plan.links()  # the same of all three labs
        for line in lines:
            if "work" in line:
                data.setdefault(str(nodes), {}).setdefault(line["work"], {})[line["variant"]] = line["seconds"]
    return LabRun("torus of 4, 8 and 16 nodes", RATE, {**job, "seconds": data}, links=links)


def gigaflops(found: LabRun, nodes: int, work: str, variant: str) -> float:
    """2 n^3 for a multiplication, 2/3 n^3 for LU, over the whole time."""
    n = found.data["n"]
    seconds = found.data["seconds"][str(nodes)][work][variant]["total"]
    return (2.0 if work == "gemm" else 2.0 / 3.0) * n**3 / seconds / 1e9


def said(found: LabRun) -> str:
    """What the runs on 16 nodes got, in a sentence."""
    parts = [
        f"{name} " + ", ".join(f"{variant} {gigaflops(found, 16, work, variant):.2f}" for variant in VARIANTS)
        for work, name in zip(WORK, ("multiply", "LU", "LU with tournaments"))
    ]
    return f" In the lab, 16 nodes, n = {found.data['n']}, Gflop/s: {'; '.join(parts)}."


def bars(found: LabRun, variants: list[str], nodes: int = 16) -> Bars:
    """Gflop/s of multiplication and both LUs, one bar a variant."""
    return Bars(
        ["MM", "LU", "LU+PVT"],
        f"Gflop/s on {nodes} nodes of the lab, n = {found.data['n']}",
        [Series(v, None, [gigaflops(found, nodes, work, v) for work in WORK], "lab") for v in variants],
    )


def curve(found: LabRun, work: str) -> Chart:
    """Gflop/s over the number of nodes; a variant without layers to choose from begins where it has some."""
    series = []
    for variant in VARIANTS:
        nodes = [p for p in LABS if variant in found.data["seconds"][str(p)][work]]
        series.append(Series(f"{variant}, lab", nodes, [gigaflops(found, p, work, variant) for p in nodes], "lab"))
    return Chart("nodes of the lab", f"Gflop/s, n = {found.data['n']}", series, low=0)


def breakdown(found: LabRun, nodes: int = 16) -> Bars:
    """Seconds of LU, without pivoting and with tournaments: local work, panels, waiting for others and for links."""
    short = {"none": "no pivot", "tournament": "CA pivot"}
    seconds = {
        f"{short[w]}\n{variant}": found.data["seconds"][str(nodes)][w][variant]
        for w in short
        for variant in VARIANTS
        if variant != "2.5D BNM"
    }
    parts = {"compute": "compute", "wait": "waiting (idle and communication)"}
    return Bars(
        list(seconds),
        f"seconds, {nodes} nodes of the lab, n = {found.data['n']}",
        [Series(label, None, [t[key] for t in seconds.values()], "lab") for key, label in parts.items()],
        stacked=True,
    )


def _one(comm: Any, work: str, grid: str, how: str, n: int) -> dict[str, float]:
    random = np.random.default_rng(comm.rank)

    def filled(distribution: Any) -> Any:
        matrix = DistributedMatrix.empty(comm, distribution)
        matrix.local[...] = random.random(matrix.local.shape) - 0.5
        return matrix

    if work == "gemm":
        product = plan_gemm(n, n, n, comm.machine, options=Options(grid=grid, tree=how))
        gemm(filled(product.a), filled(product.b), plan=product)
        report = last_report()
    else:
        plan = plan_lu(n, n, comm.machine, options=Options(pivoting=work, grid=grid, tree=how))
        a = filled(plan.distribution)
        if work == "none":  # harmless without row exchanges: a heavy diagonal
            eye = distribute(np.eye(n) * n if comm.rank == 0 else None, comm, distribution=plan.distribution)
            a.local[...] += eye.local
        factors = lu(a, plan=plan, overwrite_a=True)
        report = last_report()
        if factors.info != 0:
            raise ValueError(f"INFO = {factors.info}")
    return dict(report.seconds)


def _work(text: str) -> dict[str, Any]:
    from allport.comm import world

    job, comm = json.loads(text), world()
    for work in WORK:
        for variant, (grids, how) in VARIANTS.items():
            if job["nodes"] not in grids:
                continue
            runs = [_one(comm, work, grids[job["nodes"]], how, job["n"]) for _ in range(job["best_of"])]
            if comm.rank == 0:
                emit(result={"work": work, "variant": variant, "seconds": min(runs, key=lambda t: t["total"])})
    return {}


if __name__ == "__main__":
    sys.exit(as_rank(lambda: _work(sys.argv[1])))
