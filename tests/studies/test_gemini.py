"""Gemini tori of the figures: orders of nodes, and the rates of links that follow from ports and lanes."""

from __future__ import annotations

from itertools import pairwise

import allport as ap
import pytest
from allport.run import links

from studies.figures import placements, routers
from studies.figures.pena13_slide16 import Halo, Step
from studies.figures.routers import CART, MATCHED, PLAIN, Timed


def test_placements_visit_every_node_once() -> None:
    for spec in ("torus:16x16x16", "torus:4x2x8", "torus:2x2x2", "mesh:8x4x16", "gemini:8x4x8"):
        machine = ap.Machine.parse(spec)
        order = placements.scheduler_order(machine)
        assert sorted(order) == list(range(machine.ranks)), spec
        nodes = list(dict.fromkeys(place // machine.ranks_per_node for place in order))
        assert len(nodes) == machine.nodes, "hosts of a router follow each other"
        assert all(machine.hops(a, b) == 1 for a, b in pairwise([*nodes, nodes[0]])), f"{spec}: a cycle of neighbours"
    assert placements.cubes(64) == ["2x2x2", "4x2x2", "4x4x2", "4x4x4"]
    anywhere = ap.sim.placement_of("random:1", ap.Machine.parse("torus:10x10"), 100)
    assert sorted(anywhere) == list(range(100)) != anywhere


def test_the_box_of_blue_waters_follows_from_ports_and_lanes() -> None:
    def seen(ports: int, lane: float) -> float:
        """GB/s that MPI sees: of 3 lanes a port, in Gbit/s, 5.8 of 9.375."""
        return ports * 3 * lane / 8 * 5.8 / 9.375

    machine = routers.box(chassis=4)
    wanted = {"x": (0, 0, seen(8, 3.125)), "crossing": (0, routers.EVERY - 1, routers.SLOW * seen(8, 3.125))}
    wanted |= {"mezzanine": (1, 0, seen(4, 6.25)), "cable": (1, 1, seen(4, 3.125))}
    wanted |= {"backplane": (2, 0, seen(8, 5.0)), "chassis": (2, 3, seen(8, 3.125))}
    cases = [routers.pair(machine, axis, at, what, each=2) for what, (axis, at, _) in wanted.items()]
    for found in links.simulated(machine, quick=True, among=cases):
        assert 2e-9 * found.value == pytest.approx(wanted[found.of][2], rel=1e-3), found.of


def test_matching_saves_less_of_longer_steps() -> None:
    times = {order: Timed(s, "", 0, 0.0) for order, s in ((PLAIN, 2e-4), (CART, 4e-4), (MATCHED, 1e-4))}
    step = Step(Halo("2D", (4, 4), (1000, 1000), "matched"), times)
    assert step.saves(PLAIN, 0) == pytest.approx(50) and step.saves(CART, 0) == pytest.approx(75)
    assert step.saves(PLAIN, 44.4) == pytest.approx(100 * 1e-4 / 1.2e-3), "a sweep of a millisecond"
    assert step.halo.bytes == 8000
