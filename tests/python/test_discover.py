"""What `allport machine discover` makes of files, names and latencies, against networks that are known."""

import json

import allport as ap
import numpy as np
import pytest
from allport.discover import hwloc, latencies, slurm
from allport.network import hostlist

TREE = """\
# Two leaf switches below one.
SwitchName=s0 Nodes=tux[0-3]
switchname=s1 nodes=tux[4-6] LinkSpeed=900
SwitchName=s2 Switches=s[0-1]  # the top
"""
BLOCKS = """\
BlockName=b1 Nodes=n[01-04]
BlockName=b2 Nodes=n[05-08]
BlockName=b3 Nodes=n[09-12]
BlockSizes=4,8
"""
YAML = """\
---
- topology: fat
  cluster_default: false
  tree:
    switches:
      - switch: top
        children: s[1-2]
      - switch: s1
        nodes: node[01-02]
      - switch: s2
        nodes: node[03-04]
- topology: rack
  cluster_default: true
  block:
    block_sizes: [2, 4]
    blocks:
      - block: b1
        nodes: node[01-02]
      - block: b2
        nodes: node[03-04]
- topology: plain
  flat: true
"""


@pytest.mark.parametrize(
    ("text", "hosts"),
    [
        ("a", ["a"]),
        ("tux[0-2,12],login", ["tux0", "tux1", "tux2", "tux12", "login"]),
        ("n[08-10]-ib", ["n08-ib", "n09-ib", "n10-ib"]),
        ("r[1-2]n[0-1]", ["r1n0", "r1n1", "r2n0", "r2n1"]),
        ("t[000x011]", ["t000", "t001", "t010", "t011"]),
        ("", []),
    ],
)
def test_hosts_are_listed(text, hosts):
    assert hostlist.expand(text) == hosts


@pytest.mark.parametrize("text", ["n[1-", "n]1[", "n[2-1]", "n[a]", "n[1[2]]", "t[010x001]", "t[00x111]"])
def test_lists_that_cannot_be_are_told(text):
    with pytest.raises(ap.Error, match="hosts = '"):
        hostlist.expand(text)


def test_coordinates_are_a_grid(tmp_path):
    file = tmp_path / "hosts.txt"
    lines = [f"n{x}{y}{h} {x} {y}" for x in range(3) for y in range(2) for h in range(2) if (x, y, h) != (2, 1, 1)]
    file.write_text("# a router has two hosts\n" + "\n".join(reversed(lines)) + "\n")
    found = ap.discover.discover(coordinates=file, within=False)
    assert [(a.length, a.wraps) for a in found.machine.axes] == [(3, True), (2, True)]
    assert [(level.name, level.count) for level in found.machine.levels] == [("host", 2)]
    assert found.machine.ranks == len(found.hosts) == 12
    for place, host in enumerate(found.hosts):
        node = place // 2
        assert host == "-" or host[1:3] == f"{node % 3}{node // 3}"
    assert found.hosts.count("-") == 1
    sure = {e.what: e.sure for e in found.evidence}
    assert sure["shape"] == "stated" and sure["ends of axes"] == "assumed" and sure["rates of links"] == "assumed"
    # Its shape may be stated, and what is read is a machine file's text again.
    file.write_text("torus:4x2m\na 0 0\nb, 3, 1\n")
    found = ap.discover.discover(coordinates=file, within=False, rates="bgp")
    assert [(a.length, a.wraps) for a in found.machine.axes] == [(4, True), (2, False)]
    assert found.machine.axes[0].bandwidth == ap.Machine.parse("bgp").axes[0].bandwidth
    assert found.hosts == ("a", "-", "-", "-", "-", "-", "-", "b")
    assert ap.Machine.from_toml(found.machine.to_toml()) == found.machine


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("a 1 2\nb 1\n", "line 2"),
        ("a 1\na 2\n", "line 2: a is there already"),
        ("a -1\n", "line 1"),
        ("a x\n", "line 1"),
        ("a\n", "line 1"),
        ("torus:2x2\na 5 0\n", "a is at"),
        ("# nothing\n", "names no host"),
    ],
)
def test_coordinates_that_cannot_be_are_told(tmp_path, text, word):
    (tmp_path / "hosts.txt").write_text(text)
    with pytest.raises(ap.Error, match=word):
        ap.discover.discover(coordinates=tmp_path / "hosts.txt")


