"""Writes the pages that follow from the code: registered algorithms, presets, the commands' help; and the pictures.

Usage: make_docs.py [--check]. With --check nothing is written; it fails when the page of algorithms differs from what
the code says (the help's looks depend on the version of the library that prints it).
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import allport as ap
import typer
from allport.cli import app

REFERENCE = Path(__file__).resolve().parent.parent / "docs" / "reference"
PICTURES = {
    "concepts/trees-4x4.svg": "schedule show bcast --algorithm rectangular --machine torus:4x4 --root 0 -o",
    "pictures/cholesky-gantt.svg": "simulate cholesky --n 4096 --nb 256 --grid 4x4 --machine bgp:4x4 --gantt",
    "pictures/bcast-8x8x8.svg": "compare bcast --machine bgp:8x8x8 --sizes 1KiB:16MiB --plot",
}


def commands(command: Any, words: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The words of every command that does something by itself, in the order of `allport --help`."""
    inner = getattr(command, "commands", {})
    if words and (not inner or getattr(command, "invoke_without_command", False)):
        yield words
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
    # A fixed width and no colour, so that the page does not depend on the terminal that made it.
    env = {**os.environ, "COLUMNS": "110", "NO_COLOR": "1", "TERM": "dumb", "LC_ALL": "C.UTF-8"}
    lines = ["# The commands' own help", "", "Made by `make docs`. [cli.md](cli.md) explains.", ""]
    for words in commands(typer.main.get_command(app)):
        command = [sys.executable, "-m", "allport", *words, "--help"]
        text = subprocess.run(command, check=True, capture_output=True, text=True, env=env).stdout
        lines += [f"## allport {' '.join(words)}", "", "```text"]
        lines += [line.rstrip() for line in text.strip().splitlines()]
        lines += ["```", ""]
    return "\n".join(lines)


def main() -> int:
    algorithms = REFERENCE / "algorithms.md"
    if "--check" in sys.argv[1:]:
        if algorithms.exists() and algorithms.read_text() == algorithms_page():
            return 0
        print("docs/reference/algorithms.md differs from the code; run `make docs`", file=sys.stderr)
        return 1
    algorithms.write_text(algorithms_page())
    (REFERENCE / "commands.md").write_text(commands_page())
    for name, command in PICTURES.items():
        path = REFERENCE.parent / name
        path.parent.mkdir(exist_ok=True)
        subprocess.run([sys.executable, "-m", "allport", *command.split(), path], check=True, capture_output=True)
    print(f"docs/reference: algorithms.md, commands.md; docs: {', '.join(PICTURES)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
