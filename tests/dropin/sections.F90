! Array sections given to non-blocking and persistent collectives of mpi_f08: a library may describe them by datatypes of
! its own, which it frees when the call returns. Every second column of a matrix. (Not where a section holds several
! ranks' blocks: MPICH 4.0 itself takes one block for all.) A program that never heard of Allport.
program sections
  use mpi_f08
  implicit none
  integer, parameter :: n = 4000
  integer :: me, p, i, j, wrong, count
  integer, allocatable :: a(:, :), b(:, :), counts(:), begins(:)
  type(MPI_Request) :: request
  type(MPI_Comm) :: ring

  wrong = 0
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, me)
  call MPI_Comm_size(MPI_COMM_WORLD, p)
  if (.not. MPI_SUBARRAYS_SUPPORTED) then
    call MPI_Barrier(MPI_COMM_WORLD)
    if (me == 0) print '(a)', 'sections: this library has none'
    call MPI_Finalize()
    stop
  end if
  allocate (a(n, max(2*p, 4)), b(n, max(2*p, 4)), counts(p), begins(p))
  counts = n
  begins = [(n*i, i=0, p - 1)]

  call fill
  call MPI_Ibcast(a(:, 1:2*p:2), n*p, MPI_INTEGER, 0, MPI_COMM_WORLD, request)
  call finish
  do j = 1, 2*p
    call expect('ibcast', a(:, j), j, merge(0, me, mod(j, 2) == 1))
  end do

  call fill
  call MPI_Igather(a(:, 1:3:2), 2*n, MPI_INTEGER, b, 2*n, MPI_INTEGER, 0, MPI_COMM_WORLD, request)
  call finish
  if (me == 0) call expect_pairs('igather', 1)

  call fill
  call MPI_Iallgather(a(:, 1:3:2), 2*n, MPI_INTEGER, b, 2*n, MPI_INTEGER, MPI_COMM_WORLD, request)
  call finish
  call expect_pairs('iallgather', 1)

  call fill
  call MPI_Iallgatherv(a(:, 2:2), n, MPI_INTEGER, b, counts, begins, MPI_INTEGER, MPI_COMM_WORLD, request)
  call finish
  do j = 1, p
    call expect('iallgatherv', b(:, j), 2, j - 1)
  end do

  call fill
  call MPI_Iscatter(a, n, MPI_INTEGER, b(:, 1:1), n, MPI_INTEGER, 0, MPI_COMM_WORLD, request)
  call finish
  call expect('iscatter', b(:, 1), me + 1, 0)

  call fill
  call MPI_Iscatter(a, 2*n, MPI_INTEGER, b(:, 1:3:2), 2*n, MPI_INTEGER, 0, MPI_COMM_WORLD, request)
  call finish
  call expect('iscatter', b(:, 1), 2*me + 1, 0)
  call expect('iscatter', b(:, 3), 2*me + 2, 0)
  call expect_value('iscatter', b(:, 2), -1)

  call MPI_Cart_create(MPI_COMM_WORLD, 1, [p], [.true.], .false., ring)
  call fill
  call MPI_Ineighbor_alltoall(a(:, 1:2), n, MPI_INTEGER, b, n, MPI_INTEGER, ring, request)
  call finish
  if (p > 2) call expect('ineighbor_alltoall', b(:, 1), 2, modulo(me - 1, p))
  if (p > 2) call expect('ineighbor_alltoall', b(:, 2), 1, modulo(me + 1, p))
  call MPI_Comm_free(ring)

  do count = 1, 2
    if (count == 1) call MPI_Bcast_init(a(:, 1:2*p:2), n*p, MPI_INTEGER, p - 1, MPI_COMM_WORLD, MPI_INFO_NULL, request)
    call fill
    call MPI_Start(request)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    do j = 1, 2*p
      call expect('bcast_init', a(:, j), j, merge(p - 1, me, mod(j, 2) == 1))
    end do
  end do
  call MPI_Request_free(request)

  call MPI_Barrier(MPI_COMM_WORLD)
  call MPI_Finalize()
  if (wrong > 0) stop 1
  if (me == 0) print '(a, i0, a)', 'sections: well on ', p, ' ranks'

contains

  subroutine fill
    b = -1
    do j = 1, size(a, 2)
      a(:, j) = [(i + 10000*j + 1000000*me, i=1, n)]
    end do
  end subroutine

  ! Other types of the library's come and go before the operation is done.
  subroutine finish
    integer :: k
    type(MPI_Datatype) :: other
    do k = 1, 5
      call MPI_Type_vector(k, 1, 2, MPI_INTEGER, other)
      call MPI_Type_commit(other)
      call MPI_Type_free(other)
    end do
    call MPI_Wait(request, MPI_STATUS_IGNORE)
  end subroutine

  ! Column `j` of rank `from`.
  subroutine expect(what, x, column, from)
    character(*), intent(in) :: what
    integer, intent(in) :: x(n), column, from
    integer :: k
    do k = 1, n
      if (x(k) /= k + 10000*column + 1000000*from) wrong = wrong + 1
    end do
    if (wrong > 0) print '(a, i0, 2a)', 'rank ', me, ': wrong from here: ', what
  end subroutine

  subroutine expect_value(what, x, v)
    character(*), intent(in) :: what
    integer, intent(in) :: x(n), v
    if (any(x /= v)) wrong = wrong + 1
    if (wrong > 0) print '(a, i0, 2a)', 'rank ', me, ': wrong from here: ', what
  end subroutine

  subroutine expect_pairs(what, column)
    character(*), intent(in) :: what
    integer, intent(in) :: column
    integer :: r
    do r = 0, p - 1
      call expect(what, b(:, 2*r + 1), column, r)
      call expect(what, b(:, 2*r + 2), column + 2, r)
    end do
  end subroutine
end program
