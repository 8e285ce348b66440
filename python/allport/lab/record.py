"""The record of a lab, lab.json. It is checked strictly, because root removes and kills what it names.

Names of namespaces and interfaces are not read from it; they follow from the lab's name and shape, which are checked.
"""

from __future__ import annotations

import json
import re
from dataclasses import fields
from pathlib import Path
from typing import Any

from allport.errors import failure
from allport.lab.plan import MAX_NETWORK, MAX_NODES, Plan
from allport.lab.rates import LEAST_BITS, MOST_BITS
from allport.lab.shape import Cable, Grid, Network, is_title

__all__ = ["MARK", "PHASES", "read"]

MARK = "made by allport lab up"
PHASES = ("starting", "up", "going")
_KEYS = {
    "mark": str,
    "phase": str,
    "maker": int,
    "maker_start": int,
    "born": str,
    "inodes": dict,
    "changes": int,
    "plan": dict,
}


class _Wrong(Exception):
    """The message says what is wrong with a record."""


def _expect(condition: bool, what: str) -> None:
    if not condition:
        raise _Wrong(what)


def _is(value: Any, kind: type) -> bool:
    return isinstance(value, kind) and (kind is bool or not isinstance(value, bool))


def read(path: Path, name: str) -> dict[str, Any]:
    """The fields of a lab's record, with the plan as a Plan. name: that of the lab.

    Raises FileNotFoundError if there is none, and Error, naming the file and the remedy, if `lab up` cannot have
    written it; nothing of such a lab is touched.
    """
    try:
        data = json.loads(path.read_text())
        _expect(_is(data, dict) and data.get("mark") == MARK, "it was not made by allport lab")
        data.setdefault("born", "")  # labs of earlier versions have none
        _check_keys(data, _KEYS, "")
        _check_state(data)
        data["plan"] = _plan(data["plan"], name)
        _check_inodes(data)
    except FileNotFoundError:
        raise
    except _Wrong as wrong:
        raise failure(f"{path}: {wrong}; {_remedy(path, name)}", "io") from None
    except (OSError, ValueError, RecursionError) as error:
        raise failure(f"{path}: cannot be read: {error}; {_remedy(path, name)}", "io") from None
    return data


def _remedy(path: Path, name: str) -> str:
    return (
        f"nothing was touched. Where it is this lab's and damaged, remove the lab by hand: ip netns delete those of "
        f"its namespaces allport-{name}-* that ip netns list shows, then rm -r {path.parent}"
    )


def _check_keys(data: dict[str, Any], kinds: dict[str, type], where: str) -> None:
    for key, kind in kinds.items():
        _expect(key in data, f"{where}'{key}' is missing")
        _expect(_is(data[key], kind), f"{where}'{key}' = {data[key]!r}: expected {kind.__name__}")
    for key in data:
        _expect(key in kinds, f"{where}'{key}' is not known")


def _check_state(data: dict[str, Any]) -> None:
    _expect(data["phase"] in PHASES, f"'phase' = {data['phase']!r}: expected {', '.join(PHASES)}")
    for key in ("maker", "maker_start", "changes"):
        _expect(data[key] >= 0, f"'{key}' = {data[key]}: expected 0 or more")
    _expect(
        re.fullmatch(r"([0-9a-f]{32})?", data["born"]) is not None, f"'born' = {data['born']!r}: expected 32 digits"
    )


def _plan(data: dict[str, Any], name: str) -> Plan:
    kinds = {"name": str, "spec": str, "shape": dict, "ranks_per_node": int, "bits": list}
    kinds |= {"tcp": str, "forwarding": bool, "cables": list}
    plain = {key: value for key, value in data.items() if key not in ("burst", "limit")}
    _check_keys(plain, kinds, "plan: ")
    _expect(data["name"] == name, f"plan: 'name' = {data['name']!r}: expected {name!r}, as its folder is called")
    _expect(data["spec"].isprintable() and len(data["spec"]) < 4096, f"plan: 'spec' = {data['spec']!r}")
    _expect(re.fullmatch(r"[a-z0-9_-]{0,15}", data["tcp"]) is not None, f"plan: 'tcp' = {data['tcp']!r}")
    shape = _network(data["shape"]) if "switches" in data["shape"] else _grid(data["shape"])
    _expect(
        all(_is(bits, int) and LEAST_BITS <= bits <= MOST_BITS for bits in data["bits"]),
        f"plan: 'bits' = {data['bits']!r}: expected 8kbit to 100gbit",
    )
    groups = len(shape.lengths) if isinstance(shape, Grid) else max(1, len(data["bits"]))
    _expect(len(data["bits"]) == groups, f"plan: 'bits' = {data['bits']!r}: expected {groups} of int, one a group")
    _expect(data["ranks_per_node"] >= 1, f"plan: 'ranks_per_node' = {data['ranks_per_node']}")
    for key in ("burst", "limit"):
        value = data.get(key)
        _expect(value is None or (_is(value, int) and 2_000 <= value <= 64 << 20), f"plan: '{key}' = {value!r}")
    plan = Plan(**{**data, "shape": shape, "cables": [_cable(c) for c in data["cables"]]})
    _check_cables(plan)
    return plan


