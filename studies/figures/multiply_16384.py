"""Multiplication on 16,384 nodes of BG/P, 2D against 2.5D on 16 layers: Solomonik11, slides 12, 13 and 19, share it."""

from __future__ import annotations

from typing import Any

from allport import model
from allport.machine import Machine

__all__ = ["ABSTRACT", "FASTER", "FLAT", "LAYERED", "SIZES", "VARIANTS", "times"]

FLAT, LAYERED = (128, 128, 1), (32, 32, 16)  # 16,384 nodes, 16 copies (Solomonik11, slide 12)
SIZES = (8192, 131072)  # Solomonik11, slide 12
FASTER = {8192: 12, 131072: 2.7}  # Solomonik11, slide 12
ABSTRACT = 2.6  # for 2.7, in the abstract of the paper Solomonik11
VARIANTS = {
    "2D, binomial": (FLAT, "binomial"),
    "2D, rectangular": (FLAT, "rectangular"),
    "2.5D, binomial": (LAYERED, "binomial"),
    "2.5D, rectangular": (LAYERED, "rectangular"),
}


def times(n: int, machine: Machine | None = None) -> dict[str, dict[str, Any]]:
    """gemm_time of every variant, on preset bgp where no machine is given."""
    bgp = machine or Machine.parse("bgp")
    return {name: model.gemm_time(bgp, (n, n, n), grid, how) for name, (grid, how) in VARIANTS.items()}
