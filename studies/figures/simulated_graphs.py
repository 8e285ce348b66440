"""Products and LU as the task graphs that run, simulated at the sizes of Solomonik11, slides 11-13, 18, 19, 34-36.

    python -m studies.figures.simulated_graphs [PATTERN]     # simulates anew what is kept; minutes

Simulating 16,384 nodes takes too long for a page, so that results are kept, each under the words that say what was
simulated.
"""

from __future__ import annotations

import json
import re
import sys
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from allport import graph
from allport.graph import gemm as gemm_graph
from allport.graph import lu as lu_graph
from allport.machine import Machine
from allport.options import Options
from allport.plan import gemm as plan_gemm
from allport.plan import lu as plan_lu

from studies.figures.figure import Bars, Series
from studies.figures.multiply_16384 import FLAT, LAYERED

__all__ = [
    "CASES",
    "Case",
    "at_16384",
    "best",
    "breakdown",
    "gain",
    "kept",
    "said",
    "scaling",
    "scaling_of",
    "simulate",
    "taken",
]

LARGEST = "bgp:32x32x16"
KEPT = Path(__file__).parent / "runs" / "solomonik11-graphs.json"
SAMPLE = (2, 16, 16, 4)  # of a graph's steps; of our runs
PRODUCT, LAYERED_PRODUCT = "summa", "summa25"
FACTOR, LAYERED_FACTOR = "2d", "2.5d"
BEHIND = {"rectangular": "RCT", "binomial": "BNM", "in steps": "ScaLAPACK's"}


@dataclass(frozen=True)
class Case:
    """What is simulated. work: 'gemm', or LU's pivoting; grid: rows, columns, layers; how: 'rectangular', the trees
    along the axes by which graphs run; 'binomial', trees that know no machine; 'in steps', these without look-ahead,
    as PDGEMM and PDGETRF go; block: columns of a panel, with layers of all of them together."""

    work: str
    n: int
    machine: str
    grid: tuple[int, int, int]
    how: str
    block: int

    @property
    def key(self) -> str:
        grid = "x".join(str(s) for s in self.grid)
        return f"{self.work} n={self.n} {self.machine} {grid} {self.how} b={self.block}"

    @property
    def flops(self) -> float:
        return (2.0 if self.work == "gemm" else 2.0 / 3.0) * float(self.n) ** 3


def simulate(case: Case) -> dict[str, Any]:
    """Seconds, the share of the nodes' peak, and the shares of time, from a sample of the steps."""
    machine = Machine.parse(case.machine)
    grid = "x".join(str(s) for s in case.grid)
    if case.work == "gemm":
        name = LAYERED_PRODUCT if case.grid[2] > 1 else PRODUCT
        product = plan_gemm(
            case.n,
            case.n,
            case.n,
            machine,
            options=Options(algorithm=name, grid=grid, panel=case.block, order="ijl", candidates=1),
        )
        made = gemm_graph(product)
    else:
        layered = case.grid[2] > 1
        plan = plan_lu(
            case.n,
            case.n,
            machine,
            options=Options(
                pivoting=case.work,
                algorithm=LAYERED_FACTOR if layered else FACTOR,
                grid=grid,
                panel=0 if layered else case.block,
                outer_panel=case.block if layered else 0,
                tree="axes" if case.how == "rectangular" else "binomial",
                candidates=1,
            ),
        )
        made = lu_graph(plan)
    tree = None if case.how == "rectangular" else "collectives"
    model = graph.Model(in_steps=case.how == "in steps")
    run = graph.simulate(made, machine, tree=tree, model=model, sample=SAMPLE)
    kept = ("seconds", "compute", "communicate", "idle", "longest_work", "longest_tasks", "steps", "simulated_steps")
    found = run.to_dict()
    peak = machine.ranks * machine.rates.flops
    return {"efficiency": case.flops / run.seconds / peak, **{name: found[name] for name in kept}}


def kept() -> dict[str, dict[str, Any]]:
    """What was simulated, by Case.key."""
    return json.loads(KEPT.read_text())["cases"] if KEPT.exists() else {}


def best(cases: dict[str, dict[str, Any]], work: str, n: int, nodes: str, layers: bool, how: str) -> dict[str, Any]:
    """The quickest of the kept ones, with its Case as 'case'."""
    found = [
        {**cases[case.key], "case": case}
        for case in CASES
        if case.key in cases
        and (case.work, case.n, case.machine, case.how) == (work, n, nodes, how)
        and (case.grid[2] > 1) == layers
    ]
    if not found:
        raise LookupError(f"{work}, n = {n}, on {nodes}, {how}, layers: {layers}: nothing is kept")
    return min(found, key=lambda one: one["seconds"])


