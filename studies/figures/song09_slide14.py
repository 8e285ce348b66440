"""Song09, slide 14: its example of a multicast, from 001 to 010, 100 and 101."""

from __future__ import annotations

from allport import multicast
from allport.report.draw_multicast import multicast as draw_multicast

from studies.figures.figure import Figure, Number, Picture, Result, Run, Table, agrees

IDS, SOURCE, TO = "3x1bit", 0b001, (0b010, 0b100, 0b101)  # Song09, slide 14
MESSAGES, STEPS = 3, 2  # Song09, slide 14


def _make(run: Run) -> Result:
    ids = multicast.as_ids(IDS)
    parts = multicast.shares(ids, SOURCE, TO)
    checked = multicast.check(ids, SOURCE, TO)
    rows = [[multicast.id_text(ids, rank), multicast.id_text(ids, hop.next),
             " ".join(multicast.id_text(ids, r) for r in hop.destinations)]
            for rank, part in parts.items() for hop in part.hops]  # fmt: skip
    return Result(
        panels=[Picture(lambda path: draw_multicast(ids, parts, path), Table(["from", "to", "for"], rows))],
        got=f"{checked['messages']} messages in {checked['steps']} steps, {checked['relays']} ranks that only relay: "
        "destinations are grouped by the digit at which they part from the sender, and each group is one message.",
        obtained="Exact: multicast.shares(), the forwarding rule from each rank's own table, drawn from its messages "
        "and checked: every destination once, prefixes grow at each hop.",
        why="They do not, with 101 as the entry of row 0. With 111 there, which the rule allows, it takes 3 steps.",
        numbers=[
            Number(
                "messages and steps from 001 to 010, 100, 101",
                f"{MESSAGES} and {STEPS}",
                f"{checked['messages']} and {checked['steps']}",
                how="counted",
                holds=agrees(checked["ok"], checked["messages"] == MESSAGES, checked["steps"] == STEPS),
            )
        ],
    )


FIGURE = Figure(
    id="song09-slide14",
    title="A multicast by prefix",
    claim="Each rank forwards by its own table: one message for each group of destinations, at most one step a digit.",
    how=("exact",),
    make=_make,
)
