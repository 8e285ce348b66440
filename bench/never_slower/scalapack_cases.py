"""A fixed sample of ScaLAPACK calls with pairwise coverage: it contains every pair of values of two parameters."""

from __future__ import annotations

import itertools
import random
from dataclasses import asdict, dataclass, fields

ROUTINES = ["gemmNN", "gemmTN", "getrf", "getrs", "gesv", "potrfL", "potrfU", "potrs", "posv", "geqrf", "orgqr"]
ROUTINES += ["ormqr", "gels"]
CHOICES = {
    "routine": ROUTINES,
    "type": ["s", "d", "c", "z"],
    "n": [100, 200, 500, 1000, 2000, 4000, 8000],
    "nb": [16, 32, 64, 128, 256],
    "grid": ["1x2", "2x1", "2x2", "1x4"],
    "threads": [1, 2],
}
LARGEST_OTHERS = 4000  # largest n of types other than double
SIZE = 150


@dataclass(frozen=True)
class Case:
    """A call. n: order, or rows. nb: block size. grid: process rows x columns. threads: BLAS threads of each rank."""

    routine: str
    type: str
    n: int
    nb: int
    grid: str
    threads: int

    @property
    def rows(self) -> int:
        return int(self.grid.split("x")[0])

    @property
    def cols(self) -> int:
        return int(self.grid.split("x")[1])

    @property
    def fortran_name(self) -> str:
        """The routine without its type letter and fixed arguments."""
        name = self.routine.rstrip("NTLU")
        return name.replace("or", "un", 1) if self.type in "cz" and name.startswith("or") else name

    def __str__(self) -> str:
        return (
            f"p{self.type}{self.routine:6} n={self.n:4} nb={self.nb:3} {self.grid} {self.threads} "
            f"thread{'s' if self.threads > 1 else ' '}"
        )


def is_case(values: dict) -> bool:
    return values["n"] <= LARGEST_OTHERS or values["type"] == "d"


def pairs_of(case: Case) -> set[tuple]:
    return set(itertools.combinations(asdict(case).items(), 2))


def wanted_pairs() -> set[tuple]:
    """All pairs of values that some case can have."""
    names = [f.name for f in fields(Case)]
    found = set()
    for one, other in itertools.combinations(names, 2):
        for pair in itertools.product(CHOICES[one], CHOICES[other]):
            values = {"n": 100, "type": "d"} | dict(zip((one, other), pair, strict=True))
            if is_case(values):
                found.add(tuple(zip((one, other), pair, strict=True)))
    return found


def sample(size: int = SIZE) -> list[Case]:
    """The cases, the same on every call: each is the one of 200 random cases that covers the most missing pairs."""
    chance = random.Random(46)
    missing = wanted_pairs()
    cases: list[Case] = []
    while len(cases) < size or missing:
        candidates = []
        while len(candidates) < 200:
            values = {name: chance.choice(of) for name, of in CHOICES.items()}
            if missing and len(cases) >= size // 2:
                values.update(dict(chance.choice(sorted(missing))))
            if is_case(values):
                candidates.append(Case(**values))
        best = max(candidates, key=lambda c: len(pairs_of(c) & missing))
        if best in cases:
            continue
        cases.append(best)
        missing -= pairs_of(best)
    return cases
