"""Networks as graphs and their bounds, from Python and the command line."""

from __future__ import annotations

import itertools
import json
from fractions import Fraction

import allport as ap
import pytest
from allport.cli import main


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as left:
        main(list(words))
    out = capsys.readouterr()
    return int(left.value.code or 0), out.out, out.err


@pytest.mark.parametrize(
    ("collective", "network", "optimum"),
    [
        ("allgather", "torus:8x8", Fraction(63, 4)),
        ("allgather", "torus:8x8x8", Fraction(511, 6)),
        ("reduce-scatter", "torus:8x8", Fraction(63, 4)),
        ("bcast", "torus:8x8x8", Fraction(6)),
        ("reduce", "torus:8x8", Fraction(4)),
        ("gather", "fattree:4x4/4", Fraction(15)),
        ("scatter", "rails:8x4", Fraction(28, 4)),
    ],
)
def test_known_optima(collective: str, network: str, optimum: Fraction) -> None:
    assert ap.network.bound(collective, network).optimum == optimum


def test_combining_is_copying_backwards() -> None:
    # Node 0 sends at 1 and receives at 3; node 1 the other way round, and so does node 2.
    links = [(0, 1, 1.0, 0.0), (1, 0, 3.0, 0.0), (1, 2, 1.0, 0.0), (2, 1, 1.0, 0.0)]
    network = ap.network.Topology("line", 3, 0, links)
    assert ap.network.bound("bcast", network, 0).optimum == 1
    assert ap.network.bound("reduce", network, 0).optimum == 1
    assert ap.network.bound("gather", network, 0).optimum == 1
    assert ap.network.bound("scatter", network, 0).optimum == 2
    assert ap.network.bound("allgather", network).optimum == 2


def test_seconds_are_of_the_message_or_a_share() -> None:
    network = ap.network.Topology("pair", 2, 0, [(0, 1, 1e9, 0.0), (1, 0, 1e9, 0.0)])
    assert ap.network.bound("bcast", network).seconds(1e9) == pytest.approx(1)
    assert ap.network.bound("allgather", network).seconds(1e9) == pytest.approx(1)
    alone = ap.network.Topology("alone", 1, 0, [])
    assert ap.network.bound("bcast", alone).seconds(1e9) == 0


def test_errors_name_what_is_wrong() -> None:
    with pytest.raises(ap.Error, match=r"node 2"):
        ap.network.bound("allgather", ap.network.Topology("torn", 3, 0, [(0, 1, 1.0, 0.0), (1, 0, 1.0, 0.0)]))
    with pytest.raises(ap.Error, match=r"root = 4: expected a compute node from 0 to 3"):
        ap.network.bound("bcast", "full:4", 4)
    with pytest.raises(ap.Error, match=r"collective = 'alltoall': expected one of allgather"):
        ap.network.bound("alltoall", "full:4")


def test_command(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "network", "bound", "allgather", "-m", "torus:8x8", "--size", "64KiB")
    assert code == 0
    assert "63/4 shares" in out
    assert "4 units out of 63 compute nodes" in out
    code, out, _ = run(capsys, "network", "bound", "bcast", "-m", "dragonfly:a=3,p=2,h=2", "--json")
    assert code == 0
    told = json.loads(out)
    assert told["optimum"] == "1"
    assert told["optimum_is"] == "rate"
    assert told["kind"] == "optimum"
    code, _, err = run(capsys, "network", "bound", "allgather", "-m", "fattree:k=3")
    assert code == 1
    assert "an even number of ports" in err


@pytest.mark.parametrize(
    ("collective", "network", "trees", "height"),
    [
        ("allgather", "torus:8x8", 4, 8),
        ("reduce-scatter", "torus:4x4x4", 2, 6),
        ("bcast", "hypercube:8", 3, 6),
        ("reduce", "full:5", 4, 2),
        ("allgather", "fattree:4x4/4", 1, 6),
    ],
)
def test_packings_reach_the_optimum(collective: str, network: str, trees: int, height: int) -> None:
    packing = ap.network.pack(collective, network)
    assert packing.reached == packing.bound.optimum == ap.network.bound(collective, network).optimum
    assert packing.trees == trees
    assert packing.height <= height
    assert packing.check() == (packing.reached, packing.height)


