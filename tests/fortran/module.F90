! The Fortran module's functions, each with what it leaves out and what it gives; on any number of ranks.
module callbacks
  use, intrinsic :: iso_c_binding
  implicit none

contains

  ! The larger of two numbers.
  subroutine later(left, right, out, count, context) bind(C)
    type(c_ptr), value :: left, right, out, context
    integer(c_int64_t), value :: count
    integer(c_int64_t), pointer :: l(:), r(:), o(:)
    call c_f_pointer(left, l, [count])
    call c_f_pointer(right, r, [count])
    call c_f_pointer(out, o, [count])
    o = merge(r, l, r > l)
  end subroutine later

  subroutine cubes(first, last, context) bind(C)
    integer(c_int64_t), value :: first, last
    type(c_ptr), value :: context
    integer(c_int64_t), pointer :: cells(:)
    integer(c_int64_t) :: i
    call c_f_pointer(context, cells, [100])
    do i = first, last - 1
      cells(i) = i**3
    end do
  end subroutine cubes

end module callbacks

program test_module
  use, intrinsic :: iso_c_binding
  use mpi
  use allport
  use callbacks
  implicit none
  integer, parameter :: m = 17, n = 11, k = 13, nb = 3
  type(allport_comm) :: comm, rated
  character(len=16) :: spec
  integer :: rank, ranks, ierror, failures = 0, all_failures

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
  call assert(len(allport_version()) > 0, 'a version')
  call assert(allport_comm_create(MPI_COMM_WORLD, comm, 'torus:0') == allport_err_machine, 'a wrong machine')
  call assert(index(allport_error(), 'torus:0') > 0, 'the message names the machine')
  call expect(allport_comm_create(MPI_COMM_WORLD, comm), 'comm_create')
  write (spec, '(a,i0,a)') 'bgp:', ranks, 'x1x1'
  call expect(allport_comm_create(MPI_COMM_WORLD, rated, spec), 'comm_create')
  call broadcasts()
  call reductions()
  call collectives()
  call operators()
  call channels()
  call loops()
  call places()
  call distributions()
  call machines()
  call schedules()
  call plans()
  call gemm_s()
  call gemm_d()
  call gemm_c()
  call gemm_z()
  call factors_s()
  call factors_d()
  call factors_c()
  call factors_z()
  call expect(allport_comm_free(rated), 'comm_free')
  call expect(allport_comm_free(comm), 'comm_free')
  call assert(.not. c_associated(comm%handle), 'a freed communicator is null')
  call MPI_Allreduce(failures, all_failures, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
  call MPI_Finalize(ierror)
  if (all_failures /= 0) stop 1

contains

  subroutine assert(holds, what)
    logical, intent(in) :: holds
    character(len=*), intent(in) :: what
    if (holds) return
    failures = failures + 1
    print '(a,i0,2a)', 'rank ', rank, ': not so: ', what
  end subroutine assert

  subroutine expect(code, what)
    integer, intent(in) :: code
    character(len=*), intent(in) :: what
    call assert(code == allport_success, what)
    if (code /= allport_success) print '(a)', allport_error()
  end subroutine expect

  subroutine broadcasts()
    integer(c_int), target :: data(1000)
    integer :: i
    data = merge([(i, i=1, 1000)], -1, rank == ranks - 1)
    call expect(allport_bcast(comm, c_loc(data), 4000_c_int64_t, ranks - 1), 'bcast')
    call assert(all(data == [(i, i=1, 1000)]), 'the message of bcast')
    data = rank
    call expect(allport_bcast(comm, c_loc(data), 4000_c_int64_t, 0, 'algorithm=binomial'), 'bcast by binomial trees')
    call assert(all(data == 0), 'the message of the binomial bcast')
    call assert(allport_bcast(comm, c_loc(data), 4_c_int64_t, 0, options='algorithm=osmosis') /= allport_success, 'osmosis')
    call assert(index(allport_error(), 'osmosis') > 0, 'the message names the algorithm')
  end subroutine broadcasts

  subroutine reductions()
    complex(c_double_complex), target :: mine(5), sums(5)
    mine = cmplx(rank + 1, -rank, c_double_complex)
    sums = 0
    call expect(allport_reduce(comm, allport_sum, allport_double_complex, c_loc(mine), c_loc(sums), &
                               5_c_int64_t, 0), 'reduce')
    if (rank /= 0) return
    call assert(all(abs(sums - cmplx(ranks * (ranks + 1) / 2, -ranks * (ranks - 1) / 2, c_double_complex)) <= 0), 'sums')
  end subroutine reductions

  ! Blocks of rank + 1 numbers, by lengths and where they begin; and what is started and prepared.
  subroutine collectives()
    type(allport_request) :: request, sums
    integer(c_int64_t) :: lengths(ranks), begins(ranks)
    integer(c_int64_t), allocatable, target :: mine(:), all(:)
    integer :: i, r, last, done
    allocate (mine(rank + 1), all(ranks * (ranks + 1) / 2))
    mine = [(100 * rank + i, i=1, rank + 1)]
    lengths = [(8 * i, i=1, ranks)]
    call expect(allport_allgatherv(comm, c_loc(mine), c_loc(all), lengths), 'allgatherv')
    last = 0
    do r = 0, ranks - 1
      call assert(all_equal(all(last + 1:last + r + 1), r), 'the blocks of allgatherv')
      last = last + r + 1
    end do
    ! The last rank's block first.
    begins(ranks) = 0
    do r = ranks - 1, 1, -1
      begins(r) = begins(r + 1) + lengths(r + 1)
    end do
    all = -1
    call expect(allport_allgatherv(comm, c_loc(mine), c_loc(all), lengths, begins), 'allgatherv with begins')
    do r = 0, ranks - 1
      last = int(begins(r + 1)) / 8
      call assert(all_equal(all(last + 1:last + r + 1), r), 'the blocks of allgatherv with begins')
    end do
    all(1) = merge(42_c_int64_t, 0_c_int64_t, rank == 0)
    call expect(allport_bcast(comm, c_loc(all), 8_c_int64_t, 0, request=request), 'bcast that is started')
    call expect(allport_wait(request), 'wait')
    call assert(all(1) == 42 .and. .not. c_associated(request%handle), 'the message that was started')
    call expect(allport_allreduce(comm, allport_sum, allport_int64_t, c_loc(mine), c_loc(all), 1_c_int64_t, &
                                  'persistent', sums), 'persistent allreduce')
    do i = 1, 3
      mine(1) = i * (rank + 1)
      call expect(allport_start(sums), 'start')
      done = 0
      do while (done == 0)
        call expect(allport_test(sums, done), 'test')
      end do
      call assert(all(1) == i * ranks * (ranks + 1) / 2, 'the sum that was prepared')
    end do
    call expect(allport_request_free(sums), 'request_free')
    call expect(allport_barrier(comm), 'barrier')
    call assert(allport_allgatherv(comm, c_loc(mine), c_loc(all), -lengths) == allport_err_argument, 'lengths below 0')
  end subroutine collectives

  pure logical function all_equal(block, r)
    integer(c_int64_t), intent(in) :: block(:)
    integer, intent(in) :: r
    integer :: i
    all_equal = all(block == [(100 * r + i, i=1, r + 1)])
  end function all_equal

  subroutine operators()
    integer(c_int64_t), target :: mine(9), most(9)
    integer(c_int) :: op
    integer :: i
    mine = [(mod(rank * 5 + i, 7) * 10 + i, i=1, 9)]
    call expect(allport_op_create(c_funloc(later), c_null_ptr, 8_c_int64_t, op), 'op_create')
    call expect(allport_allreduce(comm, op, allport_type_null, c_loc(mine), c_loc(most), 9_c_int64_t), 'allreduce by an own operator')
    do i = 1, 9
      call assert(most(i) == largest(i), 'the largest')
    end do
    call assert(allport_allreduce(comm, 99, allport_double, c_loc(mine), c_loc(most), 1_c_int64_t) == allport_err_argument, 'no operator')
  end subroutine operators

  pure integer(c_int64_t) function largest(i)
    integer, intent(in) :: i
    integer :: r
    largest = maxval([(mod(r * 5 + i, 7) * 10 + i, r=0, ranks - 1)])
  end function largest

  subroutine channels()
    type(allport_channel) :: channel
    type(allport_message) :: message
    integer(c_int64_t), target :: sent(5), got(5)
    integer(c_int) :: there, next(1)
    integer :: before
    next = mod(rank + 1, ranks)
    before = mod(rank + ranks - 1, ranks)
    sent = rank + [10, 20, 30, 40, 50]
    got = 0
    call expect(allport_channel_create(comm, channel, 'tree=kary'), 'channel_create')
    call expect(allport_channel_send(channel, 1, next, 4, c_loc(sent), 40_c_int64_t), 'channel_send')
    call expect(allport_channel_receive(channel, allport_any, 4, c_loc(got), 40_c_int64_t, message), 'channel_receive')
    call assert(message%source == before .and. message%tag == 4 .and. message%bytes == 40, 'whose message it is')
    call assert(all(got == before + [10, 20, 30, 40, 50]), 'the message')
    call expect(allport_channel_probe(channel, allport_any, allport_any, there, message), 'channel_probe')
    call assert(there == 0, 'there is no other message')
    call expect(allport_channel_free(channel), 'channel_free')
    call assert(.not. c_associated(channel%handle), 'a freed channel is null')
  end subroutine channels

  subroutine loops()
    type(allport_team) :: team
    integer(c_int64_t), target :: cells(100)
    integer(c_int64_t) :: i
    integer(c_int) :: threads
    cells = 0
    threads = 0
    call expect(allport_team_create(threads, team), 'team_create')
    call assert(threads >= 1, 'a team of all processors')
    call expect(allport_parallel_for(team, 1_c_int64_t, 101_c_int64_t, c_funloc(cubes), c_loc(cells), &
                                     'schedule=dynamic chunk=7'), 'parallel_for')
    call assert(all(cells == [(i**3, i=1, 100)]), 'the cubes')
    call expect(allport_team_free(team), 'team_free')
  end subroutine loops

  subroutine places()
    integer(c_int) :: from(8), to(8), found(8), i
    integer(c_int64_t) :: bytes(8)
    real(c_double) :: seconds
    from = [(mod(i * 3, 8), i=0, 7)]
    to = [(mod((i + 1) * 3, 8), i=0, 7)]
    bytes = 65536
    call expect(allport_map_ranks(8, 8_c_int64_t, from, to, bytes, found, seconds, 'torus:4x2'), 'map_ranks')
    call assert(all([(any(found == i), i=0, 7)]) .and. seconds > 0, 'a place for every rank')
  end subroutine places

  ! Against ScaLAPACK's NUMROC, on every rank of both orders.
  subroutine distributions()
    type(allport_distribution) :: made
    type(allport_machine) :: machine
    type(allport_plan) :: plan
    integer(c_int64_t) :: rows, cols
    integer :: r
    call expect(allport_distribution_cyclic(m, n, nb, 2, ranks, 1, made, first_row=ranks - 1), 'cyclic')
    do r = 0, ranks - 1
      call expect(allport_distribution_local(made, r, rows, cols), 'local')
      call assert(rows == numroc(m, nb, r, ranks - 1, ranks) .and. cols == n, 'extents of rows from the last rank on')
    end do
    call expect(allport_distribution_free(made), 'distribution_free')
    call expect(allport_distribution_cyclic(m, n, nb, 2, 1, ranks, made, order='R'), 'cyclic by rows')
    do r = 0, ranks - 1
      call expect(allport_distribution_local(made, r, rows, cols), 'local')
      call assert(rows == m .and. cols == numroc(n, 2, r, 0, ranks), 'extents of columns')
    end do
    call expect(allport_distribution_free(made), 'distribution_free')
    call expect(allport_comm_machine(comm, machine), 'comm_machine')
    call expect(allport_plan_create(machine, 'gemm', allport_double, m, n, k, plan, 'NN', &
                                    options='algorithm=summa'), 'plan_create')
    call expect(allport_plan_distribution(plan, 'B', made), 'plan_distribution')
    call expect(allport_plan_free(plan), 'plan_free')
    call expect(allport_machine_free(machine), 'machine_free')
    call expect(allport_distribution_local(made, rank, rows, cols), 'local')
    call assert(rows <= k .and. cols <= n, 'extents of the plan''s B')
    call expect(allport_distribution_free(made), 'distribution_free')
  end subroutine distributions

  pure integer function numroc(extent, block, place, first, places)
    integer, intent(in) :: extent, block, place, first, places
    integer :: i
    numroc = count([(mod((i - 1) / block + first, places) == place, i=1, extent)])
  end function numroc

  ! Blocks of nb rows over all ranks.
  subroutine cyclic(rows, cols, made)
    integer, intent(in) :: rows, cols
    type(allport_distribution), intent(out) :: made
    call expect(allport_distribution_cyclic(rows, cols, nb, nb, ranks, 1, made), 'cyclic')
  end subroutine cyclic

  integer function held(distribution, which)
    type(allport_distribution), intent(in) :: distribution
    integer, intent(in) :: which
    integer(c_int64_t) :: extents(2)
    call expect(allport_distribution_local(distribution, rank, extents(1), extents(2)), 'local')
    held = int(extents(which))
  end function held

  ! The row in the whole matrix of a local one.
  pure integer function whole(i)
    integer, intent(in) :: i
    whole = ((i - 1) / nb * ranks + rank) * nb + mod(i - 1, nb) + 1
  end function whole

#include "plans.F90"

#define REAL_VALUE(i, j) (mod(3 * (i) + 5 * (j), 7) - 3)
#define COMPLEX_VALUE(i, j) cmplx(mod(3 * (i) + 5 * (j), 7) - 3, mod((i) + 2 * (j), 5) - 2)

! Of a Hermitian matrix whose diagonal outweighs its rows, and of one of full rank.
#define HERMITIAN(i, j) merge(merge(VALUE(i, j), CONJUGATE(VALUE(j, i)), (i) > (j)), VALUE(0, 0) * 0 + 5 * m, (i) /= (j))
#define SKEWED(i, j) (VALUE(i, j) + merge(9, 0, (i) == (j)))

#define TYPE real
#define CONJUGATE(x) (x)
#define KIND c_float
#define NAME gemm_s
#define FACTORS factors_s
#define VALUE(i, j) real(REAL_VALUE(i, j), c_float)
#include "gemm_of_type.F90"
#include "factors_of_type.F90"
#undef NAME
#undef FACTORS
#undef KIND
#undef VALUE
#define KIND c_double
#define NAME gemm_d
#define FACTORS factors_d
#define VALUE(i, j) real(REAL_VALUE(i, j), c_double)
#include "gemm_of_type.F90"
#include "factors_of_type.F90"
#undef NAME
#undef FACTORS
#undef KIND
#undef VALUE
#undef TYPE
#undef CONJUGATE
#define TYPE complex
#define CONJUGATE(x) conjg(x)
#define KIND c_float
#define NAME gemm_c
#define FACTORS factors_c
#define VALUE(i, j) COMPLEX_VALUE(i, j)
#include "gemm_of_type.F90"
#include "factors_of_type.F90"
#undef NAME
#undef FACTORS
#undef KIND
#undef VALUE
#define KIND c_double
#define NAME gemm_z
#define FACTORS factors_z
#define VALUE(i, j) cmplx(COMPLEX_VALUE(i, j), kind=c_double)
#include "gemm_of_type.F90"
#include "factors_of_type.F90"

end program test_module
