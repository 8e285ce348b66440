"""The congestion control of a lab's TCP: the first of a list of preferences that the kernel allows in a namespace.

A namespace may choose among what the machine's `net.ipv4.tcp_allowed_congestion_control` lists, and may not change that
list. The lab does not change it either, because it applies to the whole computer.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from allport.errors import failure

__all__ = ["DEFAULT", "PREFERRED", "check", "choose", "read_own", "write_own"]

PREFERRED = ("cubic", "reno")  # then the default of new namespaces
DEFAULT = "default"  # nothing is set: all of TCP has the kernel's defaults
_OWN = Path("/proc/sys/net/ipv4/tcp_congestion_control")  # in the calling thread's namespace
_ALLOWED = Path("/proc/sys/net/ipv4/tcp_allowed_congestion_control")


def read_own() -> str:
    """The congestion control of the calling thread's namespace."""
    return _OWN.read_text().strip()


def write_own(name: str) -> None:
    """Sets it in the calling thread's namespace. PermissionError: not allowed; FileNotFoundError: not available."""
    _OWN.write_text(name)


def allowed() -> list[str]:
    """The algorithms that namespaces may choose; empty if the kernel does not list them."""
    try:
        return _ALLOWED.read_text().split()
    except OSError:
        return []


def check(name: str) -> str:
    """The name itself. Raises Error for invalid names."""
    if not re.fullmatch(r"[a-z0-9_-]{1,15}", name):
        raise failure(f"tcp = '{name}': expected a congestion control such as cubic, reno or bbr, or {DEFAULT}")
    return name


def choose(
    asked: str | None = None,
    read: Callable[[], str] = read_own,
    write: Callable[[str], None] = write_own,
) -> str:
    """Sets the namespace's congestion control and returns its name: `asked`, or the first allowed one of PREFERRED, or
    else the namespace's default.

    Raises Error if `asked` is not allowed.
    """
    for name in (asked,) if asked else PREFERRED:
        try:
            write(name)
        except (PermissionError, FileNotFoundError):
            continue
        return name
    if asked:
        there = allowed()
        raise failure(
            f"tcp = '{asked}': a network namespace may not choose it here; expected one of {', '.join(there)}, or on "
            f"the machine, as root: sysctl -w net.ipv4.tcp_allowed_congestion_control='{' '.join(there)} {asked}'"
        )
    return read()
