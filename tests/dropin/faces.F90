! Collectives from Fortran by the three faces of MPI: mpif.h (FACE = 77), use mpi (90), use mpi_f08 (8). A program that
! never heard of Allport.
#include "face.h"

program faces
#include "face.inc"
  integer, parameter :: n = 1000
  integer :: code, me, p, i, k, wrong, provided
  integer :: a(n), b(n)
  integer, allocatable :: all(:), counts(:), begins(:)
  double precision :: x(n), y(n)
  HANDLE(MPI_Comm) :: rows, copy, cart
  HANDLE(MPI_Request) :: requests(2)
  HANDLE(MPI_Datatype) :: columns
  HANDLE(MPI_Op) :: sums
  HANDLE(MPI_Errhandler) :: handler, other
  logical :: flag
  integer :: grid(4, n), lengths(2), place(2), below, above
  logical :: periods(2)

  wrong = 0
  code = 0
  call MPI_Init_thread(MPI_THREAD_SERIALIZED, provided CODE)
  call MPI_Comm_rank(MPI_COMM_WORLD, me CODE)
  call MPI_Comm_size(MPI_COMM_WORLD, p CODE)
  allocate (all(n*p), counts(p), begins(p))

  a = me
  if (me == p - 1) a = [(7*i, i=1, n)]
  call MPI_Bcast(a, n, MPI_INTEGER, p - 1, MPI_COMM_WORLD CODE)
  call expect('bcast', all_equal(a, [(7*i, i=1, n)]))

  x = [(dble(i + me), i=1, n)]
  call MPI_Reduce(x, y, n, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD CODE)
  if (me == 0) call expect('reduce', maxval(abs(y - [(dble(p*i + p*(p - 1)/2), i=1, n)])) < 1d-9)

  b = me + 1
  call MPI_Allreduce(MPI_IN_PLACE, b, n, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD CODE)
  call expect('allreduce in place', all_equal(b, [(p, i=1, n)]))

  b = me
  call MPI_Allgather(b, n, MPI_INTEGER, all, n, MPI_INTEGER, MPI_COMM_WORLD CODE)
  call expect('allgather', all_equal(all, [((k, i=1, n), k=0, p - 1)]))

  counts = [(mod(k, 3)*10 + 1, k=0, p - 1)]
  begins = [((k*n), k=0, p - 1)]
  all = -1
  call MPI_Gatherv(b, counts(me + 1), MPI_INTEGER, all, counts, begins, MPI_INTEGER, 0, MPI_COMM_WORLD CODE)
  if (me == 0) then
    do k = 0, p - 1
      call expect('gatherv', all(k*n + counts(k + 1)) == k .and. all(k*n + counts(k + 1) + 1) == -1)
    end do
  end if

  ! One row of a matrix: every fourth element.
  grid = -1
  if (me == 0) grid(2, :) = [(i, i=1, n)]
  call MPI_Type_vector(n, 1, 4, MPI_INTEGER, columns CODE)
  call MPI_Type_commit(columns CODE)
  call MPI_Bcast(grid(2, 1), 1, columns, 0, MPI_COMM_WORLD CODE)
  call expect('strided bcast', all_equal(grid(2, :), [(i, i=1, n)]) .and. all_equal(grid(3, :), [(-1, i=1, n)]))
  call MPI_Type_free(columns CODE)

  ! What MPI lets a program free while a collective is on its way.
  grid = -1
  if (me == 0) grid(2, :) = [(i, i=1, n)]
  call MPI_Type_vector(n, 1, 4, MPI_INTEGER, columns CODE)
  call MPI_Type_commit(columns CODE)
  call MPI_Ibcast(grid(2, 1), 1, columns, 0, MPI_COMM_WORLD, requests(1) CODE)
  call MPI_Type_free(columns CODE)
  call MPI_Op_create(add, .true., sums CODE)
  b = me
  call MPI_Iallreduce(b, a, n, MPI_INTEGER, sums, MPI_COMM_WORLD, requests(2) CODE)
  call MPI_Op_free(sums CODE)
  call expect('null handles', columns == MPI_DATATYPE_NULL .and. sums == MPI_OP_NULL)
  call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE CODE)
  call expect('ibcast of a freed type', all_equal(grid(2, :), [(i, i=1, n)]) .and. all_equal(grid(3, :), [(-1, i=1, n)]))
  call expect('iallreduce by a freed operator', all_equal(a, [(p*(p - 1)/2, i=1, n)]))

  b = me
  call MPI_Ibcast(a, n, MPI_INTEGER, 0, MPI_COMM_WORLD, requests(1) CODE)
  call MPI_Iallreduce(b, all, n, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, requests(2) CODE)
  call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE CODE)
  call expect('iallreduce', all_equal(all(1:n), [(p*(p - 1)/2, i=1, n)]))
  call MPI_Ibarrier(MPI_COMM_WORLD, requests(1) CODE)
  flag = .false.
  do while (.not. flag)
    call MPI_Test(requests(1), flag, MPI_STATUS_IGNORE CODE)
  end do

  ! A grid whose ranks may be others than the world's.
  lengths = [max(p/2, 1), min(p, 2)]
  periods = [.true., .false.]
  call MPI_Cart_create(MPI_COMM_WORLD, 2, lengths, periods, .true., cart CODE)
  if (me >= lengths(1)*lengths(2)) then
    call expect('no node of the grid', cart == MPI_COMM_NULL)
  else
    call MPI_Comm_rank(cart, k CODE)
    call MPI_Cart_coords(cart, k, 2, place CODE)
    call expect('rank of coordinates', k == place(1)*lengths(2) + place(2))
    call MPI_Cart_shift(cart, 0, 1, below, above CODE)
    i = -1
    call MPI_Sendrecv(k, 1, MPI_INTEGER, above, 5, i, 1, MPI_INTEGER, below, 5, cart, MPI_STATUS_IGNORE CODE)
    call expect('neighbour', i == mod(place(1) + lengths(1) - 1, lengths(1))*lengths(2) + place(2))
    call MPI_Comm_free(cart CODE)
  end if

  call among_neighbours
  if (p > 1 .and. command_argument_count() > 0) call among_nobody

  call MPI_Comm_split(MPI_COMM_WORLD, me/3, me, rows CODE)
  call MPI_Comm_dup(rows, copy CODE)
  b(1) = me
  call MPI_Bcast(b, 1, MPI_INTEGER, 0, copy CODE)
  call expect('bcast of a row', b(1) == me/3*3)
  call MPI_Comm_free(copy CODE)
  call MPI_Comm_free(rows CODE)

  call MPI_Comm_get_errhandler(MPI_COMM_WORLD, handler CODE)
  call expect('default handler', handler == MPI_ERRORS_ARE_FATAL)
  call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN CODE)
  call MPI_Comm_get_errhandler(MPI_COMM_WORLD, other CODE)
  call expect('returning handler', other == MPI_ERRORS_RETURN)
  call MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler CODE)
  call MPI_Comm_get_errhandler(MPI_COMM_WORLD, handler CODE)
  call expect('default handler again', handler == MPI_ERRORS_ARE_FATAL)

  call MPI_Barrier(MPI_COMM_WORLD CODE)
  call MPI_Finalize(code)
  if (wrong > 0) stop 1
  if (me == 0) print '(a, i0, a)', 'faces: well on ', p, ' ranks'

