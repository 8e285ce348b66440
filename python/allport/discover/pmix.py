"""Network coordinates from PMIx (PMIX_FABRIC_COORDINATES), if the launcher provides them.

libpmix is called through ctypes, without further dependencies: the launcher that started the job has installed it.
"""

from __future__ import annotations

import ctypes
import os
import socket
from collections.abc import Callable, Sequence
from typing import Any

from allport.discover.shape import Shape, grid_of
from allport.errors import failure

__all__ = ["LIBRARIES", "NoCoordinates", "coordinates_of", "join", "read", "shape_of"]

LIBRARIES = ("libpmix.so.2", "libpmix.so")
COORDINATES, SHAPE = b"pmix.fab.coord", b"pmix.fab.shapestr"
STRING, DATA_ARRAY, COORD, GEOMETRY = 3, 39, 47, 53  # pmix_data_type_t
LOGICAL = 1  # pmix_coord_view_t
NOT_STARTED = "this process was not started by a launcher that speaks PMIx"
REMEDY = "write the hosts' places into a file for --coordinates, or take --measure"


class NoCoordinates(Exception):
    """PMIx is missing, or has no coordinates; the message says which."""


class _Proc(ctypes.Structure):
    _fields_ = (("nspace", ctypes.c_char * 256), ("rank", ctypes.c_uint32))


class _Coord(ctypes.Structure):
    _fields_ = (("view", ctypes.c_uint8), ("coord", ctypes.POINTER(ctypes.c_uint32)), ("dims", ctypes.c_size_t))


class _Geometry(ctypes.Structure):
    _fields_ = (
        ("fabric", ctypes.c_size_t),
        ("uuid", ctypes.c_char_p),
        ("osname", ctypes.c_char_p),
        ("coordinates", ctypes.POINTER(_Coord)),
        ("ncoords", ctypes.c_size_t),
    )


class _Array(ctypes.Structure):
    _fields_ = (("type", ctypes.c_uint16), ("size", ctypes.c_size_t), ("array", ctypes.c_void_p))


class _Data(ctypes.Union):
    _fields_ = (
        ("string", ctypes.c_char_p),
        ("array", ctypes.POINTER(_Array)),
        ("coord", ctypes.POINTER(_Coord)),
        ("geometry", ctypes.POINTER(_Geometry)),
        ("room", ctypes.c_uint8 * 32),
    )


class _Value(ctypes.Structure):
    _fields_ = (("type", ctypes.c_uint16), ("data", _Data))


def _all_of(value: _Value) -> list[_Coord]:
    """All coordinates in a value: of one or several devices, in one or several views."""
    if value.type == COORD:
        return [value.data.coord[0]]
    if value.type == GEOMETRY:
        geometry = value.data.geometry[0]
        return [geometry.coordinates[i] for i in range(geometry.ncoords)]
    if value.type != DATA_ARRAY:
        return []
    array = value.data.array[0]
    kind = {COORD: _Coord, GEOMETRY: _Geometry}.get(array.type)
    if kind is None or not array.size:
        return []
    entries = ctypes.cast(array.array, ctypes.POINTER(kind))
    if kind is _Coord:
        return [entries[i] for i in range(array.size)]
    return [entries[i].coordinates[k] for i in range(array.size) for k in range(entries[i].ncoords)]


def coordinates_of(value: _Value) -> tuple[int, ...]:
    """The first device's coordinates, in the logical view if there is one. Raises NoCoordinates."""
    found = [c for c in _all_of(value) if c.dims > 0]
    if not found:
        raise NoCoordinates(f"PMIx answers pmix.fab.coord with a value of type {value.type} that has no coordinates")
    chosen = next((c for c in found if c.view == LOGICAL), found[0])
    return tuple(int(chosen.coord[i]) for i in range(chosen.dims))


def _library() -> Any:
    for name in LIBRARIES:
        try:
            return ctypes.CDLL(name)
        except OSError:
            continue
    raise NoCoordinates("there is no libpmix here")


def read() -> tuple[tuple[int, ...], str]:
    """(coordinates, shape) of this node from PMIx; shape is e.g. "10x12x2", or "". Raises NoCoordinates."""
    if "PMIX_NAMESPACE" not in os.environ or "PMIX_RANK" not in os.environ:
        raise NoCoordinates(NOT_STARTED)
    library, me = _library(), _Proc()
    if (code := library.PMIx_Init(ctypes.byref(me), None, ctypes.c_size_t(0))) != 0:
        raise NoCoordinates(f"PMIx_Init returns {code}")

    def ask(key: bytes) -> _Value | None:
        value = ctypes.POINTER(_Value)()
        code = library.PMIx_Get(ctypes.byref(me), key, None, ctypes.c_size_t(0), ctypes.byref(value))
        return value[0] if code == 0 and value else None

    try:
        answer = ask(COORDINATES)
        if answer is None:
            raise NoCoordinates("PMIx answers, but gives no coordinates in the network (PMIX_FABRIC_COORDINATES)")
        shape = ask(SHAPE)
        text = shape.data.string.decode() if shape is not None and shape.type == STRING else ""
        return coordinates_of(answer), text
    finally:
        library.PMIx_Finalize(None, ctypes.c_size_t(0))


def shape_of(hosts: Sequence[str], places: Sequence[tuple[int, ...]], shape: str = "") -> Shape:
    """The grid of hosts at these coordinates; a host of several ranks counts once. Raises Error."""
    at = dict(zip(hosts, places, strict=True))
    counts = {len(place) for place in at.values()}
    if len(counts) != 1:
        raise failure(f"PMIx: nodes have coordinates of {sorted(counts)} numbers: expected as many of each; {REMEDY}")
    parts = shape.lower().split("x")
    lengths = tuple(int(p) for p in parts) if shape and all(p.isdecimal() for p in parts) else None
    return grid_of(at, "PMIx (pmix.fab.coord)", lengths if lengths and len(lengths) in counts else None)


def join(ask: Callable[[], tuple[tuple[int, ...], str]] = read) -> Shape | None:
    """The shape, on rank 0 of the ranks that a launcher has started; None elsewhere. Collective; raises Error on all
    ranks if PMIx has no coordinates for one of them."""
    if "PMIX_RANK" not in os.environ:
        raise failure(f"PMIx: {NOT_STARTED}: start it by mpiexec or srun, one rank a host, or {REMEDY}", "unsupported")
    from allport.comm import MPI

    try:
        mine: tuple[tuple[int, ...], str] | str = ask()
    except NoCoordinates as error:
        mine = str(error)
    everyone = MPI.COMM_WORLD.allgather((socket.gethostname(), mine))
    told: list[tuple[tuple[int, ...], str]] = []
    for rank, (host, answer) in enumerate(everyone):
        if isinstance(answer, str):
            raise failure(f"PMIx: rank {rank} on {host}: {answer}; {REMEDY}", "unsupported")
        told.append(answer)
    found = shape_of([host for host, _ in everyone], [place for place, _ in told], told[0][1])
    return found if MPI.COMM_WORLD.rank == 0 else None
