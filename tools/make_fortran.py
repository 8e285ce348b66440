#!/usr/bin/env python3
"""Writes the Fortran module `allport` from the C interface, include/allport/allport*.h. The build calls it; nothing
that it writes is in the repository.

Usage: make_fortran.py FILE

A handle becomes a type, a struct one that is C's too, a callback a c_funptr, a char a character, an argument that may
be NULL or has a default an optional one behind the others, and an array an array, with its leading dimension where it
has one. Functions on matrices become generic names over the four types, without the argument `type`.
"""

from __future__ import annotations

import re
import sys
import textwrap
from dataclasses import dataclass, field
from pathlib import Path

from fortran_frame import HEAD, TAIL

ROOT = Path(__file__).resolve().parent.parent
HEADERS = (
    "allport_types.h",
    "allport_collectives.h",
    "allport_plans.h",
    "allport_linalg.h",
    "allport_loops.h",
    "allport_tasks.h",
    "allport.h",
)
FOLDER = ROOT / "include" / "allport"

ABSENT = {"begins", "blocks", "received_begins"}  # arrays that may be NULL
ABSENT_HANDLES = {"given", "on", "plan", "request"}  # behind the first argument
NEEDED_TEXTS = {"collective", "of", "operation", "spec", "text", "what"}  # the others may be NULL
FILLED = {"pivots", "places"}  # arrays that are written
RESULTS = {"imbalance", "seconds", "bandwidth", "latency"}  # single doubles that are written
CHANGED = {"threads"}  # single integers that are read and written
DEFAULTS = {"first_row": "0", "first_col": "0", "order": "'C'"}
WIDE = {"bytes", "count", "begin", "end", "messages", "element_bytes"}  # can be more than a default integer holds
NUMBERS = {
    "allport_float": "real(c_float)",
    "allport_double": "real(c_double)",
    "allport_float_complex": "complex(c_float_complex)",
    "allport_double_complex": "complex(c_double_complex)",
}
PLAIN = {
    "int": "integer(c_int)",
    "allport_type": "integer(c_int)",
    "MPI_Fint": "integer(c_int)",
    "int64_t": "integer(c_int64_t)",
    "char": "integer(c_signed_char)",
    "int32_t": "integer(c_int32_t)",
    "uint16_t": "integer(c_int16_t)",
    "double": "real(c_double)",
}
ONE = {"integer(c_int)": "c_int", "integer(c_int64_t)": "c_int64_t"}
VECTORS = {"tau"}  # arrays without a leading dimension
LEFT_OUT = {"allport_comm_create"}  # takes an MPI_Comm of C's; the form with Fortran's has its name


@dataclass
class Parameter:
    """One of a C function's, e.g. `const char* machine`."""

    type: str  # without const and *
    pointer: bool
    const: bool
    name: str
    kind: str = ""  # "callback", "struct" or "address" (a pointer to a pointer)
    first: bool = False

    @property
    def is_text(self) -> bool:
        return self.pointer and self.const and self.type == "char"

    @property
    def is_handle(self) -> bool:
        return self.type.startswith("allport_") and self.type not in PLAIN and not self.kind

    @property
    def is_number(self) -> bool:
        """A pointer to what the caller computes with, of any type."""
        return self.pointer and self.type == "void" and not self.kind

    @property
    def is_result(self) -> bool:
        """A single double that is written: a time, a rate."""
        return self.pointer and not self.const and self.type == "double" and self.name in RESULTS

    @property
    def is_list(self) -> bool:
        """An array of integers."""
        return self.pointer and self.type in ("int", "int64_t") and (self.const or self.name in FILLED)

    @property
    def optional(self) -> bool:
        if self.is_text:
            return self.name not in NEEDED_TEXTS
        if self.is_handle:
            return self.name in ABSENT_HANDLES and not self.first
        return self.name in DEFAULTS or self.name in ABSENT

    @property
    def intent(self) -> str:
        return "inout" if self.name in CHANGED else "out"

    def bound(self) -> str:
        """Its declaration in the interface to C."""
        if self.is_handle:
            by_address = self.pointer and not self.optional
            return f"type(c_ptr), {'intent(inout)' if by_address else 'value'} :: {self.name}"
        if self.kind == "callback":
            return f"type(c_funptr), value :: {self.name}"
        if self.kind:
            return f"{self.own_type()} :: {self.name}"
        if self.is_text or self.is_number or self.is_list:
            return f"type(c_ptr), value :: {self.name}"
        if self.pointer:
            return f"{PLAIN[self.type]}, intent({self.intent}) :: {self.name}"
        return f"{PLAIN[self.type]}, value :: {self.name}"

    def own_type(self) -> str:
        """Of a callback, a struct or an address."""
        if self.kind == "callback":
            return "type(c_funptr), intent(in)"
        if self.kind == "address":
            return "type(c_ptr), intent(out)"
        return f"type({self.type}), intent({'in' if self.const else 'out'})"


