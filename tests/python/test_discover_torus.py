"""Tori that `allport machine discover` reads: Slurm's torus3d, and coordinates as PMIx gives them."""

import subprocess
import sys

import allport as ap
import pytest
from allport.discover import pmix, slurm

TORUS = """\
- topology: cube
  cluster_default: true
  torus3d:
    toruses:
      - name: pod1
        dims: {x: 4, y: 3, z: 2}
        nodes: node[01-24]
        placements:
          - dims: {x: 2, y: 1, z: 2}
"""
REGIONS = """\
- topology: cube
  torus3d:
    toruses:
      - name: left
        dims: {x: 4, y: 2, z: 2}
        regions:
          - anchor: {x: 0, y: 0, z: 0}
            dims: {x: 2, y: 2, z: 2}
            nodes: a[0-7]
          - anchor: {x: 3, y: 1, z: 0}
            dims: {x: 1, y: 1, z: 2}
            nodes: b[0-1]
      - name: right
        dims: {x: 2, y: 1, z: 1}
        nodes: c[0-1]
"""


def test_a_torus_of_slurm_is_a_torus(tmp_path):
    pytest.importorskip("yaml")
    file = tmp_path / "topology.yaml"
    file.write_text(TORUS)
    found = ap.discover.discover(slurm_file=file, within=False)
    assert [(a.length, a.wraps) for a in found.machine.axes] == [(4, True), (3, True), (2, True)]
    # Slurm counts x first, as machines do: index = x + 4 (y + 3 z).
    assert found.hosts == tuple(f"node{i:02}" for i in range(1, 25))
    assert {e.what: e.sure for e in found.evidence}["ends of axes"] == "stated"
    # Of a job's hosts the others' places stay, without a host.
    found = ap.discover.discover(slurm_file=file, nodes="node[02,24]", within=False)
    assert found.machine.extents == "4x3x2" and found.hosts.count("-") == 22
    assert found.hosts[1] == "node02" and found.hosts[23] == "node24"


def test_regions_of_a_torus_of_slurm(tmp_path):
    pytest.importorskip("yaml")
    file = tmp_path / "topology.yaml"
    file.write_text(REGIONS)
    with pytest.raises(ap.Error, match=r"2 tori \(left, right\)"):
        slurm.read(file)
    with pytest.raises(ap.Error, match="names no host of these"):
        slurm.read(file, nodes=["d"])
    assert slurm.read(file, nodes=["c0", "c1"]).hosts == ("c0", "c1")
    left = slurm.read(file, nodes=[*(f"a{i}" for i in range(8)), "b0", "b1"])
    assert left.lengths == (4, 2, 2)
    wanted = {(x, y, z): f"a{x + 2 * (y + 2 * z)}" for x in range(2) for y in range(2) for z in range(2)}
    wanted |= {(3, 1, 0): "b0", (3, 1, 1): "b1"}
    for place, host in enumerate(left.hosts):
        assert host == wanted.get((place % 4, place // 4 % 2, place // 8), "-")


@pytest.mark.parametrize(
    ("before", "after", "word"),
    [
        ("node[01-24]", "node[01-23]", "expected 24 hosts"),
        ("node[01-24]", "node[01-23,01]", "every host once"),
        ("z: 2}\n        nodes", "z: 0}\n        nodes", "dims: expected x, y and z"),
        ("x: 4,", "w: 4,", "dims: expected x, y and z"),
        ("        nodes: node[01-24]\n", "", "either nodes or regions"),
        ("toruses:", "tori:", "expected a list of toruses"),
        ("nodes: node[01-24]", "regions: 5", "regions: expected a list"),
        (
            "nodes: node[01-24]",
            "regions: [{anchor: {x: 3, y: 0, z: 0}, dims: {x: 2, y: 1, z: 1}, nodes: 'a,b'}]",
            "sticks out",
        ),
        (
            "nodes: node[01-24]",
            "regions: [{dims: {x: 1, y: 1, z: 1}, nodes: a}, {dims: {x: 1, y: 1, z: 1}, nodes: b}]",
            "there already",
        ),
    ],
)
def test_tori_of_slurm_that_cannot_be_are_told(tmp_path, before, after, word):
    pytest.importorskip("yaml")
    assert before in TORUS
    (tmp_path / "topology.yaml").write_text(TORUS.replace(before, after))
    with pytest.raises(ap.Error, match=word):
        slurm.read(tmp_path / "topology.yaml")


def _coord(view, *numbers):
    import ctypes

    return pmix._Coord(view, (ctypes.c_uint32 * len(numbers))(*numbers), len(numbers))


def test_coordinates_of_pmix_are_read_as_they_lie_in_memory():
    import ctypes

    one, other = _coord(2, 9, 9), _coord(1, 3, 0, 1)
    value = pmix._Value(pmix.COORD)
    value.data.coord = ctypes.pointer(one)
    assert pmix.coordinates_of(value) == (9, 9)
    # A device with a physical and a logical view; then an array of devices.
    views = (pmix._Coord * 2)(one, other)
    device = pmix._Geometry(0, b"uuid", b"nic0", views, 2)
    value = pmix._Value(pmix.GEOMETRY)
    value.data.geometry = ctypes.pointer(device)
    assert pmix.coordinates_of(value) == (3, 0, 1)
    for kind, entries in ((pmix.GEOMETRY, (pmix._Geometry * 1)(device)), (pmix.COORD, views)):
        array = pmix._Array(kind, len(entries), ctypes.cast(entries, ctypes.c_void_p))
        value = pmix._Value(pmix.DATA_ARRAY)
        value.data.array = ctypes.pointer(array)
        assert pmix.coordinates_of(value) == (3, 0, 1)
    with pytest.raises(pmix.NoCoordinates, match="type 3"):
        pmix.coordinates_of(pmix._Value(pmix.STRING))


def test_coordinates_of_pmix_are_a_grid():
    hosts = [f"n{x}{y}" for y in range(3) for x in range(2) for _ in range(2)]  # two ranks a host
    places = [(x, y) for y in range(3) for x in range(2) for _ in range(2)]
    shape = pmix.shape_of(hosts, places, "4x3")
    assert shape.lengths == (4, 3) and shape.hosts[:4] == ("n00", "n10", "-", "-")
    assert pmix.shape_of(hosts, places).lengths == pmix.shape_of(hosts, places, "dragonfly").lengths == (2, 3)
    with pytest.raises(ap.Error, match="as many of each"):
        pmix.shape_of(["a", "b"], [(0,), (0, 1)])


def test_without_coordinates_of_pmix_the_sentence_is_clear(allport, monkeypatch):
    monkeypatch.delenv("PMIX_RANK", raising=False)
    done = allport("machine", "discover", "--pmix")
    assert done.returncode == 1 and "not started by a launcher that speaks PMIx" in done.stderr
    assert "--coordinates" in done.stderr
    assert "expected one of the two" in allport("machine", "discover", "--pmix", "--measure").stderr


def test_a_launcher_without_coordinates_is_told():
    command = [sys.executable, "-m", "allport", "machine", "discover", "--pmix"]
    done = subprocess.run(
        [*ap.run.launch.mpiexec_command(2), *command],
        env=ap.run.launch.environment(2),
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode != 0
    words = "gives no coordinates in the network", "not started by a launcher", "no libpmix"  # Open MPI; MPICH's hydra
    assert any(word in done.stderr for word in words), done.stderr
