"""Pena13, slide 12: point to point with several processes: two hosts of a router, and lines of hosts."""

from __future__ import annotations

import itertools

from allport.machine import Machine
from allport.pattern import Pattern, halo
from allport.run import links

from studies.figures.figure import Bars, Figure, Number, Result, Run, Series, Table
from studies.figures.routers import AXES, MATCHED, SEGMENT, SHARES, SLOW, box, grid, laid, pair, timed

GB = 1e9
BYTES = 1 << 20


def _step(lengths: tuple[int, ...], axis: int, odd: int) -> list[tuple[int, int, int]]:
    """Hosts 0 to 1, 2 to 3, ... (odd: 1 to 2, 3 to 4, ...) of every line of the grid along an axis, x fastest."""
    strides = (1, lengths[0], lengths[0] * lengths[1])
    found = []
    for place in itertools.product(*(range(n) for n in lengths)):
        if place[axis] % 2 == odd and place[axis] + 1 < lengths[axis]:
            rank = sum(x * s for x, s in zip(place, strides, strict=True))
            found.append((rank, rank + strides[axis], BYTES))
    return found


def _line(machine: Machine, axis: int, paired: bool) -> list[float]:
    """GB/s of each message in the two steps in which every host of every line sends to the next one. Without pairing
    the two hosts of a router are in different lines, which share its links."""
    lengths, rates = grid(machine), []
    for odd in (0, 1):
        if paired:
            _, places = laid(machine, MATCHED, lambda order: halo(lengths, order=order))
            pattern = Pattern("lines", machine.ranks, _step(lengths, axis, odd))
        else:
            x, y, z = (a.length for a in machine.axes)
            routers = _step((x, y, z), axis, odd)
            both = [(2 * a + host, 2 * b + host, n) for a, b, n in routers for host in (0, 1)]
            pattern, places = Pattern("lines", machine.ranks, both), list(range(machine.ranks))
        rates.append(BYTES / timed(machine, pattern, places).seconds / GB)
    return rates


def _make(run: Run) -> Result:
    machine = box()
    # Y over a cable: its links are a mezzanine and a cable in turn.
    wanted = [pair(machine, i, 1 if a == "Y" else 0, a, each=each) for i, a in enumerate(AXES) for each in (1, 2)]
    wanted += [c for c in links.cases(machine) if c.of == "host" and c.group == "one pair" and c.directions == "+"]
    found = {(f.of, f.ranks_each): f.value / GB for f in links.simulated(machine, quick=run.quick, among=wanted)}
    run.step(0.4)
    lines = {}
    for i, axis in enumerate(AXES):
        lines[axis, "twins"] = _line(machine, i, False)
        run.step(0.4 + 0.2 * (i + 1))
    lines["Y", "paired"] = _line(machine, 1, True)
    mean = {key: 2 / sum(1 / rate for rate in rates) for key, rates in lines.items()}
    chip = found["host", 1]
    pairs = [
        Series("one process a router, each", None, [found[a, 1] for a in AXES], "simulation"),
        Series("two, each", None, [found[a, 2] for a in AXES], "simulation"),
        Series("two, together", None, [2 * found[a, 2] for a in AXES], "simulation"),
    ]
    names = [*((a, "twins") for a in AXES), ("Y", "paired")]
    shown = Bars(
        ["X", "Y, twins", "Z", "Y, paired"],
        "GB/s a host",
        [Series("a host's rate along its line", None, [mean[n] for n in (names[0], names[1], names[2], names[3])],
                "simulation")],
        title="every host sends to the next one of its line",
    )  # fmt: skip
    table = Table(
        ["line along", "hosts of a router", "GB/s, even hosts send", "odd hosts send", "mean"],
        [[axis, how, *lines[axis, how], mean[axis, how]] for axis, how in names],
        "lines of hosts, all at once",
    )
    gain = mean["Y", "paired"] / mean["Y", "twins"] - 1
    return Result(
        panels=[Bars(list(AXES), "GB/s", pairs, title="one pair of routers"), shown, table],
        got=f"Two processes of a router share its links: each gets {found['X', 2]:.1f} of X's {found['X', 1]:.1f} GB/s "
        f"and {found['Y', 2]:.2f} of the {found['Y', 1]:.1f} of Y's cables. With the two hosts beside each other along "
        f"Y every second step stays on the chip ({chip:.1f} GB/s) and no line shares a Y link: a host sends at "
        f"{mean['Y', 'paired']:.1f} GB/s along its line, beside {mean['Y', 'twins']:.2f} before, "
        f"{mean['X', 'twins']:.1f} along X and {mean['Z', 'twins']:.1f} along Z.",
        obtained=f"Simulation on {machine.extents} routers of figures/machines/blue-waters.toml. Above, two "
        "neighbours along each axis, along Y over a cable; below, all lines of hosts at once, "
        f"{BYTES >> 20} MiB a message in pieces of {SEGMENT >> 10} KiB, the mean over a step in which hosts 0, 2, ... "
        "send and one in which the others do. X is as slow as the link that crosses a cabinet, "
        f"{SLOW:g} of the others (ours, between {SHARES[0]:g} and {SHARES[-1]:g}), Y as its cables.",
        why="The double links of X and Z are shared by the two hosts' lines and Y's single ones are not: per line the "
        "three have alike shares, and Y's lines pass half as many links. Pena13 has no ordinates in its text.",
        numbers=[
            Number("Y, hosts of a router paired along it, over not paired", "extra performance", f"{100 * gain:.0f} %"),
            Number("two processes share double links: X, each", "shared", f"{found['X', 2] / found['X', 1]:.2f}"),
        ],
    )


FIGURE = Figure(
    id="pena13-slide12",
    title="Point to point on Gemini, several processes",
    claim="Two paths at once: the double X and Z links become shared and the aggregate rate along Y grows; the two "
    "hosts of a router placed along Y bring more.",
    how=("simulation",),
    make=_make,
)
