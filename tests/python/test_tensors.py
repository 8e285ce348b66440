"""Tensors: distributions, notation and plans without MPI; contractions on several ranks; the command line."""

import itertools
import json
import math
import string

import allport as ap
import numpy as np
import pytest
from allport.tensors.contraction import of_einsum, of_tensordot
from allport.tensors.distribution import Hop, hops, listing
from conftest import longer

MACHINES = [(1, "-"), (2, "torus:2"), (3, "-"), *longer((5, "torus:5"), (6, "torus:3x2"), (8, "mesh:2x2x2"))]


@pytest.mark.parametrize(("count", "spec"), MACHINES)
def test_on_ranks(ranks, count, spec):
    done = ranks("tensors", count, spec)
    assert done.returncode == 0 and "good" in done.stdout, done.stderr[-3000:]


def test_on_ranks_elsewhere(ranks):
    done = ranks("tensors", 6, "torus:3x2", "4,2,0,5,1,3")
    assert done.returncode == 0 and "good" in done.stdout, done.stderr[-3000:]


def some_distribution(rng, shape, ranks):
    order, groups = [int(a) for a in rng.permutation(len(shape))], []
    while order:
        size = int(rng.integers(1, len(order) + 1)) if rng.random() < 0.4 else 1
        groups.append(tuple(order[:size]))
        order = order[size:]
    left, cuts = ranks, []
    for group in groups:
        extent, parts = math.prod(shape[a] for a in group), int(rng.integers(1, left + 1))
        left //= parts
        cuts.append((0, *sorted(int(n) for n in rng.integers(0, extent + 1, parts - 1)), extent))
    used = math.prod(len(c) - 1 for c in cuts)
    return ap.tensors.TensorDistribution(
        tuple(shape), tuple(groups), tuple(cuts), tuple(int(r) for r in rng.permutation(ranks)[:used])
    )


def owners(distribution):
    """The rank of every element, found one by one from the ranks' boxes."""
    found = np.full(distribution.shape, -1)
    for rank in distribution.ranks:
        box = distribution.box(rank)
        for index in itertools.product(*(range(*ends) for ends in box)):
            at = [0] * len(distribution.shape)
            for group, i in zip(distribution.groups, index, strict=True):
                for axis, k in zip(group, np.unravel_index(i, [distribution.shape[a] for a in group]), strict=True):
                    at[axis] = int(k)
            assert found[tuple(at)] == -1
            found[tuple(at)] = rank
    assert (found >= 0).all()
    return found


def test_exchanges_are_what_changes_hands():
    rng, ranks = np.random.default_rng(3), 6
    direct = 0
    for shape in [(7,), (4, 5), (3, 4, 2), (2, 3, 4, 3), (5, 1, 4), (3, 0, 2)] * 8:
        source, target = (some_distribution(rng, shape, ranks) for _ in range(2))
        found = hops(source, target)
        assert [hop.source.distribution for hop in found[1:]] == [hop.target.distribution for hop in found[:-1]]
        assert not found or (found[0].source.distribution, found[-1].target.distribution) == (source, target)
        direct += len(found) == 1
        for hop in found:
            wanted = np.zeros((ranks, ranks), dtype=int)
            ends = owners(hop.source.distribution), owners(hop.target.distribution)
            np.add.at(wanted, (ends[0].ravel(), ends[1].ravel()), 1)
            np.fill_diagonal(wanted, 0)
            got = np.zeros((ranks, ranks), dtype=int)
            np.add.at(got, hop.messages()[:2], hop.messages()[2])
            assert (got == wanted).all(), (source, target)
            check_traffic(hop, wanted)
    assert direct >= 10


def check_traffic(hop: Hop, wanted):
    """The exchange's own count is the same."""
    from allport import _native

    for rank in range(len(wanted)):
        t = _native.redistribution_traffic(hop.source.native, hop.target.native, rank, 8).to_dict()
        assert (t["bytes_sent"], t["bytes_received"]) == (8 * wanted[rank].sum(), 8 * wanted[:, rank].sum())
        assert (t["messages_sent"], t["messages_received"]) == ((wanted[rank] > 0).sum(), (wanted[:, rank] > 0).sum())


