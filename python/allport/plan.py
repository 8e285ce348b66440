"""Plans of products and factorizations: what will run and what it will cost, chosen by price before it runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from allport import _native
from allport._native import CholeskyPlan, Distribution, GemmPlan, LuPlan, Machine, QrPlan
from allport.errors import Error, failure, together
from allport.io import scalar_of
from allport.machine import as_machine
from allport.options import Options
from allport.units import parse_memory, short

if TYPE_CHECKING:
    from allport.comm import Communicator

__all__ = [
    "CholeskyPlan",
    "GemmPlan",
    "LuPlan",
    "QrPlan",
    "by_time",
    "cholesky",
    "gemm",
    "gemm_algorithms",
    "lu",
    "lu_algorithms",
    "parse_grid",
    "plan_together",
    "qr",
    "why_chosen",
]

_Plan = TypeVar("_Plan", GemmPlan, LuPlan, CholeskyPlan, QrPlan)
Plan: TypeAlias = "GemmPlan | LuPlan | CholeskyPlan | QrPlan"

ANY_GRID = (0, 0, 0)
# What is chosen, by its name in a plan's table and among the options.
SHARED = ("algorithm", "grid", "order")
DECISIONS: dict[type, tuple[str, ...]] = {
    GemmPlan: (*SHARED, "panel"),
    LuPlan: (*SHARED, "panel", "nb", "outer_panel"),
    CholeskyPlan: (*SHARED, "nb"),
    QrPlan: (*SHARED, "nb"),
}
GEMM_OPTIONS = ("algorithm", "grid", "order", "panel", "memory", "tree", "mapping", "candidates")
LU_OPTIONS = (*GEMM_OPTIONS, "nb", "outer_panel", "pivoting")
RUN_OPTIONS = ("replicated", "progress")
FACTOR_OPTIONS = (*(n for n in LU_OPTIONS if n not in ("mapping", "candidates")), "growth_bound", "fall_back")
SOLVE_OPTIONS = {
    "gen": (*FACTOR_OPTIONS, *RUN_OPTIONS, "refine", "residual"),
    "pos": ("grid", "order", "nb", "workers", "memory", *RUN_OPTIONS, "residual"),
}
TILED_OPTIONS = ("grid", "order", "nb", "workers", "memory", "candidates")
NO_BOUND = "0: no words are known to need moving"


def gemm_algorithms() -> list[dict[str, str]]:
    """The registered multiplication algorithms, each {'name', 'summary'}."""
    return _native.gemm_algorithms()


def lu_algorithms() -> list[dict[str, str]]:
    """The registered factorization algorithms, each {'name', 'summary'}."""
    return _native.lu_algorithms()


def by_time(candidates: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Candidates by predicted time, those that cannot be used last. Plans have the chosen one first: why_chosen()."""
    return sorted(candidates, key=lambda c: (bool(c.get("why_not")), c.get("seconds", {}).get("total", 0.0)))


def why_chosen(plan: dict[str, Any]) -> str:
    """Why a plan's choice is not the candidate with the least predicted time; '' where it is."""
    total = plan["chosen"]["seconds"]["total"]
    least = min(c["seconds"]["total"] for c in plan["candidates"] if not c.get("why_not"))
    if total <= least:
        return ""
    return (
        f"The chosen one is predicted to take {100 * (total / least - 1):.1f} % longer than the fastest, which is too "
        "little to tell them apart, and moves fewer words."
    )


def over_bound(chosen: dict[str, Any], report: dict[str, Any], word: int) -> tuple[str, str]:
    """The words of the busiest rank over their lower bound, planned and measured, exchanged rows among them.

    chosen, report: of a plan's and a run's to_dict(); word: bytes of an element.
    """
    if not chosen["bound_words"] or not report["bound_words"]:
        return NO_BOUND, ""
    moved = report["bytes"] + report.get("exchanged_bytes", 0)
    return f"{chosen['ratio_to_bound']:.2f}", f"{moved / word / report['bound_words']:.2f}"


@contextmanager
def _named_as_options(kind: type) -> Iterator[None]:
    """Errors that begin with the name of a decision say that it is one of the options."""
    try:
        yield
    except Error as error:
        text = str(error)
        if text.partition(" = ")[0] not in DECISIONS[kind]:
            raise
        raise failure(f"options.{text}", error.kind) from None


