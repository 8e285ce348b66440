"""Files that cannot be read or written: one error with one text on every rank, nothing lost, nothing left open."""

import os
import resource
import signal
import zipfile
from contextlib import contextmanager
from pathlib import Path

import allport as ap
import h5py
import numpy as np
from allport.comm import MPI

comm = ap.Communicator(MPI.COMM_WORLD)
last = comm.size - 1
rng = np.random.default_rng(7)
whole = rng.standard_normal((40, 30))
matrix = ap.distribute(whole if comm.rank == 0 else None, comm)


def fails(word, call, kind=None):
    """The error that every rank must get, the same; a rank that waits for ever ends them all."""
    signal.alarm(60)
    told = ("", "no error")
    try:
        call()
    except ap.Error as error:
        told = (error.kind, str(error))
    everyone = comm.mpi4py.allgather(told)
    # Where ranks disagree, each names what it was given itself.
    assert set(everyone) == {told} or kind == "mismatch", everyone
    assert word in told[1] and kind in (None, told[0]), (word, kind, everyone)
    signal.alarm(0)


def there():
    """Names and bytes of all files here, on every rank."""
    comm.barrier()
    found = {str(p): p.read_bytes() for p in Path().rglob("*") if p.is_file()}
    comm.barrier()
    return found


def on_rank(rank, usual, other):
    return other if comm.rank == rank else usual


@contextmanager
def full_disk(rank, most=2048):
    """No file of one rank grows beyond so many bytes."""
    old = resource.getrlimit(resource.RLIMIT_FSIZE)
    if comm.rank == rank:
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, old[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, old)


if comm.rank == 0:
    np.save("A.npy", whole)
    np.save("other.npy", whole[:-1])
    np.save("single.npy", whole.astype("f4"))
    Path("text.h5").write_text("no HDF5 file\n")
    with h5py.File("f.h5", "w") as file:
        file["grp/x"], file["grp/y"] = np.arange(6.0).reshape(2, 3), np.ones(4)
        file["a"], file["z"] = np.arange(4), np.array([[1 + 2j]])
        file["soft"], file["empty/further"] = h5py.SoftLink("/grp"), h5py.SoftLink("/nowhere")
        file["outside"] = h5py.ExternalLink("elsewhere.h5", "/x")
lu = ap.lu(rng.standard_normal((30, 30)) + 9 * np.eye(30), comm=comm)
lu.save("good.npz")
comm.barrier()
before = there()
handles = len(os.listdir("/proc/self/fd"))

# What a name would take away, or cannot stand for, is found before anything is changed.
for name, word in [
    ("f.h5:grp", "is a group, which holds x, y"),
    ("f.h5:/grp/", "is a group"),
    ("f.h5:empty", "is a group, which holds further"),
    ("f.h5:a/b", "'a' is not a group"),
    ("f.h5:a/b/c", "'a' is not a group"),
    ("f.h5:soft", "'soft' is a link"),
    ("f.h5:soft/x", "'soft' is a link"),
    ("f.h5:empty/further", "is a link"),
    ("f.h5:outside", "is a link"),
    ("f.h5:/", "expected a dataset's name"),
    ("f.h5", "expected a dataset's name"),
    ("text.h5:x", "not an HDF5 file"),
    ("no/folder/f.h5:x", "no folder"),
    ("A.txt", "expected a name that ends in"),
    ("/proc/x.npy", "/proc/x.npy"),
    ("/proc/x.mtx", "/proc/x.mtx"),
    ("/proc/x.h5:x", "/proc/x.h5"),
]:
    fails(word, lambda name=name: matrix.save(name), "io")
fails("/proc/x.npz", lambda: lu.save("/proc/x.npz"), "io")
os.mkfifo(f"pipe-{comm.rank}.npy")
fails("is no regular file", lambda: matrix.save(f"pipe-{comm.rank}.npy"), "io")
fails("pipe-", lambda: ap.load(on_rank(last, "A.npy", f"pipe-{comm.rank}.npy"), comm), "io")

