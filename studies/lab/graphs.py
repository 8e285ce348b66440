"""Products and LU in the lab, beside the simulation of their graphs: writes studies/docs/lab-graphs.md.

Usage: graphs.py DIRECTORY [--only REGEX] [--rounds N] [--groups N], or graphs.py --reuse. DIRECTORY has bench_gemm and
bench_lu. Rounds are those of one process group; what connections have come to makes one group unlike another. Labs of
slow links, which take minutes a round, run once.
tools/lab-check graphs calls it. Labs need root.
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
from typing import Any, NamedTuple

import allport as ap
from allport.lab.files import machine_toml
from allport.lab.plan import make_plan
from allport.run.launch import cores

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
KEPT = HERE / "graphs.json"
PAGE = ROOT / "studies" / "docs" / "lab-graphs.md"
LIMIT = 0.15
BURST = 32 * 1024  # docs/concepts/lab.md
Run = dict[str, Any]


class Place(NamedTuple):
    """A lab, and what runs in it, as bench_gemm and bench_lu are told."""

    lab: str
    rate: str
    n: int
    products: tuple[str, ...] = ()
    factorizations: tuple[tuple[str, str], ...] = ()

    @property
    def is_fast(self) -> bool:
        """Whether links take less than cores that all ranks share."""
        return self.rate == "40mbit"

    @property
    def name(self) -> str:
        return f"{self.lab} {self.rate} {self.n}"


PRODUCTS = ("summa/4x4x1/64", "summa/4x4x1/128", "cannon/4x4x1/0", "summa25/2x4x2/64")
FACTORIZATIONS = (("--ours", "32,128"), ("--grid", "4,32,32"), ("--grid", "2,16,32,2,32"))
CUBE = ("summa/8x8x1/64", "summa/4x16x1/64", "summa25/4x4x4/64", "3d/4x4x4/0")
PLACES = (
    Place("torus:4x4", "10mbit", 2048, PRODUCTS, FACTORIZATIONS),
    Place("torus:4x4", "40mbit", 2048, PRODUCTS, FACTORIZATIONS),
    Place("torus:4x4x4", "1mbit", 1024, CUBE),
    Place("torus:4x4x4", "2mbit", 1024, CUBE),
    Place("torus:4x4x4", "2mbit", 2048, CUBE),
    Place("torus:4x4x4", "1mbit", 2048, CUBE),
)


def run_in(lab: ap.lab.Lab, argv: list[str]) -> Any:
    start, env = lab.mpiexec_command(exports=[("OPENBLAS_NUM_THREADS", "1")])
    output = subprocess.run([*start, *argv], env=env, check=True, capture_output=True, text=True).stdout
    return json.loads(output[output.index("{") :])


def measure(place: Place, directory: str, rounds: int, groups: int) -> Run:
    """A lab of its own; all of a program in turns in each process group, the first result of each checked."""
    seconds: dict[str, list[float]] = {}

    def add(found: dict[str, list[float]]) -> None:
        for name, times in found.items():
            seconds.setdefault(name, []).extend(times)

    with ap.lab.Lab.up(place.lab, rate=place.rate, name="graphs") as lab:
        links = lab.plan.links()
        products = [os.path.join(directory, "bench_gemm"), str(place.n), str(rounds), ",".join(place.products), "64"]
        for _ in range(groups):
            add(run_in(lab, products)["seconds"])
        if place.factorizations:
            asked = [word for option in place.factorizations for word in option]
            factor = [
                os.path.join(directory, "bench_lu"),
                str(place.n),
                str(rounds),
                "--no-lapack",
                "--blocks",
                "8,16,32",
            ]
            for _ in range(groups):
                add({one["name"]: one["seconds"] for one in run_in(lab, [*factor, *asked])["contenders"]})
    return {"place": place.name, "seconds": seconds, "groups": groups, "links": links, "cores": cores(),
            "date": date.today().isoformat()}  # fmt: skip


def machine_of(place: Place, run: Run, shared: bool) -> ap.Machine:
    """The lab's machine file with the rate that each rank's dgemm reaches while those of all ranks run.

    shared: and that ranks share this computer's cores, and that idle links pass 32 KiB at once.
    """
    lab = ap.Machine.parse(place.lab)
    fits = {"cores": run["cores"], "burst": BURST} if shared else {}
    text = machine_toml(make_plan("simulated", lab, place.rate), fits)
    rate = 2.0 * place.n**3 / lab.ranks / statistics.median(run["seconds"]["peak"])
    text = re.sub(r"flops = .*", f"flops = {rate:g}", text)
    return ap.Machine.from_toml(text)


class Row(NamedTuple):
    words: str
    measured: list[float]
    graph: Any


def product(place: Place, spec: str, machine: ap.Machine, run: Run) -> Row:
    algorithm, grid, panel = spec.split("/")
    plan = ap.plan.gemm(
        place.n, place.n, place.n, machine, options=ap.Options(algorithm=algorithm, grid=grid, panel=int(panel))
    )
    found = [
        s for name, s in run["seconds"].items() if name.startswith(f"allport {algorithm} {grid}/{int(panel) or ''}")
    ]
    panels = f", panels of {panel}" if int(panel) else ""
    return Row(f"gemm, {algorithm} {grid}{panels}", found[0], ap.graph.gemm(plan))


def factorization(place: Place, option: tuple[str, str], machine: ap.Machine, run: Run) -> Row:
    numbers = [int(x) for x in option[1].split(",")]
    options: dict[str, Any] = {"pivoting": "partial"}
    if option[0] == "--ours":
        panel, nb = numbers
        options |= {"algorithm": "1d", "panel": panel, "nb": nb}
    else:
        rows, panel, nb, layers, outer_panel = [*numbers, 1, 0][:5] if len(numbers) < 5 else numbers
        grid = f"{rows}x{machine.ranks // rows // layers}x{layers}"
        options |= {"algorithm": "2.5d" if layers > 1 else "2d", "grid": grid, "panel": panel, "nb": nb}
        options["outer_panel"] = outer_panel
    plan = ap.plan.lu(place.n, place.n, machine, options=ap.Options(**options))
    grid = "x".join(str(x) for x in plan.grid)
    start = f"allport partial {plan.algorithm} {grid} b={options['panel']} of {options['nb']}"
    found = [s for name, s in run["seconds"].items() if name.startswith(start)]
    words = f"lu, {plan.algorithm} {grid}, {options['panel']} of {options['nb']} columns"
    return Row(words, found[0], ap.graph.lu(plan))


def rows(place: Place, run: Run) -> tuple[list[str], list[str]]:
    machine, shared = (machine_of(place, run, shared) for shared in (False, True))
    all_rows = [product(place, spec, machine, run) for spec in place.products]
    all_rows += [factorization(place, option, machine, run) for option in place.factorizations]
    lines, off = [], []
    for words, times, graph in all_rows:
        own, of_cores = (ap.graph.simulate(graph, one) for one in (machine, shared))
        allowed = own.seconds * own.to_dict()["busiest_link"]
        middle = statistics.median(times)
        ratios = [middle / simulated.seconds for simulated in (own, of_cores)]
        said = [f"{ratio:.2f}" if abs(ratio - 1) <= LIMIT else f"**{ratio:.2f}**" for ratio in ratios]
        if abs(ratios[1 if place.is_fast else 0] - 1) > LIMIT:
            off.append(f"{place.name}, {words}: {ratios[0]:.2f}, {ratios[1]:.2f}")
        lines.append(
            f"| {place.lab} | {place.rate} | {place.n} | {words} | {middle:.3f} | {min(times):.3f} | {max(times):.3f} "
            f"| {own.seconds:.3f} | {said[0]} | {of_cores.seconds:.3f} | {said[1]} "
            f"| {allowed:.3f} | {allowed / middle:.2f} |"
        )
    return lines, off


def rivals(run: Run) -> list[str]:
    """ScaLAPACK's best of the run beside ours."""
    found = []
    for rival, ours in (("pdgemm", r"allport (summa|cannon|3d)"), ("pdgetrf", "allport partial")):
        best = {
            who: min((statistics.median(s), name) for name, s in run["seconds"].items() if re.match(who, name))
            for who in (rival, ours)
            if any(re.match(who, name) for name in run["seconds"])
        }
        if len(best) < 2:
            continue
        (theirs, their_name), (mine, my_name) = best[rival], best[ours]
        found.append(f"| {run['place']} | {their_name} | {theirs:.3f} | {my_name} | {mine:.3f} | {theirs / mine:.2f} |")
    return found


