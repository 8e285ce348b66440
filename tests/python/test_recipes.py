"""Recipes work, like the tutorials; and the names on the page of programs exist."""

import re
from pathlib import Path

import pytest
import tutorial

FOLDER = Path(__file__).parents[2] / "docs" / "recipes"


@pytest.mark.parametrize("name", ["mpi4py", "arrays"])
def test_recipe(name: str, tmp_path: Path) -> None:
    folder = tmp_path / "desk"
    folder.mkdir()
    done, wrong = tutorial.follow(FOLDER / f"{name}.md", tutorial.Desk(folder))
    assert not wrong, wrong
    assert done >= 5


def test_every_recipe_is_listed() -> None:
    text = (FOLDER / "README.md").read_text()
    pages = {path.name for path in FOLDER.glob("*.md")} - {"README.md"}
    assert set(re.findall(r"\(([\w-]+\.md)\)", text)) == pages
