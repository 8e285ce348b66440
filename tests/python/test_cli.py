import dataclasses
import json
import re
import subprocess
import sys

import allport as ap
import pytest
import typer
from allport.cli import app, main


@pytest.mark.parametrize(
    ("name", "arguments", "drop"),
    [
        ("machine-show-torus", ["machine", "show", "torus:4x3m/ppn=2", "--json"], ()),
        ("machine-show-bgp", ["machine", "show", "bgp:8x8x8", "--json"], ()),
        (
            "schedule-show",
            "schedule show bcast -a rectangular -m torus:3x3 --size 9KiB --segment 1KiB --root 4 --json".split(),
            (),
        ),
        (
            "schedule-verify",
            "schedule verify bcast -a rectangular -m torus:8x8x8 --size 1MiB --json".split(),
            ("elapsed_seconds",),
        ),
        ("explain", "explain bcast --size 4MiB -m bgp:8x8x8 --json".split(), ()),
        ("plan-gemm", "plan gemm --shape 1000x900x800 -m torus:2x2x2 --json".split(), ()),
    ],
)
def test_golden_json(allport, golden, name, arguments, drop):
    done = allport(*arguments)
    assert done.returncode == 0, done.stderr
    golden(name, done.stdout, drop)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            "machine show torus:4x4/ppn=2",
            ["2-D torus of 4 x 4", "rings of 4", "wraps", "32 ranks", "64 directed links"],
        ),
        ("machine list", ["bgp", "xe6", "gemini", "exascale", "laptop"]),
        ("machine file bgp:4x4x4", ["bandwidth", "axes = ["]),
        ("schedule list", ["rectangular", "binomial", "reduce"]),
        ("schedule show bcast -a rectangular -m torus:4x4 --rank 0", ["4 trees", "send", "+x", "-y"]),
        ("schedule verify reduce -a ring -m torus:3x4 --element 8 --size 80000", ["PROVEN", "share no link"]),
        ("explain bcast --size 4MiB -m torus:8x8x8", ["rectangular", "binomial", "of bound", "lower bound: "]),
        ("explain bcast --size 4MiB -m torus:4x4 --members 0-12", ["subnetwork", "form no box", "13 nodes"]),
        ("plan gemm --shape 4000x4000x4000 -n 12", ["chosen:", "summa", "words", "x bound", "memory"]),
        ("version", ["mpiexec", "libmpi", ap.__version__]),
    ],
)
def test_tables(allport, arguments, words):
    done = allport(*arguments.split())
    assert done.returncode == 0, done.stderr
    assert "\x1b" not in done.stdout and done.stderr == ""
    for word in words:
        assert word in done.stdout, done.stdout


@pytest.mark.parametrize("arguments", ["machine list", "machine file bgp", "schedule list", "version"])
def test_every_command_speaks_json(allport, arguments):
    done = allport(*arguments.split(), "--json")
    assert done.returncode == 0 and json.loads(done.stdout), done.stderr


def test_a_machine_file_can_be_printed_and_used(allport, tmp_path):
    (tmp_path / "mine.toml").write_text(allport("machine", "file", "xe6:4x4x2").stdout)
    shown = allport("machine", "show", "mine.toml", "--json")
    same = json.loads(allport("machine", "show", "xe6:4x4x2", "--json").stdout)
    assert json.loads(shown.stdout) == {**same, "name": "mine.toml"}
    # A copy is another machine, and has its own name; one that somebody has named keeps that.
    text = (tmp_path / "mine.toml").read_text()
    (tmp_path / "open.toml").write_text(text.replace("wraps = true", "wraps = false"))
    assert allport("machine", "show", "open.toml").stdout.startswith("open.toml is a 3-D mesh")
    (tmp_path / "named.toml").write_text(f'name = "cube"\n{text}')
    assert allport("machine", "file", "named.toml").stdout.startswith('name = "cube"\n')


def test_trees_are_drawn(allport, tmp_path):
    done = allport("schedule", "show", "bcast", "-a", "rectangular", "-m", "torus:4x4", "-o", "trees.svg")
    assert done.returncode == 0 and "trees.svg" in done.stdout, done.stderr
    assert "All 4 trees combined" in (tmp_path / "trees.svg").read_text()


