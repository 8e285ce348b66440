"""studies/docs/simgrid.md: the numbers put into page.md."""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from pathlib import Path

from cases import EVEN, LATENCY, UNEVEN, Case
from simgrid import HEADER, NETWORK_SETTINGS, ROUTES_UP_TO, SMPI_SETTINGS, version

FREE, CONTENDED = 0.05, 0.15


@dataclass
class Row:
    """One case. comm, kernel: SimGrid's seconds, through module comm on its MPI and straight on its kernel."""

    case: Case
    comm: float | None
    kernel: float
    messages: int
    fair: float
    fair_with_header: float
    fifo: float
    contended: int

    @property
    def limit(self) -> float:
        return CONTENDED if self.contended else FREE

    @property
    def of_comm(self) -> float | None:
        return None if self.comm is None else self.fair_with_header / self.comm - 1

    @property
    def of_kernel(self) -> float:
        return self.fair / self.kernel - 1

    @property
    def difference(self) -> float:
        """The larger of the two."""
        return max((d for d in (self.of_comm, self.of_kernel) if d is not None), key=abs)

    @property
    def passes(self) -> bool:
        return abs(self.difference) <= self.limit

    @property
    def why(self) -> str:
        return "" if self.passes else "not explained"


@dataclass
class Speed:
    """(wall seconds, simulated seconds) of one case in each simulator."""

    case: Case
    messages: int
    comm: tuple[float, float]
    kernel: tuple[float, float]
    ours: dict[str, tuple[float, float]]


def size(n: int) -> str:
    for unit, name in ((1 << 20, "MiB"), (1 << 10, "KiB")):
        if n >= unit and n % unit == 0:
            return f"{n // unit} {name}"
    return f"{n} B"


def percent(x: float | None) -> str:
    return "" if x is None else f"{100 * x:+.2f}"


def us(seconds: float | None) -> str:
    return "-" if seconds is None else f"{seconds * 1e6:.2f}"


def _row(r: Row) -> str:
    c = r.case
    cells = [
        c.place,
        c.collective,
        c.algorithm,
        size(c.nbytes),
        size(c.segment),
        c.window,
        c.root,
        r.messages,
        r.contended,
    ]
    cells += [us(r.comm), percent(r.of_comm), us(r.kernel), percent(r.of_kernel), percent(r.fifo / r.kernel - 1)]
    cells.append("" if r.passes else f"outlier: {r.why}")
    return "| " + " | ".join(str(c) for c in cells) + " |"


def _summary(rows: list[Row]) -> str:
    lines = []
    for name, part in (
        ("no link shared", [r for r in rows if not r.contended]),
        ("links shared", [r for r in rows if r.contended]),
    ):
        comm = [abs(r.of_comm) for r in part if r.of_comm is not None]
        kernel = [abs(r.of_kernel) for r in part]
        lines.append(
            f"| {name} | {len(part)} | {max(comm):.3%} | {max(kernel):.3%} | {statistics.median(kernel):.4%} |"
        )
    return "\n".join(lines)


def _speed(s: Speed) -> str:
    rows = [("SimGrid, comm", s.comm), ("SimGrid, kernel", s.kernel), *((f"ours, {n}", v) for n, v in s.ours.items())]
    return "\n".join(
        f"| {size(s.case.nbytes)} | {s.case.window} | {s.messages} | {name} | {wall:.4f} | {simulated * 1e3:.4f} | "
        f"{s.comm[0] / wall:.3g} | {s.kernel[0] / wall:.3g} |"
        for name, (wall, simulated) in rows
    )


def write_page(path: Path, rows: list[Row], speeds: list[Speed]) -> None:
    passed = sum(r.passes for r in rows)
    path.write_text(
        (Path(__file__).parent / "page.md")
        .read_text()
        .format(
            version=version(),
            header=HEADER,
            count=len(rows),
            passed=passed,
            failed=len(rows) - passed,
            free=FREE,
            contended=CONTENDED,
            bandwidth=EVEN["x"],
            latency=LATENCY,
            slow=UNEVEN["y"],
            routes=ROUTES_UP_TO,
            summary=_summary(rows),
            speed="\n".join(_speed(s) for s in speeds),
            speed_machine=speeds[0].case.machine,
            speed_algorithm=speeds[0].case.algorithm,
            speed_segment=size(speeds[0].case.segment),
            settings="\n".join(f"| `{s}` | {why} |" for s, why in {**NETWORK_SETTINGS, **SMPI_SETTINGS}.items()),
            table="\n".join(_row(r) for r in rows),
        )
    )
