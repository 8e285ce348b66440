"""Options that several commands have, each declared once, and groups of them."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Annotated, Any

import typer

import allport as ap
from allport.cli import completion
from allport.cli.console import ensure_outputs
from allport.options import PIVOTING, TREES
from allport.units import parse_bytes


def size_of(option: str, text: str | None) -> int | None:
    """Bytes of an option that may be left out."""
    return None if text is None else parse_bytes(text, option)


def ranks_of(option: str, text: str) -> list[int] | None:
    """'2,4,5', '0-15', 'all' (None), or nothing."""
    if text.strip() == "all":
        return None
    found: list[int] = []
    for part in filter(None, (p.strip() for p in text.split(","))):
        first, dash, last = part.partition("-")
        if not first.isdecimal() or (dash and not last.isdecimal()):
            raise ap.Error(f"{option} = '{text}': expected ranks, as 2,4,5 or 0-15, or 'all'")
        found += range(int(first), int(last if dash else first) + 1)
    return found


_asked: list[bool] = []


def _json(given: bool) -> bool:
    _asked.append(given)
    return given


def json_wanted() -> bool:
    """Whether this process's command has read --json."""
    return any(_asked)


Json = Annotated[bool, typer.Option("--json", callback=_json, help="Print JSON for programs.")]


def _page(path: str | None) -> str | None:
    """Looked at before any work begins."""
    if path is not None and not path.endswith((".html", ".htm")):
        raise ap.Error(f"report = '{path}': expected a name that ends in .html, as pages do")
    ensure_outputs(report=path)
    return path


PageFile = Annotated[
    str | None,
    typer.Option(
        "--report",
        metavar="FILE.html",
        callback=_page,
        help="Also as one page that needs nothing else: charts, link loads, what to try next.",
    ),
]

# Where it runs.
SPEC_HELP = "torus:4x4x4, mesh:8x8, bgp:8x8x8, FILE.toml, ...; else ALLPORT_MACHINE, or this computer."
Machine = Annotated[
    str | None,
    typer.Option("--machine", "-m", metavar="SPEC", autocompletion=completion.machines, help=SPEC_HELP),
]
AnyMachine = Annotated[
    str | None,
    typer.Option(
        "--machine",
        "-m",
        metavar="SPEC",
        autocompletion=completion.machines,
        help="torus:4x4, bgp:8x8x8, FILE.toml, ...",
    ),
]
Spec = Annotated[str | None, typer.Argument(metavar="SPEC", autocompletion=completion.machines, help=SPEC_HELP)]
Ranks = Annotated[int | None, typer.Option("--ranks", "-n", help="Ranks; else the machine's, or one a core.")]


def machine_of(spec: str | None, ranks: int | None = None) -> ap.Machine:
    """The machine that is named, by a spec or ALLPORT_MACHINE; else this computer with so many ranks, or one a core."""
    return ap.run.job.machine_for(spec, ranks, ap.run.launch.cores())


# The lab's links.
Burst = Annotated[
    str | None,
    typer.Option(metavar="SIZE", help="Bytes that a link sends at once after a pause; else 32KiB, or 2 ms."),
]
Limit = Annotated[
    str | None, typer.Option(metavar="SIZE", help="Bytes that may wait for a link; else 128KiB, or four bursts.")
]
Mpi = Annotated[
    str | None,
    typer.Option(
        autocompletion=completion.one_of("openmpi", "mpich"),
        help="openmpi or mpich; else the one that Allport was built for.",
    ),
]

# Collectives and their schedules.
Collective = Annotated[
    str,
    typer.Argument(
        metavar="COLLECTIVE", autocompletion=completion.collectives, help="bcast, reduce, allreduce, allgather, ..."
    ),
]
ScheduleAlgorithm = Annotated[
    str | None,
    typer.Option(
        "--algorithm",
        "-a",
        autocompletion=completion.algorithms,
        help="A name of `schedule list`; else the cheapest.",
    ),
]


def _load(files: list[str] | None) -> list[str] | None:
    for file in files or []:
        ap.collectives.load_algorithms(file)
    return files


Load = Annotated[
    list[str] | None,
    typer.Option(
        "--load",
        metavar="FILE.py",
        callback=_load,
        autocompletion=completion.files(".py"),
        help="Registers algorithms of your own first; may be repeated.",
    ),
]
Root = Annotated[int, typer.Option(help="Rank that sends or receives the whole.")]
Size = Annotated[str, typer.Option(help="Bytes of the message, or of one rank's block: 4096, 64KiB, 4MiB.")]
Element = Annotated[int, typer.Option(help="Bytes that are never cut apart (reductions).")]
Segment = Annotated[str | None, typer.Option(help="Bytes at most that travel at once; else the cheapest.")]
Window = Annotated[int, typer.Option(help="Segments in flight per stream.")]

