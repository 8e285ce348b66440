#!/usr/bin/env python3
"""Compares the tree with the tables of rooms in docs/concepts/house.md. Needs the standard library only."""

from __future__ import annotations

import argparse
import ast
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path

import python_rooms

BANNED_NAMES = {"utils", "util", "common", "core", "misc", "helpers", "helper"}
CPP = {".h", ".hpp", ".cpp", ".c", ".def", ".inc"}
DOORS = {"c"}  # folders of src/ above the rooms
LONG_FILE = 400
PLANNED = "(planned)"

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^>"]+)[>"]', re.MULTILINE)
# Either a comment (to drop) or a string literal (to keep: it may hold //).
COMMENT = re.compile(r'//[^\n]*|/\*.*?\*/|("(?:\\.|[^"\\\n])*")', re.DOTALL)
BLAS_HEADER = re.compile(r"(^|/)(cblas|lapacke?|mkl\w*|openblas\w*|f77blas)\.h$|^openblas/")
BLAS_SYMBOL = re.compile(
    r"\b(?:cblas_\w+|LAPACKE_\w+|openblas_\w+"
    r"|[sdcz](?:gemm|gemv|ger|geru|gerc|trsm|trmm|trsv|symm|hemm|syrk|herk|syr2k|her2k"
    r"|axpy|dot|dotu|dotc|scal|copy|swap|nrm2|getrf|getrs|getrf2|getri|potrf|potrs|laswp|lacpy|lange|gesv|posv)_)\s*\("
)
THIRD_PARTY = re.compile(r"^(fmt|nlohmann|toml\+\+|spdlog|gtest|gmock|benchmark)/")


@dataclass
class Room:
    floor: int
    name: str
    allowed: set[str] = field(default_factory=set)
    planned: bool = False  # there is a row, and nothing in the room yet
    used: set[str] = field(default_factory=set)  # rooms that its files have been seen to include


def read_table(page: Path) -> dict[str, Room]:
    """The rows `| floor | `room` | what | may include |` of both tables, in the page's order."""
    rooms: dict[str, Room] = {}
    for number, line in enumerate(page.read_text().splitlines(), 1):
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if not line.startswith("|") or len(cells) != 4 or not cells[0].isdigit():
            continue
        name = cells[1].removesuffix(PLANNED).strip(" `")
        allowed = set() if cells[3] == "-" else {other.strip(" `") for other in cells[3].split(",")}
        if name in rooms:
            raise SystemExit(f"{page}:{number}: room {name} has two rows")
        rooms[name] = Room(int(cells[0]), name, allowed, cells[1].endswith(PLANNED))
    if not rooms:
        raise SystemExit(f"{page}: found no table of rooms")
    return rooms


def without_comments(text: str) -> str:
    return COMMENT.sub(lambda match: match.group(1) or re.sub(r"[^\n]", "", match.group(0)), text)


