"""Cholesky in the lab, beside the simulation of its graph and beside ScaLAPACK: writes studies/docs/lab-cholesky.md.

Usage: cholesky.py PROGRAM [--dropin LIBRARY] [--only REGEX] [--rounds N], or cholesky.py --reuse. PROGRAM is
bench_cholesky; LIBRARY the ScaLAPACK drop-in, for the rivals' rows. tools/lab-check cholesky calls it. Labs need root.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
from datetime import date
from pathlib import Path
from typing import Any

import allport as ap
from allport.lab.files import machine_toml
from allport.lab.plan import make_plan
from allport.run.launch import cores

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
KEPT = HERE / "cholesky.json"
PAGE = ROOT / "studies" / "docs" / "lab-cholesky.md"
LAB = "torus:4x4"
N = 2048
LIMIT = 0.15
# (rate of the links, process grid, tiles)
PLACES = [(rate, "4x4", nb) for rate in ("10mbit", "40mbit") for nb in (32, 64, 128)]
BLOCKS = "8,16,32,64,128"
Run = dict[str, Any]


def key(rate: str, grid: str) -> str:
    return f"{rate} {grid}"


def measure(program: str, dropin: str | None, rate: str, grid: str, rounds: int) -> Run:
    """A lab of its own; everybody in turns in one process group, the first result of each checked."""
    tiles = ",".join(str(nb) for r, g, nb in PLACES if (r, g) == (rate, grid))
    argv = [
        os.path.abspath(program),
        str(N),
        str(rounds),
        "--grid",
        grid,
        "--nb",
        tiles,
        "--tree",
        "axes",
        "--no-lapack",
        "--dgemm",
    ]
    argv += ["--blocks", BLOCKS, "--dropin", os.path.abspath(dropin)] if dropin else ["--no-scalapack"]
    with ap.lab.Lab.up(LAB, rate=rate, name="cholesky") as lab:
        start, env = lab.mpiexec_command(exports=[("OPENBLAS_NUM_THREADS", "1"), ("ALLPORT_SCALAPACK", "always")])
        output = subprocess.run([*start, *argv], env=env, check=True, capture_output=True, text=True).stdout
        links = lab.plan.links()
    found = json.loads(output[output.index("{") :])
    return {
        "rate": rate,
        "grid": grid,
        "seconds": {one["name"]: one["seconds"] for one in found["contenders"]},
        "links": links,
        "cores": cores(),
        "date": date.today().isoformat(),
    }


def flops_of(run: Run) -> float:
    """What a rank's dgemm reaches while those of all ranks run."""
    name, seconds = next((name, s) for name, s in run["seconds"].items() if name.startswith("dgemm"))
    order = int(name.split()[1])
    return 2.0 * order**3 / statistics.median(seconds)


def machine_of(run: Run, shared: bool) -> ap.Machine:
    """The lab's machine file with its dgemm's rate; shared: that its ranks share so many cores, too."""
    fits = {"cores": run["cores"]} if shared else {}
    text = machine_toml(make_plan("simulated", ap.Machine.parse(LAB), run["rate"]), fits)
    text = re.sub(r"flops = .*", f"flops = {flops_of(run):g}", text)
    return ap.Machine.from_toml(text)


def simulated(run: Run, nb: int) -> dict[str, float]:
    graph = ap.graph.cholesky(N, nb, run["grid"], lower=True)
    own, shared = (ap.graph.simulate(graph, machine_of(run, s), tree="axes").seconds for s in (False, True))
    return {"own": own, "shared": shared}


def measured(run: Run, nb: int) -> list[float]:
    found: list[float] = run["seconds"][f"allport nb={nb} {run['grid']} axes workers=1"]
    return found


