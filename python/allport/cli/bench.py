"""allport bench: a collective against the MPI library's best setting, in one run."""

from __future__ import annotations

from typing import Annotated, Any

import typer

import allport as ap
from allport.cli import completion, jacobi_table
from allport.cli.console import console, ensure_outputs, hand_over, progress, table
from allport.cli.options import Burst, Json, Limit, Load, Machine, Mpi, PageFile, Ranks, example, size_of
from allport.units import format_bytes, format_rate, format_seconds

JACOBI = "Only for jacobi"


def _time(times: dict[str, Any] | None) -> str:
    if times is None:
        return ""
    return f"{format_seconds(times['median'])} [{format_seconds(times['least'])} .. {format_seconds(times['most'])}]"


def _rate(row: dict[str, Any], side: str) -> str:
    best = row[f"{side}_best"]
    return format_rate(row["size"] / row[side][best]["least"]) if best and row["size"] else ""


def _show(result: dict[str, Any]) -> None:
    out = console()
    where = f"lab {result['lab']}" if result["lab"] else result["machine"]
    through = "through the preloaded drop-in" if result["through"] == "preload" else "called directly"
    out.print(
        f"{result['collective']} on {where}, {result['ranks']} ranks: Allport {through} and {result['library']}, "
        f"{result['rounds']} round{'s' * (result['rounds'] != 1)} by turns"
    )
    if result["links"]:
        out.print(ap.lab.format_links(result["links"]))
    rows = table(
        "size", "MPI default", "MPI best", "its setting", "ours", "by", "simulated", "MPI", "ours at best", "times",
        "of bound",
        right=("size", "MPI default", "MPI best", "ours", "simulated", "MPI", "ours at best", "times", "of bound"),
    )  # fmt: skip
    wrong = 0
    for row in result["sizes"]:
        best, ours = row["mpi_best"], row["ours_best"]
        wrong += row["wrong"]
        rows.add_row(
            format_bytes(row["size"]),
            _time(row["mpi"].get("default")),
            _time(row["mpi"].get(best)),
            best or "",
            _time(row["ours"].get(ours)),
            row["chosen"]["algorithm"] if ours == "drop-in" else ours or "",
            format_seconds(row["simulated"]),
            _rate(row, "mpi"),
            _rate(row, "ours"),
            f"{row['ratio']:.2f}" if "ratio" in row else "",
            f"{row['of_bound']:.2f}" if row.get("of_bound") else "",
        )
    out.print(rows)
    others = [(row, name) for row in result["sizes"] for name in row["ours"] if name != row["ours_best"]]
    if others:
        more = table("size", "algorithm", "median and range", right=("size",))
        for row, name in others:
            more.add_row(format_bytes(row["size"]), name, _time(row["ours"][name]))
        out.print(more)
    out.print(
        "median, in brackets least and most, of the slowest rank; rates, times of the least; bound: of the links as set"
    )
    out.print("every byte of every result was right" if not wrong else f"WRONG: {wrong} bytes of results")
    out.print(f"stored for allport explain: {result['measured']}")


def _show_calls(result: dict[str, Any]) -> None:
    out = console()
    where = f"lab {result['lab']}" if result["lab"] else result["machine"]
    known = "calibrated" if result["calibrated"] else "not calibrated"
    out.print(
        f"{result['calls']} calls in a row, roots going round, on {where} ({known}), {result['ranks']} ranks on "
        f"{result['cores']} cores, {result['mpi']}: medians of {result['rounds']} rounds by turns"
    )
    modes = result["modes"]
    later = "later" in result["rows"][0]
    halves = [f"{mode}, later" for mode in modes] if later else []
    rows = table("collective", "size", *modes, *modes[1:], *halves, right=("size", *modes, *halves))
    for row in result["rows"]:
        plain = row["plain"]["median"]
        times = [format_seconds(row[mode]["median"]) for mode in modes]
        ratios = [f"x{row[mode]['median'] / plain:.2f}" for mode in modes[1:]]
        seconds = [format_seconds(row["later"][mode]["median"]) for mode in modes] if later else []
        rows.add_row(row["collective"], format_bytes(row["size"]), *times, *ratios, *seconds)
    out.print(rows)
    out.print("time of a call until the slowest rank has made all; plain: without the drop-in")
    if later:
        out.print("the first calls of each communicator; later: of the second half of them")
    wrong = sum(row["wrong"] for row in result["rows"])
    out.print("every byte of every result was right" if not wrong else f"WRONG: {wrong} bytes of results")


