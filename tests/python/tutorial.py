"""Runs a page of docs/tutorials as its reader would: files are written, commands typed, answers compared.

A fenced block is, by its language,
- `console`: lines that begin with "$ " are commands (which go on after a backslash at the end, or up to the word of
  `<<'END'`), what follows is what they print, on both streams together;
- `pycon`: a session of Python, one for the whole page;
- anything else, right after a line that ends with a name in backquotes and a colon: the file of that name.
Other blocks are read and not run. In what is printed, a line of dots stands for any lines, and ‹...› holds what differs
from run to run.
"""

from __future__ import annotations

import doctest
import os
import re
import shutil
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import allport as ap

FENCE = re.compile(r"^(`{3,})(\w*)[^\n]*\n(.*?)^\1 *$", re.DOTALL | re.MULTILINE)
NAMED = re.compile(r"`([\w.-]+)`:\s*$")
VARIES = re.compile(r"‹[^›]*›")
LIMIT = 120


@dataclass
class Block:
    """A fenced block of a page."""

    language: str
    text: str
    line: int
    file: str | None


def blocks(page: str) -> list[Block]:
    """The page's fenced blocks in order."""
    found = []
    for match in FENCE.finditer(page):
        before = page[: match.start()]
        named = NAMED.search(before.rstrip().rpartition("\n")[2])
        language = match.group(2)
        file = named.group(1) if named and language not in ("console", "pycon") else None
        found.append(Block(language, match.group(3), before.count("\n") + 2, file))
    return found


def matches(wanted: str, got: str) -> bool:
    """Whether what was printed is what the page says, but for what differs from run to run."""
    lines = [line.rstrip() for line in wanted.strip("\n").splitlines()]
    pattern = ""
    for line in lines:
        if line.strip() == "...":
            pattern += r"(?:[^\n]*\n)*?"
            continue
        last = 0
        for varies in VARIES.finditer(line):
            pattern += re.escape(line[last : varies.start()]) + r"[^\n]+?"
            last = varies.end()
        pattern += re.escape(line[last:]) + r"\n"
    printed = "".join(line.rstrip() + "\n" for line in got.strip("\n").splitlines())
    # Columns widen with the numbers in them: so many blanks as there are, at least one, are all the same.
    loose = re.sub(r"(?:\\ )+", r" +", pattern)
    return re.fullmatch(loose, printed) is not None


def commands(text: str) -> list[tuple[str, str]]:
    """(command, what it prints) of a console block."""
    found: list[list[str]] = []
    until: str | None = (
        None  # the line that ends a command which goes on; "": the next that does not end in a backslash
    )
    for line in text.splitlines():
        if until is not None:
            found[-1][0] += "\n" + line
            if line == until or (until == "" and not line.endswith("\\")):
                until = None
        elif line.startswith("$ "):
            found.append([line[2:], ""])
            here = re.search(r"<<'?(\w+)'?$", line)
            until = here.group(1) if here else "" if line.endswith("\\") else None
        else:
            assert found, f"a console block begins with a command, not with {line!r}"
            found[-1][1] += line + "\n"
    return [(command, printed) for command, printed in found]


