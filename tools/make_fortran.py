#!/usr/bin/env python3
"""Writes the Fortran module `allport` from the C interface, include/allport/allport*.h.

Usage: make_fortran.py [--check]. With --check nothing is written; it fails when src/fortran/allport.f90 is another
than the header says.

A handle becomes a type, a struct one that C has, too, a callback a c_funptr, a char a character, what may be NULL or
has a default an optional argument behind the others, and an array an array, with its leading dimension where it has
one. Functions that differ in s, d, c, z become one name.
"""

from __future__ import annotations

import re
import sys
import textwrap
from dataclasses import dataclass, field
from pathlib import Path

from fortran_frame import HEAD, TAIL

ROOT = Path(__file__).resolve().parent.parent
HEADERS = ("allport_handles.h", "allport_collectives.h", "allport.h", "allport_tasks.h", "allport_plans.h")
FOLDER = ROOT / "include" / "allport"
MODULE = ROOT / "src" / "fortran" / "allport.f90"

ABSENT = {"begins", "received_begins"}  # arrays that may be NULL
ABSENT_HANDLES = {"given", "on"}
NEEDED_TEXTS = {"collective", "name", "of", "spec", "text"}  # the others may be NULL
FILLED = {"pivots", "places", "lengths", "wraps"}  # arrays that are written
RESULTS = {"seconds", "bound", "mpi", "bandwidth", "latency", "bound_words"}  # single doubles that are written
DEFAULTS = {"first_row": "0", "first_col": "0", "order": "'C'"}
WIDE = {"bytes", "count", "begin", "end", "messages", "element_bytes"}  # can be more than a default integer holds
NUMBERS = {
    "s": "real(c_float)",
    "d": "real(c_double)",
    "c": "complex(c_float_complex)",
    "z": "complex(c_double_complex)",
}
PLAIN = {
    "int": "c_int",
    "MPI_Fint": "c_int",
    "int64_t": "c_int64_t",
    "char": "c_signed_char",
    "int32_t": "c_int32_t",
    "uint16_t": "c_int16_t",
}
OF_FOUR_TYPES = (
    "gemm",
    "getrf",
    "getrs",
    "gesv",
    "potrf",
    "potrs",
    "posv",
    "geqrf",
    "ormqr",
    "unmqr",
    "orgqr",
    "ungqr",
    "gels",
    "gemm_planned",
    "getrf_planned",
    "potrf_planned",
    "geqrf_planned",
)
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

    @property
    def is_text(self) -> bool:
        return self.pointer and self.const and self.type == "char"

    @property
    def is_handle(self) -> bool:
        return self.type.startswith("allport_") and not self.kind

    @property
    def is_number(self) -> bool:
        """A pointer to what the caller computes with, of any type."""
        return self.pointer and self.type in ("void", "float", "double") and not self.kind and not self.is_result

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
        return self.name in DEFAULTS or self.name in ABSENT or (self.is_handle and self.name in ABSENT_HANDLES)

    def bound(self) -> str:
        """Its declaration in the interface to C."""
        if self.is_handle:
            return f"type(c_ptr), {'intent(inout)' if self.pointer else 'value'} :: {self.name}"
        if self.kind:
            return f"{self.own_type()} :: {self.name}".replace("funptr), intent(in)", "funptr), value")
        if self.is_result:
            return f"real(c_double), intent(out) :: {self.name}"
        if self.pointer and not self.is_text and not self.is_number and not self.is_list:
            return f"integer({PLAIN[self.type]}), intent(out) :: {self.name}"
        if self.pointer:
            return f"type(c_ptr), value :: {self.name}"
        return f"integer({PLAIN[self.type]}), value :: {self.name}"

    def own_type(self) -> str:
        """Of a callback, a struct or an address."""
        if self.kind == "callback":
            return "type(c_funptr), intent(in)"
        return "type(c_ptr), intent(out)" if self.kind == "address" else f"type({self.type}), intent(in)"


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
    def letter(self) -> str | None:
        """s, d, c or z of allport_sgemm, where the type of the numbers is in the name."""
        match = re.fullmatch(rf"allport_([sdcz])({'|'.join(OF_FOUR_TYPES)})", self.name)
        return match.group(1) if match else None

    def leading_dimensions(self) -> set[str]:
        names = {p.name for p in self.parameters}
        return {f"ld{p.name}" for p in self.parameters if p.is_number} & names


def header() -> str:
    """All of the C interface."""
    return "\n".join((FOLDER / name).read_text() for name in HEADERS)


def structs(header: str) -> dict[str, list[tuple[str, str]]]:
    """By name the fields, as (type, name)."""
    found = re.findall(r"typedef struct \{([^}]*)\} (\w+);", header)
    return {name: re.findall(r"(\w+) (\w+);", fields) for fields, name in found}


def kind_of(type_: str, stars: str, callbacks: set[str], records: set[str]) -> str:
    if stars == "**":
        return "address"
    return "callback" if type_ in callbacks else "struct" if type_ in records else ""


