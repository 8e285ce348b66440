"""Distributions that are taken where nobody asks for another."""

from __future__ import annotations

from allport._native import Distribution

__all__ = ["root_distribution", "square_distribution"]


def square_distribution(shape: tuple[int, int], ranks: int) -> Distribution:
    """Balanced blocks over all ranks, on the grid that is nearest to square blocks."""
    rows, cols = (max(n, 1) for n in shape)
    best = min((p for p in range(1, ranks + 1) if ranks % p == 0), key=lambda p: rows / p + cols / (ranks // p))
    return Distribution.balanced(shape, (best, ranks // best), list(range(ranks)))


def root_distribution(shape: tuple[int, int], root: int = 0) -> Distribution:
    """Everything on one rank."""
    return Distribution.balanced(shape, (1, 1), [root])
