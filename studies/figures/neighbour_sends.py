"""Chan06: one node sends to 1 to 6 neighbours at once. Its figures share the messages and the fits."""

from __future__ import annotations

import functools
import os
import tempfile

from allport import model
from allport.machine import Machine
from allport.model import MultilinkTerms
from allport.schedule import import_goal
from allport.sim import Model, simulate

__all__ = ["MACHINE", "fit_line", "fit_tau", "measured", "shape"]

MACHINE = "bgp:4x4x4"


def shape() -> Machine:
    """Where it happens: a node of it has six neighbours on six links."""
    return Machine.parse(MACHINE)


def _goal(machine: Machine, message: int, sends: int) -> str:
    """Node 0 sends to so many neighbours, and waits for nothing."""
    around = [machine.neighbour(0, port) for port in range(sends)]
    blocks = [f"num_ranks {machine.ranks}"]
    for rank in range(machine.ranks):
        lines = []
        if rank == 0:
            lines = [f"l{i}: send {message}b to {to} tag 0" for i, to in enumerate(around)]
        elif rank in around:
            lines = [f"l0: recv {message}b from 0 tag 0"]
        blocks.append("\n".join([f"rank {rank} {{", *lines, "}"]))
    return "\n".join(blocks) + "\n"


@functools.cache
def measured(message: int, sends: int, overheads: str = "serial") -> float:
    """Simulated seconds until the last of `sends` messages has arrived."""
    machine = shape()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "sends.goal")
        with open(path, "w") as file:
            file.write(_goal(machine, message, sends))
        schedule = import_goal(path)
    return simulate(schedule, machine, model=Model(overheads=overheads)).seconds


def fit_line(messages: list[int], times: list[float]) -> MultilinkTerms:
    """alpha and beta of times = alpha + n beta, with equal weight on relative errors; tau 0."""
    import numpy as np

    t = np.asarray(times)
    a = np.stack([np.ones_like(t), np.asarray(messages, dtype=float)], axis=1) / t[:, None]
    alpha, beta = np.linalg.lstsq(a, np.ones_like(t), rcond=None)[0]
    return MultilinkTerms(float(alpha), 1.0 / float(beta))


def fit_tau(times: dict[int, list[float]], terms: MultilinkTerms) -> float:
    """tau in 0..1 of times[n][m - 1], m sends of n bytes at once: least squares of the ratios to one send."""
    above = below = 0.0
    for n, several in times.items():
        one = model.simultaneous_sends(n, 1, terms)
        for k, t in enumerate(several):
            above += k * (t / one - 1)
            below += k * k
    return min(max(above / below, 0.0), 1.0)
