"""The rivals of the mapping study: places by row-major, by Scotch and by KaHIP's process mapping."""

from __future__ import annotations

import ctypes
import importlib.metadata
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import allport as ap
import numpy as np
from bounds import graph_of

HEAVIEST = 1 << 16  # edges' weights are scaled to 1 .. this at most, as for Scotch
LARGEST = 2**30  # what KaHIP's costs may come to: it counts them in 32 bits
STRONG_UP_TO = 1100  # ranks; beyond, KaHIP takes its preconfiguration eco
ECO, STRONG, MULTISECTION = 1, 2, 0
LIMIT = 400  # seconds of one core for one mapping


@dataclass
class Placed:
    """Where a rival puts the ranks, and how long that took it."""

    places: list[int]
    seconds: float


def ours_and_row_major(machine: ap.Machine, pattern: ap.pattern.Pattern) -> dict[str, Placed]:
    """Rank r on place r (ranks row-major, nodes x-fastest), and nodes counted row-major as well."""
    n = pattern.ranks
    chosen = ap.mapping.choose(machine, pattern, among=["row-major"], refined=0, least_gain=0.0)
    row_major = next(c for c in chosen.candidates if c["order"] == "row-major")
    return {"default": Placed(list(range(n)), 0.0), "row-major": Placed(row_major["places"], 0.0)}


def scotch(machine: ap.Machine, pattern: ap.pattern.Pattern) -> Placed:
    """Scotch's static mapping, strategy 'quality', onto the torus or mesh itself (SCOTCH_graphMap)."""
    began = time.process_time()
    chosen = ap.mapping.choose(machine, pattern, among=["scotch"], refined=0, least_gain=0.0)
    found = next(c for c in chosen.candidates if c["order"] == "scotch")
    if found["why_not"]:
        raise SystemExit(found["why_not"])
    return Placed(found["places"], time.process_time() - began)


def hierarchy(machine: ap.Machine) -> tuple[list[int], list[int], list[int]]:
    """KaHIP's view of a machine: factors and distances, innermost first, and the places in the order of its leaves.

    Boxes are cut again and again across the axis whose cut is thinnest, by its smallest prime factor. A level's
    distance is the mean over the parts' nodes of hops, each weighed by how slow its axis is.
    """
    lengths = [a.length for a in machine.axes]
    rates = [a.bandwidth for a in machine.axes]
    boxes, extents = [np.arange(machine.nodes)], list(lengths)
    coords = np.array(np.unravel_index(np.arange(machine.nodes), lengths[::-1]))[::-1]
    factors, distances = [], []
    while max(extents) > 1:
        axis = max(range(len(extents)), key=lambda a: extents[a] / rates[a] if extents[a] > 1 else 0.0)
        factor = next(f for f in range(2, extents[axis] + 1) if extents[axis] % f == 0)
        part = extents[axis] // factor
        parts = []
        for box in boxes:
            slab = (coords[axis][box] - coords[axis][box].min()) // part
            parts += [box[slab == s] for s in range(factor)]
        distances.append(_apart(machine, coords, parts[0], np.concatenate(parts[1:factor]), max(rates)))
        factors.append(factor)
        boxes, extents[axis] = parts, part
    nodes = np.concatenate(boxes)
    per_node = machine.ranks_per_node
    if per_node > 1:
        factors.append(per_node)
        distances.append(0.1)
    places = (nodes[:, None] * per_node + np.arange(per_node)).ravel()
    return factors[::-1], [max(1, round(10 * d)) for d in distances[::-1]], places.tolist()


def _apart(machine: ap.Machine, coords: np.ndarray, here: np.ndarray, there: np.ndarray, fastest: float) -> float:
    total = 0.0
    for a, axis in enumerate(machine.axes):
        d = np.abs(coords[a][here][:, None] - coords[a][there][None, :])
        if axis.wraps:
            d = np.minimum(d, axis.length - d)
        total += float(d.mean()) * fastest / axis.bandwidth
    return total


def library() -> Path:
    """KaHIP's library, as the package `kahip` brings it; its Python module offers partitioning alone."""
    for file in importlib.metadata.files("kahip") or []:
        if file.name == "libkahip.so":
            return Path(str(file.locate()))
    raise SystemExit("the package kahip brings no libkahip.so")


def _of_children() -> float:
    """Seconds that processes started here have computed."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def kahip(machine: ap.Machine, pattern: ap.pattern.Pattern) -> Placed:
    """KaHIP's process_mapping, by global multisection along hierarchy(), in a process of its own."""
    graph = graph_of(pattern)
    factors, distances, leaves = hierarchy(machine)
    shares = graph.data / graph.data.max()
    scale = min(HEAVIEST, LARGEST / (shares.sum() * max(distances)))
    weights = np.maximum(1, (shares * scale).astype(np.int32))
    mode = STRONG if pattern.ranks <= STRONG_UP_TO else ECO
    with tempfile.TemporaryDirectory() as folder:
        given, answer = Path(folder) / "given.npz", Path(folder) / "answer.npy"
        np.savez(given, indptr=graph.indptr, indices=graph.indices, weights=weights, factors=factors,
                 distances=distances, mode=mode)  # fmt: skip
        began = _of_children()
        subprocess.run([sys.executable, __file__, str(library()), given, answer], check=True, capture_output=True)
        seconds = _of_children() - began
        part = np.load(answer)
    return Placed(_one_each(machine, part, factors, leaves), seconds)


def _one_each(machine: ap.Machine, part: np.ndarray, factors: list[int], leaves: list[int]) -> list[int]:
    """KaHIP cuts three ranks into two parts of three, and leaves one empty: of a leaf's ranks the later ones go to a
    free leaf of the smallest part of the hierarchy that has one, there to the nearest."""
    found, free, over = [-1] * len(part), set(range(len(leaves))), []
    for rank, leaf in enumerate(part.tolist()):
        if leaf in free:
            found[rank] = leaf
            free.remove(leaf)
        else:
            over.append((rank, leaf))
    per_node, size = machine.ranks_per_node, 1
    for factor in factors:
        size *= factor
        left = []
        for rank, leaf in over:
            inside = [f for f in range(leaf // size * size, (leaf // size + 1) * size) if f in free]
            if not inside:
                left.append((rank, leaf))
                continue
            here = leaves[leaf] // per_node
            found[rank] = min(inside, key=lambda f: (machine.hops(here, leaves[f] // per_node), f))
            free.remove(found[rank])
        over = left
    return [leaves[f] for f in found]


def _map(path: str, given: str, answer: str) -> None:
    """In the process of its own."""
    data = np.load(given)
    n, depth = len(data["indptr"]) - 1, len(data["factors"])

    def ints(values: np.ndarray) -> ctypes.Array:
        return (ctypes.c_int * len(values))(*values.tolist())

    part, cut, cost = (ctypes.c_int * n)(), ctypes.c_int(0), ctypes.c_int(0)
    ctypes.CDLL(path).process_mapping(
        ctypes.byref(ctypes.c_int(n)),
        None,
        ints(data["indptr"]),
        ints(data["weights"]),
        ints(data["indices"]),
        ints(data["factors"]),
        ints(data["distances"]),
        ctypes.c_int(depth),
        ctypes.c_int(int(data["mode"])),
        ctypes.c_int(MULTISECTION),
        ctypes.byref(ctypes.c_double(0.03)),
        ctypes.c_bool(True),
        ctypes.c_int(0),
        ctypes.byref(cut),
        ctypes.byref(cost),
        part,
    )
    np.save(answer, np.array(part, dtype=np.int64))


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_CPU, (LIMIT, LIMIT))
    _map(*sys.argv[1:])
