"""A new user's first distributed solve: numpy's files in, numpy's file out, on 4 ranks; then by Python on all ranks."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

RANKS = 4
SCRIPT = """
import numpy as np
import allport as ap
from mpi4py import MPI
comm = ap.Communicator(MPI.COMM_WORLD, machine="torus:2x2")
x = ap.solve(ap.load("A.npy", comm), ap.load("b.npy", comm))
whole = x.gather()
if comm.rank == 0:
    print(ap.mpi.interface(), " ".join(ap.mpi.library_version().split()[:3]), ap.mpi.library_path(), sep=" | ")
    np.save("y.npy", whole)
"""


def main() -> int:
    """The interface that is expected is the argument."""
    wanted = sys.argv[1]
    folder = Path(tempfile.mkdtemp())
    os.chdir(folder)
    rng = np.random.default_rng(0)
    a, b = rng.standard_normal((500, 500)), rng.standard_normal((500, 3))
    np.save("A.npy", a)
    np.save("b.npy", b)
    command = [sys.executable, "-m", "allport", "run", "solve", "A.npy", "b.npy", "-o", "x.npy", "-n", str(RANKS)]
    subprocess.run([*command, "--machine", "torus:2x2"], check=True, stdout=subprocess.DEVNULL)
    Path("all.py").write_text(SCRIPT)
    launcher = "import allport as ap; print(*ap.run.launch.mpiexec_command(4), sep='\\n')"
    words = subprocess.run([sys.executable, "-c", launcher], check=True, capture_output=True, text=True).stdout.split()
    environment = "import allport as ap, json; print(json.dumps(ap.run.launch.environment(4)))"
    told = subprocess.run([sys.executable, "-c", environment], check=True, capture_output=True, text=True).stdout
    done = subprocess.run([*words, sys.executable, "all.py"], env=json.loads(told), capture_output=True, text=True)
    print(done.stdout, end="")
    if done.returncode != 0:
        print(done.stderr, file=sys.stderr)
        return 1
    expected = np.linalg.solve(a, b)
    for name in ("x.npy", "y.npy"):
        apart = np.linalg.norm(np.load(name) - expected) / np.linalg.norm(expected)
        print(f"{name}: apart from numpy's by {apart:.1e}")
        if apart > 1e-10:
            return 1
    if not done.stdout.startswith(wanted + " |"):
        print(f"expected the interface {wanted}: {done.stdout}{done.stderr}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
