"""tools/make_fortran.py: what a C header says becomes a Fortran module, and gfortran takes that of the C interface."""

import importlib
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
HEADER = """
enum allport_code { ALLPORT_SUCCESS = 0, ALLPORT_IO = 2 /* a file = 3 */ };
typedef enum allport_type { ALLPORT_FLOAT = 1, ALLPORT_INT8_T = 5 } allport_type;
enum { ALLPORT_ALL = -1 };
typedef struct allport_matrix_s* allport_matrix;
typedef struct allport_request_s* allport_request;
typedef int (*allport_flag)(void* context);
typedef struct allport_info {
  int axes; /* how many; 8 at most */
  int lengths[8];
  double seconds;
  allport_flag flag;
} allport_info;
/* Reads a matrix.
 * path: of the file. */
int allport_matrix_read(const char* path, int64_t rows, int64_t bytes, char order, allport_matrix* created);
const char* allport_error(void);
int allport_gemm(allport_matrix x, allport_type type, const void* alpha, const void* a, int64_t lda, void* c,
                 int64_t ldc);
int allport_ask(const char* of, allport_matrix on, double* seconds, allport_info* info);
int allport_sum(allport_matrix x, allport_type type, const void* input, allport_request* request);
int allport_wait(allport_request* request);
int allport_team(int* threads);
const char* allport_say(allport_matrix x, int index);
"""


@pytest.fixture(scope="module")
def generator():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT / "tools"))
        yield importlib.import_module("make_fortran")


def test_what_a_header_says_becomes_fortran(generator):
    made = generator.module(HEADER)
    for line in (
        "integer, parameter, public :: allport_success = 0, allport_io = 2, allport_float = 1, allport_int8_t = 5, &",
        "allport_all = -1",
        "type, public :: allport_matrix",
        "type, bind(C), public :: allport_info",
        "integer(c_int) :: lengths(8) = 0",
        "real(c_double) :: seconds = 0",
        "type(c_funptr) :: flag = c_null_funptr",
        "  ! Reads a matrix. path: of the file.",
        "integer function allport_matrix_read(rows, bytes, created, path, order) result(code)",
        "character(len=*), intent(in), optional :: path",
        "integer(c_int64_t), intent(in) :: bytes",
        "module procedure allport_gemm_float, allport_gemm_double, allport_gemm_float_complex, &",
        "integer function allport_gemm_float(x, alpha, a, c) result(code)",
        "real(c_float), intent(in), target, contiguous :: a(:, :)",
        "complex(c_double_complex), intent(inout), target, contiguous :: c(:, :)",
        "integer function allport_ask(of, seconds, info, on) result(code)",
        "character(len=*), intent(in) :: of",
        "type(allport_matrix), intent(in), optional :: on",
        "real(c_double), intent(out) :: seconds",
        "type(allport_info), intent(out) :: info",
        "if (present(on)) on_at = on%handle",
        "code = c_ask(c_text(of, of_kept), on_at, seconds, info)",
        "integer function allport_sum(x, type, input, request) result(code)",
        "type(allport_request), intent(inout), optional, target :: request",
        "if (present(request)) request_at = c_loc(request%handle)",
        "type(allport_request), intent(inout) :: request",
        "integer(c_int), intent(inout) :: threads",
        "text = text_of(c_say(x%handle, int(index, c_int)))",
        "code = c_gemm(x%handle, allport_double_complex, c_loc(alpha), c_loc(a), leading(size(a, 1)), c_loc(c), &",
    ):
        assert line in made, made
    assert max(map(len, made.splitlines())) <= 132, "longer lines are no Fortran"


def test_what_it_cannot_read_is_named(generator):
    with pytest.raises(SystemExit, match="allport_matrix_read: cannot read the parameter `int sizes\\[2\\]`"):
        generator.module(HEADER.replace("int64_t rows", "int sizes[2]"))


def test_no_two_names_are_one_in_fortran(generator):
    """Fortran does not tell ALLPORT_MACHINE from allport_machine, and types, constants and functions share names."""
    codes, handles, functions = generator.parse(generator.header())
    names = [*codes, *handles, *generator.structs(generator.header()), *(f.fortran for f in functions)]
    assert sorted(set(names)) == sorted(names)
    assert all(name.startswith("allport_") and len(name) <= 63 for name in names)


def test_gfortran_takes_the_module(generator, tmp_path):
    compiler = shutil.which("gfortran")
    if compiler is None:
        pytest.skip("no gfortran here (Debian: apt-get install gfortran): the module was not compiled")
    source = tmp_path / "folder" / "allport.f90"
    subprocess.run([sys.executable, "-B", str(ROOT / "tools/make_fortran.py"), str(source)], check=True)
    text = source.read_text()
    assert max(map(len, text.splitlines())) <= 132
    assert set(re.findall(r"name='(allport_\w+)'", text)) == {f.name for f in generator.parse(generator.header())[2]}
    command = [compiler, "-std=f2008", "-Wall", "-Wno-unused-dummy-argument", "-fsyntax-only", str(source)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0 and "Error" not in done.stderr, done.stderr
