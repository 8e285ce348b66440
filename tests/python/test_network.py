"""Networks as graphs and their bounds, from Python and the command line."""

from __future__ import annotations

import json
from fractions import Fraction

import allport as ap
import pytest
from allport.cli import main


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as left:
        main(list(words))
    out = capsys.readouterr()
    return int(left.value.code or 0), out.out, out.err


@pytest.mark.parametrize(
    ("collective", "network", "optimum"),
    [
        ("allgather", "torus:8x8", Fraction(63, 4)),
        ("allgather", "torus:8x8x8", Fraction(511, 6)),
        ("reduce-scatter", "torus:8x8", Fraction(63, 4)),
        ("bcast", "torus:8x8x8", Fraction(6)),
        ("reduce", "torus:8x8", Fraction(4)),
        ("gather", "fattree:4x4/4", Fraction(15)),
        ("scatter", "rails:8x4", Fraction(28, 4)),
    ],
)
def test_known_optima(collective: str, network: str, optimum: Fraction) -> None:
    assert ap.network.bound(collective, network).optimum == optimum


def test_combining_is_copying_backwards() -> None:
    # Node 0 sends at 1 and receives at 3; node 1 the other way round, and so does node 2.
    links = [(0, 1, 1.0, 0.0), (1, 0, 3.0, 0.0), (1, 2, 1.0, 0.0), (2, 1, 1.0, 0.0)]
    network = ap.network.Topology("line", 3, 0, links)
    assert ap.network.bound("bcast", network, 0).optimum == 1
    assert ap.network.bound("reduce", network, 0).optimum == 1
    assert ap.network.bound("gather", network, 0).optimum == 1
    assert ap.network.bound("scatter", network, 0).optimum == 2
    assert ap.network.bound("allgather", network).optimum == 2


def test_seconds_are_of_the_message_or_a_share() -> None:
    network = ap.network.Topology("pair", 2, 0, [(0, 1, 1e9, 0.0), (1, 0, 1e9, 0.0)])
    assert ap.network.bound("bcast", network).seconds(1e9) == pytest.approx(1)
    assert ap.network.bound("allgather", network).seconds(1e9) == pytest.approx(1)
    alone = ap.network.Topology("alone", 1, 0, [])
    assert ap.network.bound("bcast", alone).seconds(1e9) == 0


def test_errors_name_what_is_wrong() -> None:
    with pytest.raises(ap.Error, match=r"node 2"):
        ap.network.bound("allgather", ap.network.Topology("torn", 3, 0, [(0, 1, 1.0, 0.0), (1, 0, 1.0, 0.0)]))
    with pytest.raises(ap.Error, match=r"root = 4: expected a compute node from 0 to 3"):
        ap.network.bound("bcast", "full:4", 4)
    with pytest.raises(ap.Error, match=r"collective = 'alltoall': expected one of allgather"):
        ap.network.bound("alltoall", "full:4")


def test_command(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "network", "bound", "allgather", "-m", "torus:8x8", "--size", "64KiB")
    assert code == 0
    assert "63/4 shares" in out
    assert "4 units out of 63 compute nodes" in out
    code, out, _ = run(capsys, "network", "bound", "bcast", "-m", "dragonfly:a=3,p=2,h=2", "--json")
    assert code == 0
    told = json.loads(out)
    assert told["optimum"] == "1"
    assert told["optimum_is"] == "rate"
    assert told["kind"] == "optimum"
    code, _, err = run(capsys, "network", "bound", "allgather", "-m", "fattree:k=3")
    assert code == 1
    assert "an even number of ports" in err
