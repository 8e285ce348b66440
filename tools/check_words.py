"""Finds words that have no place in identifiers or text, and says what to write. Needs the standard library only."""

from __future__ import annotations

import argparse
import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

FOLDERS = "bench bindings cmake docs dropin examples include lab packaging python src studies tests tools".split()
SUFFIXES = {"", ".c", ".cmake", ".cpp", ".f90", ".h", ".html", ".json", ".md", ".py", ".sh", ".toml", ".txt"}
SKIPPED = {"tools/check_words.py", "tests/python/test_check_words.py"}

TALKS = ("Solomonik11", "Chan06", "Robson18", "Pena13", "Song09")
_TALK = "|".join(TALKS)
#: A slide in a citation: "Song09, slides 4 to 6" (also broken by a comment's line), "slide 5 of Solomonik11", and names
#: of figures, song09-slide7.
CITED = re.compile(
    rf"""(?:{_TALK})(?:,|'s)?[\s"/*#(]*slides?\b|\bslides?\s[-0-9,\s]*(?:(?:and|to)\s[0-9]+\s)*of\s(?:{_TALK})"""
    rf"|(?:{_TALK.lower()})[-_]slide"
)
#: What is forbidden (in lower case), and what to write.
WORDS = {
    r"decks?(?![a-z])": "cite a source of docs/bibliography.md",
    r"slides?(?![a-z])": "cite as docs/bibliography.md does: Solomonik11, slide 20",
    r"hand(?:ed|ing|s)?[ _]?back(?![a-z])": "a call is passed on to MPI or ScaLAPACK",
}
_FORBIDDEN = {re.compile(rf"(?<![a-z]){word}"): remedy for word, remedy in WORDS.items()}

#: Where the words of the Python package are checked that a user reads: options, their help, and messages.
SPOKEN = "python/allport"
#: What is said to a user: calls whose texts are read, beside the docstrings of commands.
SPEAKERS = {"Advice", "Argument", "Error", "JobFailed", "Option", "Typer", "fail", "failure", "warn"}
#: What is forbidden there, whole words and what they begin.
SPOKEN_WORDS = {
    r"bids?\b": "pivot candidate",
    r"carri(?:er|es|ed)": "transport; kind of an edge",
    r"dealt\b": "distributed",
    r"drones?\b": "team member",
    r"(?:keeps?|kept)\b": "store, record, retain",
    r"passages?\b": "path cost",
    r"seats?\b": "grid coordinates, place",
    r"talk(?:s|ed|ing)?\b": "communicate; in-task collective",
    r"(?:tells?|told)\b": "report, say, name",
    r"twins?\b": "shadow communicator; repeat",
    r"uplo\b": "lower",
    r"usual": "default",
    r"verdicts?\b": "decision",
    r"ways?\b": "route, multicast tree, algorithm, variant",
    # Options that had another name than in ap.Options.
    r"--(?:big|block|pivot)\b": "--outer-panel, --panel, --pivoting",
}
_SPOKEN = {re.compile(rf"(?<![a-z_]){word}"): remedy for word, remedy in SPOKEN_WORDS.items()}
#: Words of the field that are spelled alike: file, word.
MEANT = {
    ("python/allport/lab/watch.py", "carrier"),  # of a network interface
    ("python/allport/lab/wires.py", "carrier"),
    ("python/allport/cli/lab.py", "carrier"),
    ("python/allport/cli/bench.py", "--block"),  # of cells
}


def files(root: Path) -> Iterator[Path]:
    """The texts of the tree."""
    yield from (path for path in sorted(root.glob("*.md")) if path.name != "CHANGELOG.md")  # it tells what was
    yield from (root / name for name in ("CMakeLists.txt", "Makefile", "pyproject.toml") if (root / name).exists())
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            wanted = path.suffix in SUFFIXES and path.is_file() and "__pycache__" not in path.parts
            if wanted and str(path.relative_to(root)) not in SKIPPED:
                yield path


def found(text: str) -> Iterator[tuple[int, str, str]]:
    """(line, word, remedy) of each forbidden word."""
    plain = CITED.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), text)
    # SlideNumber and slide_number are words apart.
    apart = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", plain).lower()
    for word, remedy in _FORBIDDEN.items():
        for match in word.finditer(apart):
            yield apart.count("\n", 0, match.start()) + 1, match[0], remedy


def _texts(node: ast.AST) -> Iterator[tuple[int, str]]:
    for part in ast.walk(node):
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            yield part.lineno, part.value


def spoken(text: str, commands: bool = False) -> Iterator[tuple[int, str]]:
    """(line, text) of what a module of Python says to a user. commands: docstrings of functions are help."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if name in SPEAKERS:
                yield from _texts(node)
        elif commands and isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            if node.decorator_list and isinstance(node.body[0], ast.Expr):
                yield from _texts(node.body[0])
            # Parameters become options.
            for argument in (*node.args.args, *node.args.kwonlyargs) if node.decorator_list else ():
                yield argument.lineno, f"--{argument.arg.replace('_', '-')}"


def found_spoken(text: str, where: str) -> Iterator[tuple[int, str, str]]:
    """(line, word, remedy) of each word that a module should not say."""
    for line, words in spoken(text, commands="/cli/" in where):
        for word, remedy in _SPOKEN.items():
            for match in word.finditer(words.lower()):
                if (where, match[0]) not in MEANT:
                    yield line, match[0], remedy


def check(root: Path) -> list[str]:
    """What is wrong, a line for each."""
    problems = []
    for path in files(root):
        try:
            text = path.read_text()
        except UnicodeDecodeError:
            continue
        where = path.relative_to(root)
        wrong = {*found(text)}
        if path.suffix == ".py" and str(where).startswith(SPOKEN):
            wrong |= {*found_spoken(text, str(where))}
        problems += [f"{where}:{line}: '{word}': {remedy}" for line, word, remedy in sorted(wrong)]
    return problems


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", nargs="?", type=Path, default=Path(__file__).resolve().parent.parent)
    problems = check(parser.parse_args().root.resolve())
    for problem in problems:
        print(problem, file=sys.stderr)
    if problems:
        print(f"{len(problems)} word(s) to replace", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
