"""Distributed matrices, their products, factorizations and systems: a file for each operation, as in the core."""