def test_switches_are_levels(tmp_path):
    file = tmp_path / "topology.conf"
    file.write_text(TREE)
    found = ap.discover.discover(slurm_file=file, within=False)
    assert [(level.name, level.count) for level in found.machine.levels] == [("leaf", 2), ("host", 4)]
    assert found.hosts == ("tux0", "tux1", "tux2", "tux3", "tux4", "tux5", "tux6", "-")
    link = found.machine.axes[0].bandwidth
    assert [level.bandwidth for level in found.machine.levels] == [4 * link, link]
    # Of a job's nodes only those are places.
    found = ap.discover.discover(slurm_file=file, nodes="tux[1,4-5]", within=False)
    assert found.hosts == ("tux1", "-", "tux4", "tux5")
    # A pattern is mapped onto them, and never onto a place without a host.
    chosen = ap.mapping.choose(
        found.machine, ap.pattern.halo((3,), local=64), allocation=ap.mapping.allocation_on(found.machine, found.hosts)
    )
    assert sorted(ap.mapping.slurm_hostfile(chosen, found.hosts).split()) == ["tux1", "tux4", "tux5"]


def test_lines_go_on_behind_a_backslash(tmp_path):
    file = tmp_path / "topology.conf"
    for text in ("tux[0-1],\\\ntux[2-3]", "tux[0-1], \\\n   tux[2-3]  # more", "tux[0-\\\n3]", '"tux[0-3]"'):
        file.write_text(
            f"SwitchName=s0 \\\n Nodes={text}\nSwitchName=s1 Nodes=tux[4-7]\nSwitchName=s2 Switches=s[0-1]\n"
        )
        found = ap.discover.discover(slurm_file=file, within=False)
        assert found.hosts == tuple(f"tux{i}" for i in range(8)), text


def test_a_host_below_several_switches_counts_once(tmp_path):
    file = tmp_path / "topology.conf"
    file.write_text("SwitchName=r1 Nodes=n[1-4]\nSwitchName=r2 Nodes=n[1-4]\nSwitchName=s Switches=r[1-2]\n")
    found = ap.discover.discover(slurm_file=file, within=False)
    assert found.hosts == ("n1", "n2", "n3", "n4") and found.machine.ranks == 4
    assert "4 below several switches" in {e.what: e.value for e in found.evidence}["hosts"]
    file.write_text("SwitchName=r1 Nodes=n[1-3]\nSwitchName=r2 Nodes=n[3-5]\nSwitchName=s Switches=r[1-2]\n")
    assert ap.discover.discover(slurm_file=file, within=False).hosts == ("n1", "n2", "n3", "n4", "n5", "-")


def test_blocks_are_levels(tmp_path):
    file = tmp_path / "topology.conf"
    file.write_text(BLOCKS)
    found = ap.discover.discover(slurm_file=file, within=False)
    assert [(level.name, level.count) for level in found.machine.levels] == [("group", 2), ("block", 2), ("host", 4)]
    assert found.hosts == (*(f"n{i:02}" for i in range(1, 13)), *"----")


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("SwitchName=a Switches=b\nSwitchName=b Switches=a\n", "every switch is below another"),
        ("SwitchName=a Switches=b\n", "switch b is below another one, but not described"),
        ("SwitchName=a Nodes=x\nSwitchName=a Nodes=y\n", "line 2: switch a is described twice"),
        ("SwitchName=a\n", "line 1"),
        ("Topology=a\n", "line 1"),
        ("SwitchName=a Nodes=x, y\n", "line 1: 'y': expected Name=Value"),
        ("BlockName=a Nodes=x\nSwitchName=a Nodes=x\n", "switches and blocks"),
        ("BlockName=a Nodes=x\nBlockSizes=2,3\n", "multiple"),
        ("", "names no host"),
    ],
)
def test_files_of_slurm_that_cannot_be_are_told(tmp_path, text, word):
    (tmp_path / "topology.conf").write_text(text)
    with pytest.raises(ap.Error, match=word):
        slurm.read(tmp_path / "topology.conf")


def test_topology_yaml(tmp_path):
    pytest.importorskip("yaml")
    file = tmp_path / "topology.yaml"
    file.write_text(YAML)
    assert [(level.name, level.count) for level in slurm.read(file).levels] == [("block", 2), ("host", 2)]
    assert [(level.name, level.count) for level in slurm.read(file, topology="fat").levels] == [
        ("leaf", 2),
        ("host", 2),
    ]
    with pytest.raises(ap.Error, match="is flat: expected a tree, blocks or torus3d"):
        slurm.read(file, topology="plain")
    with pytest.raises(ap.Error, match="expected one of fat, rack, plain"):
        slurm.read(file, topology="none")
    for text in ("a: [", "- x: 1\n", "5\n"):
        file.write_text(text)
        with pytest.raises(ap.Error, match=r"cannot be read|expected a list"):
            slurm.read(file)


def test_hosts_that_are_named_by_coordinates_are_a_torus(monkeypatch):
    found = ap.discover.discover(nodes="tux[000x121]", within=False)
    assert found.machine.extents == "2x3x2" and found.hosts[:3] == ("tux000", "tux100", "tux010")
    # Numbers alone may be anything.
    assert ap.discover.discover(nodes="n[001-004]", within=False).machine.extents == "4m"
    monkeypatch.setenv("SLURM_JOB_NODELIST", "tux[000x111]")
    assert ap.discover.discover(within=False).machine.extents == "2x2x2"


