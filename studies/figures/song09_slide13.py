"""Song09, slide 13: how large the tables are."""

from __future__ import annotations

from allport import multicast

from studies.figures.figure import Figure, Number, Result, Run, Table, agrees

# Cores, digits, bits of a digit and the entries that Song09, slide 13 states.
STATED = ((10**6, 5, 4, 80), (10**9, 6, 5, 192))
SMALL = ((256, 4, 2), (2048, 4, 3))  # ranks, digits and bits of a digit: Song09, slides 11 and 12
COUNTED = 1 << 20  # ranks, up to which a table is made: in no source


def _make(run: Run) -> Result:
    rows, found = [], []
    for cores, digits, bits, *stated in (*SMALL, *STATED):
        space = 2**bits * digits
        entries = "-"
        if cores <= COUNTED:
            table = multicast.table(f"{digits}x{bits}bit:{cores}", cores // 3)
            entries = str(sum(map(len, table)))
            found.append(int(entries) <= space)
        rows.append([f"{cores:,}", digits, 2**bits, space, entries])
        found += [space == stated[0], 2 ** (bits * digits) >= cores] if stated else []
    spaces = [2**bits * digits for _, digits, bits, _ in STATED]
    return Result(
        panels=[Table(["ranks", "digits", "base", "base x digits", "entries of a rank"], rows)],
        got=f"{spaces[0]} places for a million cores, {spaces[1]} for a billion. Entries are fewer: a rank needs none "
        "for its own digits, nor where no rank is.",
        obtained="Counted: the table of one rank of each machine, which it makes without asking another; for a billion "
        "ranks the arithmetic alone.",
        why="They do not.",
        numbers=[
            Number(
                "places of a table, a million and a billion cores",
                " and ".join(str(s[3]) for s in STATED),
                " and ".join(map(str, spaces)),
                how="counted",
                holds=agrees(*found),
            )
        ],
    )


FIGURE = Figure(
    id="song09-slide13",
    title="Sizes of compact tables",
    claim="Base x digits: 80 for a million cores, 192 for a billion.",
    how=("exact",),
    make=_make,
)