def test_listings_are_counted_last_axis_fastest():
    extent, parts, starts, own = listing([(0, 1, 3), (0, 2, 2, 5)])
    by_hand = [(0 if i < 1 else 1) * 3 + (0 if j < 2 else 2) for i in range(3) for j in range(5)]
    spread = np.repeat(own, np.diff([*starts, extent]))
    assert (extent, parts) == (15, 6) and spread.tolist() == by_hand
    assert listing([])[:2] == (1, 1) and listing([(0, 0)])[2].size == 0


def test_distributions():
    blocks = ap.tensors.TensorDistribution.blocks((7, 3, 5), (2, 1, 3))
    assert (
        blocks.local_shape(0) == (3, 3, 1) and blocks.local_shape(5) == (4, 3, 2) and blocks.local_shape(6) == (0, 0, 0)
    )
    onto = ap.tensors.TensorDistribution.onto((8, 8, 8), "torus:4x2", ("y", "", "x"))
    assert onto.parts == (2, 1, 4) and onto.grid[1, 0].tolist() == [4, 5, 6, 7]
    both = ap.tensors.TensorDistribution.onto((8, 8), "torus:4x2", ("", "yx"), mapping=[7, 6, 5, 4, 3, 2, 1, 0])
    assert both.parts == (1, 8) and both.grid[0].tolist() == [7, 6, 5, 4, 3, 2, 1, 0]
    assert ap.tensors.TensorDistribution.whole_on((2, 2), 3).local_shape(3) == (2, 2)
    fused = ap.tensors.TensorDistribution((4, 6), ((1, 0),), ((0, 5, 24),), (1, 0))
    assert fused.box(1) == ((0, 5),) and not fused.is_blocks and fused.unfused().is_blocks
    for word, make in [
        ("groups", lambda: ap.tensors.TensorDistribution((2, 2), ((0,),), ((0, 2),), (0,))),
        ("cuts", lambda: ap.tensors.TensorDistribution((2,), ((0,),), ((0, 1),), (0,))),
        ("ranks", lambda: ap.tensors.TensorDistribution((2,), ((0,),), ((0, 1, 2),), (0,))),
        ("at most once", lambda: ap.tensors.TensorDistribution((2,), ((0,),), ((0, 1, 2),), (0, 0))),
        ("parts", lambda: ap.tensors.TensorDistribution.blocks((2, 2), (2,))),
        ("where", lambda: ap.tensors.TensorDistribution.onto((2, 2), "torus:4x2", ("x", "x"))),
        ("where", lambda: ap.tensors.TensorDistribution.onto((2, 2), "torus:4x2", ("z", ""))),
    ]:
        with pytest.raises(ap.Error, match=word):
            make()


def test_notation_is_numpys():
    """Random subscripts, good and bad: numpy and we take the same ones, with the same result's shape."""
    rng = np.random.default_rng(5)
    taken = refused = 0
    for _ in range(4000):
        letters = list(rng.choice(list("abcAB"), 4))
        extents = {c: int(rng.integers(1, 4)) for c in string.ascii_letters}
        terms, shapes = [], []
        for _ in range(2):
            term = [str(c) for c in rng.choice(letters, int(rng.integers(0, 4)))]
            shape = [extents[c] if rng.random() < 0.97 else 1 for c in term]
            if rng.random() < 0.3:
                at, free = int(rng.integers(0, len(term) + 1)), int(rng.integers(0, 3))
                term.insert(at, "...")
                shape[at:at] = [int(rng.choice([1, 2])) for _ in range(free)]
            terms.append("".join(term))
            shapes.append(tuple(shape))
        subscripts = ",".join(terms)
        if rng.random() < 0.6:
            out = [str(c) for c in rng.choice([*letters, "..."], int(rng.integers(0, 4)))]
            subscripts += "->" + "".join(out)
        try:
            wanted = np.einsum(subscripts, *(np.ones(s) for s in shapes)).shape
        except ValueError:
            wanted = None
        try:
            got = of_einsum(subscripts, *shapes).shape
        except ap.Error as error:
            assert wanted is None, (subscripts, shapes, wanted, error)
            refused += 1
        else:
            assert got == wanted, (subscripts, shapes, got, wanted)
            taken += 1
    assert taken > 500 and refused > 500
    assert of_tensordot(2, (2, 3, 4), (3, 4, 5)).shape == np.tensordot(np.ones((2, 3, 4)), np.ones((3, 4, 5))).shape


