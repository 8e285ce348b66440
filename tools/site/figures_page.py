"""The page of the decks' figures: what `allport reproduce all --quick` makes, figure by figure."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import allport as ap
from allport import _native

HEAD = """# The decks' figures

Made by `allport reproduce all --quick` ([how](docs/concepts/reproduce.md)): small shapes; real runs are those
kept with the package. <a href="figures/index.html">The same as one page</a> that can be handed on, with the numbers
under each picture.

"""


def newest(folder: Path, pattern: str) -> float:
    """When the last of a folder's files changed."""
    return max((path.stat().st_mtime for path in folder.rglob(pattern)), default=0.0)


def entries(source: Path, anew: bool) -> list[dict[str, Any]]:
    """The figures as they were made; made again when the package has changed since, or there are none."""
    folder, kept = source / "figures", source / "figures.json"
    package = Path(ap.__file__).parent
    changed = max(newest(package, "*.py"), newest(package, "*.toml"), Path(str(_native.__file__)).stat().st_mtime)
    if kept.exists() and (not anew or kept.stat().st_mtime > changed):
        return json.loads(kept.read_text())
    if not anew:
        return []
    shutil.rmtree(folder, ignore_errors=True)
    made = ap.report.reproduce.reproduce("all", folder, quick=True)
    link = source / "extra" / "figures"
    if not link.is_symlink():
        link.symlink_to("../figures")
    fields = ("id", "title", "claim", "how", "got", "obtained", "why", "error", "not_run", "status", "files")
    short = [{field: entry.get(field) for field in fields} for entry in made]
    kept.write_text(json.dumps(short))
    return short


def sentence(text: str) -> str:
    """A figure's words as Markdown: nothing in them is markup."""
    return "".join(f"\\{c}" if c in "\\`*_{}[]<>#|$" else c for c in " ".join(text.split()))


def page(source: Path, anew: bool) -> str:
    """The page as MyST."""
    made = entries(source, anew)
    if not made:
        return "# The decks' figures\n\nNot made for this site; [how they are made](docs/concepts/reproduce.md).\n"
    lines = [HEAD]
    for entry in made:
        lines += [f"## {sentence(entry['title'])}", ""]
        picture = next((name for name in entry["files"] if name.endswith(".svg")), None)
        if picture is not None:
            lines += [f"![{sentence(entry['title'])}](figures/{picture})", ""]
        said = {
            "The deck says": "claim",
            "We get": "got",
            "How": "obtained",
            "Why they differ": "why",
            "Failed": "error",
        }
        for words, field in said.items():
            if entry[field]:
                lines += [f"- **{words}:** {sentence(entry[field])}"]
        lines += [f"- {sentence(line)}" for line in entry["not_run"]]
        lines += [""]
    return "\n".join(lines)
