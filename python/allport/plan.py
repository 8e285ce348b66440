"""Plans of products and factorizations: what will run and what it will cost, chosen by price before it runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from allport import _native
from allport._native import CholeskyPlan, Distribution, GemmPlan, LuPlan, Machine, QrPlan
from allport.errors import failure, together
from allport.io import scalar_of
from allport.machine import as_machine
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

ANY_GRID = (0, 0, 0)
# What is chosen, by its name among the arguments and in the plan.
DECISIONS = ("algorithm", "grid", "order", "panel", "block", "nb", "big")
PIVOTING = ("tournament", "partial", "none")
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


def problem_of(
    a: tuple[int, int], b: tuple[int, int], c: tuple[int, int] | None, trans_a: str, trans_b: str
) -> tuple[int, int, int]:
    """(m, n, k) of op(A) op(B), checked: inner extents must agree, and C must be m x n."""
    for name, trans in (("trans_a", trans_a), ("trans_b", trans_b)):
        if trans not in ("N", "T", "C"):
            raise failure(f"{name} = '{trans}': expected 'N', 'T' or 'C'")
    m, k = a if trans_a == "N" else a[::-1]
    inner, n = b if trans_b == "N" else b[::-1]
    ways = {"N": "", "T": "^T", "C": "^H"}
    if k != inner:
        raise failure(
            f"A{ways[trans_a]} is {m} x {k} and B{ways[trans_b]} is {inner} x {n}: "
            f"expected as many columns as rows; see trans_a and trans_b"
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
    trans_a: str = "N",
    trans_b: str = "N",
    algorithm: str | None = None,
    grid: str | tuple[int, ...] | None = None,
    order: str | None = None,
    panel: int = 0,
    memory: int | str | None = None,
    way: str | None = None,
    candidates: int = 0,
    mapping: Sequence[int] | None = None,
    given: tuple[Distribution, Distribution, Distribution] | None = None,
    reads_c: bool = False,
) -> GemmPlan:
    """Plans C (m x n) = op(A) (m x k) op(B) (k x n) on a machine, without MPI.

    Chosen by predicted time among all algorithms, grids p_r x p_c x c and panel widths that are not fixed here.
    order: the grid's axes i, j and l, the fastest running over the ranks first ('jil').
    mapping: where the communicator's ranks are (Communicator.mapping); rank r at place r of the machine when None.
    memory: bytes per rank at most ('2GiB'); the machine's share per rank when None. Raises Error, of kind
    'memory' with the bytes needed and had when nothing fits.
    way: how panels travel that several ranks need: 'axes', 'binomial', 'prefix', 'chain' or 'flat'; by axes, where
    the machine has any, when None.
    given: where A, B and C, as stored, lie already; moving them where an algorithm wants them, and C back, is priced,
    as is C on its way there where reads_c says that beta is not 0.
    """
    options = _native.GemmOptions(
        algorithm=algorithm,
        grid=parse_grid(grid),
        order=order,
        panel=panel,
        memory=parse_memory(memory),
        way=way,
        candidates=candidates,
        mapping=None if mapping is None else list(mapping),
        given=given,
        reads_c=reads_c,
    )
    problem = _native.GemmProblem(m, n, k, scalar_of(dtype), trans_a, trans_b)
    return _native.plan_gemm(problem, as_machine(machine), options)


def lu(
    m: int,
    n: int,
    machine: Machine | str,
    *,
    dtype: Any = "f8",
    pivot: str = "tournament",
    algorithm: str | None = None,
    grid: str | tuple[int, ...] | None = None,
    order: str | None = None,
    block: int = 0,
    nb: int = 0,
    big: int = 0,
    memory: int | str | None = None,
    way: str | None = None,
    given: Distribution | None = None,
    candidates: int = 0,
    mapping: Sequence[int] | None = None,
) -> LuPlan:
    """Plans P A = L U for A (m x n) on a machine, without MPI.

    Chosen by predicted time among all algorithms, grids p_r x p_c x c and panel widths that are not fixed here.
    order: the grid's axes i, j and l, the fastest running over the ranks first ('jil').
    pivot: 'tournament' (deck 1 slides 16 and 17), 'partial' (as LAPACK) or 'none'.
    block: columns of a panel. nb: columns of a rank's blocks in the distribution, a multiple of block.
    big: with layers, columns of a panel, a multiple of block, which is then a layer's slice of it.
    memory: bytes per rank at most ('2GiB'); the machine's share per rank when None.
    way: how panels travel that several ranks need: 'axes', 'binomial', 'prefix', 'chain' or 'flat'; by axes, where
    the machine has any, when None.
    given: where A lies already; moving it to another distribution is priced.
    candidates: keep the best so many in the plan's table; 0 keeps all.
    mapping: where the communicator's ranks are (Communicator.mapping); rank r at place r of the machine when None.
    Raises Error; of kind 'memory' with the bytes needed and had when nothing fits.
    """
    options = _native.LuOptions(
        algorithm=algorithm,
        grid=parse_grid(grid),
        order=order,
        block=block,
        nb=nb,
        big=big,
        memory=parse_memory(memory),
        way=way,
        given=given,
        candidates=candidates,
        mapping=None if mapping is None else list(mapping),
    )
    return _native.plan_lu(_native.LuProblem(m, n, scalar_of(dtype), pivot), as_machine(machine), options)


def cholesky(
    n: int,
    machine: Machine | str,
    *,
    dtype: Any = "f8",
    uplo: str = "L",
    grid: str | tuple[int, ...] | None = None,
    order: str | None = None,
    nb: int = 0,
    workers: int = 1,
    memory: int | str | None = None,
    candidates: int = 0,
) -> CholeskyPlan:
    """Plans A = L L^H ('L') or U^H U ('U') for A (n x n) on a machine, without MPI.

    Chosen by the price of the task graph among all grids p_r x p_c and tile sizes that are not fixed here.
    order: 'ij' where the grid's rows run fastest over the ranks, 'ji' where its columns do.
    nb: rows and columns of a tile. workers: threads on each rank.
    memory: bytes per rank at most ('2GiB'); the machine's share per rank when None.
    candidates: keep the best so many in the plan's table; 0 keeps all.
    Raises Error; of kind 'memory' with the bytes needed and had when nothing fits.
    """
    rows, cols, layers = parse_grid(grid)
    if layers > 1:
        raise failure(f"grid = '{short(grid)}': expected p_r x p_c, like 4x4: Cholesky has no layers")
    return _native.plan_cholesky(
        n,
        scalar_of(dtype),
        uplo,
        as_machine(machine),
        grid=(rows, cols) if grid is not None else None,
        order=order,
        nb=nb,
        workers=workers,
        memory=parse_memory(memory),
        candidates=candidates,
    )


def qr(
    m: int,
    n: int,
    machine: Machine | str,
    *,
    dtype: Any = "f8",
    grid: str | tuple[int, ...] | None = None,
    order: str | None = None,
    nb: int = 0,
    workers: int = 1,
    memory: int | str | None = None,
    candidates: int = 0,
) -> QrPlan:
    """Plans A = Q R for A (m x n) on a machine, without MPI; of R, and Q as the reflectors that make it.

    Chosen by the price of the task graph among all grids p_r x p_c and tile sizes that are not fixed here. The other
    arguments are as in cholesky().
    """
    rows, cols, layers = parse_grid(grid)
    if layers > 1:
        raise failure(f"grid = '{short(grid)}': expected p_r x p_c, like 4x4: QR has no layers")
    return _native.plan_qr(
        m,
        n,
        scalar_of(dtype),
        as_machine(machine),
        grid=(rows, cols) if grid is not None else None,
        order=order,
        nb=nb,
        workers=workers,
        memory=parse_memory(memory),
        candidates=candidates,
    )


def check_assumption(assume: str, general: dict[str, Any]) -> None:
    """Raises Error unless a system is 'gen' or 'pos', and nothing of `general`, which LU alone knows, is given
    with 'pos'."""
    if assume not in ("gen", "pos"):
        raise failure(f"assume = '{assume}': expected 'gen' (any matrix) or 'pos' (Hermitian positive definite)")
    for name, value in general.items():
        if assume == "pos" and value:
            raise failure(f"{name} = {value!r}: is for assume='gen'; leave it out where A is positive definite")


def check_growth_bound(growth_bound: float | None, fall_back: bool) -> None:
    """Raises Error unless it is a bound that growth can exceed, and falling back has one."""
    if growth_bound is not None and not growth_bound > 0:
        raise failure(f"growth_bound = {growth_bound}: expected a number above 0, or None")
    if fall_back and growth_bound is None:
        raise failure(
            "fall_back: is on without a growth_bound, and nothing tells when to fall back; "
            "give the growth_bound that is too much (--growth-bound 1e6), or leave fall_back out"
        )


def decisions(plan: GemmPlan | LuPlan | CholeskyPlan | QrPlan) -> dict[str, Any]:
    """What a plan has chosen, as arguments that lead gemm(), lu(), cholesky() or qr() to the same
    one without a search."""
    chosen = plan.to_dict()["chosen"]
    # The caller's own distribution is no grid that could be asked for: there is nothing to search among, either.
    return {} if chosen.get("in_place") else {name: chosen[name] for name in DECISIONS if name in chosen}


def plan_together(comm: Communicator, make: Callable[..., _Plan]) -> _Plan:
    """A plan that rank 0 chooses, and the others follow. make(**decisions) plans; each rank calls it once.

    Called by all ranks. Raises Error on all of them where one comes to another plan than rank 0.
    """
    plan: Any = None
    taken: dict[str, Any] = {}
    with together(comm):
        if comm.rank == 0:
            plan = make()
            taken = decisions(plan)
    taken = comm.mpi4py.bcast(taken, 0)
    with together(comm):
        if comm.rank != 0:
            plan = make(**taken)
            if decisions(plan) != taken:
                raise failure(
                    f"plan: is {decisions(plan)} on rank {comm.rank}, {taken} on rank 0: expected one machine"
                )
    return plan


def plan_on(comm: Communicator, a: Any, **options: Any) -> LuPlan:
    """lu() of a matrix on the communicator's machine: rank 0 chooses, all follow. Called by all ranks."""
    m, n = a.shape
    machine, options = comm.machine, {**options, "mapping": comm.mapping}
    return plan_together(comm, lambda **taken: lu(m, n, machine, candidates=1, **{**options, **taken}))
