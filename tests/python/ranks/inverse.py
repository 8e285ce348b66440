"""Inverses and determinants against numpy."""

import allport as ap
import numpy as np
from linear_algebra import DTYPES, comm, fails, random

for dtype in DTYPES:
    digits = 2000 * np.finfo(dtype).eps
    for n in (0, 1, 5, 40):
        a = random((n, n), dtype) + 3 * np.eye(n, dtype=dtype)
        wanted = np.linalg.inv(a)
        for given in [a, ap.distribute(a, comm)]:
            found = ap.linalg.inv(given, comm=comm)
            if given is not a:
                assert isinstance(found, ap.DistributedMatrix) and found.distribution == given.distribution
                assert (given.to_numpy() == a).all()
                found = found.to_numpy()
            assert found.shape == (n, n) and found.dtype == np.dtype(dtype)
            np.testing.assert_allclose(found, wanted, rtol=0, atol=digits * (1 + np.abs(wanted).max(initial=0)))
            sign, logarithm = ap.linalg.slogdet(given, comm=comm)
            np.testing.assert_allclose(sign * np.exp(logarithm), np.linalg.det(a), rtol=digits)
            np.testing.assert_allclose(ap.linalg.det(given, comm=comm), np.linalg.det(a), rtol=digits)
singular = np.ones((4, 4))
fails("singular", lambda: ap.linalg.inv(singular, comm=comm), ap.SingularMatrix)
assert ap.linalg.det(singular, comm=comm) == 0
fails("square", lambda: ap.linalg.inv(np.ones((3, 4)), comm=comm))
fails("square", lambda: ap.linalg.det(np.ones((3, 4)), comm=comm))
if comm.rank == 0:
    print("good")
