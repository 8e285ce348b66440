"""Writes the reference pages that follow from the code: registered algorithms, presets, and the commands' help.

Usage: make_docs.py [--check]. With --check nothing is written; it fails when the page of algorithms differs from what
the code says (the help's looks depend on the version of the library that prints it).
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import allport as ap

REFERENCE = Path(__file__).resolve().parent.parent / "docs" / "reference"
COMMANDS = (
    ("run",),
    ("run", "gemm"),
    ("run", "lu"),
    ("run", "cholesky"),
    ("run", "solve"),
    ("run", "qr"),
    ("run", "lstsq"),
    ("plan", "gemm"),
    ("plan", "lu"),
    ("plan", "cholesky"),
    ("plan", "qr"),
    ("machine", "show"),
    ("machine", "list"),
    ("machine", "file"),
    ("machine", "calibrate"),
    ("schedule", "list"),
    ("schedule", "show"),
    ("schedule", "verify"),
    ("schedule", "export"),
    ("schedule", "import"),
    ("explain",),
    ("map",),
    ("multicast", "explain"),
    ("multicast", "table"),
    ("graph", "show"),
    ("graph", "check"),
    ("graph", "count"),
    ("simulate",),
    ("compare",),
    ("bench",),
    ("report",),
    ("lab", "up"),
    ("lab", "run"),
    ("lab", "cut"),
    ("lab", "restore"),
    ("lab", "throttle"),
    ("lab", "status"),
    ("lab", "down"),
    ("doctor",),
    ("dropin", "mpi"),
    ("version",),
)


def algorithms_page() -> str:
    lines = ["# Registered algorithms", "", "Made by `make docs` from the registries.", "", "## Collectives", ""]
    lines += ["| collective | algorithm | |", "|---|---|---|"]
    lines += [f"| {a['collective']} | `{a['name']}` | {a['summary']} |" for a in ap.algorithms()]
    lines += ["", "## gemm", "", "| algorithm | |", "|---|---|"]
    lines += [f"| `{a['name']}` | {a['summary']} |" for a in ap.gemm_algorithms()]
    lines += ["", "## lu and solve", "", "| algorithm | |", "|---|---|"]
    lines += [f"| `{a['name']}` | {a['summary']} |" for a in ap.lu_algorithms()]
    lines += ["", "## Preset machines", "", "| preset | as `allport machine show` has it |", "|---|---|"]
    for name in ap.preset_names():
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
    for words in COMMANDS:
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
    print("docs/reference: algorithms.md, commands.md")
    return 0


if __name__ == "__main__":
    sys.exit(main())
