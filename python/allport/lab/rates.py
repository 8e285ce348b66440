"""Rates of a lab's links, in bits per second: as text, and those of a machine's axes or a network's cables."""

from __future__ import annotations

import re
from collections.abc import Sequence

from allport.errors import failure
from allport.machine import Machine, axis_letter
from allport.units import short

__all__ = ["axis_rates", "check_bits", "format_bits", "network_rates", "parse_bits"]

DEFAULT_BITS = 40_000_000
LEAST_BITS, MOST_BITS = 8_000, 100_000_000_000
_SCALE = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9}


def parse_bits(text: str, name: str = "rate") -> int:
    """Bits per second of '40mbit', '1gbit', '40 Mbit/s' or '5MB/s'. Raises Error."""
    found = re.fullmatch(r"([0-9]+(?:\.[0-9]*)?)\s*([kmgKMG]?)(bit|bit/s|B/s)", short(text).strip())
    if found is None:
        raise failure(f"{name} = '{short(text)}': expected a rate; write 40mbit, 1gbit or 5MB/s")
    bits = float(found.group(1)) * _SCALE[found.group(2).lower()] * (8 if found.group(3) == "B/s" else 1)
    if not LEAST_BITS <= bits <= MOST_BITS:
        raise failure(f"{name} = '{short(text)}': expected 8kbit to 100gbit")
    return round(bits)


def format_bits(bits: int) -> str:
    """'40mbit', as tc and `parse_bits` read it."""
    for prefix, scale in (("g", 10**9), ("m", 10**6), ("k", 10**3)):
        if bits >= scale:
            return f"{bits / scale:g}{prefix}bit"
    return f"{bits}bit"


def check_bits(bits: Sequence[int]) -> None:
    """Raises Error if a lab has no links of these rates."""
    for value in bits:
        if not LEAST_BITS <= value <= MOST_BITS:
            raise failure(
                f"rate: links of {format_bits(value)} follow from the network's bandwidths; expected 8kbit to 100gbit: "
                "give another rate, such as 40mbit"
            )


def axis_rates(text: str | None, machine: Machine) -> list[int]:
    """Bits/s for each axis: '40mbit' for all, or 'x=40mbit,y=20mbit' for each with links; None: those of the machine
    file.

    Raises Error that names the part that is wrong.
    """
    letters = [axis_letter(a) for a in range(len(machine.axes))]
    if text is None:
        if machine.name.startswith(("torus:", "mesh:")):  # their rates are a guess
            return [DEFAULT_BITS] * len(letters)
        return [max(LEAST_BITS, round(8 * a.bandwidth)) for a in machine.axes]
    if "=" not in text:
        return [parse_bits(text)] * len(letters)
    bits: dict[str, int] = {}
    for part in text.split(","):
        letter, equals, rate = (s.strip() for s in part.partition("="))
        if not equals or letter not in letters or letter in bits:
            raise failure(
                f"rate = '{text}': '{part}': expected AXIS=RATE, each axis of {', '.join(letters)} once; "
                "write x=40mbit,y=20mbit"
            )
        bits[letter] = parse_bits(rate, f"rate of axis {letter}")
    for a, letter in enumerate(letters):
        if letter not in bits and machine.axes[a].length > 1:
            raise failure(f"rate = '{text}': axis {letter} has no rate; add {letter}=40mbit")
    return [bits.get(letter, DEFAULT_BITS) for letter in letters]


def network_rates(text: str | None, bandwidths: Sequence[float], guessed: bool) -> list[int]:
    """Bits/s for each of a network's bandwidths (bytes/s, ascending).

    text: the rate of the slowest, such as '40mbit'; the others are in proportion. None: 40mbit if the bandwidths are a
    preset's guess, else as they are. Raises Error.
    """
    if not bandwidths:  # a node alone
        return [parse_bits(text) if text is not None else DEFAULT_BITS]
    if text is None and not guessed:
        return [max(LEAST_BITS, round(8 * b)) for b in bandwidths]
    slowest = parse_bits(text) if text is not None else DEFAULT_BITS
    return [round(slowest * (b / bandwidths[0])) for b in bandwidths]
