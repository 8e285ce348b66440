"""The values of the five talks beside ours, a row each, and constants that are in no source: studies/docs/talks.md.

    python -m studies.figures.talks [REPORT]

REPORT: a folder of figures, as `make figures` writes it to build/figures. Their values are stored in runs/talks.json;
the page is written from these.
"""

from __future__ import annotations

import ast
import json
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import date
from pathlib import Path
from typing import Any

from studies.figures import all_figures
from studies.figures.figure import CLOSE, Figure

__all__ = ["PAGE", "TALKS", "constants", "page", "rows", "store", "stored", "table"]

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
STORED = HERE / "runs" / "talks.json"
PAGE = ROOT / "studies" / "docs" / "talks.md"
PRESETS = ROOT / "src" / "machine" / "presets.cpp"
#: A comment with one of these words is of a constant of ours.
OURS = re.compile(r"\b(?:in no source|typical)\b")


@dataclass(frozen=True)
class Talk:
    """cite: how it is cited, without the number; pages: how many there are; nothing: those without a result."""

    cite: str
    pages: int
    nothing: dict[str, Sequence[int]]

    def where(self, pages: Sequence[int]) -> str:
        """'Solomonik11, slides 11 to 13 and 30'"""
        runs: list[list[int]] = []
        for n in sorted(pages):
            if runs and n == runs[-1][-1] + 1:
                runs[-1].append(n)
            else:
                runs.append([n])
        parts = [part for r in runs for part in ([f"{r[0]} to {r[-1]}"] if len(r) > 2 else map(str, r))]
        text = " and ".join([", ".join(parts[:-1]), parts[-1]]) if len(parts) > 1 else parts[0]
        return f"{self.cite}{'s' if len(pages) > 1 else ''} {text}"


TALKS = {
    "solomonik11": Talk(
        "Solomonik11, slide",
        36,
        {
            "title, outline, conclusions, thanks, heading of the backup part": (1, 2, 28, 29, 30),
            "reasons in words": (4,),
            "drawings of algorithms": (*range(7, 11), *range(14, 18)),
            "formulas, by which other figures are made": (20, 21, 31),
        },
    ),
    "chan06": Talk(
        "Chan06, slide",
        61,
        {
            "title, authors, outlines": (1, 2, 3, 5, 14, 25, 33, 50),
            "list of plots, conclusions, questions": (51, *range(58, 62)),
            "machine and model, in words and drawings": (4, *range(6, 14)),
            "formulas, by which other figures are made": (15, 16, 17, 18, 22, 32, 44, 48, 49),
            "what is measured, in words": (19,),
            "drawings of collectives and algorithms": (*range(26, 31), *range(34, 41), 43, 45, 46, 47),
        },
    ),
    "robson18": Talk(
        "Robson18, slide",
        30,
        {
            "title, headings, next steps": (1, 17, 22, 29),
            "plot of another talk, without values in the text": (2,),
            "the idea, in words and drawings": (4, 5, 6, 7),
            "set-up, of which the figures are made": (8, 9, 10),
            "a question, which the next one answers": (15,),
            "method, in words": (23, 24),
        },
    ),
    "pena13": Talk(
        "Pena13, slide",
        19,
        {
            "title, headings, outline, conclusions, thanks": (1, 3, 4, 6, 10, 17, 18, 19),
            "facts, which the machine file has": (2, 7),
            "contributions, in words": (5,),
            "drawings of the network": (8, 9, 13),
        },
    ),
    "song09": Talk(
        "Song09, slide",
        22,
        {
            "title, contents, motivation, summary": (1, 2, 3, 22),
            "the interface of graphs": (5, 6),
            "problem and method": (9, 10),
            "a machine, which the machine file has": (15,),
        },
    ),
}


@dataclass(frozen=True)
class Stated:
    """What a figure does not state of its numbers itself."""

    how: str
    why: str
    holds: str = ""
    ours: Sequence[str] = ("blue-waters", "routers")

    def of(self, published: str, ours: str) -> dict[str, str]:
        """The same of one number."""
        return {"how": self.how, "why": self.why, "holds": self.holds or _percentages(published, ours)}


_EXCHANGES = Stated("simulated", "The talk does not say beside what, nor how slow links across cabinets are.")
STATED = {
    "pena13-slide11": Stated("simulated", "The machine file has these ratios from the talk.", "put in"),
    "pena13-slide12": Stated("simulated", "No ordinates in the text; rates are those of the machine file."),
    "pena13-slide14": _EXCHANGES,
    "pena13-slide15": _EXCHANGES,
    "pena13-slide16": Stated("simulated", "The talk times whole steps of a stencil; ours is the exchange alone."),
}


