"""Distributed tensors and their contractions against numpy: any distributions, types, extents; words as planned."""

import itertools
import math

import allport as ap
import numpy as np
from given_comm import comm

rng = np.random.default_rng(17)  # the same numbers on every rank
TYPES = ["f4", "f8", "c8", "c16"]


def random(shape, dtype):
    x = rng.standard_normal(shape)
    return np.asarray(x + 1j * rng.standard_normal(shape) if np.dtype(dtype).kind == "c" else x).astype(dtype)


def close(got, wanted, what=""):
    got, wanted = np.asarray(got), np.asarray(wanted)
    assert got.shape == wanted.shape and got.dtype == wanted.dtype, (what, got.shape, got.dtype, wanted.dtype)
    scale = np.finfo(wanted.dtype).eps * max(1.0, np.abs(wanted).max(initial=0.0)) * 256
    assert np.abs(got - wanted).max(initial=0.0) <= scale, (what, np.abs(got - wanted).max())


def some_distribution(shape):
    """Axes in random order and random groups, cut at random, on some of the ranks in random order."""
    order, groups = [int(a) for a in rng.permutation(len(shape))], []
    while order:
        size = 1 if rng.random() < 0.6 else int(rng.integers(1, len(order) + 1))
        groups.append(tuple(order[:size]))
        order = order[size:]
    left, cuts = comm.size, []
    for group in groups:
        extent, parts = math.prod(shape[a] for a in group), int(rng.integers(1, left + 1))
        left //= parts
        inner = sorted(int(n) for n in rng.integers(0, extent + 1, parts - 1))
        cuts.append((0, *inner, extent))
    used = math.prod(len(c) - 1 for c in cuts)
    ranks = [int(r) for r in rng.permutation(comm.size)[:used]]
    return ap.tensors.TensorDistribution(tuple(shape), tuple(groups), tuple(cuts), tuple(ranks))


def refuses(word, call):
    """One error with one text on every rank."""
    told = "no error"
    try:
        call()
    except ap.Error as error:
        told = str(error)
    assert word in told, (word, told)
    assert len(set(comm.mpi4py.allgather(told))) == 1, told


def check_tensors():
    for shape in [(), (5,), (3, 4), (5, 1, 7), (2, 3, 4, 5), (3, 0, 2), (2, 1, 3, 2, 3)]:
        whole = random(shape, TYPES[len(shape) % 4])
        root = comm.size - 1
        dealt = ap.tensors.distribute(whole if comm.rank == root else None, comm, root=root)
        assert dealt.shape == shape and dealt.distribution.is_blocks
        assert (dealt.to_numpy() == whole).all()
        for _ in range(2):
            moved = dealt.redistribute(some_distribution(shape)).redistribute(some_distribution(shape))
            back = moved.gather(root)
            assert (back is None) == (comm.rank != root)
            assert back is None or ((back == whole).all() and back.flags.c_contiguous)
            axes = [int(a) for a in rng.permutation(len(shape))]
            assert (moved.transpose(*axes).to_numpy() == whole.transpose(axes)).all()
            twice = moved + 2 * dealt - dealt
            close(twice.to_numpy(), 2 * whole, shape)
            close((-moved).conj().to_numpy(), (-whole).conj())
            name = comm.mpi4py.bcast(f"t{len(shape)}.npy")
            moved.save(name)
            comm.barrier()
            assert (np.load(name) == whole).all() and np.load(name).dtype == whole.dtype
            again = ap.tensors.load(name, comm, distribution=some_distribution(shape))
            assert (again.to_numpy() == whole).all()
            rows = int(rng.integers(0, len(shape) + 1))
            matrix = moved.to_matrix(rows)
            flat = whole.reshape(math.prod(shape[:rows]), math.prod(shape[rows:]))
            assert (matrix.to_numpy() == flat).all(), (shape, rows)
            assert (ap.DistributedTensor.from_matrix(matrix, shape).to_numpy() == whole).all()
            comm.barrier()
    zeros = ap.DistributedTensor.zeros(comm, (3, 5, 2), "c8")
    assert not zeros.to_numpy().any() and zeros.dtype == np.complex64 and zeros.size == 30
    assert np.float64(2) * ap.tensors.distribute(np.ones((2, 2)), comm) is not None