def test_plans_choose_by_exchanges_too():
    shapes = (32, 64, 32, 64), (32, 64, 32, 64)
    free = ap.tensors.plan_einsum("ijab,abkl->ijkl", *shapes, "torus:4x4")
    product = ap.plan.gemm(2048, 2048, 2048, "torus:4x4")
    assert free.predicted == pytest.approx(product.predicted) and free.seconds["redistribute_a"] == 0
    # Blocks that are the product's own cost nothing more, in either order of the grid.
    for where in (("y", "", "x", ""), ("x", "", "y", "")):
        given = ap.tensors.TensorDistribution.onto(shapes[0], "torus:4x4", where)
        plan = ap.tensors.plan_einsum("ijab,abkl->ijkl", *shapes, "torus:4x4", given=(given, given), distribution=given)
        assert plan.predicted == pytest.approx(product.predicted), plan.to_dict()["chosen"]
        assert plan.to_dict()["chosen"]["redistribution_words"] == 0
    # An index that is cut comes first among those that are counted with it.
    other = ap.tensors.TensorDistribution.onto(shapes[0], "torus:4x4", ("", "y", "", "x"))
    plan = ap.tensors.plan_einsum("ijab,abkl->ijkl", *shapes, "torus:4x4", given=(other, None))
    assert plan.choice.rows == ("j", "i") and plan.choice.inner == ("b", "a")
    assert plan.to_dict()["chosen"]["redistribution_words"] == 0 and plan.seconds["redistribute_a"] > 0  # turned round
    # What all ranks exchange with all is dearer than a product on a worse grid.
    lines = ap.tensors.TensorDistribution.onto(shapes[0], "torus:4x4", ("yx", "", "", ""))
    plan = ap.tensors.plan_einsum("ijab,abkl->ijkl", *shapes, "torus:4x4", given=(lines, None), distribution=lines)
    costs = [c["seconds"]["total"] for c in plan.to_dict()["candidates"] if "why_not" not in c]
    assert plan.predicted == min(costs)


def test_batches_are_shared_out_by_price():
    many = ap.tensors.plan_einsum("bij,bjk->bik", (64, 100, 100), (64, 100, 100), "torus:4x4")
    assert many.choice.parts == 16 and many.to_dict()["chosen"]["product_words"] == 0
    few = ap.tensors.plan_einsum("bij,bjk->bik", (2, 3000, 3000), (2, 3000, 3000), "torus:4x4")
    assert few.choice.parts in (1, 2)
    assert few.batches in ((2,), (1, 1))
    with pytest.raises(ap.Error, match="bytes per rank") as error:
        ap.tensors.plan_einsum(
            "bij,bjk->bik", (64, 100, 100), (64, 100, 100), "torus:4x4", options=ap.Options(memory="10kB")
        )
    assert error.value.kind == "memory"


def test_plans_as_json(allport, golden):
    done = allport("plan", "einsum", "ijab,abkl->ijkl", "9x10x11x12", "11x12x9x10", "-m", "torus:4x4", "--json")
    assert done.returncode == 0, done.stderr
    golden("plan-einsum", done.stdout)
    shown = allport("plan", "einsum", "bij,bjk->bik", "64x30x30", "64x30x30", "-m", "torus:4x4", "--all")
    assert shown.returncode == 0 and "16 groups of 1 ranks" in shown.stdout and "columns k" in shown.stdout, (
        shown.stdout
    )
    for arguments, word in [
        (("ij,jk->ik", "3x4", "5x6"), "has extent"),
        (("ij,jk->ik", "3x", "5x6"), "A = '3x'"),
        (("ij", "3x4", "5x6"), "expected two"),
    ]:
        done = allport("plan", "einsum", *arguments, "-n", 4)
        assert done.returncode == 1 and word in done.stderr and "Traceback" not in done.stderr, done.stderr


