"""LU factorizations by the model: Solomonik11, slides 18, 19, 35 and 36, share it."""

from __future__ import annotations

from typing import Any

from allport import model
from allport.machine import Machine

__all__ = ["lu"]


def lu(machine: Machine, n: int, grid: tuple[int, int, int], pivoting: str, how: str, **more: Any) -> dict[str, Any]:
    """lu_time with tuned block sizes, which are added as 'blocks'."""
    blocks = model.lu_blocks(machine, n, grid, pivoting, how, **more)
    return model.lu_time(machine, n, grid, blocks, pivoting, how, **more) | {"blocks": blocks}
