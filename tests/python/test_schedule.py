import allport as ap
import numpy as np
import pytest
from allport.lab import parse_bits

MACHINES = ["torus:1", "torus:5", "mesh:4", "torus:4x4", "torus:2x3m", "mesh:3x2x2", "torus:2x2/ppn=3"]


def _algorithms():
    return [(a["collective"], a["name"]) for a in ap.collectives.algorithms()]


def test_the_registry_has_a_sentence_for_every_algorithm():
    known = ap.collectives.algorithms()
    assert {"binomial", "line", "ring", "rectangular"} <= {a["name"] for a in ap.collectives.algorithms("bcast")}
    assert all(len(a["summary"]) > 10 for a in known)


@pytest.mark.parametrize("spec", MACHINES)
@pytest.mark.parametrize("name", [n for c, n in _algorithms() if c == "bcast"])
def test_a_broadcast_reaches_every_rank(spec, name):
    machine = ap.Machine.parse(spec)
    data = np.random.default_rng(7).integers(0, 255, 1037).astype(np.uint8)
    for root in {0, machine.ranks // 2, machine.ranks - 1}:
        schedule = ap.make_schedule("bcast", machine, algorithm=name, root=root, bytes=data.nbytes, segment=100)
        assert ap.verify.prove(schedule, machine).ok
        assert all((got == data).all() for got in ap.schedule.interpret(schedule, data, seed=root))


@pytest.mark.parametrize("spec", MACHINES)
@pytest.mark.parametrize("name", [n for c, n in _algorithms() if c == "reduce"])
def test_a_reduction_combines_every_rank_once(spec, name):
    machine = ap.Machine.parse(spec)
    rng = np.random.default_rng(3)
    parts = [rng.integers(-9, 9, (13, 7)).astype(float) for _ in range(machine.ranks)]
    root = machine.ranks - 1
    schedule = ap.make_schedule("reduce", machine, algorithm=name, root=root, bytes=13 * 7 * 8, element=8, segment=64)
    assert ap.verify.prove(schedule, machine).ok
    got = ap.schedule.interpret(schedule, parts)
    assert (got[root] == sum(parts)).all()
    assert all(g is None for r, g in enumerate(got) if r != root)
    assert (ap.schedule.interpret(schedule, parts, op="max")[root] == np.max(parts, axis=0)).all()
    assert (ap.schedule.interpret(schedule, parts, op="min")[root] == np.min(parts, axis=0)).all()


def test_programs_are_readable_objects():
    schedule = ap.make_schedule("bcast", "torus:4x4", algorithm="rectangular", bytes=4000, segment=256)
    assert (schedule.trees, schedule.ranks, schedule.root, schedule.bytes) == (4, 16, 0, 4000)
    sends = [op for op in schedule.program(0).ops if op.kind == "send"]
    assert sorted(op.port for op in sends) == [0, 1, 2, 3]
    assert sum(op.length for op in sends) == 4000 == schedule.traffic(0).bytes_sent
    for rank in range(1, 16):
        received = [op for op in schedule.program(rank).ops if op.kind == "receive"]
        assert sorted(op.piece.bytes for op in received) == [(i * 1000, i * 1000 + 1000) for i in range(4)]
        assert all(op.target.buffer == "output" and op.piece.destinations for op in received)


def test_the_choice_is_the_cheapest_candidate():
    choice = ap.explain("bcast", "torus:8x8", bytes="4MiB")
    data = choice.to_dict()
    priced = [c["predicted_s"] for c in data["candidates"] if "predicted_s" in c]
    assert choice.predicted == min(priced) > 0
    schedule = ap.make_schedule("bcast", "torus:8x8", bytes="4MiB")
    assert (schedule.algorithm, schedule.segment) == (choice.algorithm, choice.segment)
    assert choice.algorithm in str(choice)


def test_ranks_that_are_placed_elsewhere_cost_mpi_their_links():
    here = ap.explain("allgather", "torus:8x8", bytes="64KiB")
    away = ap.explain("allgather", "torus:8x8", bytes="64KiB", placement="random:3")
    assert away.predicted == here.predicted
    assert away.mpi > 1.5 * here.mpi
    ends = [ap.explain("bcast", "mesh:9", bytes="1MiB", root=r).predicted for r in (0, 4)]
    turned = [*range(8, 3, -1), *range(4)]  # rank 4 stays in the middle, rank 0 sits at the other end
    moved = ap.explain("bcast", "mesh:9", bytes="1MiB", placement=turned)
    assert moved.predicted == ends[0] > ends[1]
    assert moved.to_dict()["root_place"] == 8
    assert "root_place" not in here.to_dict()
    with pytest.raises(ap.Error, match="place"):
        ap.explain("bcast", "mesh:3", bytes=8, placement=[0, 0, 1])


def test_some_ranks_of_a_machine_have_their_own_network():
    everyone = ap.explain("bcast", "bgp:4x4x1", bytes="1MiB")
    box = ap.collectives.explain_among("bcast", "bgp:4x4x1", range(4), bytes="1MiB")
    ring = ap.explain("bcast", "bgp:4", bytes="1MiB")
    assert (box.algorithm, box.predicted) == (ring.algorithm, ring.predicted)
    assert "network" not in box.to_dict() and "network" not in everyone.to_dict()
    members = [0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, 3]
    some = ap.collectives.explain_among("bcast", "bgp:4x4x1", members, bytes="1MiB", root=4)
    data = some.to_dict()
    assert some.algorithm == data["algorithm"] == "subnetwork" and data["ranks"] == 13
    assert data["network"]["nodes"] == 13 and data["network"]["trees"] >= 2
    assert 0 < some.bound <= some.predicted and "they form no box" in str(some)
    for members, word in (([0, 0, 1], "place"), ([], "members"), ([0, 99], "member"), ([0, 5], "root")):
        with pytest.raises(ap.Error, match=word):
            ap.collectives.explain_among("bcast", "bgp:4x4x1", members, bytes=8, root=2)


def test_a_proof_counts_links_and_trees():
    report = ap.verify.prove(
        ap.make_schedule("bcast", "torus:4x4", algorithm="rectangular", bytes=1 << 16), "torus:4x4", disjoint=True
    )
    assert report and report.links["used"] == 60 and report.links["trees_disjoint"]
    assert report.to_dict()["ok"] is True and "PROVEN" in str(report)


def test_a_proof_on_the_wrong_machine_is_refused_or_fails():
    schedule = ap.make_schedule("bcast", "torus:4x4", algorithm="rectangular", bytes=4096)
    with pytest.raises(ap.Error):
        ap.verify.prove(schedule, "torus:5x5")
    report = ap.verify.prove(schedule, "mesh:4x4")  # wrap-around links are missing
    assert not report.ok and report.findings[0]["kind"] == "no_link"


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        ({"algorithm": "telepathy"}, "telepathy"),
        ({"root": 16}, "root"),
        ({"root": -1}, "root"),
        ({"bytes": -5}, "bytes"),
        ({"bytes": "lots"}, "bytes"),
        ({"segment": 0}, "segment"),
        ({"window": 0}, "window"),
    ],
)
def test_a_bad_argument_is_named(arguments, word):
    with pytest.raises(ap.Error, match=word):
        ap.make_schedule("bcast", "torus:4x4", **{"bytes": 100, **arguments})