def parse_grid(grid: str | tuple[int, ...] | None) -> tuple[int, int, int]:
    """'4x4x1', '4x4' or a tuple as (p_r, p_c, c); None as zeros, which leave the choice open."""
    if grid is None:
        return ANY_GRID
    parts = tuple(grid.lower().split("x")) if isinstance(grid, str) else tuple(grid)
    try:
        numbers = [int(p) for p in parts]
    except ValueError:
        numbers = []
    if len(numbers) not in (2, 3) or min(numbers) < 1:
        raise failure(f"grid = '{short(grid)}': expected p_r x p_c x c, like 4x4x1")
    return (numbers[0], numbers[1], numbers[2] if len(numbers) == 3 else 1)


def _two_letters(trans: str) -> tuple[str, str]:
    if len(trans) != 2 or set(trans) - set("NTC"):
        raise failure(f"trans = '{short(trans)}': expected two letters of N, T and C, for A and B, like 'TN'")
    return trans[0], trans[1]


def problem_of(a: tuple[int, int], b: tuple[int, int], c: tuple[int, int] | None, trans: str) -> tuple[int, int, int]:
    """(m, n, k) of op(A) op(B), checked: inner extents must agree, and C must be m x n."""
    trans_a, trans_b = _two_letters(trans)
    m, k = a if trans_a == "N" else a[::-1]
    inner, n = b if trans_b == "N" else b[::-1]
    marks = {"N": "", "T": "^T", "C": "^H"}
    if k != inner:
        raise failure(
            f"A{marks[trans_a]} is {m} x {k} and B{marks[trans_b]} is {inner} x {n}: expected as many columns as rows"
        )
    if c is not None and tuple(c) != (m, n):
        raise failure(f"C is {c[0]} x {c[1]}: expected {m} x {n}, the shape of the product")
    return m, n, k


def gemm(
    m: int,
    n: int,
    k: int,
    machine: Machine | str,
    *,
    dtype: Any = "f8",
    trans: str = "NN",
    given: tuple[Distribution, Distribution, Distribution] | None = None,
    options: Options | None = None,
) -> GemmPlan:
    """Plans C (m x n) = op(A) (m x k) op(B) (k x n) on a machine, without MPI.

    Chosen by predicted time among all algorithms, grids p_r x p_c x c and panel widths that are not fixed by options.
    trans: op of A and of B, each 'N', 'T' or 'C'.
    given: where A, B and C, as stored, are already; moving them where an algorithm wants them, and C back, is priced.
    options: algorithm, grid, order, panel, memory, tree, mapping, candidates.
    Raises Error; of kind 'memory' with the bytes needed and had when nothing fits.
    """
    return plan_product(m, n, k, machine, dtype, trans, given, False, options or Options())


def plan_product(
    m: int,
    n: int,
    k: int,
    machine: Machine | str,
    dtype: Any,
    trans: str,
    given: tuple[Distribution, Distribution, Distribution] | None,
    reads_c: bool,
    options: Options,
) -> GemmPlan:
    """gemm(); reads_c: beta is not 0, so that C is moved where the algorithm wants it, too."""
    options.only("plan.gemm", *GEMM_OPTIONS)
    chosen = _native.GemmOptions(
        algorithm=options.algorithm,
        grid=parse_grid(options.grid),
        order=options.order,
        panel=options.panel,
        memory=parse_memory(options.memory),
        tree=options.tree,
        candidates=options.candidates,
        mapping=None if options.mapping is None else list(options.mapping),
        given=given,
        reads_c=reads_c,
    )
    problem = _native.GemmProblem(m, n, k, scalar_of(dtype), *_two_letters(trans))
    return _native.plan_gemm(problem, as_machine(machine), chosen)


def lu(
    m: int,
    n: int,
    machine: Machine | str,
    *,
    dtype: Any = "f8",
    given: Distribution | None = None,
    options: Options | None = None,
) -> LuPlan:
    """Plans P A = L U for A (m x n) on a machine, without MPI.

    Chosen by predicted time among all algorithms, grids p_r x p_c x c and panel widths that are not fixed by options.
    given: where A is already; moving it to another distribution is priced.
    options: algorithm, grid, order, panel, nb, outer_panel, memory, tree, pivoting, mapping, candidates.
    Raises Error; of kind 'memory' with the bytes needed and had when nothing fits.
    """
    options = options or Options()
    options.only("plan.lu", *LU_OPTIONS)
    chosen = _native.LuOptions(
        algorithm=options.algorithm,
        grid=parse_grid(options.grid),
        order=options.order,
        panel=options.panel,
        nb=options.nb,
        outer_panel=options.outer_panel,
        memory=parse_memory(options.memory),
        tree=options.tree,
        given=given,
        candidates=options.candidates,
        mapping=None if options.mapping is None else list(options.mapping),
    )
    with _named_as_options(LuPlan):
        return _native.plan_lu(_native.LuProblem(m, n, scalar_of(dtype), options.pivoting), as_machine(machine), chosen)