def test_trees_are_parents_and_routes() -> None:
    network = ap.network.Topology.parse("fattree:2x2")
    packing = ap.network.pack("allgather", network)
    links = network.links
    for root in range(4):
        tree = packing.tree(root)
        assert tree[root] == (-1, [])
        for node, (parent, route) in enumerate(tree):
            if node == root:
                continue
            assert links[route[0]][0] == parent
            assert links[route[-1]][1] == node
            assert all(links[a][1] == links[b][0] for a, b in itertools.pairwise(route))
    with pytest.raises(ap.Error, match=r"root = 4: expected a root of the packing"):
        packing.tree(4)


@pytest.mark.parametrize("collective", ["gather", "scatter"])
@pytest.mark.parametrize("spec", ["torus:4x3", "rails:4x2", "fattree:4x4/4", "random:14,3,1"])
def test_shares_have_routes(collective: str, spec: str) -> None:
    network = ap.network.Topology.parse(spec)
    packing = ap.network.pack(collective, network, 3)
    assert packing.reached == packing.bound.optimum == ap.network.bound(collective, network, 3).optimum
    assert packing.check() == (packing.reached, packing.height)
    for node in range(network.compute_nodes):
        routes = packing.routes(node)
        assert sum(parts for parts, _ in routes) == (packing.trees if node != 3 else 0)
        for _, route in routes:
            ends = [network.links[route[0]][0], network.links[route[-1]][1]]
            assert ends == ([node, 3] if collective == "gather" else [3, node])


def test_a_packing_makes_a_schedule() -> None:
    packing = ap.network.pack("bcast", "random:12,4,1", 3)
    schedule = packing.schedule("64KiB", segment="4KiB")
    assert (schedule.collective, schedule.ranks, schedule.root, schedule.trees) == ("bcast", 12, 3, 4)
    assert ap.verify.prove(schedule, ap.Machine.flat(12)).ok
    with pytest.raises(ap.Error, match=r"window = 0"):
        packing.schedule(8, window=0)


def test_what_is_not_packed_is_named() -> None:
    with pytest.raises(ap.Error, match=r"collective = 'alltoall': expected one of allgather"):
        ap.network.pack("alltoall", "full:4")
    with pytest.raises(ap.Error, match=r"has routes, not trees"):
        ap.network.pack("gather", "full:4").tree(0)
    with pytest.raises(ap.Error, match=r"has trees, not routes"):
        ap.network.pack("bcast", "full:4").routes(0)
    with pytest.raises(ap.Error, match=r"root = 7: expected a compute node from 0 to 3"):
        ap.network.pack("bcast", "full:4", 7)
    with pytest.raises(ap.Error, match=r"height = 3: expected at least 4 links"):
        ap.network.pack("bcast", "torus:4x4", height=3)
    with pytest.raises(ap.Error, match=r"height = 2: expected none for gather"):
        ap.network.pack("gather", "full:4", height=2)


def test_pack_command(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "network", "pack", "allgather", "-m", "torus:4x4", "-m", "full:4")
    assert code == 0
    head, torus, full = (line.split() for line in out.splitlines())
    assert head[:5] == ["network", "nodes", "rate", "/", "optimum"]
    assert torus[:5] == ["torus:4x4", "16", "1", "4", "4"]
    assert full[:5] == ["full:4", "4", "1", "1", "1"]
    code, out, _ = run(capsys, "network", "pack", "reduce", "-m", "ring:5", "--root", "2", "--json")
    assert code == 0
    (found,) = json.loads(out)
    assert found["reached"] == found["bound"]["optimum"] == "2"
    assert found["bound"]["root"] == 2
    star = ap.network.Topology("star", 2, 1, [(0, 2, 1.0, 0.0), (1, 2, 1.0, 0.0), (2, 0, 2.0, 0.0), (2, 1, 2.0, 0.0)])
    assert not ap.network.pack("allgather", star).bound.reachable