class Desk:
    """Where a page is followed: an empty folder, a shell and a Python session."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.names: dict[str, object] = {"__name__": "__main__"}
        self.env = self._environment()

    def _environment(self) -> dict[str, str]:
        """A shell in which python, allport, mpicc and mpiexec are those that Allport was built with, on a computer
        that may have fewer cores than there are ranks, where root may start them, too."""
        tools = self.folder.parent / f"{self.folder.name}-bin"
        tools.mkdir()
        here = {"python": [sys.executable], "allport": [sys.executable, "-m", "allport"]}
        self.family = family = ap.mpi.family() or "openmpi"
        mpiexec = str(ap.mpi.build_info()["mpiexec"])
        for name in ("mpicc", "mpifort"):
            beside = Path(mpiexec).with_name(f"{name}.{family}")
            found = shutil.which(str(beside)) or shutil.which(name)
            if found:
                here[name] = [found]
        here["mpiexec"] = [mpiexec]
        for name, command in here.items():
            script = tools / name
            script.write_text("#!/bin/sh\nexec " + " ".join(f"'{word}'" for word in command) + ' "$@"\n')
            script.chmod(0o755)
        dropped = ("OMPI_", "PMI", "MPI4PY_", "ALLPORT_")
        env = {
            k: v
            for k, v in ap.run.launch.environment(4).items()
            if not k.startswith(dropped) or k.startswith("OMPI_MCA")
        }
        for name in ("OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"):
            env[name] = "1"
        env["OMPI_MCA_rmaps_base_oversubscribe"] = "1"
        env["PRTE_MCA_rmaps_default_mapping_policy"] = ":oversubscribe"
        env["OMPI_MCA_hwloc_base_binding_policy"] = "none"
        env |= {"COLUMNS": "110", "NO_COLOR": "1", "TERM": "dumb", "LC_ALL": "C.UTF-8"}
        env["ALLPORT_MEASURED"] = str(self.folder.parent / f"{self.folder.name}-measured.json")
        env["PATH"] = os.pathsep.join([str(tools), str(Path(sys.executable).parent), os.environ["PATH"]])
        return env

    def type(self, command: str) -> subprocess.CompletedProcess[str]:
        """Types a command, with this MPI's ScaLAPACK; both streams come together, as in a terminal."""
        words = ["bash", "-c", command.replace("-lscalapack-openmpi", f"-lscalapack-{self.family}")]
        with subprocess.Popen(
            words,
            cwd=self.folder,
            env=self.env,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        ) as typed:
            try:
                printed, _ = typed.communicate(timeout=LIMIT)
            except subprocess.TimeoutExpired:
                os.killpg(typed.pid, signal.SIGTERM)  # the ranks, too
                raise
        return subprocess.CompletedProcess(words, typed.returncode, printed, "")

    def lacks(self, page: str) -> str:
        """What a page wants that is not here: a compiler of MPI's, ScaLAPACK; or nothing."""
        if "$ mpicc" not in page:
            return ""
        if self.type("mpicc --version").returncode != 0:
            return "no mpicc in PATH"
        links = "echo 'int main(void) { return 0; }' | mpicc -x c - -o /dev/null -lscalapack-openmpi"
        if "-lscalapack" in page and self.type(links).returncode != 0:
            return f"no ScaLAPACK for {self.family} (Debian: libscalapack-{self.family}-dev)"
        return ""

    def follow(self, block: Block) -> str:
        """Does what a block says; what is wrong with it, or nothing."""
        if block.file is not None:
            (self.folder / block.file).write_text(block.text)
        elif block.language == "console":
            for command, printed in commands(block.text):
                done = self.type(command)
                if not matches(printed, done.stdout):
                    return f"$ {command}\nthe page says\n{printed}\n{done.returncode = }, it printed\n{done.stdout}"
        elif block.language == "pycon":
            return self._session(block)
        return ""

    def _session(self, block: Block) -> str:
        wrong: list[str] = []
        runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
        text = VARIES.sub("...", block.text)
        test = doctest.DocTestParser().get_doctest(text, self.names, "page", "page", block.line)
        before, known = Path.cwd(), set(sys.modules)
        os.chdir(self.folder)
        sys.path.insert(0, str(self.folder))
        try:
            runner.run(test, out=wrong.append, clear_globs=False)
        finally:
            os.chdir(before)
            sys.path.remove(str(self.folder))
            for name in set(sys.modules) - known:
                if str(getattr(sys.modules[name], "__file__", None) or "").startswith(str(self.folder)):
                    del sys.modules[name]  # another page may have a file of that name
        self.names.update(test.globs)
        return "".join(wrong)


def follow(page: Path, desk: Desk) -> tuple[int, str]:
    """Follows a page from its first block to its last; how many did something, and what went wrong first."""
    done = 0
    for block in blocks(page.read_text()):
        if block.file is None and block.language not in ("console", "pycon"):
            continue
        wrong = desk.follow(block)
        if wrong:
            return done, f"{page.name}:{block.line}: {wrong}"
        done += 1
    return done, ""
