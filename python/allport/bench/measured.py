"""Stored times of collectives: `allport bench` writes them, `allport explain` shows them.

The file is $ALLPORT_MEASURED, else $XDG_CACHE_HOME/allport/measured.json (~/.cache when that is not set).
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from allport.errors import failure
from allport.machine import Machine

__all__ = ["find", "key_of", "path", "record"]

MPI = "MPI's own"


def path(given: str | None = None) -> Path:
    """Path of the stored times."""
    chosen = given or os.environ.get("ALLPORT_MEASURED")
    if chosen:
        return Path(chosen)
    cache = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(cache) / "allport" / "measured.json"


def key_of(machine: Machine) -> str:
    """Machines of one name and shape share their times."""
    return f"{machine.name}|{machine.extents}/ppn={machine.ranks_per_node}"


def _load(file: Path) -> dict[str, list[dict[str, Any]]]:
    try:
        data = json.loads(file.read_text())
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, RecursionError) as error:
        raise failure(f"measured = '{file}': cannot be read ({error}); remove it, or name another file", "io") from None
    if not isinstance(data, dict) or not all(_is_list_of_entries(v) for v in data.values()):
        raise failure(f"measured = '{file}': holds no measured times; remove it, or name another file", "io")
    return data


@contextlib.contextmanager
def _locked(file: Path) -> Iterator[None]:
    with open(file.with_suffix(".lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _is_list_of_entries(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(entry, dict) for entry in value)


def _same(a: dict[str, Any], b: dict[str, Any]) -> bool:
    return all(a.get(k) == b.get(k) for k in ("collective", "bytes", "algorithm", "segment"))


def record(machine: Machine, entries: Iterable[dict[str, Any]], given: str | None = None) -> Path:
    """Stores times for a machine; a newer time of the same configuration replaces the older one. Returns the file.

    entries: {"collective", "bytes" (as Contract's), "algorithm", "segment", "seconds", "least", "samples", ...}.
    """
    file = path(given)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with _locked(file):
            data = _load(file)
            known = data.setdefault(key_of(machine), [])
            for entry in entries:
                fresh = {**entry, "date": time.strftime("%Y-%m-%d", time.gmtime())}
                known[:] = [old for old in known if not _same(old, fresh)]
                known.append(fresh)
            part = file.with_suffix(f".{os.getpid()}")
            part.write_text(json.dumps(data, indent=1) + "\n")
            part.replace(file)
    except OSError as error:
        raise failure(f"measured = '{file}': cannot be written ({error}); name another file", "io") from None
    return file


def find(machine: Machine, collective: str, size: int, given: str | None = None) -> list[dict[str, Any]]:
    """The stored entries for a collective of this size on this machine."""
    return [
        entry
        for entry in _load(path(given)).get(key_of(machine), [])
        if entry.get("collective") == collective and entry.get("bytes") == size
    ]
