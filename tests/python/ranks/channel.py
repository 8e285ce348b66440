"""Channels on several ranks: objects and buffers to sets that nobody expects, and errors that every rank gets."""

from __future__ import annotations

import allport as ap
import numpy as np
from allport.comm import MPI
from given_comm import comm

Channel = ap.multicast.Channel
me, size = comm.rank, comm.size
last = size - 1


def error_of(call):
    try:
        call()
    except ap.Error as error:
        return str(error)
    return ""


# Everybody sends an object to all ranks behind it, an array to all, and each receives by source.
for tree, segment in ((None, None), ("kary", 3000), ("prefix", None), ("chain", "1KiB")):
    with Channel(comm, tree=tree, segment=segment) as channel:
        assert channel.comm is comm
        sent = channel.isend({"from": me, "text": "x" * (200 * me)}, [r for r in range(size) if r > me], tag=1)
        mine = np.arange(1000 * (me + 1), dtype=np.float64) + me
        sending = channel.Isend(mine, None, tag=2)
        status = MPI.Status()
        for source in range(size):
            if source < me:
                got = channel.recv(source, 1, status)
                assert got == {"from": source, "text": "x" * (200 * source)}
                assert status.Get_source() == source and status.Get_tag() == 1
            array = np.zeros(1000 * size)
            channel.Recv(array, source, tag=2, status=status)
            count = 1000 * (source + 1)
            assert status.Get_count(MPI.DOUBLE) == count and (array[count:] == 0).all()
            assert (array[:count] == np.arange(count) + source).all()
        assert sending.Wait() and sending.Test() and sent.Wait()
        channel.Send(b"12345678", me, tag=3)
        while not channel.Iprobe(tag=3, status=status):
            channel.progress()
        assert status.Get_source() == me and status.Get_count(MPI.BYTE) == 8 and not channel.iprobe(tag=4)
        assert "received by Recv" in error_of(lambda: channel.recv(tag=3))
        assert "at least the 8" in error_of(lambda: channel.Recv(np.zeros(7, np.uint8)))
        channel.Recv(bytearray(8), me)
        assert "dest = " in error_of(lambda: channel.send(1, size))
        assert "dest = 1.5" in error_of(lambda: channel.Send(b"1", [0, 1.5]))
        assert f"dest = {2**40}" in error_of(lambda: channel.isend(1, 2**40))
        assert "tag = -1" in error_of(lambda: channel.Isend(b"1", me, tag=-1))
        assert f"tag = {2**31}" in error_of(lambda: channel.send(1, me, tag=2**31))
        assert "source = " in error_of(lambda: channel.recv(size))
        assert "writable" in error_of(lambda: channel.Recv(b"12345678"))
    assert "closed" in error_of(lambda: channel.send(1, me))

# Who has received a message has forwarded it: all of them may wait elsewhere then. Buffers of Isend() stay in memory.
for tree in ("flat", "chain", "kary", "prefix"):
    with Channel(comm, tree=tree, segment=None if tree == "prefix" else "16KiB") as channel:
        if me == last:
            channel.send(np.arange(200_000), None, tag=6)
        assert (channel.recv(last, 6) == np.arange(200_000)).all()
        comm.Barrier()
        for i in range(5):
            channel.Isend(np.full(30_000, 10 * me + i), (me + 1) % size, tag=i)
        array = np.zeros(30_000, dtype=int)
        for i in range(5):
            channel.Recv(array, (me - 1) % size, tag=i)
            assert (array == 10 * ((me - 1) % size) + i).all()

# A rank that fails ends the wait of the others, and each of them learns of it.
channel = Channel(comm)
try:
    with channel:
        if me == last:
            raise RuntimeError("out of luck")
        channel.recv()
except RuntimeError:
    assert me == last
except ap.Error as error:
    assert me != last and f"rank {last} failed: RuntimeError: out of luck" in str(error), error

# So do they of a wait for what nobody sends, and of a message that nobody receives.
waiting = Channel(comm)
text = error_of(lambda: waiting.recv(last, 7) if me == 0 else waiting.close())
assert f"rank 0 waits for a message from rank {last}, tag 7" in text, text
left = Channel(comm)
if me == 0:
    left.send("nobody reads this", last, tag=5)
assert f"rank {last} has not received 1 messages, the first of rank 0 with tag 5" in error_of(left.close)
assert "tree = 'star'" in error_of(lambda: Channel(comm, tree="star" if me == last else None))
assert "segment = '3 apples'" in error_of(lambda: Channel(comm, segment="3 apples" if me == 0 else None))
if size > 1:
    assert "pass the same on all ranks" in error_of(lambda: Channel(comm, tree="flat" if me == 0 else "kary"))
assert "Communicator" in error_of(lambda: Channel(MPI.COMM_WORLD))
comm.Barrier()
if me == 0:
    print("good")
