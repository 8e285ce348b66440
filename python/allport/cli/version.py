"""allport version: what this build is made of."""

from __future__ import annotations

import platform

import allport as ap
from allport.cli.console import console, print_json, table
from allport.cli.options import Json, example


@example("allport version --json")
def version(as_json: Json = False) -> None:
    """Versions of Allport, its MPI, BLAS and compiler."""
    info = {
        **ap.mpi.build_info(),
        "mpi": " ".join(ap.mpi.library_version().split()),
        "libmpi": ap.mpi.library_path(),
        "python": platform.python_version(),
    }
    if as_json:
        print_json(info)
        return
    rows = table("what", "value")
    for key, value in info.items():
        text = ".".join(str(v) for v in value) if isinstance(value, list) else str(value)
        rows.add_row(key.replace("_", " "), text)
    console().print(rows)