LIBRARY = {"gemm": "PDGEMM", "tournament": "PDGETRF"}
"""ScaLAPACK's routine beside our work; PDGETRF pivots partially."""


def at_16384(work: str, n: int) -> dict[str, dict[str, Any]]:
    """The kept results of Solomonik11, slides 12, 13, 18 and 19 by their names: 2.5D and 2D over rectangular (RCT) and
    binomial (BNM) trees, and ScaLAPACK's routine."""
    cases = kept()
    found = {
        f"{'2.5D' if layers else '2D'} {BEHIND[how]}": best(cases, work, n, LARGEST, layers, how)
        for layers in (True, False)
        for how in ("rectangular", "binomial")
    }
    if work in LIBRARY:
        found[LIBRARY[work]] = best(cases, "partial" if work == "tournament" else work, n, LARGEST, False, "in steps")
    return found


def gain(found: dict[str, dict[str, Any]], variant: str) -> float:
    """How many times as fast 2.5D over rectangular trees is."""
    return float(found[variant]["seconds"] / found["2.5D RCT"]["seconds"])


def taken(found: dict[str, dict[str, Any]]) -> str:
    """The grids and widths of panels of at_16384()'s variants, which are the quickest of those kept."""
    return ", ".join(
        f"{v} {'x'.join(str(s) for s in one['case'].grid)} by {one['case'].block}" for v, one in found.items()
    )


def scaling(work: str, n: int, more: dict[str, tuple[bool, str]]) -> dict[str, list[float]]:
    """% of peak on 256 to 2048 nodes. more: other variants by their names: whether with layers, and how."""
    variants = {
        "2.5D RCT": (True, "rectangular"),
        "2D RCT": (False, "rectangular"),
        "2D BNM": (False, "binomial"),
        **more,
    }
    cases = kept()

    def peak(name: str, spec: str) -> float:
        partial = work == "tournament" and name == "PDGETRF"
        return 100 * float(best(cases, "partial" if partial else work, n, spec, *variants[name])["efficiency"])

    return {name: [peak(name, spec) for spec in SCALING.values()] for name in variants}


def scaling_of(work: str, n: int, layers: bool, what: str) -> list[float]:
    """Over rectangular trees on 256 to 2048 nodes: 'longest_tasks'; 'path_over_share', the work on the longest path
    over an even share of all work."""
    ran = [best(kept(), work, n, spec, layers, "rectangular") for spec in SCALING.values()]
    if what == "path_over_share":
        return [one["longest_work"] / (one["compute"] * one["seconds"]) for one in ran]
    return [float(one[what]) for one in ran]


def breakdown(found: dict[Any, dict[str, dict[str, Any]]], unit: str = "") -> Bars:
    """Where the time of the nodes goes, in seconds, or as shares of the time that the variant `unit` takes."""
    places: list[str] = []
    parts: dict[str, list[float]] = {"compute": [], "idle": [], "communicate": []}
    for what, variants in found.items():
        whole = variants[unit]["seconds"] if unit else 1.0
        for variant, one in variants.items():
            places.append(f"{f'n={what // 1024}K' if isinstance(what, int) else what}\n{variant}")
            for part, values in parts.items():
                values.append(one[part] * one["seconds"] / whole)
    return Bars(
        places,
        f"time / {unit}'s" if unit else "seconds",
        [Series(part, None, values, "simulation") for part, values in parts.items()],
        title="our graphs, simulated",
        stacked=True,
    )


def said() -> str:
    """A sentence for `obtained`."""
    made = json.loads(KEPT.read_text())
    return (
        "Simulation: graph.simulate of the task graphs that run, on preset bgp, tasks on the nodes and messages on the "
        f"links; a sample of the steps stands for all where there are many (docs/concepts/graph.md); "
        f"{made['date']}, kept "
        f"({made['command']}). PDGEMM and PDGETRF are the same 2D graph with binomial trees, each "
        "rank one step "
        "after the other (PDGETRF: partial pivoting)."
    )


SCALING = {256: "bgp:8x8x4", 512: "bgp:8x8x8", 1024: "bgp:16x8x8", 2048: "bgp:16x16x8"}
SCALED = {  # nodes: flat grid, layered grid, of products; of our runs
    256: ((16, 16, 1), (8, 16, 2)),
    512: ((16, 32, 1), (16, 16, 2)),
    1024: ((32, 32, 1), (16, 16, 4)),
    2048: ((32, 64, 1), (16, 16, 8)),
}


