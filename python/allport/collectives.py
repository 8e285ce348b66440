"""The registered collective algorithms, those that a program adds, and the schedules they make."""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from allport import _native
from allport._native import Contract, Cut, Machine, Op, Program, Schedule
from allport.errors import Error
from allport.machine import as_machine
from allport.select import DEFAULT_WINDOW, chosen, explain_among

__all__ = [
    "algorithms",
    "explain_among",
    "load_algorithms",
    "loaded",
    "make_schedule",
    "mst_rounds",
    "packing",
    "register_algorithm",
]

Rank = int
Made = Schedule | Callable[[Rank], Program | list[Op]]
_loaded: list[str] = []


def algorithms(collective: str | None = None) -> list[dict[str, str]]:
    """The registered algorithms, each {'collective', 'name', 'summary'}; of one collective when it is named."""
    return [a for a in _native.algorithms() if collective in (None, a["collective"])]


def register_algorithm(
    collective: str,
    name: str,
    make: Callable[[Machine, Contract, Cut], Made],
    price: Callable[[Machine, Contract, Cut], float] | None = None,
    why_not: Callable[[Machine, Contract], str | None] | None = None,
    *,
    summary: str | None = None,
) -> None:
    """Adds an algorithm of your own: verified, simulated, priced, explained and run as the library's are.

    make(machine, contract, cut): a function that gives one rank's operations (a list of Op, or a Program where they
    need scratch), or a Schedule for that contract. price(machine, contract, cut): predicted seconds; an algorithm
    without one is taken only where it is named. why_not(machine, contract): why it cannot serve, or None. summary: one
    sentence; else the first line of make's docstring.
    The functions may be called from several threads, and must give the same for the same arguments on every rank.
    Every rank registers the same ones in the same order, before it makes the Communicators that shall know them.
    Raises Error where the name is taken; what a function raises later becomes an Error that names it.
    """
    if summary is None:
        summary = next(iter((make.__doc__ or "").strip().splitlines()), "")
    _native.register_algorithm(collective, name, summary, make, price, why_not)


def load_algorithms(where: str | os.PathLike[str]) -> list[dict[str, str]]:
    """Imports a file or a module that registers algorithms, once, and returns those: what `--load` does.

    where: FILE.py, or the name of a module that can be imported.
    Raises Error where it is missing, raises when it is imported, or registers nothing.
    """
    text = os.fspath(where)
    is_file = text.endswith(".py") or os.sep in text
    if is_file:
        text = str(Path(text).resolve())
    if text in _loaded:
        return []
    known = len(_native.algorithms())
    before = {(a["collective"], a["name"]) for a in algorithms()}
    try:
        _import_file(text) if is_file else importlib.import_module(text)
    except Error as error:
        raise Error(f"load = '{where}': {error}") from error
    except Exception as error:
        raise Error(f"load = '{where}': {_raised(error, text)}") from error
    if len(_native.algorithms()) == known:
        raise Error(
            f"load = '{where}': expected algorithms, it registers none; call ap.collectives.register_algorithm in it"
        )
    _loaded.append(text)
    return [a for a in algorithms() if (a["collective"], a["name"]) not in before]


def loaded() -> list[str]:
    """What load_algorithms has imported, for the ranks that this process starts to import it, too."""
    return list(_loaded)


def _import_file(path: str) -> None:
    if not Path(path).is_file():
        raise Error("expected a file, there is none of that name")
    name = f"allport_loaded_{Path(path).stem}_{len(_loaded)}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise


def _raised(error: Exception, path: str) -> str:
    """The exception, and the last line of the loaded file that led to it."""
    line = None
    at = error.__traceback__
    while at is not None:
        if at.tb_frame.f_code.co_filename == path:
            line = at.tb_lineno
        at = at.tb_next
    where = f" (line {line})" if line is not None else ""
    return f"raises {type(error).__name__}: {error}{where}"


def make_schedule(
    collective: str,
    machine: Machine | str,
    *,
    algorithm: str | None = None,
    root: int = 0,
    bytes: int | str = 0,
    element: int = 1,
    segment: int | str | None = None,
    window: int = DEFAULT_WINDOW,
) -> Schedule:
    """The schedule of a collective ('bcast', 'reduce') over all ranks of a machine.

    bytes: of the message; a whole number of `element` bytes, which reductions never cut apart.
    segment: bytes at most that travel at once; window: segments in flight per stream.
    algorithm, segment: None takes what is predicted to be fastest.
    Raises Error naming the argument that is wrong.
    """
    machine = as_machine(machine)
    choice = chosen(
        collective,
        machine,
        bytes=bytes,
        root=root,
        element=element,
        algorithm=algorithm,
        segment=segment,
        window=window,
    )
    return _native.make_schedule(machine, choice)


def packing(machine: Machine | str, root: int = 0, *, to_root: bool = False) -> dict[str, Any]:
    """What the trees of algorithm 'packed' make of a machine, which may have dead links.

    'trees' of 'possible' link-disjoint spanning trees ('exact': that is the max-flow, else a limit), 'intact': most of
    them without the dead links, 'lost': fraction of the intact bandwidth, 'depth' in hops, 'how', and 'text', all in a
    sentence. to_root: for a reduction, whose data use the links in the other direction.
    Raises Error naming the nodes that dead links cut off.
    """
    return _native.packing(as_machine(machine), root, to_root)


def mst_rounds(machine: Machine | str, root: int = 0, *, both_sides: bool = False) -> int:
    """Steps of algorithm 'mst' (N + 1 parts a step on N axes) or, with both_sides, 'mst2' (2N + 1) (Chan06)."""
    return _native.mst_rounds(as_machine(machine), root, both_sides)
