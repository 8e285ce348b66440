"""What a shell completes in the place of a name or a file: collectives, algorithms, machines, task graphs, files."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import typer

import allport as ap

Completion = Callable[[str], list[str]]
#: Beside the presets: shapes of machines, to be changed.
SHAPES = ("torus:4x4", "mesh:4x4")
NETWORKS = ("dragonfly:a=4,p=2,h=2", "fattree:4x4", "fattree:k=4", "full:4", "hypercube:8", "rails:4x8", "ring:4")


def _beginning(names: Iterable[str], incomplete: str) -> list[str]:
    return sorted({name for name in names if name.startswith(incomplete)})


def one_of(*names: str) -> Completion:
    """Some names."""

    def complete(incomplete: str) -> list[str]:
        return [name for name in names if name.startswith(incomplete)]

    return complete


def files(*suffixes: str) -> Completion:
    """Files of a folder that end so; where there are none the shell completes files by itself."""

    def complete(incomplete: str) -> list[str]:
        folder, slash, start = incomplete.rpartition("/")
        try:
            found = [path.name for path in Path(folder + slash or ".").iterdir() if path.suffix in suffixes]
        except OSError:
            return []
        return [folder + slash + name for name in _beginning(found, start)]

    return complete


def machines(incomplete: str) -> list[str]:
    """Presets, shapes, and machine files."""
    return [*_beginning([*ap.machine.preset_names(), *SHAPES], incomplete), *files(".toml")(incomplete)]


def networks(incomplete: str) -> list[str]:
    """Presets, shapes, and files that describe networks."""
    names = [*ap.machine.preset_names(), *SHAPES, *NETWORKS]
    return [*_beginning(names, incomplete), *files(".toml", *ap.network.files.SUFFIXES)(incomplete)]


def collectives(incomplete: str) -> list[str]:
    """Collectives that have registered algorithms."""
    return _beginning((a["collective"] for a in ap.collectives.algorithms()), incomplete)


def collectives_or(*names: str) -> Completion:
    """Collectives, and some other names."""
    return lambda incomplete: _beginning([*collectives(incomplete), *names], incomplete)


def algorithms(ctx: typer.Context, incomplete: str) -> list[str]:
    """The algorithms of the collective, the product or the factorization that stands before."""
    # An option whose value is being typed keeps arguments before it from being assigned: they are among ctx.args.
    named = [ctx.params.get(name) for name in ("collective", "what", "graph")]
    what = next((name for name in [*named, *ctx.args] if name), ctx.info_name)
    if what in ("gemm", "einsum"):
        return gemm_algorithms(incomplete)
    if what in ("lu", "solve"):
        return lu_algorithms(incomplete)
    if what == "lu-solve":
        return _beginning(("panels", "sums"), incomplete)
    known = ap.collectives.algorithms()
    return _beginning((a["name"] for a in known if what in (a["collective"], None)), incomplete)


def gemm_algorithms(incomplete: str) -> list[str]:
    """Registered algorithms of products."""
    return _beginning((a["name"] for a in ap.plan.gemm_algorithms()), incomplete)


def lu_algorithms(incomplete: str) -> list[str]:
    """Registered algorithms of LU factorizations."""
    return _beginning((a["name"] for a in ap.plan.lu_algorithms()), incomplete)


MATRICES = files(".npy", ".mtx", ".h5", ".hdf5")
