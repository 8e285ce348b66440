"""The instances of the mapping study: 50 patterns, and the three machines that each is mapped onto.

The list was fixed before anything was measured on it. Nothing here is drawn anew: what is random has its seed.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import allport as ap
import numpy as np
from scipy.spatial import Delaunay

SIDES = {  # torus, mesh; Gemini's routers have two ranks each, and are half as many along one axis
    64: ("4x4x4", "8x8", "4x4x2"),
    216: ("6x6x6", "6x6x6", "6x6x3"),
    256: ("8x8x4", "16x16", "8x4x4"),
    512: ("8x8x8", "8x8x8", "8x4x8"),
    1000: ("10x10x10", "10x10x10", "10x5x10"),
    1024: ("16x8x8", "32x32", "8x8x8"),
    1728: ("12x12x12", "12x12x12", "12x6x12"),
    2048: ("16x16x8", "64x32", "16x8x8"),
    4096: ("16x16x16", "16x16x16", "16x8x16"),
}
LINK = 'bandwidth = "375 MB/s", latency = "0.5 us"'  # Blue Gene/P's, on the torus and on the mesh
NODE = 'overhead = "0.5 us"\nmemory_bandwidth = "13.6 GB/s"\n'
KINDS = ("torus", "mesh", "gemini")


@dataclass(frozen=True)
class Instance:
    """One pattern of so many ranks."""

    name: str
    family: str
    ranks: int
    make: Callable[[], ap.pattern.Pattern]

    def machine(self, kind: str) -> ap.Machine:
        """Of as many places as there are ranks."""
        sides = SIDES[self.ranks][KINDS.index(kind)]
        if kind == "gemini":
            return ap.Machine.parse(f"gemini:{sides}")
        wraps = "true" if kind == "torus" else "false"
        axes = ", ".join(f"{{ length = {n}, wraps = {wraps}, {LINK} }}" for n in sides.split("x"))
        return ap.Machine.from_toml(f'name = "{kind}:{sides}"\n{NODE}axes = [ {axes} ]\n')


def halo(grid: tuple[int, ...], points: int, local: int | tuple[int, ...], periodic: bool = True) -> Instance:
    shape = "x".join(map(str, grid))
    edge = "" if periodic else ", open"
    cells = local if isinstance(local, int) else "x".join(map(str, local))
    return Instance(
        f"{points}-point halo {shape}, local {cells}{edge}",
        f"{len(grid)}D stencil",
        math.prod(grid),
        lambda: ap.pattern.halo(grid, points=points, local=local, periodic=periodic),
    )


def transpose(rows: int, columns: int, size: str = "1MiB") -> Instance:
    return Instance(
        f"transpose {rows}x{columns}",
        "transpose",
        rows * columns,
        lambda: ap.pattern.transpose((rows, columns), size),
    )


def tiles_sent(kind: str, rows: int, columns: int, tiles: int, nb: int) -> list[tuple[int, int, int]]:
    """What a right-looking tile factorization on a block-cyclic grid sends, pair by pair: each tile once to each rank
    that reads it. tests/python/test_mapping_study.py holds Cholesky's against what its graph counts."""

    def owner(i: int, j: int) -> int:
        return i % rows + rows * (j % columns)

    sent: dict[tuple[int, int], int] = {}

    def send(i: int, j: int, readers: set[int]) -> None:
        for reader in sorted(readers - {owner(i, j)}):
            pair = (owner(i, j), reader)
            sent[pair] = sent.get(pair, 0) + 8 * nb * nb

    for k in range(tiles):
        below = range(k + 1, tiles)
        if kind == "cholesky":
            send(k, k, {owner(i, k) for i in below})
            for i in below:
                trailing = {owner(i, j) for j in range(k + 1, i + 1)} | {owner(j, i) for j in range(i, tiles)}
                send(i, k, trailing)
        else:
            send(k, k, {owner(i, k) for i in below} | {owner(k, j) for j in below})
            for i in below:
                send(i, k, {owner(i, j) for j in range(k + 1, min(tiles, k + 1 + columns))})
                send(k, i, {owner(j, i) for j in range(k + 1, min(tiles, k + 1 + rows))})
    return [(a, b, n) for (a, b), n in sorted(sent.items())]