CASES = [
    # matrix-like, all orders of free and inner indices
    ("ijab,abkl->ijkl", (3, 5, 2, 4), (2, 4, 3, 5)),
    ("ijab,kbla->likj", (3, 2, 5, 4), (3, 4, 5, 5)),
    ("iajb,jkbc->ikac", (3, 4, 2, 5), (2, 3, 5, 4)),
    ("abc,cd->abd", (7, 1, 5), (5, 9)),
    ("ab,bc", (13, 11), (11, 7)),
    ("ba,cb", (11, 13), (7, 11)),
    ("abcd,dcba->", (3, 2, 4, 3), (3, 4, 2, 3)),
    ("a,b->ba", (9,), (5,)),
    (",ab->ab", (), (4, 6)),
    ("ab,->ba", (4, 6), ()),
    (",", (), ()),
    ("a,a", (17,), (17,)),
    # batches
    ("bij,bjk->bik", (7, 3, 5), (7, 5, 4)),
    ("ibj,jkb->kib", (3, 6, 5), (5, 4, 6)),
    ("bcij,cbj->icb", (2, 3, 4, 5), (3, 2, 5)),
    ("ab,ab->ab", (5, 7), (5, 7)),
    ("ab,ab->ba", (5, 7), (5, 7)),
    ("a,a->a", (23,), (23,)),
    ("bij,bjk->bik", (1, 3, 5), (1, 5, 4)),
    ("bij,bjk->bik", (40, 2, 3), (40, 3, 2)),
    # sums over one operand's own indices, diagonals, traces
    ("ijk,kl->il", (4, 6, 5), (5, 3)),
    ("ij,kl->k", (4, 5), (3, 6)),
    ("ij,kl->", (4, 5), (3, 6)),
    ("iij,jk->ik", (5, 5, 4), (4, 3)),
    ("iij,jk->jk", (5, 5, 4), (4, 3)),
    ("iji,kkj->j", (4, 5, 4), (3, 3, 5)),
    ("iii,ij->ij", (4, 4, 4), (4, 3)),
    ("abcb,cdd->ac", (3, 4, 5, 4), (5, 6, 6)),
    # broadcasting
    ("...ij,...jk->...ik", (3, 1, 4, 5), (2, 5, 3)),
    ("...ij,...jk", (2, 3, 4, 5), (5, 3)),
    ("i...,i...->...i", (3, 4), (3, 2, 4)),
    ("ij,jk->ik", (4, 1), (6, 3)),
    ("ij,jk->ik", (4, 6), (1, 3)),
    ("bij,bjk->bik", (1, 4, 5), (3, 5, 2)),
    ("ij,kl->jk", (1, 4), (3, 1)),
    # extents of nothing
    ("ij,jk->ik", (3, 0), (0, 4)),
    ("ij,jk->ik", (0, 3), (3, 4)),
    ("bij,bjk->bik", (0, 3, 4), (0, 4, 2)),
    ("ijk,kl->il", (3, 0, 4), (4, 2)),
    ("iij,jk->ik", (0, 0, 4), (4, 3)),
]


def check_einsum():
    for number, (subscripts, shape_a, shape_b) in enumerate(CASES):
        dtype = TYPES[number % 4]
        for mixed in (number % 3 == 0,):
            a, b = random(shape_a, dtype), random(shape_b, TYPES[(number + 1) % 4] if mixed else dtype)
            wanted = np.einsum(subscripts, a, b)
            wanted = np.asarray(wanted, dtype=np.result_type(a.dtype, b.dtype))
            close(ap.einsum(subscripts, a, b, comm=comm), wanted, subscripts)
            for how in (1, 3) if number % 2 else (1, 2, 0)[: 2 + (number % 8 == 0)]:
                given = [
                    ap.tensors.distribute(x, comm, distribution=some_distribution(x.shape) if how else None)
                    for x in (a, b)
                ]
                if how == 2:
                    given[int(rng.integers(2))] = [a, b][int(rng.integers(2))]
                    given = [given[0] if given[0] is not b else a, given[1] if given[1] is not a else b]
                out = some_distribution(wanted.shape) if how == 3 else None
                got = ap.einsum(subscripts, *given, comm=comm, distribution=out)
                report = ap.last_report()
                assert out is None or got.distribution == out
                close(got.to_numpy() if isinstance(got, ap.DistributedTensor) else got, wanted, (subscripts, how))
                assert report.as_planned, (subscripts, how, report.to_dict())