def _percentages(published: str, ours: str) -> str:
    """figure.agrees() of gains in words: one is close to the one published, as time or as rate, or a range has it."""
    stated = re.search(r"([\d.]+) %", published)
    if not stated:
        return ""
    readings = re.findall(r"([\d.]+) % (?:less time|more rate)", ours) or re.findall(r"^\+?(-?[\d.]+) %", ours)
    if any(abs(float(r) / float(stated[1]) - 1) <= CLOSE for r in readings):
        return "yes"
    ends = re.search(r"\(\+?(-?[\d.]+) to \+?(-?[\d.]+) %\)", ours)
    return "in part" if ends and float(ends[1]) <= float(stated[1]) <= float(ends[2]) else "no"


def _pages(figure: Figure) -> list[int]:
    return list(figure.pages) or [int(m[1]) for name in (figure.id, *figure.also) if (m := re.search(r"(\d+)$", name))]


def stored() -> dict[str, Any]:
    """The stored values: 'date', and by figure its numbers, and whether they are of small shapes."""
    return json.loads(STORED.read_text())


def store(report: Path) -> list[str]:
    """Stores the values of a report, of small shapes only where there are no others; returns the figures' ids."""
    before = stored()["figures"] if STORED.exists() else {}
    figures, found = {}, []
    for name in sorted(figure.id for figure in all_figures()):
        path = report / f"{name}.json"
        made = json.loads(path.read_text()) if path.exists() else {"status": "failed"}
        old = before.get(name)
        if made["status"] == "failed" or (made["quick"] and old and not old["quick"]):
            made = old
        else:
            found.append(name)
        if made:
            figures[name] = {"quick": made["quick"], "numbers": made["numbers"]}
    whole = {"date": date.today().isoformat(), "command": "make figures", "figures": figures}
    STORED.write_text(json.dumps(whole, indent=1) + "\n")
    return found


