"""The settings of MPI libraries that a benchmark tries, to compare Allport with the best one."""

from __future__ import annotations

from dataclasses import dataclass, field

from allport.errors import failure

__all__ = ["Variant", "collectives", "variants"]


@dataclass(frozen=True)
class Variant:
    """A setting. tune: set by the benchmark program within the run; env: environment variables of its ranks."""

    name: str
    tune: str = "default"
    env: tuple[tuple[str, str], ...] = field(default=())


# Open MPI 4.1, coll/tuned: number, name, and whether coll_tuned_*_segmentsize applies.
_OPENMPI: dict[str, tuple[tuple[int, str, bool], ...]] = {
    "bcast": (
        (1, "linear", False),
        (2, "chain", True),
        (3, "pipeline", True),
        (4, "split binary tree", True),
        (5, "binary tree", True),
        (6, "binomial tree", True),
        (7, "knomial tree", True),
        (8, "scatter, allgather", False),
        (9, "scatter, ring allgather", False),
    ),
    "reduce": (
        (1, "linear", False),
        (2, "chain", True),
        (3, "pipeline", True),
        (4, "binary tree", True),
        (5, "binomial tree", True),
        (6, "in-order binary tree", True),
        (7, "rabenseifner", False),
    ),
    "allreduce": (
        (1, "linear", False),
        (2, "reduce, bcast", False),
        (3, "recursive doubling", False),
        (4, "ring", False),
        (5, "segmented ring", True),
        (6, "rabenseifner", False),
    ),
    "allgather": (
        (1, "linear", False),
        (2, "bruck", False),
        (3, "recursive doubling", False),
        (4, "ring", False),
        (5, "neighbour exchange", False),
    ),
    "allgatherv": ((1, "gatherv, bcast", False), (2, "bruck", False), (3, "ring", False), (4, "neighbours", False)),
    "alltoall": (
        (1, "linear", False),
        (2, "pairwise", False),
        (3, "bruck", False),
        (4, "linear with sync", False),
    ),
    "alltoallv": ((1, "linear", False), (2, "pairwise", False)),
    "reduce_scatter": (
        (1, "reduce, scatterv", False),
        (2, "halving", False),
        (3, "ring", False),
        (4, "butterfly", False),
    ),
    "reduce_scatter_block": (
        (1, "linear", False),
        (2, "recursive doubling", False),
        (3, "recursive halving", False),
        (4, "butterfly", False),
    ),
    "gather": ((1, "linear", False), (2, "binomial", False), (3, "linear with sync", True)),
    "scatter": ((1, "linear", False), (2, "binomial", False), (3, "non-blocking linear", False)),
    "barrier": (
        (1, "linear", False),
        (2, "double ring", False),
        (3, "recursive doubling", False),
        (4, "bruck", False),
        (6, "tree", False),
    ),
    "gatherv": (),
    "scatterv": (),
}
_SEGMENTS = (16 << 10, 64 << 10, 256 << 10)
_SEGMENTED_FROM = 64 << 10

# MPICH 4.0: values of MPIR_CVAR_*_INTRA_ALGORITHM.
_MPICH: dict[str, tuple[str, ...]] = {
    "bcast": ("binomial", "scatter_recursive_doubling_allgather", "scatter_ring_allgather", "pipelined_tree"),
    "reduce": ("binomial", "reduce_scatter_gather"),
    "allreduce": ("recursive_doubling", "reduce_scatter_allgather"),
    "allgather": ("brucks", "recursive_doubling", "ring"),
    "allgatherv": ("brucks", "recursive_doubling", "ring"),
    "alltoall": ("brucks", "pairwise", "scattered"),
    "alltoallv": ("scattered",),
    "reduce_scatter": ("pairwise", "recursive_halving", "recursive_doubling"),
    "reduce_scatter_block": ("pairwise", "recursive_halving", "recursive_doubling"),
    "gather": ("binomial",),
    "scatter": ("binomial",),
    "barrier": ("k_dissemination", "recexch"),
    "gatherv": (),
    "scatterv": (),
}


def collectives() -> list[str]:
    """The collectives that can be benchmarked: MPI's names in lower case, including v-variants."""
    return list(_OPENMPI)


def variants(family: str, collective: str, size: int) -> list[Variant]:
    """The settings to try for a vector of so many bytes, the library's default first."""
    if collective not in _OPENMPI:
        raise failure(f"collective = '{collective}': expected one of {', '.join(_OPENMPI)}")
    found = [Variant("default")]
    if family == "openmpi":
        for number, name, segmented in _OPENMPI[collective]:
            found.append(Variant(name, str(number)))
            if segmented and size >= _SEGMENTED_FROM:
                for segment in _SEGMENTS:
                    if segment < size:
                        found.append(Variant(f"{name}, {segment >> 10} KiB", f"{number}:{segment}"))
    elif family == "mpich":
        variable = f"MPIR_CVAR_{collective.upper()}_INTRA_ALGORITHM"
        device = f"MPIR_CVAR_{collective.upper()}_DEVICE_COLLECTIVE"
        found += [Variant(name.replace("_", " "), env=((variable, name), (device, "0"))) for name in _MPICH[collective]]
    return found
