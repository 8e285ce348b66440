"""LU factorizations and linear systems against numpy."""

import os
import warnings

import allport as ap
import numpy as np
from linear_algebra import DTYPES, backward_error, comm, fails, random

OP = {"N": lambda a: a, "T": lambda a: a.T, "C": lambda a: a.conj().T}


def partial(a):
    """The pivots of textbook partial pivoting, which are unique for random numbers."""
    a, pivots = a.copy(), []
    for j in range(min(a.shape)):
        i = j + int(np.abs(a[j:, j]).argmax())
        pivots.append(i)
        a[[j, i]] = a[[i, j]]
        a[j + 1 :, j] /= a[j, j]
        a[j + 1 :, j + 1 :] -= np.outer(a[j + 1 :, j], a[j, j + 1 :])
    return pivots


# Factors are what P A = L U says, for every type, shape and pivoting.
for dtype in DTYPES:
    eps = np.finfo(dtype).eps
    for shape in [(40, 40), (33, 17), (17, 33), (1, 1), (1, 5), (5, 1), (2, 2)]:
        for pivot in ["tournament", "partial", "none"]:
            a = random(shape, dtype)
            if pivot == "none":
                k = min(shape)
                a[np.arange(k), np.arange(k)] += 4 * max(shape)
            before = a.copy()
            f = ap.lu(a, comm=comm, options=ap.Options(pivoting=pivot, panel=8))
            report = ap.last_report()
            assert (a == before).all() and f.shape == shape and f.dtype == np.dtype(dtype) and f.pivoting == pivot
            assert f.info == 0 and report.info == 0 and report.as_planned, (shape, pivot, report.to_dict())
            p, l, u = f.p_l_u()
            k = min(shape)
            assert p.shape == (shape[0],) * 2 and l.shape == (shape[0], k) and u.shape == (k, shape[1])
            scale = eps * max(shape) * np.abs(l).sum(axis=1).max() * max(np.abs(u).max(), 1.0)
            assert np.abs(p @ l @ u - a).max() <= scale, (shape, dtype, pivot)
            assert np.abs((l @ u) - a[f.permutation]).max() <= scale
            assert f.residual(a) <= 1, (shape, dtype, pivot, f.residual(a))
            assert f.residual(ap.distribute(a, comm)) <= 1
            assert f.residual(random(shape, dtype) + 3) > 1  # another matrix's
            assert abs(f.growth - np.abs(u).max() / np.abs(a).max()) <= 100 * eps * f.growth
            if pivot == "partial":  # LAPACK compares complex numbers by |re| + |im|
                largest = np.abs(np.tril(l, -1)).max(initial=0)
                assert largest <= (np.sqrt(2) if l.dtype.kind == "c" else 1) + 4 * eps
            if pivot == "partial" and dtype == "f8":
                assert f.pivots.tolist() == partial(a)
            if pivot == "none":
                assert f.pivots.tolist() == list(range(k))

# Solves: one vector, many columns, none; transposed; distributed like b.
for dtype in DTYPES:
    limit = 16 * np.finfo(dtype).eps
    for n in [1, 2, 23, 64]:
        a = random((n, n), dtype) + np.eye(n, dtype=dtype) * 2
        f = ap.lu(a, comm=comm)
        for trans in "NTC":
            for shape in [(n,), (n, 1), (n, 5), (n, 0)]:
                b = random(shape, dtype)
                kept = b.copy()
                x = f.solve(b, trans)
                assert x.shape == shape and x.dtype == np.dtype(dtype) and (b == kept).all()
                assert backward_error(OP[trans](a), x, b) <= limit, (dtype, n, trans, shape)
            b = random((n, 3), dtype)
            distribution = ap.Distribution.cyclic((n, 3), (1, comm.size), (2, 1), list(range(comm.size))[::-1])
            db = ap.distribute(b, comm).redistribute(distribution)
            dx = f.solve(db, trans)
            assert dx.distribution == distribution and (db.to_numpy() == b).all()
            assert backward_error(OP[trans](a), dx.to_numpy(), b) <= limit
            for left, right in [(a, b), (ap.distribute(a, comm), b), (a, db), (ap.distribute(a, comm), db)]:
                x = ap.solve(left, right, trans=trans, comm=comm, options=ap.Options(residual=True))
                report = ap.last_report()
                assert isinstance(x, ap.DistributedMatrix) == (right is db)
                x = x.to_numpy() if right is db else x
                assert backward_error(OP[trans](a), x, b) <= limit, (dtype, n, trans)
                assert 0 <= report.residual <= 16 and report.refinement is None and report.factorization.info == 0

