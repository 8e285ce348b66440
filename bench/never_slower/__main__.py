"""What a preloaded library costs, and gives, on this computer with nothing named and nothing calibrated.

Usage: bench/never_slower scalapack|mpi [--build DIR] [--case N ...] [--json FILE]

The same program runs with and without the library, in turns, and its results are compared before its times are. Each
table says how much runs without the library differ from each other. Exit code 1: something is below its bar.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", choices=["scalapack", "mpi"])
    parser.add_argument(
        "--build", type=Path, default=ROOT / "build" / "release", help="where the benchmarks were built"
    )
    parser.add_argument("--case", type=int, nargs="*", default=[], help="rows of the table; all unless told")
    parser.add_argument("--json", type=Path, help="every time measured, for programs")
    options = parser.parse_args()
    cache = (options.build / "CMakeCache.txt").read_text()
    found = re.search(r"^MPIEXEC_EXECUTABLE:\w+=(.+)$", cache, re.MULTILINE)
    mpiexec = shutil.which(found.group(1) if found else "mpiexec") or "mpiexec"
    library = next(
        p for p in (options.build / "dropin" / options.table).glob("liballport_*.so") if "ilp64" not in p.name
    )
    if options.table == "scalapack":
        import scalapack as table
    else:
        import mpi as table
    result = table.run(options.build / "bench", mpiexec, str(library), options.case)
    if options.json:
        options.json.write_text(json.dumps(result, indent=1))
    return 0 if result["met"] else 1


if __name__ == "__main__":
    sys.exit(main())
