"""Ours against SimGrid: all cases, the page with the table, and the numbers that a test keeps.

Usage: check.py BUILD_DIR [--only REGEX] [--reuse]. Called by tools/simgrid-check.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
from dataclasses import asdict
from pathlib import Path

import allport as ap
from cases import LARGE, Case, all_cases, machine_file, machine_text
from page import Row, Speed, write_page
from simgrid import HEADER, SimGrid, version

ROOT = Path(__file__).resolve().parent.parent.parent
AT_ONCE = 12  # cases in one simulation of `comm`, of few ranks


def ours(case: Case, folder: Path, **options: object) -> ap.sim.Simulation:
    machine = ap.Machine.parse(str(machine_file(folder, case)))
    return ap.simulate(case.schedule(machine), machine, model=ap.sim.Model(**options))


def fair(case: Case, folder: Path, header: int = 0) -> ap.sim.Simulation:
    """SimGrid's sharing: fluid, shares inverse to the latency of the route, latency before the first byte."""
    return ours(case, folder, sharing="fair", latency_weights=True, header=header)


def collect(grid: SimGrid, cases: list[Case], stored: Path) -> dict[str, dict]:
    """SimGrid's answers by case; those in the file `stored` are not asked for again."""
    known: dict[str, dict] = json.loads(stored.read_text()) if stored.exists() else {}
    groups: dict[str, list[Case]] = {}
    for case in cases:
        if key(case) not in known:
            groups.setdefault(case.place, []).append(case)
    for place, group in groups.items():
        began = time.monotonic()
        together = 1 if group[0] in LARGE else AT_ONCE
        for first in range(0, len(group), together):
            part = group[first : first + together]
            comm = grid.comm(part)
            for case in part:
                known[key(case)] = {
                    "comm": asdict(comm[case]) if case in comm else None,
                    "kernel": asdict(grid.streams(case)),
                }
            stored.write_text(json.dumps(known))
        print(f"{place}: {len(group)} cases, {time.monotonic() - began:.1f} s", flush=True)
    return known


def key(case: Case) -> str:
    return f"{case.place} {case.text}"


def row_of(case: Case, answers: dict, folder: Path) -> Row:
    comm, kernel = answers["comm"], answers["kernel"]
    if comm and comm["wrong"]:
        raise SystemExit(f"{key(case)}: {comm['wrong']} wrong bytes through comm on SimGrid")
    plain = fair(case, folder)
    return Row(
        case=case,
        comm=comm["seconds"] if comm else None,
        kernel=kernel["seconds"],
        messages=kernel["messages"],
        fair=plain.seconds,
        fair_with_header=fair(case, folder, HEADER).seconds,
        fifo=ours(case, folder, sharing="fifo").seconds,
        contended=plain.counts["contended_links"],
    )


def speeds(answers: dict[str, dict], folder: Path) -> list[Speed]:
    """512 nodes, one rectangular broadcast: how long each simulator takes, one after the other in one run."""
    result = []
    for case in LARGE:
        comm, kernel = answers[key(case)]["comm"], answers[key(case)]["kernel"]
        walls = {}
        for name, options in (
            ("fair", {"sharing": "fair", "latency_weights": True}),
            ("fifo", {"sharing": "fifo"}),
            ("fifo, events", {"sharing": "fifo", "engine": "events"}),
        ):
            began = time.perf_counter()
            run = ours(case, folder, **options)
            walls[name] = (time.perf_counter() - began, run.seconds)
        of = [(a["wall"], a["seconds"]) for a in (comm, kernel)]
        result.append(Speed(case, kernel["messages"], of[0], of[1], walls))
    return result


def keep(rows: list[Row], path: Path) -> None:
    """A small part of the numbers, for a test that needs no SimGrid (tests/python/test_simgrid.py)."""
    few = [r for r in rows if r.messages <= 1000][::4]
    data = [
        {
            "machine": machine_text(r.case.machine, r.case.uneven),
            **{
                name: getattr(r.case, name)
                for name in ("collective", "algorithm", "nbytes", "segment", "window", "root")
            },
            "contended": r.contended > 0,
            "comm_seconds": r.comm,
            "kernel_seconds": r.kernel,
        }
        for r in few
    ]
    text = ",\n".join(json.dumps(d) for d in data)
    path.write_text(f'{{"simgrid": "{version()}", "header": {HEADER}, "cases": [\n{text}\n]}}\n')


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=Path)
    parser.add_argument("--only", default="", help="regular expression on 'MACHINE COLLECTIVE,ALGORITHM,...'; no page")
    parser.add_argument("--reuse", action="store_true", help="SimGrid's answers of the last run")
    options = parser.parse_args()
    grid = SimGrid(options.build)
    cases = [c for c in all_cases() if re.search(options.only, key(c))]
    stored = options.build / "answers.json"
    if not options.reuse:
        stored.unlink(missing_ok=True)
    began = time.monotonic()
    answers = collect(grid, cases, stored)
    rows = [row_of(c, answers[key(c)], grid.folder) for c in cases]
    bad = [r for r in rows if not r.passes]
    for r in bad:
        print(f"OUTLIER {key(r.case)}: {r.difference:+.1%} where {r.limit:.0%} is allowed; {r.why}")
    print(f"{len(rows)} cases, {len(bad)} outliers, {time.monotonic() - began:.0f} s")
    if not options.only:
        measured = speeds(answers, grid.folder)
        write_page(ROOT / "studies" / "docs" / "simgrid.md", rows, measured)
        keep(rows, ROOT / "tests" / "sim" / "simgrid.json")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