@dataclass
class Function:
    name: str
    returns_text: bool
    parameters: list[Parameter]
    comment: list[str] = field(default_factory=list)

    @property
    def fortran(self) -> str:
        return self.name.removesuffix("_fortran")

    @property
    def bound(self) -> str:
        return "c_" + self.name.removeprefix("allport_")

    @property
    def of_matrices(self) -> bool:
        return bool(self.leading_dimensions())

    def leading_dimensions(self) -> set[str]:
        names = {p.name for p in self.parameters}
        return {f"ld{p.name}" for p in self.parameters if p.is_number} & names


def header() -> str:
    """All of the C interface."""
    return "\n".join((FOLDER / name).read_text() for name in HEADERS)


def without_comments(header: str) -> str:
    return re.sub(r"/\*.*?\*/", "", header, flags=re.DOTALL)


def structs(header: str) -> dict[str, list[tuple[str, str, str]]]:
    """By name the fields, as (type, name, extent)."""
    found = re.findall(r"typedef struct \w* ?\{([^}]*)\} (\w+);", without_comments(header))
    return {
        name: re.findall(r"(\w+) (\w+)(?:\[(\d+)\])?;", fields)
        for name, fields in ((name, fields) for fields, name in found)
    }


def callbacks_of(header: str) -> set[str]:
    return set(re.findall(r"typedef \w+ \(\*(\w+)\)", header))


def kind_of(type_: str, stars: str, callbacks: set[str], records: set[str]) -> str:
    if stars == "**":
        return "address"
    return "callback" if type_ in callbacks else "struct" if type_ in records else ""


def parse(header: str) -> tuple[dict[str, int], list[str], list[Function]]:
    """The codes, the handles and the functions, each with the comment before it."""
    codes = {
        name.lower(): int(value)
        for name, value in re.findall(r"\b(ALLPORT_[A-Z0-9_]+) = (-?\d+)", without_comments(header))
    }
    callbacks = callbacks_of(header)
    records = set(structs(header))
    handles = re.findall(r"typedef struct \w+\* (\w+);", header)
    functions = []
    pattern = r"(/\*(?:(?!\*/).)*\*/\n)?(int|const char\*) (allport_\w+)\(([^)]*)\);"
    for comment, returned, name, arguments in re.findall(pattern, header, re.DOTALL):
        parameters = []
        for argument in re.split(r",\s*", arguments.strip()):
            match = re.fullmatch(r"(const )?(\w+)(\*{0,2}) (\w+)", argument)
            if match:
                kind = kind_of(match[2], match[3], callbacks, records)
                parameters.append(Parameter(match[2], bool(match[3]), bool(match[1]), match[4], kind, not parameters))
            elif argument != "void":
                raise SystemExit(f"{FOLDER}: {name}: cannot read the parameter `{argument}`")
        words = re.sub(r"\s*\n \* ", " ", comment.strip()[2:-2]).strip() if comment else ""
        functions.append(Function(name, returned != "int", parameters, textwrap.wrap(words, 116)))
    comments = {f.name: f.comment for f in functions}
    for f in functions:
        f.comment = f.comment or comments.get(f.fortran, [])
    return codes, handles, [f for f in functions if f.name not in LEFT_OUT]