@pytest.mark.parametrize(
    ("arguments", "words", "code"),
    [
        ("machine show donut:4x4", ["donut"], 1),
        ("machine show gone.toml", ["gone.toml"], 1),
        ("schedule verify bcast -a telepathy -m torus:4x4", ["telepathy", "rectangular"], 1),
        ("schedule verify bcast -m torus:4x4 --root 16", ["root", "15"], 1),
        ("schedule verify gossip -m torus:4x4", ["gossip"], 1),
        ("schedule verify bcast -m torus:4x4 --size much", ["much"], 1),
        ("schedule show bcast -m torus:2x2x2x2 -o t.svg", ["4 axes"], 1),
        ("explain", ["Missing argument 'COLLECTIVE'"], 2),
        ("plan gemm", ["Missing option '--shape'"], 2),
        ("map", ["--stencil, --pattern: expected one of the two"], 1),
        ("plan gemm --shape 10x10 -n 4", ["MxNxK"], 1),
        ("plan gemm --shape 10x10x10 -n 4 --dtype int7", ["int7"], 1),
        ("plan gemm --shape 1000x1000x1000 -n 4 --memory 1MiB", ["1048576"], 1),
        ("plan gemm --shape 99999999999999999999x1x1 -n 4", ["shape", "99999999999999999999x1x1", "2^59"], 1),
        ("plan lu --shape 99999999999x99999999999 -n 4", ["shape", "2^59"], 1),
        ("simulate bcast -m torus:4 --trace no/x.json", ["trace 'no/x.json'", "folder 'no'"], 1),
        ("machine calibrate -o no/m.toml", ["output 'no/m.toml'", "folder 'no'"], 1),
        ("nonsense", ["nonsense"], 2),
        ("solve A.npy b.npy", ["No such command 'solve'", "`allport run solve`"], 2),
        ("gemm", ["`allport run gemm` and `allport plan gemm`"], 2),
        ("lu --help", ["`allport run lu`"], 2),
        ("discover", ["`allport machine discover`"], 2),
        ("simulate lu --shape 512 -m torus:2x2 --sample 2 --report r.html", ["--sample 2", "--report"], 1),
        ("simulate lu --shape 512 -m torus:2x2 --sample 2 --late", ["--sample 2", "--late"], 1),
        ("simulate lu --shape 512 -m torus:2x2 --sample 2 --steps 0:1", ["--sample 2", "--steps 0:1"], 1),
        ("machine", [], 0),
    ],
)
def test_errors_are_one_message_and_a_code(allport, arguments, words, code):
    done = allport(*arguments.split())
    if code:
        assert done.returncode == code and done.stderr.startswith("allport: "), (done.returncode, done.stderr)
        assert done.stdout == "" and "Traceback" not in done.stderr
    for word in words:
        assert word in done.stderr, done.stderr


@pytest.mark.parametrize(
    ("arguments", "words", "code", "kind"),
    [
        ("machine show donut:4x4 --json", "donut", 1, "machine"),
        ("run solve --json gone.npy b.npy -o x.npy", "gone.npy", 1, "io"),
        ("plan lu --nonsense --json", "--nonsense", 2, "usage"),
        ("solve --json", "allport run solve", 2, "usage"),
    ],
)
def test_errors_are_json_too(allport, arguments, words, code, kind):
    done = allport(*arguments.split())
    told = json.loads(done.stdout)
    assert done.returncode == code and done.stderr == f"allport: {told['error']}\n", (done.returncode, done.stderr)
    assert words in told["error"] and (told["kind"], told["exit_code"]) == (kind, code)


def test_a_program_s_json_is_its_own(allport):
    done = allport("exec", "no-such-program", "--json")
    assert done.returncode == 1 and done.stdout == "", done.stdout
    assert json.loads(allport("exec", "--json", "no-such-program").stdout)["kind"] == "io"


def test_the_version_in_short(allport):
    done = allport("--version")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"allport {ap.__version__}\n", "")
    assert not [text for text in json.loads(allport("version", "--json").stdout).values() if "\0" in str(text)]


def test_the_environment_names_the_machine(allport):
    done = allport("plan", "lu", "--shape", "10x10", "--json", env={"ALLPORT_MACHINE": "torus:2x2"})
    assert done.returncode == 0 and json.loads(done.stdout)["machine"] == "torus:2x2", done.stderr


@pytest.mark.parametrize(
    ("commands", "options"),
    [
        (
            ["run lu", "run solve", "plan lu"],
            "machine ranks pivoting algorithm grid panel nb outer-panel memory tree json",
        ),
        (["run gemm", "plan gemm"], "machine ranks algorithm grid panel memory trans-a trans-b tree json"),
        (["schedule verify", "schedule export", "simulate"], "machine algorithm root size element segment window json"),
    ],
)
def test_commands_of_a_kind_take_the_same_options(allport, commands, options):
    for command in commands:
        shown = allport(*command.split(), "--help", env={"NO_COLOR": "1", "TERM": "dumb"}).stdout
        assert not [name for name in options.split() if f"--{name} " not in shown], (command, shown)


def test_debug_shows_where(allport):
    done = allport("machine", "show", "donut", env={"ALLPORT_DEBUG": "1"})
    assert done.returncode != 0 and "Traceback" in done.stderr


