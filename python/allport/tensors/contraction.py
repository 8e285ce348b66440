"""What a contraction of two tensors is: einsum's and tensordot's notation, read as numpy reads it."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from allport.errors import failure
from allport.units import short

__all__ = ["Contraction", "of_einsum", "of_tensordot"]

Labels = tuple[str, ...]
Shape = tuple[int, ...]


@dataclass(frozen=True)
class Contraction:
    """Two tensors' axes, and the result's, by label. Equal labels are one index; what the result lacks is summed over.

    text: as the caller wrote it, for messages. An axis of extent 1 goes with any extent of its label, as in numpy.
    """

    text: str
    a: Labels
    b: Labels
    out: Labels
    shape_a: Shape
    shape_b: Shape

    @property
    def extents(self) -> dict[str, int]:
        """Of every label."""
        found: dict[str, int] = {}
        for label, n in zip(self.a + self.b, self.shape_a + self.shape_b, strict=True):
            if found.get(label, 1) == 1:
                found[label] = n
        return found

    @property
    def shape(self) -> Shape:
        """Of the result."""
        extents = self.extents
        return tuple(extents[label] for label in self.out)

    def stretched(self, labels: Labels, shape: Shape) -> list[bool]:
        """For each axis of an operand whether it has extent 1 where its label has another."""
        extents = self.extents
        return [n == 1 and extents[label] != 1 for label, n in zip(labels, shape, strict=True)]

    def kept(self, of_a: bool) -> Labels:
        """Labels that an operand comes to the product with: diagonals are taken, axes that are stretched left out, and
        what is in neither the result nor the other operand is summed over."""
        mine, shape = (self.a, self.shape_a) if of_a else (self.b, self.shape_b)
        theirs, other = (self.b, self.shape_b) if of_a else (self.a, self.shape_a)
        there = _unstretched(self, theirs, other)
        return tuple(x for x in _unstretched(self, mine, shape) if x in self.out or x in there)


def _unstretched(contraction: Contraction, labels: Labels, shape: Shape) -> Labels:
    """The operand's labels, each once, without those of which it has extent 1 only where there are more indices."""
    flags = contraction.stretched(labels, shape)
    return tuple(dict.fromkeys(x for x, stretched in zip(labels, flags, strict=True) if not stretched))


def _checked(contraction: Contraction) -> Contraction:
    """Raises Error where two axes of one label have extents that do not go together."""
    extents = contraction.extents
    for name, labels, shape in (("a", contraction.a, contraction.shape_a), ("b", contraction.b, contraction.shape_b)):
        own = dict(zip(labels, shape, strict=True))
        for axis, (label, n) in enumerate(zip(labels, shape, strict=True)):
            if n not in (1, extents[label]) or n != own[label]:
                wanted = extents[label] if n == own[label] else own[label]
                raise failure(
                    f"{name}: axis {axis}, index '{label}' of '{contraction.text}', has extent {n}; "
                    f"expected {wanted}, as another axis of that index"
                )
    return contraction


def _term(text: str, name: str, order: int, whole: str) -> tuple[Labels, Labels, Labels]:
    """(before, broadcast, after) labels of one operand; broadcast axes are counted from the last."""
    before, dots, after = text.partition("...")
    letters = before + after
    wrong = next((c for c in letters if not (c.isascii() and c.isalpha())), None)
    if wrong is not None:
        raise failure(
            f"subscripts = '{short(whole)}': '{wrong}' in the subscripts of {name}: "
            "expected letters, and '...' at most once"
        )
    free = order - len(letters)
    if free < 0 or (free and not dots):
        many = "more" if free < 0 else "fewer"
        remedy = "" if free < 0 else "; write '...' for the others"
        raise failure(
            f"subscripts = '{short(whole)}': {many} subscripts for {name} than its {order} axes, "
            f"{len(letters)}: expected one for each{remedy}"
        )
    return tuple(before), tuple(f"...{k}" for k in range(free, 0, -1)), tuple(after)


