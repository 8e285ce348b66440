"""How near the optimum packed trees come, on networks of many kinds: prints the table of studies/docs/network-trees.md.

Usage: python studies/networks/table.py [COLLECTIVE] [--quick | SPEC...]. A spec is one of `allport network pack`, after
`shuffled ` (vertices numbered anew, links in another order), `dead P% ` (without P % of its cables between switches, or
between nodes where there are none) or `N of ` (N nodes compute, the others relay).
"""

from __future__ import annotations

import random
import re
import sys

import allport as ap

Links = list[tuple[int, int, float, float]]

SPECS = """
torus:8x8; torus:16x16; torus:32x32; torus:8x8x8; torus:16x8x8; mesh:32x32; hypercube:1024
shuffled torus:32x32; shuffled torus:8x8x8; 40 of torus:4x4x4
dead 1% torus:32x32; dead 5% torus:32x32; dead 1% torus:8x8x8; dead 5% torus:8x8x8
fattree:32x32; fattree:32x32/4; fattree:k=16; shuffled fattree:k=16; dead 1% fattree:k=16; dead 5% fattree:k=16
dragonfly:a=8,p=4,h=4; dragonfly:a=8,p=4,h=4,host=8; dead 1% dragonfly:a=8,p=4,h=4
rails:32x8; rails:128x8; random:64,6,1; random:1024,6,1
"""
QUICK = "torus:4x4; shuffled torus:4x4; dead 5% torus:6x6; 12 of torus:4x4; fattree:4x4/2; rails:4x2; random:24,4,1"
COLUMNS = ("network", "nodes", "rate / optimum", "height", "diameter", "trees", "symmetries", "seconds", "MiB")


def renumbered(network: ap.network.Topology, numbers: list[int], compute: int, links: Links) -> ap.network.Topology:
    ends = [(numbers[a], numbers[b], rate, latency) for a, b, rate, latency in links]
    return ap.network.Topology(network.name, compute, network.vertices - compute, ends)


def shuffled(network: ap.network.Topology) -> ap.network.Topology:
    chance = random.Random(1)
    nodes = list(range(network.compute_nodes))
    switches = list(range(network.compute_nodes, network.vertices))
    links = list(network.links)
    for row in (nodes, switches, links):
        chance.shuffle(row)
    return renumbered(network, nodes + switches, network.compute_nodes, links)


def without(network: ap.network.Topology, percent: float) -> ap.network.Topology:
    """Without some cables, both directions of each; nodes' own links to switches live."""
    chance = random.Random(2)
    switched = network.vertices > network.compute_nodes
    pairs = sorted({(min(a, b), max(a, b)) for a, b, _, _ in network.links})
    pairs = [p for p in pairs if not switched or min(p) >= network.compute_nodes]
    dead = set(chance.sample(pairs, max(1, round(len(pairs) * percent / 100))))
    links = [link for link in network.links if (min(link[:2]), max(link[:2])) not in dead]
    return renumbered(network, list(range(network.vertices)), network.compute_nodes, links)


def part(network: ap.network.Topology, nodes: int) -> ap.network.Topology:
    """Some nodes compute; the others are switches."""
    order = list(range(network.vertices))
    random.Random(3).shuffle(order)
    numbers = [order.index(v) for v in range(network.vertices)]
    return renumbered(network, numbers, nodes, list(network.links))


def network_of(spec: str) -> ap.network.Topology:
    kind, _, rest = spec.rpartition(" ")
    network = ap.network.Topology.parse(rest)
    if kind == "shuffled":
        return shuffled(network)
    if found := re.fullmatch(r"dead ([0-9.]+)%", kind):
        return without(network, float(found[1]))
    if found := re.fullmatch(r"([0-9]+) of", kind):
        return part(network, int(found[1]))
    return network


def row(collective: str, spec: str) -> tuple[str, ...]:
    network = network_of(spec)
    packing = ap.network.pack(collective, network)
    packing.check()
    ratio = "1" if packing.reached == packing.bound.optimum else f"{packing.ratio:.4f}"
    counts = (packing.height, packing.diameter, packing.trees, packing.symmetries)
    measured = (f"{packing.seconds:.2f}", f"{packing.bytes / 2**20:.1f}")
    return (f"`{spec}`", str(network.compute_nodes), ratio, *map(str, counts), *measured)


def main(arguments: list[str]) -> None:
    words = [a for a in arguments if a != "--quick"]
    collective = words.pop(0) if words and words[0] in ap.network.COLLECTIVES else "allgather"
    specs = words or re.split(r"[;\n]\s*", (QUICK if "--quick" in arguments else SPECS).strip())
    print(f"| {' | '.join(COLUMNS)} |\n|{'---|' * len(COLUMNS)}")
    for spec in specs:
        print(f"| {' | '.join(row(collective, spec))} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
