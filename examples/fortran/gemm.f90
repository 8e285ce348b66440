! Multiplies two matrices from Fortran, in the distributions that the plan prefers. Run: mpirun -n 4 ./gemm_fortran [MACHINE]
! All entries of A are 2 and of B are 3, so that every entry of C must be 6 k.
program gemm_example
  use, intrinsic :: iso_c_binding, only: c_int64_t, c_double
  use mpi
  use allport
  implicit none
  integer, parameter :: m = 200, n = 150, k = 120
  type(allport_comm) :: comm
  type(allport_distribution) :: a_distribution, b_distribution, c_distribution
  real(c_double), allocatable :: a(:, :), b(:, :), c(:, :)
  type(allport_machine) :: machine
  type(allport_plan) :: plan
  character(len=256) :: spec
  integer :: rank, ierror, wrong, wrong_anywhere

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  spec = ''
  if (command_argument_count() > 0) call get_command_argument(1, spec)
  if (spec == '') then
    call check(allport_comm_create(MPI_COMM_WORLD, comm))
  else
    call check(allport_comm_create(MPI_COMM_WORLD, comm, trim(spec)))
  end if

  call check(allport_comm_machine(comm, machine))
  call check(allport_plan_create(machine, 'gemm', allport_double, m, n, k, plan, 'NN'))
  call make('A', a_distribution, a)
  call make('B', b_distribution, b)
  call make('C', c_distribution, c)
  a = 2
  b = 3
  c = -1
  call check(allport_gemm(comm, 'N', 'N', m, n, k, 1.0_c_double, a, a_distribution, b, b_distribution, &
       0.0_c_double, c, c_distribution, plan))

  wrong = count(c /= 6.0_c_double * k)
  call MPI_Allreduce(wrong, wrong_anywhere, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
  if (rank == 0) print '(a,i0)', 'wrong elements: ', wrong_anywhere
  call check(allport_plan_free(plan))
  call check(allport_machine_free(machine))
  call check(allport_distribution_free(a_distribution))
  call check(allport_distribution_free(b_distribution))
  call check(allport_distribution_free(c_distribution))
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

  subroutine make(which, distribution, part)
    character, intent(in) :: which
    type(allport_distribution), intent(out) :: distribution
    real(c_double), allocatable, intent(out) :: part(:, :)
    integer(c_int64_t) :: rows, cols
    call check(allport_plan_distribution(plan, which, distribution))
    call check(allport_distribution_local(distribution, rank, rows, cols))
    allocate (part(rows, cols))
  end subroutine make

end program gemm_example