def _grid(data: dict[str, Any]) -> Grid:
    _check_keys(data, {"lengths": list, "wraps": list}, "plan: shape: ")
    axes = len(data["lengths"])
    for key, kind in (("lengths", int), ("wraps", bool)):
        whole = len(data[key]) == axes >= 1 and all(_is(value, kind) for value in data[key])
        _expect(whole, f"plan: '{key}' = {data[key]!r}: expected {axes or 'some'} of {kind.__name__}, one an axis")
    _expect(all(1 <= n <= MAX_NODES for n in data["lengths"]), f"plan: 'lengths' = {data['lengths']}")
    grid = Grid(**data)
    _expect(grid.nodes <= MAX_NODES, f"plan: {grid.nodes} nodes; a lab has {MAX_NODES} at most")
    return grid


def _network(data: dict[str, Any]) -> Network:
    _check_keys(data, {"nodes": int, "switches": int, "names": list}, "plan: shape: ")
    few = 1 <= data["nodes"] <= MAX_NETWORK[0] and 0 <= data["switches"] <= MAX_NETWORK[1]
    _expect(few, f"plan: {data['nodes']} nodes and {data['switches']} switches; a lab has {MAX_NETWORK} at most")
    names = data["names"]
    whole = len(names) in (0, data["nodes"] + data["switches"]) and all(_is(name, str) for name in names)
    _expect(whole and all(is_title(name) for name in names), f"plan: 'names' = {names!r}: expected one a vertex")
    return Network(**data)


def _cable(data: Any) -> Cable:
    _expect(_is(data, dict), f"plan: cable {data!r}: expected an object")
    _check_keys(data, {f.name: bool if f.type == "bool" else int for f in fields(Cable)}, "plan: cable: ")
    return Cable(**data)


def _check_cables(plan: Plan) -> None:
    """Cables of a grid must be those of its shape, each once and in order; of any other network, its vertices' with
    ports in order."""
    found = [(c.group, c.low, c.high, c.low_port, c.high_port) for c in plan.cables]
    if isinstance(plan.shape, Grid):
        expected = [(axis, low, high, 2 * axis + 1, 2 * axis) for axis, low, high in plan.shape.cables()]
    else:
        used, expected = [0] * plan.vertices, []
        for c in plan.cables:
            there = 0 <= c.low < c.high < plan.vertices and 0 <= c.group < len(plan.bits)
            _expect(there, f"plan: cable {c.low}-{c.high}: no such ends, or rate")
            expected.append((c.group, c.low, c.high, used[c.low], used[c.high]))
            used[c.low], used[c.high] = used[c.low] + 1, used[c.high] + 1
    _expect(found == expected, "plan: 'cables' are not those of its shape")
    for c in plan.cables:
        fast = LEAST_BITS <= c.bits <= MOST_BITS
        _expect(fast, f"plan: cable {c.low}-{c.high}: {c.bits} bit/s: expected 8kbit to 100gbit")


def _check_inodes(data: dict[str, Any]) -> None:
    """Inodes must be those of this lab's namespaces; of all of them once it is up."""
    plan: Plan = data["plan"]
    ours = {plan.namespace(place) for place in plan.places()}
    for space, inode in data["inodes"].items():
        _expect(space in ours, f"'inodes': {space!r} is no namespace of lab '{plan.name}' ({plan.spec})")
        _expect(_is(inode, int) and inode > 0, f"'inodes': {space!r}: {inode!r}: expected an inode's number")
    missing = sorted(ours - data["inodes"].keys()) if data["phase"] == "up" else []
    _expect(not missing, f"'inodes': {missing[:1]} is missing")
