"""Whole arrays: rank 0's is the matrix, whatever the other ranks pass, for every function that takes one."""

import allport as ap
import numpy as np
from linear_algebra import DTYPES, comm, fails, random

alone = comm.size == 1
own = np.random.default_rng(100 + comm.rank)


def only_root(x):
    return x if comm.rank == 0 else None


def other_numbers(x):
    """Rank 0's, and of the same shape and dtype with other elements on the others."""
    return x if comm.rank == 0 else own.standard_normal(np.shape(x)).astype(np.asarray(x).dtype)


def strided(x):
    """No contiguous memory on rank 0."""
    wide = np.zeros(tuple(2 * n for n in x.shape), x.dtype)
    wide[tuple(slice(None, None, 2) for _ in x.shape)] = x
    return other_numbers(wide[tuple(slice(None, None, 2) for _ in x.shape)])


FORMS = [only_root, other_numbers, strided, lambda x: other_numbers(np.asfortranarray(x))]


def close(got, wanted, what):
    assert isinstance(got, np.ndarray) and got.shape == wanted.shape, (what, type(got), np.shape(got), wanted.shape)
    assert got.dtype == wanted.dtype, (what, got.dtype, wanted.dtype)
    scale = 1e4 * np.finfo(wanted.dtype).eps * max(1.0, np.abs(wanted).max(initial=0.0))
    assert np.abs(got - wanted).max(initial=0.0) <= scale, (what, np.abs(got - wanted).max())


def check(form, dtype, n, **more):
    """Every function, against numpy on one rank's numbers. form(x): what this rank passes for x."""
    square = (random((n, n), dtype) + 4 * n * np.eye(n)).astype(dtype)
    tall, b, column = random((n + 3, n), dtype), random((n, 2), dtype), random((n,), dtype)
    hermitian = (square + square.conj().T).astype(dtype)
    kept = [x.copy() for x in (square, tall, b, column, hermitian)]
    c = random((n + 3, 2), dtype)
    onto = dict(more)
    more = {"comm": comm, "options": ap.Options(**more)}
    close(ap.gemm(form(tall), form(b), **more), tall @ b, "gemm")
    close(ap.gemm(form(tall), form(b), alpha=2, beta=-1, c=form(c), **more), (2 * (tall @ b) - c).astype(dtype), "c")
    close(ap.gemm(form(tall), form(column), **more), (tall @ column).reshape(-1, 1), "gemm of a vector")
    for right in (b, column):
        wanted = np.linalg.solve(square, right)
        close(ap.solve(form(square), form(right), **more), wanted, "solve")
        close(ap.solve(form(square), form(right), trans="T", **more), np.linalg.solve(square.T, right), "solve T")
        x = ap.solve(form(hermitian), form(right), assume_a="pos", **more)
        close(x, np.linalg.solve(hermitian, right), "solve pos")
        close(ap.lu(form(square), **more).solve(form(right), **onto), wanted, "LU.solve")
        x = ap.solve(form(square), form(right), comm=comm, options=ap.Options(residual=True, **onto))
        report = ap.last_report()
        close(x, wanted, "reported")
        assert 0 <= report.residual < 16, report.residual
        assert ap.linalg.solve_residual(form(square), form(wanted), form(right), comm=comm, **onto) < 16
        f = ap.cholesky(form(hermitian), **more)
        close(f.solve(form(right), **onto), np.linalg.solve(hermitian, right), "Cholesky.solve")
        if n:
            full = np.concatenate([right, right[:3]]) if n >= 3 else np.resize(right, (n + 3, *right.shape[1:]))
            close(ap.lstsq(form(tall), form(full), **more), np.linalg.lstsq(tall, full, rcond=None)[0], "lstsq")
    if np.dtype(dtype).itemsize in (8, 16) and np.dtype(dtype) != "c8":
        close(
            ap.solve(form(square), form(b), comm=comm, options=ap.Options(refine=True, **onto)),
            np.linalg.solve(square, b),
            "refined",
        )
    p, l, u = ap.lu(form(square), **more).p_l_u()
    close((p @ l @ u).astype(dtype), square, "lu")
    assert ap.lu(form(square), **more).residual(form(square), **onto) < 4
    assert ap.cholesky(form(hermitian), **more).residual(form(hermitian), **onto) < 4
    q, r = ap.qr(form(tall), **more)
    close(q @ r, tall, "qr")
    for which, name in ((1, 1), (np.inf, np.inf), ("fro", "fro"), ("max", None)):
        wanted = np.abs(tall).max(initial=0.0) if name is None else np.linalg.norm(tall, name) if n else 0.0
        got = ap.linalg.norm(form(tall), which, comm=comm, **onto)
        assert abs(got - wanted) <= 1e4 * np.finfo(dtype).eps * max(1.0, wanted), which
    cube = random((n, 2, n), dtype)
    close(ap.einsum("iki,ij->kj", form(cube), form(b), **more), np.einsum("iki,ij->kj", cube, b), "einsum")
    close(ap.einsum("ij,jk", form(tall), form(b), **more), tall @ b, "einsum ij,jk")
    close(ap.einsum("ij,j->i", form(tall), form(column), **more), tall @ column, "einsum ij,j")
    close(ap.tensordot(form(cube), form(b), 1, **more), np.tensordot(cube, b, 1), "tensordot")
    if not onto.get("replicated"):
        assert (ap.distribute(form(tall), comm).to_numpy() == tall).all()
        assert (ap.tensors.distribute(form(cube), comm).to_numpy() == cube).all()
    assert all((x == y).all() for x, y in zip((square, tall, b, column, hermitian), kept, strict=True))


