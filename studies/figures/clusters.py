"""The computers of Song09: nodes with two processors each behind a switch. Their machine files are in machines/."""

from __future__ import annotations

import re
from pathlib import Path

from allport.machine import Machine

__all__ = ["DGEMM", "PEAK", "cluster", "grig"]

PEAK = 6.4e9  # flop/s of a processor (Song09, slide 15)
DGEMM = 5.57e9  # what dgemm reaches, 87 % of it (Song09, slide 15)
MACHINES = Path(__file__).parent / "machines"


def cluster(name: str, processors: int) -> Machine:
    """So many processors of machines/NAME.toml, both of a node where there are two. A power of two up to 128."""
    each = min(processors, 2)
    nodes = processors // each
    x = 1
    while x * x < nodes:
        x *= 2
    lengths = iter((x, nodes // x))
    text = (MACHINES / f"{name}.toml").read_text()
    text = re.sub(r"ranks_per_node = \d+", f"ranks_per_node = {each}", text)
    text = re.sub(r'flops = "[^"]*"', f"flops = {each * DGEMM}", text)
    return Machine.from_toml(re.sub(r"length = \d+", lambda _: f"length = {next(lengths)}", text))


def grig(processors: int) -> Machine:
    """cluster("grig", processors)"""
    return cluster("grig", processors)
