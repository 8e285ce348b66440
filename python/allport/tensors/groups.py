"""Groups of ranks that share out a contraction's batch, each a machine of its own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from allport import _native
from allport._native import Machine

__all__ = ["Ranks", "groupings"]


@dataclass(frozen=True)
class Ranks:
    """Ranks that multiply together: the groups, and the machine that each of them is. parts: of the batch."""

    members: tuple[tuple[int, ...], ...]
    machine: Machine
    places: tuple[int, ...]

    @property
    def parts(self) -> int:
        """Number of groups."""
        return len(self.members)

    @property
    def is_single(self) -> bool:
        """Whether each multiplies what it has by itself."""
        return len(self.members[0]) == 1


def groupings(machine: Machine, mapping: tuple[int, ...], batches: int) -> Iterator[Ranks]:
    """All ways to share a batch out: all ranks together, then by ever more groups of equal machines."""
    rank_at = sorted(range(machine.ranks), key=lambda rank: mapping[rank])
    yield Ranks((tuple(range(machine.ranks)),), machine, mapping)
    sizes = sorted({machine.ranks // parts for parts in range(2, min(batches, machine.ranks) + 1)}, reverse=True)
    for size in sizes:
        parts = min(machine.ranks // size, batches)
        places = [list(range(g * size, (g + 1) * size)) for g in range(parts)]
        own = [_native.machine_of(machine, some) for some in places]
        if size == 1 or all(one[0] == own[0][0] and one[1] == own[0][1] for one in own):
            members = tuple(tuple(rank_at[p] for p in some) for some in places)
            yield Ranks(members, own[0][0], tuple(own[0][1]))
