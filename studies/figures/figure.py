"""What a figure of the report is: one file with one `FIGURE`, whose function returns what to draw and what to say."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from studies.figures.lab_runs import LabRun

__all__ = [
    "CLOSE", "FAR", "Bars", "Chart", "Figure", "Number", "Picture", "Result", "Run", "Series", "Table", "agrees",
    "near",
]  # fmt: skip

METHODS = ("model", "simulation", "lab", "real run", "exact")
# What words of a source are taken for: close, similar, flat, fits: within 10 %; far below: at most half. In no source.
CLOSE, FAR = 0.1, 0.5
HOW = ("run", "simulated", "model", "counted", "copied")


@dataclass(frozen=True)
class Series:
    """A curve or a set of bars. x: numbers, or None for the places of Bars; y: one per x, None where there is none."""

    label: str
    x: Sequence[float] | None
    y: Sequence[float | None]
    origin: str = "model"
    """'model' (line), 'simulation', 'lab', 'real run' (line with points), 'limit' (dashed, grey)."""
    pair: bool = False
    """Of the same colour as the series before."""
    band: tuple[Sequence[float], Sequence[float]] | None = None
    """Least and largest y while constants that are in no source vary (studies.figures.varied)."""


@dataclass(frozen=True)
class Chart:
    """Curves over one x axis; log2 or log10 axes where told."""

    x: str
    y: str
    series: Sequence[Series]
    title: str = ""
    log_x: bool = True
    log_y: bool = False
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Bars:
    """Groups of bars, one group per place; stacked: the series of a place stand on each other."""

    places: Sequence[str]
    y: str
    series: Sequence[Series]
    title: str = ""
    stacked: bool = False


@dataclass(frozen=True)
class Table:
    """Rows of text or numbers."""

    columns: Sequence[str]
    rows: Sequence[Sequence[object]]
    title: str = ""


@dataclass(frozen=True)
class Picture:
    """A drawing that writes itself: draw(path) makes FILE.svg or FILE.png. `data` goes into the CSV."""

    draw: Callable[[str], object]
    data: Table


def agrees(*checks: bool) -> str:
    """'yes', 'in part' or 'no': how many of the checks of a source's statement are met."""
    return "yes" if all(checks) else "in part" if any(checks) else "no"


def near(published: float, *ours: float) -> str:
    """agrees() for a number: each of ours is close to it. Ours on both sides of it agree in part."""
    found = agrees(*(abs(value / published - 1) <= CLOSE for value in ours))
    return "in part" if found == "no" and min(ours) < published < max(ours) else found


@dataclass(frozen=True)
class Number:
    """One value of a source beside ours: a row of studies/docs/talks.md."""

    what: str
    published: str
    ours: str
    how: str = ""
    """Of HOW, separated by commas."""
    holds: str = ""
    """Whether ours is what the source says: agrees() or near() of the data; 'put in': it was given; '': it has none."""
    why: str = ""
    """Why they differ, in at most 15 words."""
    pages: Sequence[int] = ()
    """Where it stands in the talk, if elsewhere than the figure."""


@dataclass
class Result:
    """What a figure's function returns. At least one panel, or a reason in `not_run` why there is none."""

    panels: Sequence[Chart | Bars | Table | Picture]
    got: str
    """We get: in one or two sentences, with numbers."""
    obtained: str
    """How obtained: which model, simulation or run, of what, with which constants."""
    why: str
    """Why the source and we differ, or that they do not."""
    numbers: Sequence[Number] = ()
    not_run: Sequence[str] = ()
    """Parts that need what is missing here, each 'not run here: ...'."""


@dataclass
class Run:
    """How a figure is asked for. quick: small shapes only, seconds in all. step(fraction): tells how far it is."""

    quick: bool = False
    step: Callable[[float], None] = field(default=lambda fraction: None)
    lab: LabRun | None = None
    """The figure's real run: the kept one, or a new one where that was asked for."""


@dataclass(frozen=True)
class Figure:
    """A published figure or table. id: 'solomonik11-slide22'; also: other ids that mean the same file."""

    id: str
    title: str
    claim: str
    """What the source says."""
    how: Sequence[str]
    """Some of METHODS."""
    make: Callable[[Run], Result]
    also: Sequence[str] = ()
    run_name: str = ""
    """Of the kept run in figures/runs, which several figures may share."""
    measure: Callable[[Run], LabRun] | None = None
    """Makes that run anew."""
    pages: Sequence[int] = ()
    """Where it stands in a talk whose figures have no numbers in their ids."""
    ours: Sequence[str] = ()
    """Constants in no source that its values depend on, by their names in talks.constants(), or a module's or machine
    file's for all of it."""
    varied: Sequence[str] = ()
    """Those of them for which it shows what other values do."""
