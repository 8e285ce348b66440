"""Distributed tensors, and contractions of two of them: numpy's einsum and tensordot over the ranks of a machine."""
