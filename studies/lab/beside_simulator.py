"""Real runs in the lab beside the simulator: measures them, and writes studies/docs/lab-simulated.md.

Usage: beside_simulator.py [--reuse] [--only REGEX] [--best-of N]. tools/lab-check calls it. Labs need root.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import tempfile
from datetime import date
from pathlib import Path
from typing import Any

import allport as ap
from allport.bench import block_of, contract_name, element_of
from allport.lab.files import TCP_SHARE, machine_toml
from allport.lab.plan import make_plan
from allport.units import format_bytes, parse_bytes

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
KEPT = HERE / "runs.json"
PAGE = ROOT / "studies" / "docs" / "lab-simulated.md"
LIMIT = 0.15
# (lab, rate of its links, bytes of the whole vector). The slow ones take as long with a quarter of the bytes: what the
# two cores under all ranks have to do is a quarter there, what the links take is the same.
PLACES = (
    ("torus:4x4", "40mbit", "4MB"),
    ("torus:4x4", "10mbit", "1MB"),
    ("torus:3x3x3", "20mbit", "4MB"),
    ("torus:3x3x3", "5mbit", "1MB"),
)
SLOW = ("10mbit", "5mbit")
COLLECTIVES = ("bcast", "reduce", "allreduce", "allgather", "reduce_scatter", "scatter", "gather", "alltoall")
# Why a row is off by more than LIMIT, in the words that page.md explains, and the ratio (best / fifo) that they were
# found for: another ratio is another finding, and wants its own.
WHY = {
    "torus:4x4 40mbit reduce": (1.28, "cores, sharing"),
    "torus:4x4 40mbit allreduce": (1.21, "cores"),
    "torus:4x4 40mbit allgather": (1.20, "cores"),
    "torus:4x4 40mbit alltoall": (1.19, "cores"),
    "torus:3x3x3 20mbit reduce": (1.71, "cores, sharing"),
    "torus:3x3x3 20mbit allreduce": (1.35, "cores"),
    "torus:3x3x3 20mbit allgather": (1.17, "cores"),
    "torus:3x3x3 20mbit reduce_scatter": (1.89, "cores, sharing"),
    "torus:3x3x3 20mbit alltoall": (1.62, "cores"),
    "torus:3x3x3 5mbit reduce": (1.40, "sharing, cores"),
    "torus:3x3x3 5mbit allreduce": (1.27, "cores"),
    "torus:3x3x3 5mbit reduce_scatter": (1.23, "sharing"),
    "torus:3x3x3 5mbit scatter": (0.81, "bucket"),
    "torus:3x3x3 5mbit gather": (0.77, "bucket"),
}
SAME = 0.05  # two ratios no further apart than this have one reason
Run = dict[str, Any]


def key(run: Run) -> str:
    return f"{run['lab']} {run['rate']} {run['collective']}"


def wanted() -> list[Run]:
    return [{"lab": p[0], "rate": p[1], "size": p[2], "collective": c} for p in PLACES for c in COLLECTIVES]


def measure(run: Run, best_of: int) -> Run:
    """Ours alone in a lab of its own, through the preloaded library, every byte checked."""
    with tempfile.TemporaryDirectory() as folder:
        job = ap.bench.Job(
            run["collective"],
            sizes=[run["size"]],
            lab=run["lab"],
            rate=run["rate"],
            against=None,
            rounds=1,
            iterations=best_of,
            seconds=60.0,
            measured=f"{folder}/times.json",
        )
        result = ap.bench.run(job)
        row = result["sizes"][0]
    if row["wrong"]:
        raise SystemExit(f"{key(run)}: {row['wrong']} wrong bytes")
    times = row["ours"][row["ours_best"]]
    made = {
        "algorithm": row["chosen"]["algorithm"],
        "segment": row["chosen"]["segment"],
        "least": times["least"],
        "median": times["median"],
        "most": times["most"],
        "samples": times["samples"],
        "date": date.today().isoformat(),
        "load": round(os.getloadavg()[0]),
        "links": result["links"],
    }
    return {**run, **made}


def machine_of(lab: str, rate: str) -> ap.Machine:
    """As the machine file has it that the lab gives its ranks."""
    return ap.Machine.from_toml(machine_toml(make_plan("simulated", ap.Machine.parse(lab), rate)))


def simulated(run: Run) -> dict[str, Any]:
    """The schedule that ran, on the machine file that the lab gives its ranks; o is spent by a rank's one processor."""
    machine = machine_of(run["lab"], run["rate"])
    bytes_ = block_of(run["collective"], parse_bytes(run["size"], "size"), machine.ranks)
    name = contract_name(run["collective"])
    schedule = ap.make_schedule(
        name,
        machine,
        algorithm=run["algorithm"],
        bytes=bytes_,
        element=element_of(run["collective"]),
        segment=run["segment"],
    )
    found = {
        s: ap.simulate(schedule, machine, model=ap.sim.Model(sharing=s, overheads="serial")).seconds
        for s in ("fifo", "fair")
    }
    return {**found, "segment": schedule.segment}


def set_of(run: Run) -> str:
    """What the links of the run were set to besides their rate, where it was written down."""
    links = run.get("links")
    return f"{links['tcp']}, {format_bytes(links['burst'])}, {format_bytes(links['limit'])}" if links else ""


