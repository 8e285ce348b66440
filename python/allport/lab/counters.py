"""States and byte counts of a lab, read from the kernel."""

from __future__ import annotations

from typing import Any

from allport.errors import Error
from allport.lab import namespaces, state, wires
from allport.lab.plan import Plan
from allport.lab.shape import Cable, Grid

__all__ = ["status"]


def status(name: str = "lab") -> dict[str, Any]:
    """A lab's nodes, switches and cables with their states, rates (bit/s), bursts, queues and bytes on the wire since
    `up`.

    `set` has what `up` has set for all links, including TCP's congestion control. `machine_file` is None where the
    network is no grid.

    `sent_forth` counts the bytes that the end of a cable that is named first (in a grid the one whose port is +) has
    sent. A switch is called 's0'.
    Raises Error when there is no such lab.
    """
    found = state.load(name)
    plan = found.plan
    try:
        seen = namespaces.in_each(found, wires.interfaces, range(plan.vertices)) if found.phase == "up" else None
    except Error:
        seen = None
    phase = found.phase if found.phase != "up" or seen is not None else "damaged, allport lab down clears it"
    if found.abandoned:
        phase = "left by a crash, allport lab down clears it"
    return {
        "name": plan.name,
        "spec": plan.spec,
        "state": phase,
        "ranks_per_node": plan.ranks_per_node,
        "set": plan.links(),
        "forwarding": plan.forwarding,
        "machine_file": str(found.path / "machine.toml") if isinstance(plan.shape, Grid) else None,
        "processes": len(namespaces.processes(found)),
        "nodes": [{"node": node, **_vertex(plan, node, seen)} for node in range(plan.nodes)],
        "switches": [{"switch": plan.label(v), **_vertex(plan, v, seen)} for v in range(plan.nodes, plan.vertices)],
        "links": [_link(plan, c, seen) for c in plan.cables],
    }


def _vertex(plan: Plan, vertex: int, seen: list[dict[str, tuple[int, int, bool]]] | None) -> dict[str, Any]:
    names = [plan.port_name(port) for port, _ in plan.ports(vertex)]
    ports = [seen[vertex].get(name, (0, 0, False)) for name in names] if seen else []
    return {
        "at": plan.title(vertex),
        "host": plan.host(vertex),
        "namespace": plan.namespace(vertex),
        "addresses": [plan.address(vertex, rail) for rail in range(plan.rails)],
        "sent": sum(p[1] for p in ports),
        "received": sum(p[0] for p in ports),
        "control": sum(seen[vertex].get("ctl", (0, 0))[:2]) if seen else 0,
    }


def _end(plan: Plan, vertex: int) -> int | str:
    return vertex if vertex < plan.nodes else plan.label(vertex)


def _link(plan: Plan, c: Cable, seen: list[dict[str, tuple[int, int, bool]]] | None) -> dict[str, Any]:
    nothing = (0, 0, False)
    forth = seen[c.low].get(plan.port_name(c.low_port), nothing) if seen else nothing
    back = seen[c.high].get(plan.port_name(c.high_port), nothing) if seen else nothing
    if c.absent:
        word = "absent"
    elif c.cut:
        word = "cut, rerouted" if c.rerouted else "cut"
    else:
        word = "up" if forth[2] and back[2] else "no carrier"
    if c.works and c.bits != plan.bits[c.group]:
        word += ", throttled"
    return {
        "low": _end(plan, c.low),
        "high": _end(plan, c.high),
        "name": plan.link_name(c.low, c.low_port),
        "bits": c.bits,
        "burst": plan.burst_of(c.bits),
        "limit": plan.limit_of(c.bits),
        "state": word,
        "sent_forth": forth[1],
        "sent_back": back[1],
    }
