"""The report as one HTML page that needs nothing else: pictures and data are inside it."""

from __future__ import annotations

import base64
import re
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

from studies.figures.render import INK, LINE, PAPER

__all__ = ["page"]

MOST_ROWS = 60

STYLE = """
:root { color-scheme: light dark; --paper: #ffffff; --ink: #1d2733; --soft: #5a6672; --line: #dde2e8; --card: #f5f7f9;
  --blue: #0068b4; --good: #0b7a4b; --bad: #b3261e; --wait: #8a5a00; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #14181d; --ink: #e8ecf0; --soft: #9aa6b2; --line: #333c46; --card: #1c2229;
    --blue: #6db6f2; --good: #5fd0a0; --bad: #ff8a80; --wait: #f0c060; } }
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0 auto; max-width: 76rem; padding: 1rem; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, sans-serif; overflow-wrap: break-word; }
h1 { font-size: 1.6rem; line-height: 1.2; margin: 0.5rem 0; }
h2 { font-size: 1.2rem; line-height: 1.3; margin: 0 0 0.3rem; }
a { color: var(--blue); }
p { margin: 0.4rem 0; }
.soft { color: var(--soft); font-size: 0.9rem; }
.scroll { overflow-x: auto; border: 1px solid var(--line); border-radius: 8px; margin: 0.8rem 0; }
table { border-collapse: collapse; width: 100%; font-size: 0.875rem; }
th, td { text-align: left; vertical-align: top; padding: 0.45rem 0.6rem; border-bottom: 1px solid var(--line); }
th { background: var(--card); white-space: nowrap; }
tr:last-child td { border-bottom: 0; }
.all { min-width: 56rem; }
.all td:first-child { white-space: nowrap; }
.all th:nth-child(2) { width: 18%; } .all th:nth-child(5) { width: 22%; } .all th:nth-child(6) { width: 38%; }
.pairs th { width: 16%; }
section > * { max-width: 52rem; }
section { border-top: 1px solid var(--line); margin-top: 2rem; padding-top: 1.2rem; }
figure { margin: 0.8rem 0; }
figure svg { display: block; width: 100%; max-width: 40rem; height: auto; font-family: system-ui, sans-serif; }
figure.white { overflow-x: auto; }
figure.white svg { background: #ffffff; border-radius: 8px; min-width: 40rem; max-width: 52rem; }
dl { margin: 0.5rem 0; display: grid; grid-template-columns: 8.5rem 1fr; gap: 0.35rem 1rem; }
dt { color: var(--soft); }
dd { margin: 0; min-width: 0; }
details { margin: 0.6rem 0; }
summary { cursor: pointer; color: var(--blue); padding: 0.3rem 0; }
.tag { display: inline-block; border-radius: 1rem; padding: 0 0.6rem; font-size: 0.8rem; border: 1px solid currentColor;
  white-space: nowrap; }
.ok { color: var(--good); } .failed { color: var(--bad); } .partly, .missing { color: var(--wait); }
@media (max-width: 40rem) {
  body { padding: 0.8rem; }
  dl { display: block; } dt { margin-top: 0.5rem; font-size: 0.85rem; }
  .all { min-width: 0; }
  .all thead, .pairs thead { display: none; }
  .all tr, .pairs tr { display: block; padding: 0.5rem 0; border-bottom: 1px solid var(--line); }
  .all td, .pairs td { display: block; border: 0; padding: 0.05rem 0.7rem; white-space: normal; }
  .pairs td[data-name]::before { content: attr(data-name) ": "; color: var(--soft); }
  .all .long { display: none; }
  .all td:first-child { font-size: 0.8rem; }
  .all td.how { display: inline-block; color: var(--soft); font-size: 0.85rem; }
  .all td.outcome { display: inline-block; padding: 0; }
}
"""

WORDS = {"ok": "done", "partly": "partly run", "missing": "not run here", "failed": "failed"}


def _tag(status: str) -> str:
    return f'<span class="tag {status}">{WORDS[status]}</span>'


def _inline(path: Path, colours: bool) -> str:
    """An SVG file's <svg> element, its ink, lines and paper those of the page."""
    text = re.sub(r"^.*?(?=<svg)", "", path.read_text(), flags=re.DOTALL)
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    # Names of namespaces are no addresses, but inline SVG needs none of them; references within the file stay.
    text = re.sub(r'\sxmlns(:\w+)?="[^"]*"', "", text, count=4).replace("xlink:href", "href")
    text = re.sub(r'(<svg[^>]*?)\swidth="[^"]*"', r"\1", text, count=1)
    text = re.sub(r'(<svg[^>]*?)\sheight="[^"]*"', r"\1", text, count=1)
    if colours:
        text = text.replace(PAPER, "var(--paper)").replace(INK, "var(--ink)").replace(LINE, "var(--line)")
        text = re.sub(r"'DejaVu Sans'", "system-ui", text)
    return text


