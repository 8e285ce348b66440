"""Distributed tensors, and contractions of two of them: numpy's einsum and tensordot over the ranks of a machine."""

from __future__ import annotations

from allport.tensors.contract import ContractionReport, einsum, tensordot
from allport.tensors.distribution import TensorDistribution
from allport.tensors.plan import ContractionPlan
from allport.tensors.search import plan_einsum, plan_tensordot
from allport.tensors.tensor import DistributedTensor, distribute, load

__all__ = [
    "ContractionPlan",
    "ContractionReport",
    "DistributedTensor",
    "TensorDistribution",
    "distribute",
    "einsum",
    "load",
    "plan_einsum",
    "plan_tensordot",
    "tensordot",
]
