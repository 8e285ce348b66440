"""Layouts that are taken where nobody asks for another."""

from __future__ import annotations

from allport._native import Layout

__all__ = ["root_layout", "square_layout"]


def square_layout(shape: tuple[int, int], ranks: int) -> Layout:
    """Balanced blocks over all ranks, on the grid that is nearest to square blocks."""
    rows, cols = (max(n, 1) for n in shape)
    best = min((p for p in range(1, ranks + 1) if ranks % p == 0), key=lambda p: rows / p + cols / (ranks // p))
    return Layout.balanced(shape, (best, ranks // best), list(range(ranks)))


def root_layout(shape: tuple[int, int], root: int = 0) -> Layout:
    """Everything on one rank."""
    return Layout.balanced(shape, (1, 1), [root])
