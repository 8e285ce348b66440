"""Song09, slides 11 and 12: topology IDs, and the compact table of one of eight ranks."""

from __future__ import annotations

from allport import multicast

from studies.figures.drawings import ids_and_table
from studies.figures.figure import Figure, Number, Picture, Result, Run, Table, agrees

IDS, RANK = "3x1bit", 0b001  # Song09, slide 14: the IDs of its example, and who sends there


def _make(run: Run) -> Result:
    ids = multicast.as_ids(IDS)
    table = multicast.table(ids, RANK)
    rows = [[i, entry.digit, multicast.id_text(ids, entry.next), entry.ranks]
            for i, row in enumerate(table) for entry in row]  # fmt: skip
    own = multicast.id_text(ids, RANK)
    longer = all(multicast.id_text(ids, entry.next)[:i] == own[:i] and int(multicast.id_text(ids, entry.next)[i])
                 == entry.digit != int(own[i]) for i, row in enumerate(table) for entry in row)  # fmt: skip
    behind = sum(entry.ranks for row in table for entry in row)
    return Result(
        panels=[Picture(lambda path: ids_and_table(ids, RANK, path),
                        Table(["row", "digit", "entry", "ranks behind it"], rows))],
        got=f"{own} has {len(rows)} entries in {len(table)} rows for the {behind} other ranks: row i has a rank whose "
        "ID has the same first i digits and another one behind them.",
        obtained=f"Exact: multicast.table('{IDS}', {RANK}), which Channel and the executor of graphs route by.",
        why="They do not. Of several ranks that could be an entry, a hash takes one, so that all of them relay equally "
        "often: the talk leaves that open.",
        numbers=[
            Number(
                "entries of a rank with 3 digits of base 2",
                "one for each row and other digit",
                f"{len(rows)}, with {behind} ranks behind them",
                how="counted",
                holds=agrees(longer, len(rows) == ids.digits * (ids.base - 1), behind == ids.ranks - 1),
            )
        ],
    )  # fmt: skip


FIGURE = Figure(
    id="song09-slide11",
    title="Topology IDs and a compact table",
    claim="IDs with longer common prefixes are closer; a table has one entry for each row and other digit.",
    how=("exact",),
    make=_make,
    also=("song09-slide12",),
)