# What only one rank cannot read.
fails("gone.npy", lambda: ap.load(on_rank(last, "A.npy", "gone.npy"), comm), "io")
fails(r"gone-\udcff.npy", lambda: ap.load(on_rank(last, "A.npy", os.fsdecode(b"gone-\xff.npy")), comm), "io")
fails("gone.npz", lambda: ap.linalg.LU.load(on_rank(0, "good.npz", "gone.npz"), comm), "io")
fails("nowhere", lambda: ap.load(on_rank(last, "f.h5:grp/x", "f.h5:nowhere"), comm), "io")
fails("not a readable HDF5 file", lambda: ap.load(on_rank(0, "f.h5:grp/x", "text.h5:x"), comm), "io")
fails("complex", lambda: ap.load("f.h5:z", comm, dtype="f8"))
if comm.size > 1:
    fails("rows of", lambda: ap.load(on_rank(last, "A.npy", "other.npy"), comm), "mismatch")
    fails("type to read", lambda: ap.load(on_rank(last, "A.npy", "single.npy"), comm), "mismatch")
    fails("distribution", lambda: ap.load(on_rank(last, "A.npy", "other.npy"), comm, distribution=matrix.distribution))

# A disk that is full for one rank: the file that was there stays, and nothing lies beside it.
for rank in {0, last}:
    for name in ["A.npy", "m.mtx", "f.h5:new"]:
        with full_disk(rank):
            fails(name.partition(":")[0], lambda name=name: matrix.save(name), "io")
with full_disk(0):
    fails("output 'good.npz': cannot be written", lambda: lu.save("good.npz"), "io")

# Every byte of a factor file that matters, changed: a result on every rank, or one error on all.
if comm.rank == 0:
    data = Path("good.npz").read_bytes()
    heads = [info.header_offset for info in zipfile.ZipFile("good.npz").infolist()]
    places = sorted(
        {p + k for p in heads for k in (0, 8, 14, 26, 36, 60, 90)} | set(range(len(data) - 420, len(data), 7))
    )
else:
    data, places = b"", []
refused = 0
for place in comm.mpi4py.bcast(places):
    if comm.rank == 0:
        Path("changed.npz").write_bytes(data[:place] + bytes([data[place] ^ 0x5A]) + data[place + 1 :])
    comm.barrier()
    signal.alarm(60)
    try:
        ap.linalg.LU.load("changed.npz", comm)
        told = ""
    except ap.Error as error:
        told = str(error)
    signal.alarm(0)
    assert set(comm.mpi4py.allgather(told)) == {told} and (not told or "changed.npz" in told), (place, told)
    refused += bool(told)
assert refused > 20, refused
for cut in (10, 3000, 7000, -1):
    if comm.rank == 0:
        Path("changed.npz").write_bytes(data[:cut])
    comm.barrier()
    fails("changed.npz", lambda: ap.linalg.LU.load("changed.npz", comm), "io")
comm.barrier()
if comm.rank == 0:
    os.unlink("changed.npz")

assert there() == before, sorted(there().keys() ^ before.keys())
assert len(os.listdir("/proc/self/fd")) == handles, (handles, os.listdir("/proc/self/fd"))

# What may be written is, and what was beside it stays.
for name in ["f.h5:grp/x", "f.h5:grp/more", "f.h5:deep/er/m", "f.h5:a", "new.h5:m", "A.npy", "m.mtx"]:
    matrix.save(name)
    assert (ap.load(name, comm).to_numpy() == whole).all(), name
comm.barrier()
with h5py.File("f.h5", "r") as file:
    assert sorted(file["grp"]) == ["more", "x", "y"] and file["z"][0, 0] == 1 + 2j, list(file)
    assert file.get("soft", getlink=True).path == "/grp" and (file["grp/y"][...] == 1).all()
comm.barrier()
if comm.rank == 0:
    print("good")
