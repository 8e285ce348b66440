"""The Selector of loops beside exhaustive search: Jacobi over grids, blocks, ranks and uneven work.

Usage: bench/selector.py [--quick] [--every K] [--rounds N] [--minutes M] [-o FILE.json]. Every case is one run of
bench_jacobi in which all shapes and schedules and the Selector go round by round in turn, on the same cells. Prints,
for each case, the best of all (by the rounds before the last third), what the Selector chose, its time once settled
over the best's, and its whole run over the standard's. Settled is the last third of rounds, each beside the best's of
the same round: what else runs on the computer meanwhile is in both. Each round has an order of its own: whoever comes
next finds the caches as the one before left them. `twin` is the same beside the very configuration that was chosen:
how much equal ones differ; so is, of whole runs, the standard's own time once more. Cases that FILE.json has already,
with as many rounds, are not run again; after M minutes it stops before the next one, with 3 where some are left: run it
again to go on. --every K: each K-th case alone.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import statistics
import time
from pathlib import Path
from typing import Any

from allport.bench import jacobi

GRIDS = {"512x512": ("64x64", "256x256"), "2000x1500": ("125x125", "500x750"), "96x96x96": ("16x32x96", "48x48x48")}
STEP = {"512x512": 30, "2000x1500": 5, "96x96x96": 12}
"""Iterations of a round: some milliseconds."""
WITHIN = 1.05


def case(grid: str, block: str, ranks: int, heavy: int, rounds: int) -> dict[str, Any]:
    threads = max(2, len(os.sched_getaffinity(0)) // ranks)
    job = jacobi.Jacobi(grid=grid, block=block, ranks=ranks, threads=threads, heavy=heavy, variants="all,select,again",
                        iterations=STEP[grid], rounds=rounds)  # fmt: skip
    variants = jacobi.run(job)["variants"]
    selected, again = variants.pop("selected"), variants.pop("standard again")
    last = max(rounds // 3, 1)
    earlier = {name: statistics.median(found["seconds"][: rounds - last or 1]) for name, found in variants.items()}
    best = min(earlier, key=lambda name: earlier[name])
    standard = next(iter(variants.values()))["seconds"]

    def beside(name: str) -> float:
        pairs = zip(selected["seconds"][-last:], variants[name]["seconds"][-last:], strict=True)
        return statistics.median(mine / theirs for mine, theirs in pairs)

    return {
        "grid": grid, "block": block, "ranks": ranks, "heavy": heavy, "rounds": rounds, "threads": threads,
        "best": best, "chosen": selected["chosen"],
        "steady": beside(best),
        "twin": beside(selected["chosen"]),
        "whole": sum(selected["seconds"]) / sum(standard),
        "whole_twin": sum(again["seconds"]) / sum(standard),
    }  # fmt: skip


def kept(path: str | None) -> list[dict[str, Any]]:
    """What earlier pieces of this benchmark found."""
    if path is None or not Path(path).exists():
        return []
    rows: list[dict[str, Any]] = json.loads(Path(path).read_text())
    return rows


def line_of(row: dict[str, Any]) -> str:
    return (
        f"{row['grid']:>10} by {row['block']:>8}, {row['ranks']} ranks, heavy {row['heavy']}: best {row['best']:20} "
        f"chosen {row['chosen']:20} steady x{row['steady']:.3f} (twin x{row['twin']:.3f}), "
        f"whole x{row['whole']:.3f} of the standard (itself x{row['whole_twin']:.3f})"
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="two cases")
    parser.add_argument("--every", type=int, default=1, help="each K-th case alone")
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--minutes", type=float, default=1e9)
    parser.add_argument("-o", "--output")
    options = parser.parse_args()
    end = time.monotonic() + 60 * options.minutes
    cases = [
        (grid, block, ranks, heavy)
        for (grid, blocks), ranks, heavy in itertools.product(GRIDS.items(), (1, 2, 3, 4), (1, 4))
        for block in blocks
    ]
    cases = cases[:2] if options.quick else cases[:: options.every]
    found = kept(options.output)
    known = {(row["grid"], row["block"], row["ranks"], row["heavy"], row["rounds"]) for row in found}
    for number, one in enumerate(cases, 1):
        if (*one, options.rounds) in known:
            continue
        if time.monotonic() > end:
            print(f"{len(found)} of {len(cases)} cases so far; run it again to go on")
            return 3
        row = case(*one, options.rounds)
        found.append(row)
        print(f"{number:3} of {len(cases)}  {line_of(row)}", flush=True)
        if options.output:
            Path(options.output).write_text(json.dumps(found, indent=1) + "\n")
    near = sum(row["steady"] <= WITHIN for row in found)
    worse = sum(row["whole"] > WITHIN for row in found)
    itself = sum(row["whole_twin"] > WITHIN for row in found)
    of = len(found)
    print(
        f"steady state within 5 % of the best in {near} of {of}; whole run over 5 % worse than the standard in "
        f"{worse}, where the standard is that much worse than itself in {itself}"
    )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