def test_arrays_must_fit_the_schedule():
    bcast = ap.make_schedule("bcast", "torus:4", bytes=80)
    with pytest.raises(ap.Error, match="80"):
        ap.schedule.interpret(bcast, np.zeros(9))
    with pytest.raises(ap.Error, match="objects"):
        ap.schedule.interpret(bcast, np.array([None] * 10))
    reduce = ap.make_schedule("reduce", "torus:4", bytes=80, element=8)
    with pytest.raises(ap.Error, match="one per rank"):
        ap.schedule.interpret(reduce, [np.zeros(10)] * 3)
    with pytest.raises(ap.Error, match="op"):
        ap.schedule.interpret(reduce, [np.zeros(10)] * 4, op="xor")


@pytest.mark.parametrize(
    ("text", "value"),
    [("0", 0), ("4096", 4096), ("64KiB", 65536), ("64k", 65536), ("1MB", 10**6), ("1.5 GiB", 3 << 29), ("1e3", 1000)],
)
def test_sizes_read_as_people_write_them(text, value):
    assert ap.units.parse_bytes(text) == value


@pytest.mark.parametrize("text", ["", "-1", "1.3", "5 elephants", "1e400", "KiB"])
def test_other_sizes_are_refused(text):
    with pytest.raises(ap.Error):
        ap.units.parse_bytes(text)


@pytest.mark.parametrize("read", [ap.units.parse_bytes, ap.plan.parse_grid, parse_bits])
@pytest.mark.parametrize("text", ["1" * 200_000 + "x", " " * 200_000 + "x", "4" * 5000])
def test_what_is_far_too_long_for_a_number_is_refused(read, text):
    """Hours pass where a pattern tries spaces or digits in all ways."""
    with pytest.raises(ap.Error) as error:
        read(text)
    assert len(str(error.value)) < 500


def test_as_json_and_back():
    schedule = ap.make_schedule(
        "reduce", "torus:4x2", algorithm="rectangular", root=3, bytes=960, element=8, segment=64
    )
    text = schedule.to_json()
    same = ap.Schedule.from_json(text)
    assert same.to_json() == text and repr(same) == repr(schedule)
    assert [repr(op) for op in same.program(2).ops] == [repr(op) for op in schedule.program(2).ops]
    assert ap.verify.prove(same, "torus:4x2").ok
    parts = [np.arange(120.0) + r for r in range(8)]
    assert (ap.schedule.interpret(same, parts)[3] == sum(parts)).all()
    for broken, word in ((text[:-3], "JSON"), (text.replace('"ranks":8', '"ranks":9'), "programs")):
        with pytest.raises(ap.Error, match=word):
            ap.Schedule.from_json(broken)
