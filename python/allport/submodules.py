"""Submodules of a package that are imported when they are first used: ap.report.plot, ap.run.launch."""

from __future__ import annotations

import importlib
import importlib.util
from types import ModuleType

__all__ = ["submodule"]


def submodule(package: str, name: str) -> ModuleType:
    """The submodule `name` of a package, for its __getattr__. Raises AttributeError where there is none."""
    if name.startswith("_") or importlib.util.find_spec(f"{package}.{name}") is None:
        raise AttributeError(f"module '{package}' has no attribute '{name}'")
    return importlib.import_module(f"{package}.{name}")