def factorization(kind: str, rows: int, columns: int, tiles: int) -> Instance:
    name = f"{'Cholesky' if kind == 'cholesky' else 'LU'} {rows}x{columns}, {tiles} tiles"
    ranks = rows * columns
    grid = ap._native.CartGrid([rows, columns], False, [True, True])
    return Instance(
        name,
        "LU and Cholesky",
        ranks,
        lambda: ap.pattern.Pattern(name, ranks, tiles_sent(kind, rows, columns, tiles, 64), grid),
    )


def regular(ranks: int, degree: int, seed: int) -> Instance:
    """Every rank sends to `degree` others, drawn by permutations, 16 to 256 KiB."""
    name = f"random graph {ranks}, degree {degree}"

    def make() -> ap.pattern.Pattern:
        random = np.random.default_rng(seed)
        messages = []
        for _ in range(degree):
            for source, target in enumerate(random.permutation(ranks).tolist()):
                if source != target:
                    messages.append((source, target, int(random.integers(1, 17)) * 16384))
        return ap.pattern.Pattern(name, ranks, messages)

    return Instance(name, "random sparse graph", ranks, make)


def mesh_graph(ranks: int, axes: int, seed: int, numbered: str) -> Instance:
    """Parts of an unstructured mesh: Delaunay's triangulation of random points is their graph of neighbours. numbered:
    'strips', by the first coordinate in strips as a simple partitioner does it, or 'random'."""
    name = f"mesh graph {axes}D {ranks}, {numbered}"

    def make() -> ap.pattern.Pattern:
        random = np.random.default_rng(seed)
        points = random.random((ranks, axes))
        if numbered == "strips":
            strips = np.floor(points[:, 0] * round(ranks ** (1 / axes)))
            points = points[np.lexsort((points[:, 1], strips))]
        pairs = set()
        for simplex in Delaunay(points).simplices.tolist():
            pairs |= {(a, b) for a in simplex for b in simplex if a != b}
        sizes = {p: int(random.integers(4, 33)) * 8192 for p in sorted(pairs) if p[0] < p[1]}
        return ap.pattern.Pattern(name, ranks, [(a, b, sizes[min(a, b), max(a, b)]) for a, b in sorted(pairs)])

    return Instance(name, "mesh graph", ranks, make)


INSTANCES = (
    halo((8, 8), 5, 16384),
    halo((16, 16), 5, 16384),
    halo((16, 16), 9, 16384, periodic=False),
    halo((24, 9), 5, (4096, 16384)),
    halo((32, 16), 5, 16384),
    halo((128, 4), 5, 16384),
    halo((32, 32), 9, 16384),
    halo((40, 25), 5, 16384, periodic=False),
    halo((72, 24), 9, 16384),
    halo((64, 64), 5, 16384),
    halo((4, 4, 4), 7, 128),
    halo((6, 6, 6), 27, 128),
    halo((8, 8, 4), 27, 128),
    halo((8, 8, 8), 7, (64, 128, 256)),
    halo((16, 8, 4), 27, 128),
    halo((20, 10, 5), 7, 128, periodic=False),
    halo((16, 16, 4), 7, 128),
    halo((18, 12, 8), 27, 128),
    halo((32, 16, 8), 7, 128),
    halo((16, 16, 16), 27, 128, periodic=False),
    transpose(8, 8),
    transpose(16, 16),
    transpose(32, 16),
    transpose(32, 32),
    transpose(40, 25),
    transpose(64, 64),
    factorization("lu", 8, 8, 64),
    factorization("lu", 16, 16, 64),
    factorization("lu", 32, 16, 64),
    factorization("lu", 32, 32, 64),
    factorization("lu", 24, 9, 72),
    factorization("cholesky", 8, 8, 64),
    factorization("cholesky", 16, 16, 64),
    factorization("cholesky", 32, 16, 64),
    factorization("cholesky", 32, 32, 64),
    factorization("cholesky", 24, 9, 72),
    regular(64, 4, 1),
    regular(216, 8, 2),
    regular(256, 4, 3),
    regular(512, 16, 4),
    regular(1024, 4, 5),
    regular(1728, 8, 6),
    regular(4096, 4, 7),
    mesh_graph(64, 2, 11, "strips"),
    mesh_graph(256, 2, 12, "random"),
    mesh_graph(512, 3, 13, "strips"),
    mesh_graph(1000, 3, 14, "random"),
    mesh_graph(1024, 2, 15, "strips"),
    mesh_graph(2048, 3, 16, "strips"),
    mesh_graph(4096, 2, 17, "random"),
)
