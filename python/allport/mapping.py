"""Where ranks go: orders of a job's places, their scores, the choice among them, and launchers' files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from allport import _native
from allport._native import Machine, Pattern
from allport.errors import failure
from allport.machine import as_machine

__all__ = [
    "RankOrder",
    "choose",
    "mpich_rank_order",
    "open_mpi_rankfile",
    "orders",
    "score",
    "slurm_hostfile",
]


@dataclass(frozen=True)
class RankOrder:
    """A choice: rank r goes to place places[r] of the machine (a place is node x ranks of a node + rank within it).

    reason: one sentence with the times and the busiest links of what was chosen and of the order as it is. declined:
    another order was faster, but not by enough. candidates: every order with its scores, or why it cannot serve.
    """

    machine: Machine
    pattern: Pattern
    allocation: list[int]
    order: str
    places: list[int] = field(repr=False)
    reason: str
    declined: bool
    candidates: list[dict[str, Any]] = field(repr=False)

    @property
    def given(self) -> dict[str, Any]:
        """Scores of the job's own order."""
        return self.candidates[0]

    @property
    def score(self) -> dict[str, Any]:
        """Scores of the chosen order."""
        return next(c for c in self.candidates if c["order"] == self.order)

    def to_dict(self) -> dict[str, Any]:
        """For programs."""
        return {
            "machine": self.machine.name,
            "pattern": self.pattern.name,
            "ranks": self.pattern.ranks,
            "bytes": self.pattern.bytes,
            "order": self.order,
            "places": self.places,
            "reason": self.reason,
            "declined": self.declined,
            "candidates": [{k: v for k, v in c.items() if k != "places"} for c in self.candidates],
        }


def orders() -> dict[str, str]:
    """Every order's name and what it does."""
    return dict(_native.mapping_orders())


def score(machine: Machine | str, pattern: Pattern, places: Sequence[int]) -> dict[str, Any]:
    """How good places are: predicted seconds, the busiest link, hop-bytes, dilation, bytes between nodes."""
    return _native.mapping_score(as_machine(machine), pattern, list(places))


def choose(
    machine: Machine | str,
    pattern: Pattern,
    *,
    allocation: Sequence[int] | None = None,
    least_gain: float = 0.05,
    refined: int = 2,
    among: Sequence[str] = (),
) -> RankOrder:
    """Tries every order, refines the best `refined` by swaps, and takes the one with the least predicted time.

    allocation: the job's places in the order in which its ranks would fill them; else the machine's first ones.
    least_gain: the share of the given order's time that another one must save. among: names of orders() to try besides
    'given'; none: all. Raises AllportError.
    """
    where = as_machine(machine)
    given = [] if allocation is None else [int(p) for p in allocation]
    found = _native.mapping_choose(where, pattern, given, least_gain, refined, list(among))
    best = found["candidates"][found["best"]]
    return RankOrder(
        machine=where,
        pattern=pattern,
        allocation=given or list(range(pattern.ranks)),
        order=best["order"],
        places=best["places"],
        reason=found["reason"],
        declined=found["declined"],
        candidates=found["candidates"],
    )


def _hosts(chosen: RankOrder, hosts: Sequence[str] | None) -> list[str]:
    """The name of each node of the machine."""
    names = [f"node{n}" for n in range(chosen.machine.nodes)] if hosts is None else list(hosts)
    if len(names) != chosen.machine.nodes:
        raise failure(f"hosts: {len(names)} names: expected one for each of {chosen.machine.nodes} nodes, x fastest")
    return names


def open_mpi_rankfile(chosen: RankOrder, hosts: Sequence[str] | None = None) -> str:
    """A rankfile for `mpirun --rankfile`: the host and slot of each rank. hosts: the name of each node, x fastest."""
    names = _hosts(chosen, hosts)
    per_node = chosen.machine.ranks_per_node
    lines = [f"rank {r}={names[p // per_node]} slot={p % per_node}" for r, p in enumerate(chosen.places)]
    return "\n".join(lines) + "\n"


def mpich_rank_order(chosen: RankOrder) -> str:
    """The file MPICH_RANK_ORDER for MPICH_RANK_REORDER_METHOD=3: the rank of each slot, in the job's order of slots."""
    rank_at = {p: r for r, p in enumerate(chosen.places)}
    return ",".join(str(rank_at[p]) for p in chosen.allocation) + "\n"


def slurm_hostfile(chosen: RankOrder, hosts: Sequence[str] | None = None) -> str:
    """A file for SLURM_HOSTFILE with `srun --distribution=arbitrary`: the host of each rank, a line each."""
    names = _hosts(chosen, hosts)
    return "\n".join(names[p // chosen.machine.ranks_per_node] for p in chosen.places) + "\n"
