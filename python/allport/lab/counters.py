"""States and byte counts of a lab, read from the kernel."""

from __future__ import annotations

from typing import Any

from allport.errors import Error
from allport.lab import namespaces, state, wires
from allport.lab.plan import Cable, Plan

__all__ = ["status"]


def status(name: str = "lab") -> dict[str, Any]:
    """A lab's nodes and cables with their states, rates (bit/s), bursts, queues and bytes on the wire since `up`.

    `set` has what `up` has set for all links, including TCP's congestion control.

    `sent_forth` counts the bytes that the lower end of a cable (the one whose port is +) has sent.
    Raises Error when there is no such lab.
    """
    found = state.load(name)
    plan = found.plan
    try:
        seen = namespaces.in_each(found, wires.interfaces, range(plan.nodes)) if found.phase == "up" else None
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
        "machine_file": str(found.path / "machine.toml"),
        "processes": len(namespaces.processes(found)),
        "nodes": [_node(plan, node, seen) for node in range(plan.nodes)],
        "links": [_link(plan, c, seen) for c in plan.cables],
    }


def _node(plan: Plan, node: int, seen: list[dict[str, tuple[int, int, bool]]] | None) -> dict[str, Any]:
    ports = [seen[node].get(plan.port_name(a, sign), (0, 0, False)) for a, sign, _ in plan.ports(node)] if seen else []
    return {
        "node": node,
        "at": plan.title(node),
        "host": plan.host(node),
        "namespace": plan.namespace(node),
        "addresses": [plan.address(node), *([plan.address(node, -1)] if plan.twofold else [])],
        "sent": sum(p[1] for p in ports),
        "received": sum(p[0] for p in ports),
        "control": sum(seen[node].get("ctl", (0, 0))[:2]) if seen else 0,
    }


def _link(plan: Plan, c: Cable, seen: list[dict[str, tuple[int, int, bool]]] | None) -> dict[str, Any]:
    nothing = (0, 0, False)
    forth = seen[c.low].get(plan.port_name(c.axis, 1), nothing) if seen else nothing
    back = seen[c.high].get(plan.port_name(c.axis, -1), nothing) if seen else nothing
    if c.absent:
        word = "absent"
    elif c.cut:
        word = "cut, rerouted" if c.rerouted else "cut"
    else:
        word = "up" if forth[2] and back[2] else "no carrier"
    if c.works and c.bits != plan.bits[c.axis]:
        word += ", throttled"
    return {
        "low": c.low,
        "high": c.high,
        "name": plan.link_name(c.low, c.axis, 1),
        "bits": c.bits,
        "burst": plan.burst_of(c.bits),
        "limit": plan.limit_of(c.bits),
        "state": word,
        "sent_forth": forth[1],
        "sent_back": back[1],
    }
