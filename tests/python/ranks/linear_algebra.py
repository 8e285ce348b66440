"""What the scripts about linear algebra share: the ranks, equal random numbers on all of them, and what must fail."""

import allport as ap
import numpy as np
from given_comm import comm, spec  # noqa: F401  for the scripts

rng = np.random.default_rng(5)
DTYPES = ["f4", "f8", "c8", "c16"]


def random(shape, dtype="f8"):
    x = rng.standard_normal(shape)
    return (x + 1j * rng.standard_normal(shape) if np.dtype(dtype).kind == "c" else x).astype(dtype)


def backward_error(a, x, b):
    """In units that rounding explains: ||b - a x||_1 / (||a||_1 ||x||_1 n eps)."""
    if np.size(x) == 0:
        return 0.0
    a, x, b = (np.asarray(m, dtype="c16") for m in (a, x.reshape(len(a), -1), b.reshape(len(a), -1)))
    return np.linalg.norm(b - a @ x, 1) / (np.linalg.norm(a, 1) * np.linalg.norm(x, 1) * len(a))


def fails(word, call, kind=ap.Error):
    try:
        call()
    except kind as error:
        assert word in str(error), (word, str(error))
        return error
    raise AssertionError(f"no error about {word}")
