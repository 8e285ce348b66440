! Multiplies two matrices from Fortran, in the layouts that the plan prefers. Run: mpirun -n 4 ./gemm_fortran [MACHINE]
! All entries of A are 2 and of B are 3, so that every entry of C must be 6 k.
program gemm_example
  use, intrinsic :: iso_c_binding, only: c_int64_t, c_double
  use mpi
  use allport
  implicit none
  integer, parameter :: m = 200, n = 150, k = 120
  type(allport_comm) :: comm
  type(allport_layout) :: a_layout, b_layout, c_layout
  real(c_double), allocatable :: a(:, :), b(:, :), c(:, :)
  character(len=256) :: machine
  integer :: rank, ierror, wrong, wrong_anywhere

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  machine = ''
  if (command_argument_count() > 0) call get_command_argument(1, machine)
  if (machine == '') then
    call check(allport_comm_create(MPI_COMM_WORLD, comm))
  else
    call check(allport_comm_create(MPI_COMM_WORLD, comm, trim(machine)))
  end if

  call make('A', a_layout, a)
  call make('B', b_layout, b)
  call make('C', c_layout, c)
  a = 2
  b = 3
  c = -1
  call check(allport_gemm(comm, 'N', 'N', m, n, k, 1.0_c_double, a, a_layout, b, b_layout, 0.0_c_double, c, c_layout))

  wrong = count(c /= 6.0_c_double * k)
  call MPI_Allreduce(wrong, wrong_anywhere, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
  if (rank == 0) print '(a,i0)', 'wrong elements: ', wrong_anywhere
  call check(allport_layout_free(a_layout))
  call check(allport_layout_free(b_layout))
  call check(allport_layout_free(c_layout))
  call check(allport_comm_free(comm))
  call MPI_Finalize(ierror)
  if (wrong_anywhere /= 0) stop 1

contains

  subroutine check(code)
    integer, intent(in) :: code
    if (code == allport_success) return
    print '(a)', allport_error()
    call MPI_Abort(MPI_COMM_WORLD, code, ierror)
  end subroutine check

  subroutine make(which, layout, part)
    character, intent(in) :: which
    type(allport_layout), intent(out) :: layout
    real(c_double), allocatable, intent(out) :: part(:, :)
    integer(c_int64_t) :: rows, cols
    call check(allport_gemm_layout(comm, 'd', 'N', 'N', m, n, k, which, layout))
    call check(allport_layout_local(layout, rank, rows, cols))
    allocate (part(rows, cols))
  end subroutine make

end program gemm_example
