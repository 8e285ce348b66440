"""Notebooks: objects show themselves there as small pages, and what takes long has a bar.

`allport.report.pages`, a package on a higher layer, makes the pages; it is imported by name when a notebook asks for
one, so programs without a notebook load nothing of it.
"""

from __future__ import annotations

import importlib
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from html import escape
from inspect import signature
from typing import Any, TypeVar, cast

from allport.errors import Error

__all__ = ["Shown", "in_notebook", "page_of", "progress", "with_bar"]

_busy = False
Work = TypeVar("Work", bound=Callable[..., Any])

PATIENCE = 0.3  # seconds before there is a bar at all
OFTEN = 0.1  # seconds between two looks of it


def page_of(thing: Any) -> str | None:
    """What a notebook shows of an object; None, which leaves it at its text, where that cannot be made."""
    try:
        return str(importlib.import_module("allport.report.pages").html(thing))
    except Error:
        return None


class Shown:
    """What shows itself in a notebook."""

    def _repr_html_(self) -> str | None:
        return page_of(self)


def in_notebook() -> bool:
    """Whether a notebook runs this: an IPython shell with a kernel, not one in a terminal."""
    found = sys.modules.get("IPython")
    shell = found.get_ipython() if found is not None else None
    return shell is not None and getattr(shell, "kernel", None) is not None


def _bar(what: str, fraction: float) -> str:
    share = min(max(fraction, 0.0), 1.0)
    return (
        f'<label>{escape(what)} <progress max="1" value="{share:.4f}" style="width:16em;vertical-align:middle">'
        f"</progress> {100 * share:.0f} %</label>"
    )


@contextmanager
def progress(what: str, wanted: bool = True) -> Iterator[Callable[[str, float], None]]:
    """A bar in the notebook that runs this, gone when the work ends; elsewhere, or unless wanted, nothing.

    Call what it gives with (phase, fraction). Work within work has none of its own, whether this one has.
    """
    global _busy
    if _busy or not in_notebook():
        yield lambda phase, fraction: None
        return
    from IPython.display import HTML, display

    handle: Any = None
    due = time.monotonic() + PATIENCE

    def step(phase: str, fraction: float) -> None:
        nonlocal handle, due
        now = time.monotonic()
        if not wanted or now < due:
            return
        due = now + OFTEN
        shown = HTML(_bar(phase or what, fraction))
        if handle is None:
            handle = display(shown, display_id=True)
        else:
            handle.update(shown)

    _busy = True
    try:
        yield step
    finally:
        _busy = False
        if handle is not None:
            handle.update(HTML(""))


def with_bar(what: str) -> Callable[[Work], Work]:
    """Gives a function a bar in notebooks: its argument `progress`, called with (phase, fraction), if None."""

    def give(work: Work) -> Work:
        arguments = signature(work)

        @wraps(work)
        def barred(*args: Any, **kwargs: Any) -> Any:
            if not in_notebook():
                return work(*args, **kwargs)
            given = arguments.bind(*args, **kwargs)
            with progress(what, given.arguments.get("progress") is None) as bar:
                if given.arguments.get("progress") is None:
                    given.arguments["progress"] = bar
                return work(*given.args, **given.kwargs)

        return cast(Work, barred)

    return give