def parse(header: str) -> tuple[dict[str, int], list[str], list[Function]]:
    """The codes, the handles and the functions, each with the comment before it."""
    codes = {name.lower(): int(value) for name, value in re.findall(r"\b(ALLPORT_[A-Z_]+) = (\d+)", header)}
    callbacks = set(re.findall(r"typedef \w+ \(\*(\w+)\)", header))
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
                parameters.append(Parameter(match[2], bool(match[3]), bool(match[1]), match[4], kind))
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
    """What a Fortran program calls: declarations and the call of the C function."""

    def __init__(self, function: Function):
        self.function = function
        self.leading = function.leading_dimensions()
        shown = [p for p in function.parameters if p.name not in self.leading]
        self.shown = sorted(shown, key=lambda p: p.optional)  # stable: optional ones last
        self.locals: list[str] = []
        self.before: list[str] = []

    def declaration(self, p: Parameter) -> str:
        if p.is_handle:
            # A new handle is written over; one that is freed is set to null.
            intent = ("out" if p.name == "created" else "inout") if p.pointer else "in"
            return f"type({p.type}), intent({intent}){', optional' if p.optional else ''} :: {p.name}"
        if p.is_text:
            return f"character(len=*), intent(in){', optional' if p.optional else ''} :: {p.name}"
        if p.kind:
            return f"{p.own_type()} :: {p.name}"
        if p.is_result:
            return f"real(c_double), intent(out) :: {p.name}"
        if p.is_list:
            intent = f"intent({'in' if p.const else 'out'}){', optional' if p.optional else ''}"
            return f"integer({PLAIN[p.type]}), {intent}, target, contiguous :: {p.name}(:)"
        if p.is_number:
            if self.function.letter is None:
                return f"type(c_ptr), intent(in) :: {p.name}"
            rank = "(:, :)" if f"ld{p.name}" in self.leading else "(:)" if p.name in VECTORS else ""
            shape = ", contiguous" if rank else ""
            intent = "in" if p.const else "inout"
            return f"{NUMBERS[self.function.letter]}, intent({intent}), target{shape} :: {p.name}{rank}"
        if p.pointer:
            return f"integer({PLAIN[p.type]}), intent(out) :: {p.name}"
        kind = "character" if p.type == "char" else "integer(c_int64_t)" if p.name in WIDE else "integer"
        return f"{kind}, intent(in){', optional' if p.optional else ''} :: {p.name}"

    def passed(self, p: Parameter) -> str:
        """The argument of the C function."""
        if p.name in self.leading:
            return f"leading(size({p.name[2:]}, 1))"
        if p.is_handle and p.optional:
            self.locals.append(f"type(c_ptr) :: {p.name}_at")
            self.before += [f"{p.name}_at = c_null_ptr", f"if (present({p.name})) {p.name}_at = {p.name}%handle"]
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
            return f"c_loc({p.name})" if self.function.letter else p.name
        if p.pointer:
            return p.name
        name = p.name
        if p.optional:
            name = f"{p.name}_given"
            self.locals.append(f"{'character' if p.type == 'char' else 'integer'} :: {name}")
            self.before += [f"{name} = {DEFAULTS[p.name]}", f"if (present({p.name})) {name} = {p.name}"]
        if p.type == "char":
            return f"letter({name})"
        return name if p.name in WIDE else f"int({name}, {PLAIN[p.type]})"

    def lines(self) -> list[str]:
        f = self.function
        name = f"{f.name[8:]}_any" if f.letter else f.fortran
        arguments = ", ".join(p.name for p in self.shown)
        call = f"{f.bound}({', '.join(self.passed(p) for p in f.parameters)})"
        out = [] if f.letter else [f"  ! {line}" for line in f.comment]
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


def module(header: str) -> str:
    codes, handles, functions = parse(header)
    generic: dict[str, list[Function]] = {}
    for f in functions:
        if f.letter:
            generic.setdefault("allport_" + f.name[9:], []).append(f)
    values = ", ".join(f"{name} = {value}" for name, value in codes.items())
    out = [*HEAD.splitlines(), "", *folded(f"integer, parameter, public :: {values}", 2), ""]
    for handle in handles:
        out += [f"  type, public :: {handle}", "    type(c_ptr) :: handle = c_null_ptr", f"  end type {handle}", ""]
    for name, fields in structs(header).items():
        out += [f"  type, bind(C), public :: {name}"]
        for type_, field_name in fields:
            initial = "" if type_.startswith("allport_") else " = 0"
            kind = f"type({type_})" if type_.startswith("allport_") else f"integer({PLAIN[type_]})"
            out += [f"    {kind} :: {field_name}{initial}"]
        out += [f"  end type {name}", ""]
    public = [f.fortran for f in functions if not f.letter] + list(generic)
    out += [*folded(f"public :: {', '.join(public)}", 2), ""]
    for name, forms in generic.items():
        out += [f"  ! {line}" for line in forms[0].comment]
        out += [f"  interface {name}"]
        out += [*folded(f"module procedure {', '.join(f'{f.name[8:]}_any' for f in forms)}", 4)]
        out += [f"  end interface {name}", ""]
    out += ["  interface"]
    for f in functions:
        out += bind(f)
    out += ["    function c_strlen(text) bind(C, name='strlen') result(length)", "      import"]
    out += ["      type(c_ptr), value :: text", "      integer(c_size_t) :: length", "    end function c_strlen"]
    out += ["  end interface", "", "contains", ""]
    for f in functions:
        out += Wrapper(f).lines()
    return "\n".join(out) + "\n" + TAIL


def main() -> int:
    written = module(header())
    if "--check" not in sys.argv[1:]:
        MODULE.write_text(written)
    elif MODULE.read_text() != written:
        print(f"{MODULE.relative_to(ROOT)} is another than the C interface says; run tools/make_fortran.py")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
