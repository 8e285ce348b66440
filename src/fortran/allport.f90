! Fortran module over allport.h. Every function returns 0 or one of the codes below; allport_error() has the message.
! Communicators are the integers of mpif.h and `use mpi` (with `use mpi_f08`: comm%MPI_VAL).
module allport
  use, intrinsic :: iso_c_binding, only: c_ptr, c_null_ptr, c_null_char, c_char, c_signed_char, c_int, c_int64_t, &
       c_size_t, c_float, c_double, c_float_complex, c_double_complex, c_loc, c_associated, c_f_pointer
  implicit none
  private

  integer, parameter, public :: allport_success = 0, allport_argument = 1, allport_io = 2, allport_memory = 3, &
       allport_machine = 4, allport_schedule = 5, allport_mpi = 6, allport_mismatch = 7, allport_unsupported = 8, &
       allport_internal = 99

  ! A communicator that knows the machine it runs on.
  type, public :: allport_comm
    type(c_ptr) :: handle = c_null_ptr
  end type allport_comm

  ! How a matrix lies on the ranks.
  type, public :: allport_distribution
    type(c_ptr) :: handle = c_null_ptr
  end type allport_distribution

  public :: allport_error, allport_comm_create, allport_comm_free, allport_distribution_cyclic, allport_distribution_local, &
       allport_distribution_free, allport_gemm_distribution, allport_gemm, allport_gemm_report, allport_bcast, allport_reduce_sum

  ! C = alpha op(A) op(B) + beta C on local parts [ld, *], column-major; s, d, c and z by the arguments' type.
  interface allport_gemm
    module procedure gemm_s, gemm_d, gemm_c, gemm_z
  end interface allport_gemm

  interface
    function c_error() bind(C, name='allport_error') result(text)
      import :: c_ptr
      type(c_ptr) :: text
    end function c_error
    function c_report(comm) bind(C, name='allport_gemm_report') result(text)
      import :: c_ptr
      type(c_ptr), value :: comm
      type(c_ptr) :: text
    end function c_report
    function c_strlen(text) bind(C, name='strlen') result(length)
      import :: c_ptr, c_size_t
      type(c_ptr), value :: text
      integer(c_size_t) :: length
    end function c_strlen
    function c_comm_create(comm, machine, created) bind(C, name='allport_comm_create_fortran') result(code)
      import :: c_ptr, c_int
      integer(c_int), value :: comm
      type(c_ptr), value :: machine
      type(c_ptr), intent(out) :: created
      integer(c_int) :: code
    end function c_comm_create
    function c_comm_free(comm) bind(C, name='allport_comm_free') result(code)
      import :: c_ptr, c_int
      type(c_ptr), intent(inout) :: comm
      integer(c_int) :: code
    end function c_comm_free
    function c_bcast(comm, buffer, bytes, root, algorithm) bind(C, name='allport_bcast') result(code)
      import :: c_ptr, c_int, c_int64_t
      type(c_ptr), value :: comm, buffer, algorithm
      integer(c_int64_t), value :: bytes
      integer(c_int), value :: root
      integer(c_int) :: code
    end function c_bcast
    function c_reduce(comm, type, input, output, count, root, algorithm) bind(C, name='allport_reduce_sum') &
         result(code)
      import :: c_ptr, c_int, c_int64_t, c_signed_char
      type(c_ptr), value :: comm, input, output, algorithm
      integer(c_signed_char), value :: type
      integer(c_int64_t), value :: count
      integer(c_int), value :: root
      integer(c_int) :: code
    end function c_reduce
    function c_distribution_cyclic(rows, cols, row_block, col_block, grid_rows, grid_cols, first_row, first_col, order, &
         created) bind(C, name='allport_distribution_cyclic') result(code)
      import :: c_ptr, c_int, c_int64_t, c_signed_char
      integer(c_int64_t), value :: rows, cols, row_block, col_block
      integer(c_int), value :: grid_rows, grid_cols, first_row, first_col
      integer(c_signed_char), value :: order
      type(c_ptr), intent(out) :: created
      integer(c_int) :: code
    end function c_distribution_cyclic
    function c_distribution_local(distribution, rank, rows, cols) bind(C, name='allport_distribution_local') result(code)
      import :: c_ptr, c_int, c_int64_t
      type(c_ptr), value :: distribution
      integer(c_int), value :: rank
      integer(c_int64_t), intent(out) :: rows, cols
      integer(c_int) :: code
    end function c_distribution_local
    function c_distribution_free(distribution) bind(C, name='allport_distribution_free') result(code)
      import :: c_ptr, c_int
      type(c_ptr), intent(inout) :: distribution
      integer(c_int) :: code
    end function c_distribution_free
    function c_gemm_distribution(comm, type, trans_a, trans_b, m, n, k, options, which, created) &
         bind(C, name='allport_gemm_distribution') result(code)
      import :: c_ptr, c_int, c_int64_t, c_signed_char
      type(c_ptr), value :: comm, options
      integer(c_signed_char), value :: type, trans_a, trans_b, which
      integer(c_int64_t), value :: m, n, k
      type(c_ptr), intent(out) :: created
      integer(c_int) :: code
    end function c_gemm_distribution
    function c_sgemm(comm, trans_a, trans_b, m, n, k, alpha, a, lda, a_distribution, b, ldb, b_distribution, beta, c, ldc, &
         c_distribution, options) bind(C, name='allport_sgemm') result(code)
      import :: c_ptr, c_int, c_int64_t, c_signed_char
      type(c_ptr), value :: comm, alpha, a, a_distribution, b, b_distribution, beta, c, c_distribution, options
      integer(c_signed_char), value :: trans_a, trans_b
      integer(c_int64_t), value :: m, n, k, lda, ldb, ldc
      integer(c_int) :: code
    end function c_sgemm
    function c_dgemm(comm, trans_a, trans_b, m, n, k, alpha, a, lda, a_distribution, b, ldb, b_distribution, beta, c, ldc, &
         c_distribution, options) bind(C, name='allport_dgemm') result(code)
      import :: c_ptr, c_int, c_int64_t, c_signed_char
      type(c_ptr), value :: comm, alpha, a, a_distribution, b, b_distribution, beta, c, c_distribution, options
      integer(c_signed_char), value :: trans_a, trans_b
      integer(c_int64_t), value :: m, n, k, lda, ldb, ldc
      integer(c_int) :: code
    end function c_dgemm
    function c_cgemm(comm, trans_a, trans_b, m, n, k, alpha, a, lda, a_distribution, b, ldb, b_distribution, beta, c, ldc, &
         c_distribution, options) bind(C, name='allport_cgemm') result(code)
      import :: c_ptr, c_int, c_int64_t, c_signed_char
      type(c_ptr), value :: comm, alpha, a, a_distribution, b, b_distribution, beta, c, c_distribution, options
      integer(c_signed_char), value :: trans_a, trans_b
      integer(c_int64_t), value :: m, n, k, lda, ldb, ldc
      integer(c_int) :: code
    end function c_cgemm
    function c_zgemm(comm, trans_a, trans_b, m, n, k, alpha, a, lda, a_distribution, b, ldb, b_distribution, beta, c, ldc, &
         c_distribution, options) bind(C, name='allport_zgemm') result(code)
      import :: c_ptr, c_int, c_int64_t, c_signed_char
      type(c_ptr), value :: comm, alpha, a, a_distribution, b, b_distribution, beta, c, c_distribution, options
      integer(c_signed_char), value :: trans_a, trans_b
      integer(c_int64_t), value :: m, n, k, lda, ldb, ldc
      integer(c_int) :: code
    end function c_zgemm
  end interface

