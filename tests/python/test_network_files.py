"""Networks from the files of Slurm, ibnetdiscover, NCCL and tt-fabric, against graphs that are written down by hand."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import allport as ap
import network_samples as samples
import pytest

GB = 1e9
LINK = ap.Machine.parse("laptop").axes[0].bandwidth
LATENCY = ap.Machine.parse("laptop").axes[0].latency
Cable = tuple[str, str, float]  # bytes/s in each direction


def links_of(topology: ap.network.Topology) -> Counter[Cable]:
    """Directed links by the names of their ends."""
    return Counter((topology.vertex_name(a), topology.vertex_name(b), rate) for a, b, rate, _ in topology.links)


def names_of(topology: ap.network.Topology) -> tuple[list[str], set[str]]:
    """The compute nodes in their order, and the switches."""
    names = [topology.vertex_name(v) for v in range(topology.vertices)]
    return names[: topology.compute_nodes], {*names[topology.compute_nodes :]}


def expect(found: ap.network.Found, nodes: list[str], switches: set[str], cables: list[Cable]) -> None:
    assert names_of(found.topology) == (nodes, switches)
    there = Counter(cables)
    for (a, b, rate), count in Counter(cables).items():
        there[b, a, rate] += count
    assert links_of(found.topology) == there
    assert all(latency == LATENCY for *_, latency in found.topology.links)
    assert any(e.what == "each link" and e.sure == "assumed" for e in found.assumed)


def test_a_tree_of_slurm() -> None:
    found = ap.network.parse(samples.SLURM_TREE, "topology.conf")
    cables = [(f"n{i}", "leaf0", LINK) for i in range(3)] + [(f"n{i}", "leaf1", LINK) for i in (3, 4)]
    cables += [("leaf0", "top", 3 * LINK), ("leaf1", "top", 2 * LINK)]
    expect(found, [f"n{i}" for i in range(5)], {"leaf0", "leaf1", "top"}, cables)
    assert {e.what for e in found.assumed} == {"links between switches", "each link"}
    # A job's hosts alone; the others forward nothing, and the switches are as fast as before.
    found = ap.network.parse(samples.SLURM_TREE, "topology.conf", nodes=["n4", "n0"], rates="bgp")
    assert names_of(found.topology)[0] == ["n4", "n0"]
    rate = ap.Machine.parse("bgp").axes[0].bandwidth
    assert links_of(found.topology)["leaf0", "top", 3 * rate] == 1
    assert len(found.topology.links) == 8


def test_a_host_and_a_switch_below_several_switches_are_linked_to_each() -> None:
    text = "SwitchName=a Nodes=n[0-1]\nSwitchName=b Nodes=n[1-2]\n"
    text += "SwitchName=s Switches=a,b\nSwitchName=t Switches=a,b\n"
    found = ap.network.parse(text, "topology.conf")
    cables = [("n0", "a", LINK), ("n1", "a", LINK), ("n1", "b", LINK), ("n2", "b", LINK)]
    cables += [(leaf, spine, LINK) for leaf in "ab" for spine in "st"]  # 2 hosts over 2 links
    expect(found, ["n0", "n1", "n2"], {*"abst"}, cables)


def test_blocks_of_slurm() -> None:
    found = ap.network.parse(samples.SLURM_BLOCKS, "topology.conf")
    cables = [(f"n{2 * b + i}", f"b{b}", LINK) for b in range(3) for i in range(2)]
    cables += [("b0", "b0 to b1", 2 * LINK), ("b1", "b0 to b1", 2 * LINK)]
    cables += [("b0 to b1", "b0 to b2", 4 * LINK), ("b2", "b0 to b2", 2 * LINK)]
    expect(found, [f"n{i}" for i in range(6)], {"b0", "b1", "b2", "b0 to b1", "b0 to b2"}, cables)


def test_topologies_of_slurms_yaml() -> None:
    pytest.importorskip("yaml")
    tree = ap.network.parse(samples.SLURM_YAML, "topology.yaml", topology="fat")
    cables = [("n1", "s1", LINK), ("n2", "s2", LINK), ("s1", "top", LINK), ("s2", "top", LINK)]
    expect(tree, ["n1", "n2"], {"s1", "s2", "top"}, cables)
    block = ap.network.parse(samples.SLURM_YAML, "topology.yaml")  # the default
    expect(block, ["n1", "n2"], {"b1"}, [("n1", "b1", LINK), ("n2", "b1", LINK)])
    torus = ap.network.parse(samples.SLURM_YAML, "topology.yaml", topology="cube")
    names = [f"{'ab'[x]}{y}" for y in range(3) for x in range(2)]
    cables = [(f"a{y}", f"b{y}", LINK) for y in range(3) for _ in range(2)]  # two links: a ring of two
    cables += [(f"{x}{y}", f"{x}{(y + 1) % 3}", LINK) for x in "ab" for y in range(3)]
    expect(torus, names, set(), cables)
    # Hosts of a torus that a job lacks forward all the same.
    part = ap.network.parse(samples.SLURM_YAML, "topology.yaml", topology="cube", nodes=["b1", "a0"])
    assert names_of(part.topology)[0] == ["b1", "a0"]
    assert part.topology.vertices == 6 and links_of(part.topology) == links_of(torus.topology)


def test_ibnetdiscover() -> None:
    found = ap.network.parse(samples.IBNETDISCOVER, "fabric.txt")
    cables = [("a", "leaf one", 25 * GB), ("b", "leaf one", 12.5 * GB), ("a", "leaf two", 25 * GB)]
    cables += [("storage target", "leaf two", 12.5 * GB)]
    cables += [("leaf one", "spine", 25 * GB)] * 2 + [("leaf two", "spine", 25 * GB)]
    cables += [("spine", "router", 6_820_000_000.0)]
    expect(found, ["a", "b", "storage target"], {"leaf one", "leaf two", "spine", "router"}, cables)
    said = {e.what: e.value for e in found.evidence}
    assert "4xHDR 200 Gbit/s" in said["rates of links"]
    assert said["left out"].startswith("1 aggregation node")
    assert said["warnings"].startswith("1 of")
    # Nodes that call themselves alike are known by their identifiers.
    alike = samples.IBNETDISCOVER.replace('"leaf two"', '"leaf one"')
    assert {"leaf one S-0000000000000051", "leaf one S-0000000000000052"} < names_of(
        ap.network.parse(alike, "fabric.txt").topology
    )[1]


def test_groups_and_chassis_of_ibnetdiscover_are_read_over() -> None:
    text = samples.IBNETDISCOVER.replace("switchguid=0x51(51)", "switchguid=0x51(51)\t# Line 1 Chip 1 ")
    text = text.replace('\nvendid=0x2c9\ndevid=0xd2f0\nsysimgguid=0x52', "\nChassis 1 (guid 0x7)\n# Spine Nodes\n"
                        "vendid=0x2c9\ndevid=0xd2f0\nsysimgguid=0x52\t\t# Chassis 1")  # fmt: skip
    text = text.replace('[1]\t"H-00000000000000a1"[1](b1) ', '[1][ext 3]\t"H-00000000000000a1"[1](b1) ')
    assert "Chassis 1 (guid" in text and "[ext 3]" in text
    grouped = ap.network.parse(text, "fabric.txt").topology
    assert links_of(grouped) == links_of(ap.network.parse(samples.IBNETDISCOVER, "fabric.txt").topology)


def test_nccl() -> None:
    found = ap.network.parse(samples.NCCL, "topo.xml")
    x16, x8 = 24 * GB, 6 * GB  # 16 lanes of 16 GT/s, 8 of 8 GT/s
    pci = "PCI 0000:10:00.0"
    cables = [("NUMA 0", pci, x16), ("GPU 0", pci, x16), ("GPU 1", pci, x16), ("GPU 2", "NUMA 1", 12 * GB)]
    cables += [(pci, "NIC 0000:13:00.0", x8), ("NIC 0000:13:00.0", "port mlx5_0", 25 * GB)]
    cables += [("GPU 0", "GPU 1", 20 * GB)] * 2 + [("GPU 2", "NVSwitch", 20 * GB)] * 4
    cables += [("NUMA 0", "NUMA 1", 10 * GB)]
    switches = {"NUMA 0", "NUMA 1", pci, "NIC 0000:13:00.0", "port mlx5_0", "NVSwitch"}
    expect(found, ["GPU 0", "GPU 1", "GPU 2"], switches, cables)
    assumed = {e.what: e.value for e in found.assumed}
    assert assumed["rate of an NVLink"] == "20 GB/s (sm 70), 20 GB/s (sm 80)"
    assert assumed["from CPU to CPU"] == "10 GB/s"
    assert assumed["PCI links without width or speed"] == "16 lanes, 8 GT/s"


def test_boxes_and_ranks_of_nccl() -> None:
    box = samples.NCCL.split("\n", 1)[1].rsplit("</system>", 1)[0]
    boxes = "".join(box.replace("<cpu ", f'<cpu host_hash="{host}" ') for host in ("0xa", "0xb"))
    found = ap.network.parse(f'<system version="1">{boxes}</system>', "topo.xml").topology
    assert names_of(found)[0] == [f"host {h} GPU {g}" for h in range(2) for g in range(3)]
    assert links_of(found)["host 1 GPU 0", "host 1 GPU 1", 20 * GB] == 2
    assert links_of(found)["host 0 NUMA 0", "host 0 NUMA 1", 10 * GB] == 1
    # GPUs without a rank are not the job's, if others have one.
    ranks = samples.NCCL.replace('dev="0"', 'dev="0" rank="0"').replace('dev="2"', 'dev="2" rank="1"')
    found = ap.network.parse(ranks, "topo.xml").topology
    assert names_of(found)[0] == ["GPU 0", "GPU 2"]
    assert not any("GPU 1" in (a, b) for a, b, _ in links_of(found))
    # Of a file that names devices by their classes alone, GPUs are those of class 0x03.
    classes = ap.network.parse(
        '<system version="1"><cpu numaid="0"><pci busid="1:0.0" class="0x030200" link_width="16" '
        'link_speed="32 GT/s"/><pci busid="2:0.0" class="0x020700"/></cpu></system>',
        "topo.xml",
    )
    expect(classes, ["GPU 1:0.0"], {"NUMA 0"}, [("GPU 1:0.0", "NUMA 0", 48 * GB)])


def test_mesh_graph_descriptors() -> None:
    found = ap.network.parse(samples.MESH_GRAPH, "mgd.textproto")
    nodes = [f"mesh {m} device {d}" for m in range(2) for d in range(6)]
    cables: list[Cable] = []
    for m in range(2):
        for row, column in ((r, c) for r in range(2) for c in range(3)):
            here = f"mesh {m} device {3 * row + column}"
            # Rings of three in each row; the ring of two is a line.
            cables += [(here, f"mesh {m} device {3 * row + (column + 1) % 3}", LINK)] * 2
            if row == 0:
                cables += [(here, f"mesh {m} device {3 + column}", LINK)] * 2
        cables += [(f"mesh {m} device 0", f"mesh {m} device 5", LINK)] * 2
    cables += [("mesh 0 device 5", "mesh 1 device 0", LINK)] * 4
    cables += [(f"mesh {m} device 2", "switch 7 device 0", LINK) for m in range(2)]
    expect(found, nodes, {"switch 7 device 0"}, cables)
    assert {e.what: e.value for e in found.evidence}["channels of a connection"].startswith("4 at most")


@pytest.mark.parametrize(
    ("layout", "pairs"),
    [
        ("graph_topology { layout_type: RING channels { count: 3 } }", "01 12 23 03"),
        ("graph_topology: ALL_TO_ALL channels { count: 3 policy: STRICT }", "01 02 03 12 13 23"),
    ],
)
def test_layouts_of_mesh_graphs(layout: str, pairs: str) -> None:
    found = ap.network.parse(samples.mesh_graph_of_single_devices(4, layout), "mgd.textproto")
    name = "mesh {} device 0".format
    expect(found, [name(m) for m in range(4)], set(), [(name(a), name(b), LINK) for a, b in pairs.split()] * 3)


def test_graphs_of_graphs_of_meshes() -> None:
    found = ap.network.parse(samples.NESTED_MESH_GRAPH, "mgd.textproto").topology
    nodes = [f"graph {g} mesh {m} device 0" for g in range(2) for m in range(2)]
    assert names_of(found) == (nodes, set())
    assert links_of(found) == Counter(
        {
            (nodes[0], nodes[1], LINK): 1,
            (nodes[1], nodes[0], LINK): 1,
            (nodes[2], nodes[3], LINK): 1,
            (nodes[3], nodes[2], LINK): 1,
            (nodes[1], nodes[2], LINK): 2,  # in one direction
        }
    )


@pytest.mark.parametrize("name", samples.ALL)
def test_a_list_of_links_says_the_same(name: str, tmp_path: Path) -> None:
    if name.endswith(".yaml"):
        pytest.importorskip("yaml")
    (tmp_path / name).write_text(samples.ALL[name])
    before = ap.network.read(tmp_path / name).topology
    assert before.name.startswith(str(tmp_path / name))
    (tmp_path / "links.toml").write_text(before.to_toml())
    after = ap.network.read(str(tmp_path / "links.toml")).topology
    assert after.links == before.links and names_of(after) == names_of(before) and after.name == before.name
    for collective in ap.network.COLLECTIVES:
        assert ap.network.bound(collective, str(tmp_path / name)) == ap.network.bound(collective, after)


def test_lists_of_links_take_nodes(tmp_path: Path) -> None:
    text = ap.network.as_topology("torus:3").to_toml()
    assert ap.network.parse(text, "x.toml", nodes=["(2)"]).topology.compute_nodes == 1
    with pytest.raises(ap.Error, match=r"nodes: \(3\): expected compute nodes of x.toml"):
        ap.network.parse(text, "x.toml", nodes=["(3)"])
    (tmp_path / "whole.toml").write_text(text)
    (tmp_path / "part.toml").write_text("network = 'whole.toml'\nnodes = [1, '(0)']\n")
    found = ap.network.read(str(tmp_path / "part.toml")).topology
    assert found.links == ap.network.as_topology(f"allocation:1,0@{tmp_path / 'whole.toml'}").links
    assert [found.vertex_name(v) for v in range(3)] == ["(1)", "(0)", "(2)"]
    assert ap.network.bound("gather", found).optimum == ap.network.bound("gather", "ring:2").optimum / 2


@pytest.mark.parametrize(("sample", "before", "after", "said"), samples.BAD)
def test_what_is_not_understood_is_said_with_its_line(sample: str, before: str, after: str, said: str) -> None:
    text = samples.ALL[sample]
    if sample.endswith(".yaml"):
        pytest.importorskip("yaml")
    assert before in text
    with pytest.raises(ap.Error) as error:
        ap.network.parse(text.replace(before, after), sample, format=samples.FORMAT[sample])
    assert said in str(error.value) and str(error.value).startswith(f"{sample}"), str(error.value)


def test_formats_are_recognised() -> None:
    for name, text in samples.ALL.items():
        assert ap.network.files.recognised(text, name) == samples.FORMAT[name]
    assert ap.network.files.recognised(ap.Machine.parse("bgp").to_toml(), "m.toml") == "toml"
    with pytest.raises(ap.Error, match=r"x: of no known format: expected NCCL's topology XML \(nccl\)"):
        ap.network.parse("hello\n", "x")
    with pytest.raises(ap.Error, match="format = 'xml': expected one of nccl"):
        ap.network.parse("hello\n", "x", format="xml")
    with pytest.raises(ap.Error, match="topology = 'a': expected none"):
        ap.network.parse(samples.NCCL, "x", topology="a")
    with pytest.raises(ap.Error, match="topology = 'a': expected none"):
        ap.network.parse(samples.SLURM_TREE, "x", topology="a")
    with pytest.raises(ap.Error, match="nodes: n9: expected nodes of x, such as n0"):
        ap.network.parse(samples.SLURM_TREE, "x", nodes=["n9"])


def test_files_that_are_not_there_are_named() -> None:
    for name in ("gone.txt", "gone.toml", "gone.yaml"):
        with pytest.raises(ap.Error, match=f"{name}: cannot be read"):
            ap.network.read(name)
    with pytest.raises(ap.Error, match="'torus:4': is no file: expected none of nodes"):
        ap.network.read("torus:4", nodes=["a"])


def test_what_this_computer_describes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLURM_CONF", str(tmp_path / "slurm.conf"))
    monkeypatch.setenv("PATH", str(tmp_path))
    for variable in ("NCCL_TOPO_FILE", "TT_MESH_GRAPH_DESC_PATH", "SLURM_JOB_NODELIST"):
        monkeypatch.delenv(variable, raising=False)
    before = len(ap.network.here())
    (tmp_path / "topology.conf").write_text(samples.SLURM_TREE)
    (tmp_path / "nccl.xml").write_text(samples.NCCL)
    (tmp_path / "mgd.textproto").write_text(samples.MESH_GRAPH)
    monkeypatch.setenv("NCCL_TOPO_FILE", str(tmp_path / "nccl.xml"))
    monkeypatch.setenv("TT_MESH_GRAPH_DESC_PATH", str(tmp_path / "mgd.textproto"))
    (tmp_path / "fabric.txt").write_text(samples.IBNETDISCOVER)
    program = tmp_path / "ibnetdiscover"
    program.write_text(f'#!/bin/sh\nwhile read -r line; do echo "$line"; done < {tmp_path / "fabric.txt"}\n')
    program.chmod(0o755)
    found = ap.network.here()
    assert before == 0 and [name for name, _ in found] == ["slurm", "nccl", "mesh-graph", "ibnetdiscover"]
    assert [ap.network.read_here(source).topology.compute_nodes for source in found] == [5, 3, 12, 3]
    rows = [e for e in ap.discover.discover(within=False).evidence if e.what == "network as a graph"]
    assert [row.value.split(",")[0] for row in rows] == [f"{n} compute nodes" for n in (5, 3, 12, 3)]
    program.write_text("#!/bin/sh\necho 'no port' >&2\nexit 3\n")
    with pytest.raises(ap.Error, match="exits with 3: no port"):
        ap.network.read_here(found[3])
    rows = [e for e in ap.discover.discover(within=False).evidence if e.what == "network as a graph"]
    assert "cannot be read" in rows[3].value
