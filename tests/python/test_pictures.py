"""Pictures are legible: distinct curves, scales with numbers, labels that do not overlap; and their files are small."""

from __future__ import annotations

import re
from pathlib import Path

import allport as ap
import numpy as np
import pytest
from allport.report import draw, plot
from allport.report.pages.links import colour
from allport.report.pages.svg import Curve, curves
from page_reader import PageReader

NAMES = [f"algorithm{i}" for i in range(20)]


def _strokes(text: str) -> list[str]:
    return re.findall(r'stroke="(#\w{6})"', text)


def test_every_curve_has_its_own_colour() -> None:
    lines = [Curve(name, [1.0, 2.0], [float(i + 1), float(i + 2)]) for i, name in enumerate(NAMES)]
    drawn, keys = curves("Many", lines, ("x", "y"), (str, str))
    assert [name for name, _ in keys[:20]] == NAMES
    assert len({ink for _, ink in keys[:20]}) == 20 and {ink for _, ink in keys[:20]} == set(_strokes(drawn))


def test_a_curve_below_another_one_is_seen() -> None:
    x = [1.0, 2.0, 3.0, 4.0]
    lines = [Curve("below", x, [5.0, 6.0, 7.0, 9.0]), Curve("above", x, [5.0, 6.0, 8.0, 3.0])]
    drawn, keys = curves("Two", lines, ("x", "y"), (str, str))
    below, above = keys[0][1], keys[1][1]
    found = re.findall(r'<path d="([^"]*)" fill="none" stroke="(#\w+)" stroke-width="2"( stroke-dasharray)?', drawn)
    assert [(ink, bool(dash)) for _, ink, dash in found] == [(below, False), (above, False), (above, True)]
    assert found[2][0].count("L") == 1, "of three pieces the one that lies on the other curve"
    radius = {ink: re.findall(rf'r="([\d.]+)" fill="{ink}"', drawn) for ink in (below, above)}
    assert radius == {below: ["3.5"] * 4, above: ["2", "2", "3.5", "3.5"]}
    assert "two curves on each other" in keys[-1][0]


def _comparison() -> dict:
    rows = [
        {"size": size, "bound": size * 1e-9, "fastest": "algorithm0", "chosen": "algorithm0",
         "algorithms": {name: {"seconds": size * 1e-9 * (2 + max(i, 1))} for i, name in enumerate(NAMES)}}
        for size in (1024, 4096)
    ]  # fmt: skip
    return {"collective": "bcast", "machine": "torus:2", "ranks": 2, "rows": rows}


def test_the_plot_of_a_comparison_tells_its_curves_apart(tmp_path: Path) -> None:
    plot.comparison(_comparison(), str(tmp_path / "c.svg"))
    text = (tmp_path / "c.svg").read_text()
    lines = re.findall(r'<path d="M[^"]*"[^>]*style="fill: none;([^"]*stroke-width: 1.5[^"]*)"', text)
    lines = [line for line in lines if "#8a94a0" not in line]  # the bound
    inks = {re.search(r"stroke: (#\w+)", line)[1] for line in lines}
    assert len(inks) == 20
    assert sum("stroke-dasharray" in line and "0" in line for line in lines) >= 1, "1 lies on 0"


def test_link_colours_have_a_fixed_scale() -> None:
    machine = ap.Machine.parse("bgp:4x4")
    run = ap.graph.simulate(ap.graph.cholesky(2048, 256, "4x4"), machine, trace=True)
    busiest = float(np.max(run.link_busy)) / run.seconds
    assert 0.02 < busiest < 0.6
    text = ap.report.pages.of(run).html()
    assert f'stroke="{colour(1.0)}"' not in text and f'stroke="{colour(busiest)}"' in text
    assert "</i>0.0 %</span>" in text and "</i>100.0 %</span>" in text


def test_drawings_of_large_machines_are_small_files(tmp_path: Path) -> None:
    schedule = ap.make_schedule("bcast", "torus:16x8x8", algorithm="rectangular", bytes=1 << 16)
    draw.trees(schedule, "torus:16x8x8", tmp_path / "t.svg")
    assert (tmp_path / "t.svg").stat().st_size < 1_000_000
    text = (tmp_path / "t.svg").read_text()
    first = re.findall(r"[Mlhv][^Mlhv]*", re.search(rf'<path d="(M[^"]*)"[^>]*stroke: {draw.COLOURS[0]}', text)[1])
    assert len(first) >= 2 * 1023, "every link of the first tree"


def _milliseconds(text: str) -> float:
    value, unit = text.split(" ")[:2]
    return float(value) * {"ns": 1e-6, "us": 1e-3, "ms": 1.0, "s": 1e3}[unit]


def _bars(text: str, caption: str) -> list[str]:
    table = re.search(rf"<caption>{caption}.*?</table>", text, re.S)[0]
    return re.findall(r'<td class="n">([^<]*)</td>', table)


@pytest.fixture(scope="module")
def product() -> ap.plan.GemmPlan:
    return ap.plan.gemm(8192, 8192, 8192, "bgp:8x8x8")


def test_what_is_shown_by_predicted_time_is_sorted_by_it(product: ap.plan.GemmPlan, allport) -> None:
    shown = [_milliseconds(one) for one in _bars(ap.report.pages.of(product).html(), "Predicted time of the best")]
    assert shown == sorted(shown) and len(shown) == 12
    order = ap.mapping.choose("torus:4x4", ap.pattern.halo([8, 2], local=64))
    found = [_milliseconds(one) for one in _bars(ap.report.pages.of(order).html(), "Predicted seconds")]
    assert found == sorted(found) and len(found) > 5
    choice = ap.explain("bcast", "bgp:4x4", bytes=1 << 16)
    times = [_milliseconds(one) for one in _bars(ap.report.pages.of(choice).html(), "Predicted time by algorithm")]
    assert times == sorted(times) and len(times) > 5
    printed = allport("plan", "gemm", "--shape", "8192x8192x8192", "-m", "bgp:8x8x8").stdout
    # Columns: ..., total, words, messages.
    totals = [_milliseconds(t) for t in re.findall(r"([\d.]+ \ws)  +[\d,]+  +\d+  +[\d.]+ MiB", printed)]
    assert totals == sorted(totals) and len(totals) == 12
    least = min(c["seconds"]["total"] for c in product.to_dict()["candidates"] if not c.get("why_not"))
    assert ("longer than the fastest" in printed) == (product.predicted > least)


def test_a_page_says_the_times_that_the_terminal_says(allport, tmp_path: Path) -> None:
    done = allport("plan", "lu", "--shape", "4096x4096", "-m", "bgp:4x4", "--report", "p.html")
    line = next(line for line in done.stdout.splitlines() if line.startswith(">"))
    compute, communicate, total = re.findall(r"[\d.]+ \ws", line)[:3]
    facts = PageReader((tmp_path / "p.html").read_text()).facts
    assert (facts["compute"], facts["communicate"], facts["predicted time"]) == (compute, communicate, total)
    assert "communication not hidden" not in facts
