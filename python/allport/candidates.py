"""A plan's candidates, simulated: the best few by price, in the order of what their task graphs take.

best = ap.sim.simulate_candidates(ap.plan.lu, 131072, 131072, "torus:16x16x16")[0]
print(best.candidate["grid"], best.priced, best.seconds)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

from allport._native import CholeskyPlan, GemmPlan, LuPlan, Machine, QrPlan
from allport.errors import Error, failure
from allport.graph import Model, planned, simulate, tasks_of
from allport.machine import as_machine
from allport.options import Options
from allport.plan import decided

__all__ = ["SimulatedCandidate", "simulate_candidates"]

# A million tasks take a few seconds; what has more is left out unless it is asked for.
MOST_TASKS = 2_000_000


class SimulatedCandidate(NamedTuple):
    """A candidate as in a plan's table, with what its graph takes."""

    candidate: dict[str, Any]
    priced: float  #: seconds, by which plans choose
    seconds: float | None  #: simulated; None where it was not
    tasks: int | None
    compute: float  #: shares of the ranks' time
    communicate: float
    idle: float
    why_not: str  #: why it was not simulated

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return self._asdict()


def _best(candidates: list[dict[str, Any]], most: int) -> list[dict[str, Any]]:
    """Of each algorithm on each grid the best: another width or order of the same is no other way to compute."""
    seen: set[tuple[Any, ...]] = set()
    best = []
    for c in candidates:
        of = (c.get("algorithm"), *c["grid"])
        if "seconds" not in c or c.get("in_place") or of in seen:
            continue
        seen.add(of)
        best.append(c)
    return best[:most]


def simulate_candidates(
    plan: Callable[..., GemmPlan | LuPlan | CholeskyPlan | QrPlan],
    *extents: Any,
    machine: Machine | str | None = None,
    most: int = 5,
    tasks: int = MOST_TASKS,
    progress: Callable[[str, float], None] | None = None,
    options: Options | None = None,
    **problem: Any,
) -> list[SimulatedCandidate]:
    """Simulates the task graphs of a plan's best candidates, and sorts them by what they take.

    plan: plan.gemm, plan.lu, plan.cholesky or plan.qr; its arguments are `extents`, `machine` (which may stand
    last among them), `options` and `problem`. most: candidates, each another algorithm or grid, the cheapest first.
    tasks: of a graph at most; larger ones are listed as not simulated. progress: told what is simulated, and the share
    that is done.
    Raises Error as the plan does, and of kind 'machine' where the machine does not say how fast it computes.
    """
    if most < 1:
        raise failure(f"most = {most}: expected 1 or more candidates")
    if machine is None:
        *extents, machine = extents  # type: ignore[assignment]
    where = as_machine(machine)
    options = options or Options()
    first = plan(*extents, where, options=options, **problem)
    table = first.to_dict()
    workers = table.get("workers", 1)
    chosen = _best(table["candidates"], most)
    done = []
    for at, c in enumerate(chosen):
        taken = replace(options, **decided(first, c))
        words = f"{c.get('algorithm', '')} {'x'.join(map(str, c['grid']))}".strip()

        def tell(share: float, words: str = words, at: int = at) -> None:
            if progress is not None:
                progress(words, (at + min(share, 1.0)) / len(chosen))

        tell(0)
        done.append(_simulated(plan(*extents, where, options=taken, **problem), c, where, workers, tasks, tell))
    return sorted(done, key=lambda one: (one.seconds is None, one.seconds or one.priced))


def _simulated(
    plan: Any, candidate: dict[str, Any], machine: Machine, workers: int, most: int, tell: Callable[[float], None]
) -> SimulatedCandidate:
    def told(
        seconds: float | None, tasks: int | None, why_not: str, shares: tuple[float, float, float] = (0.0, 0.0, 0.0)
    ) -> SimulatedCandidate:
        return SimulatedCandidate(candidate, candidate["seconds"]["total"], seconds, tasks, *shares, why_not)

    try:
        graph = planned(plan)
    except Error as error:
        if error.kind != "unsupported":
            raise
        return told(None, None, str(error))
    tasks = tasks_of(graph)
    if tasks is not None and tasks > most:
        return told(None, tasks, f"{tasks:,} tasks, more than {most:,}")
    total = max(tasks or 1, 1)
    run = simulate(graph, machine, model=Model(workers=workers), progress=lambda count: tell(count / total))
    data = run.to_dict()
    return told(run.seconds, run.tasks, "", (data["compute"], data["communicate"], data["idle"]))
