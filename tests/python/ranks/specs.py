"""One rank names a machine that cannot be, or none: an error on every rank, and the others do not wait for it."""

import signal

import allport as ap
from allport.comm import MPI

world = MPI.COMM_WORLD
sound = f"mesh:{world.size}"
signal.alarm(60)  # a rank that waits for ever ends them all
for odd, usual, kind, word in [
    ("nonsense:3", sound, "machine", "nonsense:3"),
    ("gone.toml", sound, "io", "gone.toml"),
    (f"torus:{world.size + 1}", sound, "machine", str(world.size + 1)),
    (5, sound, "machine", "5"),
    (b"torus:\xff".decode(errors="surrogateescape"), sound, "machine", "torus"),
    (None, sound, "mismatch", "ALLPORT_MACHINE"),
    (sound, None, "mismatch", "ALLPORT_MACHINE"),
    (ap.Machine.parse(sound), None, "mismatch", "ALLPORT_MACHINE"),
]:
    for rank in {0, world.size - 1}:
        told = ("", "no error")
        try:
            ap.Communicator(world, machine=odd if world.rank == rank else usual)
        except ap.Error as error:
            told = (error.kind, str(error))
        assert set(world.allgather(told)) == {told} and word in told[1], (odd, usual, told)
        assert told[0] in (kind, "machine"), (odd, usual, told)
for spec in (sound, ap.Machine.parse(sound), None):
    comm = ap.Communicator(world, machine=spec)
    assert comm.size == world.size
    comm.barrier()
if world.rank == 0:
    print("good")
