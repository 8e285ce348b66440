"""The pages are as the code says, their links lead somewhere, and every public name is described."""

import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "tools" / "site")]

import make_docs  # noqa: E402
import python_reference  # noqa: E402

MADE = {ROOT / "docs" / name for name in (*make_docs.PAGES, *make_docs.PICTURES)}
PAGES = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "studies/README.md")] + [
    page for folder in ("docs", "studies/docs") for page in sorted((ROOT / folder).rglob("*.md")) if page not in MADE
]
LINK = re.compile(r"\]\(([^)\s]+)\)|<img src=\"([^\"]+)\"")
CODE = re.compile(r"^(`{3,})[^\n]*\n.*?^\1|^(?: {4}|\t)[^\n]*$|(`+)[^`].*?\2", re.DOTALL | re.MULTILINE)


def slugs(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub and the site make them."""
    text = re.sub(r"^(`{3,}).*?^\1", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)
    found: set[str] = set()
    for heading in re.findall(r"^#{1,6} +(.+?)\s*$", text, re.MULTILINE):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        slug = re.sub(r"[^\w\- ]", "", plain.strip().lower()).replace(" ", "-")
        found.add(slug if slug not in found else f"{slug}-1")
    return found


def test_the_page_of_algorithms_has_every_algorithm_and_preset() -> None:
    import allport as ap

    rows = [[cell.strip(" `") for cell in row.split("|")[1:-1]] for row in make_docs.algorithms_page().splitlines()]
    for a in ap.collectives.algorithms():
        assert [a["collective"], a["name"], a["summary"]] in rows
    for a in (*ap.plan.gemm_algorithms(), *ap.plan.lu_algorithms()):
        assert [a["name"], a["summary"]] in rows
    assert set(ap.machine.preset_names()) <= {row[0] for row in rows if row}


@pytest.fixture(scope="module")
def commands_page() -> str:
    return make_docs.commands_page()


def test_the_page_of_commands_has_every_command_and_option(commands_page: str) -> None:
    import typer
    from allport.cli import app

    found = re.findall(r"^## ([^\n]*)\n\n```text\n(.*?)^```$", commands_page, re.MULTILINE | re.DOTALL)
    known = list(make_docs.commands(typer.main.get_command(app)))
    assert [heading for heading, _ in found] == [f"allport {' '.join(words)}" for words, _ in known]
    assert len(known) > 40
    for (heading, text), (_, command) in zip(found, known):
        assert text.startswith(f"Usage: {heading}")
        assert max(map(len, text.splitlines())) <= 110 and "\x1b" not in text
        options = {name for p in command.params if not getattr(p, "hidden", False) for name in p.opts if name[0] == "-"}
        assert options <= set(re.findall(r"(?<![\w-])--?[A-Za-z][\w-]*", text)), heading


def broken(page: Path, text: str) -> list[str]:
    """The links that lead nowhere, of a page with this text."""
    found = []
    for link in LINK.findall(CODE.sub("", text)):
        target, _, anchor = (link[0] or link[1]).partition("#")
        if re.match(r"[a-z]+:", target):
            continue
        there = (page.parent / target).resolve() if target else page
        if not there.exists() or there in MADE or (anchor and anchor not in slugs(there)):
            found.append(link[0] or link[1])
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    assert broken(page, page.read_text()) == [], "the repository does not have pages that `make docs` makes"


def test_links_of_pages_made_from_the_code_lead_somewhere(commands_page: str) -> None:
    for name, page in make_docs.PAGES.items():
        text = commands_page if page is make_docs.commands_page else page()
        assert broken(ROOT / "docs" / name, text) == [], name


def test_what_is_made_from_the_code_is_ignored_and_listed() -> None:
    ignored = (ROOT / ".gitignore").read_text().splitlines()
    assert {f"/docs/{name}" for name in (*make_docs.PAGES, *make_docs.PICTURES)} <= set(ignored)
    index = (ROOT / "docs/reference/README.md").read_text()
    assert all(f"`{Path(name).name}`" in index for name in make_docs.PAGES)


def test_pictures_of_pages_are_drawn(tmp_path: Path) -> None:
    make_docs.draw(tmp_path, make_docs.PICTURES)
    for name in make_docs.PICTURES:
        assert (tmp_path / name).read_text().startswith("<svg")
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == [tmp_path / n for n in make_docs.PICTURES]


def test_every_public_name_of_python_has_a_docstring() -> None:
    assert python_reference.undocumented() == []


def test_every_name_of_the_package_has_its_page() -> None:
    import allport as ap

    pages = python_reference.pages()
    described = set(re.findall(r"^\.\. (?:auto\w+|py:data):: (\S+)", "\n".join(pages.values()), re.MULTILINE))
    assert {python_reference.documented(name) for name in ap.__all__} <= described


def test_docstrings_become_restructured_text() -> None:
    lines = ["Takes a | b and *args, `a_` stays.", "", "    code * code", "", "And x_ again."]
    assert python_reference.restructured(lines) == [
        "Takes a \\| b and \\*args, `a_` stays.", "", "::", "", "    code * code", "", "And x\\_ again.",
    ]  # fmt: skip


def test_the_readme_is_one_screen_with_pictures() -> None:
    text = (ROOT / "README.md").read_text()
    assert len(text.splitlines()) <= 70
    pictures = re.findall(r"<img src=\"docs/([^\"]+)\"", text)
    assert set(pictures) == set(make_docs.README_PICTURES)
    assert "make demo" in text and "make test" in text


HEADER = """// What this is.
#pragma once

namespace allport {
namespace engine {
struct State;
}

/// A pair of <things>.
/// @pre a >= 0
template <class T>
class Pair : public Base<T> {
 public:
  explicit Pair(T a = {}) : a_(a) {}
  /// The first.
  [[nodiscard]] T const& first() const { return a_; }
  bool wraps = true;
  Seconds latency{-1.0};  ///< negative: as the axis,
                          ///< or unknown
  friend bool operator==(Pair const&, Pair const&) = default;
  Pair(Pair const&) = delete;

 private:
  T a_;
};

/// Colours.
enum class Colour : int { red = 1, ///< as blood
                          blue };

/// Names of ports.
using Port = std::int8_t;
inline constexpr Port any = -1;

int bare(int x);
}
"""


def test_headers_are_read_by_their_grammar() -> None:
    pytest.importorskip("tree_sitter_cpp", reason="tree-sitter is not here: tools/setup docs")
    import header_reference as reference

    header = reference.parse(HEADER, "h.h")
    assert header.about == ["What this is."]
    found = [(scope, entry) for scope, entries in header.scopes for entry in entries]
    assert {scope for scope, _ in found} == {"allport"}
    pair, colour, port, anything, bare = (entry for _, entry in found)
    assert (pair.kind, pair.signature) == ("class", "template <class T> Pair : public Base<T>")
    assert [(m.kind, m.signature) for m in pair.members] == [
        ("function", "explicit Pair(T a = {})"),
        ("function", "T const& first() const"),
        ("member", "bool wraps = true"),
        ("member", "Seconds latency = {-1.0}"),
    ]
    assert pair.members[3].doc == ["negative: as the axis,", "or unknown"]
    assert (colour.kind, colour.signature) == ("enum-class", "Colour : int")
    assert [(m.signature, m.doc) for m in colour.members] == [("red = 1", ["as blood"]), ("blue", [])]
    assert (port.signature, anything.kind, anything.grouped) == ("Port = std::int8_t", "var", True)
    assert reference.undocumented(header) == [f"h.h:{bare.line}: int bare(int x)"]
    shown = reference.directive(pair)
    assert "A pair of \\<things>." in shown and "*Precondition:* a >= 0" in shown


def test_every_name_of_c_has_a_comment() -> None:
    pytest.importorskip("tree_sitter_cpp", reason="tree-sitter is not here: tools/setup docs")
    import header_reference as reference

    headers = reference.read(ROOT / "include")["c"]
    assert [line for header in headers for line in reference.undocumented(header)] == []
    names = " ".join(entry.signature for header in headers for _, entries in header.scopes for entry in entries)
    text = "".join((ROOT / "include" / header.name).read_text() for header in headers)
    code = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)  # comments name functions, too
    declared = set(re.findall(r"\b(allport_\w+)\(", code))
    declared -= {"allport_error"} if "allport_error" not in names else set()
    assert len(headers) > 1 and len(declared) > 50
    assert all(re.search(rf"\b{name}\b", names) for name in declared)