contains

  ! Neighbourhood collectives on a ring. Where both neighbours are one rank, some of the libraries' own exchange its
  ! blocks.
  subroutine among_neighbours
    HANDLE(MPI_Comm) :: ring
    HANDLE(MPI_Request) :: request
    integer :: given(3, 2), got(3, 2), parts(2), starts(2), j
#if FACE != 8
    ! MPICH's mpi_f08 takes every topology here for a distributed graph.
    integer :: kinds(2)
    integer(MPI_ADDRESS_KIND) :: places(2)
    places = [0, 12]
    kinds = MPI_INTEGER
#endif
    call MPI_Cart_create(MPI_COMM_WORLD, 1, [p], [.true.], .false., ring CODE)
    parts = 3
    starts = [0, 3]
    given = reshape([(100*me + 10 + j, j=1, 3), (100*me + 20 + j, j=1, 3)], [3, 2])
    got = -1
    call MPI_Neighbor_alltoall(given, 3, MPI_INTEGER, got, 3, MPI_INTEGER, ring CODE)
    call check_blocks('alltoall', got, 10)
    got = -1
    call MPI_Ineighbor_alltoallv(given, parts, starts, MPI_INTEGER, got, parts, starts, MPI_INTEGER, ring, request CODE)
    call MPI_Wait(request, MPI_STATUS_IGNORE CODE)
    call check_blocks('alltoallv', got, 10)
#if FACE != 8
    got = -1
    call MPI_Neighbor_alltoallw(given, parts, places, kinds, got, parts, places, kinds, ring CODE)
    call check_blocks('alltoallw', got, 10)
    got = -1
    call MPI_Ineighbor_alltoallw(given, parts, places, kinds, got, parts, places, kinds, ring, request CODE)
    call MPI_Wait(request, MPI_STATUS_IGNORE CODE)
    call check_blocks('ialltoallw', got, 10)
