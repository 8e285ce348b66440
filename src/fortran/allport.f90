! Fortran module over allport.h, made from it by tools/make_fortran.py. Functions return 0 or one of the codes below;
! allport_error() has the message. Communicators are the integers of mpif.h and `use mpi` (with `use mpi_f08`:
! comm%MPI_VAL). What C's comments let be NULL may be left out; buffers are given as c_loc of the data.
module allport
  use, intrinsic :: iso_c_binding, only: c_ptr, c_null_ptr, c_null_char, c_char, c_signed_char, c_int, c_int64_t, &
       c_size_t, c_float, c_double, c_float_complex, c_double_complex, c_loc, c_associated, c_f_pointer
  implicit none
  private

  integer, parameter, public :: allport_success = 0, allport_argument = 1, allport_io = 2, allport_memory = 3, &
       allport_machine = 4, allport_schedule = 5, allport_mpi = 6, allport_mismatch = 7, allport_unsupported = 8, &
       allport_internal = 99

  type, public :: allport_comm
    type(c_ptr) :: handle = c_null_ptr
  end type allport_comm

  type, public :: allport_distribution
    type(c_ptr) :: handle = c_null_ptr
  end type allport_distribution

  public :: allport_error, allport_version, allport_comm_create, allport_comm_free, allport_bcast, &
       allport_reduce_sum, allport_distribution_cyclic, allport_distribution_local, allport_distribution_free, &
       allport_gemm_distribution, allport_gemm_report, allport_gemm

  ! C = alpha op(A) op(B) + beta C. trans: 'N', 'T' or 'C'. a, b, c: this rank's parts with leading dimensions lda, ldb,
  ! ldc. beta == 0 never reads C. options as above.
  interface allport_gemm
    module procedure sgemm_any, dgemm_any, cgemm_any, zgemm_any
  end interface allport_gemm

  interface
    function c_error() bind(C, name='allport_error') result(text)
      import
      type(c_ptr) :: text
    end function c_error
    function c_version() bind(C, name='allport_version') result(text)
      import
      type(c_ptr) :: text
    end function c_version
    function c_comm_create_fortran(comm, machine, created) bind(C, name='allport_comm_create_fortran') result(code)
      import
      integer(c_int), value :: comm
      type(c_ptr), value :: machine
      type(c_ptr), intent(inout) :: created
      integer(c_int) :: code
    end function c_comm_create_fortran
    function c_comm_free(comm) bind(C, name='allport_comm_free') result(code)
      import
      type(c_ptr), intent(inout) :: comm
      integer(c_int) :: code
    end function c_comm_free
    function c_bcast(comm, buffer, bytes, root, algorithm) bind(C, name='allport_bcast') result(code)
      import
      type(c_ptr), value :: comm, buffer
      integer(c_int64_t), value :: bytes
      integer(c_int), value :: root
      type(c_ptr), value :: algorithm
      integer(c_int) :: code
    end function c_bcast
    function c_reduce_sum(comm, type, input, output, count, root, algorithm) bind(C, name='allport_reduce_sum') &
         result(code)
      import
      type(c_ptr), value :: comm
      integer(c_signed_char), value :: type
      type(c_ptr), value :: input, output
      integer(c_int64_t), value :: count
      integer(c_int), value :: root
      type(c_ptr), value :: algorithm
      integer(c_int) :: code
    end function c_reduce_sum
    function c_distribution_cyclic(rows, cols, row_block, col_block, grid_rows, grid_cols, first_row, first_col, &
         order, created) bind(C, name='allport_distribution_cyclic') result(code)
      import
      integer(c_int64_t), value :: rows, cols, row_block, col_block
      integer(c_int), value :: grid_rows, grid_cols, first_row, first_col
      integer(c_signed_char), value :: order
      type(c_ptr), intent(inout) :: created
      integer(c_int) :: code
    end function c_distribution_cyclic
    function c_distribution_local(distribution, rank, rows, cols) bind(C, name='allport_distribution_local') &
         result(code)
      import
      type(c_ptr), value :: distribution
      integer(c_int), value :: rank
      integer(c_int64_t), intent(out) :: rows, cols
      integer(c_int) :: code
    end function c_distribution_local
    function c_distribution_free(distribution) bind(C, name='allport_distribution_free') result(code)
      import
      type(c_ptr), intent(inout) :: distribution
      integer(c_int) :: code
    end function c_distribution_free
    function c_gemm_distribution(comm, type, trans_a, trans_b, m, n, k, options, which, created) bind(C, &
         name='allport_gemm_distribution') result(code)
      import
      type(c_ptr), value :: comm
      integer(c_signed_char), value :: type, trans_a, trans_b
      integer(c_int64_t), value :: m, n, k
      type(c_ptr), value :: options
      integer(c_signed_char), value :: which
      type(c_ptr), intent(inout) :: created
      integer(c_int) :: code
    end function c_gemm_distribution
    function c_sgemm(comm, trans_a, trans_b, m, n, k, alpha, a, lda, a_distribution, b, ldb, b_distribution, beta, &
         c, ldc, c_distribution, options) bind(C, name='allport_sgemm') result(code)
      import
      type(c_ptr), value :: comm
      integer(c_signed_char), value :: trans_a, trans_b
      integer(c_int64_t), value :: m, n, k
      type(c_ptr), value :: alpha, a
      integer(c_int64_t), value :: lda
      type(c_ptr), value :: a_distribution, b
      integer(c_int64_t), value :: ldb
      type(c_ptr), value :: b_distribution, beta, c
      integer(c_int64_t), value :: ldc
      type(c_ptr), value :: c_distribution, options
      integer(c_int) :: code
    end function c_sgemm
    function c_dgemm(comm, trans_a, trans_b, m, n, k, alpha, a, lda, a_distribution, b, ldb, b_distribution, beta, &
         c, ldc, c_distribution, options) bind(C, name='allport_dgemm') result(code)
      import
      type(c_ptr), value :: comm
      integer(c_signed_char), value :: trans_a, trans_b
      integer(c_int64_t), value :: m, n, k
      type(c_ptr), value :: alpha, a
      integer(c_int64_t), value :: lda
      type(c_ptr), value :: a_distribution, b
      integer(c_int64_t), value :: ldb
      type(c_ptr), value :: b_distribution, beta, c
      integer(c_int64_t), value :: ldc
      type(c_ptr), value :: c_distribution, options
      integer(c_int) :: code
    end function c_dgemm
    function c_cgemm(comm, trans_a, trans_b, m, n, k, alpha, a, lda, a_distribution, b, ldb, b_distribution, beta, &
         c, ldc, c_distribution, options) bind(C, name='allport_cgemm') result(code)
      import
      type(c_ptr), value :: comm
      integer(c_signed_char), value :: trans_a, trans_b
      integer(c_int64_t), value :: m, n, k
      type(c_ptr), value :: alpha, a
      integer(c_int64_t), value :: lda
      type(c_ptr), value :: a_distribution, b
      integer(c_int64_t), value :: ldb
      type(c_ptr), value :: b_distribution, beta, c
      integer(c_int64_t), value :: ldc
      type(c_ptr), value :: c_distribution, options
      integer(c_int) :: code
    end function c_cgemm
    function c_zgemm(comm, trans_a, trans_b, m, n, k, alpha, a, lda, a_distribution, b, ldb, b_distribution, beta, &
         c, ldc, c_distribution, options) bind(C, name='allport_zgemm') result(code)
      import
      type(c_ptr), value :: comm
      integer(c_signed_char), value :: trans_a, trans_b
      integer(c_int64_t), value :: m, n, k
      type(c_ptr), value :: alpha, a
      integer(c_int64_t), value :: lda
      type(c_ptr), value :: a_distribution, b
      integer(c_int64_t), value :: ldb
      type(c_ptr), value :: b_distribution, beta, c
      integer(c_int64_t), value :: ldc
      type(c_ptr), value :: c_distribution, options
      integer(c_int) :: code
    end function c_zgemm
    function c_gemm_report(comm) bind(C, name='allport_gemm_report') result(text)
      import
      type(c_ptr), value :: comm
      type(c_ptr) :: text
    end function c_gemm_report
    function c_strlen(text) bind(C, name='strlen') result(length)
      import
      type(c_ptr), value :: text
      integer(c_size_t) :: length
    end function c_strlen
  end interface