def _tiled(operation: str, options: Options | None) -> dict[str, Any]:
    """The options of a factorization in tiles as the core takes them."""
    options = options or Options()
    options.only(f"plan.{operation}", *TILED_OPTIONS)
    rows, cols, layers = parse_grid(options.grid)
    if layers > 1:
        raise failure(f"grid = '{short(options.grid)}': expected p_r x p_c, like 4x4: {operation} has no layers")
    return {
        "grid": (rows, cols) if options.grid is not None else None,
        "order": options.order,
        "nb": options.nb,
        "workers": options.workers,
        "memory": parse_memory(options.memory),
        "candidates": options.candidates,
    }


def cholesky(
    n: int, machine: Machine | str, *, dtype: Any = "f8", lower: bool = False, options: Options | None = None
) -> CholeskyPlan:
    """Plans A = U^H U, or L L^H where `lower`, for A (n x n) on a machine, without MPI.

    Chosen by the price of the task graph among all grids p_r x p_c and tile sizes that are not fixed by options.
    options: grid, order, nb (rows and columns of a tile), workers, memory, candidates.
    Raises Error; of kind 'memory' with the bytes needed and had when nothing fits.
    """
    uplo = "L" if lower else "U"
    return _native.plan_cholesky(n, scalar_of(dtype), uplo, as_machine(machine), **_tiled("cholesky", options))


def qr(m: int, n: int, machine: Machine | str, *, dtype: Any = "f8", options: Options | None = None) -> QrPlan:
    """Plans A = Q R for A (m x n) on a machine, without MPI; of R, and Q as the reflectors that make it.

    Chosen by the price of the task graph among all grids p_r x p_c and tile sizes that are not fixed by options.
    options: as for cholesky().
    """
    return _native.plan_qr(m, n, scalar_of(dtype), as_machine(machine), **_tiled("qr", options))


def check_assumption(assume: str, given: Options) -> None:
    """Raises Error unless a system is 'gen' or 'pos', and its options are those of LU or of Cholesky."""
    if assume not in ("gen", "pos"):
        raise failure(f"assume_a = '{assume}': expected 'gen' (any matrix) or 'pos' (Hermitian positive definite)")
    given.only(f"assume_a='{assume}'", *SOLVE_OPTIONS[assume])


def check_growth_bound(growth_bound: float | None, fall_back: bool) -> None:
    """Raises Error unless it is a bound that growth can exceed, and falling back has one."""
    if growth_bound is not None and not growth_bound > 0:
        raise failure(f"options.growth_bound = {growth_bound}: expected a number above 0, or None")
    if fall_back and growth_bound is None:
        raise failure(
            "options.fall_back = True: expected options.growth_bound beside it, the growth above which to fall back, "
            "like 1e6"
        )


def decisions(plan: Plan) -> dict[str, Any]:
    """What a plan has chosen, as options that lead to the same one without a search."""
    return decided(plan, plan.to_dict()["chosen"])


def decided(plan: Plan, candidate: dict[str, Any]) -> dict[str, Any]:
    """What makes a candidate of a plan, as options that lead to it without a search."""
    # The caller's own distribution is no grid that could be asked for: there is nothing to search among, either.
    if candidate.get("in_place"):
        return {}
    return {name: candidate[name] for name in DECISIONS[type(plan)] if name in candidate}


def plan_together(
    comm: Communicator, make: Callable[..., _Plan], of: Callable[[_Plan], dict[str, Any]] = decisions
) -> _Plan:
    """A plan that rank 0 chooses, and the others follow. make(**of(plan)) plans; each rank calls it once.

    Called by all ranks. Raises Error on all of them where one comes to another plan than rank 0.
    """
    plan: Any = None
    taken: dict[str, Any] = {}
    with together(comm):
        if comm.rank == 0:
            plan = make()
            taken = of(plan)
    taken = comm.mpi4py.bcast(taken, 0)
    with together(comm):
        if comm.rank != 0:
            plan = make(**taken)
            if of(plan) != taken:
                raise failure(f"plan: is {of(plan)} on rank {comm.rank}, {taken} on rank 0: expected one machine")
    return plan


def plan_on(
    comm: Communicator, a: Any, options: Options, dtype: Any = "f8", given: Distribution | None = None
) -> LuPlan:
    """lu() of a matrix on the communicator's machine: rank 0 chooses, all follow. Called by all ranks."""
    m, n = a.shape
    chosen = replace(options, mapping=comm.mapping, candidates=1)
    return plan_together(
        comm,
        lambda **taken: lu(m, n, comm.machine, dtype=dtype, given=given, options=replace(chosen, **taken)),
    )
