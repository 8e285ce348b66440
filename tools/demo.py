"""The demo: learns to read handwritten digits by solving one linear system on 16 and on 12 ranks.

Kernel ridge regression on scikit-learn's bundled 1797 digits of 64 pixels; nothing is downloaded. `allport run gemm`
makes the Gram matrix X X^T, from which follows the RBF kernel K; `allport run solve` fits (K + lambda I) C = Y to the
one-hot labels of 1437 digits; K's other rows times C say what the held-out 360 are. Exits non-zero when a result is
wrong.
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
ALLPORT = Path(os.path.relpath(Path(sys.executable).with_name("allport"), ROOT))  # beside the Python that runs this
RUNS = [(16, "torus:4x4"), (12, "torus:4x3")]
HELD_OUT = 360
RIDGE = 0.01  # lambda
GRAM_TOLERANCE = 1e-13  # relative error in the Frobenius norm
RESIDUAL_TOLERANCE = 10.0  # ||b - Ax|| / (||A|| ||x|| n eps): numpy's own is well below 1
WEIGHT_TOLERANCE = 1e-9  # relative difference from numpy's weights: the condition number is 3e5
ACCURACY = 0.98


def run(*arguments: str) -> None:
    command = [str(ALLPORT), *arguments]
    print(f"\n$ {shlex.join(command)}", flush=True)
    code = subprocess.run(command, check=False).returncode
    if code != 0:
        raise SystemExit(f"demo: {shlex.join(command)} failed with exit code {code}")


def load(name: str, shape: tuple[int, ...]) -> np.ndarray:
    array = np.load(FOLDER / name)
    if array.shape != shape:
        raise SystemExit(f"demo: {name} has shape {array.shape}, expected {shape}")
    return array


def distance(got: np.ndarray, wanted: np.ndarray) -> float:
    """Relative, in the Frobenius norm."""
    return float(np.linalg.norm(got - wanted) / np.linalg.norm(wanted))


def residual(a: np.ndarray, x: np.ndarray, b: np.ndarray) -> float:
    """||b - a x||_1 / (||a||_1 ||x||_1 n eps): 1 is what rounding alone may do."""
    eps = np.finfo(a.dtype).eps / 2
    scale = np.linalg.norm(a, 1) * np.linalg.norm(x, 1) * len(a) * eps
    return float(np.linalg.norm(b - a @ x, 1) / scale)


def kernel_of(gram: np.ndarray, gamma: float) -> np.ndarray:
    """exp(-gamma |x_i - x_j|^2) from the inner products x_i . x_j."""
    squares = np.diag(gram)
    return np.exp(-gamma * np.maximum(squares[:, None] + squares[None, :] - 2.0 * gram, 0.0))


def main() -> int:
    os.chdir(ROOT)
    if not ALLPORT.exists():
        raise SystemExit(f"demo: there is no {ALLPORT}; run make setup")
    FOLDER.mkdir(parents=True, exist_ok=True)
    for old in FOLDER.glob("*.npy"):
        old.unlink()
    wrong: list[str] = []

    def check(what: str, right: bool, otherwise: str) -> None:
        print(f"demo: {what}{', right' if right else f', WRONG: {otherwise}'}")
        if not right:
            wrong.append(what)

    digits = load_digits()
    x = digits.data.astype(np.float64)
    np.save(FOLDER / "digits.npy", x)
    print(f"demo: {x.shape[0]} digits of {x.shape[1]} pixels in {FOLDER}/digits.npy; their Gram matrix is X X^T")
    machine = RUNS[0][1]
    files = [str(FOLDER / name) for name in ("digits.npy", "digits.npy", "gram.npy")]
    run("run", "gemm", *files[:2], "-o", files[2], "--trans", "NT", "--machine", machine)
    gram = load("gram.npy", (len(x), len(x)))
    print()
    error = distance(gram, x @ x.T)
    check(f"gram.npy: relative error against numpy {error:.2e}", error <= GRAM_TOLERANCE, f"at most {GRAM_TOLERANCE:g}")

    kernel = kernel_of(gram, 1.0 / (x.shape[1] * x.var()))
    order = np.random.default_rng(0).permutation(len(x))
    known, held_out = order[:-HELD_OUT], order[-HELD_OUT:]
    a = kernel[np.ix_(known, known)] + RIDGE * np.eye(len(known))
    y = np.eye(10)[digits.target[known]]
    np.save(FOLDER / "A.npy", a)
    np.save(FOLDER / "Y.npy", y)
    print(f"demo: A = K + {RIDGE:g} I {a.shape} of {len(known)} digits and their labels Y {y.shape} in {FOLDER}/")
    names = (str(FOLDER / "A.npy"), str(FOLDER / "Y.npy"))
    for ranks, machine in RUNS:
        run("plan", "lu", "--shape", f"{len(a)}x{len(a)}", "--machine", machine)
        run("run", "solve", *names, "-o", str(FOLDER / f"C{ranks}.npy"), "-n", str(ranks), "--machine", machine)

    expected = np.linalg.solve(a, y)
    print(f"\ndemo: numpy.linalg.solve: residual {residual(a, expected, y):.2e}")
    for ranks, machine in RUNS:
        weights = load(f"C{ranks}.npy", y.shape)
        left, apart = residual(a, weights, y), distance(weights, expected)
        right = left <= RESIDUAL_TOLERANCE and apart <= WEIGHT_TOLERANCE
        what = f"C{ranks}.npy on {machine}: residual {left:.2e}, apart from numpy's by {apart:.2e}"
        check(what, right, f"at most {RESIDUAL_TOLERANCE:g} and {WEIGHT_TOLERANCE:g}")
        read = (kernel[np.ix_(held_out, known)] @ weights).argmax(axis=1)
        good = int((read == digits.target[held_out]).sum())
        what = f"{good} of {HELD_OUT} held-out digits read correctly: accuracy {good / HELD_OUT:.2%}"
        check(what, good >= ACCURACY * HELD_OUT, f"at least {ACCURACY:.0%}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
