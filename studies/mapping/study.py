"""Our mappings beside row-major, Scotch and KaHIP's process mapping: writes studies/docs/mapping-study.md.

Usage: study.py [--rivals] [--ours] [--missing] [--only REGEX], study.py --speed, study.py --reuse. tools/mapping-study
calls it. --rivals wants the package kahip, --ours and --rivals want scipy.
"""

from __future__ import annotations

import argparse
import fcntl
import json
import re
import sys
import time
from datetime import date
from pathlib import Path
from typing import Any

import allport as ap
from instances import INSTANCES, KINDS, Instance
from page import rows_of, write_page

HERE = Path(__file__).resolve().parent
KEPT = HERE / "results.json"
Row = dict[str, Any]


def key(instance: Instance, kind: str) -> str:
    return f"{instance.name} | {kind}"


def wanted(only: str = "") -> list[tuple[Instance, str]]:
    return [(i, kind) for i in INSTANCES for kind in KINDS if re.search(only, key(i, kind))]


def kept() -> dict[str, Row]:
    """What was measured, by key; "speed" has the times of large mappings."""
    return json.loads(KEPT.read_text()) if KEPT.exists() else {}


def keep(name: str, part: Row) -> None:
    """Adds to what is kept of a key, also beside another process that does so."""
    with (HERE / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        rows = kept()
        rows[name] = {**rows.get(name, {}), **part}
        lines = ",\n".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in rows.items())
        KEPT.write_text("{\n" + lines + "\n}\n")


def scored(machine: ap.Machine, pattern: ap.pattern.Pattern, places: list[int], seconds: float) -> Row:
    """What is compared."""
    score = ap.mapping.score(machine, pattern, places)
    return {
        "link_s": score["busiest_link_s"],
        "hop_bytes": score["hop_bytes"],
        "predicted_s": score["predicted_s"],
        "simulated_s": ap.simulate(pattern.schedule(), machine, places=places).seconds,
        "took_s": round(seconds, 3),
    }


def ours(machine: ap.Machine, pattern: ap.pattern.Pattern) -> Row:
    """The order that ap.mapping.choose() names fastest; it does not decline small gains here."""
    began = time.process_time()
    chosen = ap.mapping.choose(machine, pattern, least_gain=0.0)
    seconds = time.process_time() - began
    return {"order": chosen.order, **scored(machine, pattern, chosen.places, seconds)}


def of_rivals(machine: ap.Machine, pattern: ap.pattern.Pattern) -> Row:
    import rivals

    placed = {
        **rivals.ours_and_row_major(machine, pattern),
        "scotch": rivals.scotch(machine, pattern),
        "kahip": rivals.kahip(machine, pattern),
    }
    return {name: scored(machine, pattern, p.places, p.seconds) for name, p in placed.items()}


def measure(instance: Instance, kind: str, what: argparse.Namespace) -> None:
    machine, pattern, name = instance.machine(kind), instance.make(), key(instance, kind)
    before = kept().get(name, {})
    if what.rivals and not (what.missing and "rivals" in before):
        from bounds import cut_bound

        keep(name, {"bound_s": cut_bound(machine, pattern), "rivals": of_rivals(machine, pattern)})
    if what.ours and not (what.missing and "ours" in before):
        keep(name, {"ours": ours(machine, pattern)})
    row = kept()[name]
    if "rivals" in row and "ours" in row:
        best = {k: min(r[k] for r in row["rivals"].values()) for k in ("link_s", "hop_bytes", "simulated_s")}
        of_best = {k: row["ours"][k] / v if v else float(row["ours"][k] > 0) + 1 for k, v in best.items()}
        text = "  ".join(f"{k} {v:.3f}" for k, v in of_best.items())
        print(f"{name}: {text}  {row['ours']['order']}, {row['ours']['took_s']} s", flush=True)


SPEED = (
    ("7-point halo 16x16x16", "torus:16x16x16", lambda: ap.pattern.halo((16, 16, 16), local=128)),
    ("5-point halo 64x64", "torus:16x16x16", lambda: ap.pattern.halo((64, 64), local=16384)),
    ("random graph 4096, degree 4", "torus:16x16x16", INSTANCES[42].make),
    ("mesh graph 2D 4096", "torus:16x16x16", INSTANCES[49].make),
    ("7-point halo 64x64x64", "exascale", lambda: ap.pattern.halo((64, 64, 64), local=128)),
    ("5-point halo 512x512", "exascale", lambda: ap.pattern.halo((512, 512), local=16384)),
    ("7-point halo 128x64x32, numbered at random", "exascale", lambda: shuffled((128, 64, 32))),
)


def shuffled(grid: tuple[int, ...]) -> ap.pattern.Pattern:
    """A halo whose ranks say nothing about where they are: no grid, and numbers drawn."""
    import numpy as np

    halo = ap.pattern.halo(grid, local=128)
    number = np.random.default_rng(1).permutation(halo.ranks).tolist()
    return ap.pattern.Pattern("shuffled halo", halo.ranks, [(number[a], number[b], n) for a, b, n in halo.messages])


def speed(only: str) -> None:
    """Seconds of one core that choosing a mapping takes, whatever else runs on others."""
    for name, spec, make in SPEED:
        if not re.search(only, f"{name} {spec}"):
            continue
        machine, pattern = ap.Machine.parse(spec), make()
        began = time.process_time()
        chosen = ap.mapping.choose(machine, pattern)
        row = {
            "machine": spec,
            "ranks": pattern.ranks,
            "order": chosen.order,
            "seconds": round(time.process_time() - began, 2),
            "date": date.today().isoformat(),
        }
        keep("speed", {name: row})
        print(f"{name} on {spec}: {row['seconds']} s, {row['order']}", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rivals", action="store_true", help="map by the rivals, and find the bounds")
    parser.add_argument("--ours", action="store_true", help="map by ours")
    parser.add_argument("--missing", action="store_true", help="only what was not measured yet")
    parser.add_argument("--speed", action="store_true", help="times of 4,096 and 262,144 ranks")
    parser.add_argument("--reuse", action="store_true", help="write the page from what was measured")
    parser.add_argument("--only", default="", help="regular expression on 'INSTANCE | KIND'")
    options = parser.parse_args()
    if options.speed:
        speed(options.only)
    elif not options.reuse:
        for instance, kind in wanted(options.only):
            measure(instance, kind, options)
    if rows_of(kept()):
        write_page(kept())
    return 0


if __name__ == "__main__":
    sys.exit(main())
