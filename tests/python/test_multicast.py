import json
import random

import allport as ap
import numpy as np
import pytest

EXAMPLE = {"names": "3x1bit", "source": 0b001, "destinations": [0b010, 0b100, 0b101]}


def _digits(ids, rank):
    return [int(d) for d in ids.text(ids.of(rank)).split(".")]


def _prefix(a, b):
    return next((i for i, (x, y) in enumerate(zip(a, b, strict=True)) if x != y), len(a))


def test_tables_are_by_the_definition():
    ids = ap.multicast.as_ids("4x3bit:2048")
    for rank in (0, 77, 2047):
        own = _digits(ids, rank)
        rows = ap.multicast.table(ids, rank)
        assert len(rows) == 4
        for i, row in enumerate(rows):
            for entry in row:
                z = _digits(ids, entry.next)
                assert z[:i] == own[:i] and z[i] == entry.digit != own[i]
        assert 1 + sum(e.ranks for row in rows for e in row) == 2048


@pytest.mark.parametrize("tree", ["flat", "chain", "prefix", "binomial", "kary"])
def test_every_destination_gets_it_once_by_following_the_rule(tree):
    draw = random.Random(4)
    for names in ("3x1bit", "torus:5x3x2/ppn=3", "2x4bit:100"):
        ids = ap.multicast.as_ids(names)
        for _ in range(30):
            source = draw.randrange(ids.ranks)
            to = [draw.randrange(ids.ranks) for _ in range(draw.randrange(12))]
            parts = ap.multicast.shares(ids, source, to, tree=tree)
            assert sorted(r for r, part in parts.items() if part.deliver) == sorted(set(to))
            sent = ap.multicast.messages(ids, source, to, tree=tree)
            assert len(sent) == len(set(sent)) == len(parts) - 1
            assert {(part.source, r) for r, part in parts.items() if part.source is not None} == set(sent)
            assert ap.multicast.check(ids, source, to, tree=tree)["ok"]
            for outside in [r for r in range(ids.ranks) if r not in parts][:3]:
                assert ap.multicast.share(ids, source, to, outside, tree=tree) is None


@pytest.mark.parametrize("members", [16, 13, 7, 2, 1])
def test_a_binomial_tree_is_one_whatever_the_number_of_its_members(members):
    ids = ap.multicast.as_ids("torus:4x8")
    order = [ids.rank_at((ids.position(9) + place) % ids.ranks) for place in range(members)]
    parts = ap.multicast.shares(ids, 9, order, tree="binomial")
    for place, rank in enumerate(order):
        # To one rank for each bit below the lowest of its place, as far as there are members.
        bits = [1 << k for k in range(5) if place % (2 << k) == 0 and place + (1 << k) < members]
        assert [hop.next for hop in parts[rank].hops] == [order[place + bit] for bit in reversed(bits)]
        assert parts[rank].source == (order[place & (place - 1)] if place else None)
    checked = ap.multicast.check(ids, 9, order, tree="binomial")
    assert checked["ok"] and checked["relays"] == 0 and checked["messages"] == members - 1
    assert checked["fan_out"] == (members - 1).bit_length()  # ceil(log2)
    assert checked["steps"] == members.bit_length() - 1  # floor(log2)


def test_the_rule_needs_the_ranks_own_table_alone():
    ids = ap.multicast.as_ids(EXAMPLE["names"])
    waiting, kept = [(EXAMPLE["source"], EXAMPLE["destinations"])], []
    while waiting:
        rank, to = waiting.pop()
        part = ap.multicast.forward(ids, rank, to)
        kept += [rank] if part.deliver else []
        for hop in part.hops:
            for y in hop.destinations:
                assert _prefix(_digits(ids, hop.next), _digits(ids, y)) > _prefix(_digits(ids, rank), _digits(ids, y))
            waiting.append((hop.next, hop.destinations))
    assert sorted(kept) == EXAMPLE["destinations"]


def test_a_schedule_is_proven_interpreted_and_simulated():
    machine = ap.Machine.parse("torus:4x4")
    for algorithm in ("flat", "chain", "prefix", "segmented", "trees", None):
        schedule = ap.multicast.make_schedule(machine, 3, [9, 1, 14, 1], bytes=8000, algorithm=algorithm, segment=500)
        assert schedule.targets == [1, 9, 14] and schedule.collective == "bcast"
        assert ap.verify.prove(schedule, machine)
        got = ap.schedule.interpret(schedule, np.arange(1000.0), seed=5)
        for rank, array in enumerate(got):
            if rank in (1, 3, 9, 14):
                assert np.array_equal(array, np.arange(1000.0))
            else:
                assert array is None
        assert ap.simulate(schedule, machine).seconds > 0
    over_ids = ap.multicast.schedule_by_ids("3x1bit", 1, [2, 4, 5], bytes=80)
    assert [a is not None for a in ap.schedule.interpret(over_ids, np.arange(10.0))] == [
        r in (1, 2, 4, 5) for r in range(8)
    ]