def page(kept: dict[str, Run]) -> tuple[str, list[str]]:
    lines = ["| lab | rate | n | what | measured: median, s | least | most | simulated, own cores | median / simulated "
             "| shared cores | median / simulated | busiest link | of it |", "|" + "---|" * 13]  # fmt: skip
    beside = ["| lab, rate, n | ScaLAPACK's best | s | our best | s | times |", "|" + "---|" * 6]
    off = []
    for place in PLACES:
        if place.name in kept:
            more, far = rows(place, kept[place.name])
            lines += more
            off += far
            beside += rivals(kept[place.name])
    runs = list(kept.values())
    text = (
        (HERE / "graphs.md")
        .read_text()
        .format(
            TABLE="\n".join(lines),
            RIVALS="\n".join(beside),
            limit=LIMIT,
            cores=" or ".join(sorted({str(r["cores"]) for r in runs})),
            rounds=", ".join(sorted({f"{len(r['seconds']['peak'])} in {r['groups']}" for r in runs})),
            dates=" and ".join(sorted({r["date"] for r in runs})),
        )
    )
    return text, off


def kept_runs() -> dict[str, Run]:
    """By their places' names."""
    return {run["place"]: run for run in (json.loads(KEPT.read_text()) if KEPT.exists() else [])}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("directory", nargs="?", help="where bench_gemm and bench_lu are")
    parser.add_argument("--reuse", action="store_true", help="the last measurements: simulate again and write the page")
    parser.add_argument("--only", default="", help="regular expression on 'LAB RATE N': measure these alone")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--groups", type=int, default=3)
    options = parser.parse_args()
    if not options.reuse and not options.directory:
        parser.error("expected DIRECTORY, or --reuse")
    kept = kept_runs()
    for place in PLACES:
        if not options.reuse and re.search(options.only, place.name):
            often = (options.rounds, options.groups) if place.is_fast else (1, 1)
            kept[place.name] = measure(place, os.path.abspath(options.directory), *often)
            KEPT.write_text("[\n" + ",\n".join(json.dumps(r) for r in kept.values()) + "\n]\n")
            print(f"{place.name}: measured", flush=True)
    text, off = page(kept)
    PAGE.write_text(text)
    print(f"{PAGE.relative_to(ROOT)}: {len(kept)} labs")
    for line in off:
        print(f"OFF by more than {LIMIT:.0%}: {line}")
    return 1 if off else 0


if __name__ == "__main__":
    sys.exit(main())