def of_einsum(subscripts: Any, shape_a: Sequence[int], shape_b: Sequence[int]) -> Contraction:
    """numpy.einsum's subscripts of two operands: letters, '->' or not, '...' for axes that are broadcast.

    Raises Error.
    """
    if not isinstance(subscripts, str):
        raise failure(
            f"subscripts: expected a text like 'ijab,abkl->ijkl', got {type(subscripts).__name__}; "
            "write lists of axes as letters"
        )
    whole = subscripts.replace(" ", "")
    given, arrow, wanted = whole.partition("->")
    terms = given.split(",")
    if len(terms) != 2:
        raise failure(
            f"subscripts = '{short(subscripts)}': has {len(terms)} operand{'s' if len(terms) != 1 else ''}; "
            "expected two, like 'ijab,abkl->ijkl'; contract more of them two at a time"
        )
    parsed = [
        _term(term, name, len(shape), subscripts)
        for term, name, shape in zip(terms, ("a", "b"), (shape_a, shape_b), strict=True)
    ]
    a, b = (before + dots + after for before, dots, after in parsed)
    broadcast = max((dots for _, dots, _ in parsed), key=len)
    letters = [c for before, _, after in parsed for c in before + after]
    if not arrow:
        out = broadcast + tuple(sorted(c for c in set(letters) if letters.count(c) == 1))
    else:
        out = _output(wanted, letters, broadcast, subscripts)
    shapes = tuple(int(n) for n in shape_a), tuple(int(n) for n in shape_b)
    return _checked(Contraction(subscripts, a, b, out, *shapes))


def _output(wanted: str, letters: list[str], broadcast: Labels, whole: str) -> Labels:
    before, dots, after = wanted.partition("...")
    for c in before + after:
        if not (c.isascii() and c.isalpha()):
            raise failure(
                f"subscripts = '{short(whole)}': '{c}' in the result: expected letters, and '...' at most once"
            )
        if c not in letters:
            raise failure(f"subscripts = '{short(whole)}': the result has '{c}', which no operand has")
        if (before + after).count(c) > 1:
            raise failure(f"subscripts = '{short(whole)}': the result has '{c}' twice; expected each index once")
    if broadcast and not dots:
        raise failure(
            f"subscripts = '{short(whole)}': axes that '...' stands for are missing in the result; "
            "write '...' there, too"
        )
    return tuple(before) + (broadcast if dots else ()) + tuple(after)


def _axis_list(axes: Any, name: str) -> list[int]:
    try:
        return [operator.index(axes)] if hasattr(axes, "__index__") else [operator.index(x) for x in axes]
    except TypeError:
        raise failure(f"axes = {short(axes)}: expected integers for {name}") from None


def of_tensordot(axes: Any, shape_a: Sequence[int], shape_b: Sequence[int]) -> Contraction:
    """numpy.tensordot's axes: N, for the last N of a with the first N of b, or a pair of axes or of lists of axes.

    Raises Error.
    """
    shapes = tuple(int(n) for n in shape_a), tuple(int(n) for n in shape_b)
    orders = tuple(len(s) for s in shapes)
    if hasattr(axes, "__index__"):
        count = operator.index(axes)
        if not 0 <= count <= min(orders):
            raise failure(f"axes = {count}: expected 0 to {min(orders)}, the axes of the tensor that has fewer")
        pair = list(range(orders[0] - count, orders[0])), list(range(count))
    else:
        if not isinstance(axes, (list, tuple, np.ndarray)) or len(axes) != 2:
            raise failure(f"axes = {short(axes)}: expected a number, or a pair: axes of a, axes of b")
        pair = _axis_list(axes[0], "a"), _axis_list(axes[1], "b")
    if len(pair[0]) != len(pair[1]):
        raise failure(f"axes = {short(axes)}: has {len(pair[0])} axes of a and {len(pair[1])} of b; expected as many")
    for name, some, order in zip(("a", "b"), pair, orders, strict=True):
        for k, axis in enumerate(some):
            if not -order <= axis < order:
                raise failure(f"axes = {short(axes)}: axis {axis} of {name}: expected -{order} to {order - 1}")
            some[k] = axis % order
        if len(set(some)) != len(some):
            raise failure(f"axes = {short(axes)}: names an axis of {name} twice; expected each once")
    a, b = [f"a{k}" for k in range(orders[0])], [f"b{k}" for k in range(orders[1])]
    for mine, theirs in zip(*pair, strict=True):
        if shapes[0][mine] != shapes[1][theirs]:
            raise failure(
                f"axes = {short(axes)}: axis {mine} of a has extent {shapes[0][mine]} and axis {theirs} of b "
                f"{shapes[1][theirs]}: expected equal ones"
            )
        b[theirs] = a[mine]
    out = [x for x in a if x not in b] + [x for x in b if x not in a]
    return Contraction(f"tensordot, axes={short(axes)}", tuple(a), tuple(b), tuple(out), *shapes)
