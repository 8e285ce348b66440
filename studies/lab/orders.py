"""Ten patterns in the lab under the job's own order and the chosen one, beside the simulator: does it name the faster?
Writes studies/docs/lab-orders.md.

Usage: orders.py [--only REGEX] [--rounds N], or orders.py --reuse. tools/lab-check orders calls it. Labs need root.
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import subprocess
import sys
import tempfile
from datetime import date
from pathlib import Path
from typing import Any

import allport as ap
from allport.lab.files import machine_toml
from allport.lab.plan import make_plan
from allport.run.launch import cores

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
KEPT = HERE / "orders.json"
PAGE = ROOT / "studies" / "docs" / "lab-orders.md"
LAB, RATE = "torus:4x4", "x=40mbit,y=20mbit"
RANKS = 16
NEEDED = 9  # of the ten
Run = dict[str, Any]


def sparse(degree: int, seed: int) -> ap.pattern.Pattern:
    """Messages to `degree` ranks each, drawn by a generator that is written out here."""
    state, messages = seed, []
    for rank in range(RANKS):
        for _ in range(degree):
            state = (1103515245 * state + 12345) % 2**31
            messages.append((rank, (rank + 1 + (state >> 16) % (RANKS - 1)) % RANKS, 65536))
    return ap.pattern.Pattern(f"random, degree {degree}", RANKS, messages)


# The chosen order is another than the default one in each, and the simulator does not take both for equally fast.
PATTERNS = {
    "5-point halo 2x8": lambda: ap.pattern.halo((2, 8), local=16384),
    "5-point halo 8x2": lambda: ap.pattern.halo((8, 2), local=16384),
    "5-point halo 4x4, wide": lambda: ap.pattern.halo((4, 4), local=(4096, 16384)),
    "9-point halo 2x8": lambda: ap.pattern.halo((2, 8), points=9, local=16384),
    "9-point halo 8x2": lambda: ap.pattern.halo((8, 2), points=9, local=16384),
    "7-point halo 4x2x2": lambda: ap.pattern.halo((4, 2, 2), local=96),
    "all-to-all in rows 4x4": lambda: ap.pattern.alltoall((4, 4), [0], "64KiB"),
    "all-to-all in columns 8x2": lambda: ap.pattern.alltoall((8, 2), [0], "32KiB"),
    "transpose 4x4": lambda: ap.pattern.transpose((4, 4), "256KiB"),
    "random, degree 3": lambda: sparse(3, 7),
}


def machine_of() -> ap.Machine:
    """As the machine file has it that the lab gives its ranks."""
    return ap.Machine.from_toml(machine_toml(make_plan("simulated", ap.Machine.parse(LAB), RATE)))


def orders_of(machine: ap.Machine, pattern: ap.pattern.Pattern) -> dict[str, list[int]]:
    chosen = ap.mapping.choose(machine, pattern, least_gain=0.0)
    return {"default": list(range(RANKS)), "chosen": chosen.places}


def measure(names: list[str], rounds: int) -> dict[str, Run]:
    """All of them in one lab, both orders by turns."""
    machine = machine_of()
    patterns = {name: PATTERNS[name]() for name in names}
    orders = {name: orders_of(machine, p) for name, p in patterns.items()}
    with tempfile.TemporaryDirectory() as folder, ap.lab.Lab.up(LAB, rate=RATE, name="orders") as lab:
        given = Path(folder) / "patterns.json"
        listed = [{"messages": patterns[n].messages, "orders": orders[n]} for n in names]
        given.write_text(json.dumps({"patterns": listed}))
        start, env = lab.mpiexec_command()
        command = [*start, sys.executable, str(HERE / "orders_ranks.py"), str(given), str(rounds)]
        output = subprocess.run(command, env=env, check=True, capture_output=True, text=True).stdout
        links = lab.plan.links()
    found = json.loads(output[output.index("[") :])
    return {
        name: {"orders": orders[name], "seconds": times, "links": links, "cores": cores(),
               "date": date.today().isoformat()}
        for name, times in zip(names, found, strict=True)
    }  # fmt: skip


def simulated(name: str, run: Run) -> dict[str, float]:
    """The places that ran, on the lab's machine file; o is spent by a rank's one processor."""
    schedule, machine = PATTERNS[name]().schedule(), machine_of()
    return {
        order: ap.simulate(schedule, machine, model=ap.sim.Model(overheads="serial"), places=places).seconds
        for order, places in run["orders"].items()
    }


def winner(seconds: dict[str, float]) -> str:
    return min(seconds, key=lambda order: seconds[order])


def page(kept: dict[str, Run]) -> tuple[str, int]:
    """The page, and in how many patterns the simulator names the winner."""
    lines, right = [], 0
    for name, run in kept.items():
        sim, real = simulated(name, run), {o: statistics.median(s) for o, s in run["seconds"].items()}
        agree = winner(sim) == winner(real)
        right += agree
        times = " | ".join(f"{1e3 * real[o]:.0f} | {1e3 * sim[o]:.0f}" for o in ("default", "chosen"))
        gain = f"{real['default'] / real['chosen']:.2f} | {sim['default'] / sim['chosen']:.2f}"
        lines.append(f"| {name} | {times} | {gain} | {winner(real)} | {'yes' if agree else '**no**'} |")
    runs = list(kept.values())
    text = (
        (HERE / "orders.md")
        .read_text()
        .format(
            LAB=LAB, RATE=RATE, TABLE="\n".join(lines), right=right, count=len(lines),
            rounds=" or ".join(sorted({str(len(s)) for r in runs for s in r["seconds"].values()})),
            dates=" and ".join(sorted({r["date"] for r in runs})),
            cores=" or ".join(sorted({str(r["cores"]) for r in runs})),
        )
    )  # fmt: skip
    return text, right


def kept_runs() -> dict[str, Run]:
    runs: dict[str, Run] = json.loads(KEPT.read_text()) if KEPT.exists() else {}
    return {name: runs[name] for name in PATTERNS if name in runs}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--reuse", action="store_true", help="the last measurements: simulate again and write the page")
    parser.add_argument("--only", default="", help="regular expression on a pattern's name: measure these alone")
    parser.add_argument("--rounds", type=int, default=9)
    options = parser.parse_args()
    kept = kept_runs()
    names = [n for n in PATTERNS if not options.reuse and re.search(options.only, n)]
    if names:
        kept |= measure(names, options.rounds)
        kept = {n: kept[n] for n in PATTERNS if n in kept}
        rows = ",\n".join(f"{json.dumps(n)}: {json.dumps(run)}" for n, run in kept.items())
        KEPT.write_text("{\n" + rows + "\n}\n")
    text, right = page(kept)
    PAGE.write_text(text)
    print(f"{PAGE.relative_to(ROOT)}: the simulator names the winner of {right} of {len(kept)}")
    return 0 if right >= NEEDED else 1


if __name__ == "__main__":
    sys.exit(main())
