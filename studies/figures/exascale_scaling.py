"""Strong scaling from one plane to the whole torus of the exascale machine: Solomonik11, slides 26 and 27, share it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from allport import model
from allport.machine import Machine

from studies.figures.figure import Chart, Series
from studies.figures.varied import band

__all__ = ["OURS", "SETTINGS", "VARIED", "Setting", "curves"]

PLANE = 64  # 262,144 = 64^3 nodes (Solomonik11, slide 25)


@dataclass(frozen=True)
class Setting:
    """What no source says: the size of the matrix, and whether a binomial tree has a line's links or a node's."""

    name: str
    n: int
    all_links: bool


# Both sizes, and both readings of a binomial tree's bandwidth, are in no source: two settings, so that the curves
# between which the talk's may lie are seen.
SETTINGS = (
    Setting("n = 2^22, binomial over a line's links", 1 << 22, False),
    Setting("n = 2^20, binomial over all links of a node", 1 << 20, True),
)
OURS = (
    "exascale.overhead", "exascale.axes", "exascale.flops", "exascale.memory", "exascale_scaling.SETTINGS",
)  # fmt: skip
VARIED = ("exascale.overhead", "exascale.axes", "exascale_scaling.SETTINGS")
Efficiency = Callable[[Machine, int, tuple[int, int, int], str, float], float]


def curves(setting: Setting, efficiency: Efficiency, quick: bool) -> tuple[Chart, dict[str, list[float]]]:
    """Three curves over z: 2.5D rectangular and binomial with c = z, 2D binomial."""
    exa = Machine.parse("exascale")
    zs = (1, 8, 64) if quick else (1, 2, 4, 8, 16, 32, 64)
    variants = {
        "2.5D rectangular (c=z)": (True, "rectangular"),
        "2.5D binomial (c=z)": (True, "binomial"),
        "2D binomial": (False, "binomial"),
    }

    def over_z(machine: Machine, name: str) -> list[float]:
        layers, how = variants[name]
        binomial = model.link_sum(machine) if setting.all_links else 0.0
        grids = [(PLANE, PLANE, z) if layers else model.flat_grid(PLANE * PLANE * z) for z in zs]
        return [efficiency(machine, setting.n, grid, how, binomial) for grid in grids]

    found = {name: over_z(exa, name) for name in variants}
    chart = Chart(
        "z dimension of the partition (64 x 64 x z)",
        "parallel efficiency",
        [Series(name, zs, values, band=band(exa, partial(over_z, name=name))) for name, values in found.items()],
        title=setting.name,
        low=0.0,
        high=1.02,
    )
    return chart, found
