"""Multicasts that need no communicator: names with prefixes, compact tables, and one rule for every rank (Song09)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

from allport import _native
from allport._native import Choice, Machine, Schedule, TopologyIds
from allport.machine import as_machine, preset_names
from allport.select import DEFAULT_WINDOW, select_options
from allport.units import parse_bytes

if TYPE_CHECKING:
    from allport.channel import Channel

__all__ = [
    "Channel",
    "Entry",
    "Hop",
    "Share",
    "as_ids",
    "check",
    "explain",
    "forward",
    "id_text",
    "make_schedule",
    "messages",
    "schedule_by_ids",
    "share",
    "shares",
    "table",
]

Names = TopologyIds | Machine | str
Ranks = Iterable[int] | None
CHANNEL_WINDOW = 8  # segments in flight between two ranks


def __getattr__(name: str) -> Any:
    if name != "Channel":
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    from allport.channel import Channel  # which starts MPI

    return Channel


class Entry(NamedTuple):
    """An entry of a routing table: `ranks` ranks, whose IDs continue with `digit`, are reached through rank `next`."""

    digit: int
    next: int
    ranks: int


class Hop(NamedTuple):
    """A message to rank `next`, which keeps it if it is among the destinations and forwards it to the others."""

    next: int
    destinations: list[int]


class Share(NamedTuple):
    """What one rank does in a multicast: whom it gets the message from (None: nobody), whether it keeps it, hops."""

    source: int | None
    deliver: bool
    hops: list[Hop]


def _is_machine(spec: str) -> bool:
    """Whether a text is a machine's spec and not one of IDs, which has no colon before its 'bit'."""
    return ":" in spec.partition("bit")[0] or spec.endswith(".toml") or spec.partition("/")[0] in preset_names()


def as_ids(names: Names, *, bits: int | None = None) -> TopologyIds:
    """Topology IDs: of a machine, in digits of so many bits (else as in Song09's examples), or of a spec.

    A text is '3x1bit', '4x3bit:2048' or the path of a file with a line of digits for each rank; a machine's spec where
    it is none of these. Raises Error.
    """
    if isinstance(names, TopologyIds):
        return names
    if isinstance(names, str) and not _is_machine(names):
        return TopologyIds.parse(names)
    machine = as_machine(names)
    return TopologyIds(machine, bits or TopologyIds.default_bits(machine.ranks))


def _list(destinations: Ranks) -> list[int] | None:
    return None if destinations is None else list(destinations)


def _hops(hops: Iterable[tuple[int, list[int]]]) -> list[Hop]:
    return [Hop(rank, sorted(ranks)) for rank, ranks in hops]


def table(names: Names, rank: int) -> list[list[Entry]]:
    """The routing table of one rank: a row for each digit of its ID, at most base - 1 entries each."""
    return [[Entry(*entry) for entry in row] for row in _native.multicast_table(as_ids(names), rank)]


def forward(names: Names, rank: int, destinations: Ranks, *, split: int = 0) -> Share:
    """The forwarding rule: what a rank does with a message for these destinations, from its own table alone.

    destinations: ranks in any order, None for all. split: rows with more than 2 ** split groups are forwarded in a tree
    of that arity; 0: one message a group. The share's source is None.
    """
    deliver, hops = _native.multicast_forward(as_ids(names), rank, _list(destinations), split)
    return Share(None, deliver, _hops(hops))


def share(
    names: Names, source: int, destinations: Ranks, rank: int, *, tree: str = "prefix", split: int = 0
) -> Share | None:
    """One rank's part in a multicast, worked out without asking anybody; None where it has none.

    tree: 'flat' (from the source to each), 'chain' (from one to the next in the order of IDs),
    'prefix', 'binomial' (the binomial tree over source and destinations in the order of IDs, round from the source), or
    'axes' (from node to neighbour along the axes of the machine that the names are of).
    """
    ids = as_ids(names)
    origin, deliver, hops = _native.multicast_share(ids, source, _list(destinations), tree, split, rank)
    return Share(origin, deliver, _hops(hops)) if deliver or hops or origin is not None else None


