"""Starts ranks and runs jobs on them: the launcher, code on a rank, jobs on files, calibration, link rates."""

from __future__ import annotations

from types import ModuleType
from typing import TYPE_CHECKING

from allport.submodules import submodule

if TYPE_CHECKING:
    from allport.run import calibrate as calibrate
    from allport.run import job as job
    from allport.run import jobs as jobs
    from allport.run import launch as launch
    from allport.run import links as links


def __getattr__(name: str) -> ModuleType:
    return submodule(__name__, name)
