"""A machine's links as SimGrid's kernel gives them, beside the simulator's: the figures of `allport machine calibrate`.

Usage: links.py BUILD_DIR MACHINE. Called by tools/simgrid-check --links.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import allport as ap
from simgrid import ROUTES_UP_TO, SimGrid

LIMIT = 0.05


def _network_alone(spec: str) -> ap.Machine:
    """The machine without o, which SimGrid's kernel does not know, and without what is within nodes."""
    machine = ap.Machine.parse(spec)
    if machine.ranks_per_node > 1 or machine.nodes > ROUTES_UP_TO:
        raise SystemExit(f"machine = '{spec}': expected up to {ROUTES_UP_TO} nodes of one rank each")
    return ap.Machine.from_toml(re.sub(r"(?m)^(overhead|tau|ports|injection) = .*\n", "", machine.to_toml()))


def main() -> int:
    build, spec = sys.argv[1:]
    grid, machine = SimGrid(Path(build)), _network_alone(spec)
    file = grid.folder / "links.toml"
    file.write_text(machine.to_toml())
    theirs = ap.run.links.carried(machine, lambda schedule: [grid.carry(file, schedule).seconds])
    ours = ap.run.links.carried(
        machine,
        lambda schedule: [
            ap.simulate(schedule, machine, model=ap.sim.Model(sharing="fair", latency_weights=True)).seconds
        ],
    )
    bad = 0
    print(f"{'':32}{'SimGrid':>14}{'simulator':>14}{'':>8}")
    for a, b in zip(theirs, ours, strict=True):
        show = ap.units.format_rate if a.unit == "B/s" else ap.units.format_seconds
        off = b.value / a.value - 1
        bad += abs(off) > LIMIT
        print(f"{a.what:32}{show(a.value):>14}{show(b.value):>14}{off:>8.2%}")
    print(f"{len(theirs)} figures, {bad} more than {LIMIT:.0%} apart")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
