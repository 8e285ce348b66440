"""Solomonik11, slide 5: the four rectangular trees of a 4 x 4 torus."""

from __future__ import annotations

from allport.collectives import make_schedule
from allport.machine import Machine, axis_letter
from allport.report import draw
from allport.verify import prove

from studies.figures.figure import Figure, Number, Picture, Result, Run, Table, agrees

TREES = 4  # Solomonik11, slide 5


def _make(run: Run) -> Result:
    machine = Machine.parse("torus:4x4")
    schedule = make_schedule("bcast", machine, algorithm="rectangular", bytes="64KiB", segment="4KiB")
    report = prove(schedule, machine, disjoint=True)
    edges = draw.edges(schedule, machine)
    links = {(e.source, e.port) for e in edges}
    reached = [{e.target for e in edges if e.tree == t} for t in range(schedule.trees)]
    once = len(links) == len(edges)
    rows = [[e.tree + 1, e.source, e.target, ("+" if e.port % 2 else "-") + axis_letter(e.port // 2)] for e in edges]
    shared = "none used twice" if once else f"{len(edges) - len(links)} used twice"
    return Result(
        panels=[Picture(lambda path: draw.trees(schedule, machine, path), Table(["tree", "from", "to", "link"], rows))],
        got=f"{schedule.trees} trees, each over {min(len(r) for r in reached)} other nodes; {len(edges)} directed "
        f"links, {shared}. {'Proven' if report else 'NOT proven'}: delivery, no deadlock, trees link-disjoint.",
        obtained="Exact: the schedule of algorithm rectangular on torus:4x4, root 0, drawn from its programs and "
        "proven by the verifier, the very schedule that runs on MPI.",
        why="They do not. The root's 4 links in stay unused, so 60 of 64 directed links is the most there can be.",
        numbers=[
            Number(
                "link-disjoint trees on 4x4",
                str(TREES),
                str(schedule.trees),
                how="counted",
                holds=agrees(schedule.trees == TREES and once),
            )
        ],
    )


FIGURE = Figure(
    id="solomonik11-slide5",
    title="Four rectangular multicast trees on a 4x4 torus",
    claim="2n edge-disjoint spanning trees on a k-ary n-cube: four on a 4x4 torus.",
    how=("exact",),
    make=_make,
)
