"""allport run: the main job. Starts the ranks itself, or joins when mpiexec or srun has started it."""

from __future__ import annotations

import os
import sys
from typing import Annotated, Any

import typer

import allport as ap
from allport.cli.console import Json, console, print_json, progress, table
from allport.cli.plan import Algorithm, Grid, Memory, candidates_table, headline
from allport.units import format_bytes, format_seconds

app = typer.Typer(help="Run a job on files.", no_args_is_help=True)


@app.callback()
def _run() -> None:
    """Makes `gemm` a sub-command."""


def _number(text: str, name: str) -> tuple[float, float]:
    try:
        value = complex(text.replace("i", "j").replace(" ", ""))
    except ValueError:
        raise ap.AllportError(f"{name} = '{text}': expected a number, like 0.5 or 1+2j") from None
    return value.real, value.imag


def _measured(data: dict[str, Any]) -> Any:
    """Predicted beside measured."""
    chosen, report = data["plan"]["chosen"], data["report"]
    rows = table("", "predicted", "measured", right=("predicted", "measured"))
    predicted, measured = chosen["seconds"], report["seconds"]
    word = {"s": 4, "d": 8, "c": 8, "z": 16}[data["plan"]["problem"]["type"]]
    words = report["bytes"] // word
    rows.add_row("time", format_seconds(predicted["total"]), format_seconds(measured["total"]))
    rows.add_row("  local multiplications", format_seconds(predicted["compute"]), format_seconds(measured["compute"]))
    rows.add_row("  communication", format_seconds(predicted["communicate"]), "")
    rows.add_row("  waiting for communication", "", format_seconds(measured["wait"]))
    rows.add_row("words of the busiest rank", f"{chosen['words']:,}", f"{words:,}")
    rows.add_row("messages of the busiest rank", f"{chosen['messages']:,}", f"{report['messages']:,}")
    rows.add_row("memory per rank", format_bytes(chosen["memory_bytes"]), format_bytes(report["measured_memory_bytes"]))
    if chosen["ratio_to_bound"] is not None:
        bound = chosen["bound_words"]
        rows.add_row("words over lower bound", f"{chosen['ratio_to_bound']:.2f}", f"{words / bound:.2f}")
    return rows


def _print(data: dict[str, Any]) -> None:
    out, spent = console(), data["seconds"]
    problem, report = data["plan"]["problem"], data["report"]
    out.print(headline(data["plan"]))
    out.print()
    out.print(candidates_table(data["plan"], 6))
    out.print()
    out.print(_measured(data))
    flops = (8 if problem["type"] in "cz" else 2) * problem["m"] * problem["n"] * problem["k"]
    total = report["seconds"]["total"]
    out.print()
    if total > 0:
        out.print(
            f"{flops / total / 1e9:.3g} Gflop/s; every rank sent and received what was planned: {report['as_planned']}"
        )
    out.print(
        f"read in {format_seconds(spent['load'])}, multiplied in {format_seconds(spent['gemm'])}, "
        f"written in {format_seconds(spent['save'])}: {data['output']['path']}"
    )


def _joined(job: ap.job.GemmJob, quiet: bool) -> dict[str, Any] | None:
    """Runs on the ranks that are there; the result on rank 0, None elsewhere."""
    rank = ap.launch.joined_rank()
    if job.ranks is not None and job.ranks != ap.launch.joined_size():
        raise ap.AllportError(f"ranks = {job.ranks}: but mpiexec has started {ap.launch.joined_size()}; leave -n out")
    try:
        with progress("multiplying") as bar:
            comm, data = ap.job.join(job, None if quiet else lambda done, total: bar("", done / max(total, 1)))
        return data if comm.rank == 0 else None
    except (ap.AllportError, ImportError):
        raise
    except BaseException as error:  # of this rank alone: the others must not wait for it
        sys.stderr.write(f"allport: rank {rank}: {type(error).__name__}: {error}\n")
        if os.environ.get("ALLPORT_DEBUG") == "1":
            import traceback

            traceback.print_exc()
        ap.comm.MPI.COMM_WORLD.Abort(1)
        raise


def _launched(job: ap.job.GemmJob) -> dict[str, Any]:
    machine = ap.job.machine_for(job.machine, job.ranks, ap.launch.cores())
    planned, _ = ap.job.check(job, machine)
    with progress("starting ranks") as bar:

        def on_event(event: dict[str, Any]) -> None:
            if "total" in event:
                bar("multiplying", event["done"] / max(event["total"], 1))

        told = ap.job.as_json(ap.job.decided(job, planned))
        data = ap.launch.run("allport.job", told, machine.ranks, on_event)
    return {**data, "plan": planned.to_dict()}


@app.command()
def gemm(
    a: Annotated[str, typer.Argument(metavar="A", help="A.npy, A.mtx or FILE.h5:DATASET")],
    b: Annotated[str, typer.Argument(metavar="B", help="B.npy, B.mtx or FILE.h5:DATASET")],
    output: Annotated[str, typer.Option("-o", "--output", help="C.npy, C.mtx or FILE.h5:DATASET")],
    ranks: Annotated[
        int | None, typer.Option("-n", "--ranks", help="Ranks to start; else the machine's, or one a core.")
    ] = None,
    machine: Annotated[
        str | None, typer.Option("--machine", "-m", metavar="SPEC", help="torus:4x4, FILE.toml, ...")
    ] = None,
    algorithm: Algorithm = None,
    grid: Grid = None,
    memory: Memory = None,
    alpha: Annotated[str, typer.Option(help="Factor of the product.")] = "1",
    beta: Annotated[str, typer.Option(help="Factor of C0; 0: C0 is not read.")] = "0",
    c_in: Annotated[str | None, typer.Option("--c-in", metavar="C0", help="File that beta C0 is taken from.")] = None,
    trans_a: Annotated[str, typer.Option(help="N, T (transpose) or C (conjugate transpose).")] = "N",
    trans_b: Annotated[str, typer.Option(help="N, T (transpose) or C (conjugate transpose).")] = "N",
    as_json: Json = False,
) -> None:
    """Multiply two matrix files: C = alpha op(A) op(B) + beta C0, on all ranks of a machine."""
    job = ap.job.GemmJob(
        a=a,
        b=b,
        out=output,
        c_in=c_in,
        machine=machine,
        ranks=ranks,
        algorithm=algorithm,
        grid=grid,
        memory=memory,
        alpha=_number(alpha, "alpha"),
        beta=_number(beta, "beta"),
        trans_a=trans_a,
        trans_b=trans_b,
    )
    data = _joined(job, as_json) if ap.launch.joined_size() is not None else _launched(job)
    if data is None:
        return
    if as_json:
        print_json(data)
    else:
        _print(data)
