import allport as ap
import pytest


def test_a_spec_gives_axes_links_and_ranks():
    machine = ap.Machine.parse("torus:4x3m/ppn=2")
    assert [(a.length, a.wraps) for a in machine.axes] == [(4, True), (3, False)]
    assert (machine.nodes, machine.ranks, machine.ranks_per_node) == (12, 24, 2)
    # 3 rings of 4 and 4 lines of 3, both directions.
    assert machine.links == 3 * 4 * 2 + 4 * 2 * 2
    assert "4x3m" in repr(machine)


def test_coordinates_are_x_fastest_and_inverse():
    machine = ap.Machine.parse("torus:4x3x2")
    seen = {machine.coord(n): n for n in range(machine.nodes)}
    assert seen[(1, 0, 0)] == 1 and seen[(0, 1, 0)] == 4 and seen[(0, 0, 1)] == 12
    assert all(machine.node(list(c)) == n for c, n in seen.items())


def test_neighbours_links_and_routes():
    machine = ap.Machine.parse("torus:4x3m")
    assert machine.neighbour(0, 0) == 3 and machine.neighbour(0, 1) == 1
    assert machine.neighbour(0, 2) is None and machine.neighbour(0, 3) == 4
    route = machine.route(0, 11)  # (0, 0) -> (3, 2): one hop back in x, two up in y
    assert len(route) == machine.hops(0, 11) == 3
    assert [machine.link_name(link).split(" ")[0][-2:] for link in route] == ["-x", "+y", "+y"]


def test_a_machine_file_reads_back_equal(tmp_path):
    machine = ap.Machine.parse("bgp:4x4x2/ppn=4")
    path = tmp_path / "mine.toml"
    path.write_text(machine.to_toml())
    for again in (
        ap.Machine.from_file(str(path)),
        ap.Machine.parse(str(path)),
        ap.Machine.from_toml(machine.to_toml()),
    ):
        assert again == machine
    assert hash(again) == hash(machine)


def test_every_preset_is_readable():
    assert set(ap.machine.preset_names()) == {"bgp", "xe6", "gemini", "exascale", "laptop"}
    for name in ap.machine.preset_names():
        machine = ap.Machine.parse(name)
        assert machine.rates.flops > 0 and all(a.bandwidth > 0 for a in machine.axes)


@pytest.mark.parametrize(
    "spec", ["", "torus", "torus:", "torus:4xq", "torus:0x4", "torus:4x4/ppn=0", "moon:4", "gone.toml"]
)
def test_a_bad_spec_says_so(spec):
    with pytest.raises(ap.Error) as error:
        ap.Machine.parse(spec)
    assert error.value.kind in ("machine", "io")
    assert isinstance(error.value, ValueError)


def test_numbers_out_of_range_name_their_argument():
    machine = ap.Machine.parse("torus:4x4")
    for call, word in [
        (lambda: machine.coord(16), "node"),
        (lambda: machine.coord(-1), "node"),
        (lambda: machine.node([4, 0]), "coordinates"),
        (lambda: machine.node([1]), "coordinates"),
        (lambda: machine.neighbour(0, 4), "port"),
        (lambda: machine.link_name(64), "link"),
    ]:
        with pytest.raises(ap.Error, match=word):
            call()


def test_a_box_keeps_only_the_wraps_that_it_covers():
    box = ap.Machine.parse("torus:4x4").box([0, 1], [3, 2])
    assert [(a.length, a.wraps) for a in box.axes] == [(4, True), (2, False)]


def test_words_name_shape_and_dead_links():
    text = ap.machine.describe(ap.Machine.parse("torus:4x2x3m/ppn=2"))
    assert "3-D mix of rings and open lines of 4 x 2 x 3" in text
    assert "rings of 4" in text and "pairs joined by two links" in text and "open at both ends" in text
    assert "ranks count x-fastest, 0 to 47" in text


def test_levels_within_a_node_and_topology_ids() -> None:
    machine = ap.Machine.parse("gemini:4x4x2/ppn=8")
    assert [(level.name, level.count) for level in machine.levels] == [("host", 2), ("core", 4)]
    assert machine.levels[0].bandwidth > machine.axes[0].bandwidth
    assert "2 hosts of 4 cores" in ap.machine.describe(machine)
    ids = ap.machine.TopologyIds(machine)
    assert (ids.base, ids.ranks) == (4, machine.ranks)
    assert sorted(ids.rank(ids.of(r)) for r in range(machine.ranks)) == list(range(machine.ranks))
    first, twin = ids.of(0), ids.of(4)  # the two hosts of one router
    assert ids.common_prefix(first, twin) == ids.digits - 2
    assert ids.text(twin).endswith("1.0")
    with pytest.raises(ap.Error, match="bits = 0"):
        ap.machine.TopologyIds(machine, bits=0)
    with pytest.raises(ap.Error, match="rank = 256"):
        ids.of(machine.ranks)
