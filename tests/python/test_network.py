"""Networks as graphs and their bounds, from Python and the command line."""

from __future__ import annotations

import itertools
import json
from fractions import Fraction
from pathlib import Path

import allport as ap
import network_samples
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
    # Node 0 sends at 1 and receives at 3; node 1 conversely, and so does node 2.
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


def test_networks_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "network", "show", "-m", "fattree:4x4/4")
    assert code == 0
    assert "16 compute nodes, 5 switches, 40 directed links" in out
    assert "node - switch" in out and "switch - switch" in out
    assert "15 shares / 4 GB/s" in out
    code, out, _ = run(capsys, "network", "show", "-m", "rails:2x2", "--json")
    said = json.loads(out)
    assert code == 0 and said["compute_nodes"] == 4 and said["switches"] == 4 and said["links"] == 16
    assert [(c["ends"], c["bandwidth"], c["links"]) for c in said["classes"]] == [
        ("node - switch", 48e9, 8),
        ("node - switch", 4e9, 8),
    ]
    assert said["cuts"]["bcast"]["optimum_is"] == "rate" and said["evidence"][0]["sure"] == "stated"


def test_networks_that_are_torn_are_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "torn.toml").write_text("nodes = ['a', 'b']\n")
    code, out, _ = run(capsys, "network", "show", "-m", str(tmp_path / "torn.toml"))
    assert code == 0 and "none" in out
    said = json.loads(run(capsys, "network", "show", "-m", str(tmp_path / "torn.toml"), "--json")[1])
    assert all("reaches every compute node" in cut["error"] for cut in said["cuts"].values()) and said["classes"] == []


def test_networks_are_converted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, target = tmp_path / "topology.conf", tmp_path / "links.toml"
    source.write_text(network_samples.SLURM_TREE)
    code, out, _ = run(capsys, "network", "convert", str(source), "-o", str(target))
    assert code == 0 and "5 compute nodes, 3 switches, 14 directed links" in out
    assert "as fast as all hosts below them" in out and "assumed" in out and f"written: {target}" in out
    assert target.read_text() == ap.network.read(source).topology.to_toml()
    code, out, _ = run(capsys, "network", "bound", "allgather", "-m", str(target), "--json")
    direct = run(capsys, "network", "bound", "allgather", "-m", str(source), "--json")[1]
    after, before = json.loads(out), json.loads(direct)
    assert before.pop("assumed") and after.pop("assumed") == []
    assert after == before and after["optimum"] == "4"
    code, out, _ = run(capsys, "network", "bound", "allgather", "-m", str(source))
    assert code == 0 and "assumed: links between switches: as fast as" in out
    code, out, _ = run(capsys, "network", "convert", str(source), "--nodes", "n[4,0]", "--rates", "bgp", "--json")
    said = json.loads(out)
    assert code == 0 and said["compute_nodes"] == 2 and said["output"] is None
    assert (
        ap.network.Topology.from_toml(said["toml"]).links
        == ap.network.read(source, nodes=["n4", "n0"], rates="bgp").topology.links
    )
    code, out, _ = run(capsys, "network", "convert", "torus:3")
    assert code == 0 and ap.network.Topology.from_toml(out).links == ap.network.as_topology("torus:3").links


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["topology.conf", "--format", "nccl"], "topology.conf, line 1: not XML"),
        (["topology.conf", "--format", "gml"], "format = 'gml': expected one of"),
        (["topology.conf", "-o", "x.json"], "output = 'x.json': expected a name that ends in .toml"),
        (["topology.conf", "--nodes", "n[0"], "hosts = 'n[0'"),
        (["topology.conf", "--topology", "a"], "topology = 'a': expected none"),
        (["torus:4", "--rates", "bgp"], "'torus:4': is no file"),
    ],
)
def test_conversions_that_cannot_be_say_why(
    words: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("topology.conf").write_text(network_samples.SLURM_TREE)
    code, _, err = run(capsys, "network", "convert", *words)
    assert code == 1 and said in err, err


def test_what_is_here_is_converted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SLURM_CONF", str(tmp_path / "slurm.conf"))
    monkeypatch.setenv("PATH", str(tmp_path))
    for variable in ("NCCL_TOPO_FILE", "TT_MESH_GRAPH_DESC_PATH"):
        monkeypatch.delenv(variable, raising=False)
    code, _, err = run(capsys, "network", "convert")
    assert code == 1 and "this computer describes none" in err
    (tmp_path / "topology.conf").write_text(network_samples.SLURM_TREE)
    code, out, _ = run(capsys, "network", "convert")
    assert code == 0 and ap.network.Topology.from_toml(out).compute_nodes == 5
    code, out, _ = run(capsys, "machine", "discover", "--no-within")
    assert code == 0 and "network as a graph" in out and "allport network convert" in out


def test_an_allocation(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "network", "show", "-m", "allocation:0-1,5@torus:4x4")
    assert code == 0 and "3 compute nodes, 13 switches, 64 directed links" in out


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