def _calls(
    job: ap.bench.Job, calls: int, modes: str, first: bool, output: str | None, as_json: bool, report: str | None
) -> None:
    """Many short calls, plain and under the drop-in."""
    with progress("starting") as bar:
        result = ap.bench.calls.run(job, calls, bar, [mode.strip() for mode in modes.split(",")], first)
    hand_over(result, output, as_json, _show_calls, report)
    if any(row["wrong"] for row in result["rows"]):
        raise typer.Exit(1)


def _jacobi(job: ap.bench.jacobi.Jacobi, output: str | None, as_json: bool, report: str | None) -> None:
    ensure_outputs(output=output)
    with progress("starting") as bar:
        result = ap.bench.jacobi.run(job, bar)
    hand_over(result, output, as_json, jacobi_table.show, report)


@example("allport bench bcast -n 2 --sizes 4KiB --rounds 1")
def bench(
    collective: Annotated[
        str,
        typer.Argument(
            metavar="COLLECTIVE",
            autocompletion=completion.collectives_or("all", "jacobi"),
            help="bcast, reduce, allreduce, allgather, ...; all (with --calls); or jacobi.",
        ),
    ],
    against: Annotated[
        str | None,
        typer.Option(
            autocompletion=completion.one_of("mpi", "none"),
            help="What to compare with: mpi (the MPI library's own) or none.",
        ),
    ] = "mpi",
    sizes: Annotated[
        list[str] | None,
        typer.Option(help="Bytes of the whole vector: 4MB, 8:16MiB (doubling), or several separated by commas."),
    ] = None,
    machine: Machine = None,
    ranks: Ranks = None,
    lab: Annotated[
        str | None,
        typer.Option(
            metavar="SPEC|NAME", help="Run on a lab: a spec, which is brought up for it, or the name of one that is up."
        ),
    ] = None,
    rate: Annotated[str | None, typer.Option(help="Rate of the lab's links: 40mbit.")] = None,
    burst: Burst = None,
    limit: Limit = None,
    mpi: Mpi = None,
    through: Annotated[
        str,
        typer.Option(
            autocompletion=completion.one_of("auto", "preload", "direct"),
            help="preload: an MPI program with the preloaded drop-in; direct: Allport's communicator; or auto.",
        ),
    ] = "auto",
    library: Annotated[
        str | None, typer.Option(metavar="LIB", help="Path of the drop-in; else the one that was built.")
    ] = None,
    algorithms: Annotated[
        str, typer.Option(help="chosen, all, or names separated by commas; only with --through direct.")
    ] = "chosen",
    load: Load = None,
    sweep: Annotated[bool, typer.Option(help="Also try the MPI library's other settings.")] = True,
    settings: Annotated[
        str | None,
        typer.Option(
            metavar="NAME,...", help="Only settings of the MPI library that contain one of these words: ring,chain."
        ),
    ] = None,
    rounds: Annotated[int, typer.Option(help="Rounds in which both sides run in turn; the best sample counts.")] = 5,
    iterations: Annotated[int, typer.Option(help="Maximum number of calls for each size in a round.")] = 20,
    seconds: Annotated[float, typer.Option(help="Approximate time for each size in a round.")] = 0.5,
    calls: Annotated[
        int | None,
        typer.Option(metavar="N", help="Time N calls in a row with changing roots, with and without the drop-in."),
    ] = None,
    modes: Annotated[
        str, typer.Option(metavar="MODE,...", help="With --calls: plain, repeat, auto, free, price, always.")
    ] = "plain,auto,always",
    first: Annotated[
        bool,
        typer.Option("--first", help="With --calls: time the first calls of a communicator, including tuning runs."),
    ] = False,
    plot: Annotated[str | None, typer.Option(metavar="FILE.svg", help="Plot of bandwidth over size.")] = None,
    output: Annotated[
        str | None, typer.Option("-o", "--output", metavar="FILE.json", help="Write all results.")
    ] = None,
    measured: Annotated[
        str | None, typer.Option(metavar="FILE.json", help="File in which times are stored for allport explain.")
    ] = None,
    report: PageFile = None,
    as_json: Json = False,
    grid: Annotated[
        str, typer.Option(rich_help_panel=JACOBI, help="Cells along each axis: two lengths or three.")
    ] = "2048x2048",
    block: Annotated[str, typer.Option(rich_help_panel=JACOBI, help="Cells of a block along each axis.")] = "256x256",
    objects: Annotated[
        str | None,
        typer.Option(rich_help_panel=JACOBI, metavar="NxN", help="Blocks along each axis, instead of --block."),
    ] = None,
    variants: Annotated[
        str, typer.Option(rich_help_panel=JACOBI, metavar="NAME,...", help="Variants to compare.")
    ] = "mpi+openmp,process a core,nested,ckloop,spread",
    spread: Annotated[
        str | None,
        typer.Option(
            rich_help_panel=JACOBI, metavar="S,...", help="Threads on a block; else all divisors of the threads."
        ),
    ] = None,
    threads: Annotated[
        int | None, typer.Option(rich_help_panel=JACOBI, help="Threads of a rank; else its cores.")
    ] = None,
    schedule: Annotated[
        str, typer.Option(rich_help_panel=JACOBI, help="Schedule of the loop in a block: static, dynamic or guided.")
    ] = "static",
    chunk: Annotated[
        int, typer.Option(rich_help_panel=JACOBI, help="Iterations of a chunk; 0: the schedule's default.")
    ] = 0,
    collapse: Annotated[
        int, typer.Option(rich_help_panel=JACOBI, help="Loops that are collapsed into one; 0: all.")
    ] = 0,
    work: Annotated[int, typer.Option(rich_help_panel=JACOBI, help="Times that each row is computed.")] = 1,
    heavy: Annotated[
        int,
        typer.Option(rich_help_panel=JACOBI, help="Times that the first part of the grid is computed: uneven work."),
    ] = 1,
    heavy_part: Annotated[
        int, typer.Option(rich_help_panel=JACOBI, help="With --heavy: number of parts, of which the first is heavy.")
    ] = 4,
    balance: Annotated[
        str, typer.Option(rich_help_panel=JACOBI, help="Balancing between rounds: none, greedy, refine, or several.")
    ] = "none",
    send: Annotated[
        bool, typer.Option(rich_help_panel=JACOBI, help="Whether faces are sent (Robson18, slide 16).")
    ] = True,
) -> None:
    """Time a collective beside the MPI library's and check every byte; or time Jacobi's iteration in blocks."""
    if collective == "jacobi":
        asked = ap.bench.jacobi.Jacobi(
            grid, block, objects, variants, spread, schedule, chunk, collapse, work, heavy, heavy_part, balance, send,
            ranks, threads, machine, lab, rate, size_of("burst", burst), size_of("limit", limit), iterations, rounds,
        )  # fmt: skip
        _jacobi(asked, output, as_json, report)
        return
    if algorithms != "chosen" or load:
        if through == "preload":
            raise ap.Error(
                f"algorithms = '{algorithms}': the drop-in takes the library's chosen one; use --through direct"
            )
        through = "direct"
    ensure_outputs(plot=plot, output=output)
    job = ap.bench.Job(
        collective,
        sizes=sizes or ["8:1MiB"],
        machine=machine,
        lab=lab,
        rate=rate,
        burst=size_of("burst", burst),
        limit=size_of("limit", limit),
        mpi=mpi,
        against=None if against in (None, "none") else against,
        through=through,
        algorithms=algorithms,
        sweep=sweep,
        rounds=rounds,
        iterations=iterations,
        seconds=seconds,
        library=library,
        measured=measured,
        ranks=ranks,
        settings=[word.strip() for word in settings.split(",")] if settings else [],
    )
    if calls is not None:
        _calls(job, calls, modes, first, output, as_json, report)
        return
    with progress("starting") as bar:
        result = ap.bench.run(job, bar)
    if plot:
        ap.report.plot.benchmark(result, plot)
    hand_over(result, output, as_json, _show, report)
    if any(row["wrong"] for row in result["sizes"]):
        raise typer.Exit(1)