TRIED = {  # LU, nodes: flat grids, layered grids, and columns of their panels, of our runs
    256: [
        *(((16, 16, 1), b) for b in (64, 128)),
        *(((32, 8, 1), b) for b in (32, 64, 128)),
        *(((16, 8, 2), b) for b in (32, 64)),
        ((8, 16, 2), 64),
    ],
    512: [
        *(((16, 32, 1), b) for b in (64, 128)),
        *(((32, 16, 1), b) for b in (32, 64, 128)),
        *(((32, 8, 2), b) for b in (32, 64)),
        ((16, 16, 2), 64),
    ],
    1024: [
        *(((32, 32, 1), b) for b in (32, 64)),
        *(((64, 16, 1), b) for b in (32, 64)),
        *(((64, 8, 2), b) for b in (32, 64)),
        ((32, 16, 2), 32),
        ((32, 16, 2), 64),
    ],
    2048: [
        *(((32, 64, 1), b) for b in (32, 64)),
        *(((64, 32, 1), b) for b in (32, 64)),
        *(((64, 16, 2), b) for b in (32, 64)),
        ((128, 8, 2), 32),
        ((128, 8, 2), 64),
    ],
    16384: [
        *(((128, 128, 1), b) for b in (32, 64)),
        *(((256, 64, 1), b) for b in (32, 64)),
        *(((256, 32, 2), b) for b in (32, 64)),
        ((256, 16, 4), 64),
        ((64, 128, 2), 64),
        ((32, 32, 16), 128),
    ],
}
"""Those that the planner prices lowest, with square ones and one of many layers beside them."""
RIVALS = {  # LU over binomial trees, and ScaLAPACK's: likewise, of our runs
    256: [((16, 16, 1), 64), ((16, 16, 1), 128), ((32, 8, 1), 64)],
    512: [((16, 32, 1), 64), ((16, 32, 1), 128), ((32, 16, 1), 64)],
    1024: [((32, 32, 1), 64), ((32, 32, 1), 128), ((64, 16, 1), 64)],
    2048: [((32, 64, 1), 64), ((32, 64, 1), 128), ((64, 32, 1), 64)],
    16384: [((128, 128, 1), 64), ((128, 128, 1), 128), ((256, 64, 1), 64)],
}


def _products() -> list[Case]:
    cases = []
    for n, flat, layered in ((8192, 64, 256), (131072, 256, 1024)):
        cases += [Case("gemm", n, LARGEST, FLAT, how, flat) for how in BEHIND]
        cases += [Case("gemm", n, LARGEST, LAYERED, how, layered) for how in ("rectangular", "binomial")]
    for nodes, spec in SCALING.items():
        flat_grid, layered_grid = SCALED[nodes]
        cases += [Case("gemm", 65536, spec, flat_grid, how, 256) for how in BEHIND]
        cases.append(Case("gemm", 65536, spec, layered_grid, "rectangular", 512))
    return cases


def _factors() -> list[Case]:
    cases = []
    for nodes, tried in TRIED.items():
        n, spec = (131072, LARGEST) if nodes == 16384 else (65536, SCALING[nodes])
        for pivoting in ("none", "tournament"):
            cases += [Case(pivoting, n, spec, grid, "rectangular", block) for grid, block in tried]
            cases += [Case(pivoting, n, spec, grid, "binomial", block) for grid, block in RIVALS[nodes]]
        cases += [Case("partial", n, spec, grid, "in steps", block) for grid, block in RIVALS[nodes]]
    for pivoting in ("none", "tournament"):
        cases += [Case(pivoting, 131072, LARGEST, grid, "binomial", 64) for grid in ((64, 128, 2), (256, 32, 2))]
    return cases


CASES = [*_products(), *_factors()]


def _anew(pattern: str) -> None:
    """Simulates the cases that match, writes each to the file as it comes."""
    known = {case.key for case in CASES}
    for case in CASES:
        if not re.search(pattern, case.key):
            continue
        found = simulate(case)
        print(f"{case.key}: {found['seconds']:.4g} s, {100 * found['efficiency']:.1f} % of peak", flush=True)
        cases = {key: one for key, one in kept().items() if key in known} | {case.key: found}
        command = "python -m studies.figures.simulated_graphs"
        whole = {"date": date.today().isoformat(), "command": command, "cases": dict(sorted(cases.items()))}
        KEPT.write_text(json.dumps(whole, indent=1) + "\n")


if __name__ == "__main__":
    _anew(sys.argv[1] if len(sys.argv) > 1 else "")
