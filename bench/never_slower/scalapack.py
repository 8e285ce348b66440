"""ScaLAPACK's routines with the library preloaded and nothing named, beside the same program without it.

The same program runs twice without the library, so that the table shows what noise is: the bar is met if ours is no
more often slower than both of them than one of them is slower than the other two.
"""

from __future__ import annotations

import json
import statistics
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path

from launch import start
from scalapack_cases import Case, sample

BAR = 0.95  # of ScaLAPACK's speed
ALLOWED = 3e-6  # seconds, if that is more
GAIN = 1.05  # geometric mean over the calls that are taken
WHO = ("plain", "ours", "again")
CALLS = ("first", "later")


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


def slowest(found: dict, who: str) -> int:
    """In how many of the row's two times one of the three is below the bar beside either of the other two."""
    others = [w for w in WHO if w != who]
    return sum(all(ratios(found[call][w], found[call][who]) < BAR for w in others) for call in CALLS)


def compare(program: Path, mpiexec: str, library: str, case: Case) -> dict:
    """Runs plain, ours and plain again in turns. Rows in which one of them is below the bar get twice as many."""
    seconds: dict[str, list[list[float]]] = {who: [] for who in WHO}
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
            at_most = 2 * rounds
        if len(seconds["again"]) == rounds < at_most and any(slowest(measured(seconds), who) for who in WHO):
            rounds = at_most
    return {"case": asdict(case), "taken": taken, "seconds": seconds, **measured(seconds)}


def row(found: dict) -> str:
    case = Case(**found["case"])
    cells = []
    for call in CALLS:
        one = found[call]
        cells.append(f"{1e3 * one['plain']:10.3f} {1e3 * one['ours']:10.3f} {one['ratio']:5.2f} {one['noise']:5.2f}")
    mark = "  <" if slowest(found, "ours") else ""
    return f"{case!s:42} {'taken' if found['taken'] else '  -  '} {'  '.join(cells)}{mark}"


def run(
    program: Path, mpiexec: str, library: str, wanted: Sequence[int], keep: Callable[[dict], None] = lambda _: None
) -> dict:
    """The table, printed row by row. keep: gets the rows that are there after each."""
    cases = sample()
    table = []
    print(f"{'':48}   first call: plain, ours: ms, ratio, noise  later calls")
    for number in wanted:
        table.append(compare(program, mpiexec, library, cases[number]))
        print(f"{number:3} {row(table[-1])}")
        sys.stdout.flush()
        keep({"cases": table})
    times = {who: sum(slowest(one, who) for one in table) for who in WHO}
    taken = [one[call]["plain"] / one[call]["ours"] for one in table if one["taken"] for call in CALLS]
    passed = [one for one in table if not one["taken"]]
    print(f"\n{len(table)} cases of two times each. Slower than both others by more than {1 - BAR:.0%}: ours ", end="")
    print(f"{times['ours']}, plain {times['plain']}, plain again {times['again']}")
    for call in CALLS if passed else ():
        means = (statistics.geometric_mean(one[call][what] for one in passed) for what in ("ratio", "noise"))
        print("passed on, {} call: geometric mean {:.3f}, plain again {:.3f}".format(call, *means))
    gain = statistics.geometric_mean(taken) if taken else None
    if gain:
        print(f"taken: {len(taken) // 2} cases, geometric mean {gain:.3f}")
    met = times["ours"] <= max(times["plain"], times["again"]) and (gain or GAIN) >= GAIN
    return {"bar": BAR, "cases": table, "slowest": times, "gain": gain, "met": met}
