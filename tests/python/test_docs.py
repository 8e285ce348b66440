"""The pages are as the code says, their links lead somewhere, and every public name is described."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "tools" / "site")]

import make_docs  # noqa: E402
import python_reference  # noqa: E402

PAGES = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "studies/README.md")] + [
    page for folder in ("docs", "studies/docs") for page in sorted((ROOT / folder).rglob("*.md"))
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


def test_the_page_of_algorithms_is_up_to_date() -> None:
    result = subprocess.run(
        [sys.executable, ROOT / "tools" / "make_docs.py", "--check"], capture_output=True, text=True
    )
    assert result.returncode == 0, result.stderr


def test_the_page_of_commands_has_every_command() -> None:
    import typer
    from allport.cli import app

    page = (ROOT / "docs" / "reference" / "commands.md").read_text()
    wanted = [f"## allport {' '.join(words)}" for words in make_docs.commands(typer.main.get_command(app))]
    assert re.findall(r"^## .*$", page, re.MULTILINE) == wanted, "run `make docs`"


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    broken = []
    for link in LINK.findall(CODE.sub("", page.read_text())):
        target, _, anchor = (link[0] or link[1]).partition("#")
        if re.match(r"[a-z]+:", target):
            continue
        there = (page.parent / target).resolve() if target else page
        if not there.exists() or (anchor and anchor not in slugs(there)):
            broken.append(link[0] or link[1])
    assert not broken


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
    assert set(pictures) == set(make_docs.PICTURES)
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