def test_a_closed_pipe_is_no_error():
    done = subprocess.run(
        f"{sys.executable} -m allport schedule show bcast -m torus:8x8 --json | head -1",
        shell=True,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.stdout == "{\n" and done.stderr == ""


def commands(command=None, words=()):
    """Every command that does something by itself, by its words."""
    command = command or typer.main.get_command(app)
    inner = getattr(command, "commands", {})
    if not inner:
        yield words, command
    for name, sub in inner.items():
        yield from commands(sub, (*words, name))


#: Options of computations on files and plans that are none of ap.Options: where, what, and what is written.
OTHERS = """
machine ranks dtype shape a b output c_in alpha beta trans_a trans_b trans assume_a lower q_out check trace report json
simulate all subscripts shape_a shape_b
""".split()


def test_options_of_computations_have_their_names_in_python():
    known = {field.name for field in dataclasses.fields(ap.Options)} | set(OTHERS)
    for words, command in commands():
        if words[0] in ("run", "plan"):
            names = {max(p.opts, key=len).lstrip("-").replace("-", "_") for p in command.params}
            assert not names - known, words


def test_every_command_that_prints_a_result_has_json():
    without = [
        " ".join(words) for words, command in commands() if "--json" not in {o for p in command.params for o in p.opts}
    ]
    assert without == ["lab run"], "whose output is the program's"


def test_the_same_option_is_the_same_to_all():
    """A short name stands for one long name, wherever it is."""
    long = {}
    for words, command in commands():
        for p in command.params:
            for short in (o for o in p.opts if len(o) == 2):
                long.setdefault(short, {})[max(p.opts, key=len)] = words
    assert {short: set(names) for short, names in long.items()} == {
        "-a": {"--algorithm"}, "-f": {"--format"}, "-m": {"--machine"}, "-n": {"--ranks"}, "-o": {"--output"},
        "-x": {"--export"},
    }  # fmt: skip


@pytest.mark.parametrize(
    "arguments",
    [
        "compare bcast --sizes 1KiB",
        "explain bcast",
        "graph check gemm --shape 32",
        "graph check lu-solve --shape 64x2 --nb 16",
        "machine file",
        "machine show",
        "map --stencil 1d --grid 2",
        "multicast explain",
        "multicast table",
        "plan cholesky --shape 64",
        "plan einsum ij,jk->ik 4x4 4x4",
        "plan gemm --shape 64",
        "plan lu --shape 64",
        "plan qr --shape 64x8",
        "schedule export bcast -o out.goal",
        "schedule show bcast",
        "schedule verify bcast",
        "simulate bcast",
        "simulate cholesky --shape 64 --nb 16",
    ],
)
def test_a_machine_that_is_not_named_is_this_computer(allport, arguments):
    if arguments.startswith("map"):
        arguments = arguments.replace("2", str(ap.run.launch.cores()))
    done = allport(*arguments.split())
    assert done.returncode == 0 and done.stderr == "", done.stderr
    other = allport(*arguments.split(), env={"ALLPORT_MACHINE": "donut:4x4"})
    assert other.returncode == 1 and "donut" in other.stderr


@pytest.mark.parametrize("words", [words for words, c in commands() if any(p.required for p in c.params)], ids=" ".join)
def test_what_is_missing_is_named(allport, words):
    done = allport(*words)
    assert done.returncode == 2 and re.match(r"allport: Missing (argument|option) '", done.stderr), done.stderr


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("allport sch", ["schedule"]),
        ("allport schedule verify all", ["allgather", "allreduce", "alltoall"]),
        ("allport schedule verify bcast -a mst", ["mst", "mst2"]),
        ("allport explain bcast --machine ge", ["gemini"]),
        ("allport plan gemm -m mine", ["mine.toml"]),
        ("allport plan gemm -a summa", ["summa", "summa25", "summa25_copies"]),
        ("allport simulate chol", ["cholesky", "cholesky-solve"]),
        ("allport simulate lu -a 2", ["2.5d", "2d"]),
        ("allport run lu sub/A", ["sub/A.npy"]),
        ("allport run solve A.npy b.npy --pivoting p", ["partial"]),
        ("allport plan lu --tree ", ["flat", "chain", "prefix", "axes", "binomial", "kary"]),
        ("allport bench jac", ["jacobi"]),
        ("allport report ", ["bench.json"]),
        ("allport schedule list --load ", ["mine.py"]),
    ],
)
def test_shell_completion(tmp_path, monkeypatch, capsys, typed, expected):
    (tmp_path / "sub").mkdir()
    for name in ("mine.toml", "mine.py", "bench.json", "sub/A.npy", "sub/A.txt"):
        (tmp_path / name).write_text("")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("_ALLPORT_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", typed)
    monkeypatch.setenv("COMP_CWORD", str(typed.count(" ")))
    with pytest.raises(SystemExit):
        main([])
    assert capsys.readouterr().out.split() == expected