def kept() -> dict[str, Run]:
    """The measurements of runs.json by their keys."""
    return {key(r): r for r in json.loads(KEPT.read_text())} if KEPT.exists() else {}


def beside(known: dict[str, Run]) -> list[Run]:
    """The wanted runs that were measured, in the page's order, with what the simulator says today."""
    return [{**known[key(r)], "simulated": simulated(known[key(r)])} for r in wanted() if key(r) in known]


def reason(run: Run, ratio: float) -> str:
    """Why a run is off by this ratio: empty where that is not known."""
    found, words = WHY.get(key(run), (ratio, ""))
    return words if abs(ratio - found) <= SAME else ""


def ratios(runs: list[Run]) -> dict[str, dict[str, float]]:
    """Measured over simulated for both models of sharing, by a run's key."""
    return {key(r): {s: r["least"] / r["simulated"][s] for s in ("fifo", "fair")} for r in runs}


def table(runs: list[Run]) -> tuple[str, list[str]]:
    """Markdown, one row a run: measured over simulated for both models of sharing; and rows that nothing explains."""
    head = "| lab | rate | collective | by | bytes | segment | measured: best | median | most | fifo | fair | "
    lines = [head + "best / fifo | best / fair | TCP, burst, queue | why |", "|" + "---|" * 15]
    strange = []
    for run, ratio in zip(runs, ratios(runs).values(), strict=True):
        sim = run["simulated"]
        off = abs(ratio["fifo"] - 1) > LIMIT
        why = reason(run, ratio["fifo"]) if off else ""
        if off and not why:
            strange.append(f"{key(run)}: {ratio['fifo']:.2f}")
        mark = f"**{ratio['fifo']:.2f}**" if off else f"{ratio['fifo']:.2f}"
        lines.append(
            f"| {run['lab']} | {run['rate']} | {run['collective']} | {run['algorithm']} | {run['size']} | "
            f"{format_bytes(sim['segment'])} | {run['least']:.3f} | {run['median']:.3f} | {run['most']:.3f} | "
            f"{sim['fifo']:.3f} | {sim['fair']:.3f} | {mark} | {ratio['fair']:.2f} | {set_of(run)} | {why} |"
        )
    return "\n".join(lines), strange


def page(runs: list[Run]) -> tuple[str, list[str]]:
    """studies/docs/lab-simulated.md from page.md, and the rows that nothing explains."""
    rows, strange = table(runs)
    ratio = ratios(runs)
    slow = {k: r for k, r in ratio.items() if k.split()[1] in SLOW}
    overheads = {lab: machine_of(lab, rate).rates.overhead for lab, rate, _ in PLACES}
    lab, rate, size = PLACES[-1]
    cube = make_plan("bucket", ap.Machine.parse(lab), rate)
    burst = cube.burst_of(cube.bits[0])
    carried = parse_bytes(size, "size") * (cube.ranks - 1) / cube.ranks / len(cube.ports(0))
    text = (
        (HERE / "page.md")
        .read_text()
        .format(
            TABLE=rows,
            fifo={k: r["fifo"] for k, r in ratio.items()},
            fair={k: r["fair"] for k, r in ratio.items()},
            limit=LIMIT,
            share=TCP_SHARE,
            overheads=", ".join(f"{1e3 * o:.2f} ms on {name}" for name, o in overheads.items()),
            samples=" or ".join(sorted({str(r["samples"]) for r in runs})),
            burst=format_bytes(burst),
            size=size,
            carried=f"{carried / 1e3:.0f} KB",
            free=burst / carried,
            dates=" and ".join(sorted({r["date"] for r in runs})),
            load=f"{min(r['load'] for r in runs)} to {max(r['load'] for r in runs)}",
            slow_4x4=max(abs(r["fifo"] - 1) for k, r in slow.items() if k.startswith("torus:4x4")),
            faster=", ".join(k for k, r in slow.items() if r["fifo"] < 1 - LIMIT) or "none",
            slower=", ".join(k for k, r in slow.items() if r["fair"] > 1 + LIMIT) or "none",
        )
    )
    return text, strange


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--reuse", action="store_true", help="the last measurements: simulate again and write the page")
    parser.add_argument("--only", default="", help="regular expression on 'LAB RATE COLLECTIVE': measure these alone")
    parser.add_argument("--best-of", type=int, default=5, help="runs of each")
    options = parser.parse_args()
    known = kept()
    for run in wanted():
        if not options.reuse and re.search(options.only, key(run)):
            known[key(run)] = found = measure(run, options.best_of)
            KEPT.write_text("[\n" + ",\n".join(json.dumps(r) for r in known.values()) + "\n]\n")
            print(f"{key(run)}: {found['least']:.3f} s, simulated {simulated(found)['fifo']:.3f} s", flush=True)
    runs = beside(known)
    text, strange = page(runs)
    PAGE.write_text(text)
    print(f"{PAGE.relative_to(ROOT)}: {len(runs)} runs")
    for line in strange:
        print(f"OFF by more than {LIMIT:.0%} and not explained in WHY: {line}")
    return 1 if strange else 0


if __name__ == "__main__":
    sys.exit(main())
