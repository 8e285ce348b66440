"""Every tutorial works, block by block, and its output is the one that it shows."""

from pathlib import Path

import pytest
import tutorial

PAGES = sorted((Path(__file__).parents[2] / "docs" / "tutorials").glob("[0-9]*.md"))


def test_there_are_six_tutorials() -> None:
    assert len(PAGES) == 6


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.stem)
def test_tutorial(page: Path, tmp_path: Path) -> None:
    folder = tmp_path / "desk"
    folder.mkdir()
    desk = tutorial.Desk(folder)
    if lacking := desk.lacks(page.read_text()):
        pytest.skip(lacking)
    done, wrong = tutorial.follow(page, desk)
    assert not wrong, wrong
    assert done >= 5, "a tutorial without anything to run"


def test_what_is_printed_is_compared() -> None:
    assert tutorial.matches("a ‹1.5› s\n", "a 2.25 s\n")
    assert tutorial.matches("a\n...\nb\n", "a\nx\ny\nb\n") and tutorial.matches("a\n...\nb\n", "a\nb\n")
    assert tutorial.matches("ranks   4\n", "ranks 4\n"), "columns may be wider"
    assert not tutorial.matches("a 1\n", "a 2\n") and not tutorial.matches("", "a\n")
    assert not tutorial.matches("a\n", "a\nb\n") and not tutorial.matches("a.c\n", "abc\n")


def test_blocks_are_found_with_their_files() -> None:
    page = "Write `a.py`:\n\n```python\nx\n```\n\n```console\n$ one \\\n  two\nthree\n```\n\n```text\nseen\n```\n"
    found = tutorial.blocks(page)
    assert [(b.language, b.file, b.line) for b in found] == [
        ("python", "a.py", 4),
        ("console", None, 8),
        ("text", None, 14),
    ]
    assert tutorial.commands(found[1].text) == [("one \\\n  two", "three\n")]
    assert tutorial.commands("$ cat >a <<'END'\nx\nEND\n$ b\nc\n") == [("cat >a <<'END'\nx\nEND", ""), ("b", "c\n")]
    with pytest.raises(AssertionError, match="begins with a command"):
        tutorial.commands("three\n")
