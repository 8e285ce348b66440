"""What stands before and behind the functions of the Fortran module that tools/make_fortran.py writes."""

HEAD = """\
! Fortran module over allport.h, made from it by tools/make_fortran.py. Functions return 0 or one of the codes below;
! allport_error() has the message. Communicators are the integers of mpif.h and `use mpi` (with `use mpi_f08`:
! comm%MPI_VAL). Arguments that may be NULL in C are optional; buffers are given as c_loc of the data.
module allport
  use, intrinsic :: iso_c_binding, only: c_ptr, c_funptr, c_null_ptr, c_null_funptr, c_null_char, c_char, &
       c_signed_char, c_int, c_int16_t, c_int32_t, c_int64_t, c_size_t, c_float, c_double, c_float_complex, &
       c_double_complex, c_loc, c_associated, c_f_pointer
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
