"""Robson18, slide 3: flops for each word of memory and of the network, 1988 to exascale."""

from __future__ import annotations

from studies.figures.figure import Figure, Number, Result, Run, Table, near

# Year, machine, Linpack, flops a local word, a remote word (S. Plimpton, Charm++ workshop 2019, by Robson18, slide 3).
ROWS: tuple[tuple[str, str, str, float, float], ...] = (
    ("1988", "Cray YMP", "2.1 Giga", 0.52, 0.52),
    ("1997", "ASCI Red", "1.6 Tera", 8.3, 20),
    ("2011", "Roadrunner", "1.0 Peta", 6.7, 170),
    ("2012", "Sequoia", "17 Peta", 32, 160),
    ("2013", "Titan", "18 Peta", 29, 490),
    ("2018", "Summit", "122 Peta", 37, 1060),
    ("2011", "K-Comp", "11 Peta", 15, 95),
    ("2013", "Tianhe-2", "34 Peta", 22, 1500),
    ("2016", "Sunway", "93 Peta", 130, 1500),
    ("2021", "TBD", "1.0 Exa", 80, 3200),
    ("2021", "TBD", "1.0 Exa", 300, 10000),
)


def _make(run: Run) -> Result:
    rows = [(*row, round(row[4] / row[3], 1)) for row in ROWS]
    ratio = {row[1]: row[5] for row in rows}
    local, remote = next(row[3:5] for row in ROWS if row[1] == "Summit")
    return Result(
        panels=[Table(["year", "machine", "Linpack", "flops / local", "flops / remote", "remote / local"], rows)],
        got=f"A word from another node costs as many flops as {ratio['Cray YMP']:g} local words on a Cray YMP and "
        f"{ratio['Summit']:g} on Summit.",
        obtained="Copied; the last column is worked out. No machine of this table is measured or modelled here.",
        why="Robson18's own numbers. Its years are not always those of the machines: Roadrunner is of 2008.",
        numbers=[
            Number(
                "remote over local, Summit",
                f"{remote:g} / {local:g}",
                f"{ratio['Summit']:g}",
                how="copied",
                holds=near(remote / local, ratio["Summit"]),
                why="Copied; nothing was measured or modelled.",
            )
        ],
    )


FIGURE = Figure(
    id="robson18-slide3",
    title="Deeper nodes, thinner pipes",
    claim="Flops for each remote word have grown from 0.52 to 1060, and will be 3200 to 10000.",
    how=("exact",),
    make=_make,
)