check(only_root, "f8", 7)
check(other_numbers, "c16", 5)
check(only_root, "f8", 0)
check(lambda x: x, "c8", 4, replicated=True)
for dtype in DTYPES:
    for form in FORMS:
        a, b = (random((9, 9), dtype) + 9 * np.eye(9)).astype(dtype), random((9,), dtype)
        close(ap.gemm(form(a), form(a), comm=comm), a @ a, "gemm")
        close(ap.solve(form(a), form(b), comm=comm), np.linalg.solve(a, b), "solve")
        close(ap.einsum("ii,ij->j", form(a), form(a), comm=comm), np.einsum("ii,ij->j", a, a), "einsum")

# Lists, integers, scalars; what is distributed beside what is whole.
two = [[2, 1], [1, 3]]
close(ap.solve(only_root(two), only_root([3, 5]), comm=comm), np.array([0.8, 1.4]), "lists")
close(ap.gemm(two, only_root([1, 1]), comm=comm), np.array([[3.0], [4.0]]), "lists")
close(ap.einsum(",i->i", only_root(2.0), only_root(np.arange(3.0)), comm=comm), 2 * np.arange(3.0), "a number")
a, b, c = random((6, 6)) + 20 * np.eye(6), random((6, 2)), random((6, 2))
da, db, dc = (ap.distribute(x, comm) for x in (a, b, c))
for form in (only_root, other_numbers):
    close(ap.solve(da, form(b), comm=comm), np.linalg.solve(a, b), "D, b")
    close(ap.solve(da, form(b)), np.linalg.solve(a, b), "D, b")
    close(ap.solve(form(a), db).to_numpy(), np.linalg.solve(a, b), "a, D")
    close(ap.lstsq(da, form(b[:, 0])), np.linalg.solve(a, b[:, 0]), "D, b")
    close(ap.lu(da).solve(form(b[:, 0])), np.linalg.solve(a, b[:, 0]), "LU(D), b")
    close(ap.gemm(da, form(b)).to_numpy(), a @ b, "D, b")
    close(ap.gemm(form(a), form(b), beta=1, c=dc).to_numpy(), a @ b + c, "a, b, D")
    close(ap.gemm(form(a), db, beta=1, c=form(c)).to_numpy(), a @ b + c, "a, D, c")
    tensor = ap.tensors.distribute(a, comm)
    close(ap.einsum("ij,jk", tensor, form(b)).to_numpy(), a @ b, "T, b")
    x = ap.einsum("iij,jk", form(np.stack([a] * 6)), tensor)
    report = ap.last_report()
    assert report.as_planned, report.to_dict()

