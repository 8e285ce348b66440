#!/usr/bin/env python3
"""Compares the tree with the tables of modules in docs/concepts/architecture.md. Needs the standard library only."""

from __future__ import annotations

import argparse
import ast
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path

import python_modules

BANNED_NAMES = {"utils", "util", "common", "core", "misc", "helpers", "helper"}
CPP = {".h", ".hpp", ".cpp", ".c", ".def", ".inc"}
INTERFACES = {"c"}  # folders of src/ above the modules
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
class Module:
    layer: int
    name: str
    allowed: set[str] = field(default_factory=set)
    planned: bool = False  # there is a row, and nothing in the module yet
    used: set[str] = field(default_factory=set)  # modules that its files have been seen to include


def read_table(page: Path) -> dict[str, Module]:
    """The rows `| layer | `module` | what | may include |` of both tables, in the page's order."""
    modules: dict[str, Module] = {}
    for number, line in enumerate(page.read_text().splitlines(), 1):
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if not line.startswith("|") or len(cells) != 4 or not cells[0].isdigit():
            continue
        name = cells[1].removesuffix(PLANNED).strip(" `")
        allowed = set() if cells[3] == "-" else {other.strip(" `") for other in cells[3].split(",")}
        if name in modules:
            raise SystemExit(f"{page}:{number}: module {name} has two rows")
        modules[name] = Module(int(cells[0]), name, allowed, cells[1].endswith(PLANNED))
    if not modules:
        raise SystemExit(f"{page}: found no table of modules")
    return modules


def without_comments(text: str) -> str:
    return COMMENT.sub(lambda match: match.group(1) or re.sub(r"[^\n]", "", match.group(0)), text)


