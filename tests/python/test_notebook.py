"""In a notebook: objects show themselves, bars come and go; elsewhere nothing of it is loaded."""

from __future__ import annotations

import subprocess
import sys
import types
from collections.abc import Iterator
from typing import Any

import allport as ap
import pytest
from allport import notebook


class Screen:
    """What a notebook would show: one text for each display, the last one that it had."""

    def __init__(self) -> None:
        self.shown: list[list[str]] = []

    def display(self, thing: Any, display_id: bool = False) -> Any:
        assert display_id
        texts = [thing.data]
        self.shown.append(texts)
        return types.SimpleNamespace(update=lambda other: texts.append(other.data))


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> Iterator[Screen]:
    """IPython with a kernel, as far as bars need it."""
    found = Screen()
    shell = types.SimpleNamespace(kernel=object())
    package = types.ModuleType("IPython")
    package.get_ipython = lambda: shell  # type: ignore[attr-defined]
    module = types.ModuleType("IPython.display")
    module.HTML = lambda text: types.SimpleNamespace(data=text)  # type: ignore[attr-defined]
    module.display = found.display  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "IPython", package)
    monkeypatch.setitem(sys.modules, "IPython.display", module)
    monkeypatch.setattr(notebook, "PATIENCE", 0.0)
    monkeypatch.setattr(notebook, "OFTEN", 0.0)
    yield found


def test_a_bar_comes_moves_and_goes(screen: Screen) -> None:
    with notebook.progress("work & more") as bar:
        for i in range(5):
            bar("", i / 4)
        bar("a <phase>", 2.0)
    assert len(screen.shown) == 1, "one bar, which moves"
    texts = screen.shown[0]
    assert len(texts) == 7 and texts[-1] == ""
    assert 'value="0.2500"' in texts[1] and "work &amp; more" in texts[1] and "25 %" in texts[1]
    assert "a &lt;phase&gt;" in texts[5] and 'value="1.0000"' in texts[5]


def test_what_is_quick_has_no_bar(screen: Screen, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notebook, "PATIENCE", 60.0)
    with notebook.progress("work") as bar:
        bar("", 0.5)
    assert screen.shown == []


def test_a_bar_goes_when_work_fails(screen: Screen) -> None:
    with pytest.raises(ZeroDivisionError), notebook.progress("work") as bar:
        bar("", 0.5)
        1 / 0  # noqa: B018
    assert screen.shown[0][-1] == ""


def test_long_work_has_a_bar_unless_it_is_told_otherwise(screen: Screen) -> None:
    machine = ap.Machine.parse("bgp:8x8")
    schedule = ap.make_schedule("bcast", machine, algorithm="binomial", bytes=1 << 20, segment=1024)
    ap.simulate(schedule, machine)
    assert len(screen.shown) <= 1
    before = len(screen.shown)
    ap.graph.simulate(ap.graph.cholesky(64 * 96, 64, "8x8"), machine)
    assert len(screen.shown) == before + 1 and screen.shown[-1][-1] == ""
    shares = [float(t.split('value="')[1].split('"')[0]) for t in screen.shown[-1][:-1]]
    assert shares == sorted(shares) and 0 <= shares[0] <= shares[-1] <= 1
    ap.bench.compare.compare("bcast", "bgp:2x2", sizes=["1KiB:4KiB"])
    assert len(screen.shown) == before + 2
    seen: list[float] = []
    ap.bench.compare.compare("bcast", "bgp:2x2", sizes=["1KiB"], progress=lambda phase, done: seen.append(done))
    ap.graph.simulate(ap.graph.cholesky(64 * 96, 64, "8x8"), machine, progress=lambda done: seen.append(done))
    assert seen and len(screen.shown) == before + 2


def test_the_command_line_in_a_notebook_shows_the_same_bar(screen: Screen) -> None:
    from allport.cli.console import progress

    with progress("simulating") as bar:
        bar("simulating", 0.5)
    assert "simulating" in screen.shown[0][0] and screen.shown[0][-1] == ""


def test_nothing_is_shown_elsewhere(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    assert not notebook.in_notebook()
    package = types.ModuleType("IPython")
    package.get_ipython = lambda: types.SimpleNamespace()  # type: ignore[attr-defined]  # of a terminal
    monkeypatch.setitem(sys.modules, "IPython", package)
    assert not notebook.in_notebook()
    package.get_ipython = lambda: None  # type: ignore[attr-defined]
    assert not notebook.in_notebook()
    with notebook.progress("work") as bar:
        bar("", 0.5)
    assert capfd.readouterr() == ("", "")


def test_what_cannot_be_shown_is_left_at_its_text(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(thing: Any) -> str:
        raise ap.Error("no")

    monkeypatch.setattr(ap.report.pages, "html", fails)
    assert ap.Machine.parse("torus:2")._repr_html_() is None


def test_pages_need_no_matplotlib_and_start_no_mpi() -> None:
    code = (
        "import sys, allport as ap; p = ap.plan.lu(300, 300, 'bgp:2x2'); assert '<svg' in p._repr_html_();"
        "r = ap.simulate(ap.make_schedule('bcast', 'bgp:2x2', bytes=5000), 'bgp:2x2', trace=True); r._repr_html_();"
        "print({'matplotlib', 'rich', 'typer', 'allport.comm', 'mpi4py.MPI', 'IPython'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout.strip() == "set()", (done.stdout, done.stderr)