# Factors are never made in the caller's memory, on whatever ranks they are.
a = np.asfortranarray(a)
for grid in (None, "1x1x1"):
    before = a.copy()
    ap.lu(only_root(a), comm=comm, options=ap.Options(grid=grid))
    assert (a == before).all()
d = ap.distribute(only_root(a), comm, distribution=ap.Distribution.balanced((6, 6), (1, 1), [0]))
ap.lu(d, overwrite_a=True)
assert (a == before).all()

# One rank's error is every rank's.
calls = {
    "solve": lambda a, b, **more: ap.solve(a, b, comm=comm, options=ap.Options(**more)),
    "gemm": lambda a, b, **more: ap.gemm(a, b, comm=comm, options=ap.Options(**more)),
    "lstsq": lambda a, b, **more: ap.lstsq(a, b, comm=comm, options=ap.Options(**more)),
    "einsum": lambda a, b, **more: ap.einsum("ij,jk", a, b, comm=comm, options=ap.Options(**more)),
    "tensordot": lambda a, b, **more: ap.tensordot(a, b, 1, comm=comm, options=ap.Options(**more)),
    "LU.solve": lambda a, b, **more: ap.lu(da).solve(b, **more),
    "lu": lambda a, b, **more: ap.lu(b, comm=comm, options=ap.Options(**more)),
    "cholesky": lambda a, b, **more: ap.cholesky(b, comm=comm, options=ap.Options(**more)),
    "qr": lambda a, b, **more: ap.qr(b, comm=comm, options=ap.Options(**more)),
    "norm": lambda a, b, **more: ap.linalg.norm(b, comm=comm, **more),
}
last = comm.size - 1
b = random((6, 6))
db = ap.distribute(b, comm)


def refused(name, given, *words, **more):
    """Every rank's call fails with these words."""
    error = str(fails("", lambda: calls[name](a, given, **more)))
    letter = "a" if name in ("lu", "cholesky", "qr", "norm") else "b"
    assert error.startswith((letter, "dtype", "replicated")), (name, error)
    assert all(word in error for word in words), (name, words, error)


for name in calls:
    refused(name, None, "None", "rank 0")
    refused(name, None if comm.rank == 0 else b, "None", "rank 0")
    for rank in {0, last}:
        refused(name, b.astype(object) if comm.rank == rank else b, "numbers")
        if not alone:
            seen = f"on rank {rank or 1}"
            refused(name, b[:5] if comm.rank == rank else b, "[6, 6]", "[5, 6]", "on rank 0", seen)
            refused(name, b.astype("f4") if comm.rank == rank else b, "float64", "float32", "on rank 0", seen)
    if alone:
        continue
    refused(name, b + (comm.rank == last), "replicated", "checksum", f"on rank {last}", replicated=True)
    refused(name, None if comm.rank == last else b, "None", f"rank {last}", replicated=True)
    refused(name, b, "replicated", replicated=comm.rank == 0)
    if name not in ("einsum", "tensordot"):
        refused(name, db if comm.rank == last else b, "DistributedMatrix", "an array")
if not alone:
    fails("c: is", lambda: ap.gemm(a, b, beta=1, c=None if comm.rank == 0 else b, comm=comm))

# numpy does not take a distributed matrix for a number.
for use in (np.asarray, np.sum, lambda d: a @ d, np.array, np.mean, np.linalg.norm):
    for thing in (da, ap.tensors.distribute(a, comm)):
        told = str(fails("", lambda use=use, thing=thing: use(thing), TypeError))
        assert ("to_numpy" in told and "gather" in told) == (thing is da or "lambda" not in use.__name__), told
assert np.shape(da) == np.shape(ap.tensors.distribute(a, comm)) == a.shape and np.ndim(da) == 2
for operands in ((a,), (a, a, a), ()):
    fails("expected two", lambda operands=operands: ap.einsum("ij,jk", *operands, comm=comm))
comm.barrier()
if comm.rank == 0:
    print("good")
