"""The levels within this computer: sockets, NUMA domains, cores, memory; from hwloc's lstopo, else from Linux's
/sys."""

from __future__ import annotations

import shutil
import subprocess
import xml.etree.ElementTree as xml

from allport.discover.shape import Evidence, Level
from allport.doctor import processors

__all__ = ["from_xml", "read"]

COMMANDS = ("lstopo-no-graphics", "lstopo")


def _even(total: int, parts: int) -> bool:
    return parts > 0 and total % parts == 0


def from_xml(text: str) -> tuple[list[Level], int]:
    """Levels within a host, outermost first, and bytes of memory, from hwloc's XML. Raises ValueError for other
    text."""
    try:
        top = xml.fromstring(text)
    except xml.ParseError as error:
        raise ValueError(f"no XML: {error}") from None
    objects = list(top.iter("object"))
    sockets, domains, cores, units = (
        sum(1 for o in objects if o.get("type") == kind) for kind in ("Package", "NUMANode", "Core", "PU")
    )
    cores = cores or units
    if cores == 0:
        raise ValueError("neither cores nor processing units")
    memory = sum(int(o.get("local_memory", "0")) for o in objects if o.get("type") == "NUMANode")
    levels: list[Level] = []
    above = 1
    for name, count in (("socket", sockets), ("numa", domains)):
        # Parts of a machine's level are equal; if they are not here, the cores are one level.
        if count > above and _even(count, above) and _even(cores, count):
            levels.append(Level(name, count // above))
            above = count
    return [*levels, Level("core", cores // above)], memory


def _by_sys() -> tuple[list[Level], int]:
    found = processors.read()
    domains, cores = len(found.domains), len(found.cores)
    split = domains > 1 and _even(cores, domains)
    return ([Level("numa", domains)] if split else []) + [Level("core", cores // domains if split else cores)], 0


def read() -> tuple[list[Level], int, list[Evidence]]:
    """Levels of this computer, bytes of memory (0: unknown), and the evidence."""
    source = "Linux's /sys"
    levels, memory = _by_sys()
    for command in filter(None, map(shutil.which, COMMANDS)):
        try:
            made = subprocess.run(
                [command, "--of", "xml", "--no-io"], capture_output=True, text=True, timeout=30, check=True
            )
            levels, memory = from_xml(made.stdout)
            source = "hwloc (lstopo)"
            break
        except (OSError, ValueError, subprocess.SubprocessError):
            continue
    words = " x ".join(f"{level.count} {level.name}" for level in levels)
    return levels, memory, [Evidence("within a host", f"{words}, as on this one", source, "seen")]
