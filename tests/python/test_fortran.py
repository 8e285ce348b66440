"""tools/make_fortran.py: the module is what the header says, and a header that says more makes more of it."""

import importlib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
HEADER = """
enum allport_code { ALLPORT_SUCCESS = 0, ALLPORT_IO = 2 /* a file */ };
typedef struct allport_matrix_s* allport_matrix;
/* Reads a matrix.
 * path: of the file. */
int allport_matrix_read(const char* path, int64_t rows, int64_t bytes, char order, allport_matrix* created);
const char* allport_error(void);
int allport_sgemm(allport_matrix x, const float* alpha, const float* a, int64_t lda, float* c, int64_t ldc);
int allport_zgemm(allport_matrix x, const void* alpha, const void* a, int64_t lda, void* c, int64_t ldc);
int allport_ask(const char* of, allport_matrix on, double* bound);
const char* allport_say(allport_matrix x, int index);
"""


@pytest.fixture(scope="module")
def generator():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT / "tools"))
        yield importlib.import_module("make_fortran")


def test_the_module_is_what_the_header_says(generator):
    assert generator.MODULE.read_text() == generator.module(generator.header())


def test_what_a_header_says_becomes_fortran(generator):
    made = generator.module(HEADER)
    for line in (
        "integer, parameter, public :: allport_success = 0, allport_io = 2",
        "type, public :: allport_matrix",
        "  ! Reads a matrix. path: of the file.",
        "integer function allport_matrix_read(rows, bytes, created, path, order) result(code)",
        "character(len=*), intent(in), optional :: path",
        "integer(c_int64_t), intent(in) :: bytes",
        "module procedure sgemm_any, zgemm_any",
        "integer function sgemm_any(x, alpha, a, c) result(code)",
        "real(c_float), intent(in), target, contiguous :: a(:, :)",
        "complex(c_double_complex), intent(inout), target, contiguous :: c(:, :)",
        "integer function allport_ask(of, bound, on) result(code)",
        "character(len=*), intent(in) :: of",
        "type(allport_matrix), intent(in), optional :: on",
        "real(c_double), intent(out) :: bound",
        "if (present(on)) on_at = on%handle",
        "code = c_ask(c_text(of, of_kept), on_at, bound)",
        "text = text_of(c_say(x%handle, int(index, c_int)))",
        "code = c_zgemm(x%handle, c_loc(alpha), c_loc(a), leading(size(a, 1)), c_loc(c), leading(size(c, 1)))",
    ):
        assert line in made, made
    assert max(map(len, made.splitlines())) <= 132, "longer lines are no Fortran"


def test_what_it_cannot_read_is_named(generator):
    with pytest.raises(SystemExit, match="allport_matrix_read: cannot read the parameter `int sizes\\[2\\]`"):
        generator.module(HEADER.replace("int64_t rows", "int sizes[2]"))


def test_a_module_that_was_written_by_hand_is_found(generator, monkeypatch, tmp_path):
    other = tmp_path / "allport.f90"
    other.write_text(generator.MODULE.read_text() + "! more\n")
    monkeypatch.setattr(generator, "MODULE", other)
    monkeypatch.setattr(generator, "ROOT", tmp_path)
    monkeypatch.setattr(generator.sys, "argv", ["make_fortran.py", "--check"])
    assert generator.main() == 1
    monkeypatch.setattr(generator.sys, "argv", ["make_fortran.py"])
    assert generator.main() == 0
    monkeypatch.setattr(generator.sys, "argv", ["make_fortran.py", "--check"])
    assert generator.main() == 0
