"""Reads torus3d of Slurm's topology.yaml (Slurm 26.05): tori with their lengths, and hosts in the order of places."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from allport.errors import failure
from allport.network import hostlist

__all__ = ["Torus", "chosen", "tori"]

AXES = ("x", "y", "z")
Places = dict[str, tuple[int, ...]]


@dataclass(frozen=True)
class Torus:
    """Its extents, and the coordinates of each host."""

    name: str
    lengths: tuple[int, int, int]
    places: Places


def _three(told: Any, key: str, where: str, least: int) -> tuple[int, int, int]:
    """The numbers of {x: 4, y: 4, z: 2}."""
    found = [told.get(a) for a in AXES] if isinstance(told, dict) else []
    numbers = [n for n in found if isinstance(n, int) and not isinstance(n, bool) and n >= least]
    if len(numbers) < len(AXES):
        raise failure(f"{where}: {key}: expected x, y and z, whole numbers from {least} on, got {found or told}")
    return numbers[0], numbers[1], numbers[2]


def _listed(told: Any, count: int, where: str) -> list[str]:
    hosts = hostlist.expand(str(told or ""))
    if len(hosts) != count:
        raise failure(f"{where}: nodes: expected {count} hosts, as many as its lengths have places, got {len(hosts)}")
    return hosts


def _box(lengths: tuple[int, ...], anchor: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """The places of a box, x fastest, as Slurm counts them."""
    for place in itertools.product(*(range(n) for n in reversed(lengths))):
        yield tuple(a + b for a, b in zip(anchor, reversed(place), strict=True))


def _regions(regions: Any, lengths: tuple[int, ...], where: str) -> Places:
    """Hosts by place, from boxes within the torus, each with its own hosts."""
    if not isinstance(regions, list) or not all(isinstance(r, dict) for r in regions):
        raise failure(f"{where}: regions: expected a list of entries with anchor, dims and nodes")
    at: Places = {}
    taken: dict[tuple[int, ...], str] = {}
    for region in regions:
        anchor = _three(region.get("anchor", dict.fromkeys(AXES, 0)), "anchor", where, 0)
        dims = _three(region.get("dims"), "dims of a region", where, 1)
        if any(a + d > n for a, d, n in zip(anchor, dims, lengths, strict=True)):
            raise failure(f"{where}: region {dims} at {anchor} sticks out of {lengths}")
        hosts = _listed(region.get("nodes"), dims[0] * dims[1] * dims[2], where)
        for host, place in zip(hosts, _box(dims, anchor), strict=True):
            if host in at or place in taken:
                raise failure(f"{where}: {host} at {place}: the host or the place is there already")
            at[host], taken[place] = place, host
    return at


def _one(torus: Any, name: str, where: str) -> Torus:
    if not isinstance(torus, dict):
        raise failure(f"{where}: expected an entry with dims and nodes, got {torus}")
    lengths = _three(torus.get("dims"), "dims", where, 1)
    if lengths[0] * lengths[1] * lengths[2] > hostlist.MOST:
        raise failure(f"{where}: dims: expected at most {hostlist.MOST:,} places, got {lengths}")
    if ("nodes" in torus) == ("regions" in torus):
        raise failure(f"{where}: expected either nodes or regions")
    if "regions" in torus:
        return Torus(name, lengths, _regions(torus["regions"], lengths, where))
    hosts = _listed(torus["nodes"], lengths[0] * lengths[1] * lengths[2], where)
    if len(set(hosts)) != len(hosts):
        raise failure(f"{where}: nodes: expected every host once")
    return Torus(name, lengths, dict(zip(hosts, _box(lengths, (0, 0, 0)), strict=True)))


def tori(told: dict[str, Any], where: str) -> list[Torus]:
    """All tori. Placements, which restrict jobs, are ignored. Raises Error naming the part that cannot be read."""
    toruses = told.get("toruses")
    if not isinstance(toruses, list) or not toruses:
        raise failure(f"{where}: torus3d: expected a list of toruses")
    found = []
    for i, torus in enumerate(toruses):
        name = str(torus.get("name", i + 1)) if isinstance(torus, dict) else str(i + 1)
        found.append(_one(torus, name, f"{where}, torus {name}"))
    return found


def chosen(all_: list[Torus], where: str, wanted: Callable[[str], bool]) -> Torus:
    """The torus that has all hosts for which wanted(host) holds, with these hosts alone. Raises Error."""
    found = []
    for torus in all_:
        if left := {host: place for host, place in torus.places.items() if wanted(host)}:
            found.append(Torus(torus.name, torus.lengths, left))
    if not found:
        raise failure(f"{where}: names no host of these")
    if len(found) > 1:
        names = ", ".join(torus.name for torus in found)
        raise failure(f"{where}: hosts are in {len(found)} tori ({names}): expected one; name its hosts by --nodes")
    return found[0]