# Refinement from half the precision reaches the whole.
for dtype in ["f8", "c16"]:
    a, b = random((60, 60), dtype) + 10 * np.eye(60), random((60, 2), dtype)
    for trans in "NTC":
        for given in [a, ap.distribute(a, comm)]:
            x = ap.solve(given, b, trans=trans, comm=comm, options=ap.Options(refine=True))
            report = ap.last_report()
            assert backward_error(OP[trans](a), x, b) <= 16 * np.finfo(dtype).eps, (dtype, trans)
            assert report.refinement["iterations"] >= 1 and not report.refinement["fell_back"], report
    x = ap.solve(a * 1e300, b * 1e300, comm=comm, options=ap.Options(refine=True))
    report = ap.last_report()  # too large for half the precision
    assert report.refinement["fell_back"] and report.refinement["why"] == "overflow", report
    assert backward_error(a, x, b) <= 16 * np.finfo(dtype).eps
assert ap.solve(np.zeros((0, 0)), np.zeros(0), comm=comm, options=ap.Options(refine=True)).shape == (0,)
fails(
    "refine",
    lambda: ap.solve(np.eye(3, dtype="f4"), np.ones(3, dtype="f4"), comm=comm, options=ap.Options(refine=True)),
)

# Types: the wider of the two, integers as doubles.
a = random((9, 9))
assert ap.solve(a.astype("f4"), np.ones(9), comm=comm).dtype == np.float64
got = ap.solve(a, np.full(9, 1j), comm=comm)
np.testing.assert_allclose(got, np.linalg.solve(a, np.full(9, 1j)), rtol=1e-9, atol=1e-9)
got = ap.solve(np.array([[2, 1], [1, 3]]), np.array([3, 5]), comm=comm)
np.testing.assert_allclose(got, [0.8, 1.4], rtol=1e-14)
assert (ap.lu(a, comm=comm).solve(np.full(9, 1j, dtype="c8")).dtype, got.dtype) == (np.complex128, np.float64)

# Determinant and condition, as numpy has them.
for dtype in DTYPES:
    a = random((30, 30), dtype)
    f = ap.lu(a, comm=comm)
    sign, logarithm = f.slogdet()
    wanted_sign, wanted = np.linalg.slogdet(a)
    digits = 2e4 * np.finfo(dtype).eps
    assert abs(sign - wanted_sign) <= digits and abs(logarithm - wanted) <= digits, (dtype, sign, wanted_sign)
    assert abs(f.det() - np.linalg.det(a)) <= digits * abs(np.linalg.det(a))
    # An estimate is a lower bound, and rarely off by more than a factor of three.
    assert 0.3 <= f.condition() / np.linalg.cond(a, 1) <= 1.01, dtype
assert ap.lu(np.eye(400) * 10.0, comm=comm).det() == np.inf
assert ap.lu(np.diag([1.0, -1.0, 2.0]), comm=comm).slogdet() == (-1.0, np.log(2.0))

# Singular: factors are complete, INFO names the first zero, solving does not go on.
a = np.diag([3.0, 1.0, 0.0, 5.0, 0.0])
for pivot in ["tournament", "partial", "none"]:
    f = ap.lu(a, comm=comm, options=ap.Options(pivoting=pivot))
    assert f.info == 3 and f.det() == 0 and f.slogdet() == (0, -np.inf) and f.condition() == np.inf, pivot
    error = fails("U[2, 2]", lambda f=f: f.solve(np.ones(5)), ap.SingularMatrix)
    assert error.index == 2 and isinstance(error, np.linalg.LinAlgError) and "INFO = 3" in str(error)
    fails(
        "U[2, 2]",
        lambda pivot=pivot: ap.solve(a, np.ones(5), comm=comm, options=ap.Options(pivoting=pivot)),
        ap.SingularMatrix,
    )
fails("U[2, 2]", lambda: ap.solve(a, np.ones(5), comm=comm, options=ap.Options(refine=True)), ap.SingularMatrix)
ones = ap.lu(np.ones((12, 12)), comm=comm, options=ap.Options(panel=4))
assert ones.info == 2 and ones.residual(np.ones((12, 12))) <= 1
assert ap.lu(np.zeros((4, 6)), comm=comm).info == 1

# Nothing there.
for shape in [(0, 0), (0, 4), (4, 0)]:
    f = ap.lu(np.zeros(shape), comm=comm)
    assert f.info == 0 and f.pivots.shape == (0,) and f.shape == shape and f.permutation.tolist() == [*range(shape[0])]
