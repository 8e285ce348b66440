"""The congestion control of a lab's TCP: the best of an order of preference that the kernel lets a namespace have.

A namespace may choose among what the machine's `net.ipv4.tcp_allowed_congestion_control` lists, and may not change that
list; the lab leaves it alone, for it is the whole machine's.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from allport.errors import failure

__all__ = ["DEFAULT", "PREFERRED", "check", "choose", "read_own", "write_own"]

PREFERRED = ("cubic", "reno")  # then whatever a new namespace has
DEFAULT = "default"  # nothing is set: all of TCP is as the kernel has it, as on a machine that nobody tuned
_OWN = Path("/proc/sys/net/ipv4/tcp_congestion_control")  # of the calling thread's namespace
_ALLOWED = Path("/proc/sys/net/ipv4/tcp_allowed_congestion_control")


def read_own() -> str:
    """What the calling thread's namespace uses."""
    return _OWN.read_text().strip()


def write_own(name: str) -> None:
    """Makes the calling thread's namespace use it. PermissionError: not allowed; FileNotFoundError: not there."""
    _OWN.write_text(name)


def allowed() -> list[str]:
    """What namespaces may choose; empty where the kernel does not tell."""
    try:
        return _ALLOWED.read_text().split()
    except OSError:
        return []


def check(name: str) -> str:
    """The name itself. Raises Error for what no algorithm is called."""
    if not re.fullmatch(r"[a-z0-9_-]{1,15}", name):
        raise failure(f"tcp = '{name}': expected a congestion control such as cubic, reno or bbr, or {DEFAULT}")
    return name


def choose(
    asked: str | None = None,
    read: Callable[[], str] = read_own,
    write: Callable[[str], None] = write_own,
) -> str:
    """Sets the namespace's congestion control and returns its name: `asked`, or the first of PREFERRED that is allowed,
    or else the namespace's own.

    Raises Error when the one that was asked for is not allowed.
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
