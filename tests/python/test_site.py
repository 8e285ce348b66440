"""The site builds without a warning, and its search works from a folder, without a server, in a real browser."""

import json
import re
import shutil
import subprocess
import sys
import zlib
from pathlib import Path

import allport as ap
import pytest

ROOT = Path(__file__).resolve().parents[2]
OPTIONS = "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking"

pytest.importorskip("sphinx", reason="Sphinx is not here: `make docs` installs it, builds the site and checks it")
pytest.importorskip("myst_parser", reason="myst-parser is not here: `make docs` installs it")
pytest.importorskip("furo", reason="furo is not here: `make docs` installs it")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, ROOT / "tools/site/build.py", "--output", folder / "html", "--work", folder / "work"]
    done = subprocess.run([*command, "--figures", "none"], capture_output=True, text=True, timeout=500)
    assert done.returncode == 0, done.stderr[-4000:]
    return folder / "html"


def test_variables_of_one_declaration_are_described_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "tools/site"))
    import header_reference

    text = "namespace n {\nstruct S {\n  int a, *b = nullptr, c{3};  ///< All three.\n  T how{\n      .x = 3};\n};\n}\n"
    [entry] = [entry for _, block in header_reference.parse(text, "s.h").scopes for entry in block]
    found = [(member.signature, member.doc) for member in entry.members]
    said = ["All three."]
    assert [name for name, _ in found] == ["int a", "int*b = nullptr", "int c = {3}", "T how"]
    assert [doc for _, doc in found[:3]] == [said] * 3


def objects(site: Path) -> set[str]:
    """The names that the site describes, from Sphinx's inventory."""
    head, _, packed = (site / "objects.inv").read_bytes().partition(b"zlib.\n")
    assert head.startswith(b"# Sphinx inventory")
    return {line.split(" ")[0] for line in zlib.decompress(packed).decode().splitlines()}


def test_every_public_name_is_in_the_site(site: Path) -> None:
    sys.path[:0] = [str(ROOT / "tools" / "site")]
    import python_reference

    found = objects(site)
    assert {python_reference.documented(name) for name in ap.__all__} <= found
    headers = [path.read_text() for path in (ROOT / "include/allport").glob("allport*.h")]
    declared = set(re.findall(r"^(?:int|const char\*) (allport_\w+)\(", "\n".join(headers), re.MULTILINE))
    assert declared <= found
    assert "allport.machine.Machine.flat" in found, "a static function of a compiled class"
    assert {"allport::Machine", "allport::Machine::route", "allport::TaskGraph::children"} <= found


def test_pages_made_from_the_code_are_in_the_site_and_linked(site: Path) -> None:
    index = (site / "docs/reference/README.html").read_text()
    for name in ("algorithms", "commands", "interfaces"):
        assert (site / f"docs/reference/{name}.html").exists()
        assert re.search(rf'<a [^>]*href="{name}\.html"><span[^>]*>{name}\.md', index), name
    assert "cholesky-4.svg" in (site / "docs/concepts/graph.html").read_text()


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        ("register_algorithm", "allport.collectives.html"),
        ("torus", "machine"),
        ("start_broadcast", "api/cpp/comm.html"),
    ],
)
def test_search_works_from_a_folder(site: Path, tmp_path: Path, words: str, wanted: str) -> None:
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if browser is None:
        pytest.skip("no chromium here (Debian: apt-get install chromium): the search was not tried in a browser")
    done = subprocess.run(
        [
            browser, *OPTIONS.split(), f"--user-data-dir={tmp_path / 'profile'}", "--virtual-time-budget=15000",
            "--dump-dom", f"{(site / 'search.html').as_uri()}?q={words}",
        ],
        capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    results = re.findall(r'<a href="([^"]+)"', done.stdout.partition('id="search-results"')[2])
    assert any(wanted in result for result in results), json.dumps(results[:20]) + done.stderr[-500:]
