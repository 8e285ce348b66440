"""The demo: multiplies two real matrices on 16 and on 12 ranks with .venv/bin/allport, and checks the products.

The input is scikit-learn's bundled set of 1797 handwritten digits, X (1797 x 64): the Gram matrix G = X X^T and the
RBF kernel matrix K = exp(-gamma |x_i - x_j|^2), both 1797 x 1797 float64. Nothing is downloaded.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits

ROOT = Path(__file__).resolve().parent.parent
FOLDER = Path("build/demo")
ALLPORT = Path(".venv/bin/allport")
RUNS = [(16, "torus:4x4"), (12, "torus:4x3")]
TOLERANCE = 1e-13  # of the relative error in the Frobenius norm


def make_input() -> tuple[np.ndarray, np.ndarray]:
    """G and K, shapes [1797, 1797], also written to build/demo/gram.npy and rbf.npy."""
    x = load_digits().data.astype(np.float64)
    gamma = 1.0 / (x.shape[1] * x.var())
    gram = x @ x.T
    squares = np.diag(gram)
    rbf = np.exp(-gamma * np.maximum(squares[:, None] + squares[None, :] - 2.0 * gram, 0.0))
    FOLDER.mkdir(parents=True, exist_ok=True)
    np.save(FOLDER / "gram.npy", gram)
    np.save(FOLDER / "rbf.npy", rbf)
    return gram, rbf


def run(*arguments: str) -> None:
    command = [str(ALLPORT), *arguments]
    print(f"\n$ {shlex.join(command)}", flush=True)
    code = subprocess.run(command, check=False).returncode
    if code != 0:
        raise SystemExit(f"demo: {shlex.join(command)} failed with exit code {code}")


def relative_error(name: str, expected: np.ndarray) -> float:
    product = np.load(FOLDER / name)
    if product.shape != expected.shape:
        raise SystemExit(f"demo: {name} has shape {product.shape}, expected {expected.shape}")
    return float(np.linalg.norm(product - expected) / np.linalg.norm(expected))


def main() -> int:
    os.chdir(ROOT)
    if not ALLPORT.exists():
        raise SystemExit(f"demo: there is no {ALLPORT}; run make setup")
    gram, rbf = make_input()
    print(f"demo: digits, Gram matrix {gram.shape} and RBF kernel matrix {rbf.shape} in {FOLDER}/")
    a, b = str(FOLDER / "gram.npy"), str(FOLDER / "rbf.npy")
    shape = "x".join(str(extent) for extent in (*gram.shape, rbf.shape[1]))
    for ranks, _ in RUNS:
        (FOLDER / f"C{ranks}.npy").unlink(missing_ok=True)
    for ranks, machine in RUNS:
        run("plan", "gemm", "--shape", shape, "--machine", machine)
        run("run", "gemm", a, b, "-o", str(FOLDER / f"C{ranks}.npy"), "-n", str(ranks), "--machine", machine)

    expected = gram @ rbf
    wrong = 0
    print()
    for ranks, machine in RUNS:
        error = relative_error(f"C{ranks}.npy", expected)
        right = error <= TOLERANCE
        wrong += not right
        verdict = "right" if right else f"WRONG, expected at most {TOLERANCE:g}"
        print(f"demo: C{ranks}.npy on {machine}: relative error against numpy {error:.2e}, {verdict}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
