"""The command line: one file a verb, each importing only allport. `allport --help` lists them."""

from __future__ import annotations

import contextlib
import os
import sys
from typing import Any

import typer

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
    plan,
    reproduce,
    run,
    schedule,
    simulate,
    version,
)
from allport.errors import AllportError
from allport.run.launch import JobFailed
from allport.run.rank import joined_rank, joined_size, leave_together

app = typer.Typer(
    name="allport",
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
app.add_typer(graph.app, name="graph")
app.add_typer(lab.app, name="lab")
app.command(name="bench")(bench.bench)
app.command(name="compare")(compare.compare)
app.command(name="doctor")(doctor.doctor)
app.command(name="dropin")(dropin.dropin)
app.command(name="exec", context_settings=exec.SETTINGS)(exec.exec_)
app.command(name="explain")(explain.explain)
app.command(name="map")(map.map_)
app.command(name="reproduce")(reproduce.reproduce)
app.command(name="simulate")(simulate.simulate)
app.command(name="version")(version.version)


def _say(message: str) -> None:
    if joined_rank() == 0:
        sys.stderr.write(f"allport: {message}\n")


def main(arguments: list[str] | None = None) -> None:
    """Runs the command line and exits: 0, 1 after an error, 2 after wrong usage, 130 after an interrupt."""
    sys.exit(_run(arguments))


def _run(arguments: list[str] | None) -> int:
    try:
        result: Any = app(args=arguments, prog_name="allport", standalone_mode=False)
        sys.stdout.flush()
        return result if isinstance(result, int) else 0
    except BrokenPipeError:  # the reader of our output has gone, which is its right
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        _say("interrupted")
        return 130
    except (AllportError, JobFailed, ImportError) as error:
        if os.environ.get("ALLPORT_DEBUG") == "1":
            raise
        _say(str(error))
        _leave()
        return 1
    except Exception as error:
        return _last_resort(error)


def _leave() -> None:
    """Under mpiexec: not before rank 0 has spoken."""
    if joined_size() is not None:
        with contextlib.suppress(ImportError):
            leave_together()


def _last_resort(error: Exception) -> int:
    # Typer brings its own copy of click in some versions and not in others, so its errors are known by their looks.
    if hasattr(error, "format_message") and hasattr(error, "exit_code"):
        _say(str(error.format_message()))
        _leave()
        return int(error.exit_code)
    if type(error).__name__ == "Abort":
        _say("interrupted")
        return 130
    if os.environ.get("ALLPORT_DEBUG") == "1":
        raise error
    _say(f"{type(error).__name__}: {error} (ALLPORT_DEBUG=1 shows where)")
    return 1
