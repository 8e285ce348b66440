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
    c_says: str
    cpp_parameters: str
    c_parameters: str
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

    @property
    def reduces(self) -> bool:
        return "op" in self.c_parameters.split()


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
        "Waits until all ranks are here.", "", "",
        "", "",
        "", "", "",
    ),
    Collective(
        "bcast", "broadcast", "broadcast",
        "Sends the root's data to every rank.",
        "data: as many bytes on every rank.",
        "buffer: bytes on every rank.",
        "data root", "buffer bytes root",
        f"buf: ArrayLike, {ROOT}, {ALGORITHM}", "buf, root",
        "buf: of one size everywhere.",
    ),
    Collective(
        "reduce", "reduce", "reduce",
        "Combines every rank's elements, one by one, on the root.",
        "input: as many elements on every rank. output: likewise, on the root.",
        "count elements; output matters on the root only.",
        "input output element combine root", "op type input output count root",
        f"{SEND}, recvbuf: ArrayLike | None, {OP}, {ROOT}, {ALGORITHM}", "sendbuf, recvbuf, op, root",
        f"{OPS} {IN_PLACE} recvbuf matters on the root only.",
    ),
    Collective(
        "allreduce", "allreduce", "allreduce",
        "Combines every rank's elements, one by one, on every rank, with the same bits.",
        "input, output: as many elements on every rank.",
        "count elements.",
        "input output element combine", "op type input output count",
        f"{SEND}, {RECV}, {OP}, {ALGORITHM}", "sendbuf, recvbuf, op",
        f"{OPS} {IN_PLACE}",
    ),
    Collective(
        "scatter", "scatter", "scatter",
        "Sends block r of the root's data to rank r.",
        "input: a block for every rank, on the root. output: one block.",
        "bytes: of one block; input matters on the root only.",
        "input output root", "input output bytes root",
        f"sendbuf: ArrayLike | None, {RECV}, {ROOT}, {ALGORITHM}", "sendbuf, recvbuf, root",
        "sendbuf: on the root, a block for each rank; None elsewhere.",
    ),
    Collective(
        "gather", "gather", "gather",
        "Collects every rank's block on the root, by rank.",
        "input: one block. output: one from every rank, on the root.",
        "bytes: of one block; output matters on the root only.",
        "input output root", "input output bytes root",
        f"{SEND}, recvbuf: ArrayLike | None, {ROOT}, {ALGORITHM}", "sendbuf, recvbuf, root",
        "recvbuf: on the root, a block of each rank; None elsewhere. sendbuf may be MPI.IN_PLACE there.",
    ),
    Collective(
        "allgather", "allgather", "allgather",
        "Collects every rank's block on every rank, by rank.",
        "input: one block. output: one from every rank.",
        "bytes: of one block.",
        "input output", "input output bytes",
        f"{SEND}, {RECV}, {ALGORITHM}", "sendbuf, recvbuf",
        f"recvbuf: a block of each rank. {IN_PLACE}",
    ),
    Collective(
        "reduce_scatter", "reduce_scatter", "reduce_scatter",
        "Combines every rank's elements, one by one; rank r gets block r of the result.",
        "input: a block for every rank. output: one block.",
        "count: elements of one block.",
        "input output element combine", "op type input output count",
        f"{SEND}, {RECV}, {OP}, {ALGORITHM}", "sendbuf, recvbuf, op",
        f"sendbuf: a block for each rank. {OPS}",
    ),
    Collective(
        "alltoall", "alltoall", "alltoall",
        "Sends block r to rank r, and gets block s from rank s.",
        "input, output: a block for every rank, and from every rank.",
        "bytes: of one block.",
        "input output", "input output bytes",
        f"{SEND}, {RECV}, {ALGORITHM}", "sendbuf, recvbuf",
        f"sendbuf, recvbuf: a block for each rank, and from each. {IN_PLACE}",
    ),
    Collective(
        "scatterv", "scatterv", "scatter",
        "Sends blocks of different lengths from the root.",
        "input: on the root, where `blocks` says, which is the same on every rank. output: this rank's block.",
        "lengths: bytes of each rank's block, the same on every rank. begins: in input, or NULL: one behind the other.",
        "input blocks output root", "input lengths begins output root",
        f"sendbuf: Blocks, {RECV}, {ROOT}, {ALGORITHM}", "sendbuf, recvbuf, root",
        f"sendbuf: {COUNTS} on the root, [None, counts] elsewhere.",
        varies=True,
    ),
    Collective(
        "gatherv", "gatherv", "gather",
        "Collects blocks of different lengths on the root.",
        "input: this rank's block. output: on the root, where `blocks` says, which is the same on every rank.",
        "lengths: bytes of each rank's block, the same on every rank. begins: in output, or NULL: one behind "
        "the other.",
        "input output blocks root", "input output lengths begins root",
        f"{SEND}, recvbuf: Blocks, {ROOT}, {ALGORITHM}", "sendbuf, recvbuf, root",
        f"recvbuf: {COUNTS} on the root, [None, counts] elsewhere.",
        varies=True,
    ),
    Collective(
        "allgatherv", "allgatherv", "allgather",
        "Collects blocks of different lengths on every rank.",
        "input: this rank's block. output: where `blocks` says, which is the same on every rank.",
        "lengths: bytes of each rank's block, the same on every rank. begins: in output, or NULL: one behind "
        "the other.",
        "input output blocks", "input output lengths begins",
        f"{SEND}, recvbuf: Blocks, {ALGORITHM}", "sendbuf, recvbuf",
        f"recvbuf: {COUNTS}.",
        varies=True,
    ),
    Collective(
        "reduce_scatterv", "reduce_scatterv", "reduce_scatter",
        "Combines every rank's elements, one by one; rank r gets its block of the result.",
        "input: where `blocks` says, which is the same on every rank. output: this rank's block.",
        "counts: elements of each rank's block, the same on every rank; they lie one behind the other.",
        "input blocks output element combine", "op type input counts output",
        f"{SEND}, {RECV}, recvcounts: Sequence[int] | None = None, {OP}, {ALGORITHM}",
        "sendbuf, recvbuf, recvcounts, op",
        f"recvcounts: elements of each rank's block; None: equal blocks. {OPS}",
        varies=True,
    ),
    Collective(
        "alltoallv", "alltoallv", "alltoall",
        "Sends a block to every rank and gets one from each. A start sends each at once to its rank; the other forms "
        "first tell all ranks all lengths, choose by price, and refuse on every rank what does not fit.",
        "input: where `blocks` says, by rank that gets it. output: where `received` says, by rank that it is from.",
        "lengths: bytes for each rank. received: bytes from each. begins: in input and output, or NULL: one behind the "
        "other.",
        "input blocks output received", "input lengths begins output received received_begins",
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

#: By parameter: how C declares it, and where it goes in a Given.
C = {
    "buffer": ("void* buffer", {"output": "buffer"}),
    "input": ("const void* input", {"input": "input"}),
    "output": ("void* output", {"output": "output"}),
    "bytes": ("int64_t bytes", {"length": "bytes"}),
    "count": ("int64_t count", {"length": "count"}),
    "root": ("int root", {"root": "root"}),
    "op": ("int op", {"op": "op"}),
    "type": ("char type", {"type": "type"}),
    "lengths": ("const int64_t* lengths", {"lengths": "lengths"}),
    "begins": ("const int64_t* begins", {"begins": "begins"}),
    "counts": ("const int64_t* counts", {"lengths": "counts"}),
    "received": ("const int64_t* received", {"received": "received"}),
    "received_begins": ("const int64_t* received_begins", {"received_begins": "received_begins"}),
}
C_ORDER = "what input output length root op type lengths begins received received_begins algorithm varies".split()
