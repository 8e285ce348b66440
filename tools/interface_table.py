"""The collectives of every interface, in one table: what each does, and what it is called with in each language.

tools/make_interfaces.py writes from it what repeats. `parameters` are names of rows below; an interface has its own
form of each. `all` says which buffer has a block for every rank.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Collective:
    """One collective of every interface."""

    name: str  # MPI's, C's, Fortran's and Python's
    cpp: str  # a method of Communicator
    what: str  # the enumerator of allport::Collective
    does: str
    cpp_says: str  # how long buffers are
    cpp_parameters: str
    python: str  # its parameters
    passed: str  # to the maker of the call
    returns: str
    python_says: str
    varies: bool = False


ARRAY = "array: ArrayLike"
ALGORITHM = "algorithm: str | None = None"
OP = 'op: Operator = "sum"'
OUT = "out: ArrayLike | None = None"
ROOT = "root: int = 0"
ONE = "np.ndarray"
MAYBE = "np.ndarray | None"
OPS = "op: 'sum', 'prod', 'max' or 'min', or mpi4py's MPI.SUM, PROD, MAX or MIN."
OF_NUMBERS = "A number gives a number."
COUNTS = "counts: rows of each rank, the same on every rank."

TABLE = [
    Collective(
        "barrier", "barrier", "barrier",
        "Waits until all ranks are here.", "", "", "", "", "None", "",
    ),
    Collective(
        "bcast", "broadcast", "broadcast",
        "Sends the root's data to every rank.",
        "data: as many bytes on every rank.",
        "data root",
        f"{ARRAY}, {ROOT}, {ALGORITHM}", "array, root", ONE,
        "array: of one size everywhere; returned.",
    ),
    Collective(
        "reduce", "reduce", "reduce",
        "Combines every rank's elements, one by one, on the root.",
        "input: as many elements on every rank. output: likewise, on the root.",
        "input output element combine root",
        f"{ARRAY}, {OP}, {ROOT}, {OUT}, {ALGORITHM}", "array, op, root, out", MAYBE,
        f"{OPS} {OF_NUMBERS} None where the root is elsewhere.",
    ),
    Collective(
        "allreduce", "allreduce", "allreduce",
        "Combines every rank's elements, one by one, on every rank, with the same bits.",
        "input, output: as many elements on every rank.",
        "input output element combine",
        f"{ARRAY}, {OP}, {ALGORITHM}, *, {OUT}", "array, op, out", ONE, f"{OPS} {OF_NUMBERS}",
    ),
    Collective(
        "scatter", "scatter", "scatter",
        "Sends block r of the root's data to rank r.",
        "input: a block for every rank, on the root. output: one block.",
        "input output root",
        f"array: ArrayLike | None, out: ArrayLike, {ROOT}, {ALGORITHM}", "array, out, root", ONE,
        "array: on the root, a block for each rank along the first axis; None elsewhere.",
    ),
    Collective(
        "gather", "gather", "gather",
        "Collects every rank's block on the root, by rank.",
        "input: one block. output: one from every rank, on the root.",
        "input output root",
        f"{ARRAY}, {ROOT}, {ALGORITHM}, *, {OUT}", "array, root, out", MAYBE,
        "The blocks come along a new first axis; None where the root is elsewhere.",
    ),
    Collective(
        "allgather", "allgather", "allgather",
        "Collects every rank's block on every rank, by rank.",
        "input: one block. output: one from every rank.",
        "input output",
        f"{ARRAY}, {ALGORITHM}, *, {OUT}", "array, out", ONE,
        "The blocks come along a new first axis.",
    ),
    Collective(
        "reduce_scatter", "reduce_scatter", "reduce_scatter",
        "Combines every rank's elements, one by one; rank r gets block r of the result.",
        "input: a block for every rank. output: one block.",
        "input output element combine",
        f"{ARRAY}, {OP}, {ALGORITHM}, *, {OUT}", "array, op, out", ONE,
        f"array: a block for each rank along the first axis. {OPS}",
    ),
    Collective(
        "alltoall", "alltoall", "alltoall",
        "Sends block r to rank r, and gets block s from rank s.",
        "input, output: a block for every rank, and from every rank.",
        "input output",
        f"{ARRAY}, {ALGORITHM}, *, {OUT}", "array, out", ONE,
        "array: a block for each rank along the first axis.",
    ),
    Collective(
        "scatterv", "scatterv", "scatter",
        "Sends blocks of different lengths from the root.",
        "input: on the root, where `blocks` says, which is the same on every rank. output: this rank's block.",
        "input blocks output root",
        f"array: ArrayLike | None, out: ArrayLike, counts: Sequence[int], {ROOT}, {ALGORITHM}",
        "array, out, counts, root", ONE,
        f"array: on the root, rows along the first axis; None elsewhere. {COUNTS}",
        varies=True,
    ),
    Collective(
        "gatherv", "gatherv", "gather",
        "Collects blocks of different lengths on the root.",
        "input: this rank's block. output: on the root, where `blocks` says, which is the same on every rank.",
        "input output blocks root",
        f"{ARRAY}, counts: Sequence[int], {ROOT}, {ALGORITHM}, *, {OUT}", "array, counts, root, out", MAYBE,
        f"{COUNTS} None where the root is elsewhere.",
        varies=True,
    ),
    Collective(
        "allgatherv", "allgatherv", "allgather",
        "Collects blocks of different lengths on every rank.",
        "input: this rank's block. output: where `blocks` says, which is the same on every rank.",
        "input output blocks",
        f"{ARRAY}, counts: Sequence[int], {ALGORITHM}, *, {OUT}", "array, counts, out", ONE, COUNTS,
        varies=True,
    ),
    Collective(
        "reduce_scatterv", "reduce_scatterv", "reduce_scatter",
        "Combines every rank's elements, one by one; rank r gets its block of the result.",
        "input: where `blocks` says, which is the same on every rank. output: this rank's block.",
        "input blocks output element combine",
        f"{ARRAY}, counts: Sequence[int], {OP}, {ALGORITHM}, *, {OUT}", "array, counts, op, out", ONE,
        f"{COUNTS} {OPS}",
        varies=True,
    ),
    Collective(
        "alltoallv", "alltoallv", "alltoall",
        "Sends a block to every rank and gets one from each. A start sends each at once to its rank; the other forms "
        "first tell all ranks all lengths, choose by price, and refuse on every rank what does not fit.",
        "input: where `blocks` says, by rank that gets it. output: where `received` says, by rank that it is from.",
        "input blocks output received",
        f"{ARRAY}, counts: Sequence[int], received: Sequence[int], {ALGORITHM}, *, {OUT}",
        "array, counts, received, out", ONE,
        "counts: rows for each rank. received: rows from each.",
        varies=True,
    ),
]  # fmt: skip

#: By parameter: how C++ declares it, and where it goes in a CollectiveCall.
CPP = {
    "data": ("std::span<std::byte> data", {"output": "data"}),
    "input": ("std::span<std::byte const> input", {"input": "input"}),
    "output": ("std::span<std::byte> output", {"output": "output"}),
    "root": ("Rank root", {"root": "root"}),
    "element": ("std::int64_t element", {"element": "element"}),
    "combine": ("Combine combine", {"combine": "std::move(combine)"}),
    "blocks": ("BlockList const& blocks", {"blocks": "blocks"}),
    "received": ("BlockList const& received", {"received": "received"}),
}
#: The order of CollectiveCall's members.
CPP_ORDER = "what input output root element combine algorithm varies blocks received".split()
