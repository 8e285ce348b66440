"""Distributed matrices and gemm against numpy."""

import os

import allport as ap
import numpy as np
from given_comm import comm

rng = np.random.default_rng(11)


def close(got, wanted):
    scale = np.finfo(wanted.dtype).eps * max(1.0, np.abs(wanted).max(initial=0.0)) * 64
    assert got.shape == wanted.shape and got.dtype == wanted.dtype, (got.shape, got.dtype, wanted.shape, wanted.dtype)
    assert np.abs(got - wanted).max(initial=0.0) <= scale, np.abs(got - wanted).max()


def random(shape, dtype):
    x = rng.standard_normal(shape)
    return (x + 1j * rng.standard_normal(shape) if np.dtype(dtype).kind == "c" else x).astype(dtype)


class OnlyDlpack:
    """An array that has nothing but DLPack."""

    def __init__(self, array):
        self._array = array

    def __dlpack__(self, **how):
        return self._array.__dlpack__()

    def __dlpack_device__(self):
        return self._array.__dlpack_device__()


foreign = random((9, 7), "f8")
assert (ap.distribute(OnlyDlpack(foreign), comm).to_numpy() == foreign).all()
close(ap.gemm(OnlyDlpack(foreign), OnlyDlpack(foreign.T.copy()), comm=comm), foreign @ foreign.T)

# There and back, in any distribution.
for shape in [(17, 23), (1, 40), (40, 1), (3, 2), (0, 5)]:
    whole = random(shape, "f8")
    given = whole if comm.rank == comm.size - 1 else None
    matrix = ap.distribute(given, comm, root=comm.size - 1)
    assert matrix.shape == shape and matrix.local.shape == matrix.distribution.local_shape(comm.rank)
    assert (matrix.to_numpy() == whole).all()
    cyclic = ap.Distribution.cyclic(shape, (1, comm.size), (2, 3), list(range(comm.size))[::-1])
    moved = matrix.redistribute(cyclic)
    assert (moved.to_numpy() == whole).all()
    root = moved.gather(root=0)
    assert (root is None) == (comm.rank != 0)
    for name in ["x.npy", "x.mtx"]:
        path = comm.mpi4py.bcast(os.path.join(os.getcwd(), f"{shape[0]}-{shape[1]}-{name}"))
        moved.save(path)
        again = ap.load(path, comm)
        assert (again.to_numpy() == whole).all(), name
    if comm.rank == 0:
        assert (np.load(f"{shape[0]}-{shape[1]}-x.npy") == whole).all()

# numpy in, numpy out, on every rank.
for dtype in ["f4", "f8", "c8", "c16"]:
    for m, n, k in [(13, 9, 21), (1, 1, 1), (40, 3, 0), (0, 4, 4), (64, 64, 64)]:
        for trans_a, trans_b in [("N", "N"), ("T", "C")]:
            a = random((m, k) if trans_a == "N" else (k, m), dtype)
            b = random((k, n) if trans_b == "N" else (n, k), dtype)
            c = random((m, n), dtype)
            op_a, op_b = (a if trans_a == "N" else a.T), (b if trans_b == "N" else b.conj().T)
            close(ap.gemm(op_a, op_b, comm=comm), op_a @ op_b)
            da, db = ap.distribute(a, comm), ap.distribute(b, comm)
            da, db = (da if trans_a == "N" else da.T), (db if trans_b == "N" else db.H)
            close(ap.gemm(da, db).to_numpy(), op_a @ op_b)
            assert (db.to_numpy() == op_b).all() and db.shape == op_b.shape
            got = ap.gemm(da, db, c, alpha=2, beta=-1).to_numpy()
            close(got, (2 * (op_a @ op_b) - c).astype(dtype))

# C in its own memory, when it may be: there is no second one.
for dtype in ["f4", "c16"]:
    a, b, c = random((13, 21), dtype), random((21, 9), dtype), random((13, 9), dtype)
    dc = ap.distribute(c, comm)
    own = dc.local
    for beta, wanted in [(-1, a @ b - c), (0, a @ b)]:
        dc.local[...] = ap.distribute(c, comm).local
        kept = ap.gemm(a, b, beta=beta, c=dc, comm=comm)
        close(kept.to_numpy(), wanted.astype(dtype))
        assert kept is not dc and (dc.to_numpy() == c).all()
        got = ap.gemm(a, b, beta=beta, c=dc, comm=comm, options=ap.Options(overwrite_c=True))
        assert got is dc and got.local is own
        close(got.to_numpy(), wanted.astype(dtype))
    narrow = ap.distribute(c.real.astype("f4"), comm)
    got = ap.gemm(a, b, beta=1, c=narrow, comm=comm, options=ap.Options(overwrite_c=True))
    assert got is narrow or got.dtype == np.dtype(dtype)
    close(got.to_numpy(), (a @ b + c.real.astype("f4")).astype(dtype))