def test_the_choice_says_why():
    choice = ap.multicast.explain("torus:8x8", 0, [27, 28, 35, 63, 1, 8], bytes="1MiB")
    assert choice.algorithm == "trees" and choice.mpi is None and choice.expects_to_win is None
    assert "multicast of 1048576 bytes from 0 to 6 of the 64 ranks" in str(choice)
    assert choice.to_dict()["targets"] == [1, 8, 27, 28, 35, 63]
    assert ap.multicast.explain("torus:8x8", 0, None, bytes="1MiB").algorithm == "trees"
    with pytest.raises(ap.Error, match="flat, chain, axes, prefix, segmented, kary, trees"):
        ap.multicast.explain("torus:8x8", 0, [27, 3], bytes=8, algorithm="ring")


def test_ids_that_are_given_listed_or_a_machines(tmp_path):
    path = tmp_path / "ids.txt"
    path.write_text("2.0\n0.1\n2.1\n")
    listed = ap.machine.TopologyIds.parse(str(path))
    assert (listed.ranks, listed.bits, listed.digits) == (3, 2, 2) and listed.rank_at(0) == 1
    assert ap.machine.TopologyIds.listed([8, 1, 9], 2, 2).of(2) == listed.of(2)
    assert ap.machine.TopologyIds.given(4, 3, 2048).ranks == ap.multicast.as_ids("4x3bit:2048").ranks
    assert ap.multicast.as_ids("torus:4x4x4x4").bits == ap.machine.TopologyIds.default_bits(256) == 2
    assert ap.multicast.as_ids("bgp").ranks == ap.Machine.parse("bgp").ranks
    assert ap.multicast.as_ids("torus:4x4", bits=1).digits == 4
    with pytest.raises(ap.Error, match="3x1bit"):
        ap.multicast.as_ids("nothing")
    with pytest.raises(ap.Error, match=r"rank in 0\.\.7"):
        ap.multicast.check("3x1bit", 1, [8])
    with pytest.raises(ap.Error, match="flat, chain, prefix"):
        ap.multicast.share("3x1bit", 1, [2], 1, tree="star")


def test_the_command_draws_song09s_example(allport, golden, tmp_path):
    done = allport(*"multicast explain --source 1 --destinations 2,4,5 --ids 3x1bit".split())
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[2:7] == [
        "001",
        "├─ {100, 101} to 101",
        "│  └─ {100} to 100",
        "└─ {010} to 010",
        "",
    ]
    assert "3 messages, 2 steps" in done.stdout
    assert "checked: every destination exactly once" in done.stdout
    done = allport(*"multicast explain --source 1 --destinations 2,4,5 --ids 3x1bit --json".split())
    golden("multicast-explain", done.stdout, ())
    pytest.importorskip("matplotlib")
    path = tmp_path / "multicast.svg"
    done = allport(*f"multicast explain --source 1 --destinations 2,4,5 --ids 3x1bit -o {path}".split())
    assert done.returncode == 0 and f"drawn: {path}" in done.stdout
    text = path.read_text()
    assert "<svg" in text and "001" in text and "100, 101" in text


def test_the_command_on_a_machine(allport):
    done = allport(*"multicast explain --source 5 -m torus:4x4 --size 64KiB".split())
    assert done.returncode == 0, done.stderr
    for words in ("15 messages", "the least is 15", "* trees", "flat", "segmented"):
        assert words in done.stdout, done.stdout
    chain = allport(*"multicast explain --destinations 1-15 -m torus:4x4 --tree chain --json".split())
    data = json.loads(chain.stdout)
    assert len(data["messages"]) == 15 and data["check"]["fan_out"] == 1 and data["machine"] == "torus:4x4"
    table = allport(*"multicast table --rank 1000 --ids 5x4bit".split())
    assert table.returncode == 0 and "75 entries, at most 16 x 5" in table.stdout
    for wrong, words in (
        ("explain --source 1 --destinations x --ids 3x1bit", "--destinations = 'x'"),
        ("explain --source 1 --destinations 2 --ids 3x1bit --size 8", "--machine beside it"),
        ("explain --source 9 --destinations 2 --ids 3x1bit", "source = 9"),
        ("table --rank 8 --ids 3x1bit", "rank = 8"),
    ):
        done = allport("multicast", *wrong.split())
        assert done.returncode == 1 and words in done.stderr, done.stderr
