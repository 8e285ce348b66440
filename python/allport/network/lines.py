"""Text files: the whole, and their lines without comments."""

from __future__ import annotations

from pathlib import Path

from allport.errors import failure

__all__ = ["lines_of", "text_of"]


def text_of(path: str | Path) -> str:
    """The text of a file. Raises Error."""
    try:
        return Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError, ValueError) as error:
        raise failure(f"{path}: cannot be read: {error}", "io") from None


def lines_of(text: str, continued: bool = False) -> list[tuple[int, str]]:
    """(number, text) of the nonempty lines, without comments (#). continued: a backslash at the end of a line continues
    it on the next one, as in Slurm's files."""
    found: list[tuple[int, str]] = []
    goes_on = False
    for n, line in enumerate(text.splitlines(), 1):
        line = line.split("#", 1)[0].rstrip()
        if goes_on:
            n, begun = found.pop()
            # A list continues behind its comma; blanks at the line's end do not belong to the value.
            in_list = begun.rstrip().endswith((",", "="))
            line = begun.rstrip() + line.lstrip() if in_list else begun + line
        goes_on = continued and line.endswith("\\")
        found.append((n, line.removesuffix("\\") if goes_on else line))
    return [(n, line.strip()) for n, line in found if line.strip()]
