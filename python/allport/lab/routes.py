"""The routes of a lab, also around cut cables: the next port at each vertex, and what cuts separate."""

from __future__ import annotations

from itertools import combinations

from allport.lab import paths
from allport.lab.plan import Plan

__all__ = ["Routes", "cut_off", "joined_pairs", "next_ports", "routes"]

Routes = list[dict[str, tuple[str, str, str] | None]]  # per vertex: address -> (gateway, interface, source)


def next_ports(plan: Plan, target: int, rail: int = 0) -> list[int | None]:
    """For each vertex the port of its route to node `target`; None at the target itself, where no route leads there
    because nodes do not forward, and if the port's cable is cut and not rerouted.

    With rerouted or absent cables, a vertex keeps the route that it has without them if it uses none of them; any other
    vertex takes the first port that brings it nearer. So every step shortens the distance, and packets cannot loop.
    """
    ordered = [plan.first_port(vertex, target, rail) for vertex in range(plan.vertices)]
    if all(c.works for c in plan.cables):
        return ordered
    hops = None
    chosen: list[int | None] = []
    for vertex in range(plan.vertices):
        step = ordered[vertex]
        if step is not None and _meets_avoided(plan, ordered, vertex):
            hops = hops or paths.distances(plan.ends, target, plan.forwards)
            step = next(iter(paths.nearer(plan.ends, hops, vertex, target, plan.forwards)), None)
        chosen.append(None if step is not None and plan.ends[vertex][step][0].cut else step)
    return chosen


def _meets_avoided(plan: Plan, ordered: list[int | None], vertex: int) -> bool:
    while (step := ordered[vertex]) is not None:
        cable, vertex = plan.ends[vertex][step]
        if cable.avoided:
            return True
    return False


def cut_off(plan: Plan) -> list[int]:
    """Nodes that have lost every route to another node, because routes avoid cables: to node 0, where all nodes
    forward."""
    lost: set[int] = set()
    for target in range(1 if plan.forwarding else plan.nodes):
        hops = paths.distances(plan.ends, target, plan.forwards)
        lost |= {n for n in range(plan.nodes) if n not in hops and plan.first_port(n, target) is not None}
    return sorted(lost)


def joined_pairs(plan: Plan) -> int:
    """Number of pairs of nodes that reach each other over the links when all cables work."""
    if plan.forwarding:
        return plan.nodes * (plan.nodes - 1) // 2
    return sum(plan.first_port(a, b) is not None for a, b in combinations(range(plan.nodes), 2))


def routes(plan: Plan) -> Routes:
    """Every vertex's routes to the addresses of all other nodes; None where it has no route."""
    made: Routes = [{} for _ in range(plan.vertices)]
    for rail in range(plan.rails):
        for target in range(plan.nodes):
            address = plan.address(target, rail)
            for vertex, port in enumerate(next_ports(plan, target, rail)):
                if vertex == target:
                    continue
                if port is None:
                    made[vertex][address] = None
                    continue
                gateway = plan.address(plan.ends[vertex][port][1])
                made[vertex][address] = (gateway, plan.port_name(port), plan.address(vertex, rail))
    return made