contains

  ! The last error of the calling thread: argument, value, remedy. Valid until the thread's next call.
  function allport_error() result(text)
    character(len=:), allocatable :: text
    text = text_of(c_error())
  end function allport_error

  function allport_version() result(text)
    character(len=:), allocatable :: text
    text = text_of(c_version())
  end function allport_version

  ! machine: a spec such as "torus:4x4" or the path of a machine file; NULL: the environment's ALLPORT_MACHINE, else a
  ! machine without known links. Rank i of comm is rank i of the machine, x-fastest.
  integer function allport_comm_create(comm, created, machine) result(code)
    integer, intent(in) :: comm
    type(allport_comm), intent(out) :: created
    character(len=*), intent(in), optional :: machine
    character(len=:), allocatable, target :: machine_kept
    code = c_comm_create_fortran(int(comm, c_int), c_text(machine, machine_kept), created%handle)
  end function allport_comm_create

  ! Frees and sets to NULL; do it before MPI_Finalize.
  integer function allport_comm_free(comm) result(code)
    type(allport_comm), intent(inout) :: comm
    code = c_comm_free(comm%handle)
  end function allport_comm_free

  ! Starts a collective of comm, runs it to its end. algorithm: a registered name, or NULL to have it chosen by price.
  integer function allport_bcast(comm, buffer, bytes, root, algorithm) result(code)
    type(allport_comm), intent(in) :: comm
    type(c_ptr), intent(in) :: buffer
    integer(c_int64_t), intent(in) :: bytes
    integer, intent(in) :: root
    character(len=*), intent(in), optional :: algorithm
    character(len=:), allocatable, target :: algorithm_kept
    code = c_bcast(comm%handle, buffer, bytes, int(root, c_int), c_text(algorithm, algorithm_kept))
  end function allport_bcast

  ! Sums of count elements; type is 's', 'd', 'c' or 'z'. output matters at the root only and must not overlap input.
  integer function allport_reduce_sum(comm, type, input, output, count, root, algorithm) result(code)
    type(allport_comm), intent(in) :: comm
    character, intent(in) :: type
    type(c_ptr), intent(in) :: input, output
    integer(c_int64_t), intent(in) :: count
    integer, intent(in) :: root
    character(len=*), intent(in), optional :: algorithm
    character(len=:), allocatable, target :: algorithm_kept
    code = c_reduce_sum(comm%handle, letter(type), input, output, count, int(root, c_int), c_text(algorithm, &
         algorithm_kept))
  end function allport_reduce_sum

  ! A block-cyclic distribution as ScaLAPACK has it: rows x cols in blocks of row_block x col_block over a grid of
  ! grid_rows x grid_cols ranks, the first block on process row first_row and column first_col. The process at (r, c) is
  ! rank r + c * grid_rows ('C', column-major) or r * grid_cols + c ('R'). Local parts are column-major.
  integer function allport_distribution_cyclic(rows, cols, row_block, col_block, grid_rows, grid_cols, created, &
       first_row, first_col, order) result(code)
    integer, intent(in) :: rows, cols, row_block, col_block, grid_rows, grid_cols
    type(allport_distribution), intent(out) :: created
    integer, intent(in), optional :: first_row, first_col
    character, intent(in), optional :: order
    integer :: first_row_given, first_col_given
    character :: order_given
    first_row_given = 0
    if (present(first_row)) first_row_given = first_row
    first_col_given = 0
    if (present(first_col)) first_col_given = first_col
    order_given = 'C'
    if (present(order)) order_given = order
    code = c_distribution_cyclic(int(rows, c_int64_t), int(cols, c_int64_t), int(row_block, c_int64_t), &
         int(col_block, c_int64_t), int(grid_rows, c_int), int(grid_cols, c_int), int(first_row_given, c_int), &
         int(first_col_given, c_int), letter(order_given), created%handle)
  end function allport_distribution_cyclic

  ! Extents of a rank's local part: [*rows x *cols].
  integer function allport_distribution_local(distribution, rank, rows, cols) result(code)
    type(allport_distribution), intent(in) :: distribution
    integer, intent(in) :: rank
    integer(c_int64_t), intent(out) :: rows, cols
    code = c_distribution_local(distribution%handle, int(rank, c_int), rows, cols)
  end function allport_distribution_local

  integer function allport_distribution_free(distribution) result(code)
    type(allport_distribution), intent(inout) :: distribution
    code = c_distribution_free(distribution%handle)
  end function allport_distribution_free

  ! Where an operand should lie so that a multiply redistributes nothing: which is 'A', 'B' or 'C' of the plan for
  ! op(A): m x k, op(B): k x n, C: m x n of the given type. options: NULL, or "algorithm=summa25 grid=2x2x2 panel=256
  ! memory=1073741824" (any of them).
  integer function allport_gemm_distribution(comm, type, trans_a, trans_b, m, n, k, which, created, options) &
       result(code)
    type(allport_comm), intent(in) :: comm
    character, intent(in) :: type, trans_a, trans_b
    integer, intent(in) :: m, n, k
    character, intent(in) :: which
    type(allport_distribution), intent(out) :: created
    character(len=*), intent(in), optional :: options
    character(len=:), allocatable, target :: options_kept
    code = c_gemm_distribution(comm%handle, letter(type), letter(trans_a), letter(trans_b), int(m, c_int64_t), &
         int(n, c_int64_t), int(k, c_int64_t), c_text(options, options_kept), letter(which), created%handle)
  end function allport_gemm_distribution

  integer function sgemm_any(comm, trans_a, trans_b, m, n, k, alpha, a, a_distribution, b, b_distribution, beta, c, &
       c_distribution, options) result(code)
    type(allport_comm), intent(in) :: comm
    character, intent(in) :: trans_a, trans_b
    integer, intent(in) :: m, n, k
    real(c_float), intent(in), target :: alpha
    real(c_float), intent(in), target, contiguous :: a(:, :)
    type(allport_distribution), intent(in) :: a_distribution
    real(c_float), intent(in), target, contiguous :: b(:, :)
    type(allport_distribution), intent(in) :: b_distribution
    real(c_float), intent(in), target :: beta
    real(c_float), intent(inout), target, contiguous :: c(:, :)
    type(allport_distribution), intent(in) :: c_distribution
    character(len=*), intent(in), optional :: options
    character(len=:), allocatable, target :: options_kept
    code = c_sgemm(comm%handle, letter(trans_a), letter(trans_b), int(m, c_int64_t), int(n, c_int64_t), int(k, &
         c_int64_t), c_loc(alpha), c_loc(a), leading(size(a, 1)), a_distribution%handle, c_loc(b), leading(size(b, 1)), &
         b_distribution%handle, c_loc(beta), c_loc(c), leading(size(c, 1)), c_distribution%handle, c_text(options, &
         options_kept))
  end function sgemm_any

  integer function dgemm_any(comm, trans_a, trans_b, m, n, k, alpha, a, a_distribution, b, b_distribution, beta, c, &
       c_distribution, options) result(code)
    type(allport_comm), intent(in) :: comm
    character, intent(in) :: trans_a, trans_b
    integer, intent(in) :: m, n, k
    real(c_double), intent(in), target :: alpha
    real(c_double), intent(in), target, contiguous :: a(:, :)
    type(allport_distribution), intent(in) :: a_distribution
    real(c_double), intent(in), target, contiguous :: b(:, :)
    type(allport_distribution), intent(in) :: b_distribution
    real(c_double), intent(in), target :: beta
    real(c_double), intent(inout), target, contiguous :: c(:, :)
    type(allport_distribution), intent(in) :: c_distribution
    character(len=*), intent(in), optional :: options
    character(len=:), allocatable, target :: options_kept
    code = c_dgemm(comm%handle, letter(trans_a), letter(trans_b), int(m, c_int64_t), int(n, c_int64_t), int(k, &
         c_int64_t), c_loc(alpha), c_loc(a), leading(size(a, 1)), a_distribution%handle, c_loc(b), leading(size(b, 1)), &
         b_distribution%handle, c_loc(beta), c_loc(c), leading(size(c, 1)), c_distribution%handle, c_text(options, &
         options_kept))
  end function dgemm_any

  integer function cgemm_any(comm, trans_a, trans_b, m, n, k, alpha, a, a_distribution, b, b_distribution, beta, c, &
       c_distribution, options) result(code)
    type(allport_comm), intent(in) :: comm
    character, intent(in) :: trans_a, trans_b
    integer, intent(in) :: m, n, k
    complex(c_float_complex), intent(in), target :: alpha
    complex(c_float_complex), intent(in), target, contiguous :: a(:, :)
    type(allport_distribution), intent(in) :: a_distribution
    complex(c_float_complex), intent(in), target, contiguous :: b(:, :)
    type(allport_distribution), intent(in) :: b_distribution
    complex(c_float_complex), intent(in), target :: beta
    complex(c_float_complex), intent(inout), target, contiguous :: c(:, :)
    type(allport_distribution), intent(in) :: c_distribution
    character(len=*), intent(in), optional :: options
    character(len=:), allocatable, target :: options_kept
    code = c_cgemm(comm%handle, letter(trans_a), letter(trans_b), int(m, c_int64_t), int(n, c_int64_t), int(k, &
         c_int64_t), c_loc(alpha), c_loc(a), leading(size(a, 1)), a_distribution%handle, c_loc(b), leading(size(b, 1)), &
         b_distribution%handle, c_loc(beta), c_loc(c), leading(size(c, 1)), c_distribution%handle, c_text(options, &
         options_kept))
  end function cgemm_any

  integer function zgemm_any(comm, trans_a, trans_b, m, n, k, alpha, a, a_distribution, b, b_distribution, beta, c, &
       c_distribution, options) result(code)
    type(allport_comm), intent(in) :: comm
    character, intent(in) :: trans_a, trans_b
    integer, intent(in) :: m, n, k
    complex(c_double_complex), intent(in), target :: alpha
    complex(c_double_complex), intent(in), target, contiguous :: a(:, :)
    type(allport_distribution), intent(in) :: a_distribution
    complex(c_double_complex), intent(in), target, contiguous :: b(:, :)
    type(allport_distribution), intent(in) :: b_distribution
    complex(c_double_complex), intent(in), target :: beta
    complex(c_double_complex), intent(inout), target, contiguous :: c(:, :)
    type(allport_distribution), intent(in) :: c_distribution
    character(len=*), intent(in), optional :: options
    character(len=:), allocatable, target :: options_kept
    code = c_zgemm(comm%handle, letter(trans_a), letter(trans_b), int(m, c_int64_t), int(n, c_int64_t), int(k, &
         c_int64_t), c_loc(alpha), c_loc(a), leading(size(a, 1)), a_distribution%handle, c_loc(b), leading(size(b, 1)), &
         b_distribution%handle, c_loc(beta), c_loc(c), leading(size(c, 1)), c_distribution%handle, c_text(options, &
         options_kept))
  end function zgemm_any

  ! The report of comm's last multiply as JSON (docs/reference/c.md); valid until the next one or allport_comm_free.
  function allport_gemm_report(comm) result(text)
    type(allport_comm), intent(in) :: comm
    character(len=:), allocatable :: text
    text = text_of(c_gemm_report(comm%handle))
  end function allport_gemm_report

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