empty = ap.lu(np.zeros((0, 0)), comm=comm)
assert empty.solve(np.zeros((0, 3))).shape == (0, 3) and empty.det() == 1
assert ap.solve(np.zeros((0, 0)), np.zeros(0), comm=comm).shape == (0,)

# NaN flows, as in numpy.
a = random((20, 20))
spoilt = a.copy()
spoilt[7, 3] = np.nan
for pivot in ["tournament", "partial"]:
    f = ap.lu(spoilt, comm=comm, options=ap.Options(pivoting=pivot, panel=4))
    assert np.isnan(f.growth) and np.isnan(f.residual(spoilt))
    assert np.isnan(ap.solve(spoilt, np.ones(20), comm=comm, options=ap.Options(pivoting=pivot))).any()
b = np.ones((20, 2))
b[4, 1] = np.nan
x = ap.solve(a, b, comm=comm)
assert np.isnan(x[:, 1]).all() and not np.isnan(x[:, 0]).any()

# Growth: told, and mended where asked.
n = 40
wilkinson = np.tril(-np.ones((n, n)), -1) + np.eye(n)
wilkinson[:, -1] = 1
tiny = random((n, n))
tiny[0, 0] = 1e-9
with warnings.catch_warnings(record=True) as heard:
    warnings.simplefilter("always")
    f = ap.lu(wilkinson, comm=comm, options=ap.Options(pivoting="partial", growth_bound=1e6))
    assert f.growth == 2.0 ** (n - 1) and f.pivoting == "partial"
    g = ap.lu(tiny, comm=comm, options=ap.Options(pivoting="none", growth_bound=1e4))
    assert g.growth > 1e4 and g.pivoting == "none"
    h = ap.lu(tiny, comm=comm, options=ap.Options(pivoting="none", growth_bound=1e4, fall_back=True))
    assert h.growth < 100 and h.pivoting == "partial" and h.residual(tiny) <= 1
    given = ap.distribute(tiny, comm)
    over = ap.lu(given, overwrite_a=True, options=ap.Options(pivoting="none", growth_bound=1e4, fall_back=True))
    assert over.factors is given and over.pivoting == "partial" and over.residual(tiny) <= 1
told = [w for w in heard if issubclass(w.category, ap.linalg.GrowthWarning)]
assert len(told) == (4 if comm.rank == 0 else 0) and all("growth" in str(w.message) for w in told)

# In place, in the caller's distribution.
a = random((30, 30))
distribution = ap.Distribution.cyclic((30, 30), (comm.size, 1), (3, 4), list(range(comm.size)))
given = ap.distribute(a, comm, distribution=distribution)
f = ap.lu(given, overwrite_a=True)
assert f.factors is given and f.factors.distribution == distribution and f.residual(a) <= 1
given = ap.distribute(a, comm, distribution=distribution)
f = ap.lu(given)
assert f.factors is not given and (given.to_numpy() == a).all() and f.residual(given) <= 1

# Every algorithm and grid that serves.
seen = set()
plan = ap.plan.lu(30, 30, comm.machine, options=ap.Options(mapping=comm.mapping))
for candidate in plan.to_dict()["candidates"]:
    name, grid = candidate["algorithm"], tuple(candidate["grid"])
    if candidate.get("why_not") or (name, grid) in seen or len(seen) > 12:
        continue
    seen.add((name, grid))
    f = ap.lu(a, comm=comm, options=ap.Options(algorithm=name, grid=grid, panel=4))
    assert f.residual(a) <= 1 and f.report.as_planned, (name, grid)
assert seen
mine = ap.lu(a, plan=plan, comm=comm)
assert mine.residual(a) <= 1 and plan.grid == tuple(plan.to_dict()["chosen"]["grid"])
for grid in ((1, comm.size, 1), (comm.size, 1, 1)):
    steps: list[tuple[int, int]] = []
    ap.lu(
        random((200, 200)),
        comm=comm,
        options=ap.Options(grid=grid, panel=16, progress=lambda *said, to=steps: to.append(said)),
    )
    assert steps and steps == sorted(steps) and steps[-1][0] == steps[-1][1], (grid, steps)

