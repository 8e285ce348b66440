"""Python's half of the house: which module imports which under python/allport, as it is written, without running it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PACKAGE = "allport"
COMPILED = "allport._native"
TOP = "allport.cli"
# What may be imported inside a function, because importing it does something: allport.comm starts MPI. Packages that
# are not ours (numpy, matplotlib, rich, h5py, mpi4py) may be imported wherever they are used.
LATE = {"allport.comm"}


@dataclass(frozen=True)
class Import:
    """One module that a module imports. late: inside a function; for_types: under TYPE_CHECKING, so never run."""

    target: str
    line: int
    late: bool = False
    for_types: bool = False


def modules(package: Path) -> dict[str, Path]:
    """Every module by its dotted name."""
    found = {}
    for path in sorted(package.rglob("*.py")):
        parts = path.relative_to(package.parent).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def _statements(tree: ast.AST, late: bool = False, for_types: bool = False) -> Iterator[tuple[ast.AST, bool, bool]]:
    for node in ast.iter_child_nodes(tree):
        inside = late or isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
        typed = for_types or (isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test))
        yield node, inside, typed
        yield from _statements(node, inside, typed)


def _named(node: ast.AST, package: str) -> list[tuple[str, str | None]]:
    """(module, name in it) of an import; package: of the module that it stands in."""
    if isinstance(node, ast.Import):
        return [(alias.name, None) for alias in node.names]
    if not isinstance(node, ast.ImportFrom):
        return []
    start = ".".join(package.split(".")[: len(package.split(".")) - node.level + 1]) if node.level else ""
    base = ".".join(part for part in (start, node.module) if part)
    return [(base, alias.name) for alias in node.names]


def rooms_by_door(door: Path) -> dict[str, str]:
    """What `import allport` offers, by the module it comes from: the tables of python/allport/__init__.py."""
    found: dict[str, str] = {}
    for node in ast.parse(door.read_text()).body if door.exists() else []:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            table = ast.literal_eval(node.value) if node.targets[0].id in ("_HOMES", "_MODULES") else {}
            homes = table if isinstance(table, dict) else {name: name for name in table}
            found |= {name: f"{PACKAGE}.{home}" for name, home in homes.items()}
    return found


class PythonRooms:
    """The modules of a package, what each imports, and the circles in that."""

    def __init__(self, package: Path) -> None:
        self.paths = modules(package)
        self.door = rooms_by_door(package / "__init__.py")
        self.imports = {name: list(self._imports(name, path)) for name, path in self.paths.items()}

    def _imports(self, name: str, path: Path) -> Iterator[Import]:
        package = name if path.name == "__init__.py" else name.rpartition(".")[0]
        for node, late, for_types in _statements(ast.parse(path.read_text(), str(path))):
            for base, what in _named(node, package):
                if base.split(".")[0] == PACKAGE:
                    inner = f"{base}.{what}"
                    target = inner if what and (inner in self.paths or inner == COMPILED) else base
                    yield Import(target, node.lineno, late, for_types)
            # ap.bench, where `import allport as ap` stands: what the door hands out.
            at_door = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "ap"
            if at_door and node.attr in self.door:
                yield Import(self.door[node.attr], node.lineno)

    def circles(self) -> list[list[str]]:
        """Modules that need each other to be imported, one circle for each set of them; imports in functions count."""
        needs = {
            name: {i.target for i in found if not i.for_types and i.target in self.paths and i.target != name}
            for name, found in self.imports.items()
        }
        found: list[list[str]] = []
        for name in needs:
            if not any(name in circle for circle in found) and name in _reached(name, needs):
                found.append(_shortest(name, needs))
        return found


def _reached(start: str, needs: dict[str, set[str]]) -> set[str]:
    seen: set[str] = set()
    fresh = set(needs[start])
    while fresh:
        seen |= fresh
        fresh = {n for name in fresh for n in needs[name]} - seen
    return seen


def _shortest(start: str, needs: dict[str, set[str]]) -> list[str]:
    """The way round from a module back to itself."""
    ways = [[start]]
    seen: set[str] = set()
    for way in ways:
        for name in sorted(needs[way[-1]]):
            if name == start:
                return [*way, start]
            if name not in seen:
                seen.add(name)
                ways.append([*way, name])
    return []


def room_of(module: str, rooms: Iterable[str]) -> str | None:
    """Where a module lives; None for the doors (`import allport`, `python -m allport`), which open to all rooms."""
    if module in (PACKAGE, f"{PACKAGE}.__main__"):
        return None
    inside = [room for room in rooms if module == room or module.startswith(f"{room}.")]
    return max(inside, key=len)


def check(root: Path, rooms: dict[str, Any], say: Callable[[Path, str, int | None], None]) -> list[str]:
    """Compares python/allport with the rows of its rooms, notes in each row what is used of it, and looks for circles.
    Returns the rooms without a module."""
    package = root / "python" / PACKAGE
    for path in sorted(package.glob("*/")):
        if any(path.glob("*.py")) and f"{PACKAGE}.{path.name}" not in rooms:
            say(path, "a room without a row in house.md", None)
    python = PythonRooms(package)
    for circle in python.circles():
        say(python.paths[circle[0]], f"imports in a circle: {' -> '.join(circle)}", None)
    for module, found in python.imports.items():
        for one in found:
            _check_import(module, one, rooms, lambda what, m=module, i=one: say(python.paths[m], what, i.line))
    there = {room_of(module, rooms) for module in python.paths}
    return [room for room in rooms if room not in there | {COMPILED}]


def _check_import(module: str, one: Import, rooms: dict[str, Any], say: Callable[[str], None]) -> None:
    room = room_of(module, rooms)
    if room is None:
        return
    if one.target == PACKAGE:
        if room != TOP:
            say(f"{room} imports {PACKAGE} as a whole; name the module: only {TOP} goes in by the door")
        return
    if one.late and not one.for_types and one.target not in LATE and room != TOP:
        say(f"imports {one.target} inside a function; only {', '.join(LATE)} may wait for its use")
    other = room_of(one.target, rooms)
    if other == room or other is None:
        return
    rooms[room].used.add(other)
    if other not in rooms[room].allowed:
        may = ", ".join(sorted(rooms[room].allowed)) or "nothing"
        say(f"{room} may not import {one.target}, of {other}; it may import: {may}")
