"""Solomonik11, slides 22 to 24: the multicast model against packets, on 8, 64 and 512 nodes."""

from __future__ import annotations

from allport import model
from allport.machine import Machine

from studies.figures.figure import Chart, Figure, Number, Result, Run, Series, near
from studies.figures.simulated import seconds, sizes
from studies.figures.varied import band, corners, said

__all__ = ["figure"]

KIB, MB = 1024, 1e6


def _verification(shape: str, stated: int, run: Run) -> Result:
    """MB/s over 1 KB to 256 MB on bgp:SHAPE. stated: where Solomonik11's model curve ends, 2d times the raw link."""
    machine = Machine.parse(f"bgp:{shape}")
    terms, rates, axis = model.multicast_terms(machine), machine.rates, machine.axes[0]
    messages = sizes(KIB, (4 << 20) if run.quick else (256 << 20))
    bnm_all: list[float] = []
    bnm_one: list[float] = []
    rect, packets, whole = [], [], []
    for i, m in enumerate(messages):
        run.step(i / len(messages))
        rect.append(m / model.t_mcast(m, terms) / MB)
        for found, b in ((bnm_all, terms.bandwidth), (bnm_one, axis.bandwidth)):
            found.append(m / model.t_bnm(m, machine.nodes, b, rates.overhead, axis.latency) / MB)
        packets.append(m / seconds("bcast", "rectangular", machine, m) / MB)
        whole.append(m / seconds("bcast", "binomial", machine, m, whole=True) / MB)

    def rates_of(machine: Machine) -> list[float]:
        return [m / model.t_mcast(m, model.multicast_terms(machine)) / MB for m in messages]

    x = [m / KIB for m in messages]
    top = terms.bandwidth / MB
    raw = model.multicast_terms(corners(machine)[1]).bandwidth / MB
    apart = max(abs(p / r - 1) for p, r, m in zip(packets, rect, messages) if m >= 256 * KIB)
    least = min(p / r for p, r in zip(packets, rect))
    most = max(p / r for p, r in zip(packets, rect))
    series = [
        Series("t_rect, model", x, rect, band=band(machine, rates_of)),
        Series("rectangular, simulated", x, packets, "simulation", pair=True),
        Series("t_bnm, model, B_n = 2d links", x, bnm_all),
        Series("t_bnm, model, B_n = 1 link", x, bnm_one),
        Series("binomial, simulated", x, whole, "simulation", pair=True),
        Series(f"{2 * terms.axes} links", x, [top] * len(x), "limit"),
    ]
    return Result(
        panels=[Chart("message, KB (2^10)", "MB/s", series, low=0)],
        got=f"Asymptotes: model {top:.0f} MB/s, simulated {packets[-1]:.0f} MB/s; binomial {whole[-1]:.0f} MB/s "
        f"simulated, {bnm_one[-1]:.0f} (one link) and {bnm_all[-1]:.0f} (2d links) by model. From 256 KB on "
        f"simulation and t_rect differ by at most {100 * apart:.0f} %; over all sizes simulated / model lies in "
        f"{least:.2f} to {most:.2f}.",
        obtained=f"Model: t_mcast and t_bnm on preset bgp, {shape} nodes. Simulation: the schedules of algorithms "
        "rectangular (segments chosen by price) and binomial (whole messages) on the same machine, every segment "
        f"over every link, links first come first served. {said(machine)}",
        why=f"Solomonik11's curves end at {stated} MB/s = {2 * terms.axes} links of {raw / 2 / terms.axes:.0f} MB/s "
        f"raw; the preset has {axis.bandwidth / MB:.0f} MB/s, what packets leave of it and what DCMF reached. The "
        "formula charges 3L + 2(d+1)o of start-up once; the schedule pays 2o + L and a segment for every hop. A "
        "simulated binomial tree sends one copy at a time, so it follows the model with one link, with contention "
        "where a round's messages share links. DCMF's own measurements are not in Solomonik11's text.",
        numbers=[
            Number(
                f"multicast asymptote, {shape} nodes, MB/s",
                str(stated),
                f"{top:.0f} model, {packets[-1]:.0f} simulated (links of {axis.bandwidth / MB:.0f}); {raw:.0f} model "
                f"(links of {raw / 2 / terms.axes:.0f})",
                how="model, simulated",
                holds=near(stated, top, packets[-1], raw),
                why="The talk's curve has the raw rate; ours has what packets leave of it.",
            )
        ],
    )


def figure(number: int, nodes: str, shape: str, stated: int) -> Figure:
    """The figure of that number; stated as above."""
    return Figure(
        id=f"solomonik11-slide{number}",
        title=f"Multicast model verified: {nodes}",
        claim="The rectangular model is an upper envelope of DCMF's measured broadcast; binomial stays far below.",
        how=("model", "simulation"),
        make=lambda run: _verification(shape, stated, run),
        ours=("bgp.overhead", "bgp.axes"),
        varied=("bgp.overhead", "bgp.axes"),
    )