def test_slurms_own_file_is_found(tmp_path, monkeypatch):
    monkeypatch.setenv("SLURM_CONF", str(tmp_path / "slurm.conf"))
    (tmp_path / "topology.conf").write_text(TREE)
    assert ap.discover.discover(within=False).hosts[0] == "tux0"
    monkeypatch.setenv("SLURM_JOB_NODELIST", "tux[4-5]")
    assert ap.discover.discover(within=False).hosts == ("tux4", "tux5")


def test_levels_within_a_host_are_hwlocs():
    package = "<object type='Package'>" + "<object type='NUMANode' local_memory='8'/>" * 2
    package += "<object type='Core'><object type='PU'/><object type='PU'/></object>" * 8 + "</object>"
    levels, memory = hwloc.from_xml(f"<topology><object type='Machine'>{package * 2}</object></topology>")
    assert [(level.name, level.count) for level in levels] == [("socket", 2), ("numa", 2), ("core", 4)]
    assert memory == 32
    for text in ("no", "<topology/>"):
        with pytest.raises(ValueError, match="no"):
            hwloc.from_xml(text)
    levels, _, evidence = hwloc.read()
    assert levels[-1].name == "core" and evidence[0].sure == "seen"


def _distances(sizes):
    """A tree's: 1 us between hosts of a group, three times more for each level above."""
    n = int(np.prod(sizes))
    seconds = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            level, width = 0, 1
            for size in sizes:
                if i // width == j // width:
                    break
                level, width = level + 1, width * size
            seconds[i, j] = 0 if i == j else 1e-6 * 3.0 ** (level - 1)
    return seconds


@pytest.mark.parametrize("sizes", [(4,), (2, 3), (2, 2, 2), (3, 2, 4)])
def test_latencies_show_a_tree(sizes):
    seconds = _distances(sizes)
    n = len(seconds)
    rng = np.random.default_rng(n)
    order = rng.permutation(n)
    noisy = seconds * rng.uniform(1.0, 1.2, (n, n))
    shape = latencies.shape_of([f"h{i}" for i in order], noisy[np.ix_(order, order)])
    assert [level.count for level in reversed(shape.levels)] == list(sizes)
    # Hosts of a group stand side by side.
    numbers = [int(host[1:]) for host in shape.hosts]
    for begin in range(0, n, sizes[0]):
        assert len({h // sizes[0] for h in numbers[begin : begin + sizes[0]]}) == 1


def test_latencies_without_groups_are_one_level():
    for n in (1, 2, 5):
        shape = latencies.shape_of([f"h{i}" for i in range(n)], np.full((n, n), 2e-6))
        assert [level.count for level in shape.levels] == [n]
    for bad in (np.zeros((2, 3)), np.full((2, 2), -1.0), np.full((2, 2), np.nan)):
        with pytest.raises(ap.Error, match="seconds"):
            latencies.shape_of(["a", "b"], bad)


def test_ranks_are_measured():
    shape = latencies.run(3)
    assert shape.inside and len([h for h in shape.hosts if h != "-"]) == 3
    assert shape.evidence[0].sure.startswith("measured")
    assert ap.discover.discover(measured=shape).machine.ranks == len(shape.hosts)


def test_the_command_prints_and_writes(allport, tmp_path):
    (tmp_path / "hosts.txt").write_text("torus:2x2\na 0 0\nb 1 0\nc 0 1\nd 1 1\n")
    options = [
        "machine",
        "discover",
        "--coordinates",
        "hosts.txt",
        "--no-within",
        "-o",
        "mine.toml",
        "--hosts",
        "names",
    ]
    done = allport(*options)
    assert done.returncode == 0, done.stderr
    assert "stated" in done.stdout and "written: mine.toml" in done.stdout
    assert ap.Machine.parse(str(tmp_path / "mine.toml")).extents == "2x2"
    assert (tmp_path / "names").read_text().split() == ["a", "b", "c", "d"]
    told = json.loads(allport(*options, "--json").stdout)
    assert told["hosts"] == ["a", "b", "c", "d"] and told["evidence"][0]["source"].endswith("hosts.txt")
    mapped = allport(
        "map", "-m", "mine.toml", "--stencil", "2d", "--grid", "2x2", "--hosts", "names", "--rankfile", "r"
    )
    assert mapped.returncode == 0, mapped.stderr
    assert sorted(line.split("=")[1].split()[0] for line in (tmp_path / "r").read_text().splitlines()) == list("abcd")
    failed = allport("machine", "discover", "--coordinates", "gone.txt")
    assert failed.returncode != 0 and "gone.txt" in failed.stderr
