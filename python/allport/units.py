"""Sizes, times and rates as people write them."""

from __future__ import annotations

import re

from allport.errors import Error, failure

_BINARY = {"": 1, "k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40, "p": 2**50}
_DECIMAL = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12, "p": 10**15}


_LONGEST = 100  # characters of a number that a person would write


def short(text: object) -> str:
    """Text that a number is read from; cut where it is too long to be one, so that errors can be read, too."""
    whole = str(text)
    return whole if len(whole) <= _LONGEST else f"{whole[:_LONGEST]}..."


def parse_bytes(text: str | int, name: str = "size") -> int:
    """Bytes of '64KiB', '2 GiB', '1MB', '1e6' or a plain number. KiB, K are 1024; kB, KB are 1000."""
    if isinstance(text, int) and not isinstance(text, bool):
        value = text
    else:
        match = re.fullmatch(r"([0-9]+(?:\.[0-9]*)?(?:[eE]\+?[0-9]+)?)\s*([kKmMgGtTpP]?)(i?[bB]|)", short(text).strip())
        if not match:
            raise Error(f"{name} = '{short(text)}': expected a size; write 4096, 64KiB, 1MiB or 2GB")
        number, prefix, unit = match.groups()
        scale = _DECIMAL if unit in ("b", "B") else _BINARY
        exact = (int(number) if number.isdigit() else float(number)) * scale[prefix.lower()]
        value = int(exact) if exact < 2**63 else 2**63
        if value != exact and exact < 2**63:
            raise Error(f"{name} = '{short(text)}': expected a whole number of bytes")
    if not 0 <= value < 2**63:
        raise Error(f"{name} = '{short(text)}': expected 0 to 2^63 - 1 bytes")
    return value


def parse_memory(memory: int | str | None) -> int:
    """Bytes per rank; 0 leaves it to the machine."""
    limit = 0 if memory is None else parse_bytes(memory, "memory")
    if memory is not None and limit == 0:
        raise failure("memory = 0: expected at least 1 byte per rank")
    return limit


def _three(value: float) -> str:
    if value >= 100:
        return f"{value:.0f}"
    return f"{value:.3g}"


def format_bytes(value: float) -> str:
    """'64 KiB', '1.5 GiB', '12 B'."""
    number = float(value)
    for unit in ("B", "KiB", "MiB", "GiB", "TiB"):
        if abs(number) < 1024:
            return f"{_three(number)} {unit}"
        number /= 1024
    return f"{_three(number)} PiB"


def _decimal(value: float, unit: str) -> str:
    number = float(value)
    for prefix in ("", "k", "M", "G", "T", "P"):
        if abs(number) < 999.5:
            return f"{_three(number)} {prefix}{unit}"
        number /= 1000
    return f"{_three(number)} E{unit}"


def format_rate(value: float) -> str:
    """'375 MB/s'."""
    return _decimal(value, "B/s")


def format_flops(value: float, unit: str = "flop/s") -> str:
    """'13.6 Gflop/s'."""
    return _decimal(value, unit)


def format_count(value: float) -> str:
    """'262,144'."""
    return f"{value:,.0f}"


def format_seconds(value: float) -> str:
    """'12.3 us', '4.56 s', '0 s'."""
    number = float(value)
    if number == 0:
        return "0 s"
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if abs(number) >= scale * 0.9995:
            return f"{_three(number / scale)} {unit}"
    return f"{_three(number / 1e-9)} ns"
