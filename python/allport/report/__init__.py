"""Drawings, charts, traces and pages of machines, schedules, simulations and runs."""

from __future__ import annotations

from types import ModuleType
from typing import TYPE_CHECKING

from allport.submodules import submodule

if TYPE_CHECKING:
    from allport.report import draw as draw
    from allport.report import gantt as gantt
    from allport.report import pages as pages
    from allport.report import plot as plot
    from allport.report import trace as trace


def __getattr__(name: str) -> ModuleType:
    return submodule(__name__, name)
