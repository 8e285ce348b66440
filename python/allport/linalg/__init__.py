"""Distributed matrices, their products, factorizations and systems: a file for each operation, as in the core.

The operations are functions of `import allport as ap`: ap.gemm, ap.lu, ap.cholesky, ap.qr, ap.lstsq,
ap.solve and ap.eigh. Here is what they return and report, and norms and residuals.
"""

from __future__ import annotations

from allport.linalg.cholesky import Cholesky, CholeskyReport, NotPositiveDefinite
from allport.linalg.eigh import EighReport, EighResult
from allport.linalg.gemm import GemmReport
from allport.linalg.inverse import det, inv, slogdet
from allport.linalg.lu import LU, GrowthWarning, LuReport, SingularMatrix
from allport.linalg.matrix import DistributedMatrix, Distribution
from allport.linalg.qr import LstsqReport, QrReport, QRResult, RankDeficient
from allport.linalg.solve import SolveReport, norm, solve_residual

__all__ = [
    "LU",
    "Cholesky",
    "CholeskyReport",
    "DistributedMatrix",
    "Distribution",
    "EighReport",
    "EighResult",
    "GemmReport",
    "GrowthWarning",
    "LstsqReport",
    "LuReport",
    "NotPositiveDefinite",
    "QRResult",
    "QrReport",
    "RankDeficient",
    "SingularMatrix",
    "SolveReport",
    "det",
    "inv",
    "norm",
    "slogdet",
    "solve_residual",
]