# Kept in a file and read again, also by numpy.
for dtype in DTYPES:
    for shape in [(21, 21), (7, 12), (12, 7)]:
        a = random(shape, dtype)
        f = ap.lu(a, comm=comm)
        path = comm.mpi4py.bcast(os.path.join(os.getcwd(), f"F-{dtype}-{shape[0]}.npz"))
        f.save(path)
        again = ap.linalg.LU.load(path, comm)
        assert (again.factors.to_numpy() == f.factors.to_numpy()).all() and (again.pivots == f.pivots).all()
        assert again.info == f.info and again.growth == f.growth and again.norm1 == f.norm1 and again.report is None
        if shape[0] == shape[1]:
            assert backward_error(a, again.solve(a[:, 0]), a[:, 0]) <= 16 * np.finfo(dtype).eps
            assert again.condition() == f.condition()
        whole = f.factors.to_numpy()
        if comm.rank == 0:
            with np.load(path) as file:
                assert (file["factors"] == whole).all() and (file["pivots"] == f.pivots).all()
            np.savez(path, factors=np.ascontiguousarray(whole), pivots=f.pivots)
        comm.barrier()
        assert (ap.linalg.LU.load(path, comm).factors.to_numpy() == whole).all()
if comm.rank == 0:
    np.savez("bad.npz", factors=np.eye(3), pivots=np.array([0, 0, 2]))
    np.savez("half.npz", factors=np.eye(3))
    with open("text.npz", "w") as file:
        file.write("hello")
comm.barrier()
fails("pivots", lambda: ap.linalg.LU.load("bad.npz", comm))
fails("no pivots", lambda: ap.linalg.LU.load("half.npz", comm))
fails("text.npz", lambda: ap.linalg.LU.load("text.npz", comm))
fails("gone.npz", lambda: ap.linalg.LU.load("gone.npz", comm))
fails("no/folder", lambda: f.save("no/folder/F.npz"))
fails(".npz", lambda: f.save("F.npy"))

# What is wrong is said, on all ranks.
square, tall = np.eye(4), np.ones((5, 3))
for word, call in [
    ("5 x 3", lambda: ap.solve(tall, np.ones(5), comm=comm)),
    ("5 x 3", lambda: ap.lu(tall, comm=comm).solve(np.ones(5))),
    ("5 x 3", lambda: ap.lu(tall, comm=comm).det()),
    ("5 x 3", lambda: ap.lu(tall, comm=comm).condition()),
    ("4", lambda: ap.solve(square, np.ones(5), comm=comm)),
    ("5 rows", lambda: ap.lu(square, comm=comm).solve(np.ones((5, 2)))),
    ("trans", lambda: ap.solve(square, np.ones(4), trans="H", comm=comm)),
    ("1 dimensions", lambda: ap.lu(np.ones(4), comm=comm)),
    ("3 dimensions", lambda: ap.solve(square, np.ones((4, 1, 1)), comm=comm)),
    ("pivot", lambda: ap.lu(square, comm=comm, options=ap.Options(pivoting="sometimes"))),
    ("magic", lambda: ap.lu(square, comm=comm, options=ap.Options(algorithm="magic"))),
    ("grid", lambda: ap.lu(square, comm=comm, options=ap.Options(grid="7x7x7"))),
    ("growth_bound", lambda: ap.lu(square, comm=comm, options=ap.Options(growth_bound=-1))),
    ("fall_back", lambda: ap.lu(square, comm=comm, options=ap.Options(fall_back=True))),
    ("fall_back", lambda: ap.solve(square, np.ones(len(square)), comm=comm, options=ap.Options(fall_back=True))),
    (
        "growth_bound",
        lambda: ap.solve(square, np.ones(len(square)), comm=comm, options=ap.Options(growth_bound=9.0, refine=True)),
    ),
    ("memory", lambda: ap.lu(square, comm=comm, options=ap.Options(memory=0))),
    ("10", lambda: ap.lu(square, comm=comm, options=ap.Options(memory=10))),
    (
        "4 x 4",
        lambda: ap.lu(tall, plan=ap.plan.lu(4, 4, comm.machine, options=ap.Options(mapping=comm.mapping)), comm=comm),
    ),
    ("object", lambda: ap.lu(np.array([[None]]), comm=comm)),
    ("5 x 3", lambda: ap.lu(square, comm=comm).residual(tall)),
    ("ord", lambda: ap.linalg.norm(ap.distribute(square, comm), "two")),
]:
    fails(word, call)
if comm.size > 1:
    error = fails("n", lambda: ap.solve(np.eye(4 + (comm.rank == 1)), np.ones(4 + (comm.rank == 1)), comm=comm))
    assert error.kind == "mismatch", error.kind
for which in [1, np.inf, "fro"]:
    for dtype in DTYPES:
        a = random((13, 8), dtype)
        got = ap.linalg.norm(ap.distribute(a, comm), which)
        assert abs(got - np.linalg.norm(a, which)) <= 100 * np.finfo(dtype).eps * got
assert ap.linalg.norm(ap.distribute(tall, comm), "max") == 1
comm.barrier()
if comm.rank == 0:
    print("good", len(seen))