class Architecture:
    def __init__(self, root: Path):
        self.root = root
        self.page = root / "docs/concepts/architecture.md"
        modules = read_table(self.page)
        self.python = {name: module for name, module in modules.items() if name.startswith(python_modules.PACKAGE)}
        self.modules = {name: module for name, module in modules.items() if name not in self.python}
        self.problems: list[str] = []

    def problem(self, path: Path, what: str, line: int | None = None) -> None:
        where = path.relative_to(self.root)
        self.problems.append(f"{where}:{line}: {what}" if line else f"{where}: {what}")

    def check(self) -> None:
        self.check_table(self.modules)
        self.check_table(self.python)
        self.check_cmake()
        self.check_folders()
        for folder in ("include", "src", "dropin", "bindings", "tests", "bench", "examples", "studies"):
            for path in sorted((self.root / folder).rglob("*")):
                if path.suffix in CPP:
                    self.check_cpp(path)
        for path in sorted((self.root / "python/allport/cli").glob("*.py")):
            self.check_command(path)
        for name in python_modules.check(self.root, self.python, self.problem):
            self.check_planned(self.python[name], False)
        self.check_grants(self.modules)
        self.check_grants(self.python)
        for folder in ("python", "tools", "lab", "tests", "bench", "examples", "studies"):
            for path in sorted((self.root / folder).rglob("*.py")):
                self.measure(path, path.read_text())

    def check_table(self, modules: dict[str, Module]) -> None:
        for module in modules.values():
            for other in sorted(module.allowed):
                if other not in modules:
                    self.problem(self.page, f"{module.name} may include {other}, which has no row")
                elif modules[other].layer >= module.layer:
                    self.problem(
                        self.page, f"{module.name} (layer {module.layer}) may include {other}, which is not below it"
                    )

    def check_grants(self, modules: dict[str, Module]) -> None:
        """Every grant of a row must be used, unless one of the two modules is planned."""
        for module in modules.values():
            for other in sorted(module.allowed - module.used):
                below = other in modules and modules[other].layer < module.layer  # or check_table has said so
                if below and not module.planned and not modules[other].planned:
                    self.problem(self.page, f"{module.name} may include {other} and does not; take it out of the row")

    def check_cmake(self) -> None:
        """allport_module(NAME DEPENDS ...) must name what the row names, and nothing else."""
        path = self.root / "CMakeLists.txt"
        if not path.exists():
            return
        text = re.sub(r"#[^\n]*", "", path.read_text())
        for match in re.finditer(r"\ballport_module\(([^)]*)\)", text):
            line = text.count("\n", 0, match.start()) + 1
            words = match.group(1).split()
            name, depends, reading = words[0], set(), False
            for word in words[1:]:
                if word in ("DEPENDS", "EXTERNAL"):
                    reading = word == "DEPENDS"
                elif reading:
                    depends.add(word)
            if name not in self.modules:
                self.problem(path, f"module {name} has no row in architecture.md", line)
                continue
            for extra in sorted(depends - self.modules[name].allowed - {"base"}):
                self.problem(path, f"{name} links {extra}, which its row in architecture.md does not name", line)

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
                if path.name in INTERFACES:
                    continue
                if path.name not in self.modules:
                    self.problem(path, "a module without a row in architecture.md")
                elif parent == "src" and not any((self.root / "tests" / path.name).glob("*")):
                    self.problem(path, f"a module without tests/{path.name}")
        for path in sorted((self.root / "include/allport").glob("*.h")):
            named = set(INCLUDE.findall(path.read_text())) if path.stem in self.modules else set()
            for part in sorted((path.parent / path.stem).glob("*.h")):
                if named and f"allport/{path.stem}/{part.name}" not in named:
                    self.problem(path, f"does not include allport/{path.stem}/{part.name}")
        for module in self.modules.values():
            folders = (self.root / parent / module.name for parent in ("include/allport", "src", "."))
            self.check_planned(module, any(any(folder.rglob("*.*")) for folder in folders))

    def check_planned(self, module: Module, is_there: bool) -> None:
        if module.planned and is_there:
            self.problem(self.page, f"{module.name} is called planned, and is there")
        if not module.planned and not is_there:
            self.problem(self.page, f"{module.name} has no files; write {PLANNED} after its name, or remove its row")

    def module_of(self, path: Path) -> str | None:
        """The module of a file, or None where all modules may be included."""
        parts = path.relative_to(self.root).parts
        if parts[0] == "include":
            name = parts[2] if len(parts) > 3 else path.stem
            return name if len(parts) > 3 or path.stem in self.modules else None
        if parts[0] == "src" and len(parts) > 2 and parts[1] not in INTERFACES:
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
        module, folder = self.module_of(path), path.relative_to(self.root).parts[0]
        if module is not None and module not in self.modules:
            return  # check_folders has said so
        for match in INCLUDE.finditer(code):
            line, name = code.count("\n", 0, match.start()) + 1, match.group(1)
            if module is not None:
                self.check_include(path, line, module, name)
            if folder == "include" and (THIRD_PARTY.match(name) or name.partition("/")[0] in self.modules):
                self.problem(path, f"installed headers do not include <{name}>; keep it in src/", line)
        if folder in ("include", "src"):
            self.check_blas(path, code, module)

    def check_include(self, path: Path, line: int, module: str, name: str) -> None:
        if name == "mpi.h" and module not in ("comm", "dropin"):
            self.problem(path, f"{module} includes <mpi.h>; only comm and dropin speak MPI", line)
        if BLAS_HEADER.search(name) and module != "linalg":
            self.problem(path, f"{module} includes <{name}>; only linalg calls BLAS and LAPACK", line)
        parts = name.split("/")
        if parts[0] == "allport":
            other = parts[1].removesuffix(".h")
            if len(parts) == 2 and other not in self.modules:
                self.problem(path, f"{module} includes {name}; no module includes the C interface or all modules", line)
                return
        elif len(parts) > 1 and parts[0] in self.modules:
            other = parts[0]  # an internal header, src/MODULE/...
        else:
            return
        self.modules[module].used.add(other)
        if other not in self.modules:
            self.problem(path, f"{module} includes {name}, a module without a row in architecture.md", line)
        elif other not in self.modules[module].allowed | {"base", module}:
            may = ", ".join(sorted(self.modules[module].allowed | {"base"}))
            self.problem(path, f"{module} may not include {other} ({name}); it may include: {may}", line)

    def check_blas(self, path: Path, code: str, module: str | None) -> None:
        if module in ("linalg", "dropin"):
            return
        for match in BLAS_SYMBOL.finditer(code):
            line = code.count("\n", 0, match.start()) + 1
            name = match.group(0).rstrip(" (")
            self.problem(path, f"{module or 'the C interface'} names {name}; only linalg calls BLAS and LAPACK", line)

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
    architecture = Architecture(parser.parse_args().root.resolve())
    architecture.check()
    for problem in architecture.problems:
        print(problem, file=sys.stderr)
    if architecture.problems:
        print(f"{len(architecture.problems)} problem(s) against docs/concepts/architecture.md", file=sys.stderr)
        return 1
    print(f"{len(architecture.modules)} modules and {len(architecture.python)} of Python's, each on its layer")
    return 0


if __name__ == "__main__":
    sys.exit(main())
