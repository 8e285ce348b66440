"""allport multicast: how a message reaches some of the ranks without a communicator, and a rank's routing table."""

from __future__ import annotations

from typing import Annotated, Any

import typer

import allport as ap
from allport.cli import completion
from allport.cli.console import console, ensure_outputs, print_json, table
from allport.cli.options import Json, Machine, example, machine_of, ranks_of
from allport.options import TREES
from allport.report import draw_multicast

app = typer.Typer(help="Multicasts over compact prefix routing tables.", no_args_is_help=True)
LINES = 200

Ids = Annotated[
    str | None,
    typer.Option(metavar="SPEC", help="Topology IDs: 3x1bit, 4x3bit:2048, or a file; else the machine's."),
]
Bits = Annotated[int | None, typer.Option(help="Bits of a digit of the machine's IDs; else as in Song09.")]


def _names(ids: str | None, machine: str | None, bits: int | None) -> tuple[ap.machine.TopologyIds, ap.Machine | None]:
    if ids is not None:
        return ap.multicast.as_ids(ids), None if machine is None else ap.Machine.parse(machine)
    where = machine_of(machine)
    return ap.multicast.as_ids(where, bits=bits), where


def _set(ids: ap.machine.TopologyIds, ranks: list[int]) -> str:
    names = [ap.multicast.id_text(ids, r) for r in ranks]
    return "{" + (", ".join(names) if len(names) <= 12 else f"{names[0]}, ... {len(names)} ranks") + "}"


def _tree(ids: ap.machine.TopologyIds, parts: dict[int, ap.multicast.Share]) -> list[str]:
    """Who sends to whom, a line a message, as far as LINES go."""
    source = next(iter(parts))
    lines = [ap.multicast.id_text(ids, source)]
    waiting = [(hop, "", i == 0) for i, hop in enumerate(reversed(parts[source].hops))]
    while waiting and len(lines) < LINES:
        hop, before, last = waiting.pop()
        part = parts[hop.next]
        relays = "" if part.deliver else ", which relays"
        text = f"{_set(ids, hop.destinations)} to {ap.multicast.id_text(ids, hop.next)}{relays}"
        lines.append(f"{before}{'└─' if last else '├─'} {text}")
        below = before + ("   " if last else "│  ")
        waiting += [(other, below, i == 0) for i, other in enumerate(reversed(part.hops))]
    return lines + (["..."] if waiting else [])


def _words(checked: dict[str, Any]) -> str:
    text = f"{checked['messages']} messages, {checked['steps']} steps, {checked['relays']} ranks that only relay, "
    text += f"at most {checked['fan_out']} messages of one rank"
    if "links" in checked:
        text += f"\n{checked['links']} links crossed, the least is {checked['links_bound']}; "
        text += f"at most {checked['busiest_link']} messages over one link"
    return text


def _verdict(checked: dict[str, Any]) -> str:
    return "checked: every destination exactly once" if checked["ok"] else "WRONG: " + "; ".join(checked["faults"])


def _message(
    ids: ap.machine.TopologyIds, parts: dict[int, ap.multicast.Share], sender: int, hop: Any
) -> dict[str, Any]:
    return {
        "from": sender,
        "to": hop.next,
        "from_id": ap.multicast.id_text(ids, sender),
        "to_id": ap.multicast.id_text(ids, hop.next),
        "destinations": hop.destinations,
        "delivers": parts[hop.next].deliver,
    }


def _data(
    names: ap.machine.TopologyIds, parts: dict[int, ap.multicast.Share], ranks: list[int] | None
) -> dict[str, Any]:
    return {
        "ids": {"digits": names.digits, "bits": names.bits, "base": names.base, "ranks": names.ranks},
        "source": next(iter(parts)),
        "destinations": sorted(set(range(names.ranks) if ranks is None else ranks)),
        "messages": [_message(names, parts, r, hop) for r, part in parts.items() for hop in part.hops],
    }


