"""Finds words that have no place in identifiers or text, and says what to write. Needs the standard library only."""

from __future__ import annotations

import argparse
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
}
_FORBIDDEN = {re.compile(rf"(?<![a-z]){word}"): remedy for word, remedy in WORDS.items()}


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


def check(root: Path) -> list[str]:
    """What is wrong, a line for each."""
    problems = []
    for path in files(root):
        try:
            text = path.read_text()
        except UnicodeDecodeError:
            continue
        where = path.relative_to(root)
        problems += [f"{where}:{line}: '{word}': {remedy}" for line, word, remedy in sorted(found(text))]
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
