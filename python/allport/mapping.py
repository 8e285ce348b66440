"""Where ranks go: orders of a job's places, their scores, the choice among them, and launchers' files."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from allport import _native, pattern
from allport._native import Machine, Pattern
from allport.errors import failure
from allport.machine import as_machine
from allport.notebook import Shown

__all__ = [
    "RankOrder",
    "allocation_on",
    "choose",
    "dims",
    "mpich_rank_order",
    "open_mpi_rankfile",
    "orders",
    "score",
    "slurm_hostfile",
]


@dataclass(frozen=True)
class RankOrder(Shown):
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
    most_hops: float = 0.05,
    effort: int = 300_000_000,
) -> RankOrder:
    """Tries every order, refines the best `refined` by swaps, and takes the one with the least predicted time.

    allocation: the job's places in the order in which its ranks would fill them; else the machine's first ones.
    least_gain: the share of the given order's time that another one must save. among: names of orders() to try besides
    'given'; none: all. most_hops: orders with so much more hop-bytes than the fewest, as a share, are left out.
    effort: link loads that each refinement may look at, some nanoseconds each. Raises Error.
    """
    where = as_machine(machine)
    given = [] if allocation is None else [int(p) for p in allocation]
    found = _native.mapping_choose(where, pattern, given, least_gain, refined, list(among), most_hops, effort)
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


def _names(machine: Machine, hosts: Sequence[str] | None) -> list[str]:
    """The name of each host: of a node, or of each part of one at a level."""
    names = [f"node{n}" for n in range(machine.nodes)] if hosts is None else list(hosts)
    counts = [machine.nodes]
    for level in machine.levels:
        counts.append(counts[-1] * level.count)
    if len(names) not in counts:
        some = " or ".join(str(n) for n in dict.fromkeys(counts))
        raise failure(f"hosts: {len(names)} names: expected {some}, one for each node (or part of one), x fastest")
    return names


def allocation_on(machine: Machine | str, hosts: Sequence[str]) -> list[int]:
    """The places of hosts that are there: those whose names are not '-'. hosts: one for each node, or for each part of
    one at a level, x fastest, as `allport machine discover --hosts` writes them."""
    where = as_machine(machine)
    names = _names(where, hosts)
    per_host = where.ranks // len(names)
    return [p for p in range(where.ranks) if names[p // per_host] != "-"]


CELLS = 2**24  # of a rank, where the caller does not say: 128 MiB of doubles


def _extents(count: int, fixed: Sequence[int]) -> list[tuple[int, ...]]:
    """All ways to write `count` as a product of so many factors, with those that are not 0 as they are."""
    if not fixed:
        return [()] if count == 1 else []
    choices = [fixed[0]] if fixed[0] else [n for n in range(1, count + 1) if count % n == 0]
    return [(n, *rest) for n in choices if count % n == 0 for rest in _extents(count // n, fixed[1:])]


def dims(
    machine: Machine | str,
    axes: int,
    *,
    ranks: int | None = None,
    fixed: Sequence[int] = (),
    cells: Sequence[int] | int | None = None,
    order: str = "C",
    periodic: bool | Sequence[bool] = True,
    tried: int = 12,
) -> tuple[int, ...]:
    """Extents of a process grid that fit the machine: those whose halo exchange is predicted to take least.

    Where MPI_Dims_create balances factors, this weighs what ranks send by the links that they have for it, each grid in
    the order of ranks that suits it best. axes: of the grid. ranks: all of the machine's when None. fixed: extents that
    are given, 0 where they are not. cells: of the whole domain along each axis; when None as many along each, and 2^24
    a rank. order, periodic: as for pattern.halo(). tried: grids that are priced, those that send least first. Raises
    Error.
    """
    where = as_machine(machine)
    count = where.ranks if ranks is None else ranks
    given = list(fixed) or [0] * axes
    if axes < 1 or len(given) != axes or min(given) < 0:
        raise failure(f"fixed = {given}: expected an extent for each of {axes} axes, 0 for one that is open")
    if not 1 <= count <= where.ranks:
        raise failure(f"ranks = {count}: expected 1 to {where.ranks}, as many as {where.name} has")
    grids = _extents(count, given)
    if not grids:
        raise failure(f"fixed = {given}: expected extents whose product divides {count}, the number of ranks")
    side = round((count * CELLS) ** (1 / axes))
    whole = [side if cells is None else cells] * axes if cells is None or isinstance(cells, int) else list(cells)
    if len(whole) != axes or min(whole) < 1:
        raise failure(f"cells = {cells}: expected {axes} numbers of cells >= 1")

    def local(grid: tuple[int, ...]) -> list[int]:
        return [-(-n // parts) for n, parts in zip(whole, grid, strict=True)]

    def sent(grid: tuple[int, ...]) -> int:
        mine = local(grid)
        return sum(math.prod(mine) // n for n, parts in zip(mine, grid, strict=True) if parts > 1)

    # MPI_Dims_create's, the longest extent first, where nothing else decides.
    grids.sort(key=lambda grid: (sent(grid), [-n for n in grid]))

    def predicted(grid: tuple[int, ...]) -> float:
        halo = pattern.halo(grid, local=local(grid), order=order, periodic=periodic)
        return choose(where, halo, least_gain=0.0, refined=0).score["predicted_s"]

    return min(grids[:tried], key=predicted)


def open_mpi_rankfile(chosen: RankOrder, hosts: Sequence[str] | None = None) -> str:
    """A rankfile for `mpirun --rankfile`: the host and slot of each rank. hosts: as for allocation_on()."""
    names = _names(chosen.machine, hosts)
    per_host = chosen.machine.ranks // len(names)
    lines = [f"rank {r}={names[p // per_host]} slot={p % per_host}" for r, p in enumerate(chosen.places)]
    return "\n".join(lines) + "\n"


def mpich_rank_order(chosen: RankOrder) -> str:
    """The file MPICH_RANK_ORDER for MPICH_RANK_REORDER_METHOD=3: the rank of each slot, in the job's order of slots."""
    rank_at = {p: r for r, p in enumerate(chosen.places)}
    return ",".join(str(rank_at[p]) for p in chosen.allocation) + "\n"


def slurm_hostfile(chosen: RankOrder, hosts: Sequence[str] | None = None) -> str:
    """A file for SLURM_HOSTFILE with `srun --distribution=arbitrary`: the host of each rank, a line each."""
    names = _names(chosen.machine, hosts)
    per_host = chosen.machine.ranks // len(names)
    return "\n".join(names[p // per_host] for p in chosen.places) + "\n"
