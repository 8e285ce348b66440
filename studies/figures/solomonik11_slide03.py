"""Solomonik11, slides 3 and 6: 1 MB multicast over the number of nodes, BG/P against XE6."""

from __future__ import annotations

from allport import model
from allport.machine import Machine
from allport.sim import placement_of

from studies.figures.figure import Chart, Figure, Number, Result, Run, Series, near
from studies.figures.placements import cubes, scheduler_order
from studies.figures.simulated import seconds
from studies.figures.varied import corners, said

MESSAGE = 1 << 20  # Solomonik11, slide 3
SEED = 6  # of the random placement: in no source
LINKS, PART, GAIN = 4, 30, 120  # links' worth on BG/P, 1/30 of a link on XE6, and the gain (Solomonik11, slide 6)
MB = 1e6


def _rate(bgp: Machine) -> float:
    """MB/s of t_mcast."""
    return MESSAGE / model.t_mcast(MESSAGE, model.multicast_terms(bgp)) / MB


def _make(run: Run) -> Result:
    shapes = cubes(512 if run.quick else 4096)
    nodes, rect, packets = [], [], []
    bands: list[list[float]] = [[], []]
    placed: dict[str, list[float]] = {"x-fastest": [], "scheduler's order": [], f"random, seed {SEED}": []}
    run_of: dict[str, list[float]] = {name: [] for name in placed}
    sums: dict[str, int] = {}
    for i, shape in enumerate(shapes):
        run.step(i / len(shapes))
        bgp, xe6 = Machine.parse(f"bgp:{shape}"), Machine.parse(f"xe6:{shape}/ppn=1")
        nodes.append(bgp.nodes)
        rect.append(_rate(bgp))
        for values, corner in zip(bands, corners(bgp)):
            values.append(_rate(corner))
        packets.append(MESSAGE / seconds("bcast", "rectangular", bgp, MESSAGE) / MB)
        orders: tuple[list[int], ...] = ([], scheduler_order(xe6), placement_of(f"random:{SEED}", xe6, xe6.ranks))
        for name, order in zip(placed, orders):
            placed[name].append(MESSAGE / model.t_binomial(xe6, MESSAGE, placement=order) / MB)
            t = seconds("bcast", "binomial", xe6, MESSAGE, whole=True, placement=order or None)
            run_of[name].append(MESSAGE / t / MB)
            sums[name] = sum(model.binomial_flows(xe6, placement=order))
    link, slowest = bgp.axes[0].bandwidth / MB, min(a.bandwidth for a in xe6.axes) / MB
    ours, simulated = rect[-1] / link, packets[-1] / link
    least, most = (_rate(corner) / (corner.axes[0].bandwidth / MB) for corner in corners(bgp))
    where = f"{nodes[-1]} nodes"
    ratios = ", ".join(f"1/{n} ({name})" for name, n in sums.items())
    gains = ", ".join(f"{simulated * n:.0f} to {ours * n:.0f}x ({name})" for name, n in sums.items())
    series = [Series("BG/P, rectangular", nodes, rect, band=(bands[0], bands[1]))]
    series.append(Series("BG/P, rectangular, simulated", nodes, packets, "simulation", pair=True))
    for name, values in placed.items():
        series.append(Series(f"XE6, binomial, {name}", nodes, values))
        series.append(Series("the same, simulated", nodes, run_of[name], "simulation", pair=True))
    chart = Chart("nodes", "MB/s", series, log_y=True, low=64, high=8192)
    return Result(
        panels=[chart],
        got=f"On {where} BG/P's rectangular trees carry {ours:.1f} links' worth ({simulated:.1f} simulated; by model "
        f"{least:.1f} to {most:.1f} within the band); a "
        f"binomial tree on XE6 gets {ratios} of a link, so the gain in efficiency is {gains}.",
        obtained="Model: t_mcast with 2d trees (Solomonik11, slide 20) on preset bgp; t_binomial, the sum over rounds "
        "of the busiest link's messages under x-first routes, on preset xe6 with one host a router, whole messages, "
        f"rounds one after the other. Simulation of both schedules. {said(bgp)}",
        why=f"Solomonik11's 1/{PART} needs a placement: x-fastest ranks meet no contention on a 16x16x16 torus (1/12, "
        f"the depth of the tree); scattered ranks give about 1/{PART}, and only beside that placement does {GAIN}x "
        "hold. In "
        f"MB/s the curves also depend on which link is meant: XE6's y links have {slowest:.0f} MB/s, half of x and "
        f"z. {LINKS} links' worth of 6 on BG/P is what 1 MB leaves after start-up and path. XT5 is left out: no "
        "source gives its constants.",
        numbers=[
            Number(
                f"rectangular multicast of 1 MB, {where}, in links",
                f"{LINKS} (4096 nodes)",
                f"{ours:.1f} model, {simulated:.1f} simulated",
                how="model, simulated",
                holds=near(LINKS, ours, simulated),
                why="Start-up and path are all that the model takes off six links.",
            ),
            Number(
                f"binomial multicast, {where}, part of a link",
                f"1/{PART} (placement not said)",
                ratios,
                how="model",
                holds=near(PART, *sums.values()),
                why="The placement decides; the talk names none, and its ranks may be scattered.",
            ),
            Number(
                "gain in efficiency",
                f"{GAIN}x",
                gains,
                how="model, simulated",
                holds=near(GAIN, *(n * links for n in sums.values() for links in (ours, simulated))),
                why="Follows from the two rows above: only beside a scattered placement.",
            ),
        ],
    )


FIGURE = Figure(
    id="solomonik11-slide3",
    also=("solomonik11-slide6",),
    title="1 MB multicast on BG/P and Cray XE6, 8 to 4096 nodes (Solomonik11, slides 3 and 6)",
    claim=f"At 4096 nodes BG/P multicasts at {LINKS} times a link's bandwidth, XE6 at 1/{PART} of it: {GAIN}x better.",
    how=("model", "simulation"),
    make=_make,
    ours=("bgp.overhead", "bgp.axes", "xe6.overhead", "xe6.axes", "solomonik11_slide03.SEED"),
    varied=("bgp.overhead", "bgp.axes"),
)