# All three in blocks, some ranks with one more: SUMMA on their grid moves none of A and C.
a, b, c = random((45, 37), "f8"), random((37, 41), "f8"), random((45, 41), "f8")
lie = [ap.Distribution.cyclic(x.shape, (1, comm.size), (4, 4), list(range(comm.size))) for x in (a, b, c)]
da, db, dc = (ap.distribute(x, comm, distribution=where) for x, where in zip((a, b, c), lie, strict=True))
got = ap.gemm(da, db, beta=3, c=dc, options=ap.Options(algorithm="summa", grid=(1, comm.size, 1)))
report = ap.last_report()
assert got.distribution == lie[2]
close(got.to_numpy(), a @ b + 3 * c)
assert report.as_planned and report.to_dict()["redistributed_bytes"] == 0
for wrong in [(lie[1], lie[1], lie[2]), (lie[0], lie[0], lie[2]), (lie[0], lie[1], lie[0])]:
    try:
        ap.plan.gemm(45, 41, 37, comm.machine, given=wrong)
    except ap.Error as error:
        assert "given" in str(error), str(error)
    else:
        raise AssertionError(wrong)

# Every algorithm that serves, distributed in and out, with a report.
a, b = random((50, 31), "f8"), random((31, 44), "f8")
da, db = ap.distribute(a, comm), ap.distribute(b, comm)
seen = set()
plan = ap.plan.gemm(50, 44, 31, comm.machine, options=ap.Options(mapping=comm.mapping))
for candidate in plan.to_dict()["candidates"]:
    name, grid = candidate["algorithm"], tuple(candidate["grid"])
    if candidate.get("why_not") or (name, grid) in seen or len(seen) > 12:
        continue
    seen.add((name, grid))
    product = ap.gemm(da, db, options=ap.Options(algorithm=name, grid=grid))
    report = ap.last_report()
    assert isinstance(product, ap.DistributedMatrix)
    close(product.to_numpy(), a @ b)
    assert report.as_planned, (name, grid, report.to_dict()["predicted"], report.to_dict()["measured"])
assert seen

# Integers count as doubles; NaN propagates; beta = 0 does not read C.
close(ap.gemm(np.arange(6).reshape(2, 3), np.eye(3, dtype=int), comm=comm), np.arange(6.0).reshape(2, 3))
spoilt = a.copy()
spoilt[3, 4] = np.nan
got = ap.gemm(spoilt, b, comm=comm, c=np.full((50, 44), np.nan), beta=0)
assert np.isnan(got[3]).all() and not np.isnan(np.delete(got, 3, axis=0)).any()

for call, word in [
    (lambda: ap.gemm(a, a, comm=comm), "31"),
    (lambda: ap.gemm(a, b, comm=comm, beta=1), "beta"),
    (lambda: ap.gemm(a, b, comm=comm, c=np.zeros((2, 2)), beta=1), "C is 2 x 2"),
    (lambda: ap.gemm(a, b, comm=comm, options=ap.Options(algorithm="magic")), "magic"),
    (lambda: ap.gemm(a, b, comm=comm, options=ap.Options(grid="7x7x7")), "grid"),
    (lambda: ap.gemm(a, b, comm=comm, options=ap.Options(memory=10)), "10"),
    (lambda: ap.gemm(np.array([[None]]), b, comm=comm), "object"),
    (lambda: ap.gemm(a, b, comm=comm, options=ap.Options(workers=2)), "options.workers = 2: gemm has no such option"),
    (lambda: ap.plan.gemm(5, 5, 5, comm.machine, trans="X"), "trans"),
    (lambda: ap.lu(ap.distribute(a, comm).T), "transposed view"),
    (lambda: ap.load("gone.npy", comm), "gone.npy"),
]:
    try:
        call()
    except ap.Error as error:
        assert word in str(error), (word, str(error))
    else:
        raise AssertionError(word)
if comm.size > 1:
    try:  # ranks disagree: an error on all of them, no deadlock
        ap.gemm(np.zeros((4 + (comm.rank == 1), 4)), np.zeros((4, 4)), comm=comm)
    except ap.Error as error:
        assert error.kind == "mismatch", error.kind
    else:
        raise AssertionError("disagreement")
comm.barrier()
if comm.rank == 0:
    print("good", len(seen))
