import re

import allport as ap
import pytest
from allport.report import draw

pytest.importorskip("matplotlib")


def _drawn(spec, tmp_path, what="bcast", algorithm="rectangular", root=0, name="trees.svg"):
    machine = ap.Machine.parse(spec)
    schedule = ap.make_schedule(what, machine, algorithm=algorithm, root=root, bytes=1 << 16)
    path = tmp_path / name
    figure = draw.trees(schedule, machine, path)
    return figure, path.read_bytes(), draw.edges(schedule, machine)


def test_four_trees_of_a_4x4_torus_and_all_combined(tmp_path):
    figure, image, edges = _drawn("torus:4x4", tmp_path)
    titles = [ax.get_title() for ax in figure.axes]
    assert titles == [*(f"Spanning tree {i}" for i in (1, 2, 3, 4)), "All 4 trees combined"]
    # Four spanning trees of 16 nodes on 60 different directed links.
    assert len(edges) == 60 == len({(e.source, e.port) for e in edges})
    for tree in range(4):
        assert {e.target for e in edges if e.tree == tree} == set(range(1, 16))
    text = image.decode()
    assert "60 directed links, none used twice" in text and "<svg" in text


def test_the_same_drawing_is_the_same_file(tmp_path):
    assert _drawn("torus:4x4", tmp_path)[1] == _drawn("torus:4x4", tmp_path)[1]


@pytest.mark.parametrize(
    "spec", ["torus:1", "torus:2", "mesh:6", "torus:2x2", "mesh:3x5", "torus:3x3x3m", "torus:4x1x2x3/ppn=2"]
)
@pytest.mark.parametrize("what", ["bcast", "reduce"])
def test_any_machine_of_up_to_three_long_axes(spec, what, tmp_path):
    machine = ap.Machine.parse(spec)
    figure, image, edges = _drawn(spec, tmp_path, what=what, root=machine.ranks - 1, name="t.png")
    trees = len({e.tree for e in edges})
    assert len(edges) == trees * (machine.nodes - 1)
    assert image[:8] == b"\x89PNG\r\n\x1a\n" and len(figure.axes) == (1 if trees < 2 else trees + 1)


def test_routed_messages_are_curves(tmp_path):
    _, image, edges = _drawn("torus:4x4", tmp_path, algorithm="binomial")
    assert len(edges) == 15 and all(e.port < 0 for e in edges)
    assert re.search(rb"Broadcast from rank 0", image)


def test_what_cannot_be_drawn_is_refused_and_leaves_no_file(tmp_path):
    for spec, word in [("torus:2x2x2x2", "4 axes"), ("torus:80x80", "nodes")]:
        with pytest.raises(ap.Error, match=word):
            _drawn(spec, tmp_path)
    with pytest.raises(ap.Error, match="svg"):
        _drawn("torus:2", tmp_path, name="trees.doc")
    with pytest.raises(ap.Error, match="cannot be written"):
        _drawn("torus:2", tmp_path, name="no/such/folder/trees.svg")
    assert not list(tmp_path.iterdir())
