"""ScaLAPACK's routines with the library preloaded and nothing named, beside the same program without it."""

from __future__ import annotations

import json
import statistics
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from launch import start
from scalapack_cases import Case, sample

BAR = 0.95  # of ScaLAPACK's speed
ALLOWED = 3e-6  # seconds, if that is more
GAIN = 1.05  # geometric mean over the calls that are taken


def job(program: Path, mpiexec: str, case: Case, library: str | None) -> tuple[dict, bool]:
    """One run: what the program prints, and whether the library took the calls."""
    words = [str(program), case.routine, case.type, str(case.n), str(case.nb), str(case.rows), str(case.cols)]
    threads = {"OMP_NUM_THREADS": str(case.threads), "OPENBLAS_NUM_THREADS": str(case.threads)}
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.json")
        named = {"ALLPORT_REPORT": str(report)} if library else {}
        printed = start(mpiexec, case.rows * case.cols, words, library, **threads, **named)
        routines = json.loads(report.read_text())["scalapack"]["routines"] if library else {}
    calls = routines.get(f"P{case.type.upper()}{case.fortran_name.upper()}", {"taken": 0})
    return json.loads(printed), calls["taken"] > calls.get("how", {}).get("a workspace query", 0)


def close(one: list[float], other: list[float], case: Case) -> bool:
    digits = 1e-3 if case.type in "sc" else 1e-9
    return all(abs(a - b) <= digits * max(one[0], 1e-30) for a, b in zip(one, other, strict=True))


def ratios(plain: float, ours: float) -> float:
    """How many times ScaLAPACK's speed; what is within the seconds that are allowed counts as 1 at most."""
    return max(plain / ours, min(1.0, plain / (ours - ALLOWED)) if ours > ALLOWED else 1.0)


def measured(seconds: dict[str, list[list[float]]]) -> dict:
    """The best of all runs counts, of the first call and of the later ones."""
    found = {}
    for call, of in (("first", lambda times: times[0]), ("later", lambda times: statistics.median(times[1:]))):
        best = {who: min(of(times) for times in runs) for who, runs in seconds.items()}
        found[call] = {
            **best,
            "ratio": ratios(best["plain"], best["ours"]),
            "noise": ratios(best["plain"], best["again"]),
        }
    return found


def is_below(found: dict) -> bool:
    """Below the bar, and by more than runs of ScaLAPACK alone differ in the same row."""
    return any(found[call]["ratio"] < min(BAR, found[call]["noise"]) for call in ("first", "later"))


def compare(program: Path, mpiexec: str, library: str, case: Case) -> dict:
    """Runs plain, ours and plain again in turns. Rows below the bar get up to three times as many runs of each."""
    seconds: dict[str, list[list[float]]] = {"plain": [], "ours": [], "again": []}
    taken, rounds, at_most = False, 1, 1
    while len(seconds["again"]) < rounds:
        for who, times in seconds.items():
            out, took = job(program, mpiexec, case, library if who == "ours" else None)
            taken |= took
            if who == "plain":
                right = out["result"]
            elif not close(right, out["result"], case):
                raise RuntimeError(f"{case}: {who}'s result is {out['result']}, expected {right}")
            times.append(out["seconds"])
        if len(seconds["again"]) == 1:
            rounds = 6 if seconds["plain"][0][0] < 0.3 else 3 if seconds["plain"][0][0] < 2 else 1
            at_most = 3 * rounds
        if len(seconds["again"]) == rounds < at_most and is_below(measured(seconds)):
            rounds += at_most // 3
    return {"case": asdict(case), "taken": taken, "seconds": seconds, **measured(seconds)}


def row(found: dict) -> str:
    case = Case(**found["case"])
    cells = []
    for call in ("first", "later"):
        one = found[call]
        cells.append(f"{1e3 * one['plain']:10.3f} {1e3 * one['ours']:10.3f} {one['ratio']:5.2f} {one['noise']:5.2f}")
    mark = "  <" if is_below(found) else ""
    return f"{case!s:42} {'taken' if found['taken'] else '  -  '} {'  '.join(cells)}{mark}"


def run(program: Path, mpiexec: str, library: str, wanted: Sequence[int]) -> dict:
    cases = sample()
    table = []
    print(f"{'':48}   first call: plain, ours: ms, ratio, noise  later calls")
    for number in wanted:
        table.append(compare(program, mpiexec, library, cases[number]))
        print(f"{number:3} {row(table[-1])}")
        sys.stdout.flush()
    all_ratios = {call: [one[call]["ratio"] for one in table] for call in ("first", "later")}
    noise = [one[call]["noise"] for one in table for call in ("first", "later")]
    gains = [one[call]["plain"] / one[call]["ours"] for one in table if one["taken"] for call in ("first", "later")]
    gain = statistics.geometric_mean(gains) if gains else None
    low = sum(r < BAR for rs in all_ratios.values() for r in rs)
    below = sum(is_below(one) for one in table)
    print(f"\n{len(table)} cases; least ratio: first call {min(all_ratios['first']):.3f}, ", end="")
    print(f"later {min(all_ratios['later']):.3f}; {low} of {2 * len(table)} below {BAR}")
    print(f"plain again beside plain: {min(noise):.3f} to {max(noise):.3f}, {sum(x < BAR for x in noise)} below {BAR}")
    print(f"{below} cases are below {BAR} by more than plain runs of the same case differ")
    if gain:
        print(f"taken: {len(gains) // 2} cases, geometric mean {gain:.3f}")
    return {"bar": BAR, "cases": table, "below": below, "gain": gain, "met": below == 0 and (gain or GAIN) >= GAIN}
