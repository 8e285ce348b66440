"""studies/mapping: its bounds, its rivals, and that some of what it has measured so far holds today."""

from __future__ import annotations

import itertools
import sys
from pathlib import Path
from types import ModuleType

import allport as ap
import numpy as np
import pytest

pytest.importorskip("scipy")
FOLDER = Path(__file__).parents[2] / "studies" / "mapping"


@pytest.fixture(scope="module")
def study() -> ModuleType:
    sys.path.insert(0, str(FOLDER))
    try:
        import study
    finally:
        sys.path.remove(str(FOLDER))
    return study


@pytest.fixture(scope="module")
def bounds(study: ModuleType) -> ModuleType:
    sys.path.insert(0, str(FOLDER))
    try:
        import bounds
    finally:
        sys.path.remove(str(FOLDER))
    return bounds


@pytest.fixture(scope="module")
def rivals(bounds: ModuleType) -> ModuleType:
    sys.path.insert(0, str(FOLDER))
    try:
        import rivals
    finally:
        sys.path.remove(str(FOLDER))
    return rivals


def test_the_list_is_fifty_patterns(study: ModuleType) -> None:
    assert len(study.INSTANCES) == 50
    assert len({i.name for i in study.INSTANCES}) == 50


SHORT = (
    "5-point halo 8x8, local 16384",
    "LU 8x8, 64 tiles",
    "random graph 64, degree 4",
)


@pytest.mark.parametrize("name", SHORT)
def test_ours_beside_the_rivals_of_the_study(study: ModuleType, name: str) -> None:
    """The short form: today's mappings against what the rivals' were."""
    import page

    instance = next(i for i in study.INSTANCES if i.name == name)
    pattern = instance.make()
    for kind in study.KINDS:
        row = study.kept()[study.key(instance, kind)]
        chosen = ap.mapping.choose(instance.machine(kind), pattern, least_gain=0.0).score
        now = {"rivals": row["rivals"], "ours": {"link_s": chosen["busiest_link_s"], "hop_bytes": chosen["hop_bytes"]}}
        assert page.ratio(now, "link_s") <= page.LINK, kind
        assert page.ratio(now, "hop_bytes") <= page.HOPS, kind
        assert chosen["busiest_link_s"] >= row["bound_s"] * (1 - 1e-9), kind


@pytest.mark.parametrize(("rows", "columns", "tiles"), [(1, 1, 3), (2, 3, 7), (4, 4, 8), (3, 2, 1)])
def test_choleskys_messages_are_those_of_its_graph(study: ModuleType, rows: int, columns: int, tiles: int) -> None:
    from instances import tiles_sent

    sent = [0] * (rows * columns)
    for source, _, size in tiles_sent("cholesky", rows, columns, tiles, 16):
        sent[source] += size
    graph = ap.graph.cholesky(16 * tiles, 16, f"{rows}x{columns}", lower=True)
    assert sent == [c.bytes_sent for c in ap.graph.count(graph, tree="flat")]


@pytest.mark.parametrize("spec", ["mesh:3x2", "torus:3x2", "torus:6", "gemini:3x1x1", "mesh:2x2/ppn=2"])
def test_no_mapping_is_below_the_bound(bounds: ModuleType, spec: str) -> None:
    machine = ap.Machine.parse(spec)
    n = machine.ranks
    rng = np.random.default_rng(3)
    orders = list(itertools.permutations(range(n)))
    for density in (2, 5, n * n):
        pairs = [(int(a), int(b), int(s)) for a, b, s in rng.integers(0, [n, n, 9000], size=(density * n, 3)) if a != b]
        pattern = ap.pattern.Pattern("random", n, pairs)
        tried = orders if n <= 6 else [orders[i] for i in rng.integers(0, len(orders), 2000)]
        least = min(ap.mapping.score(machine, pattern, list(p))["busiest_link_s"] for p in tried)
        assert bounds.cut_bound(machine, pattern) <= least * (1 + 1e-9)


@pytest.mark.parametrize("spec", ["torus:4x4x4", "mesh:6x5", "gemini:4x4x2", "torus:1", "torus:7"])
def test_kahips_hierarchy_has_every_place(rivals: ModuleType, spec: str) -> None:
    machine = ap.Machine.parse(spec)
    factors, distances, leaves = rivals.hierarchy(machine)
    assert sorted(leaves) == list(range(machine.ranks))
    assert int(np.prod(factors, dtype=int)) == machine.ranks
    assert len(factors) == len(distances)
    assert all(d >= 1 for d in distances)
