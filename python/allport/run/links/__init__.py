"""Measures the rates of a machine's links, by axis and direction: alone and all at once, in one and both directions.

    figures = ap.run.links.run("torus:4x4")              # starts 16 ranks here
    figures = ap.run.links.simulated("gemini:8x8x8")     # on the simulator
    for drift in ap.run.links.compare(stored, figures):  # what has changed since a machine file was written
        print(drift.text)

Each figure is measured with simultaneous messages, a `Pattern`: MPI, the simulator and SimGrid run the same schedules.

`python -m allport.run.links JSON` is one of the ranks.
"""

from __future__ import annotations

from allport.run.links.cases import Case, cases
from allport.run.links.drift import TOLERANCE, Drift, compare, stored
from allport.run.links.figures import Figure, Point, interval, keep
from allport.run.links.measure import join, measure, measured_by, run, simulated, transport_name

__all__ = [
    "TOLERANCE",
    "Case",
    "Drift",
    "Figure",
    "Point",
    "cases",
    "compare",
    "interval",
    "join",
    "keep",
    "measure",
    "measured_by",
    "run",
    "simulated",
    "stored",
    "transport_name",
]