def folded(text: str, indent: int) -> list[str]:
    """A statement over as many lines as it needs."""
    lines = textwrap.wrap(text, 116 - indent, break_long_words=False, break_on_hyphens=False)
    return [
        (" " * indent if i == 0 else " " * (indent + 5)) + line + (" &" if i + 1 < len(lines) else "")
        for i, line in enumerate(lines)
    ]


def declared(declarations: list[str]) -> list[str]:
    """`type :: a` and `type :: b` in a row are `type :: a, b`."""
    lines: list[str] = []
    for declaration in declarations:
        type_, name = declaration.split(" :: ")
        same = lines and lines[-1].split(" :: ")[0] == type_
        lines = [*lines[:-1], f"{lines[-1]}, {name}"] if same else [*lines, declaration]
    return lines


def bind(function: Function) -> list[str]:
    names = ", ".join(p.name for p in function.parameters)
    result = "type(c_ptr) :: text" if function.returns_text else "integer(c_int) :: code"
    lines = folded(
        f"function {function.bound}({names}) bind(C, name='{function.name}') result({result.split()[-1]})", 4
    )
    lines.append("      import")
    lines += [f"      {line}" for line in declared([p.bound() for p in function.parameters])]
    return [*lines, f"      {result}", f"    end function {function.bound}"]


class Wrapper:
    """What a Fortran program calls: declarations and the call of the C function, of one type if it is on matrices."""

    def __init__(self, function: Function, type_: str = ""):
        self.function = function
        self.type = type_
        self.leading = function.leading_dimensions()
        hidden = self.leading | ({"type"} if type_ else set())
        shown = [p for p in function.parameters if p.name not in hidden]
        self.shown = sorted(shown, key=lambda p: p.optional)  # stable: optional ones last
        self.locals: list[str] = []
        self.before: list[str] = []

    @property
    def name(self) -> str:
        return self.function.fortran + self.type.removeprefix("allport")

    def declaration(self, p: Parameter) -> str:
        if p.is_handle:
            # A new handle is written over; one that is freed is set to null.
            intent = ("out" if p.name == "created" else "inout") if p.pointer else "in"
            optional = ", optional, target" if p.optional and p.pointer else ", optional" if p.optional else ""
            return f"type({p.type}), intent({intent}){optional} :: {p.name}"
        if p.is_text:
            return f"character(len=*), intent(in){', optional' if p.optional else ''} :: {p.name}"
        if p.kind:
            return f"{p.own_type()} :: {p.name}"
        if p.is_result:
            return f"real(c_double), intent(out) :: {p.name}"
        if p.is_list:
            intent = f"intent({'in' if p.const else 'out'}){', optional' if p.optional else ''}"
            return f"{PLAIN[p.type]}, {intent}, target, contiguous :: {p.name}(:)"
        if p.is_number:
            if not self.type:
                return f"type(c_ptr), intent(in) :: {p.name}"
            rank = "(:, :)" if f"ld{p.name}" in self.leading else "(:)" if p.name in VECTORS else ""
            shape = ", contiguous" if rank else ""
            intent = "in" if p.const else "inout"
            return f"{NUMBERS[self.type]}, intent({intent}), target{shape} :: {p.name}{rank}"
        if p.pointer:
            return f"{PLAIN[p.type]}, intent({p.intent}) :: {p.name}"
        kind = "character" if p.type == "char" else "integer(c_int64_t)" if p.name in WIDE else "integer"
        return f"{kind}, intent(in){', optional' if p.optional else ''} :: {p.name}"

    def passed(self, p: Parameter) -> str:
        """The argument of the C function."""
        if p.name == "type" and self.type:
            return self.type
        if p.name in self.leading:
            return f"leading(size({p.name[2:]}, 1))"
        if p.is_handle and p.optional:
            self.locals.append(f"type(c_ptr) :: {p.name}_at")
            at = f"c_loc({p.name}%handle)" if p.pointer else f"{p.name}%handle"
            self.before += [f"{p.name}_at = c_null_ptr", f"if (present({p.name})) {p.name}_at = {at}"]
            return f"{p.name}_at"
        if p.is_handle:
            return f"{p.name}%handle"
        if p.is_text:
            self.locals.append(f"character(len=:), allocatable, target :: {p.name}_kept")
            return f"c_text({p.name}, {p.name}_kept)"
        if p.kind or p.is_result:
            return p.name
        if p.is_list and p.optional:
            self.locals.append(f"type(c_ptr) :: {p.name}_at")
            self.before += [f"{p.name}_at = c_null_ptr", f"if (present({p.name})) {p.name}_at = c_loc({p.name})"]
            return f"{p.name}_at"
        if p.is_list:
            return f"c_loc({p.name})"
        if p.is_number:
            return f"c_loc({p.name})" if self.type else p.name
        if p.pointer:
            return p.name
        name = p.name
        if p.optional:
            name = f"{p.name}_given"
            self.locals.append(f"{'character' if p.type == 'char' else 'integer'} :: {name}")
            self.before += [f"{name} = {DEFAULTS[p.name]}", f"if (present({p.name})) {name} = {p.name}"]
        if p.type == "char":
            return f"letter({name})"
        return name if p.name in WIDE else f"int({name}, {ONE[PLAIN[p.type]]})"

    def lines(self) -> list[str]:
        f = self.function
        name = self.name
        arguments = ", ".join(p.name for p in self.shown)
        call = f"{f.bound}({', '.join(self.passed(p) for p in f.parameters)})"
        out = [] if self.type else [f"  ! {line}" for line in f.comment]
        if f.returns_text:
            out += folded(f"function {name}({arguments}) result(text)", 2)
            self.locals.append("character(len=:), allocatable :: text")
            call = f"text = text_of({call})"
        else:
            out += folded(f"integer function {name}({arguments}) result(code)", 2)
            call = f"code = {call}"
        out += [f"    {line}" for line in declared([self.declaration(p) for p in self.shown] + self.locals)]
        out += [f"    {line}" for line in self.before]
        return [*out, *folded(call, 4), f"  end function {name}", ""]