#endif
    got = -1
    call MPI_Neighbor_allgather(given, 3, MPI_INTEGER, got, 3, MPI_INTEGER, ring CODE)
    call check_blocks('allgather', got, 0)
    got = -1
    call MPI_Neighbor_allgatherv(given, 3, MPI_INTEGER, got, parts, starts, MPI_INTEGER, ring CODE)
    call check_blocks('allgatherv', got, 0)
    call MPI_Comm_free(ring CODE)
  end subroutine

  ! From rank 0 to all others: what belongs to no neighbour is not looked at, whatever it is.
  subroutine among_nobody
    HANDLE(MPI_Comm) :: star
    HANDLE(MPI_Request) :: request
    HANDLE(MPI_Datatype) :: kind, none
    integer :: others(p), given(3), got(3), parts(1), starts(1), nothing(1), j
#if FACE == 8
    none%MPI_VAL = -77
#else
    integer :: kinds(p), nobody(1)
    integer(MPI_ADDRESS_KIND) :: places(p), nowhere(1)
    none = -77
    kinds = MPI_INTEGER
    places = 0
    nobody = none
    nowhere = -77
#endif
    others = [(j, j=1, p)]
    given = [(100 + j, j=1, 3)]
    parts = 3
    starts = 0
    nothing = -77
    got = -1
    kind = MPI_INTEGER
    if (me == 0) then
      call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 0, nothing, MPI_UNWEIGHTED, p - 1, others, MPI_UNWEIGHTED, &
                                          MPI_INFO_NULL, .false., star CODE)
      call MPI_Neighbor_allgather(given, 3, kind, got, -77, none, star CODE)
      call MPI_Neighbor_allgatherv(given, 3, kind, got, nothing, nothing, none, star CODE)
      call MPI_Ineighbor_allgather(given, 3, kind, got, -77, none, star, request CODE)
      call MPI_Wait(request, MPI_STATUS_IGNORE CODE)
#if FACE != 8
      call MPI_Neighbor_alltoallw(given, [(3, j=1, p)], places, kinds, got, nothing, nowhere, nobody, star CODE)
#endif
      call expect('nothing for nobody', all_equal(got, [-1, -1, -1]))
    else
      call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, [0], MPI_UNWEIGHTED, 0, nothing, MPI_UNWEIGHTED, &
                                          MPI_INFO_NULL, .false., star CODE)
      call MPI_Neighbor_allgather(nothing, -77, none, got, 3, kind, star CODE)
      call expect('allgather from a star', all_equal(got, given))
      got = -1
      call MPI_Neighbor_allgatherv(nothing, -77, none, got, parts, starts, kind, star CODE)
      call expect('allgatherv from a star', all_equal(got, given))
      got = -1
      call MPI_Ineighbor_allgather(nothing, -77, none, got, 3, kind, star, request CODE)
      call MPI_Wait(request, MPI_STATUS_IGNORE CODE)
      call expect('iallgather from a star', all_equal(got, given))
#if FACE != 8
      got = -1
      call MPI_Neighbor_alltoallw(nothing, nothing, nowhere, nobody, got, parts, places, kinds, star CODE)
      call expect('alltoallw from a star', all_equal(got, given))
#endif
    end if
    call MPI_Comm_free(star CODE)
  end subroutine

  ! What comes from below was sent up: block 2; a gather's block is the first one for all.
  subroutine check_blocks(what, got, step)
    character(*), intent(in) :: what
    integer, intent(in) :: got(3, 2), step
    integer :: from, j
    if (p < 3) return
    from = mod(me + p - 1, p)
    call expect('neighbour below: '//what, all_equal(got(:, 1), [(100*from + 10 + step + j, j=1, 3)]))
    from = mod(me + 1, p)
    call expect('neighbour above: '//what, all_equal(got(:, 2), [(100*from + 10 + j, j=1, 3)]))
  end subroutine

#if FACE == 8
  subroutine add(left, right, count, kind)
    use, intrinsic :: iso_c_binding, only: c_ptr, c_f_pointer
    type(c_ptr), value :: left, right
    integer :: count
    type(MPI_Datatype) :: kind
    integer, pointer :: x(:), y(:)
    call c_f_pointer(left, x, [count])
    call c_f_pointer(right, y, [count])
    if (kind /= MPI_INTEGER) wrong = wrong + 1
    y = x + y
  end subroutine
#else
  subroutine add(left, right, count, kind)
    integer :: count, kind
    integer :: left(count), right(count)
    if (kind /= MPI_INTEGER) wrong = wrong + 1
    right = left + right
  end subroutine
#endif

  logical function all_equal(got, want)
    integer, intent(in) :: got(:), want(:)
    all_equal = maxval(abs(got - want)) == 0
  end function

  subroutine expect(what, holds)
    character(*), intent(in) :: what
    logical, intent(in) :: holds
    if (holds) return
    wrong = wrong + 1
    print '(a, i0, 2a)', 'rank ', me, ': wrong ', what
  end subroutine
end program
