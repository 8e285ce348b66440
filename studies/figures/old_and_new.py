"""Chan06's comparisons: old and new algorithms of one collective over the size of the vector, simulated."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from allport import model
from allport.machine import Machine

from studies.figures.figure import Chart, Run, Series
from studies.figures.simulated import seconds, sizes

__all__ = ["MACHINE", "PLOTS", "Curve", "against", "compare"]

MACHINE, QUICK = "bgp:8x8x8", "bgp:4x4x4"
PLOTS = (54, 55, 56, 57)  # Chan06's plots of broadcast, scatter and allgather: its text does not say which is which
Curve = tuple[str, str, bool]
"""Label, algorithm, whether messages go uncut."""


def crossings(x: Sequence[float], a: Sequence[float], b: Sequence[float]) -> str:
    """Where curve a is faster than b, in words."""
    wins = [n for n, s, t in zip(x, a, b) if s < t * 0.999]
    if not wins:
        return "nowhere"
    return "at all sizes" if len(wins) == len(x) else f"from {wins[0]:,.0f} to {wins[-1]:,.0f} bytes"


def compare(
    collective: str,
    curves: Sequence[Curve],
    run: Run,
    *,
    per_rank: bool = False,
    textbook: bool = True,
    full: str = MACHINE,
) -> tuple[Chart, dict[str, list[float]], list[int], Machine]:
    """Simulated seconds of every curve and MPI's textbook by model. per_rank: sizes are of the whole vector, of which
    every rank has its part."""
    machine = Machine.parse(QUICK if run.quick else full)
    first = 8 * machine.nodes if per_rank else 8
    messages = sizes(first, 4 << 20, 16 if run.quick else 4)
    found: dict[str, list[float]] = {label: [] for label, _, _ in curves}
    steps = len(messages) * len(curves)
    for i, n in enumerate(messages):
        for k, (label, algorithm, whole) in enumerate(curves):
            run.step((i * len(curves) + k) / steps)
            bytes = n // machine.nodes if per_rank else n
            found[label].append(seconds(collective, algorithm, machine, bytes, whole=whole))
    series = [Series(label, messages, [1e6 * t for t in v], "simulation") for label, v in found.items()]
    if textbook:
        known = [model.mpi_textbook(collective, machine, 0, n // machine.nodes if per_rank else n) for n in messages]
        found["MPI's textbook"] = known
        series.append(Series("MPI's textbook, model", messages, [1e6 * t for t in known]))
    return Chart("vector, bytes", "microseconds", series, log_y=True), found, messages, machine


Said = Callable[[str, str], str]


def against(found: dict[str, list[float]], messages: list[int]) -> Said:
    """said('new', 'old'): where new is faster, and by how much at both ends."""

    def said(new: str, old: str) -> str:
        ratio = [o / n for n, o in zip(found[new], found[old])]
        return (
            f"{new} beats {old} {crossings(messages, found[new], found[old])} "
            f"({ratio[0]:.1f}x at {messages[0]:,} bytes, {ratio[-1]:.1f}x at {messages[-1]:,})"
        )

    return said
