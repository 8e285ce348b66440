"""The processors that this process may use: cpuset, cores, hardware threads, NUMA domains, CPU quota."""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass
from pathlib import Path

from allport.doctor.finding import Finding

__all__ = ["Processors", "examine", "numbers", "read"]


@dataclass(frozen=True)
class Processors:
    """Hardware threads, by Linux's numbers."""

    online: frozenset[int]
    usable: frozenset[int]  # the cpuset
    cores: tuple[frozenset[int], ...]  # hardware threads of each core
    domains: tuple[frozenset[int], ...]  # of each NUMA domain
    quota: float | None  # CPU time that the control group allows, in cores

    def usable_cores(self) -> int:
        """Number of cores with a usable thread; limited by the quota, at least 1."""
        whole = sum(1 for core in self.cores if core & self.usable) or len(self.usable)
        return max(1, whole if self.quota is None else min(whole, int(self.quota)))


def numbers(text: str) -> frozenset[int]:
    """The numbers in a list such as '0-3,8'."""
    found: set[int] = set()
    for part in text.strip().split(","):
        first, _, last = part.partition("-")
        if first.isdigit():
            found.update(range(int(first), int(last or first) + 1))
    return frozenset(found)


def _spans(found: frozenset[int]) -> str:
    """The inverse of numbers()."""
    parts: list[list[int]] = []
    for number in sorted(found):
        if parts and parts[-1][1] == number - 1:
            parts[-1][1] = number
        else:
            parts.append([number, number])
    return ",".join(str(a) if a == b else f"{a}-{b}" for a, b in parts)


def _text(path: Path) -> str:
    with contextlib.suppress(OSError):
        return path.read_text()
    return ""


def _quota(root: Path) -> float | None:
    """The smallest quota of this process's control group and its ancestors."""
    least: float | None = None
    for line in _text(root / "proc/self/cgroup").splitlines():
        _, controllers, name = line.split(":", 2)
        group = root / "sys/fs/cgroup" / ("cpu" if "cpu" in controllers.split(",") else "") / name.lstrip("/")
        if controllers and "cpu" not in controllers.split(","):
            continue
        for folder in (group, *group.parents):
            words = _text(folder / "cpu.max").split() or [
                _text(folder / f"cpu.cfs_{what}_us").strip() for what in ("quota", "period")
            ]
            if len(words) == 2 and words[0].isdigit() and words[1].isdigit() and int(words[1]) > 0:
                cores = int(words[0]) / int(words[1])
                least = cores if least is None else min(least, cores)
            if folder == root / "sys/fs/cgroup":
                break
    return least


def read(root: Path = Path("/"), usable: frozenset[int] | None = None) -> Processors:
    """Reads /sys and /proc below `root`. usable: the cpuset; None: that of this process."""
    if usable is None:
        usable = frozenset(os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else range(os.cpu_count() or 1))
    cpu = root / "sys/devices/system/cpu"
    online = numbers(_text(cpu / "online")) or usable
    cores = {numbers(_text(cpu / f"cpu{n}/topology/thread_siblings_list")) or frozenset({n}) for n in online}
    nodes = (root / "sys/devices/system/node").glob("node[0-9]*/cpulist")
    domains = [numbers(_text(path)) for path in sorted(nodes)]
    return Processors(online, usable, tuple(sorted(cores, key=min)), tuple(d for d in domains if d), _quota(root))


def _plural(count: int, what: str) -> str:
    return f"{count} {what}{'s' * (count != 1)}"


def examine(processors: Processors) -> list[Finding]:
    """Examines the cpuset, the quota, SMT and NUMA."""
    p = processors
    found: list[Finding] = []
    ours, all_of_them = len(p.usable & p.online), len(p.online)
    if ours < all_of_them:
        found.append(
            Finding(
                "cpuset",
                "note",
                f"{ours} of {all_of_them} processors may be used: {_spans(p.usable)}",
                "ask the batch system for more (Slurm: --cpus-per-task), or start with taskset -c " + _spans(p.online),
            )
        )
    else:
        found.append(Finding("cpuset", "good", f"all of {_plural(all_of_them, 'processor')}"))
    if p.quota is not None and p.quota < ours:
        found.append(
            Finding(
                "cpu quota",
                "wrong",
                f"the control group pays for {p.quota:g} of {_plural(ours, 'processor')}; more busy threads are "
                "stopped many times a second, all ranks with them",
                f"no more than {max(1, int(p.quota))} busy threads, or a container without --cpus",
            )
        )
    shared = [core for core in p.cores if len(core & p.usable) > 1]
    whole = sum(1 for core in p.cores if core & p.usable)
    if shared:
        found.append(
            Finding(
                "cores",
                "note",
                f"{_plural(whole, 'core')}, {len(shared)} of them with several hardware threads (SMT), which share its "
                "units",
                "one rank or thread a core: mpiexec --bind-to core, OMP_PLACES=cores; dense kernels gain nothing from "
                "more",
            )
        )
    else:
        found.append(Finding("cores", "good", f"{_plural(whole, 'core')}, one hardware thread each"))
    domains = sum(1 for domain in p.domains if domain & p.usable)
    if domains > 1:
        found.append(
            Finding(
                "NUMA",
                "note",
                f"usable processors lie in {domains} NUMA domains",
                f"at least one rank a domain (mpiexec -n {domains} --map-by numa --bind-to numa), or threads read "
                "memory that lies far away",
            )
        )
    else:
        found.append(Finding("NUMA", "good", "one domain"))
    return found