def _cell(value: Any) -> str:
    return escape(f"{value:.5g}" if isinstance(value, float) else str(value))


def _data(rows: Sequence[Sequence[Any]], csv: str, name: str) -> str:
    if len(rows) < 2:
        return ""
    head = "".join(f"<th>{escape(str(c))}</th>" for c in rows[0])
    body = "".join("<tr>" + "".join(f"<td>{_cell(v)}</td>" for v in row) + "</tr>" for row in rows[1 : MOST_ROWS + 1])
    more = len(rows) - 1 - MOST_ROWS
    rest = f'<p class="soft">... and {more} more rows in {name}.csv</p>' if more > 0 else ""
    link = "data:text/csv;base64," + base64.b64encode(csv.encode()).decode()
    return (
        f"<details><summary>Data: {len(rows) - 1} rows</summary>"
        f'<p class="soft"><a download="{name}.csv" href="{link}">{name}.csv</a>, and beside this page '
        f"{name}.svg, .png and .json</p>"
        f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>{rest}</details>'
    )


def _section(entry: dict[str, Any], folder: Path) -> str:
    parts = [
        f'<section id="{entry["id"]}"><h2>{escape(entry["title"])}</h2>',
        f'<p class="soft">{escape(entry["id"])} · {escape(", ".join(entry["how"]))} · {_tag(entry["status"])} '
        f"in {entry['seconds']:.1f} s</p>",
    ]
    if entry["error"]:
        parts.append(f'<p class="failed">Failed: {escape(entry["error"])}</p>')
    parts += [f'<p class="missing">{escape(line)}</p>' for line in entry["not_run"]]
    svg = folder / f"{entry['id']}.svg"
    if entry["files"] and svg.exists():
        kind = ' class="white"' if entry["picture"] else ""
        parts.append(f"<figure{kind}>{_inline(svg, colours=not entry['picture'])}</figure>")
    lines = [("Source says", "claim"), ("We get", "got"), ("How obtained", "obtained"), ("Why they differ", "why")]
    cells = "".join(f"<dt>{label}</dt><dd>{escape(entry[key])}</dd>" for label, key in lines if entry[key])
    parts.append(f"<dl>{cells}</dl>")
    parts.append(_data(entry["rows"], entry["csv"], entry["id"]))
    parts.append("</section>")
    return "\n".join(parts)


def _overview(entries: list[dict[str, Any]]) -> str:
    rows = []
    for e in entries:
        got = e["got"] or e["error"] or " ".join(e["not_run"])
        rows.append(
            f'<tr><td><a href="#{e["id"]}">{escape(e["id"])}</a></td><td><b>{escape(e["title"])}</b></td>'
            f'<td class="how">{escape(", ".join(e["how"]))}</td><td class="outcome">{_tag(e["status"])}</td>'
            f'<td class="long">{escape(e["claim"])}</td><td class="long">{escape(got)}</td></tr>'
        )
    head = "".join(f"<th>{h}</th>" for h in ("figure", "what", "how", "outcome", "source says", "we get"))
    return (
        f'<div class="scroll"><table class="all"><thead><tr>{head}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div>"
    )


def _headlines(entries: list[dict[str, Any]]) -> str:
    rows = [
        f'<tr><td><a href="#{e["id"]}">{escape(n["what"])}</a></td>'
        f'<td data-name="published">{escape(n["published"])}</td><td data-name="ours">{escape(n["ours"])}</td>'
        f'<td data-name="how">{escape(n["how"] or ", ".join(e["how"]))}</td>'
        f'<td data-name="reproduced">{escape(n["holds"] or "-")}</td><td data-name="why">{escape(n["why"])}</td></tr>'
        for e in entries
        for n in e["numbers"]
    ]
    if not rows:
        return ""
    head = "".join(f"<th>{h}</th>" for h in ("value", "published", "ours", "how", "reproduced", "why different"))
    return (
        '<h2>Headline values side by side</h2><div class="scroll"><table class="pairs">'
        f"<thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
    )


def page(entries: list[dict[str, Any]], about: dict[str, str], folder: Path) -> str:
    """The whole page. entries: as reproduce() makes them; about: {'made': ..., 'version': ..., 'shapes': ...}."""
    count = {s: sum(e["status"] == s for e in entries) for s in WORDS}
    said = ", ".join(f"{n} {WORDS[s]}" for s, n in count.items() if n)
    facts = " · ".join(escape(v) for v in about.values())
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Allport: published figures, made again</title>
<style>{STYLE}</style>
</head>
<body>
<h1>Published figures, made again</h1>
<p>Every figure says what its source says, what we get, how, and why the two differ. No constant was changed to hit a
value: machines are the presets bgp, xe6, gemini and exascale, and constants that no source states are marked there.</p>
<p class="soft">{facts} · {len(entries)} figures: {said}</p>
{_overview(entries)}
{_headlines(entries)}
{"".join(_section(e, folder) for e in entries)}
</body>
</html>
"""
