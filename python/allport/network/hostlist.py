"""Parses Slurm's host lists: 'tux[0-3,12]', 'rack[1-2]n[01-16]', and boxes of a torus, 'tux[000x133]'."""

from __future__ import annotations

import itertools
import math
import re

from allport.errors import failure

__all__ = ["coordinates", "expand", "has_boxes"]

DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
MOST = 1 << 20  # hosts of a list


def _ensure_few(count: int, text: str) -> None:
    if count > MOST:
        raise failure(f"hosts = '{text[:80]}': expected at most {MOST:,} hosts, got {count:,}")


def _parts(text: str) -> list[str]:
    """Splits a list at the commas outside brackets."""
    parts, depth, begin = [], 0, 0
    for at, letter in enumerate(text):
        depth += (letter == "[") - (letter == "]")
        if depth < 0 or depth > 1:
            raise failure(f"hosts = '{text}': expected brackets that close, one inside none, as n[1-4]")
        if letter == "," and depth == 0:
            parts.append(text[begin:at])
            begin = at + 1
    if depth:
        raise failure(f"hosts = '{text}': expected brackets that close, as n[1-4]")
    return [part.strip() for part in [*parts, text[begin:]] if part.strip()]


def _box(first: str, last: str, text: str) -> list[str]:
    low, high = ([DIGITS.find(d) for d in end.upper()] for end in (first, last))
    if len(low) != len(high) or min(low + high) < 0 or any(a > b for a, b in zip(low, high, strict=True)):
        raise failure(
            f"hosts = '{text}': expected a box of two corners, digits 0-9A-Z and the lower one first, as 000x133"
        )
    ranges = [range(a, b + 1) for a, b in zip(low, high, strict=True)]
    _ensure_few(math.prod(map(len, ranges)), text)
    return ["".join(DIGITS[d] for d in place) for place in itertools.product(*ranges)]


def _numbers(inside: str, text: str) -> list[str]:
    """The numbers in '01-03,7' or '000x133'."""
    found: list[str] = []
    for part in inside.split(","):
        if corners := re.fullmatch(r"([0-9A-Za-z]+)x([0-9A-Za-z]+)", part.strip()):
            found += _box(corners[1], corners[2], text)
            continue
        ends = re.fullmatch(r"(\d{1,18})(?:-(\d{1,18}))?", part.strip())
        if ends is None or (ends[2] and int(ends[2]) < int(ends[1])):
            raise failure(f"hosts = '{text}': expected numbers in brackets, as [0-3,12], got [{inside}]")
        _ensure_few(len(found) + int(ends[2] or ends[1]) - int(ends[1]) + 1, text)
        found += [str(n).zfill(len(ends[1])) for n in range(int(ends[1]), int(ends[2] or ends[1]) + 1)]
    return found


def expand(text: str) -> list[str]:
    """The hosts of a list, in order. Raises Error naming the part that cannot be read."""
    hosts: list[str] = []
    for part in _parts(text):
        pieces = re.split(r"\[([^\]]*)\]", part)  # names and what stands in brackets, in turn
        choices = [[p] if i % 2 == 0 else _numbers(p, text) for i, p in enumerate(pieces)]
        _ensure_few(len(hosts) + math.prod(map(len, choices)), text)
        hosts += ["".join(name) for name in itertools.product(*choices)]
    return hosts


def has_boxes(text: str) -> bool:
    """Whether a list contains boxes of a torus: then the last digits of all host names are coordinates. Plain numbers
    such as n[001-128] need not be coordinates."""
    return re.search(r"\[[^\]]*[0-9A-Za-z]x[0-9A-Za-z]", text) is not None


def coordinates(host: str, axes: int = 3) -> tuple[int, ...] | None:
    """The coordinates in a host name's last digits, base 36, as Slurm's 3d_torus reads them; None if there are none."""
    tail = host[-axes:].upper()
    if len(host) <= axes or any(d not in DIGITS for d in tail):
        return None
    return tuple(DIGITS.index(d) for d in tail)