@pytest.mark.parametrize("count", [1, 3, 4])
def test_run_on_files(allport, tmp_path, count):
    rng = np.random.default_rng(count)
    a, b = rng.standard_normal((5, 3, 4, 6)), rng.standard_normal((6, 4, 7)).astype("f4")
    np.save(tmp_path / "A.npy", a)
    np.save(tmp_path / "B.npy", np.asfortranarray(b))
    done = allport("run", "einsum", "ijab,bak->kij", "A.npy", "B.npy", "-o", "C.npy", "-n", count, "--json")
    assert done.returncode == 0, done.stderr
    data = json.loads(done.stdout)
    assert data["report"]["as_planned"] and data["output"]["shape"] == [7, 5, 3]
    got = np.load(tmp_path / "C.npy")
    np.testing.assert_allclose(got, np.einsum("ijab,bak->kij", a, b), rtol=1e-6, atol=1e-6)
    shown = allport("run", "einsum", "ijab,ijab->", "A.npy", "A.npy", "-o", "s.npy", "-n", count)
    assert shown.returncode == 0 and "what was planned: True" in shown.stdout, shown.stdout + shown.stderr
    np.testing.assert_allclose(np.load(tmp_path / "s.npy"), (a * a).sum())


SLOW_RING = """
name = "slow ring"
flops = "10 GF"
memory = "1 GiB"
overhead = "10 us"
axes = [{ length = 4, wraps = true, bandwidth = "5 MB/s", latency = "100 us" }]
"""


def test_what_ranks_pass_on_is_planned(allport, tmp_path):
    """Where links are the bottleneck, redistributions go from neighbour to neighbour: ranks carry what is others'."""
    machine = tmp_path / "slow.toml"
    machine.write_text(SLOW_RING)
    a = np.random.default_rng(1).standard_normal((12, 40, 24, 20))
    np.save(tmp_path / "A.npy", a)
    done = allport(
        "run", "einsum", "ijab,klab->ijkl", "A.npy", "A.npy", "-o", "C.npy", "-n", 4, "-m", machine, "--json"
    )
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)["report"]
    assert report["as_planned"] and report["redistribution"]["predicted"] == report["redistribution"]["measured"]
    np.testing.assert_allclose(np.load(tmp_path / "C.npy"), np.einsum("ijab,klab->ijkl", a, a))
    blocks = ap.tensors.TensorDistribution.blocks(a.shape, (1, 4, 1, 1))
    plan = ap.tensors.plan_einsum("ijab,klab->ijkl", a.shape, a.shape, str(machine), given=(blocks, blocks))
    hops = [hop for some in plan.redistributions.values() for hop in some if hop.moves]
    straight = sum(n for hop in hops for s, t, n in zip(*hop.messages(), strict=True) if s != t)
    assert hops and plan.traffic()[1][:, 2].sum() > 8 * straight


def test_run_refuses(refuses, tmp_path):
    np.save(tmp_path / "A.npy", np.ones((3, 4)))
    np.save(tmp_path / "o.npy", np.array([None]), allow_pickle=True)
    refuses("einsum", "ij,jk->ik", "A.npy", "A.npy", "-o", "C.npy", words=["has extent"])
    refuses("einsum", "ij,kj->ik", "A.npy", "gone.npy", "-o", "C.npy", words=["B 'gone.npy'", "cannot be read"])
    refuses("einsum", "ij,kj->ik", "A.npy", "o.npy", "-o", "C.npy", words=["o.npy"])
    np.save(tmp_path / "nan.npy", np.full((2, 2, 2), np.nan))
    words = ["'nan.npy': has elements that are infinite or not a number", "numpy.isfinite"]
    refuses("einsum", "abc,abd->cd", "nan.npy", "nan.npy", "-o", "C.npy", "-n", 2, words=words, env={})
    refuses("einsum", "ij,kj->ik", "A.npy", "A.npy", "-o", "C.mtx", words=["output 'C.mtx'", ".npy"])
