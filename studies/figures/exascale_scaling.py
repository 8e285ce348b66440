"""Strong scaling from one plane to the whole torus of the exascale machine: Solomonik11, slides 26 and 27, share it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from allport import model
from allport.machine import Machine

from studies.figures.figure import Chart, Series

__all__ = ["SETTINGS", "Setting", "curves"]

PLANE = 64


@dataclass(frozen=True)
class Setting:
    """What no source says: the size of the matrix, and whether a binomial tree has a line's links or a node's."""

    name: str
    n: int
    all_links: bool


SETTINGS = (
    Setting("n = 2^22, binomial over a line's links", 1 << 22, False),
    Setting("n = 2^20, binomial over all links of a node", 1 << 20, True),
)
Efficiency = Callable[[Machine, int, tuple[int, int, int], str, float], float]


def curves(setting: Setting, efficiency: Efficiency, quick: bool) -> tuple[Chart, dict[str, list[float]]]:
    """Three curves over z: 2.5D rectangular and binomial with c = z, 2D binomial."""
    exa = Machine.parse("exascale")
    binomial = model.link_sum(exa) if setting.all_links else 0.0
    zs = (1, 8, 64) if quick else (1, 2, 4, 8, 16, 32, 64)
    found: dict[str, list[float]] = {"2.5D rectangular (c=z)": [], "2.5D binomial (c=z)": [], "2D binomial": []}
    for z in zs:
        layered, flat = (PLANE, PLANE, z), model.flat_grid(PLANE * PLANE * z)
        for name, grid, how in zip(found, (layered, layered, flat), ("rectangular", "binomial", "binomial")):
            found[name].append(efficiency(exa, setting.n, grid, how, binomial))
    chart = Chart(
        "z dimension of the partition (64 x 64 x z)",
        "parallel efficiency",
        [Series(name, zs, values) for name, values in found.items()],
        title=setting.name,
        low=0.0,
        high=1.02,
    )
    return chart, found
