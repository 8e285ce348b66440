"""QR factorizations and least squares against numpy."""

import allport as ap
import numpy as np
from linear_algebra import DTYPES, comm, fails, random

SHAPES = [(0, 0), (0, 3), (3, 0), (1, 1), (1, 7), (7, 1), (41, 41), (60, 13), (13, 60)]


# Factors for every type and shape, from arrays and distributed matrices, which stay as they are.
for dtype in DTYPES:
    eps = np.finfo(dtype).eps
    for m, n in SHAPES:
        a = random((m, n), dtype)
        k = min(m, n)
        limit = 20 * eps * max(m, n, 1) * max(1.0, np.abs(a).max(initial=0))
        for given in [a, ap.distribute(a, comm)]:
            (q, r) = ap.qr(given, comm=comm, options=ap.Options(nb=8, workers=1 + m % 2))
            report = ap.last_report()
            if given is not a:
                assert isinstance(q, ap.DistributedMatrix) and (given.to_numpy() == a).all()
                q, r = q.to_numpy(), r.to_numpy()
            assert q.shape == (m, k) and r.shape == (k, n) and q.dtype == r.dtype == np.dtype(dtype)
            assert np.abs(q @ r - a).max(initial=0) <= limit, (m, n, dtype)
            assert np.abs(q.conj().T @ q - np.eye(k)).max(initial=0) <= limit, (m, n, dtype)
            assert (np.tril(r, -1) == 0).all() and (np.diag(r).imag == 0).all()
            assert k == 0 or (report.to_dict()["tasks"] > 0 and report.seconds["total"] > 0)
            again = ap.qr(given, "r", comm=comm, options=ap.Options(nb=8))
            again = again if given is a else again.to_numpy()
            assert (again == r).all()  # the same bits
a = ap.distribute(random((30, 20)), comm)
kept = a.to_numpy()
q, r = ap.qr(a, overwrite_a=True, options=ap.Options(grid=(comm.size, 1)))
np.testing.assert_allclose(q.to_numpy() @ r.to_numpy(), kept, atol=1e-13)
assert ap.qr(np.array([[3, 0], [4, 5]]), comm=comm).R.dtype == np.float64

# Least squares and minimum norms, as numpy has them.
for dtype in DTYPES:
    digits = 300 * np.finfo(dtype).eps
    for m, n in [(40, 17), (17, 40), (9, 1), (1, 9), (12, 12), (5, 0), (0, 5)]:
        a = random((m, n), dtype)
        if m == n:
            a += 4 * np.eye(n, dtype=dtype)
        for shape in [(m,), (m, 1), (m, 5), (m, 0)]:
            b = random(shape, dtype)
            columns = shape[1] if len(shape) > 1 else 1
            wanted = np.linalg.lstsq(a, b.reshape(m, columns), rcond=None)[0].reshape(n, *shape[1:])
            x = ap.lstsq(a, b, comm=comm, options=ap.Options(nb=8))
            report = ap.last_report()
            assert x.shape == wanted.shape and x.dtype == np.dtype(dtype)
            np.testing.assert_allclose(x, wanted, rtol=0, atol=digits * (1 + np.abs(wanted).max(initial=0)))
            left = np.linalg.norm((b - a @ x).reshape(m, columns), axis=0) if m > n else np.zeros(columns)
            np.testing.assert_allclose(report.residuals, left, rtol=digits, atol=digits)
            assert report.condition > 0.99 or min(m, n) == 0  # 1 but for rounding, or more
        da, db = ap.distribute(a, comm), ap.distribute(b := random((m, 3), dtype), comm)
        dx = ap.lstsq(da, db)
        assert isinstance(dx, ap.DistributedMatrix) and dx.shape == (n, 3)
        assert (da.to_numpy() == a).all() and (db.to_numpy() == b).all()
        wanted = np.linalg.lstsq(a, b, rcond=None)[0]
        np.testing.assert_allclose(dx.to_numpy(), wanted, rtol=0, atol=digits * (1 + np.abs(wanted).max(initial=0)))
got = ap.lstsq(random((9, 2)), np.full(9, 1j), comm=comm)
assert got.dtype == np.complex128

# What cannot be is said, the same on all ranks.
a = random((30, 6))
a[:, 4] = a[:, 1] - 2 * a[:, 3]
for given, word in [(a, "column 4"), (a.T.copy(), "row 4")]:
    error = fails(word, lambda given=given: ap.lstsq(given, np.ones(len(given)), comm=comm), ap.RankDeficient)
    assert isinstance(error, np.linalg.LinAlgError) and (error.column, error.rank) == (4, 5)
fails("mode", lambda: ap.qr(a, "full", comm=comm))
fails("dimensions", lambda: ap.qr(np.ones(3), comm=comm))
fails("rows", lambda: ap.lstsq(a, np.ones(29), comm=comm))
fails("layers", lambda: ap.qr(a, comm=comm, options=ap.Options(grid="1x1x2")))
a[3, 2] = np.nan
assert np.isnan(ap.lstsq(a[:, :4], np.ones(30), comm=comm)).any()

if comm.rank == 0:
    print("good")
