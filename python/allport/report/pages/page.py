"""A self-contained page: sections of text, tables, bars and drawings, for a file or for a notebook.

Text arguments are escaped here; HTML arguments are made by the functions of this module or of `svg`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path

from allport._native import build_info
from allport.io import replacing
from allport.report.pages.style import STYLE

__all__ = ["Advice", "Page", "Section", "bars", "drawing", "facts", "fold", "legend", "paragraph", "table", "write"]

MOST_ROWS = 400  # maximum rows of a table


@dataclass(frozen=True)
class Advice:
    """A suggestion: what to try, why, and the command, if there is one."""

    what: str
    why: str
    command: str = ""


@dataclass
class Section:
    """A section of a page: its heading and its HTML."""

    title: str
    parts: list[str] = field(default_factory=list)


@dataclass
class Page:
    """A page: title, summary, facts, sections, and advice on what to try next."""

    title: str
    lead: str = ""
    facts: Sequence[tuple[str, str]] = ()
    sections: list[Section] = field(default_factory=list)
    advice: list[Advice] = field(default_factory=list)

    def add(self, title: str, *parts: str) -> None:
        """Adds a section, unless it is empty."""
        if any(parts):
            self.sections.append(Section(title, [part for part in parts if part]))

    def _head(self, level: int) -> str:
        lead = "".join(f"<p>{escape(line)}</p>" for line in self.lead.splitlines() if line)
        return f"<h{level}>{escape(self.title)}</h{level}>{lead}{facts(self.facts)}"

    def _advice(self) -> str:
        rows = "".join(
            f"<li><b>{escape(a.what)}</b><br>{escape(a.why)}"
            + (f"<pre><code>{escape(a.command)}</code></pre>" if a.command else "")
            + "</li>"
            for a in self.advice
        )
        return f'<ol class="advice">{rows}</ol>' if rows else ""

    def _parts(self) -> list[tuple[str, str]]:
        """(heading, HTML) of all sections; advice comes first."""
        first = [("What to try next", self._advice())] if self.advice else []
        return first + [(s.title, "\n".join(s.parts)) for s in self.sections]

    def html(self) -> str:
        """The whole page."""
        parts = self._parts()
        links = "".join(f'<a href="#s{i}">{escape(title)}</a>' for i, (title, _) in enumerate(parts))
        body = "\n".join(
            f'<section id="s{i}"><h2>{escape(title)}</h2>\n{html}\n</section>' for i, (title, html) in enumerate(parts)
        )
        return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Allport: {escape(self.title)}</title>
<style>{STYLE}</style>
</head>
<body class="allport page">
<header>{self._head(1)}</header>
{f'<nav aria-label="Sections">{links}</nav>' if len(parts) > 1 else ""}
<main>
{body}
</main>
<footer class="soft">Allport {escape(str(build_info()["version"]))}</footer>
</body>
</html>
"""

    def fragment(self) -> str:
        """The page for a cell of a notebook: all sections but the first are collapsed."""
        parts = "".join(
            f"<details{' open' if i == 0 else ''}><summary>{escape(title)}</summary>\n{html}\n</details>"
            for i, (title, html) in enumerate(self._parts())
        )
        return f'<div class="allport cell"><style>{STYLE}</style>\n{self._head(4)}\n{parts}</div>'


def write(page: Page, path: str) -> None:
    """Writes the page atomically. Raises Error if the file cannot be written."""
    with replacing(Path(path), f"report '{path}'") as aside:
        aside.write_text(page.html(), encoding="utf-8")


def _class(name: str, given: bool) -> str:
    return f' class="{name}"' if given else ""


def paragraph(text: str, soft: bool = False) -> str:
    """A paragraph of text."""
    return f"<p{_class('soft', soft)}>{escape(text)}</p>" if text else ""


def facts(pairs: Sequence[tuple[str, str]]) -> str:
    """A list of names and values."""
    cells = "".join(f"<div><dt>{escape(name)}</dt><dd>{escape(value)}</dd></div>" for name, value in pairs if value)
    return f'<dl class="facts">{cells}</dl>' if cells else ""


def fold(summary: str, *parts: str) -> str:
    """A part that is collapsed until it is opened."""
    inside = "\n".join(part for part in parts if part)
    return f"<details><summary>{escape(summary)}</summary>{inside}</details>" if inside else ""


def _scroll(inside: str, name: str) -> str:
    """A box that scrolls horizontally, also by keyboard."""
    return f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(name)}">{inside}</div>'


def table(
    caption: str,
    columns: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    words: Sequence[str] = (),
    mark: int | None = None,
) -> str:
    """A table of texts. words: columns of text; the others are numbers, aligned to the right. mark: the row to
    highlight."""
    if not rows:
        return ""
    kinds = ["" if name in words or i == 0 else ' class="n"' for i, name in enumerate(columns)]
    head = "".join(f'<th scope="col"{kind}>{escape(name)}</th>' for name, kind in zip(columns, kinds, strict=True))
    body = []
    for index, row in enumerate(rows[:MOST_ROWS]):
        cells = "".join(
            f'<th scope="row">{escape(cell)}</th>' if i == 0 else f"<td{kind}>{escape(cell)}</td>"
            for i, (cell, kind) in enumerate(zip(row, kinds, strict=True))
        )
        body.append(f"<tr{_class('mark', index == mark)}>{cells}</tr>")
    rest = len(rows) - MOST_ROWS
    more = f'<p class="soft">... and {rest:,} more</p>' if rest > 0 else ""
    inside = f"<table><caption>{escape(caption)}</caption><thead><tr>{head}</tr></thead><tbody>{''.join(body)}</tbody>"
    return _scroll(f"{inside}</table>", caption) + more


Part = tuple[float, str]


def bars(
    caption: str, rows: Sequence[tuple[str, Sequence[Part], str]], *, most: float | None = None, mark: int | None = None
) -> str:
    """Bars with their names: (name, consecutive parts, value as text). A part is (length, colour).

    most: the length that fills the width; None: the longest bar's.
    """
    whole = most or max((sum(max(length, 0.0) for length, _ in parts) for _, parts, _ in rows), default=0.0)
    body = []
    for index, (name, parts, value) in enumerate(rows):
        spans = "".join(
            f'<span style="width:{min(100.0, 100 * length / whole):.2f}%;background:{colour}"></span>'
            for length, colour in parts
            if whole > 0 and length > 0
        )
        body.append(
            f'<tr{_class("mark", index == mark)}><th scope="row">{escape(name)}</th>'
            f'<td class="bar"><div aria-hidden="true">{spans}</div></td><td class="n">{escape(value)}</td></tr>'
        )
    if not body:
        return ""
    return f'<table class="bars"><caption>{escape(caption)}</caption><tbody>{"".join(body)}</tbody></table>'


def legend(entries: Sequence[tuple[str, str]]) -> str:
    """A legend of colours: (name, colour)."""
    keys = "".join(
        f'<span><i style="background:{colour}" aria-hidden="true"></i>{escape(name)}</span>' for name, colour in entries
    )
    return f'<p class="legend">{keys}</p>' if keys else ""


def drawing(svg: str, caption: str) -> str:
    """A drawing with its caption; wide ones scroll horizontally."""
    return f"<figure>{_scroll(svg, caption)}<figcaption>{escape(caption)}</figcaption></figure>" if svg else ""
