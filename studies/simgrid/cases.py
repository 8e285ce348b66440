"""The schedules that are compared with SimGrid: machines, algorithms, sizes."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import allport as ap

KIB, MIB = 1 << 10, 1 << 20
# Every link the same, no overhead: what is compared is the network. Uneven: as on Gemini, one axis is half as fast.
EVEN = {"x": "400 MB/s", "y": "400 MB/s", "z": "400 MB/s"}
UNEVEN = {"x": "400 MB/s", "y": "200 MB/s", "z": "400 MB/s"}
LATENCY = "1 us"
# Segment of a message: small ones in few pieces, large ones in many.
SEGMENT = {KIB: 256, 64 * KIB: 8 * KIB, MIB: 64 * KIB, 16 * MIB: 256 * KIB}
SUMS = ("reduce", "reduce_scatter", "allreduce")
BLOCKS = ("scatter", "gather", "allgather", "reduce_scatter", "alltoall")
MAIN = ("rectangular", "binomial", "mst2", "bucket", "rotated", "axes", "pairs", "line")


@dataclass(frozen=True)
class Case:
    """One schedule on one machine. nbytes: of the message, or of one rank's block."""

    machine: str
    collective: str
    algorithm: str
    nbytes: int
    segment: int
    window: int
    root: int
    uneven: bool = False

    @property
    def text(self) -> str:
        """As the programs of this folder read it."""
        return f"{self.collective},{self.algorithm},{self.nbytes},{self.segment},{self.window},{self.root}"

    @property
    def place(self) -> str:
        """The machine as the table names it."""
        return self.machine + (" (y slow)" if self.uneven else "")

    def schedule(self, machine: ap.Machine) -> ap.Schedule:
        return ap.make_schedule(
            self.collective,
            machine,
            algorithm=self.algorithm,
            root=self.root,
            bytes=self.nbytes,
            element=8 if self.collective in SUMS else 1,
            segment=self.segment,
            window=self.window,
        )


# Also the cases of which wall times are compared.
LARGE = [
    Case("torus:8x8x8", "bcast", "rectangular", total, 64 * KIB, window, 0)
    for total in (MIB, 16 * MIB)
    for window in (1, 2)
]


def axes_of(spec: str) -> list[tuple[int, bool]]:
    """Length and wrap of each axis of torus:..., mesh:..."""
    kind, lengths = spec.split(":")
    return [(int(re.sub(r"\D", "", part)), kind == "torus" and not part.endswith("m")) for part in lengths.split("x")]


def machine_text(spec: str, uneven: bool = False) -> str:
    """The machine file: SimGrid's programs and ours read the same one."""
    rates = UNEVEN if uneven else EVEN
    rows = [
        f'  {{ length = {length}, wraps = {str(wraps).lower()}, bandwidth = "{rates[a]}", latency = "{LATENCY}" }},'
        for a, (length, wraps) in zip("xyz", axes_of(spec), strict=False)
    ]
    return "\n".join([f'name = "{spec}"', "axes = [", *rows, "]", ""])


def machine_file(folder: Path, case: Case) -> Path:
    path = folder / f"{case.machine.replace(':', '-')}{'-uneven' if case.uneven else ''}.toml"
    path.write_text(machine_text(case.machine, case.uneven))
    return path


def has_twin_cables(spec: str) -> bool:
    """A wrapped axis of length 2 has two cables between its nodes. MPI messages name no cable, so `comm` on SimGrid
    has one of them; our runner on its kernel has both."""
    return (2, True) in axes_of(spec)


def _case(spec: str, what: str, name: str, total: int, turn: int, **more: object) -> Case:
    machine = ap.Machine.parse(spec)
    unit = 8 if what in SUMS else 1
    block = max(total // machine.ranks // unit, 1) * unit if what in BLOCKS else total
    segment = max(min(SEGMENT[total], block) // unit, 1) * unit
    rooted = what in ("bcast", "reduce", "scatter", "gather")
    root = (0, machine.ranks // 3)[turn % 2] if rooted else 0
    return Case(spec, what, name, block, segment, (2, 2, 1, 4)[turn % 4], root, **more)  # type: ignore[arg-type]


def _serves(case: Case) -> bool:
    try:
        case.schedule(ap.Machine.parse(case.machine))
    except ap.Error:
        return False
    return True


def all_cases() -> list[Case]:
    """Every registered algorithm on four shapes, the main ones on more, all sizes in turn."""
    sizes = (KIB, 64 * KIB, MIB)
    cases: list[Case] = []
    registered = [(a["collective"], a["name"]) for a in ap.collectives.algorithms() if a["collective"] != "barrier"]
    main = [(what, name) for what, name in registered if name in MAIN]
    plan = [(spec, registered, {}) for spec in ("torus:4x4", "torus:4x4x4", "mesh:4x4", "torus:3x5")]
    plan += [(spec, main, {}) for spec in ("torus:8", "torus:8x8", "torus:2mx4", "torus:2x4")]
    plan += [("torus:4x4", main, {"uneven": True})]
    for shape, (spec, algorithms, more) in enumerate(plan):
        for i, (what, name) in enumerate(algorithms):
            cases.append(_case(spec, what, name, sizes[(shape + i) % 3], i, **more))
    for spec in ("torus:4x4", "torus:4x4x4", "mesh:4x4"):
        for turn, total in enumerate((KIB, 64 * KIB, MIB, 16 * MIB)):
            cases += [_case(spec, "bcast", name, total, turn) for name in ("rectangular", "binomial")]
            cases.append(_case(spec, "allreduce", "rectangular", total, turn))
    cases += LARGE
    cases += [Case("torus:8x8x8", "bcast", name, MIB, 64 * KIB, 2, 0) for name in ("binomial", "mst2")]
    return [c for c in dict.fromkeys(cases) if _serves(c)]