def check_products_by_name():
    """Every algorithm and many grids, through the same exchanges."""
    a, b = random((5, 3, 6, 4), "f8"), random((6, 4, 7, 2), "f8")
    wanted = np.einsum("ijab,abkl->kjil", a, b)
    parts = [ap.tensors.distribute(x, comm, distribution=some_distribution(x.shape)) for x in (a, b)]
    for algorithm in ("summa", "summa25", "3d", "cannon"):
        for grid in itertools.product(range(1, comm.size + 1), repeat=3):
            if math.prod(grid) != comm.size or (algorithm == "summa" and grid[2] > 1):
                continue
            if algorithm == "cannon" and (grid[0] != grid[1] or grid[2] > 1):
                continue
            if algorithm in ("summa25", "3d") and grid[2] == 1:
                continue
            out = some_distribution(wanted.shape)
            got = ap.einsum(
                "ijab,abkl->kjil", *parts, distribution=out, options=ap.Options(algorithm=algorithm, grid=grid)
            )
            report = ap.last_report()
            close(got.to_numpy(), wanted, (algorithm, grid))
            assert report.as_planned


def check_tensordot():
    for number, (axes, shape_a, shape_b) in enumerate(
        [
            (2, (3, 4, 5), (4, 5, 6)),
            (0, (3, 2), (4,)),
            (1, (7,), (7,)),
            (0, (), ()),
            (([2, 0], [1, 3]), (3, 4, 5), (2, 5, 4, 3)),
            ((1, 0), (3, 4), (4, 5)),
            ((-1, -2), (3, 4), (4, 5)),
            (([], []), (2, 3), (3,)),
            (2, (3, 4, 0), (4, 0, 2)),
        ]
    ):
        for dtype in (TYPES[number % 4],):
            a, b = random(shape_a, dtype), random(shape_b, dtype)
            wanted = np.asarray(np.tensordot(a, b, axes), dtype=dtype)
            close(ap.tensordot(a, b, axes, comm=comm), wanted, axes)
            parts = [ap.tensors.distribute(x, comm, distribution=some_distribution(x.shape)) for x in (a, b)]
            got = ap.tensordot(*parts, axes)
            report = ap.last_report()
            close(got.to_numpy(), wanted, axes)
            assert report.as_planned
            assert set(report.seconds) == {"total", "product", "compute", "wait", "redistribute"}
    integers = np.arange(12).reshape(3, 4)
    close(ap.tensordot(integers, integers.T, 1, comm=comm), (integers @ integers.T).astype(float))


def check_plans():
    a, b = random((6, 5, 4, 3), "f8"), random((4, 3, 5, 7), "f8")
    wanted = np.einsum("ijab,abkl->ijkl", a, b)
    plan = ap.tensors.plan_einsum(
        "ijab,abkl->ijkl", a.shape, b.shape, comm.machine, options=ap.Options(mapping=comm.mapping)
    )
    parts = [ap.tensors.distribute(x, comm, distribution=d) for x, d in ((a, plan.a), (b, plan.b))]
    got = ap.einsum("ijab,abkl->ijkl", *parts, plan=plan)
    report = ap.last_report()
    close(got.to_numpy(), wanted)
    data = report.to_dict()
    assert report.as_planned and data["redistributed_bytes"] == 0 and got.distribution == plan.c
    assert "Contraction, as it ran" in (report._repr_html_() or "") and repr(report).startswith("ContractionReport(")
    # The same plan for tensors that lie elsewhere, and one for something else.
    moved = [x.redistribute(some_distribution(x.shape)) for x in parts]
    got = ap.einsum("ijab,abkl->ijkl", *moved, plan=plan)
    report = ap.last_report()
    close(got.to_numpy(), wanted)
    assert report.as_planned
    refuses("plan: is for contraction", lambda: ap.einsum("ijab,abkl->ijlk", *parts, plan=plan))
    refuses(
        "plan: is for dtype", lambda: ap.einsum("ijab,abkl->ijkl", a.astype("f4"), b.astype("f4"), comm=comm, plan=plan)
    )
    # One after the other, the result of one as it lies being an operand of the next.
    x, wanted = parts[0], a
    for subscripts in ("ijab,abkl->ikjl", "ikjl,ljab->iabk", "iabk,kbxy->ixya"):
        shape = list(wanted.shape)
        other = random(
            (shape[2], shape[3], 3, 2)
            if "abkl" in subscripts
            else (shape[3], shape[2], 4, 3)
            if "ljab" in subscripts
            else (shape[3], shape[2], 2, 5),
            "f8",
        )
        wanted = np.einsum(subscripts, wanted, other)
        x = ap.einsum(subscripts, x, ap.tensors.distribute(other, comm))
        report = ap.last_report()
        assert report.as_planned, subscripts
        close(x.to_numpy(), wanted, subscripts)


