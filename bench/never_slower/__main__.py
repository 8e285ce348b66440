"""What a preloaded library costs, and gives, on this computer with nothing named and nothing calibrated.

Usage: python bench/never_slower scalapack|mpi [--build DIR] [--case N ...] [--json FILE]

The same program runs with and without the library, in turns, and its results are compared before its times are. Each
table says how much runs without the library differ from each other. Exit code 1: something is below its bar.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "bench"))
import mpi  # noqa: E402
import scalapack  # noqa: E402
from run import mpiexec_of  # noqa: E402
from scalapack_cases import SIZE  # noqa: E402


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", choices=["scalapack", "mpi"])
    parser.add_argument(
        "--build", type=Path, default=ROOT / "build" / "release", help="where the benchmarks were built"
    )
    parser.add_argument("--case", type=int, nargs="*", default=[], help="rows of the table of ScaLAPACK; else all")
    parser.add_argument("--json", type=Path, help="every time measured, for programs")
    options = parser.parse_args()
    if options.case and options.table == "mpi":
        parser.error(f"--case {options.case[0]}: expected none with 'mpi', whose table is always whole")
    for case in options.case:
        if not 0 <= case < SIZE:
            parser.error(f"--case {case}: expected 0..{SIZE - 1}")
    program = options.build / "bench" / f"never_slower_{options.table}"
    libraries = sorted((options.build / "dropin" / options.table).glob("liballport_*.so"))
    if not program.exists() or not libraries:
        missing = program if not program.exists() else options.build / "dropin" / options.table
        parser.error(f"--build {options.build}: {missing} is not built; `make test-release` builds it in build/release")
    library = next(str(path) for path in libraries if "ilp64" not in path.name)
    if options.table == "scalapack":
        wanted = options.case or range(SIZE)

        def keep(rows: dict) -> None:
            if options.json:
                options.json.write_text(json.dumps(rows, indent=1))

        result = scalapack.run(program, mpiexec_of(options.build), library, wanted, keep)
    else:
        result = mpi.run(program, mpiexec_of(options.build), library)
    if options.json:
        options.json.write_text(json.dumps(result, indent=1))
    return 0 if result["met"] else 1


if __name__ == "__main__":
    sys.exit(main())
