"""Pena13 on real links: the figures of `allport machine calibrate` in a lab whose x links are twice as fast as y's."""

from __future__ import annotations

import json
import os
import sys

from allport import lab as labs
from allport.bench.places import Place
from allport.errors import Error
from allport.lab.files import TCP_SHARE
from allport.machine import Machine
from allport.run.links import Figure

from studies.figures.figure import Run
from studies.figures.lab_runs import LabRun

__all__ = ["NAME", "figures_of", "measure", "rate_of"]

NAME = "pena13-links"
LAB, SET = "torus:4x4", {"x": 40.0, "y": 20.0}  # Mbit/s


def figures_of(found: LabRun) -> list[Figure]:
    """As they were measured."""
    return [Figure.from_dict(f) for f in found.data["figures"]]


def rate_of(found: LabRun) -> float:
    """What TCP's payload has of a link's rate."""
    return float(found.data["payload"])


def measure(run: Run) -> LabRun:
    """Brings a lab up (root) and measures its links, one axis and direction after the other. Raises Error."""
    rate = ",".join(f"{letter}={mbit:g}mbit" for letter, mbit in SET.items())
    with labs.Lab.up(LAB, rate=rate, name=f"links{os.getpid()}") as lab:
        machine = Machine.parse(lab.machine_file)
        job = {"machine": machine.to_toml(), "quick": True}
        lines = Place(machine, lab).run([sys.executable, "-m", "allport.run.links", json.dumps(job)])
        links = lab.plan.links()
    found = [line["figures"] for line in lines if "figures" in line]
    if len(found) != 1:
        raise Error(f"lab {LAB}: expected one rank to tell its figures, got {len(found)}")
    return LabRun(LAB, rate, {"figures": found[0], "set": SET, "payload": TCP_SHARE}, links=links)
