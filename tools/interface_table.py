"""The collectives of every interface, in one table: what each does, and what it is called with in each language.

tools/make_interfaces.py writes from it what repeats. `parameters` are names of rows below; an interface has its own
form of each. `all` says which buffer has a block for every rank.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Collective:
    """One collective of every interface."""

    name: str  # C's and Fortran's
    cpp: str  # a method of Communicator
    what: str  # the enumerator of allport::Collective
    does: str
    cpp_says: str  # how long buffers are
    cpp_parameters: str
    python: str  # its parameters
    passed: str  # to the maker of the call
    python_says: str
    varies: bool = False

    @property
    def mpi(self) -> str:
        """MPI's name, without MPI_: what mpi4py calls it."""
        return {"reduce_scatter": "Reduce_scatter_block", "reduce_scatterv": "Reduce_scatter"}.get(
            self.name, self.name.capitalize()
        )

    @property
    def python_names(self) -> tuple[str, str, str]:
        """Blocking, started, prepared."""
        return self.mpi, f"I{self.mpi[0].lower()}{self.mpi[1:]}", f"{self.mpi}_init"


SEND = "sendbuf: ArrayLike"
RECV = "recvbuf: ArrayLike"
ALGORITHM = "*, algorithm: str | None = None"
OP = 'op: Operator = "sum"'
ROOT = "root: int = 0"
OPS = "op: MPI.SUM, PROD, MAX or MIN, numpy.add, multiply, maximum or minimum, or 'sum', 'prod', 'max' or 'min'."
IN_PLACE = "sendbuf may be MPI.IN_PLACE."
COUNTS = "[array, counts]: elements of each rank's block"

TABLE = [
    Collective(
        "barrier", "barrier", "barrier",
        "Waits until all ranks are here.", "", "", "", "", "",
    ),
    Collective(
        "bcast", "broadcast", "broadcast",
        "Sends the root's data to every rank.",
        "data: as many bytes on every rank.",
        "data root",
        f"buf: ArrayLike, {ROOT}, {ALGORITHM}", "buf, root",
        "buf: of one size everywhere.",
    ),
    Collective(
        "reduce", "reduce", "reduce",
        "Combines every rank's elements, one by one, on the root.",
        "input: as many elements on every rank. output: likewise, on the root.",
        "input output element combine root",
        f"{SEND}, recvbuf: ArrayLike | None, {OP}, {ROOT}, {ALGORITHM}", "sendbuf, recvbuf, op, root",
        f"{OPS} {IN_PLACE} recvbuf matters on the root only.",
    ),
    Collective(
        "allreduce", "allreduce", "allreduce",
        "Combines every rank's elements, one by one, on every rank, with the same bits.",
        "input, output: as many elements on every rank.",
        "input output element combine",
        f"{SEND}, {RECV}, {OP}, {ALGORITHM}", "sendbuf, recvbuf, op",
        f"{OPS} {IN_PLACE}",
    ),
    Collective(
        "scatter", "scatter", "scatter",
        "Sends block r of the root's data to rank r.",
        "input: a block for every rank, on the root. output: one block.",
        "input output root",
        f"sendbuf: ArrayLike | None, {RECV}, {ROOT}, {ALGORITHM}", "sendbuf, recvbuf, root",
        "sendbuf: on the root, a block for each rank; None elsewhere.",
    ),
    Collective(
        "gather", "gather", "gather",
        "Collects every rank's block on the root, by rank.",
        "input: one block. output: one from every rank, on the root.",
        "input output root",
        f"{SEND}, recvbuf: ArrayLike | None, {ROOT}, {ALGORITHM}", "sendbuf, recvbuf, root",
        "recvbuf: on the root, a block of each rank; None elsewhere. sendbuf may be MPI.IN_PLACE there.",
    ),
    Collective(
        "allgather", "allgather", "allgather",
        "Collects every rank's block on every rank, by rank.",
        "input: one block. output: one from every rank.",
        "input output",
        f"{SEND}, {RECV}, {ALGORITHM}", "sendbuf, recvbuf",
        f"recvbuf: a block of each rank. {IN_PLACE}",
    ),
    Collective(
        "reduce_scatter", "reduce_scatter", "reduce_scatter",
        "Combines every rank's elements, one by one; rank r gets block r of the result.",
        "input: a block for every rank. output: one block.",
        "input output element combine",
        f"{SEND}, {RECV}, {OP}, {ALGORITHM}", "sendbuf, recvbuf, op",
        f"sendbuf: a block for each rank. {OPS}",
    ),
    Collective(
        "alltoall", "alltoall", "alltoall",
        "Sends block r to rank r, and gets block s from rank s.",
        "input, output: a block for every rank, and from every rank.",
        "input output",
        f"{SEND}, {RECV}, {ALGORITHM}", "sendbuf, recvbuf",
        f"sendbuf, recvbuf: a block for each rank, and from each. {IN_PLACE}",
    ),
    Collective(
        "scatterv", "scatterv", "scatter",
        "Sends blocks of different lengths from the root.",
        "input: on the root, where `blocks` says, which is the same on every rank. output: this rank's block.",
        "input blocks output root",
        f"sendbuf: Blocks, {RECV}, {ROOT}, {ALGORITHM}", "sendbuf, recvbuf, root",
        f"sendbuf: {COUNTS} on the root, [None, counts] elsewhere.",
        varies=True,
    ),
    Collective(
        "gatherv", "gatherv", "gather",
        "Collects blocks of different lengths on the root.",
        "input: this rank's block. output: on the root, where `blocks` says, which is the same on every rank.",
        "input output blocks root",
        f"{SEND}, recvbuf: Blocks, {ROOT}, {ALGORITHM}", "sendbuf, recvbuf, root",
        f"recvbuf: {COUNTS} on the root, [None, counts] elsewhere.",
        varies=True,
    ),
    Collective(
        "allgatherv", "allgatherv", "allgather",
        "Collects blocks of different lengths on every rank.",
        "input: this rank's block. output: where `blocks` says, which is the same on every rank.",
        "input output blocks",
        f"{SEND}, recvbuf: Blocks, {ALGORITHM}", "sendbuf, recvbuf",
        f"recvbuf: {COUNTS}.",
        varies=True,
    ),
    Collective(
        "reduce_scatterv", "reduce_scatterv", "reduce_scatter",
        "Combines every rank's elements, one by one; rank r gets its block of the result.",
        "input: where `blocks` says, which is the same on every rank. output: this rank's block.",
        "input blocks output element combine",
        f"{SEND}, {RECV}, recvcounts: Sequence[int] | None = None, {OP}, {ALGORITHM}",
        "sendbuf, recvbuf, recvcounts, op",
        f"recvcounts: elements of each rank's block; None: equal blocks. {OPS}",
        varies=True,
    ),
    Collective(
        "alltoallv", "alltoallv", "alltoall",
        "Sends a block to every rank and gets one from each. A start sends each at once to its rank; the other forms "
        "first send all lengths to all ranks, choose by price, and raise on every rank if lengths differ.",
        "input: where `blocks` says, by rank that gets it. output: where `received` says, by rank that it is from.",
        "input blocks output received",
        f"sendbuf: Blocks, recvbuf: Blocks, {ALGORITHM}", "sendbuf, recvbuf",
        f"sendbuf, recvbuf: {COUNTS}, for each rank and from each.",
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
