"""The claims of docs/concepts/contention.md: loads equal the simulator's, and the accuracy of predicted times."""

from __future__ import annotations

import functools
import random
from pathlib import Path

import allport as ap
import numpy as np
import pytest

PAGE = Path(__file__).resolve().parents[2] / "docs" / "concepts" / "contention.md"
SEGMENT = 1 << 16


def _trace(ranks: int, seed: int) -> ap.pattern.Pattern:
    """Messages of a program that nobody arranged."""
    chance = random.Random(seed)
    messages = [
        (chance.randrange(ranks), chance.randrange(ranks), chance.randrange(1, 1 << 18)) for _ in range(6 * ranks)
    ]
    return ap.pattern.Pattern("trace", ranks, messages)


# As the page names them: a machine, and the pattern over all of its ranks.
CASES = {
    "halo, 7 points": ("torus:8x8x4", ap.pattern.halo((16, 8, 2), local=64)),
    "halo, 27 points": ("torus:4x4x4", ap.pattern.halo((4, 4, 4), points=27, local=64)),
    "halo, 5 points": ("mesh:16x16", ap.pattern.halo((8, 32), local=4096, periodic=False)),
    "all-to-all in rows": ("gemini:4x4x4", ap.pattern.alltoall((8, 4, 4), [0], "64KiB")),
    "all-to-all in planes": ("gemini:4x4x4", ap.pattern.alltoall((8, 4, 4), [0, 1], "16KiB")),
    "allgather in rows": ("gemini:4x4x4", ap.pattern.allgather((8, 4, 4), [1], "256KiB")),
    "transpose": ("torus:16x16", ap.pattern.transpose((16, 16), "1MiB")),
    "trace": ("torus:6x5x4m", _trace(120, 7)),
    "two at once": (
        "torus:4x4x4",
        ap.pattern.halo((16, 2, 2), local=64) + ap.pattern.alltoall((8, 8), [1], "8KiB"),
    ),
}
ORDERS = ("given", "random")


def _places(spec: str, order: str) -> list[int]:
    places = list(range(ap.Machine.parse(spec).ranks))
    if order == "random":
        random.Random(1).shuffle(places)
    return places


@functools.cache
def _simulated(name: str, order: str, sharing: str) -> ap.sim.Simulation:
    spec, pattern = CASES[name]
    schedule = pattern.schedule(segment=SEGMENT, window=2)
    return ap.simulate(
        schedule, spec, model=ap.sim.Model(sharing=sharing, overheads="serial"), places=_places(spec, order)
    )


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("name", CASES)
def test_loads_are_the_simulators(name: str, order: str) -> None:
    spec, pattern = CASES[name]
    places = _places(spec, order)
    loads = ap.pattern.link_bytes(spec, pattern, places)
    for sharing in ("fifo", "fair"):
        run = _simulated(name, order, sharing)
        assert np.array_equal(run.link_bytes, loads), "to the byte, link by link"
        score = ap.mapping.score(spec, pattern, places)
        # No link is faster than its bytes, so no run is.
        assert run.seconds >= score["busiest_link_s"] * (1 - 1e-9)
        busiest = max(range(len(loads)), key=lambda link: run.link_busy[link])
        assert run.link_busy[busiest] == pytest.approx(score["busiest_link_s"])


def _row(name: str, order: str) -> list[float]:
    """Microseconds of the busiest link, predicted, simulated first come first served, and fair."""
    spec, pattern = CASES[name]
    places = _places(spec, order)
    score = ap.mapping.score(spec, pattern, places)
    runs = [_simulated(name, order, sharing).seconds for sharing in ("fifo", "fair")]
    return [1e6 * t for t in (score["busiest_link_s"], score["predicted_s"], *runs)]


def _table() -> list[str]:
    """The page's rows; `python tests/python/test_contention.py` prints them."""
    lines = []
    for name, (spec, _) in CASES.items():
        for order in ORDERS:
            cells = " | ".join(f"{value:.1f}" for value in _row(name, order))
            lines.append(f"| {name} | `{spec}` | {order} | {cells} |")
    return lines


def test_the_pages_table_is_what_runs_give() -> None:
    rows = [line.split("|")[1:-1] for line in PAGE.read_text().splitlines() if line.endswith(" |") and "`" in line]
    told = {(r[0].strip(), r[2].strip()): [float(x) for x in r[3:]] for r in rows}
    assert told.keys() == {(name, order) for name in CASES for order in ORDERS}
    ratios = []
    for (name, order), values in told.items():
        assert values == pytest.approx(_row(name, order), rel=0.01, abs=0.1), (name, order)
        ratios.append(values[2] / values[1])
    # What the page says in words.
    assert min(ratios) > 0.8 and max(ratios) < 1.25, ratios


def test_predicted_times_name_the_faster_order() -> None:
    for name, (spec, pattern) in CASES.items():
        predicted = [ap.mapping.score(spec, pattern, _places(spec, o))["predicted_s"] for o in ORDERS]
        simulated = [_simulated(name, o, "fifo").seconds for o in ORDERS]
        if abs(predicted[0] / predicted[1] - 1) > 0.1:
            assert (predicted[0] < predicted[1]) == (simulated[0] < simulated[1]), name


if __name__ == "__main__":
    print("\n".join(_table()))
