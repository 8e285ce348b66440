"""Writes what follows from the code: pages of the reference, and pictures.

Usage: make_docs.py [FOLDER]     the pages and their pictures, into FOLDER (docs); the repository has none of them
       make_docs.py --pictures   the README's pictures; the repository has them, so that it shows them unbuilt
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import allport as ap
import interface_page
import typer
from allport.cli import app
from typer.testing import CliRunner

DOCS = Path(__file__).resolve().parent.parent / "docs"
#: By file under docs/, the command that draws it.
PICTURES = {"concepts/cholesky-4.svg": "graph show cholesky --tiles 4 --grid 2x2 -o"}
README_PICTURES = {
    "concepts/trees-4x4.svg": "schedule show bcast --algorithm rectangular --machine torus:4x4 --root 0 -o",
    "pictures/cholesky-gantt.svg": "simulate cholesky --shape 4096 --lower --nb 256 --grid 4x4 -m bgp:4x4 --gantt",
    "pictures/bcast-8x8x8.svg": "compare bcast --machine bgp:8x8x8 --sizes 1KiB:16MiB --plot",
}
#: A fixed width and no colour, so that a page does not depend on the terminal that made it.
TERMINAL = {"COLUMNS": "110", "NO_COLOR": "1", "TERM": "dumb"}


def printed(arguments: list[str]) -> str:
    """What `allport` prints. Raises what it raises."""
    done = CliRunner().invoke(app, arguments, env=TERMINAL, prog_name="allport", catch_exceptions=False)
    if done.exit_code != 0:
        raise SystemExit(f"allport {' '.join(arguments)}: exit code {done.exit_code}\n{done.output}")
    return done.output


def commands(command: Any, words: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every command that does something by itself, with its words, in the order of `allport --help`."""
    inner = getattr(command, "commands", {})
    if words and (not inner or getattr(command, "invoke_without_command", False)):
        yield words, command
    for name, sub in inner.items():
        if not sub.hidden:
            yield from commands(sub, (*words, name))


def algorithms_page() -> str:
    lines = ["# Registered algorithms", "", "Made by `make docs` from the registries.", "", "## Collectives", ""]
    lines += ["| collective | algorithm | |", "|---|---|---|"]
    lines += [f"| {a['collective']} | `{a['name']}` | {a['summary']} |" for a in ap.collectives.algorithms()]
    lines += ["", "## gemm", "", "| algorithm | |", "|---|---|"]
    lines += [f"| `{a['name']}` | {a['summary']} |" for a in ap.plan.gemm_algorithms()]
    lines += ["", "## lu and solve", "", "| algorithm | |", "|---|---|"]
    lines += [f"| `{a['name']}` | {a['summary']} |" for a in ap.plan.lu_algorithms()]
    lines += ["", "## Preset machines", "", "| preset | lengths and rates |", "|---|---|"]
    for name in ap.machine.preset_names():
        machine = ap.Machine.parse(name).to_dict()
        axes = "x".join(f"{axis['length']}{'' if axis['wraps'] else 'm'}" for axis in machine["axes"])
        rates = ", ".join(
            f"{key} {machine[key]:g}" for key in ("flops", "memory", "overhead", "injection") if machine.get(key)
        )
        lines.append(f"| `{name}` | {axes}, link {machine['axes'][0]['bandwidth']:g} B/s, {rates} |")
    return "\n".join(lines) + "\n"


def commands_page() -> str:
    lines = ["# The commands' own help", "", "Made by `make docs`. [cli.md](cli.md) explains.", ""]
    for words, _ in commands(typer.main.get_command(app)):
        lines += [f"## allport {' '.join(words)}", "", "```text"]
        lines += [line.rstrip() for line in printed([*words, "--help"]).strip().splitlines()]
        lines += ["```", ""]
    return "\n".join(lines)


PAGES: dict[str, Callable[[], str]] = {
    "reference/algorithms.md": algorithms_page,
    "reference/commands.md": commands_page,
    "reference/interfaces.md": interface_page.page,
}


def write_changed(path: Path, text: str) -> None:
    """A file that is as it was keeps its time, so that Sphinx does not read it again."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def draw(folder: Path, pictures: dict[str, str]) -> None:
    for name, command in pictures.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        aside = path.with_suffix(f".new{path.suffix}")
        printed([*command.split(), str(aside)])
        write_changed(path, aside.read_text())
        aside.unlink()


def write_all(folder: Path) -> list[Path]:
    """Writes the pages and their pictures; where they are."""
    for name, page in PAGES.items():
        write_changed(folder / name, page())
    draw(folder, PICTURES)
    return [folder / name for name in (*PAGES, *PICTURES)]


def main() -> None:
    if sys.argv[1:] == ["--pictures"]:
        draw(DOCS, README_PICTURES)
    else:
        write_all(Path(sys.argv[1]) if len(sys.argv) > 1 else DOCS)


if __name__ == "__main__":
    main()
