"""allport run: the main jobs. Starts the ranks itself, or joins when mpiexec or srun has started it."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Annotated, Any

import typer

import allport as ap
from allport.cli import completion, contraction_table
from allport.cli.console import print_json, progress, tell_files
from allport.cli.options import (
    CONTRACTION,
    FACTORIZATION,
    MULTIPLICATION,
    POSITIVE,
    TILES,
    Group,
    Json,
    Lower,
    Machine,
    MatrixFile,
    PageFile,
    Ranks,
    RightHandSides,
    Transposed,
    Workers,
    example,
    machine_of,
    with_options,
)
from allport.cli.outcome import print_cholesky, print_gemm, print_lstsq, print_lu, print_qr, print_solve

app = typer.Typer(help="Run a job on files.", no_args_is_help=True)

GrowthBound = Annotated[float | None, typer.Option(metavar="G", help="Warn when max|U| / max|A| exceeds this.")]
FallBack = Annotated[
    bool,
    typer.Option(
        "--fall-back", help="Copy A, and factor it again by partial pivoting when --growth-bound is exceeded."
    ),
]
Trace = Annotated[
    str | None,
    typer.Option(metavar="FILE.json", help="Chrome trace of what every task and message did, for Perfetto."),
]
STARTED: Group = {"ranks": (Ranks, None), "machine": (Machine, None)}
GROWTH: Group = {"growth_bound": (GrowthBound, None), "fall_back": (FallBack, False)}


@app.callback()
def _run() -> None:
    """Makes each job a sub-command."""


def _number(text: str, name: str) -> tuple[float, float]:
    try:
        value = complex(text.replace("i", "j").replace(" ", ""))
    except ValueError:
        raise ap.Error(f"{name} = '{text}': expected a number, like 0.5 or 1+2j") from None
    return value.real, value.imag


def _joined(job: ap.run.job.Job, quiet: bool) -> dict[str, Any] | None:
    """Runs on the ranks that are there; the result on rank 0, None elsewhere."""
    rank = ap.run.launch.joined_rank()
    if job.ranks is not None and job.ranks != ap.run.launch.joined_size():
        raise ap.Error(f"ranks = {job.ranks}: but mpiexec has started {ap.run.launch.joined_size()}; leave -n out")
    try:
        with progress(job.doing) as bar:
            comm, data = ap.run.job.join(job, None if quiet else lambda done, total: bar("", done / max(total, 1)))
        return data if comm.rank == 0 else None
    except (ap.Error, ImportError):
        raise
    except BaseException as error:  # of this rank alone: the others must not wait for it
        sys.stderr.write(f"allport: rank {rank}: {type(error).__name__}: {error}\n")
        if os.environ.get("ALLPORT_DEBUG") == "1":
            import traceback

            traceback.print_exc()
        ap.mpi.end_job()
        raise


def _launched(job: ap.run.job.Job) -> dict[str, Any]:
    machine = machine_of(job.machine, job.ranks)
    planned = job.check(machine)
    with progress("starting ranks") as bar:

        def on_event(event: dict[str, Any]) -> None:
            if "total" in event:
                bar(job.doing, event["done"] / max(event["total"], 1))

        data = ap.run.launch.run("allport.run.jobs", job.decided(planned).to_dict(), machine.ranks, on_event)
    return {**data, "plan": planned.to_dict()}


CHOICES = ("algorithm", "grid", "panel", "nb", "outer_panel", "tree")


def _write_page(job: ap.run.job.Job, data: dict[str, Any], report: str, records: str | None) -> None:
    """The page of a run. records: a Chrome trace of it."""
    joined = ap.run.launch.joined_size()
    machine = ap.run.job.machine_for(job.machine, job.ranks, joined or ap.run.launch.cores())
    page = ap.report.pages.of_run(
        job.kind,
        data,
        machine,
        timeline=ap.report.pages.read_trace(records) if records is not None else None,
        fixed=any(getattr(job, name, None) for name in CHOICES),
        memory=job.memory,
        files=[getattr(job, name) for name in ("a", "b", "c_in", "out") if getattr(job, name, None)],
        local=joined is None and "ALLPORT_MPIEXEC" not in os.environ,
    )
    ap.report.pages.write(page, report)


@contextmanager
def _recorded(job: ap.run.job.Job, report: str | None) -> Iterator[tuple[ap.run.job.Job, str | None]]:
    """The job, and where its trace goes: for a page it is recorded, whether or not somebody wants to keep the trace."""
    trace = getattr(job, "trace", None)
    if report is None or trace is not None or not hasattr(job, "trace"):
        yield job, trace
        return
    path = f"{report}.{os.getpid()}.trace"  # beside the page: a folder that all computers of a job are asked for
    try:
        yield replace(job, trace=path), path  # type: ignore[call-arg]
    finally:
        with suppress(OSError):
            os.unlink(path)


def _run_job(
    job: ap.run.job.Job, as_json: bool, show: Callable[[dict[str, Any]], None], report: str | None = None
) -> None:
    with _recorded(job, report) as (recorded, records):
        data = _joined(recorded, as_json) if ap.run.launch.joined_size() is not None else _launched(recorded)
        if data is None:
            return
        if report is not None:
            _write_page(job, data, report, records)
    if "trace" in data:
        data["trace"] = getattr(job, "trace", None)
    (print_json if as_json else show)(data)
    if not as_json:
        _tell_sharing(data["plan"]["ranks"])
        tell_files(report=report)


def _tell_sharing(ranks: int) -> None:
    """Where ranks took turns on the cores of this computer, no prediction is for that."""
    elsewhere = {"ALLPORT_MPIEXEC", "SLURM_JOB_ID", "PBS_NODEFILE", "LSB_JOBID"} & os.environ.keys()
    if ranks > ap.run.launch.cores() and ap.run.launch.joined_size() is None and not elsewhere:
        sys.stdout.write(
            f"{ranks} ranks shared {ap.run.launch.cores()} cores of this computer, and predictions are for a core a "
            "rank: expect longer times than predicted\n"
        )


@app.command()
@example("allport run gemm A.npy B.npy -o C.npy")
@with_options(STARTED, MULTIPLICATION)
def gemm(
    a: MatrixFile,
    b: Annotated[
        str,
        typer.Argument(metavar="B", autocompletion=completion.MATRICES, help="B.npy, B.mtx or FILE.h5:DATASET"),
    ],
    output: Annotated[str, typer.Option("-o", "--output", help="C.npy, C.mtx or FILE.h5:DATASET")],
    *,
    alpha: Annotated[str, typer.Option(help="Factor of the product.")] = "1",
    beta: Annotated[str, typer.Option(help="Factor of C0; 0: C0 is not read.")] = "0",
    c_in: Annotated[str | None, typer.Option("--c-in", metavar="C0", help="File that beta C0 is taken from.")] = None,
    report: PageFile = None,
    as_json: Json = False,
    **options: Any,
) -> None:
    """Multiply two matrix files: C = alpha op(A) op(B) + beta C0, on all ranks of a machine."""
    scale, keep = _number(alpha, "alpha"), _number(beta, "beta")
    _run_job(
        ap.run.jobs.GemmJob(a=a, b=b, out=output, c_in=c_in, alpha=scale, beta=keep, **options),
        as_json,
        print_gemm,
        report,
    )


@app.command()
@example("allport run einsum 'ijab,abkl->ijkl' t.npy v.npy -o c.npy")
@with_options(STARTED, CONTRACTION)
def einsum(
    subscripts: Annotated[str, typer.Argument(metavar="SUBSCRIPTS", help="As numpy.einsum's: ijab,abkl->ijkl.")],
    a: Annotated[str, typer.Argument(metavar="A", help="A.npy, of any number of axes")],
    b: Annotated[str, typer.Argument(metavar="B", help="B.npy")],
    output: Annotated[str, typer.Option("-o", "--output", help="C.npy")],
    *,
    as_json: Json = False,
    **options: Any,
) -> None:
    """Contract two tensor files as numpy.einsum does, on all ranks of a machine."""
    job = ap.run.jobs.EinsumJob(subscripts=subscripts, a=a, b=b, out=output, **options)
    _run_job(job, as_json, contraction_table.show_run)


@app.command()
@example("allport run lu A.npy -o F.npz --pivoting partial")
@with_options(STARTED, FACTORIZATION, GROWTH)
def lu(
    a: MatrixFile,
    output: Annotated[str, typer.Option("-o", "--output", help="F.npz: factors, pivots, INFO, growth")],
    *,
    check: Annotated[bool, typer.Option(help="Read A again and compute the residual.")] = True,
    report: PageFile = None,
    as_json: Json = False,
    **options: Any,
) -> None:
    """Factor a matrix file: P A = L U with row exchanges, on all ranks of a machine."""
    _run_job(ap.run.jobs.LuJob(a=a, out=output, check_residual=check, **options), as_json, print_lu, report)


@app.command()
@example("allport run cholesky A.npy -o U.npy")
@with_options(STARTED, POSITIVE)
def cholesky(
    a: MatrixFile,
    output: Annotated[str, typer.Option("-o", "--output", help="U.npy, U.mtx or FILE.h5:DATASET")],
    *,
    check: Annotated[bool, typer.Option(help="Read A again and compute the residual.")] = True,
    trace: Trace = None,
    report: PageFile = None,
    as_json: Json = False,
    **options: Any,
) -> None:
    """Factor a positive definite matrix file: A = U^H U, or L L^H, on all ranks of a machine."""
    job = ap.run.jobs.CholeskyJob(a=a, out=output, check_residual=check, trace=trace, **options)
    _run_job(job, as_json, print_cholesky, report)


@app.command()
@example("allport run solve A.npy b.npy -o x.npy")
@with_options(STARTED, FACTORIZATION, GROWTH)
def solve(
    a: MatrixFile,
    b: RightHandSides,
    output: Annotated[str, typer.Option("-o", "--output", help="X.npy, X.mtx or FILE.h5:DATASET")],
    *,
    refine: Annotated[
        bool, typer.Option("--refine", help="Factor in half the precision and correct the solution to full.")
    ] = False,
    trans: Transposed = "N",
    assume_a: Annotated[
        str,
        typer.Option(
            metavar="gen|pos",
            autocompletion=completion.one_of("gen", "pos"),
            help="pos: A is Hermitian positive definite, factored by Cholesky.",
        ),
    ] = "gen",
    lower: Lower = False,
    workers: Workers = 1,
    report: PageFile = None,
    as_json: Json = False,
    **options: Any,
) -> None:
    """Solve op(A) X = B for matrix files, on all ranks of a machine."""
    own: dict[str, Any] = {"refine": refine, "trans": trans, "assume_a": assume_a, "lower": lower, "workers": workers}
    _run_job(ap.run.jobs.SolveJob(a=a, b=b, out=output, **own, **options), as_json, print_solve, report)


@app.command()
@example("allport run qr A.npy -o R.npy --q-out Q.npy")
@with_options(STARTED, TILES)
def qr(
    a: MatrixFile,
    output: Annotated[str, typer.Option("-o", "--output", help="R.npy, R.mtx or FILE.h5:DATASET")],
    *,
    q_out: Annotated[
        str | None, typer.Option("--q-out", metavar="Q", help="Also Q: Q.npy, Q.mtx or FILE.h5:DATASET")
    ] = None,
    check: Annotated[
        bool, typer.Option(help="Read A again and compute ||A - Q R|| and ||I - Q^H Q||; Q is formed for it.")
    ] = True,
    trace: Trace = None,
    report: PageFile = None,
    as_json: Json = False,
    **options: Any,
) -> None:
    """Factor a matrix file of any shape: A = Q R, on all ranks of a machine."""
    job = ap.run.jobs.QrJob(a=a, out=output, q_out=q_out, check_residual=check, trace=trace, **options)
    _run_job(job, as_json, print_qr, report)


@app.command()
@example("allport run lstsq A.npy b.npy -o x.npy")
@with_options(STARTED, TILES)
def lstsq(
    a: MatrixFile,
    b: RightHandSides,
    output: Annotated[str, typer.Option("-o", "--output", help="X.npy, X.mtx or FILE.h5:DATASET")],
    *,
    trace: Trace = None,
    report: PageFile = None,
    as_json: Json = False,
    **options: Any,
) -> None:
    """Minimize ||B - A X|| for matrix files, or the norm of X where A has more columns than rows."""
    _run_job(ap.run.jobs.LstsqJob(a=a, b=b, out=output, trace=trace, **options), as_json, print_lstsq, report)
