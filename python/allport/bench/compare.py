"""Compares algorithms of a collective by simulation over sizes."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

from allport._native import Machine
from allport.bench.job import block_of, contract_name, element_of, sizes_of
from allport.collectives import algorithms as registered
from allport.collectives import make_schedule
from allport.errors import Error, failure
from allport.machine import as_machine
from allport.notebook import with_bar
from allport.select import explain
from allport.sim import simulate

__all__ = ["compare"]


@with_bar("simulating")
def compare(
    collective: str,
    machine: Machine | str,
    *,
    sizes: Sequence[str | int] = ("1KiB:16MiB",),
    algorithms: Sequence[str] = (),
    segment: int | str | None = None,
    root: int = 0,
    progress: Callable[[str, float], None] | None = None,
    **options: Any,
) -> dict[str, Any]:
    """Simulates each algorithm at each size.

    sizes: of the whole vector, as in `allport bench`; block collectives cut it into a block per rank. algorithms:
    default: all registered ones. options: of simulate(). Returns {"rows": [{"size", "bytes", "bound", "chosen",
    "fastest", "algorithms": {name: {"seconds", "predicted", "segment", "wall"} or {"reason"}}}], ...}.
    Raises Error if none applies.
    """
    where = as_machine(machine)
    name = contract_name(collective)
    known = [a["name"] for a in registered(name)]
    for a in algorithms:
        if a not in known:
            raise failure(f"algorithm = '{a}': {name} has {', '.join(known)}")
    wanted = list(algorithms) or known
    element = element_of(collective)
    asked = sizes_of(sizes)
    rows = []
    for i, size in enumerate(asked):
        bytes_ = block_of(collective, size, where.ranks)
        row: dict[str, Any] = {"size": size, "bytes": bytes_, "algorithms": {}}
        for j, a in enumerate(wanted):
            if progress:
                progress(f"{a}, {size} bytes", (i + j / len(wanted)) / len(asked))
            row["algorithms"][a] = _one(name, where, a, bytes_, element, segment, root, options)
        times = {a: r["seconds"] for a, r in row["algorithms"].items() if "seconds" in r}
        if not times:
            reasons = "; ".join(f"{a}: {r['reason']}" for a, r in row["algorithms"].items())
            raise failure(f"collective = '{collective}': no algorithm can serve {where.name}: {reasons}", "unsupported")
        row["fastest"] = min(times, key=lambda a: times[a])
        row["chosen"] = explain(name, where, bytes=bytes_, root=root, element=element).algorithm
        row["bound"] = {a: r.pop("bound") for a, r in row["algorithms"].items() if "bound" in r}[row["fastest"]]
        rows.append(row)
    used = {name: asdict(value) if name == "model" else value for name, value in options.items()}
    return {"collective": collective, "machine": where.name, "ranks": where.ranks, "options": used, "rows": rows}


def _one(
    collective: str,
    machine: Machine,
    algorithm: str,
    bytes_: int,
    element: int,
    segment: int | str | None,
    root: int,
    options: dict[str, Any],
) -> dict[str, Any]:
    try:
        choice = explain(
            collective, machine, bytes=bytes_, root=root, element=element, algorithm=algorithm, segment=segment
        )
        schedule = make_schedule(
            collective, machine, algorithm=algorithm, root=root, bytes=bytes_, element=element, segment=choice.segment
        )
        began = time.perf_counter()
        run = simulate(schedule, machine, **options)
    except Error as error:
        if getattr(error, "kind", "") != "unsupported":
            raise
        return {"reason": str(error)}
    return {
        "seconds": run.seconds,
        "predicted": choice.predicted,
        "segment": choice.segment,
        "wall": time.perf_counter() - began,
        "bound": run.bound,
    }
