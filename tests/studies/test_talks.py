"""studies/docs/talks.md has every page of the talks, and constants of figures have a source or are called ours."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any

import pytest

from studies.figures import all_figures, talks
from studies.figures.figure import HOW, agrees, near

FIGURES = Path(talks.__file__).parent
UNITS = {"KIB", "MB", "GB", "KILO", "GIGA", "KIB, MB"}
#: Modules whose constants are of drawings.
DRAWN = {"drawings", "page", "render"}
#: Modules of Pena13's figures, whose sizes of messages and sweeps are not marked yet.
NOT_YET = {"exchanges", "link_runs", "order_runs", "pena13_slide11", "pena13_slide12", "pena13_slide14"}
NOT_YET |= {"pena13_slide15", "pena13_slide16", "routers"}
SOURCE = re.compile(
    r"Solomonik11|Chan06|Robson18|Pena13|Song09|\b(?:19|20)\d\d\b|of our runs|" + talks.OURS.pattern, re.I
)


@pytest.fixture(scope="module")
def rows() -> list[dict[str, Any]]:
    return talks.rows(talks.stored()["figures"])


def test_the_page_is_what_its_values_say() -> None:
    assert talks.page() == talks.PAGE.read_text(), "python -m studies.figures.talks writes it again"


@pytest.mark.parametrize("name", talks.TALKS)
def test_every_page_of_a_talk_has_a_row_or_no_result(name: str, rows: list[dict[str, Any]]) -> None:
    talk = talks.TALKS[name]
    shown = {n for row in rows if row["talk"] == name for n in row["pages"]}
    nothing = [n for pages in talk.nothing.values() for n in pages]
    assert sorted([*shown, *nothing]) == list(range(1, talk.pages + 1))


def test_rows_are_complete(rows: list[dict[str, Any]]) -> None:
    assert {row["figure"] for row in rows} == {figure.id for figure in all_figures()}
    for row in rows:
        assert row["how"] and set(row["how"].split(", ")) <= {*HOW, "small shapes"}, row
        assert row["reproduced"] in ("yes", "in part", "no", "put in", "no value in the text"), row
        assert row["why"] or row["reproduced"] == "yes", row
        assert len(row["why"].split()) <= 15, row
        assert row["published"] and row["ours"], row


def test_what_holds_follows_from_the_numbers() -> None:
    assert [agrees(True, True), agrees(True, False), agrees(False)] == ["yes", "in part", "no"]
    assert near(12, 11.9) == "yes"
    assert near(12, 11.9, 3.0) == "in part"
    assert near(12, 3.9, 25.0) == "in part", "ours enclose it"
    assert near(12, 3.9, 4.0) == "no"
    assert talks._percentages("up to 74 %", "16 % less time (19 % more rate)") == "no"
    assert talks._percentages("up to 74 %", "42 % less time (72 % more rate)") == "yes"
    assert talks._percentages("up to 74 %", "+40 % (+12 to +80 %)") == "in part"
    assert talks._percentages("up to 74 %", "-40 % (-50 to -12 %)") == "no"
    assert talks._percentages("much higher", "1.6 times") == ""


def test_citations_are_in_words() -> None:
    talk = talks.TALKS["robson18"]
    assert talk.where([11, 12, 13, 30]) == "Robson18, slides 11 to 13 and 30"
    assert talk.where([3]) == "Robson18, slide 3"
    assert talk.where([6, 3]) == "Robson18, slides 3 and 6"
    assert talk.where([31, 41, 42]) == "Robson18, slides 31, 41 and 42"


def test_constants_that_figures_depend_on_are_known() -> None:
    known = talks.constants()
    named = [*all_figures(), *talks.STATED.values()]
    for one in named:
        for name in one.ours:
            assert any(talks._matches(constant.name, [name]) for constant in known), name
    for figure in all_figures():
        ours = [c.name for c in known if talks._matches(c.name, figure.ours)]
        assert {c.name for c in known if talks._matches(c.name, figure.varied)} <= set(ours), figure.id
    used = {name for one in named for name in one.ours}
    machines = {path.stem for path in (FIGURES / "machines").glob("*.toml")}
    assert machines <= {name.partition(".")[0] for name in used}


def _is_a_number(value: str) -> bool:
    """Made of numbers alone, or of the records that have constants of machines."""
    nodes = list(ast.walk(ast.parse(value, mode="eval").body))
    plain = (ast.Constant, ast.Tuple, ast.List, ast.Dict, ast.BinOp, ast.UnaryOp, ast.operator, ast.unaryop, ast.Load)
    constants = [node.value for node in nodes if isinstance(node, ast.Constant)]
    if any(isinstance(node, ast.Call) and ast.unparse(node.func) in ("Node", "Setting") for node in nodes):
        return True
    numbers = [c for c in constants if isinstance(c, int | float) and not isinstance(c, bool)]
    return len(numbers) == len(constants) > 0 and all(isinstance(node, (*plain, ast.Name)) for node in nodes)


def test_constants_of_figures_have_a_source_or_are_called_ours() -> None:
    off = [
        f"{path.stem}.{names} = {value}"
        for path in sorted(FIGURES.glob("*.py"))
        if path.stem not in DRAWN | NOT_YET
        for names, value, note in talks.commented(path)
        if names not in UNITS and _is_a_number(value) and not SOURCE.search(note)
    ]
    assert off == []