def type_of(name: str, fields: list[tuple[str, str, str]], callbacks: set[str]) -> list[str]:
    """A struct of C's."""
    lines = [f"  type, bind(C), public :: {name}"]
    for type_, field_name, extent in fields:
        if type_ in callbacks:
            kind, initial = "type(c_funptr)", " = c_null_funptr"
        elif type_ in PLAIN:
            kind, initial = PLAIN[type_], " = 0"
        else:
            kind, initial = f"type({type_})", ""
        lines += [f"    {kind} :: {field_name}{f'({extent})' if extent else ''}{initial}"]
    return [*lines, f"  end type {name}", ""]


def module(header: str) -> str:
    codes, handles, functions = parse(header)
    values = ", ".join(f"{name} = {value}" for name, value in codes.items())
    out = [*HEAD.splitlines(), "", *folded(f"integer, parameter, public :: {values}", 2), ""]
    for handle in handles:
        out += [f"  type, public :: {handle}", "    type(c_ptr) :: handle = c_null_ptr", f"  end type {handle}", ""]
    for name, fields in structs(header).items():
        out += type_of(name, fields, callbacks_of(header))
    out += [*folded(f"public :: {', '.join(f.fortran for f in functions)}", 2), ""]
    for f in functions:
        if f.of_matrices:
            forms = ", ".join(Wrapper(f, type_).name for type_ in NUMBERS)
            out += [*(f"  ! {line}" for line in f.comment), f"  interface {f.fortran}"]
            out += [*folded(f"module procedure {forms}", 4), f"  end interface {f.fortran}", ""]
    out += ["  interface"]
    for f in functions:
        out += bind(f)
    out += ["    function c_strlen(text) bind(C, name='strlen') result(length)", "      import"]
    out += ["      type(c_ptr), value :: text", "      integer(c_size_t) :: length", "    end function c_strlen"]
    out += ["  end interface", "", "contains", ""]
    for f in functions:
        for type_ in NUMBERS if f.of_matrices else ("",):
            out += Wrapper(f, type_).lines()
    return "\n".join(out) + "\n" + TAIL


def main() -> None:
    path = Path(sys.argv[1])
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(module(header()))


if __name__ == "__main__":
    main()
