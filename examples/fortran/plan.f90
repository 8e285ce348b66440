! Plans from Fortran: how a sum over all ranks will be done and what it will take, then the sum as planned; and what an LU
! factorization of order 20000 would take on this machine. Run: mpirun -n 4 ./plan_fortran [MACHINE], of as many ranks.
program plan_example
  use, intrinsic :: iso_c_binding, only: c_int64_t, c_double, c_loc
  use mpi
  use allport
  implicit none
  integer, parameter :: n = 1000
  type(allport_comm) :: comm
  type(allport_machine) :: machine
  type(allport_schedule) :: schedule
  type(allport_plan) :: plan
  real(c_double), target :: mine(n), sums(n)
  type(allport_schedule_info) :: sum_info
  type(allport_plan_info) :: lu_info
  real(c_double) :: simulated
  character(len=256) :: spec
  integer :: rank, ranks, ierror, wrong, wrong_anywhere

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
  write (spec, '(a,i0)') 'torus:', ranks
  if (command_argument_count() > 0) call get_command_argument(1, spec)
  call check(allport_comm_create(MPI_COMM_WORLD, comm, spec))
  call check(allport_comm_machine(comm, machine))

  ! Every rank plans the same, without MPI.
  call check(allport_schedule_create(machine, 'allreduce', 8_c_int64_t * n, 0, schedule, options='element=8'))
  call check(allport_schedule_verify(schedule))
  call check(allport_schedule_query(schedule, rank, sum_info))
  call check(allport_schedule_simulate(schedule, simulated))
  call check(allport_plan_create(machine, 'getrf', allport_double, 20000, 20000, 0, plan, options='pivoting=partial'))
  call check(allport_plan_query(plan, lu_info))
  if (rank == 0) then
    print '(3a,es9.2,a,es9.2,a)', 'sums by ', allport_schedule_text(schedule, 'algorithm'), ': predicted ', &
         sum_info%seconds, ' s, simulated ', simulated, ' s'
    print '(a)', allport_schedule_text(schedule, 'reason')
    print '(3a,3(i0,a),es9.2,a)', 'LU by ', allport_plan_text(plan, 'algorithm'), ' on ', lu_info%rows, ' x ', &
         lu_info%cols, ' x ', lu_info%layers, ' ranks: ', lu_info%seconds, ' s'
  end if

  mine = rank + 1
  call check(allport_schedule_run(comm, schedule, allport_sum, allport_double, c_loc(mine), c_loc(sums)))
  wrong = count(abs(sums - ranks * (ranks + 1) / 2) > 0)
  call MPI_Allreduce(wrong, wrong_anywhere, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
  if (rank == 0) print '(a,i0)', 'wrong elements: ', wrong_anywhere
  call check(allport_plan_free(plan))
  call check(allport_schedule_free(schedule))
  call check(allport_machine_free(machine))
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

end program plan_example
