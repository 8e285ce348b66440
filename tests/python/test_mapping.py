"""Patterns, orders of ranks, the choice among them, and the files for launchers."""

import json

import allport as ap
import pytest
from allport.report import draw_loads


def walked(machine, messages, places):
    """Bytes over each link by its route, from neighbour to neighbour, x first, in the shorter direction."""
    lengths = [a.length for a in machine.axes]
    wraps = [a.wraps for a in machine.axes]
    loads = [0] * (machine.nodes * 2 * len(lengths))

    def coords(node):
        found = []
        for n in lengths:
            found.append(node % n)
            node //= n
        return found

    for source, target, size in messages:
        here = coords(places[source] // machine.ranks_per_node)
        there = coords(places[target] // machine.ranks_per_node)
        for a, n in enumerate(lengths):
            steps = there[a] - here[a]
            if wraps[a]:
                steps %= n
                if 2 * steps > n:
                    steps -= n
            for _ in range(abs(steps)):
                node = 0
                for b in reversed(range(len(lengths))):
                    node = node * lengths[b] + here[b]
                loads[node * 2 * len(lengths) + 2 * a + (steps > 0)] += size
                here[a] = (here[a] + (1 if steps > 0 else -1)) % n
    return loads


@pytest.mark.parametrize("spec", ["torus:4x3", "mesh:5", "torus:2x2x3", "torus:3x2/ppn=2"])
def test_link_bytes_are_the_sums_over_routes(spec):
    machine = ap.Machine.parse(spec)
    n = machine.ranks
    messages = [(r, (r * 7 + k) % n, 10 * r + k) for r in range(n) for k in range(3)]
    pattern = ap.pattern.Pattern("some", n, messages)
    places = [(r * 5 + 1) % n if n % 5 else (r + 1) % n for r in range(n)]
    assert sorted(places) == list(range(n))
    real = [m for m in messages if m[0] != m[1]]
    assert ap.pattern.link_bytes(machine, pattern, places) == walked(machine, real, places)
    assert pattern.bytes == sum(m[2] for m in real)


def test_choice_beats_rank_order_in_the_simulator_too():
    machine = ap.Machine.parse("bgp:8x4x2")
    pattern = ap.pattern.halo((8, 4, 2), local=64)
    chosen = ap.mapping.choose(machine, pattern)
    assert not chosen.declined
    assert sorted(chosen.places) == list(range(64))
    assert chosen.score["dilation"] == 1
    schedule = pattern.schedule()
    ours = ap.simulate(schedule, machine, places=chosen.places).seconds
    given = ap.simulate(schedule, machine, places=list(range(64))).seconds
    assert ours < 0.8 * given


def test_little_gain_is_declined_aloud():
    chosen = ap.mapping.choose("bgp:8x4x2", ap.pattern.halo((8, 4, 2), local=64), least_gain=0.99)
    assert chosen.declined
    assert chosen.order == "given"
    assert chosen.places == list(range(64))
    assert "stay where they are" in chosen.reason


def test_files_for_launchers_put_each_rank_where_it_belongs():
    machine = ap.Machine.parse("torus:3x2/ppn=2")
    chosen = ap.mapping.choose(machine, ap.pattern.halo((4, 3), local=(100, 3)), least_gain=0.0)
    hosts = [f"h{n}" for n in range(6)]
    for r, line in enumerate(ap.mapping.open_mpi_rankfile(chosen, hosts).splitlines()):
        place = chosen.places[r]
        assert line == f"rank {r}=h{place // 2} slot={place % 2}"
    order = [int(x) for x in ap.mapping.mpich_rank_order(chosen).split(",")]
    assert [chosen.places[r] for r in order] == list(range(12))
    assert ap.mapping.slurm_hostfile(chosen, hosts).splitlines() == [f"h{p // 2}" for p in chosen.places]
    with pytest.raises(ap.Error, match="hosts: 1 names"):
        ap.mapping.slurm_hostfile(chosen, ["one"])


def test_patterns_are_files(tmp_path):
    pattern = ap.pattern.alltoall((2, 3), [1], "1KiB") + ap.pattern.transpose((2, 3), 600)
    path = tmp_path / "trace.json"
    path.write_text(pattern.to_json())
    again = ap.pattern.load(path)
    assert again.messages == pattern.messages
    with pytest.raises(ap.Error, match="cannot be read"):
        ap.pattern.load(tmp_path / "none.json")
    path.write_text("{}")
    with pytest.raises(ap.Error, match='has no "ranks"'):
        ap.pattern.load(path)


def test_axes_may_differ_in_being_rings(tmp_path):
    halo = ap.pattern.halo((3, 4), element=8, periodic=(True, False))
    here = {(a // 4, a % 4): a for a in range(12)}
    expected = {(here[x, y], here[(x + d) % 3, y]) for x, y in here for d in (-1, 1)}
    expected |= {(here[x, y], here[x, y + d]) for x, y in here for d in (-1, 1) if (x, y + d) in here}
    assert {tuple(m[:2]) for m in halo.messages} == expected
    path = tmp_path / "halo.json"
    path.write_text(halo.to_json())
    assert json.loads(path.read_text())["grid"]["periodic"] == [True, False]
    assert ap.pattern.load(path).to_json() == halo.to_json()
    with pytest.raises(ap.Error, match="periodic"):
        ap.pattern.halo((3, 4), periodic=(True,))


def test_orders_have_summaries():
    names = ap.mapping.orders()
    assert next(iter(names)) == "given"
    assert all(names.values())
    with pytest.raises(ap.Error, match="order = 'best'"):
        ap.mapping.choose("torus:4", ap.pattern.halo((4,)), among=["best"])


def test_the_command_prints_and_writes(allport, tmp_path):
    files = {name: tmp_path / name for name in ("rankfile", "rank-order", "hostfile")}
    options = [part for name, path in files.items() for part in (f"--{name}", str(path))]
    drawing = tmp_path / "loads.svg"
    command = ("map", "-m", "bgp:8x4x2", "--stencil", "3d", "--grid", "8x4x2", *options, "-o", str(drawing))
    ran = allport(*command)
    assert ran.returncode == 0, ran.stderr
    assert "matched" in ran.stdout
    assert "'given' takes" in ran.stdout
    assert all(path.stat().st_size > 0 for path in files.values())
    assert "<svg" in drawing.read_text()
    data = json.loads(allport(*command, "--json").stdout)
    assert data["order"] != "given"
    assert data["candidates"][0]["order"] == "given"


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (["--stencil", "4d", "--grid", "2x2"], "--stencil = '4d'"),
        (["--stencil", "2d"], "--grid"),
        (["--grid", "2x2"], "--pattern"),
        (["--stencil", "2d", "--grid", "2xy"], "--grid = '2xy'"),
        (["--pattern", "alltoall", "--grid", "2x2", "--along", "z"], "--along = 'z'"),
        (["--stencil", "2d", "--grid", "20x20"], "ranks = 400"),
        (["--pattern", "none.json"], "none.json"),
    ],
)
def test_the_command_names_what_is_wrong(allport, options, named):
    ran = allport("map", "-m", "torus:4x4", *options)
    assert ran.returncode != 0
    assert named in ran.stderr


def test_a_machine_of_one_node_has_no_drawing():
    chosen = ap.mapping.choose("torus:1", ap.pattern.Pattern("none", 1, []))
    with pytest.raises(ap.Error, match="one node"):
        draw_loads.loads(chosen)


def test_hosts_may_be_parts_of_nodes_or_absent():
    machine = ap.Machine.from_toml(
        'name = "t"\naxes = [{ length = 2, bandwidth = "1 GB/s", latency = "1 us" }]\n'
        'levels = [{ name = "host", count = 2, bandwidth = "1 GB/s" }, { name = "core", count = 2 }]\n'
    )
    hosts = ["a", "-", "b", "c"]
    allocation = ap.mapping.allocation_on(machine, hosts)
    assert allocation == [0, 1, 4, 5, 6, 7]
    chosen = ap.mapping.choose(machine, ap.pattern.halo((3, 2), local=64), allocation=allocation)
    names = {r: hosts[p // 2] for r, p in enumerate(chosen.places)}
    assert ap.mapping.slurm_hostfile(chosen, hosts).split() == [names[r] for r in range(6)]
    for r, line in enumerate(ap.mapping.open_mpi_rankfile(chosen, hosts).splitlines()):
        assert line == f"rank {r}={names[r]} slot={chosen.places[r] % 2}"
    assert ap.mapping.allocation_on(machine, ["x", "-"]) == [0, 1, 2, 3]
    with pytest.raises(ap.Error, match="3 names: expected 2 or 4 or 8"):
        ap.mapping.allocation_on(machine, ["x"] * 3)


def test_dims_are_of_the_number_of_ranks_and_fit_the_machine():
    assert ap.mapping.dims("torus:4x4", 2) == (4, 4)
    assert ap.mapping.dims("torus:7", 2) in [(7, 1), (1, 7)]
    assert ap.mapping.dims("torus:4x4x4", 3, fixed=(0, 2, 0))[1] == 2
    part = ap.mapping.dims("torus:4x4", 2, ranks=6)  # a row and a half
    assert part[0] * part[1] == 6
    assert ap.mapping.dims("torus:4", 1) == (4,)
    # A domain twice as long along one axis has extents like it where all links are alike.
    long = ap.mapping.dims("torus:8x4", 2, cells=(65536, 32768))
    assert long == (8, 4)
    # Of short messages the number counts: two neighbours are fewer than four.
    assert 1 in ap.mapping.dims("torus:4x4", 2, cells=64)
    # Beside the balanced extents, none takes longer on a machine whose axes differ.
    machine = "gemini:4x2x4"
    chosen = ap.mapping.dims(machine, 3)
    count = ap.Machine.parse(machine).ranks
    assert chosen[0] * chosen[1] * chosen[2] == count

    def takes(grid):
        local = [-(-256 // n) for n in grid]
        return ap.mapping.choose(machine, ap.pattern.halo(grid, local=local), least_gain=0.0, refined=0).score[
            "predicted_s"
        ]

    assert takes(ap.mapping.dims(machine, 3, cells=256)) <= takes((4, 4, 4))
    for wrong, word in [
        ({"axes": 0}, "fixed"),
        ({"axes": 2, "fixed": (3, 0)}, "divides 16"),
        ({"axes": 2, "fixed": (0,)}, "fixed"),
        ({"axes": 2, "ranks": 17}, "ranks"),
        ({"axes": 2, "cells": (3,)}, "cells"),
    ]:
        with pytest.raises(ap.Error, match=word):
            ap.mapping.dims("torus:4x4", **wrong)
