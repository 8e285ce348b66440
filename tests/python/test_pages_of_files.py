"""Pages of JSON: the drop-ins' reports, with and without what was captured, and benchmarks."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import allport as ap
import pytest
from page_reader import PageReader

TIMES = {"median": 2e-3, "least": 1e-3, "most": 4e-3, "samples": 10}


def call(**given: Any) -> dict[str, Any]:
    nothing = {"taken": 0, "how": {}, "bytes": 0, "seconds": 0.0, "reasons": {}, "passed_on": 0}
    made = {**nothing, "passed_on_seconds": 0.0, **given}
    return {**made, "passed_on": sum(made["reasons"].values())}


def dropin(**given: Any) -> dict[str, Any]:
    """As the MPI drop-in writes it."""
    rates = {"source": "given", "seconds": 0.0, "overhead": 1e-6, "axes": 2 * [{"bandwidth": 1e9, "latency": 1e-6}]}
    made = {"machine": "torus:4x4", "active": True, "why_inactive": "", "ranks": 16, "rates": rates}
    return {**made, "collectives": {}, "orders": [], "tried": {}, **given}


def page(data: dict[str, Any], *more: Any) -> PageReader:
    found = PageReader(ap.report.pages.of_dropin(data, *more).html())
    assert found.wrong == []
    return found


BCAST = call(
    taken=12, bytes=48_000_000, seconds=2.5, bounded_calls=12, bounded_seconds=2.5, bound_seconds=2.4, of_bound=0.96
)


def test_calls_taken_and_passed_through_are_reported() -> None:
    back = {"MPI's own <b>is</b> expected to be faster": 3}
    data = dropin(collectives={"MPI_Bcast": BCAST, "MPI_Allreduce": call(reasons=back, passed_on_seconds=4e-4)})
    found = page(data)
    assert found.facts["collectives taken"] == "12" and found.facts["passed on"] == "3"
    assert found.facts["of the lower bound"] == "0.96"
    assert "MPI's own <b>is</b> expected to be faster" in found.words and "MPI_Bcast: lower bound" in found.words
    assert found.advice == [], "0.4 ms of 2.5 s say nothing"


@pytest.mark.parametrize(
    ("change", "words", "command"),
    [
        (
            {"active": False, "why_inactive": "ALLPORT_MACHINE is not set, and all ranks share one computer"},
            ["Name the machine", "is not set"],
            "ALLPORT_MACHINE=torus:4x4",
        ),
        (
            {
                "active": False,
                "why_inactive": "the ranks share one computer, and no rates of the machine were measured there",
            },
            ["Measure the machine", "share one computer"],
            "allport machine calibrate -m torus:4x4 -o measured.toml",
        ),
        (
            {"rates": {"source": "assumed", "seconds": 0.0, "overhead": 1e-6, "axes": []}},
            ["Measure the machine once for all", "are assumed"],
            "allport machine calibrate",
        ),
        (
            {"collectives": {"MPI_Bcast": {**BCAST, "of_bound": 1.5}}},
            ["Measure the machine", "1.50 of its lower bound"],
            "allport machine calibrate",
        ),
        (
            {
                "collectives": {
                    "MPI_Reduce": call(reasons={"MPI's own is expected to be faster": 9}, passed_on_seconds=3.0),
                    "MPI_Bcast": BCAST,
                }
            },
            ["Try such calls on both sides", "MPI_Reduce: 3 s of 5.5 s"],
            "ALLPORT_SELECT=on ALLPORT_SELECT_FILE=found.json",
        ),
        (
            {"collectives": {"MPI_Bcast": {**BCAST, "of_bound": 0.1}}},
            ["Measure the machine", "0.10 of that is what the links need", "3.81 MiB a call"],
            "allport machine calibrate -m torus:4x4 -o measured.toml",
        ),
        (
            {"machine": "mine.toml", "collectives": {"MPI_Bcast": {**BCAST, "of_bound": 0.1}}},
            ["See where its time goes", "0.10 of that is what the links need"],
            "allport simulate bcast -m mine.toml --size 4000000 --late --report bcast.html",
        ),
    ],
)
def test_what_to_try_next_follows_from_the_report(change: dict[str, Any], words: list[str], command: str) -> None:
    found = page(dropin(**{"collectives": {"MPI_Bcast": BCAST}, **change}))
    assert len(found.advice) == 1, found.advice
    for word in words:
        assert word in found.advice[0]
    assert found.commands[0].startswith(command)


def test_a_good_report_is_given_no_advice() -> None:
    assert page(dropin(collectives={"MPI_Bcast": BCAST})).advice == []
    assert page(dropin()).advice == [], "a program without collectives"


def test_scalapack_stands_beside_it_or_alone() -> None:
    taken = call(taken=2, how={"2d on 2x2x1 in place": 2}, seconds=1.2, largest_growth=2e6)
    both = {"PDGESV": taken, "PDGEMM": call(reasons={"too small to gain anything": 12}, inside_scalapack=62)}
    found = page(dropin(scalapack={"ranks": 4, "routines": both}))
    assert found.facts["ScaLAPACK calls taken"] == "2" and "2d on 2x2x1 in place" in found.words
    assert any("ScaLAPACK's own pivots" in line and "2e+06" in line for line in found.advice)
    small = {"PDGEMM": call(reasons={"too small to gain anything": 12})}
    alone = page({"scalapack": {"ranks": 4, "routines": small}})
    assert "collectives taken" not in alone.facts and "all 12 calls were too small" in alone.advice[0]


def test_a_capture_gives_link_loads_and_the_order_that_map_chooses() -> None:
    ranks = 16
    messages = [[r, (r + 4) % ranks, 100_000] for r in range(ranks)] + [[r, r ^ 5, 900_000] for r in range(ranks)]
    what = ap.pattern.Pattern.from_json(json.dumps({"ranks": ranks, "messages": messages}), "capture")
    chosen = ap.mapping.choose("torus:4x4", what)
    found = page(dropin(collectives={"MPI_Bcast": BCAST}), ap.Machine.parse("torus:4x4"), what)
    assert chosen.reason in found.words
    gains = chosen.order != "given"
    assert any(f"order '{chosen.order}'" in line for line in found.advice) == gains
    most = max(ap.pattern.link_bytes("torus:4x4", what, list(range(ranks))))
    assert ap.units.format_bytes(most) in found.words
    with pytest.raises(ap.Error, match="capture: is of 16 ranks; torus:2x2 has 4"):
        ap.report.pages.of_dropin(dropin(), ap.Machine.parse("torus:2x2"), what)
    with pytest.raises(ap.Error, match="expected the machine beside it"):
        ap.report.pages.of_dropin(dropin(machine="gone.toml"), None, what)


def bench(**given: Any) -> dict[str, Any]:
    """As `allport bench bcast -o` writes it."""
    rows = []
    for size in (0, 1024, 1 << 20):
        seconds = {k: v * (1 + size / 1e5) if k != "samples" else v for k, v in TIMES.items()}
        chosen = {"algorithm": "rectangular", "segment": 1024, "predicted": 1e-3}
        rows.append(
            {
                "size": size, "bytes": size, "wrong": 0, "chosen": chosen, "simulated": seconds["least"],
                "mpi_price": {},
                "mpi": {"default": seconds, "ring": copy.deepcopy(seconds)}, "mpi_best": "ring",
                "ours": {"drop-in": copy.deepcopy(seconds)}, "ours_best": "drop-in", "bound": seconds["least"] / 2,
                "of_bound": 0.5, "ratio": 1.0, "ratio_of_medians": 1.0,
            }
        )  # fmt: skip
    head = {"collective": "bcast", "machine": "torus:4x4", "ranks": 16, "lab": None, "links": None, "rounds": 5}
    return {**head, "library": "Open MPI 4.1.4", "through": "preload", "measured": "m.json", "sizes": rows, **given}


def test_a_benchmark_has_curves_and_predicted_beside_measured() -> None:
    found = PageReader(ap.report.pages.of(bench()).html())
    assert found.wrong == [] and found.advice == []
    assert "The schedule on its machine, 1 MiB simulated" in found.headings and found.drawings > 4
    assert found.facts["ours over MPI's best"] == "1.00 to 1.00 times"
    assert "Predicted against measured" in found.headings and "rectangular" in found.words


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda r: r.update(ratio=0.5), ["Leave these sizes to MPI", "1 MiB", "2.00 times as fast"]),
        (lambda r: r["mpi"]["default"].update(least=1.0), ["Other settings of Open MPI 4.1.4", "'ring'"]),
        (lambda r: r.update(simulated=r["simulated"] / 4), ["Measure the machine", "4.00"]),
        (lambda r: r.update(of_bound=1.3), ["Measure the machine", "1.30 of the lower bound"]),
        (
            lambda r: r.update(
                ours={"rectangular": {**TIMES, "least": 40.0}, "ring": r["ours"]["drop-in"]}, ours_best="ring"
            ),
            ["Another algorithm than by price", "'ring'", "'rectangular'"],
        ),
    ],
)
def test_advice_of_a_benchmark_follows_from_its_rows(change: Any, words: list[str]) -> None:
    result = bench()
    change(result["sizes"][-1])
    found = PageReader(ap.report.pages.of(result).html())
    assert len(found.advice) == 1, found.advice
    for word in words:
        assert word in found.advice[0]


def test_calls_jacobi_and_comparisons_have_pages() -> None:
    row = {"collective": "bcast", "size": 8, "plain": TIMES, "auto": {**TIMES, "median": 9e-3}, "wrong": 0}
    calls = {
        "calls": 200, "modes": ["plain", "auto"], "rows": [row], "machine": "torus:2x2", "lab": None, "ranks": 4,
        "cores": 2, "mpi": "Open MPI", "rounds": 3, "calibrated": False,
    }  # fmt: skip
    found = PageReader(ap.report.pages.of(calls).html())
    assert found.wrong == [] and "bcast of 8 B: slower under the drop-in than plain" in found.advice[0]
    assert PageReader(ap.report.pages.of({**calls, "calibrated": True}).html()).advice == []
    way = {"seconds": [0.2, 0.3], "peak_to_mean": [2.0, 2.0], "imbalance": [1.5, 1.5]}
    jacobi = {
        "ways": {"spread 1": way, "mpi+openmp": {"seconds": [0.4], "peak_to_mean": [0.0]}}, "grid": [1, 64, 64],
        "block": [1, 8, 8], "axes": 2, "ranks": 2, "threads": 1, "sends": True, "lab": None, "same": True,
    }  # fmt: skip
    found = PageReader(ap.report.pages.of(jacobi).html())
    assert found.wrong == [] and found.facts["quickest"] == "spread 1" and "1.50 times the mean" in found.advice[0]
    compared = ap.bench.compare.compare("bcast", "bgp:2x2", sizes=["0", "1KiB:4KiB"])
    assert PageReader(ap.report.pages.of(compared).html()).wrong == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "cannot be read as JSON"),
        ("[1]", "expected a JSON object"),
        ("{}", "expected the JSON of ALLPORT_REPORT"),
        ('{"collectives": {"MPI_Bcast": 3}}', "is not a valid report"),
        ('{"collectives": []}', "is not a valid report"),
        ('{"sizes": [{}], "library": "x"}', "is not a valid report"),
    ],
)
def test_a_file_that_is_none_of_these_is_refused(text: str, words: str, allport, tmp_path: Path) -> None:
    (tmp_path / "r.json").write_text(text)
    with pytest.raises(ap.Error, match=words):
        ap.report.pages.of_json(tmp_path / "r.json")
    done = allport("report", "r.json", "-o", "r.html")
    assert done.returncode == 1 and done.stderr.startswith("allport: ") and words in done.stderr
    assert not (tmp_path / "r.html").exists()


def test_plans_and_runs_that_were_kept_as_json_have_the_same_pages(allport, tmp_path: Path) -> None:
    for command in ("plan lu --shape 600x500 -m bgp:2x2", "plan qr --shape 90x50 -n 3", "plan gemm --shape 9x8x7 -n 2"):
        done = allport(*command.split(), "--json", "--report", "page.html")
        (tmp_path / "p.json").write_text(done.stdout)
        again = allport("report", "p.json", "-o", "again.html")
        assert again.returncode == 0, again.stderr
        assert (tmp_path / "again.html").read_text() == (tmp_path / "page.html").read_text()
    wrong = allport("report", "p.json", "-o", "x.html", "-m", "torus:4")
    assert wrong.returncode == 1 and "p.json: is of 2 ranks; torus:4 has 4" in wrong.stderr


def test_the_command_makes_a_page(allport, tmp_path: Path) -> None:
    (tmp_path / "r.json").write_text(json.dumps(dropin(collectives={"MPI_Bcast": BCAST})))
    (tmp_path / "c.json").write_text(json.dumps({"ranks": 4, "messages": [[0, 3, 1000]]}))
    done = allport("report", "r.json", "-o", "r.html", "--capture", "c.json", "-m", "torus:4x4")
    assert done.returncode == 0 and "report: r.html" in done.stdout, done.stderr
    assert PageReader((tmp_path / "r.html").read_text()).wrong == []
    for arguments, words in (
        (["gone.json", "-o", "r.html"], "gone.json"),
        (["r.json", "-o", "r.txt"], "expected a name that ends in .html"),
        (["r.json", "-o", "no/r.html"], "there is no folder 'no'"),
        (["r.json", "-o", "x.html", "--capture", "r.json"], "r.json"),
    ):
        done = allport("report", *arguments)
        assert done.returncode == 1 and words in done.stderr and not (tmp_path / "x.html").exists(), done.stderr
