#!/usr/bin/env python3
"""Writes what repeats in the interfaces of C++ and Python from tools/interface_table.py. Needs clang-format and ruff
besides the standard library.

Usage: make_interfaces.py [--check]. With --check nothing is written; it fails when a file is another than it
would write, and when the page of interfaces (tools/interface_page.py) names what is not in the code, or lacks a
function.
"""

from __future__ import annotations

import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import interface_page
from interface_table import ALGORITHM, CPP, CPP_ORDER, TABLE, Collective

ROOT = Path(__file__).resolve().parent.parent
WRITTEN = "written by tools/make_interfaces.py from tools/interface_table.py"
FORMS = ("", "start_", "prepare_")


def wrapped(text: str, first: str, then: str, width: int = 120) -> list[str]:
    """A sentence over as many lines as it needs."""
    return textwrap.wrap(
        text, width, initial_indent=first, subsequent_indent=then, break_long_words=False, break_on_hyphens=False
    )


def members(parts: dict[str, str], order: list[str]) -> str:
    """A designated initializer, in the order of the members."""
    return "{" + ", ".join(f".{name} = {parts[name]}" for name in order if name in parts) + "}"


def signature(returns: str, name: str, parameters: list[str], end: str) -> list[str]:
    return [f"{returns} {name}({', '.join(parameters)}){end}"]


def formatted(name: str, text: str) -> str:
    """As tools/format writes it."""
    if name.endswith(".py"):
        command = ["ruff", "format", "--no-cache", "-q", "--stdin-filename", name, "-"]
    else:
        command = ["clang-format", f"--assume-filename={name}"]
    return subprocess.run(command, cwd=ROOT, input=text, capture_output=True, text=True, check=True).stdout


CPP_SAYS = (
    "What every rank of a communicator calls in one order. NAME() returns when this rank's part is done; "
    "start_NAME() at once: the result is there when the Transfer has been waited for; prepare_NAME() makes what "
    "can be started again and again, with the buffers as they are then. Buffers are bytes, blocks in the order of "
    "ranks; input and output may not overlap. combine works on whole elements of `element` bytes and is "
    "associative. algorithm: a registered one; none: by price."
)


# C++


def cpp_declarations(c: Collective) -> list[str]:
    parameters = [CPP[p][0] for p in c.cpp_parameters.split()] + ["std::string_view algorithm = {}"]
    said = " ".join(filter(None, [c.does, c.cpp_says]))
    lines = wrapped(said, "  /// ", "  /// ")
    for form, returns in zip(FORMS, ("void", "Transfer", "[[nodiscard]] Persistent")):
        if form == "" and c.cpp == "barrier":
            continue  # MPI's own
        lines += [f"  {line}" for line in signature(returns, form + c.cpp, parameters, " const;")]
    return lines


def cpp_header() -> str:
    lines = [
        f"// Every collective as methods of Communicator: blocking, started, prepared; {WRITTEN}.",
        "#pragma once",
        "",
        "#include <cstddef>",
        "#include <cstdint>",
        "#include <span>",
        "#include <string_view>",
        "",
        '#include "allport/comm/transfer.h"',
        "",
        "namespace allport {",
        "",
        *wrapped(CPP_SAYS, "/// ", "/// "),
        "/// @throws Error naming the argument, on the ranks where it is wrong; with ALLPORT_CHECK on all",
        "class CollectiveCalls {",
        " public:",
    ]
    for c in TABLE:
        lines += cpp_declarations(c)
    lines += [
        "",
        " protected:",
        "  CollectiveCalls() = default;",
        "  ~CollectiveCalls() = default;",
        "  CollectiveCalls(CollectiveCalls const&) = default;",
        "  CollectiveCalls(CollectiveCalls&&) = default;",
        "  CollectiveCalls& operator=(CollectiveCalls const&) = default;",
        "  CollectiveCalls& operator=(CollectiveCalls&&) = default;",
        "",
        " private:",
        "  [[nodiscard]] Communicator const& whole() const;",
        "};",
        "",
        "}  // namespace allport",
    ]
    return "\n".join(lines) + "\n"


