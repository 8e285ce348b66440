"""Multiplication on 16,384 nodes of BG/P, 2D against 2.5D on 16 layers: Solomonik11, slides 12, 13 and 19, share it."""

from __future__ import annotations

from typing import Any

from allport import model
from allport.machine import Machine

__all__ = ["FLAT", "LAYERED", "SIZES", "WAYS", "times"]

FLAT, LAYERED = (128, 128, 1), (32, 32, 16)
SIZES = (8192, 131072)
WAYS = {
    "2D, binomial": (FLAT, "binomial"),
    "2D, rectangular": (FLAT, "rectangular"),
    "2.5D, binomial": (LAYERED, "binomial"),
    "2.5D, rectangular": (LAYERED, "rectangular"),
}


def times(n: int) -> dict[str, dict[str, Any]]:
    """gemm_time of every way."""
    bgp = Machine.parse("bgp")
    return {name: model.gemm_time(bgp, (n, n, n), grid, how) for name, (grid, how) in WAYS.items()}
