"""Eigenvalues and eigenvectors against numpy."""

import allport as ap
import numpy as np
from linear_algebra import DTYPES, comm, fails, random


def hermitian(n, dtype):
    a = random((n, n), dtype)
    return a + a.conj().T


# All values and vectors for every type, from arrays and distributed matrices, which stay as they are.
for dtype in DTYPES:
    eps = np.finfo(dtype).eps
    for n in (0, 1, 2, 7, 41, 90):
        a = hermitian(n, dtype)
        limit = 20 * eps * max(n, 1) * max(1.0, np.abs(a).max(initial=0))
        wanted = np.linalg.eigvalsh(a)
        for given in [a, ap.distribute(a, comm)]:
            w, v = ap.eigh(given, comm=comm, options=ap.Options(panel=8))
            report = ap.last_report()
            assert report.panel == 8 and set(report.seconds) == {"tridiagonal", "values", "vectors"}
            if given is not a:
                assert isinstance(v, ap.DistributedMatrix) and (given.to_numpy() == a).all()
                v = v.to_numpy()
            assert w.shape == (n,) and v.shape == (n, n) and v.dtype == np.dtype(dtype) and w.dtype == wanted.dtype
            assert np.abs(w - wanted).max(initial=0) <= limit, (n, dtype)
            assert np.abs(a @ v - v * w).max(initial=0) <= limit, (n, dtype)
            assert np.abs(v.conj().T @ v - np.eye(n)).max(initial=0) <= limit, (n, dtype)
            alone = ap.eigvalsh(given, comm=comm)
            assert alone.shape == (n,) and np.abs(alone - wanted).max(initial=0) <= limit

# One triangle, ranges as scipy has them, and copies on all ranks.
a = hermitian(60, np.complex128)
wanted = np.linalg.eigvalsh(a)
for lower in (True, False):
    half = np.tril(a) if lower else np.triu(a)
    w, v = ap.eigh(half, lower=lower, comm=comm)
    np.testing.assert_allclose(w, wanted, atol=1e-12)
    np.testing.assert_allclose(a @ v, v * w, atol=1e-12)
w, v = ap.eigh(a, subset_by_index=(3, 9), comm=comm, options=ap.Options(replicated=True))
np.testing.assert_allclose(w, wanted[3:10], atol=1e-12)
np.testing.assert_allclose(a @ v, v * w, atol=1e-12)
w, v = ap.eigh(a, subset_by_value=(wanted[4] - 1e-6, wanted[7] + 1e-6), comm=comm)
np.testing.assert_allclose(w, wanted[4:8], atol=1e-12)
assert v.shape == (60, 4)
w = ap.eigh(a, eigvals_only=True, subset_by_index=(59, 59), comm=comm)
np.testing.assert_allclose(w, wanted[59:], atol=1e-12)
assert (ap.eigh(a, comm=comm).eigenvectors == ap.eigh(a, comm=comm).eigenvectors).all()  # the same bits

# Progress, and what is refused, on every rank.
seen = []
ap.eigh(a, comm=comm, options=ap.Options(panel=16, progress=lambda done, total: seen.append((done, total))))
assert seen == [(0, 60), (16, 60), (32, 60), (48, 60), (60, 60)]
broken = a.copy()
broken[3, 40] += 1
fails("not Hermitian", lambda: ap.eigh(broken, comm=comm))
np.testing.assert_allclose(ap.eigh(broken, check_finite=False, comm=comm).eigenvalues, wanted, atol=1e-12)
broken[3, 40] = np.nan
fails("NaN or inf", lambda: ap.eigh(broken, comm=comm))
fails("expected a square matrix", lambda: ap.eigh(np.zeros((3, 4)), comm=comm))
fails("subset_by_index", lambda: ap.eigh(a, subset_by_index=(0, 60), comm=comm))
fails("one of the two", lambda: ap.eigh(a, subset_by_index=(0, 1), subset_by_value=(0, 1), comm=comm))
fails("expected two numbers", lambda: ap.eigh(a, subset_by_value=(0,), comm=comm))
fails("options.nb", lambda: ap.eigh(a, comm=comm, options=ap.Options(nb=4)))
if comm.rank == 0:
    print("good")
