"""What tunes a computation: one object that every function of the linear algebra takes as `options`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields

from allport.errors import failure

__all__ = ["PIVOTING", "TREES", "Options"]

PIVOTING = ("tournament", "partial", "none")
TREES = ("flat", "chain", "prefix", "axes", "binomial", "kary")


@dataclass(frozen=True, kw_only=True)
class Options:
    """What tunes a computation or its plan. What is not given is chosen by predicted time, or has its default.

    Each function names the options that it takes, and raises Error for others that are given.
    """

    #: A registered algorithm (plan.gemm_algorithms(), plan.lu_algorithms()).
    algorithm: str | None = None
    #: The process grid p_r x p_c x c: '4x4', '4x4x2' or a tuple.
    grid: str | tuple[int, ...] | None = None
    #: The grid's axes i, j and l, the fastest over the ranks first: 'jil'; of tiles 'ij' or 'ji'.
    order: str | None = None
    #: gemm, LU: columns of a panel.
    panel: int = 0
    #: Cholesky, QR: rows and columns of a tile; LU: columns of a rank's blocks, a multiple of panel (ScaLAPACK's NB).
    nb: int = 0
    #: LU with layers: columns of the panel of which each layer has a slice of `panel` columns.
    outer_panel: int = 0
    #: Bytes per rank at most ('2GiB'); the machine's share per rank if not given.
    memory: int | str | None = None
    #: The multicast tree by which data reach the ranks that need them: 'axes', 'binomial', 'kary',
    #: 'prefix', 'chain' or 'flat'.
    tree: str | None = None
    #: LU: 'tournament', 'partial' (as LAPACK) or 'none'.
    pivoting: str = "tournament"
    #: LU: growth max |U| / max |A| above which rank 0 warns (linalg.GrowthWarning).
    growth_bound: float | None = None
    #: LU: above growth_bound, factor again with partial pivoting.
    fall_back: bool = False
    #: solve: factor in half the precision and refine x to full (LAPACK's dsgesv).
    refine: bool = False
    #: solve: compute the residual for last_report().
    residual: bool = False
    #: Threads of each rank that work on tiles.
    workers: int = 1
    #: gemm: a distributed c of the product's type becomes the product.
    overwrite_c: bool = False
    #: All ranks pass equal copies of whole arrays, which a checksum proves; nothing is sent.
    replicated: bool = False
    #: Plans: rank r at place mapping[r] of the machine; computations take their communicator's.
    mapping: Sequence[int] | None = None
    #: Plans: keep the best so many candidates in the table; 0: all.
    candidates: int = 0
    #: Record what each task and message did, for graph.timeline().
    record: bool = False
    #: Called on every rank now and then with (done, total).
    progress: Callable[[int, int], None] | None = None

    def __post_init__(self) -> None:
        for name, least in (("panel", 0), ("nb", 0), ("outer_panel", 0), ("candidates", 0), ("workers", 1)):
            if getattr(self, name) < least:
                raise failure(f"options.{name} = {getattr(self, name)}: expected {least} or more")
        for name, known in (("pivoting", PIVOTING), ("tree", TREES)):
            if getattr(self, name) not in known and (name != "tree" or self.tree is not None):
                raise failure(f"options.{name} = {getattr(self, name)!r}: expected one of {', '.join(known)}")

    def only(self, function: str, *names: str) -> None:
        """Raises Error where an option is given that is not among `names`, which `function` takes."""
        for field in fields(self):
            value = getattr(self, field.name)
            if field.name not in names and value != field.default:
                raise failure(
                    f"options.{field.name} = {value!r}: {function} has no such option; it takes {', '.join(names)}"
                )

    def part(self, *names: str) -> Options:
        """Those of the options that are among `names`, with the others at their defaults."""
        return Options(**{name: getattr(self, name) for name in names})
