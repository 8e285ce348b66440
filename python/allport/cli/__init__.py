"""The command line: one file a verb, each importing only allport. `allport --help` lists them."""

from __future__ import annotations

import contextlib
import json
import os
import re
import sys
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

import allport as ap
from allport.cli import (
    bench,
    compare,
    doctor,
    dropin,
    exec,
    explain,
    graph,
    lab,
    machine,
    map,
    multicast,
    network,
    options,
    plan,
    report,
    run,
    schedule,
    simulate,
    version,
)
from allport.errors import Error
from allport.run.launch import JobFailed
from allport.run.rank import joined_rank, joined_size, leave_together


class _Commands(TyperGroup):
    """Names the commands of a group that somebody looks for at the top: `allport solve` is `allport run solve`."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        there = [
            f"`allport {group} {args[0]}`"
            for group, command in self.commands.items()
            if args[0] in getattr(command, "commands", {})
        ]
        if there and args[0] not in self.commands:
            ctx.fail(f"No such command '{args[0]}'; there is {' and '.join(there)}.")
        return super().resolve_command(ctx, args)


app = typer.Typer(
    name="allport",
    cls=_Commands,
    help="Dense linear algebra and collectives at the speed of all of a machine's links at once.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.add_typer(run.app, name="run")
app.add_typer(plan.app, name="plan")
app.add_typer(machine.app, name="machine")
app.add_typer(schedule.app, name="schedule")
app.add_typer(multicast.app, name="multicast")
app.add_typer(network.app, name="network")
app.add_typer(graph.app, name="graph")
app.add_typer(lab.app, name="lab")
app.command(name="bench")(bench.bench)
app.command(name="compare")(compare.compare)
app.command(name="doctor")(doctor.doctor)
app.command(name="dropin")(dropin.dropin)
app.command(name="exec", context_settings=exec.SETTINGS)(exec.exec_)
app.command(name="explain")(explain.explain)
app.command(name="map")(map.map_)
app.command(name="report")(report.report)
app.command(name="simulate")(simulate.simulate)
app.command(name="version")(version.version)
options.show_examples(app)


def _version(given: bool) -> None:
    if given:
        typer.echo(f"allport {ap.__version__}")
        raise typer.Exit


@app.callback()
def _top(
    shown: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print Allport's; more: version.")
    ] = False,
) -> None:
    pass


def _say(message: str) -> None:
    if joined_rank() == 0:
        sys.stderr.write(f"allport: {message}\n")


def _fail(message: str, kind: str, code: int, words: list[str]) -> int:
    """Says it on standard error and, where a program reads JSON, on standard output; the exit code."""
    message = re.sub(r"\boptions\.(\w+)", lambda option: f"--{option[1].replace('_', '-')}", message)
    _say(message)
    if _wants_json(words) and joined_rank() == 0:
        sys.stdout.write(json.dumps({"error": message, "kind": kind, "exit_code": code}, indent=2) + "\n")
        sys.stdout.flush()
    return code


def _wants_json(words: list[str]) -> bool:
    """Whether --json was read, or stands where wrong usage has kept it from being read; not a program's own."""
    passes_on = words[:1] == ["exec"] or words[:2] == ["lab", "run"]
    return options.json_wanted() or (not passes_on and "--json" in words)


def main(arguments: list[str] | None = None) -> None:
    """Runs the command line and exits: 0, 1 after an error, 2 after wrong usage, 130 after an interrupt."""
    sys.exit(_run(arguments))


def _run(arguments: list[str] | None) -> int:
    words = sys.argv[1:] if arguments is None else arguments
    try:
        result: Any = app(args=arguments, prog_name="allport", standalone_mode=False)
        sys.stdout.flush()
        return result if isinstance(result, int) else 0
    except BrokenPipeError:  # the reader of our output has gone, which is its right
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        return _fail("interrupted", "interrupted", 130, words)
    except (Error, JobFailed, ImportError) as error:
        if os.environ.get("ALLPORT_DEBUG") == "1":
            raise
        code = _fail(str(error), getattr(error, "kind", "run"), 1, words)
        _leave()
        return code
    except Exception as error:
        return _last_resort(error, words)


def _leave() -> None:
    """Under mpiexec: not before rank 0 has spoken."""
    if joined_size() is not None:
        with contextlib.suppress(ImportError):
            leave_together()


def _last_resort(error: Exception, words: list[str]) -> int:
    # Typer brings its own copy of click in some versions and not in others, so its errors are known by their looks.
    if hasattr(error, "format_message") and hasattr(error, "exit_code"):
        code = _fail(str(error.format_message()), "usage", int(error.exit_code), words)
        _leave()
        return code
    if type(error).__name__ == "Abort":
        return _fail("interrupted", "interrupted", 130, words)
    if os.environ.get("ALLPORT_DEBUG") == "1":
        raise error
    return _fail(f"{type(error).__name__}: {error} (ALLPORT_DEBUG=1 shows where)", "internal", 1, words)