def check_errors():
    a, b = np.ones((3, 4)), np.ones((4, 5))
    part = ap.tensors.distribute(a, comm)
    for word, call in [
        ("expected two", lambda: ap.einsum("ij->ij", a, b, comm=comm)),
        ("'k'", lambda: ap.einsum("ij,jl->ik", a, b, comm=comm)),
        ("twice", lambda: ap.einsum("ij,jk->ii", a, b, comm=comm)),
        ("more subscripts for a", lambda: ap.einsum("ijk,jk->i", a, b, comm=comm)),
        ("fewer subscripts for b", lambda: ap.einsum("ij,j->i", a, b, comm=comm)),
        ("has extent 4", lambda: ap.einsum("ij,jk->ik", a.T, b, comm=comm)),
        ("'1'", lambda: ap.einsum("i1,1k->ik", a, b, comm=comm)),
        ("subscripts: expected a text", lambda: ap.einsum(a, [0, 1], b, comm=comm)),
        ("write '...' there", lambda: ap.einsum("...j,jk->k", a, b, comm=comm)),
        ("axes = 3", lambda: ap.tensordot(a, b, 3, comm=comm)),
        ("has extent 3", lambda: ap.tensordot(a, b, ([0], [0]), comm=comm)),
        ("twice", lambda: ap.tensordot(a, a, ([0, 0], [0, 1]), comm=comm)),
        ("axis 7", lambda: ap.tensordot(a, b, ([7], [0]), comm=comm)),
        ("distribution", lambda: ap.einsum("ij,jk", a, b, comm=comm, distribution=part.distribution)),
        ("dtype", lambda: ap.einsum("ij,jk", a.astype(object), b, comm=comm)),
        ("memory", lambda: ap.einsum("ij,jk", part, b, options=ap.Options(memory=8))),
        ("DistributedMatrix", lambda: ap.einsum("ij,jk", ap.distribute(a, comm), b)),
        ("other: has shape", lambda: part + ap.tensors.distribute(b, comm)),
        ("einsum() multiplies", lambda: part * part),
        ("axes = (0, 0)", lambda: part.transpose(0, 0)),
        ("expected 0 to 2 axes", lambda: part.to_matrix(3)),
        ("of shape (4, 5)", lambda: part.redistribute(ap.tensors.TensorDistribution.whole_on((4, 5)))),
        ("there is no folder", lambda: part.save("nowhere/x.npy")),
        (".npy", lambda: part.save("x.mtx")),
        ("cannot be read", lambda: ap.tensors.load("gone.npy", comm)),
    ]:
        refuses(word, call)
    if comm.size > 1:
        try:
            ap.einsum("ij,jk", a if comm.rank else a[:1], b, comm=comm)
        except ap.Error as error:
            assert error.kind == "mismatch" and "float64[1, 4]" in str(error), error
        else:
            raise AssertionError("ranks that disagree")
        try:
            ap.einsum("ij,jk" if comm.rank else "ij,jk->ki", a, b, comm=comm)
        except ap.Error as error:
            assert error.kind == "mismatch" and "arguments of the contraction" in str(error), error
        else:
            raise AssertionError("ranks that disagree")
    close(ap.einsum("ij,jk", part, b).to_numpy(), a @ b)  # the communicator goes on working


check_tensors()
check_einsum()
check_products_by_name()
check_tensordot()
check_plans()
check_errors()
comm.barrier()
if comm.rank == 0:
    print("good", comm.machine.name)