contains

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

  ! The message of the last error on this thread.
  function allport_error() result(text)
    character(len=:), allocatable :: text
    text = text_of(c_error())
  end function allport_error

  ! The report of comm's last multiply, as JSON.
  function allport_gemm_report(comm) result(text)
    type(allport_comm), intent(in) :: comm
    character(len=:), allocatable :: text
    text = text_of(c_report(comm%handle))
  end function allport_gemm_report

  ! machine: a spec such as 'torus:4x4', or absent: the environment's ALLPORT_MACHINE.
  integer function allport_comm_create(comm, created, machine) result(code)
    integer, intent(in) :: comm
    type(allport_comm), intent(out) :: created
    character(len=*), intent(in), optional :: machine
    character(len=:), allocatable, target :: spec
    type(c_ptr) :: pointer
    pointer = c_null_ptr
    if (present(machine)) then
      spec = trim(machine)//c_null_char
      pointer = c_loc(spec)
    end if
    code = c_comm_create(int(comm, c_int), pointer, created%handle)
  end function allport_comm_create

  integer function allport_comm_free(comm) result(code)
    type(allport_comm), intent(inout) :: comm
    code = c_comm_free(comm%handle)
  end function allport_comm_free

  ! buffer: c_loc of the data, `bytes` long on every rank; algorithm: a registered name, or absent.
  integer function allport_bcast(comm, buffer, bytes, root, algorithm) result(code)
    type(allport_comm), intent(in) :: comm
    type(c_ptr), intent(in) :: buffer
    integer(c_int64_t), intent(in) :: bytes
    integer, intent(in) :: root
    character(len=*), intent(in), optional :: algorithm
    character(len=:), allocatable, target :: text
    type(c_ptr) :: pointer
    pointer = c_null_ptr
    if (present(algorithm)) then
      text = trim(algorithm)//c_null_char
      pointer = c_loc(text)
    end if
    code = c_bcast(comm%handle, buffer, bytes, int(root, c_int), pointer)
  end function allport_bcast

  ! Sums of `count` elements of type 's', 'd', 'c' or 'z'; output matters at the root only.
  integer function allport_reduce_sum(comm, type, input, output, count, root, algorithm) result(code)
    type(allport_comm), intent(in) :: comm
    character, intent(in) :: type
    type(c_ptr), intent(in) :: input, output
    integer(c_int64_t), intent(in) :: count
    integer, intent(in) :: root
    character(len=*), intent(in), optional :: algorithm
    character(len=:), allocatable, target :: text
    type(c_ptr) :: pointer
    pointer = c_null_ptr
    if (present(algorithm)) then
      text = trim(algorithm)//c_null_char
      pointer = c_loc(text)
    end if
    code = c_reduce(comm%handle, letter(type), input, output, count, int(root, c_int), pointer)
  end function allport_reduce_sum

  ! ScaLAPACK's block-cyclic distribution; order 'C': rank = r + c*grid_rows (the default), 'R': rank = r*grid_cols + c.
  integer function allport_distribution_cyclic(rows, cols, row_block, col_block, grid_rows, grid_cols, created, first_row, &
       first_col, order) result(code)
    integer, intent(in) :: rows, cols, row_block, col_block, grid_rows, grid_cols
    type(allport_distribution), intent(out) :: created
    integer, intent(in), optional :: first_row, first_col
    character, intent(in), optional :: order
    integer(c_int) :: row, col
    integer(c_signed_char) :: by
    row = 0
    col = 0
    by = letter('C')
    if (present(first_row)) row = int(first_row, c_int)
    if (present(first_col)) col = int(first_col, c_int)
    if (present(order)) by = letter(order)
    code = c_distribution_cyclic(int(rows, c_int64_t), int(cols, c_int64_t), int(row_block, c_int64_t), &
         int(col_block, c_int64_t), int(grid_rows, c_int), int(grid_cols, c_int), row, col, by, created%handle)
  end function allport_distribution_cyclic

  ! Extents of a rank's local part.
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

  ! Where operand `which` ('A', 'B', 'C') should lie so that a multiply of this shape redistributes nothing.
  integer function allport_gemm_distribution(comm, type, trans_a, trans_b, m, n, k, which, created, options) result(code)
    type(allport_comm), intent(in) :: comm
    character, intent(in) :: type, trans_a, trans_b, which
    integer, intent(in) :: m, n, k
    type(allport_distribution), intent(out) :: created
    character(len=*), intent(in), optional :: options
    character(len=:), allocatable, target :: text
    type(c_ptr) :: pointer
    pointer = c_null_ptr
    if (present(options)) then
      text = trim(options)//c_null_char
      pointer = c_loc(text)
    end if
    code = c_gemm_distribution(comm%handle, letter(type), letter(trans_a), letter(trans_b), &
         int(m, c_int64_t), int(n, c_int64_t), &
         int(k, c_int64_t), pointer, letter(which), created%handle)
  end function allport_gemm_distribution

  integer function gemm_s(comm, trans_a, trans_b, m, n, k, alpha, a, a_distribution, b, b_distribution, beta, c, c_distribution, &
       options) result(code)
    type(allport_comm), intent(in) :: comm
    character, intent(in) :: trans_a, trans_b
    integer, intent(in) :: m, n, k
    real(c_float), intent(in), target :: alpha, beta
    real(c_float), intent(in), target, contiguous :: a(:, :), b(:, :)
    real(c_float), intent(inout), target, contiguous :: c(:, :)
    type(allport_distribution), intent(in) :: a_distribution, b_distribution, c_distribution
    character(len=*), intent(in), optional :: options
    character(len=:), allocatable, target :: text
    type(c_ptr) :: pointer
    pointer = c_null_ptr
    if (present(options)) then
      text = trim(options)//c_null_char
      pointer = c_loc(text)
    end if
    code = c_sgemm(comm%handle, letter(trans_a), letter(trans_b), &
         int(m, c_int64_t), int(n, c_int64_t), int(k, c_int64_t), &
         c_loc(alpha), c_loc(a), leading(size(a, 1)), a_distribution%handle, c_loc(b), leading(size(b, 1)), &
         b_distribution%handle, c_loc(beta), c_loc(c), leading(size(c, 1)), c_distribution%handle, pointer)
  end function gemm_s

  integer function gemm_d(comm, trans_a, trans_b, m, n, k, alpha, a, a_distribution, b, b_distribution, beta, c, c_distribution, &
       options) result(code)
    type(allport_comm), intent(in) :: comm
    character, intent(in) :: trans_a, trans_b
    integer, intent(in) :: m, n, k
    real(c_double), intent(in), target :: alpha, beta
    real(c_double), intent(in), target, contiguous :: a(:, :), b(:, :)
    real(c_double), intent(inout), target, contiguous :: c(:, :)
    type(allport_distribution), intent(in) :: a_distribution, b_distribution, c_distribution
    character(len=*), intent(in), optional :: options
    character(len=:), allocatable, target :: text
    type(c_ptr) :: pointer
    pointer = c_null_ptr
    if (present(options)) then
      text = trim(options)//c_null_char
      pointer = c_loc(text)
    end if
    code = c_dgemm(comm%handle, letter(trans_a), letter(trans_b), &
         int(m, c_int64_t), int(n, c_int64_t), int(k, c_int64_t), &
         c_loc(alpha), c_loc(a), leading(size(a, 1)), a_distribution%handle, c_loc(b), leading(size(b, 1)), &
         b_distribution%handle, c_loc(beta), c_loc(c), leading(size(c, 1)), c_distribution%handle, pointer)
  end function gemm_d

  integer function gemm_c(comm, trans_a, trans_b, m, n, k, alpha, a, a_distribution, b, b_distribution, beta, c, c_distribution, &
       options) result(code)
    type(allport_comm), intent(in) :: comm
    character, intent(in) :: trans_a, trans_b
    integer, intent(in) :: m, n, k
    complex(c_float_complex), intent(in), target :: alpha, beta
    complex(c_float_complex), intent(in), target, contiguous :: a(:, :), b(:, :)
    complex(c_float_complex), intent(inout), target, contiguous :: c(:, :)
    type(allport_distribution), intent(in) :: a_distribution, b_distribution, c_distribution
    character(len=*), intent(in), optional :: options
    character(len=:), allocatable, target :: text
    type(c_ptr) :: pointer
    pointer = c_null_ptr
    if (present(options)) then
      text = trim(options)//c_null_char
      pointer = c_loc(text)
    end if
    code = c_cgemm(comm%handle, letter(trans_a), letter(trans_b), &
         int(m, c_int64_t), int(n, c_int64_t), int(k, c_int64_t), &
         c_loc(alpha), c_loc(a), leading(size(a, 1)), a_distribution%handle, c_loc(b), leading(size(b, 1)), &
         b_distribution%handle, c_loc(beta), c_loc(c), leading(size(c, 1)), c_distribution%handle, pointer)
  end function gemm_c

  integer function gemm_z(comm, trans_a, trans_b, m, n, k, alpha, a, a_distribution, b, b_distribution, beta, c, c_distribution, &
       options) result(code)
    type(allport_comm), intent(in) :: comm
    character, intent(in) :: trans_a, trans_b
    integer, intent(in) :: m, n, k
    complex(c_double_complex), intent(in), target :: alpha, beta
    complex(c_double_complex), intent(in), target, contiguous :: a(:, :), b(:, :)
    complex(c_double_complex), intent(inout), target, contiguous :: c(:, :)
    type(allport_distribution), intent(in) :: a_distribution, b_distribution, c_distribution
    character(len=*), intent(in), optional :: options
    character(len=:), allocatable, target :: text
    type(c_ptr) :: pointer
    pointer = c_null_ptr
    if (present(options)) then
      text = trim(options)//c_null_char
      pointer = c_loc(text)
    end if
    code = c_zgemm(comm%handle, letter(trans_a), letter(trans_b), &
         int(m, c_int64_t), int(n, c_int64_t), int(k, c_int64_t), &
         c_loc(alpha), c_loc(a), leading(size(a, 1)), a_distribution%handle, c_loc(b), leading(size(b, 1)), &
         b_distribution%handle, c_loc(beta), c_loc(c), leading(size(c, 1)), c_distribution%handle, pointer)
  end function gemm_z

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
