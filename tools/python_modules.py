"""The Python part of the architecture check: which module of python/allport imports which, by static analysis."""

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
LATE = {"allport.comm", "allport.channel"}


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


def modules_by_name(init: Path) -> dict[str, str]:
    """What `import allport` offers, by the module it comes from: the tables of python/allport/__init__.py."""
    found: dict[str, str] = {}
    for node in ast.parse(init.read_text()).body if init.exists() else []:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            table = ast.literal_eval(node.value) if node.targets[0].id in ("_HOMES", "_MODULES") else {}
            homes = table if isinstance(table, dict) else {name: name for name in table}
            found |= {name: f"{PACKAGE}.{home}" for name, home in homes.items()}
    return found


class ImportGraph:
    """The modules of a package, what each imports, and the circles in that."""

    def __init__(self, package: Path) -> None:
        self.paths = modules(package)
        self.exported = modules_by_name(package / "__init__.py")
        self.imports = {name: list(self._imports(name, path)) for name, path in self.paths.items()}

    def _imports(self, name: str, path: Path) -> Iterator[Import]:
        package = name if path.name == "__init__.py" else name.rpartition(".")[0]
        for node, late, for_types in _statements(ast.parse(path.read_text(), str(path))):
            for base, what in _named(node, package):
                if base.split(".")[0] == PACKAGE:
                    inner = f"{base}.{what}"
                    target = inner if what and (inner in self.paths or inner == COMPILED) else base
                    yield Import(target, node.lineno, late, for_types)
            # ap.bench after `import allport as ap`: an exported name.
            at_package = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "ap"
            if at_package and node.attr in self.exported:
                yield Import(self.exported[node.attr], node.lineno)

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
    """The circle of imports from a module back to itself."""
    paths = [[start]]
    seen: set[str] = set()
    for path in paths:
        for name in sorted(needs[path[-1]]):
            if name == start:
                return [*path, start]
            if name not in seen:
                seen.add(name)
                paths.append([*path, name])
    return []


def subpackage_of(module: str, subpackages: Iterable[str]) -> str | None:
    """The subpackage of a module; None for `import allport` and `python -m allport`, which may import all."""
    if module in (PACKAGE, f"{PACKAGE}.__main__"):
        return None
    inside = [subpackage for subpackage in subpackages if module == subpackage or module.startswith(f"{subpackage}.")]
    return max(inside, key=len)


def check(root: Path, subpackages: dict[str, Any], say: Callable[[Path, str, int | None], None]) -> list[str]:
    """Compares python/allport with the rows of its subpackages, records which grants are used, and finds import cycles.
    Returns the subpackages without a module."""
    package = root / "python" / PACKAGE
    for path in sorted(package.glob("*/")):
        if any(path.glob("*.py")) and f"{PACKAGE}.{path.name}" not in subpackages:
            say(path, "a subpackage without a row in architecture.md", None)
    python = ImportGraph(package)
    for circle in python.circles():
        say(python.paths[circle[0]], f"imports in a circle: {' -> '.join(circle)}", None)
    for module, found in python.imports.items():
        for one in found:
            _check_import(module, one, subpackages, lambda what, m=module, i=one: say(python.paths[m], what, i.line))
    there = {subpackage_of(module, subpackages) for module in python.paths}
    return [subpackage for subpackage in subpackages if subpackage not in there | {COMPILED}]


def _check_import(module: str, one: Import, subpackages: dict[str, Any], say: Callable[[str], None]) -> None:
    subpackage = subpackage_of(module, subpackages)
    if subpackage is None:
        return
    if one.target == PACKAGE:
        if subpackage != TOP:
            say(f"{subpackage} imports {PACKAGE} as a whole; name the module: only {TOP} may do so")
        return
    if one.late and not one.for_types and one.target not in LATE and subpackage != TOP:
        say(f"imports {one.target} inside a function; only {', '.join(sorted(LATE))} may wait for its use")
    other = subpackage_of(one.target, subpackages)
    if other == subpackage or other is None:
        return
    subpackages[subpackage].used.add(other)
    if other not in subpackages[subpackage].allowed:
        may = ", ".join(sorted(subpackages[subpackage].allowed)) or "nothing"
        say(f"{subpackage} may not import {one.target}, of {other}; it may import: {may}")
