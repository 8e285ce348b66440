"""Strong scaling of LU, n = 65,536 on 256 to 2048 nodes of BG/P: Solomonik11, slides 35 and 36, share it."""

from __future__ import annotations

from allport import model
from allport.machine import Machine

from studies.figures import lu_runs
from studies.figures import simulated_graphs as sims
from studies.figures.figure import Chart, Number, Result, Run, Series
from studies.figures.lu_parts import lu

__all__ = ["scaling"]

N = 65536
NODES = (256, 512, 1024, 2048)


def scaling(pivoting: str, rivals: dict[str, tuple[bool, str]], why: str, run: Run) -> Result:
    """% of peak of 2.5D and 2D LU. rivals: what Solomonik11 has besides, as simulated_graphs.scaling takes it."""
    bgp = Machine.parse("bgp")
    peak: dict[str, list[float]] = {"2.5D LU, rectangular": [], "2D LU, rectangular": [], "2D LU, binomial": []}
    grids = []
    for i, p in enumerate(NODES):
        run.step(i / len(NODES))
        grid = model.lu_grid(bgp, N, p, pivoting, "rectangular")
        grids.append(f"{p}: {'x'.join(str(s) for s in grid)}")
        flat = model.flat_grid(p)
        for name, g, how in zip(peak, (grid, flat, flat), ("rectangular", "rectangular", "binomial")):
            peak[name].append(100 * lu(bgp, N, g, pivoting, how)["efficiency"])
    ideal = Series("ideal scaling of 256 nodes", NODES, [peak["2.5D LU, rectangular"][0]] * len(NODES), "limit")
    ends = "; ".join(f"{name} {v[0]:.0f} to {v[-1]:.0f} %" for name, v in peak.items())
    ways = sims.scaling(pivoting, N, rivals)
    found = "; ".join(f"{name} {v[0]:.0f} to {v[-1]:.0f} %" for name, v in ways.items())
    gain = peak["2.5D LU, rectangular"][-1] / peak["2D LU, binomial"][-1]
    return Result(
        panels=[
            Chart(
                "nodes",
                "% of machine peak",
                [Series(k, NODES, v, "simulation") for k, v in ways.items()],
                title="our graphs, simulated",
                low=0,
                high=105,
            ),
            Chart(
                "nodes",
                "% of machine peak",
                [*(Series(k, NODES, v) for k, v in peak.items()), ideal],
                title="Solomonik11's model",
                low=0,
                high=105,
            ),
            *([lu_runs.curve(run.lab, pivoting)] if run.lab else []),
        ],
        got=f"Simulated: {found}. By Solomonik11's model: {ends}, from 256 to 2048 nodes."
        + (lu_runs.said(run.lab) if run.lab else ""),
        obtained=f"{sims.said()} Model: lu_time on preset bgp, blocks tuned, the fastest number of copies that "
        "fits in 2 GiB a "
        f"node ({', '.join(grids)})." + (f" {run.lab.said}" if run.lab else ""),
        why="The model's kernels run at peak, so all curves stand higher than Solomonik11's, and lines without "
        f"contention favour 2D. {why} " + lu_runs.WHY,
        numbers=[
            Number(
                f"LU ({pivoting} pivoting) at 2048 nodes, 2.5D over 2D binomial",
                "2.5D near ideal, 2D droops",
                f"simulated {ways['2.5D RCT'][-1] / ways['2D BNM'][-1]:.2f}x (over 2D rectangular "
                f"{ways['2.5D RCT'][-1] / ways['2D RCT'][-1]:.2f}x); model {gain:.2f}x",
            )
        ],
    )