class House:
    def __init__(self, root: Path):
        self.root = root
        self.page = root / "docs/concepts/house.md"
        rooms = read_table(self.page)
        self.python = {name: room for name, room in rooms.items() if name.startswith(python_rooms.PACKAGE)}
        self.rooms = {name: room for name, room in rooms.items() if name not in self.python}
        self.problems: list[str] = []

    def problem(self, path: Path, what: str, line: int | None = None) -> None:
        where = path.relative_to(self.root)
        self.problems.append(f"{where}:{line}: {what}" if line else f"{where}: {what}")

    def check(self) -> None:
        self.check_table(self.rooms)
        self.check_table(self.python)
        self.check_cmake()
        self.check_folders()
        for folder in ("include", "src", "dropin", "bindings", "tests", "bench", "examples", "studies"):
            for path in sorted((self.root / folder).rglob("*")):
                if path.suffix in CPP:
                    self.check_cpp(path)
        for path in sorted((self.root / "python/allport/cli").glob("*.py")):
            self.check_command(path)
        for name in python_rooms.check(self.root, self.python, self.problem):
            self.check_planned(self.python[name], False)
        self.check_grants(self.rooms)
        self.check_grants(self.python)
        for folder in ("python", "tools", "lab", "tests", "bench", "examples", "studies"):
            for path in sorted((self.root / folder).rglob("*.py")):
                self.measure(path, path.read_text())

    def check_table(self, rooms: dict[str, Room]) -> None:
        for room in rooms.values():
            for other in sorted(room.allowed):
                if other not in rooms:
                    self.problem(self.page, f"{room.name} may include {other}, which has no row")
                elif rooms[other].floor >= room.floor:
                    self.problem(
                        self.page, f"{room.name} (floor {room.floor}) may include {other}, which is not below it"
                    )

    def check_grants(self, rooms: dict[str, Room]) -> None:
        """What a row allows, its room does; rooms that are planned have their grants, and are granted, beforehand."""
        for room in rooms.values():
            for other in sorted(room.allowed - room.used):
                below = other in rooms and rooms[other].floor < room.floor  # or check_table has said so
                if below and not room.planned and not rooms[other].planned:
                    self.problem(self.page, f"{room.name} may include {other} and does not; take it out of the row")

    def check_cmake(self) -> None:
        """allport_room(NAME DEPENDS ...) must name what the row names, and nothing else."""
        path = self.root / "CMakeLists.txt"
        if not path.exists():
            return
        text = re.sub(r"#[^\n]*", "", path.read_text())
        for match in re.finditer(r"\ballport_room\(([^)]*)\)", text):
            line = text.count("\n", 0, match.start()) + 1
            words = match.group(1).split()
            name, depends, reading = words[0], set(), False
            for word in words[1:]:
                if word in ("DEPENDS", "EXTERNAL"):
                    reading = word == "DEPENDS"
                elif reading:
                    depends.add(word)
            if name not in self.rooms:
                self.problem(path, f"room {name} has no row in house.md", line)
                continue
            for extra in sorted(depends - self.rooms[name].allowed - {"base"}):
                self.problem(path, f"{name} links {extra}, which its row in house.md does not name", line)

    def check_folders(self) -> None:
        parents = ("include/allport", "src", "dropin", "tests", "python/allport", "python/allport/*")
        for parent in parents:
            for path in sorted(self.root.glob(f"{parent}/*")):
                if path.stem in BANNED_NAMES:
                    self.problem(path, "a name that says nothing; name what lives there")
        for parent in ("include/allport", "src"):
            for path in sorted((self.root / parent).glob("*")):
                if not path.is_dir() or not any(path.rglob("*.*")):
                    continue
                if path.stem in BANNED_NAMES:
                    continue  # said above
                if path.name in DOORS:
                    continue
                if path.name not in self.rooms:
                    self.problem(path, "a room without a row in house.md")
                elif parent == "src" and not any((self.root / "tests" / path.name).glob("*")):
                    self.problem(path, f"a room without tests/{path.name}")
        for room in self.rooms.values():
            folders = (self.root / parent / room.name for parent in ("include/allport", "src", "."))
            self.check_planned(room, any(any(folder.rglob("*.*")) for folder in folders))

    def check_planned(self, room: Room, is_there: bool) -> None:
        if room.planned and is_there:
            self.problem(self.page, f"{room.name} is called planned, and is there")
        if not room.planned and not is_there:
            self.problem(self.page, f"{room.name} has no files; write {PLANNED} after its name, or remove its row")

    def room_of(self, path: Path) -> str | None:
        """The room of a file, or None where all rooms may be included."""
        parts = path.relative_to(self.root).parts
        if parts[0] == "include" and len(parts) > 3:
            return parts[2]
        if parts[0] == "src" and len(parts) > 2 and parts[1] not in DOORS:
            return parts[1]
        return "dropin" if parts[0] == "dropin" else None

    def measure(self, path: Path, text: str) -> None:
        lines = text.count("\n")
        if lines > LONG_FILE:
            self.problem(path, f"has {lines} lines; over {LONG_FILE} it is asking to be two: split it by meaning")

    def check_cpp(self, path: Path) -> None:
        text = path.read_text()
        self.measure(path, text)
        code = without_comments(text)
        room, folder = self.room_of(path), path.relative_to(self.root).parts[0]
        if room is not None and room not in self.rooms:
            return  # check_folders has said so
        for match in INCLUDE.finditer(code):
            line, name = code.count("\n", 0, match.start()) + 1, match.group(1)
            if room is not None:
                self.check_include(path, line, room, name)
            if folder == "include" and THIRD_PARTY.match(name):
                self.problem(path, f"installed headers do not include <{name}>; keep it in src/", line)
        if folder in ("include", "src"):
            self.check_blas(path, code, room)

    def check_include(self, path: Path, line: int, room: str, name: str) -> None:
        if name == "mpi.h" and room not in ("comm", "dropin"):
            self.problem(path, f"{room} includes <mpi.h>; only comm and dropin speak MPI", line)
        if BLAS_HEADER.search(name) and room != "linalg":
            self.problem(path, f"{room} includes <{name}>; only linalg calls BLAS and LAPACK", line)
        if not name.startswith("allport/"):
            return
        parts = name.split("/")
        if len(parts) == 2:
            self.problem(path, f"{room} includes {name}; no room includes the C interface", line)
            return
        other = parts[1]
        self.rooms[room].used.add(other)
        if other not in self.rooms:
            self.problem(path, f"{room} includes {name}, a room without a row in house.md", line)
        elif other not in self.rooms[room].allowed | {"base", room}:
            may = ", ".join(sorted(self.rooms[room].allowed | {"base"}))
            self.problem(path, f"{room} may not include {other} ({name}); it may include: {may}", line)

    def check_blas(self, path: Path, code: str, room: str | None) -> None:
        if room in ("linalg", "dropin"):
            return
        for match in BLAS_SYMBOL.finditer(code):
            line = code.count("\n", 0, match.start()) + 1
            name = match.group(0).rstrip(" (")
            self.problem(path, f"{room or 'the C interface'} names {name}; only linalg calls BLAS and LAPACK", line)

    def check_command(self, path: Path) -> None:
        text = path.read_text()
        self.measure(path, text)
        allowed = set(sys.stdlib_module_names) | {"allport", "typer", "rich"}
        for node in ast.walk(ast.parse(text, str(path))):
            names = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.level == 0:
                names = [node.module or ""]
            for name in names:
                if name.split(".")[0] not in allowed:
                    self.problem(
                        path, f"a command imports {name}; it may: allport, typer, rich, Python's own", node.lineno
                    )
                elif name == "allport._native" or name.startswith("allport._native."):
                    self.problem(path, "a command imports allport._native; use the public API", node.lineno)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", nargs="?", type=Path, default=Path(__file__).resolve().parent.parent)
    house = House(parser.parse_args().root.resolve())
    house.check()
    for problem in house.problems:
        print(problem, file=sys.stderr)
    if house.problems:
        print(f"{len(house.problems)} problem(s) against docs/concepts/house.md", file=sys.stderr)
        return 1
    print(f"{len(house.rooms)} rooms and {len(house.python)} of Python's, each on its floor")
    return 0


if __name__ == "__main__":
    sys.exit(main())
