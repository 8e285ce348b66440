"""What a figure of the report is: one file with one `FIGURE`, whose function returns what to draw and what to say."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from studies.figures.lab_runs import LabRun

__all__ = ["Bars", "Chart", "Figure", "Number", "Picture", "Result", "Run", "Series", "Table"]

WAYS = ("model", "simulation", "lab", "real run", "exact")


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


@dataclass(frozen=True)
class Number:
    """One headline value, as published and as we get it."""

    what: str
    published: str
    ours: str


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
    """Of WAYS."""
    make: Callable[[Run], Result]
    also: Sequence[str] = ()
    run_name: str = ""
    """Of the kept run in figures/runs, which several figures may share."""
    measure: Callable[[Run], LabRun] | None = None
    """Makes that run anew."""
