"""`run gemm` with C0: the product comes into C0's own memory (`product_in_place.py FOLDER`, which has A, B and C0)."""

import sys
import tracemalloc
from pathlib import Path

import allport as ap
import numpy as np
from allport.comm import MPI

folder = Path(sys.argv[1])
comm = ap.Communicator(MPI.COMM_WORLD)
files = {name: str(folder / f"{name}.npy") for name in ("A", "B", "C0", "C")}
job = ap.run.jobs.GemmJob(a=files["A"], b=files["B"], c_in=files["C0"], out=files["C"], beta=(1.0, 0.0))
tracemalloc.start()
made = job.execute(comm)
most = tracemalloc.get_traced_memory()[1]
part = np.load(files["C0"], mmap_mode="r").nbytes // comm.size
assert part <= most < 1.5 * part, (part, most)
assert made["output"]["path"] == files["C"]
if comm.rank == 0:
    print("good")