def messages(
    names: Names, source: int, destinations: Ranks, *, tree: str = "prefix", split: int = 0
) -> list[tuple[int, int]]:
    """(sender, receiver) of every message, each behind the one that brings its sender the data."""
    return _native.multicast_messages(as_ids(names), source, _list(destinations), tree, split)


def shares(names: Names, source: int, destinations: Ranks, *, tree: str = "prefix", split: int = 0) -> dict[int, Share]:
    """Everybody's part, by rank: the source's, then each behind that of whom it gets the message from."""
    ids, to = as_ids(names), _list(destinations)
    order = [source] + [receiver for _, receiver in messages(ids, source, to, tree=tree, split=split)]
    parts = ((rank, share(ids, source, to, rank, tree=tree, split=split)) for rank in order)
    return {rank: part or Share(None, False, []) for rank, part in parts}


def id_text(ids: TopologyIds, rank: int) -> str:
    """'101', or '2.0.13' where digits are longer than one character."""
    text = ids.text(ids.of(rank))
    return text.replace(".", "") if ids.base <= 10 else text


def check(
    names: Names,
    source: int,
    destinations: Ranks,
    *,
    tree: str = "prefix",
    split: int = 0,
    machine: Machine | str | None = None,
) -> dict[str, Any]:
    """Follows a multicast's messages and says what is wrong and what it costs.

    ok, faults (sentences), destinations, messages, steps (hops to the farthest), relays (ranks that only hand on),
    fan_out (most messages of one rank); with a machine also links (crossed, over all messages), links_bound (the least
    that any multicast crosses) and busiest_link (messages over one). Names that are a machine are that machine too.
    """
    where = None if machine is None else as_machine(machine)
    if where is None and isinstance(names, Machine):
        where = names
    return _native.multicast_check(as_ids(names), source, _list(destinations), tree, split, where)


def explain(
    machine: Machine | str,
    source: int,
    destinations: Ranks,
    *,
    bytes: int | str,
    algorithm: str | None = None,
    segment: int | str | None = None,
    window: int | None = None,
    unannounced: bool = False,
) -> Choice:
    """The cheapest of flat, chain, axes, prefix, segmented, kary and trees for a multicast on a machine, with prices.

    destinations: ranks in any order, None for all. window: segments in flight, 2. unannounced: as Channel chooses,
    without trees, which all ranks must start together, and with a window of 8. str(choice) is a text. Raises Error when
    none can serve.
    """
    size = parse_bytes(bytes, "bytes")
    to = _list(destinations)
    if window is None:
        window = CHANNEL_WINDOW if unannounced else DEFAULT_WINDOW
    options = select_options(algorithm, segment, window)
    return _native.choose_multicast(as_machine(machine), source, to, size, options, unannounced)


def make_schedule(
    machine: Machine | str,
    source: int,
    destinations: Ranks,
    *,
    bytes: int | str,
    algorithm: str | None = None,
    segment: int | str | None = None,
    window: int | None = None,
    unannounced: bool = False,
) -> Schedule:
    """A multicast as a Schedule, to be proven, simulated, exported and run like any other: explain()'s choice."""
    where = as_machine(machine)
    choice = explain(
        where, source, destinations, bytes=bytes, algorithm=algorithm, segment=segment, window=window,
        unannounced=unannounced,
    )  # fmt: skip
    return _native.make_schedule(where, choice)


def schedule_by_ids(
    names: Names,
    source: int,
    destinations: Ranks,
    *,
    bytes: int | str,
    tree: str = "prefix",
    split: int = 0,
    segment: int | str = "64KiB",
    window: int = DEFAULT_WINDOW,
) -> Schedule:
    """The same over IDs that are no machine's, where there is nothing to price: tree and split are the caller's."""
    cut = parse_bytes(segment, "segment")
    size = parse_bytes(bytes, "bytes")
    return _native.multicast_schedule(as_ids(names), source, _list(destinations), tree, split, size, cut, window)
