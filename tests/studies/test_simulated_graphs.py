"""Products and LU at the papers' sizes: what is kept of their simulations, and what pages say of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from studies.figures import simulated_graphs as sims
from studies.figures.multiply_16384 import ABSTRACT, FASTER, SIZES

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "studies" / "docs" / "paper-sizes.md"


def test_graphs_are_simulated_as_they_are_kept() -> None:
    kept = sims.kept()
    assert {case.key for case in sims.CASES} == set(kept)
    by_key = {case.key: case for case in sims.CASES}
    for key in (
        "gemm n=65536 bgp:8x8x4 16x16x1 rectangular b=256",
        "none n=65536 bgp:8x8x4 16x8x2 rectangular b=64",
        "partial n=65536 bgp:8x8x4 16x16x1 in steps b=64",
    ):
        found = sims.simulate(by_key[key])
        assert found["seconds"] == pytest.approx(kept[key]["seconds"], rel=1e-6), key
        assert found["compute"] == pytest.approx(kept[key]["compute"], rel=1e-6), key
    for case in sims.CASES:
        one = kept[case.key]
        assert one["compute"] + one["communicate"] + one["idle"] == pytest.approx(1.0, abs=1e-3)
        assert 0 < one["efficiency"] <= one["compute"] * (1.02 if case.work == "gemm" else 1.0), case.key


def test_products_with_layers_are_ahead_where_links_decide() -> None:
    ran = sims.at_16384("gemm", 8192)
    assert sims.gain(ran, "2D RCT") > 3.0
    assert sims.gain(ran, "PDGEMM") > 12.0
    assert sims.gain(ran, "2.5D BNM") > 1.0
    ran = sims.at_16384("gemm", 131072)  # nothing is left to be gained where all else hides behind multiplying
    assert ran["2D RCT"]["efficiency"] > 0.99
    assert sims.gain(ran, "PDGEMM") > 1.0


def test_lu_on_16384_nodes_is_what_the_page_says() -> None:
    page = PAGE.read_text()
    for pivoting in ("none", "tournament"):
        ran = sims.at_16384(pivoting, 131072)
        assert ran["2D RCT"]["seconds"] < ran["2D BNM"]["seconds"]
        assert ran["2D RCT"]["seconds"] < ran["2.5D RCT"]["seconds"]
        assert all(f"| {ran[name]['seconds']:.1f} |" in page for name in ran)
    assert sims.gain(ran, "PDGETRF") > 1.0


def test_who_asks_for_what_is_not_kept_is_told() -> None:
    with pytest.raises(LookupError, match="nothing is kept"):
        sims.best(sims.kept(), "gemm", 1000, "bgp:2x2x2", False, "rectangular")


def test_what_pages_say_of_products_is_what_is_kept() -> None:
    small, large = (sims.at_16384("gemm", n) for n in SIZES)
    page = " ".join(PAGE.read_text().split())
    assert f"Solomonik11 has {FASTER[SIZES[0]]} times." in page
    assert f"Solomonik11 has {FASTER[SIZES[1]]} and its paper {ABSTRACT}." in page
    assert f"Against 2D over binomial trees it is {sims.gain(large, '2D BNM'):.1f} times as fast" in page
    assert f"against PDGEMM {sims.gain(large, 'PDGEMM'):.1f} times" in page
    binomial = f"{sims.gain(small, '2D BNM'):.0f}"
    assert f"| SUMMA, binomial trees | 128 x 128 | {small['2D BNM']['seconds']:.3f} | 2.8 | {binomial} |" in page
    assert f"| SUMMA over binomial trees, n = 8192 | {binomial} (simulated) |" in (ROOT / "README.md").read_text()
