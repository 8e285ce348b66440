"""studies/networks: the table has a row for each network, and its networks are what they are called."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from types import ModuleType

import allport as ap
import pytest

FOLDER = Path(__file__).parents[2] / "studies" / "networks"


@pytest.fixture(scope="module")
def table() -> ModuleType:
    sys.path.insert(0, str(FOLDER))
    try:
        import table
    finally:
        sys.path.remove(str(FOLDER))
    return table


def test_rows(table: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    table.main(["--quick"])
    head, _, *rows = capsys.readouterr().out.splitlines()
    assert head.startswith("| network | nodes | rate / optimum |")
    found = {cells[1]: cells for cells in ([c.strip() for c in row.split("|")] for row in rows)}
    assert len(found) == len(table.QUICK.split(";"))
    assert found["`torus:4x4`"][2:8] == found["`shuffled torus:4x4`"][2:8] == ["16", "1", "4", "4", "4", "16"]
    assert all(float(cells[3]) >= 0.9 for cells in found.values())


def test_networks(table: ModuleType) -> None:
    torus = ap.network.Topology.parse("torus:6x6")
    degrees = Counter(Counter(a for a, *_ in table.shuffled(torus).links).values())
    assert degrees == {4: 36}
    assert len(table.without(torus, 5).links) == 2 * (72 - 4)
    some = table.part(torus, 20)
    assert (some.compute_nodes, some.vertices, len(some.links)) == (20, 36, 144)