# Products and factorizations, by the names of ap.Options.
MatrixFile = Annotated[
    str,
    typer.Argument(metavar="A", autocompletion=completion.MATRICES, help="A.npy, A.mtx or FILE.h5:DATASET"),
]
RightHandSides = Annotated[
    str,
    typer.Argument(
        metavar="B", autocompletion=completion.MATRICES, help="Right-hand sides: B.npy, B.mtx or FILE.h5:DATASET"
    ),
]
GemmAlgorithm = Annotated[
    str | None,
    typer.Option(
        "--algorithm",
        "-a",
        autocompletion=completion.gemm_algorithms,
        help="summa, cannon, summa25, cannon25, ...; else the cheapest.",
    ),
]
LuAlgorithm = Annotated[
    str | None,
    typer.Option(
        "--algorithm", "-a", autocompletion=completion.lu_algorithms, help="1d, 2d or 2.5d; else the cheapest."
    ),
]
Grid = Annotated[str | None, typer.Option(metavar="PxQxC", help="Rows x columns x layers of ranks; else the cheapest.")]
Memory = Annotated[str | None, typer.Option(help="Limit per rank: 512MiB, 2GiB.")]
Transposed = Annotated[
    str,
    typer.Option(autocompletion=completion.one_of("N", "T", "C"), help="N, T (transpose) or C (conjugate transpose)."),
]
Pivoting = Annotated[
    str,
    typer.Option(autocompletion=completion.one_of(*PIVOTING), help="tournament, partial (as LAPACK) or none."),
]
Panel = Annotated[int, typer.Option(min=0, help="Columns of a panel; 0: the cheapest.")]
Nb = Annotated[int, typer.Option(min=0, help="Columns of a rank's blocks, a multiple of --panel; 0: the cheapest.")]
OuterPanel = Annotated[
    int,
    typer.Option(
        min=0, help="With layers: columns of the panel of which each layer has a slice, --panel; 0: c times that."
    ),
]
Tree = Annotated[
    str | None,
    typer.Option(
        autocompletion=completion.one_of(*TREES),
        help="Multicast tree of panels: axes, binomial, kary, prefix, chain or flat; else along the axes.",
    ),
]
Lower = Annotated[bool, typer.Option("--lower", help="The lower triangle of A is read: A = L L^H, not U^H U.")]
Workers = Annotated[int, typer.Option(min=1, help="Threads that run tasks on each rank.")]
Tile = Annotated[int, typer.Option("--nb", min=0, help="Rows and columns of a tile; 0: the cheapest.")]
FlatGrid = Annotated[
    str | None, typer.Option("--grid", metavar="PxQ", help="Rows x columns of ranks; else the cheapest.")
]
Dtype = Annotated[
    str,
    typer.Option(
        autocompletion=completion.one_of("float32", "float64", "complex64", "complex128"),
        help="float32, float64, complex64 or complex128.",
    ),
]

# Groups: an option's name, its type and its default.
Group = dict[str, tuple[Any, Any]]
SCHEDULE: Group = {
    "machine": (Machine, None),
    "algorithm": (ScheduleAlgorithm, None),
    "load": (Load, None),
    "root": (Root, 0),
    "size": (Size, "1MiB"),
    "element": (Element, 1),
    "segment": (Segment, None),
    "window": (Window, 2),
}
CONTRACTION: Group = {
    "algorithm": (GemmAlgorithm, None),
    "grid": (Grid, None),
    "memory": (Memory, None),
}
MULTIPLICATION: Group = {
    **CONTRACTION,
    "panel": (Panel, 0),
    "tree": (Tree, None),
    "trans_a": (Transposed, "N"),
    "trans_b": (Transposed, "N"),
}
FACTORIZATION: Group = {
    "pivoting": (Pivoting, "tournament"),
    "algorithm": (LuAlgorithm, None),
    "grid": (Grid, None),
    "panel": (Panel, 0),
    "nb": (Nb, 0),
    "outer_panel": (OuterPanel, 0),
    "memory": (Memory, None),
    "tree": (Tree, None),
}
TILES: Group = {
    "grid": (FlatGrid, None),
    "nb": (Tile, 0),
    "workers": (Workers, 1),
    "memory": (Memory, None),
}
POSITIVE: Group = {"lower": (Lower, False), **TILES}


def with_options(*groups: Group) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Gives a command, which takes them as **options, the options of groups: after its positional parameters, before
    its keyword-only ones."""

    def give(command: Callable[..., None]) -> Callable[..., None]:
        own = inspect.signature(command, eval_str=True)
        shared = [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind)
            for group in groups
            for name, (kind, default) in group.items()
        ]
        first = [p for p in own.parameters.values() if p.kind is p.POSITIONAL_OR_KEYWORD]
        last = [p for p in own.parameters.values() if p.kind is p.KEYWORD_ONLY]
        command.__signature__ = own.replace(parameters=[*first, *shared, *last])  # type: ignore[attr-defined]
        command.__annotations__.update({p.name: p.annotation for p in shared})
        return command

    return give


def example(command: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Gives a command an example, with which its --help ends."""

    def give(function: Callable[..., Any]) -> Callable[..., Any]:
        function.example = command  # type: ignore[attr-defined]
        return function

    return give


def show_examples(app: typer.Typer) -> None:
    """Ends the help of each command of an app with its example. Raises AttributeError where one has none."""
    for command in app.registered_commands:
        command.epilog = f"Example: {command.callback.example}"  # type: ignore[union-attr]
    for group in app.registered_groups:
        assert group.typer_instance is not None
        show_examples(group.typer_instance)


def schedule_of(
    collective: str, machine: ap.Machine, *, size: str, load: list[str] | None = None, **options: Any
) -> ap.Schedule:
    """The schedule that options of SCHEDULE name; what `load` names is registered already."""
    return ap.make_schedule(collective, machine, bytes=size, **options)