def rows(figures: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """One row a value, in the order of the talks. figures: as stored()['figures'] has them."""
    found = []
    for figure in all_figures():
        source = figure.id.partition("-")[0]
        more = STATED.get(figure.id)
        known = figures.get(figure.id, {"quick": False, "numbers": []})
        for number in known["numbers"]:
            if more and not number["how"]:
                number = number | more.of(number["published"], number["ours"])
            pages = list(number["pages"]) or _pages(figure)
            found.append(
                {
                    "figure": figure.id,
                    "talk": source,
                    "pages": pages,
                    "where": TALKS[source].where(pages),
                    "what": number["what"],
                    "published": number["published"],
                    "ours": number["ours"],
                    "how": number["how"] + (", small shapes" if known["quick"] else ""),
                    "reproduced": number["holds"] or "no value in the text",
                    "why": number["why"],
                    "constants": list(figure.ours or (more.ours if more else ())),
                    "varied": list(figure.varied),
                }
            )
    return sorted(found, key=lambda row: (list(TALKS).index(row["talk"]), row["pages"]))


@dataclass(frozen=True)
class Constant:
    """name: 'bgp.overhead' of a preset, 'grig.injection' of a machine file, 'fat_nodes.FORK' of a module here."""

    name: str
    value: str
    note: str


def _of_machine(text: str) -> Iterator[Constant]:
    """Those of a machine file whose comments, before them or behind, call them ours."""
    name = re.search(r'(?m)^name = "(.*)"', text)
    statement = r'((?:^#[^\n]*\n)*)^(\w+) = (\[\n.*?^\]|"[^"\n]*"|[^\n#]+?) *(#[^\n]*)?$'
    for before, key, value, behind in re.findall(statement, text, re.DOTALL | re.MULTILINE):
        note = _words(before + behind)
        if name and key != "name" and OURS.search(note):
            values = dict.fromkeys(re.findall(r'= "([^"]*)"|^"([^"]*)"$', value))
            yield Constant(f"{name[1]}.{key}", ", ".join("".join(v) for v in values), note)


def _words(comment: str) -> str:
    return " ".join(re.sub(r"(?m)^\s*#", " ", comment.replace("#", "\n#")).split())


def commented(path: Path) -> Iterator[tuple[str, str, str]]:
    """(names, value, comment) of the assignments to constants of a module: the comment above, and the one behind."""
    text = path.read_text()
    lines = text.splitlines()
    for node in ast.parse(text).body:
        if not isinstance(node, ast.Assign | ast.AnnAssign) or node.value is None:
            continue
        target = node.targets[0] if isinstance(node, ast.Assign) else node.target
        names = ast.unparse(target).strip("()")
        if not re.fullmatch(r"[A-Z][A-Z0-9_]*(?:, [A-Z][A-Z0-9_]*)*", names):
            continue
        first = node.lineno - 1
        while first > 0 and lines[first - 1].startswith("#"):
            first -= 1
        above = "\n".join(lines[first : node.lineno - 1])
        behind = [lines[i].partition("  # ")[2] for i in (node.lineno - 1, (node.end_lineno or node.lineno) - 1)]
        value = re.sub(r"(?m) *# .*$", "", ast.get_source_segment(text, node.value) or "")
        yield names, " ".join(value.split()), _words("\n".join([above, *dict.fromkeys(b for b in behind if b)]))


def constants() -> list[Constant]:
    """All constants of ours: of the presets, of the machine files here, of the figures' modules."""
    texts = re.findall(r'R"toml\((.*?)\)toml"', PRESETS.read_text(), re.DOTALL)
    texts += [path.read_text() for path in sorted((HERE / "machines").glob("*.toml"))]
    found = [one for text in texts for one in _of_machine(text)]
    for path in sorted(HERE.glob("*.py")):
        found += [Constant(f"{path.stem}.{n}", v, note) for n, v, note in commented(path) if OURS.search(note)]
    return found


def _matches(constant: str, names: Iterable[str]) -> bool:
    return any(name in (constant, constant.partition(".")[0]) for name in names)


def table() -> dict[str, Any]:
    """The page's content: its rows, what has no result, and the constants with the figures that use and vary them."""
    made = rows(stored()["figures"])
    nothing = [
        {"talk": name, "where": talk.where(pages), "what": what}
        for name, talk in TALKS.items()
        for what, pages in talk.nothing.items()
    ]
    used = [
        asdict(one)
        | {
            key: list(dict.fromkeys(row["figure"] for row in made if _matches(one.name, row[of])))
            for key, of in (("used", "constants"), ("varied", "varied"))
        }
        for one in constants()
    ]
    return {"rows": made, "nothing": nothing, "constants": [one for one in used if one["used"]]}


def _line(cells: Iterable[object]) -> str:
    return "| " + " | ".join(str(cell).replace("|", "\\|") or "-" for cell in cells) + " |"


def _table(head: Sequence[str], lines: Iterable[Iterable[object]]) -> list[str]:
    return [_line(head), "|" + "---|" * len(head), *map(_line, lines), ""]


HEAD = """# The talks' values beside ours

Each value that one of the five [talks](../../docs/bibliography.md) states, and what Allport gets for it: by a run (in a
lab, or on one computer: none of the talks' machines was at hand), simulated, by the talk's model, or counted. The
[figures](figures.md) compute both, and whether ours is the talk's. This page is written from what `make figures` gave
({date}) by `python -m studies.figures.talks build/figures`; tests compare the two. `python studies talks` prints it.

Of {all} values {yes} are reproduced, {part} in part, {no} are not; {put} were put in, and for {nothing} the talk's text
has no value.

- **yes**: within 10 % of the number, or as the words say (close, similar, flat: within 10 %; far below: at most half).
  **In part**: by some of our readings, or ours enclose the value. **No**: by none.
- **put in**: the machine file has the value, or what it follows from, so that it comes out again: this is no evidence.
- Constants of ours are those in no source that the figure depends on; it varies those with an asterisk, in a band of
  its model's curves or a sweep.
"""

CONSTANTS = """## Constants in no source

Of the presets (`src/machine/presets.cpp`), of `studies/figures/machines/*.toml` and of the modules in
`studies/figures`: those whose comment has the words *in no source* or *typical*, with that comment, the number of
figures that depend on them, and the figures that vary them.
"""


def page() -> str:
    """The page as Markdown."""
    made = table()
    count = Counter(row["reproduced"] for row in made["rows"])
    lines = [HEAD.format(
        date=stored()["date"], all=len(made["rows"]), yes=count["yes"], part=count["in part"], no=count["no"],
        put=count["put in"], nothing=count["no value in the text"],
    )]  # fmt: skip
    for name, talk in TALKS.items():
        lines += [f"## {talk.cite.partition(',')[0]}", ""]
        lines += _table(
            ("where", "what", "talk", "ours", "how", "reproduced", "why different", "constants of ours"),
            (
                (row["where"], row["what"], row["published"], row["ours"], row["how"], row["reproduced"], row["why"],
                 ", ".join(f"`{one}`" + ("\\*" if one in row["varied"] else "") for one in row["constants"]))
                for row in made["rows"] if row["talk"] == name
            ),
        )  # fmt: skip
    lines += ["## Without a result to reproduce", ""]
    lines += _table(("where", "what"), ((one["where"], one["what"]) for one in made["nothing"]))
    lines += [CONSTANTS]
    lines += _table(
        ("constant", "value", "comment", "figures", "varied in"),
        (
            (f"`{one['name']}`", one["value"], one["note"], len(one["used"]), ", ".join(one["varied"]))
            for one in made["constants"]
        ),
    )
    return "\n".join(lines)


def main(arguments: Sequence[str]) -> None:
    """Stores the values of a report, if one is named, and writes the page."""
    if arguments:
        found = store(Path(arguments[0]))
        print(f"{len(found)} of {len(all_figures())} figures stored")
    PAGE.write_text(page())


if __name__ == "__main__":
    main(sys.argv[1:])
