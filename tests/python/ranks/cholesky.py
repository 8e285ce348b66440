"""Cholesky factorizations and positive definite systems against numpy."""

import allport as ap
import numpy as np
from linear_algebra import DTYPES, backward_error, comm, fails, random


def positive(n, dtype="f8"):
    x = random((n, n), dtype)
    return (x @ x.conj().T + n * np.eye(n)).astype(dtype)


def half(a, lower):
    """a with marks where nothing may be read."""
    kept = np.tri(*a.shape, dtype=bool)
    return np.where(kept if lower else kept.T, a, a.dtype.type(77))


for dtype in DTYPES:
    eps = np.finfo(dtype).eps
    for n in [0, 1, 2, 41]:
        for lower in (True, False):
            a = positive(n, dtype)
            given = half(a, lower) if n else a
            kept = given.copy()
            wanted = np.linalg.cholesky(a)
            wanted = wanted if lower else wanted.conj().T
            for matrix in [given, ap.distribute(given, comm)]:
                f = ap.cholesky(matrix, lower=lower, comm=comm, options=ap.Options(nb=8, workers=1 + n % 2))
                report = ap.last_report()
                found = f.factor.to_numpy()
                assert f.info == report.info == 0 and f.shape == (n, n) and f.dtype == np.dtype(dtype)
                assert np.abs(found - wanted).max(initial=0) <= 20 * eps * np.sqrt(n + 1) * (n + 1) ** 0.5
                assert f.residual(given) <= 2 and f.residual(ap.distribute(given, comm)) <= 2
                assert abs(f.logdet() - np.linalg.slogdet(a)[1]) <= 100 * eps * (n + 1)
                for shape in [(n,), (n, 1), (n, 5), (n, 0)]:
                    b = random(shape, dtype)
                    x = f.solve(b)
                    assert x.shape == shape and x.dtype == np.dtype(dtype)
                    assert backward_error(a, x, b) <= 16 * eps, (dtype, n, lower, shape)
            assert (given == kept).all()
            b = random((n, 3), dtype)
            distribution = ap.Distribution.cyclic((n, 3), (1, comm.size), (2, 1), list(range(comm.size))[::-1])
            db = ap.distribute(b, comm).redistribute(distribution)
            for left, right in [(given, b), (ap.distribute(given, comm), b), (given, db)]:
                how = ap.Options(residual=True)
                x = ap.solve(left, right, assume_a="pos", lower=lower, comm=comm, options=how)
                report = ap.last_report()
                assert isinstance(x, ap.DistributedMatrix) == (right is db)
                x = x.to_numpy() if right is db else x
                assert backward_error(a, x, b) <= 16 * eps
                assert 0 <= report.residual <= 16 and report.factorization.info == 0, report
            assert (db.to_numpy() == b).all()

# In place the other triangle stays; types widen.
a = positive(30)
given = ap.distribute(half(a, "L"), comm)
f = ap.cholesky(given, lower=True, overwrite_a=True)
assert f.factor is given and np.triu(given.to_numpy(), 1)[0, 1] == 77 and f.residual(a) <= 1
assert ap.solve(a.astype("f4"), np.ones(30), assume_a="pos", comm=comm).dtype == np.float64
assert ap.solve(a, np.full(30, 1j), assume_a="pos", trans="C", comm=comm).dtype == np.complex128
np.testing.assert_allclose(
    ap.solve(a, np.ones(30), assume_a="pos", trans="T", comm=comm), np.linalg.solve(a, np.ones(30))
)
assert ap.cholesky(np.array([[4, 2], [2, 5]]), lower=True, comm=comm).factor.to_numpy().tolist() == [[2, 0], [1, 2]]
plan = ap.plan.cholesky(30, comm.machine, options=ap.Options(nb=4, workers=2))
assert ap.cholesky(a, plan=plan, comm=comm).factor.distribution == plan.distribution
assert ap.solve(a, np.ones(30), assume_a="pos", plan=plan, comm=comm).shape == (30,)

# Not positive definite: the leading minor is named, on all ranks.
for bad, at in [(-1.0, 0), (0.0, 17), (np.nan, 29)]:
    wrong = a.copy()
    wrong[at, at] = bad
    error = fails(
        f"order {at + 1} ",
        lambda w=wrong: ap.cholesky(w, comm=comm, options=ap.Options(nb=4)),
        ap.NotPositiveDefinite,
    )
    assert error.minor == at + 1 and isinstance(error, np.linalg.LinAlgError) and error.kind == "argument"
    fails("INFO", lambda w=wrong: ap.solve(w, np.ones(30), assume_a="pos", comm=comm), ap.NotPositiveDefinite)
    f = ap.cholesky(wrong, comm=comm, check=False)
    assert f.info == at + 1
    fails("INFO", lambda f=f: f.solve(np.ones(30)), ap.NotPositiveDefinite)
    fails("INFO", f.logdet, ap.NotPositiveDefinite)

# What is wrong is said, on all ranks.
tall = np.ones((5, 3))
for word, call in [
    ("5 x 3", lambda: ap.cholesky(tall, comm=comm)),
    ("grid", lambda: ap.cholesky(a, comm=comm, options=ap.Options(grid="7x7"))),
    ("layers", lambda: ap.cholesky(a, comm=comm, options=ap.Options(grid="1x1x2"))),
    ("nb = -1", lambda: ap.cholesky(a, comm=comm, options=ap.Options(nb=-1))),
    ("workers = 0", lambda: ap.cholesky(a, comm=comm, options=ap.Options(workers=0))),
    ("10", lambda: ap.cholesky(a, comm=comm, options=ap.Options(memory=10))),
    ("4 x 4", lambda: ap.cholesky(a, plan=ap.plan.cholesky(4, comm.machine), comm=comm)),
    ("29", lambda: ap.cholesky(a, comm=comm).solve(np.ones(29))),
    ("5 x 3", lambda: ap.cholesky(a, comm=comm).residual(tall)),
    ("assume_a = 'spd'", lambda: ap.solve(a, np.ones(30), assume_a="spd", comm=comm)),
    ("refine", lambda: ap.solve(a, np.ones(30), assume_a="pos", comm=comm, options=ap.Options(refine=True))),
    ("pivot", lambda: ap.solve(a, np.ones(30), assume_a="pos", comm=comm, options=ap.Options(pivoting="none"))),
    ("workers", lambda: ap.solve(a, np.ones(30), comm=comm, options=ap.Options(workers=2))),
    ("plan.lu", lambda: ap.solve(a, np.ones(30), plan=plan, comm=comm)),
    (
        "plan.cholesky",
        lambda: ap.solve(
            a,
            np.ones(30),
            assume_a="pos",
            plan=ap.plan.lu(30, 30, comm.machine, options=ap.Options(mapping=comm.mapping)),
            comm=comm,
        ),
    ),
    ("trans = 'T'", lambda: ap.solve(a + 0j, np.ones(30), assume_a="pos", trans="T", comm=comm)),
]:
    fails(word, call)

comm.barrier()
if comm.rank == 0:
    print("good")
