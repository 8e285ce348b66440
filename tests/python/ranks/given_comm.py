"""A script's ranks on the machine and at the places that its arguments name: SPEC|- [PLACE,PLACE,...]."""

import sys

import allport as ap
from allport.comm import MPI

spec = sys.argv[1] if len(sys.argv) > 1 and sys.argv[1] != "-" else None
mapping = [int(place) for place in sys.argv[2].split(",")] if len(sys.argv) > 2 else None
comm = ap.Communicator(MPI.COMM_WORLD, machine=spec, mapping=mapping)
assert mapping is None or list(comm.mapping) == mapping
