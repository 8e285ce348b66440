"""Algorithms that a program registers, and `--load`: they are treated like the library's own, and their errors name
them."""

import subprocess
import sys
from pathlib import Path

import allport as ap
import pytest

EXAMPLE = Path(__file__).parents[2] / "examples" / "python" / "custom_bcast.py"
LINE = (
    "lambda m, c, cut: ap.make_schedule('bcast', m, algorithm='line', root=c.root, bytes=c.bytes, segment=cut.segment)"
)


def _python(tmp_path, text):
    """In a process of its own: what is registered stays."""
    return subprocess.run([sys.executable, "-c", text], cwd=tmp_path, capture_output=True, text=True, timeout=120)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["schedule", "list"], "heap"),
        (["schedule", "verify", "bcast", "-m", "torus:4x4", "-a", "heap"], "PROVEN  heap bcast"),
        (["schedule", "show", "bcast", "-m", "torus:4x4", "-a", "heap", "--rank", "3"], "bcast by heap"),
        (["schedule", "export", "bcast", "-m", "torus:4x4", "-a", "heap", "-o", "heap.goal"], "heap"),
        (["simulate", "bcast", "-m", "torus:4x4", "-a", "heap"], "bcast by heap"),
        (["compare", "bcast", "-m", "torus:4x4", "--sizes", "64KiB", "--algorithms", "heap,line"], "heap"),
        (["explain", "bcast", "-m", "torus:4x4", "--size", "64KiB"], "it has no price"),
        (["bench", "bcast", "-n", "3", "--sizes", "64KiB", "--algorithms", "heap", "--against", "none", "--rounds",
          "1", "--iterations", "2"], "heap"),
    ],
    ids=lambda x: " ".join(x[:2]) if isinstance(x, list) else "",
)  # fmt: skip
def test_commands_load_a_file_that_registers(allport, words, expected):
    done = allport(*words, "--load", EXAMPLE)
    assert done.returncode == 0 and expected in done.stdout, done.stdout + done.stderr
    assert "leaked" not in done.stderr


def test_without_load_the_name_is_unknown(allport):
    done = allport("schedule", "verify", "bcast", "-m", "torus:4x4", "-a", "heap")
    assert done.returncode == 1 and "choose one of: rectangular" in done.stderr


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (None, "there is none of that name"),
        ("x = 1\nraise RuntimeError('not today')\n", "raises RuntimeError: not today (line 2)"),
        ("def f(:\n", "SyntaxError"),
        ("import allport\n", "it registers none"),
        (
            "import allport as ap\nap.collectives.register_algorithm('bcast', 'line', lambda m, c, k: None)\n",
            "no algorithm of bcast",
        ),
    ],
    ids=["missing", "raises", "syntax", "registers nothing", "name taken"],
)
def test_files_that_cannot_be_loaded(allport, tmp_path, text, expected):
    if text is not None:
        (tmp_path / "mine.py").write_text(text)
    done = allport("schedule", "list", "--load", "mine.py")
    assert done.returncode == 1 and "load = 'mine.py'" in done.stderr and expected in done.stderr, done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("make", "more", "expected"),
    [
        ("lambda m, c, k: 1 // 0", "", "make of algorithm 'mine' raised ZeroDivisionError"),
        ("lambda m, c, k: None", "", "make of algorithm 'mine' returned None; expected a function of a rank"),
        ("lambda m, c, k: (lambda rank: 1 // 0)", "", "program(rank) of algorithm 'mine' raised ZeroDivisionError"),
        (
            "lambda m, c, k: (lambda rank: [1])",
            "",
            "program(rank) of algorithm 'mine' returned [1]; expected a Program",
        ),
        (
            "lambda m, c, k: (lambda rank: [])",
            "price=lambda m, c, k: 'dear'",
            "price of algorithm 'mine' returned 'dear'",
        ),
        ("lambda m, c, k: (lambda rank: [])", "price=lambda m, c, k: -1", "price = '-1 s'"),
        ("lambda m, c, k: (lambda rank: [])", "why_not=lambda m, c: 'never on Mondays'", "never on Mondays"),
        ("lambda m, c, k: (lambda rank: [])", "why_not=lambda m, c: 3", "why_not of algorithm 'mine' returned 3"),
        ("lambda m, c, k: ap.make_schedule('bcast', m, bytes=9)", "", "a schedule for the contract"),
    ],
)
def test_what_its_functions_do_wrong_is_named(tmp_path, make, more, expected):
    done = _python(
        tmp_path,
        f"import allport as ap\nap.collectives.register_algorithm('bcast', 'mine', {make}, {more})\n"
        "try:\n"
        "    s = ap.make_schedule('bcast', 'torus:4', algorithm='mine', bytes=100)\n"
        "    print(ap.verify.prove(s, 'torus:4'))\n"
        "except ap.Error as e:\n    print(e)\n",
    )
    assert done.returncode == 0 and expected in done.stdout, done.stdout + done.stderr
    assert not done.stderr


def test_a_program_that_delivers_nothing_is_found(tmp_path):
    done = _python(
        tmp_path,
        "import allport as ap\nap.collectives.register_algorithm('bcast', 'mine', lambda m, c, k: (lambda rank: []))\n"
        "report = ap.verify.prove(ap.make_schedule('bcast', 'torus:4', algorithm='mine', bytes=100), 'torus:4')\n"
        "assert not report\n",
    )
    assert done.returncode == 0, done.stderr


def test_a_price_competes_and_a_schedule_will_do(tmp_path):
    done = _python(
        tmp_path,
        f"import allport as ap\nline = {LINE}\n"
        "ap.collectives.register_algorithm('bcast', 'mine', line, price=lambda m, c, k: 1e-12)\n"
        "choice = ap.explain('bcast', 'torus:4x4', bytes='64KiB')\n"
        "assert choice.algorithm == 'mine' and choice.predicted == 1e-12, choice\n"
        "assert ap.verify.prove(ap.make_schedule('bcast', 'torus:4x4', bytes='64KiB'), 'torus:4x4')\n"
        "ap.collectives.register_algorithm('bcast', 'dear', line, summary='A line.')\n"
        "assert ap.explain('bcast', 'torus:4x4', bytes=64, algorithm='dear').predicted is None\n"
        "known = ap.collectives.algorithms('bcast')[-1]\n"
        "assert known == {'collective': 'bcast', 'name': 'dear', 'summary': 'A line.'}\n",
    )
    assert done.returncode == 0 and not done.stderr, done.stderr


@pytest.mark.parametrize(
    "call",
    [
        "Slot('outputs')", "Piece((0, 0), (0, 3), (4, 3))", "Op('sned', piece)", "Op('send', empty)",
        "Op('send', piece, port=99)", "Op('send', piece, after=[(0, 0)] * 7)", "Program([], -1)",
    ],
)  # fmt: skip
def test_operations_are_checked_as_they_are_made(call):
    piece, empty = ap.schedule.Piece((0, 0), (0, 3), (0, 8)), ap.schedule.Piece((0, 0), (0, 3), (0, 0))
    with pytest.raises(ap.Error, match=r" = .*expected"):
        eval(
            call,
            {
                "Op": ap.schedule.Op,
                "Piece": ap.schedule.Piece,
                "Slot": ap.schedule.Slot,
                "Program": ap.schedule.Program,
                "piece": piece,
                "empty": empty,
            },
        )


def test_ranks_know_the_same_ones(ranks):
    done = ranks("registered", 3, EXAMPLE)
    assert done.returncode == 0 and "registered ok" in done.stdout, done.stdout + done.stderr