def _show(names: ap.machine.TopologyIds, parts: dict[int, ap.multicast.Share], data: dict[str, Any]) -> None:
    head = f"{ap.multicast.id_text(names, data['source'])} -> {_set(names, data['destinations'])} by {data['tree']}"
    typer.echo(f"{head}; IDs of {names.digits} digits of base {names.base}, {names.ranks} ranks\n")
    typer.echo("\n".join(_tree(names, parts)) + f"\n\n{_words(data['check'])}\n{_verdict(data['check'])}")


@app.command()
@example("allport multicast explain --source 1 --destinations 2,4,5 --ids 3x1bit")
def explain(
    source: Annotated[int, typer.Option(metavar="RANK", help="The rank that has the message.")] = 0,
    destinations: Annotated[str, typer.Option(metavar="RANKS", help="Who gets it: 2,4,5 or 0-15, or all.")] = "all",
    ids: Ids = None,
    machine: Machine = None,
    bits: Bits = None,
    tree: Annotated[
        str,
        typer.Option(
            autocompletion=completion.one_of(*TREES),
            help="prefix, binomial, kary, axes (IDs of a machine), chain or flat.",
        ),
    ] = "prefix",
    split: Annotated[int, typer.Option(help="Rows of more than 2^SPLIT groups are split; 0: none.")] = 0,
    size: Annotated[
        str | None, typer.Option(help="Bytes: on a machine, prices every algorithm for a message of that size.")
    ] = None,
    output: Annotated[str | None, typer.Option("-o", "--output", help="Draw it: FILE.svg, .png or .pdf.")] = None,
    as_json: Json = False,
) -> None:
    """Who sends a multicast's message to whom, and for whom; with a machine its links, with a size its price."""
    ensure_outputs(output=output)
    names, where = _names(ids, machine, bits)
    ranks = ranks_of("--destinations", destinations)
    parts = ap.multicast.shares(names, source, ranks, tree=tree, split=split)
    checked = ap.multicast.check(names, source, ranks, tree=tree, split=split, machine=where)
    data = _data(names, parts, ranks) | {"tree": tree, "split": split, "check": checked, "drawing": output}
    data["machine"] = None if where is None else where.name
    choice = None
    if size is not None:
        if where is None:
            raise ap.Error("--size: expected --machine beside it, whose rates price a message")
        choice = ap.multicast.explain(where, source, ranks, bytes=size)
    data["choice"] = None if choice is None else choice.to_dict()
    if output is not None:
        draw_multicast.multicast(names, parts, output)
    if as_json:
        print_json(data)
    else:
        _show(names, parts, data)
        typer.echo(("" if choice is None else f"\n{choice}") + (f"drawn: {output}\n" if output else ""), nl=False)
    if not checked["ok"]:
        raise typer.Exit(1)


@app.command(name="table")
@example("allport multicast table --rank 5 --ids 3x1bit")
def table_(
    rank: Annotated[int, typer.Option(metavar="RANK", help="Whose table.")] = 0,
    ids: Ids = None,
    machine: Machine = None,
    bits: Bits = None,
    as_json: Json = False,
) -> None:
    """A rank's routing table: for each digit of its ID a row, with an entry for each other digit that ranks have."""
    names, _ = _names(ids, machine, bits)
    rows = ap.multicast.table(names, rank)
    entries = sum(map(len, rows))
    own = ap.multicast.id_text(names, rank)
    if as_json:
        named = [[{**e._asdict(), "id": ap.multicast.id_text(names, e.next)} for e in row] for row in rows]
        head = {"rank": rank, "id": own, "base": names.base, "digits": names.digits, "entries": entries}
        print_json({**head, "rows": named})
        return
    out = console()
    out.print(f"rank {rank}, ID {own}: {entries} entries, at most {names.base} x {names.digits}")
    numbers = ("row", "digit", "next", "ranks behind it")
    shown = table("row", "digit", "next", "its ID", "ranks behind it", right=numbers)
    for i, row in enumerate(rows):
        for e in row:
            shown.add_row(str(i), str(e.digit), str(e.next), ap.multicast.id_text(names, e.next), f"{e.ranks:,}")
    out.print(shown)