def cpp_bodies() -> str:
    lines = [
        f"// Every collective as methods of Communicator; {WRITTEN}.",
        "#include <utility>",
        "",
        '#include "allport/comm/communicator.h"',
        "",
        "namespace allport {",
        "",
        "Communicator const& CollectiveCalls::whole() const { return static_cast<Communicator const&>(*this); }",
    ]
    for c in TABLE:
        parameters = [CPP[p][0] for p in c.cpp_parameters.split()] + ["std::string_view algorithm"]
        parts = {"what": f"Collective::{c.what}", "algorithm": "algorithm"}
        for p in c.cpp_parameters.split():
            parts |= CPP[p][1]
        if c.varies:
            parts["varies"] = "true"
        for form, returns, does in zip(FORMS, ("void", "Transfer", "Persistent"), ("run", "start", "prepare")):
            if form == "" and c.cpp == "barrier":
                continue
            lines += ["", *signature(returns, f"CollectiveCalls::{form}{c.cpp}", parameters, " const {")]
            back = "" if form == "" else "return "
            lines += [f"  {back}whole().{does}({members(parts, CPP_ORDER)});", "}"]
    return "\n".join([*lines, "", "}  // namespace allport"]) + "\n"


# Python


def python_methods() -> str:
    lines = [
        '"""Every collective as methods of Communicator, named as in mpi4py: Bcast, Ibcast, Bcast_init.',
        "",
        f"{WRITTEN[0].upper()}{WRITTEN[1:]}.",
        '"""',
        "",
        "from __future__ import annotations",
        "",
        "from collections.abc import Sequence",
        "from typing import Any, TypeAlias",
        "",
        "from allport import collective_arrays as made",
        "from allport.arrays import ArrayLike, Operator",
        "from allport.collective_arrays import CallsOn",
        "from allport.transfer import Persistent, Transfer",
        "",
        '__all__ = ["CollectiveCalls"]',
        "",
        "#: [array, counts] or [array, (counts, displacements)]: blocks of different lengths, one behind the other.",
        "Blocks: TypeAlias = Any",
        "",
        "",
        "class CollectiveCalls(CallsOn):",
        '    """What every rank of a communicator calls in one order, with buffers as in mpi4py.',
        "",
        "    NAME() returns when this rank's part is done; INAME() at once: the result is there after Transfer.Wait();",
        "    NAME_init() makes what Persistent.Start() starts again and again, with what the buffers hold then.",
        "    Buffers are contiguous arrays of numpy, or of whatever has the buffer protocol or DLPack.",
        "    algorithm: a registered one; None: by price.",
        '    """',
    ]
    for c in TABLE:
        own = [p for p in [c.python or ALGORITHM] if p]
        given = f"made.{c.name}(self{', ' + c.passed if c.passed else ''}, algorithm=algorithm)"
        said = " ".join(filter(None, [c.does, c.python_says]))
        blocking, started, prepared = c.python_names
        forms = [
            (blocking, "None", f"self._run({given})", said),
            (started, "Transfer", f"return self._start({given})", f"Starts {blocking}()."),
            (prepared, "Persistent", f"return self._prepare({given})", f"Prepares {blocking}() for many starts."),
        ]
        if c.name == "barrier":
            forms = forms[1:]  # MPI's own
        for name, returns, does, text in forms:
            lines += ["", f"    def {name}({', '.join(['self', *own])}) -> {returns}:"]
            lines += wrapped(text + '"""', '        """', "        ")
            lines += [f"        {does}"]
    return "\n".join(lines) + "\n"


FILES: dict[str, Callable[[], str]] = {
    "include/allport/comm/collective_calls.h": cpp_header,
    "src/comm/collective_calls.cpp": cpp_bodies,
    "python/allport/collective_calls.py": python_methods,
}


def main() -> int:
    code = 0
    if "--check" in sys.argv[1:]:
        interface_page.page()
    for name, write in FILES.items():
        path, written = ROOT / name, formatted(name, write())
        if "--check" not in sys.argv[1:]:
            path.write_text(written)
        elif not path.exists() or path.read_text() != written:
            print(f"{name} is another than the table says; run tools/make_interfaces.py")
            code = 1
    return code


if __name__ == "__main__":
    sys.exit(main())