def rows(kept: list[Run]) -> tuple[str, list[str]]:
    """Markdown, and the rows that are off: at 10 Mbit/s with cores of their own, beyond that with those they share."""
    lines = ["| rate | grid | tiles | measured: median | least | most | simulated, own cores | shared cores | "
             "median / own | median / shared |", "|" + "---|" * 10]  # fmt: skip
    off = []
    for run in kept:
        for rate, grid, nb in PLACES:
            if (rate, grid) != (run["rate"], run["grid"]):
                continue
            times, sim = measured(run, nb), simulated(run, nb)
            middle = statistics.median(times)
            ratios = {which: middle / seconds for which, seconds in sim.items()}
            which = "own" if rate == "10mbit" else "shared"
            text = {w: f"{r:.2f}" for w, r in ratios.items()}
            if abs(ratios[which] - 1) > LIMIT:
                text[which] = f"**{text[which]}**"
                off.append(f"{rate} {grid} tiles of {nb}: {ratios[which]:.2f}")
            lines.append(
                f"| {rate} | {grid} | {nb} | {middle:.3f} | {min(times):.3f} | {max(times):.3f} | {sim['own']:.3f} | "
                f"{sim['shared']:.3f} | {text['own']} | {text['shared']} |"
            )
    return "\n".join(lines), off


def rivals(kept: list[Run]) -> str:
    """Everybody, and how many times as fast as pdpotrf's best median."""
    lines = ["| rate | who | median, s | least | most | Gflop/s, median | times pdpotrf's best |", "|" + "---|" * 7]
    for run in kept:
        medians = {name: statistics.median(times) for name, times in run["seconds"].items()}
        best = min((m for name, m in medians.items() if name.startswith("pdpotrf")), default=None)
        if best is None:
            continue
        for name, middle in sorted(medians.items(), key=lambda one: -one[1]):
            if name.startswith("dgemm"):
                continue
            times = run["seconds"][name]
            words = name.replace(" axes workers=1", "").replace("allport", "ours,")
            lines.append(
                f"| {run['rate']} | {words} | {middle:.3f} | {min(times):.3f} | {max(times):.3f} | "
                f"{N**3 / 3e9 / middle:.2f} | {best / middle:.2f} |"
            )
    return "\n".join(lines)


def page(kept: list[Run]) -> tuple[str, list[str]]:
    table, off = rows(kept)
    flops = ", ".join(f"{flops_of(r) / 1e9:.1f}" for r in kept)
    text = (
        (HERE / "cholesky.md")
        .read_text()
        .format(
            N=N, LAB=LAB, TABLE=table, RIVALS=rivals(kept), BLOCKS=BLOCKS, limit=LIMIT, flops=flops,
            cores=" or ".join(sorted({str(r["cores"]) for r in kept})),
            rounds=" and ".join(sorted({str(len(next(iter(r["seconds"].values())))) for r in kept})),
            dates=" and ".join(sorted({r["date"] for r in kept})),
            links="; ".join(f"{r['rate']}: TCP {r['links']['tcp']}, bursts of {r['links']['burst'] // 1024} KiB, "
                            f"queues of {r['links']['limit'] // 1024} KiB" for r in kept),
        )
    )  # fmt: skip
    return text, off


def kept_runs() -> list[Run]:
    runs: list[Run] = json.loads(KEPT.read_text()) if KEPT.exists() else []
    return runs


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", nargs="?", help="bench_cholesky")
    parser.add_argument("--dropin", help="ScaLAPACK's drop-in, for pdpotrf with it and without")
    parser.add_argument("--reuse", action="store_true", help="the last measurements: simulate again and write the page")
    parser.add_argument("--only", default="", help="regular expression on 'RATE GRID': measure these alone")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    if not options.reuse and not options.program:
        parser.error("expected PROGRAM, or --reuse")
    known = {key(run["rate"], run["grid"]): run for run in kept_runs()}
    for rate, grid in dict.fromkeys((r, g) for r, g, _ in PLACES):
        if not options.reuse and re.search(options.only, key(rate, grid)):
            run = measure(options.program, options.dropin, rate, grid, options.rounds)
            known[key(rate, grid)] = run
            KEPT.write_text("[\n" + ",\n".join(json.dumps(r) for r in known.values()) + "\n]\n")
            print(f"{key(rate, grid)}: measured", flush=True)
    text, off = page(list(known.values()))
    PAGE.write_text(text)
    print(f"{PAGE.relative_to(ROOT)}: {len(known)} labs")
    for line in off:
        print(f"OFF by more than {LIMIT:.0%}: {line}")
    return 1 if off else 0


if __name__ == "__main__":
    sys.exit(main())
