#!/usr/bin/env python3
"""Writes the Fortran module `allport` from the C interface, include/allport/allport.h. Needs the standard library only.

Usage: make_fortran.py [--check]. With --check nothing is written; it fails when src/fortran/allport.f90 is another than
the header says.

A handle becomes a type, a char a character, what may be NULL or has a default an optional argument behind the others,
and an array with its leading dimension an array. Functions that differ in s, d, c, z become one name.
"""

from __future__ import annotations

import re
import sys
import textwrap
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HEADER = ROOT / "include" / "allport" / "allport.h"
MODULE = ROOT / "src" / "fortran" / "allport.f90"

DEFAULTS = {"first_row": "0", "first_col": "0", "order": "'C'"}
WIDE = {"bytes", "count"}  # can be more than a default integer holds
NUMBERS = {
    "s": "real(c_float)",
    "d": "real(c_double)",
    "c": "complex(c_float_complex)",
    "z": "complex(c_double_complex)",
}
PLAIN = {"int": "c_int", "MPI_Fint": "c_int", "int64_t": "c_int64_t", "char": "c_signed_char"}
OF_FOUR_TYPES = ("gemm", "potrf", "potrs", "posv", "geqrf", "ormqr", "unmqr", "orgqr", "ungqr", "gels")
VECTORS = {"tau"}  # arrays without a leading dimension
LEFT_OUT = {"allport_comm_create"}  # takes an MPI_Comm of C's; the form with Fortran's has its name

HEAD = """\
! Fortran module over allport.h, made from it by tools/make_fortran.py. Functions return 0 or one of the codes below;
! allport_error() has the message. Communicators are the integers of mpif.h and `use mpi` (with `use mpi_f08`:
! comm%MPI_VAL). What C's comments let be NULL may be left out; buffers are given as c_loc of the data.
module allport
  use, intrinsic :: iso_c_binding, only: c_ptr, c_null_ptr, c_null_char, c_char, c_signed_char, c_int, c_int64_t, &
       c_size_t, c_float, c_double, c_float_complex, c_double_complex, c_loc, c_associated, c_f_pointer
  implicit none
  private
"""

TAIL = """\
  ! The text behind a C string; empty for a null pointer.
  function text_of(pointer) result(text)
    type(c_ptr), intent(in) :: pointer
    character(len=:), allocatable :: text
    character(kind=c_char), pointer :: letters(:)
    integer :: i, length
    length = 0
    if (c_associated(pointer)) length = int(c_strlen(pointer))
    allocate (character(len=length) :: text)
    if (length == 0) return
    call c_f_pointer(pointer, letters, [length])
    do i = 1, length
      text(i:i) = letters(i)
    end do
  end function text_of

  ! A text as C has it, kept by the caller; a null pointer where there is none.
  function c_text(text, kept) result(pointer)
    character(len=*), intent(in), optional :: text
    character(len=:), allocatable, target, intent(out) :: kept
    type(c_ptr) :: pointer
    pointer = c_null_ptr
    if (.not. present(text)) return
    kept = trim(text)//c_null_char
    pointer = c_loc(kept)
  end function c_text

  ! A C char: gfortran 12 passes a character dummy by value wrongly, so characters cross the border as integers.
  pure integer(c_signed_char) function letter(text)
    character, intent(in) :: text
    letter = int(iachar(text), c_signed_char)
  end function letter

  ! An empty part still has a leading dimension.
  pure integer(c_int64_t) function leading(rows)
    integer, intent(in) :: rows
    leading = max(1, rows)
  end function leading

end module allport
"""


@dataclass
class Parameter:
    """One of a C function's, e.g. `const char* machine`."""

    type: str  # without const and *
    pointer: bool
    const: bool
    name: str

    @property
    def is_text(self) -> bool:
        return self.pointer and self.const and self.type == "char"

    @property
    def is_handle(self) -> bool:
        return self.type.startswith("allport_")

    @property
    def is_number(self) -> bool:
        """A pointer to what the caller computes with, of any type."""
        return self.pointer and self.type in ("void", "float", "double")

    @property
    def optional(self) -> bool:
        return self.is_text or self.name in DEFAULTS

    def bound(self) -> str:
        """Its declaration in the interface to C."""
        if self.is_handle:
            return f"type(c_ptr), {'intent(inout)' if self.pointer else 'value'} :: {self.name}"
        if self.pointer and not self.is_text and not self.is_number:
            return f"integer({PLAIN[self.type]}), intent(out) :: {self.name}"
        if self.pointer:
            return f"type(c_ptr), value :: {self.name}"
        return f"integer({PLAIN[self.type]}), value :: {self.name}"


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


def parse(header: str) -> tuple[dict[str, int], list[str], list[Function]]:
    """The codes, the handles and the functions, each with the comment before it."""
    codes = {name.lower(): int(value) for name, value in re.findall(r"\b(ALLPORT_[A-Z]+) = (\d+)", header)}
    handles = re.findall(r"typedef struct \w+\* (\w+);", header)
    functions = []
    pattern = r"(/\*(?:(?!\*/).)*\*/\n)?(int|const char\*) (allport_\w+)\(([^)]*)\);"
    for comment, returned, name, arguments in re.findall(pattern, header, re.DOTALL):
        parameters = []
        for argument in re.split(r",\s*", arguments.strip()):
            match = re.fullmatch(r"(const )?(\w+)(\*)? (\w+)", argument)
            if match:
                parameters.append(Parameter(match[2], bool(match[3]), bool(match[1]), match[4]))
            elif argument != "void":
                raise SystemExit(f"{HEADER}: {name}: cannot read the parameter `{argument}`")
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
            return f"type({p.type}), intent({intent}) :: {p.name}"
        if p.is_text:
            return f"character(len=*), intent(in), optional :: {p.name}"
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
        if p.is_handle:
            return f"{p.name}%handle"
        if p.is_text:
            self.locals.append(f"character(len=:), allocatable, target :: {p.name}_kept")
            return f"c_text({p.name}, {p.name}_kept)"
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
    written = module(HEADER.read_text())
    if "--check" not in sys.argv[1:]:
        MODULE.write_text(written)
    elif MODULE.read_text() != written:
        print(f"{MODULE.relative_to(ROOT)} is another than {HEADER.relative_to(ROOT)} says; run tools/make_fortran.py")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
