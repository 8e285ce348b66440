"""studies/docs/lab-simulated.md, lab-cholesky.md and lab-graphs.md: they agree with their stored measurements."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]


def module_of(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / "studies" / "lab" / f"{name}.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def writer() -> ModuleType:
    return module_of("beside_simulator")


def test_the_page_is_what_the_kept_runs_and_todays_simulator_give(writer: ModuleType) -> None:
    text, strange = writer.page(writer.beside(writer.kept()))
    assert strange == [], "rows that are off and not explained"
    assert text == writer.PAGE.read_text(), "tools/lab-check --reuse writes it again"


def test_a_reason_explains_the_figure_that_it_was_found_for_and_no_other(writer: ModuleType) -> None:
    run = {"lab": "torus:4x4", "rate": "40mbit", "collective": "alltoall"}
    found, words = writer.WHY[writer.key(run)]
    assert writer.reason(run, found) == words != ""
    assert writer.reason(run, found + 2 * writer.SAME) == ""
    assert writer.reason(run, 0.5) == ""
    assert writer.reason({**run, "collective": "bcast"}, 2.0) == ""


def test_the_page_of_cholesky_is_what_its_runs_and_todays_simulator_give() -> None:
    writer = module_of("cholesky")
    text, off = writer.page(writer.kept_runs())
    assert off == [], "what is simulated is not what runs in the lab"
    assert text == writer.PAGE.read_text(), "tools/lab-check cholesky --reuse writes it again"


def test_the_page_of_products_and_lu_is_what_its_runs_and_todays_simulator_give() -> None:
    writer = module_of("graphs")
    text, _ = writer.page(writer.kept_runs())
    assert text == writer.PAGE.read_text(), "tools/lab-check graphs --reuse writes it again"
