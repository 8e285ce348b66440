"""Builds the site: docs/, studies/docs/, CHANGELOG.md and CONTRIBUTING.md, and the reference made from the code.

Usage: build.py [--output FOLDER] [--work FOLDER] [--figures quick|none]

The sources are gathered in the folder for work, build/site-source: copies of what is written by hand, and pages that
are made. Fails on a link that leads nowhere, a page that no table of contents has, a name of the Python or C interface
without documentation, and on whatever else Sphinx warns of.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE), str(HERE.parent)]

import check_architecture  # noqa: E402
import figures_page  # noqa: E402
import header_reference  # noqa: E402
import make_docs  # noqa: E402
import python_reference  # noqa: E402

COPIED = ("docs", "studies/docs", "studies/README.md", "examples", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE")


def reference_index(source: Path) -> Path:
    """The index of the reference, with links to the pages made from the code, which the repository does not have."""
    index = "docs/reference/README.md"
    text = (ROOT / index).read_text()
    for name in (Path(page).name for page in make_docs.PAGES):
        text = text.replace(f"`{name}`", f"[{name}]({name})")
    make_docs.write_changed(source / index, text)
    return source / index


def gather(source: Path) -> None:
    """Brings what is written by hand, and the pages made from the code, into the sources, so that links lead where they
    lead in the tree."""
    source.mkdir(parents=True, exist_ok=True)
    made = {*make_docs.write_all(source / "docs"), reference_index(source)}
    wanted = set(made)
    for name in COPIED:
        there = ROOT / name
        for path in [there] if there.is_file() else [p for p in there.rglob("*") if p.is_file()]:
            copy = source / path.relative_to(ROOT)
            if copy in made:
                continue
            wanted.add(copy)
            copy.parent.mkdir(parents=True, exist_ok=True)
            if not copy.exists() or copy.stat().st_mtime != path.stat().st_mtime:
                shutil.copy2(path, copy)
    for folder in ("docs", "studies"):
        for path in (source / folder).rglob("*"):
            if path.is_file() and path not in wanted:
                path.unlink()
    make_docs.write_changed(source / "index.md", (HERE / "index.md").read_text())
    (source / "extra").mkdir(exist_ok=True)


def python_pages(source: Path) -> list[str]:
    """Writes Python's pages; what has no docstring."""
    folder = source / "api" / "python"
    made = python_reference.pages()
    for name, text in made.items():
        make_docs.write_changed(folder / f"{name}.rst", text)
    for path in folder.glob("*.rst"):
        if path.stem not in made:
            path.unlink()
    return [f"{name}: no docstring" for name in python_reference.undocumented()]


def header_pages(source: Path) -> list[str]:
    """Writes the pages of C and C++; what of C's has no comment."""
    folder = source / "api" / "cpp"
    modules = header_reference.read(ROOT / "include")
    rows = check_architecture.read_table(ROOT / "docs/concepts/architecture.md")
    abouts = {"c": "The C interface: every function returns a code, and `allport_error()` has the message."}
    what = module_descriptions()
    for module, headers in modules.items():
        about = abouts.get(module) or what.get(module, "")
        make_docs.write_changed(
            folder / f"{module}.md", header_reference.page("C" if module == "c" else f"C++: {module}", about, headers)
        )
    for path in folder.glob("*.md"):
        if path.stem != "index" and path.stem not in modules:
            path.unlink()
    order = ["c", *sorted((r for r in modules if r != "c"), key=lambda r: (rows[r].layer, r))]
    lines = [
        "# C and C++, header by header",
        "",
        "From the public headers, one page per module of the [architecture](../../docs/concepts/architecture.md).",
        "",
    ]
    lines += ["```{toctree}", ":maxdepth: 1", "", *order, "```", ""]
    make_docs.write_changed(folder / "index.md", "\n".join(lines))
    return [f"include/{line}: no comment" for header in modules["c"] for line in header_reference.undocumented(header)]


def module_descriptions() -> dict[str, str]:
    """The description of each module, from the table of the architecture page."""
    found = {}
    for line in (ROOT / "docs/concepts/architecture.md").read_text().splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if line.startswith("|") and len(cells) == 4 and cells[0].isdigit():
            found[cells[1].strip(" `")] = cells[2][:1].upper() + cells[2][1:] + "."
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=Path, default=ROOT / "build" / "site")
    parser.add_argument("--work", type=Path, default=ROOT / "build" / "site-source")
    parser.add_argument("--figures", choices=("quick", "none"), default="quick")
    options = parser.parse_args()
    source = options.work.absolute() / "pages"
    gather(source)
    missing = python_pages(source) + header_pages(source)
    for line in missing:
        print(line, file=sys.stderr)
    make_docs.write_changed(source / "figures.md", figures_page.page(source, anew=options.figures == "quick"))
    if options.output.exists() and not (options.output / ".buildinfo").exists():
        shutil.rmtree(options.output)  # not Sphinx's: begin anew
    command = [sys.executable, "-m", "sphinx", "-b", "html", "-c", str(HERE), "-d", str(options.work / "doctrees")]
    command += ["-D", f"html_extra_path={source / 'extra'}"]
    command += ["-j", "auto", "-q", "-W", "--keep-going", str(source), str(options.output)]
    code = subprocess.run(command, check=False).returncode
    if missing:
        print(f"{len(missing)} public name(s) without documentation", file=sys.stderr)
    return 1 if code != 0 or missing else 0


if __name__ == "__main__":
    sys.exit(main())
