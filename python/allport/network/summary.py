"""The links of a network by class: what they join, and how fast they are."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from allport._native import Topology

__all__ = ["LinkClass", "link_classes"]


@dataclass(frozen=True)
class LinkClass:
    """Directed links with the same kinds of ends ('node - switch' in either direction), bytes/s and seconds."""

    ends: str
    bandwidth: float
    latency: float
    links: int

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {"ends": self.ends, "bandwidth": self.bandwidth, "latency": self.latency, "links": self.links}


def link_classes(topology: Topology) -> list[LinkClass]:
    """All classes: links of nodes first, the fastest first."""

    def kind(vertex: int) -> str:
        return "node" if vertex < topology.compute_nodes else "switch"

    counts = Counter((" - ".join(sorted((kind(a), kind(b)))), rate, late) for a, b, rate, late in topology.links)
    ordered = sorted(counts.items(), key=lambda item: (item[0][0], -item[0][1], item[0][2]))
    return [LinkClass(ends, rate, late, count) for (ends, rate, late), count in ordered]
