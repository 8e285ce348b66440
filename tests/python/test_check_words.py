"""tools/check_words.py finds forbidden words, accepts citations, and finds nothing in the tree."""

import importlib
import re
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def check_words() -> ModuleType:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT / "tools")
        return importlib.import_module("check_words")


@pytest.mark.parametrize(
    "text",
    [
        "as in deck 1", "the decks' figures", "deck_top = 3", "HoldTheDecksNumbers", "deck1-slide22", "DECK",
        "see slide 4", "(slides 18 and 19)", "def figure(slide: int)", "Song09, slide 4, and slide 5",
        "is handed back", "handed_back_seconds", "handback::Report", "TakesAndHandsBack",
    ],
)  # fmt: skip
def test_words_are_found(check_words: ModuleType, text: str) -> None:
    assert {line for line, _, _ in check_words.found(f"first\n{text}\n")} == {2}


@pytest.mark.parametrize(
    "text",
    [
        "Song09, slides 4 to 6", "(Song09, slide 4)", "Song09 (slides 5 and 6)", "Pena13, slides 2 and 11; more",
        "after Solomonik11,\n/// slides 26 and 12", '"(Solomonik11, "\n  "slide 31)"', "slides 4 and 5 of Solomonik11",
        "song09-slide7", "solomonik11_slide12", "a slider", "decking",
    ],
)  # fmt: skip
def test_citations_are_left_alone(check_words: ModuleType, text: str) -> None:
    assert [*check_words.found(text)] == []


SAID = """
import typer
Way = Annotated[str, typer.Option(help="How panels travel: by which way.")]

@app.command()
def simulate(carrier: str = "", uplo: str = "L", panel: int = 0) -> None:
    \"\"\"What a rank was told.\"\"\"
    raise ap.Error(f"{carrier}: the twin of --pivot {uplo}")

def _own(way: str) -> str:
    \"\"\"A way that no user sees.\"\"\"
    return "kept"
"""


def test_options_help_and_messages_are_looked_at(check_words: ModuleType) -> None:
    wrong = {(line, word) for line, word, _ in check_words.found_spoken(SAID, "python/allport/cli/simulate.py")}
    assert wrong == {(3, "way"), (6, "carrier"), (6, "uplo"), (7, "told"), (8, "twin"), (8, "--pivot")}
    assert {word for _, word, _ in check_words.found_spoken(SAID, "python/allport/sim.py")} == {
        "way",
        "twin",
        "--pivot",
    }
    linux = 'failure("node 3 has no carrier")'
    assert [*check_words.found_spoken(linux, "python/allport/lab/wires.py")] == []
    assert [word for _, word, _ in check_words.found_spoken(linux, "python/allport/graph.py")] == ["carrier"]


def test_the_tree_has_none(check_words: ModuleType) -> None:
    assert check_words.check(ROOT) == []


def test_talks_are_in_the_bibliography(check_words: ModuleType) -> None:
    page = (ROOT / "docs" / "bibliography.md").read_text()
    assert set(re.findall(r"^\| (\w+\d\d) \|", page, re.MULTILINE)) == set(check_words.TALKS)
