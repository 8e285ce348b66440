! What MPI ignores of a call's arguments, from Fortran by its three faces: each is passed as a null and as garbage
! (significant.c has the table and every form). A program that never heard of Allport.
#include "face.h"
#if FACE == 8
#define NONE MPI_Datatype(-4711)
#else
#define NONE -4711
#endif

program significant
#include "face.inc"
  integer, parameter :: sizes(3) = [1, 1000, 20011]
  integer :: code, me, p, s, n, root, garbage, round, wrong, i, r
  integer, allocatable :: one(:), all(:), counts(:), begins(:)
  integer :: nowhere(1), count
  HANDLE(MPI_Datatype) :: kind
  HANDLE(MPI_Request) :: request

  wrong = 0
  code = 0
  call MPI_Init(code)
  call MPI_Comm_rank(MPI_COMM_WORLD, me CODE)
  call MPI_Comm_size(MPI_COMM_WORLD, p CODE)
  allocate (counts(p), begins(p))
  nowhere = -99
  do s = 1, 3
    n = sizes(s)
    counts = n
    begins = [((n*r), r=0, p - 1)]
    allocate (one(n), all(n*p))
    do garbage = 0, 1
      kind = MPI_DATATYPE_NULL
      count = 0
      if (garbage == 1) kind = NONE
      if (garbage == 1) count = -7
      do round = 1, 3
        all = -1
        all(me*n + 1:me*n + n) = [(me + i, i=1, n)]
        call MPI_Allgather(MPI_IN_PLACE, count, kind, all, n, MPI_INTEGER, MPI_COMM_WORLD CODE)
        call expect_gathered('allgather')
        all = -1
        all(me*n + 1:me*n + n) = [(me + i, i=1, n)]
        call MPI_Iallgatherv(MPI_IN_PLACE, count, kind, all, counts, begins, MPI_INTEGER, MPI_COMM_WORLD, request CODE)
        call MPI_Wait(request, MPI_STATUS_IGNORE CODE)
        call expect_gathered('iallgatherv')
        all = [((1000*me + r, i=1, n), r=0, p - 1)]
        call MPI_Alltoall(MPI_IN_PLACE, count, kind, all, n, MPI_INTEGER, MPI_COMM_WORLD CODE)
        call expect('alltoall', all == [((1000*r + me, i=1, n), r=0, p - 1)])
        all = [((1000*me + r, i=1, n), r=0, p - 1)]
        call MPI_Alltoallv(MPI_IN_PLACE, nowhere, nowhere, kind, all, counts, begins, MPI_INTEGER, MPI_COMM_WORLD CODE)
        call expect('alltoallv', all == [((1000*r + me, i=1, n), r=0, p - 1)])
        do root = 0, p - 1, max(p - 1, 1)
          one = [(me + i, i=1, n)]
          all = -1
          if (me == root) then
            call MPI_Gather(one, n, MPI_INTEGER, all, n, MPI_INTEGER, root, MPI_COMM_WORLD CODE)
            call expect_gathered('gather')
            all(me*n + 1:me*n + n) = one
            call MPI_Gatherv(MPI_IN_PLACE, count, kind, all, counts, begins, MPI_INTEGER, root, MPI_COMM_WORLD CODE)
            call expect_gathered('gatherv')
            call MPI_Scatter(all, n, MPI_INTEGER, MPI_IN_PLACE, count, kind, root, MPI_COMM_WORLD CODE)
            call MPI_Iscatterv(all, counts, begins, MPI_INTEGER, one, n, MPI_INTEGER, root, MPI_COMM_WORLD, request CODE)
          else
            call MPI_Gather(one, n, MPI_INTEGER, nowhere, count, kind, root, MPI_COMM_WORLD CODE)
            call MPI_Gatherv(one, n, MPI_INTEGER, nowhere, nowhere, nowhere, kind, root, MPI_COMM_WORLD CODE)
            one = -1
            call MPI_Scatter(nowhere, count, kind, one, n, MPI_INTEGER, root, MPI_COMM_WORLD CODE)
            call expect('scatter', one == [(me + i, i=1, n)])
            one = -1
            call MPI_Iscatterv(nowhere, nowhere, nowhere, kind, one, n, MPI_INTEGER, root, MPI_COMM_WORLD, request CODE)
          end if
          call MPI_Wait(request, MPI_STATUS_IGNORE CODE)
          call expect('iscatterv', one == [(me + i, i=1, n)])
          if (me == root) then
            call MPI_Reduce(one, all, n, MPI_INTEGER, MPI_SUM, root, MPI_COMM_WORLD CODE)
            call expect('reduce', all(1:n) == [(p*i + p*(p - 1)/2, i=1, n)])
          else
            call MPI_Reduce(one, nowhere, n, MPI_INTEGER, MPI_SUM, root, MPI_COMM_WORLD CODE)
          end if
        end do
      end do
    end do
    deallocate (one, all)
  end do
  call expect('untouched', nowhere == [-99])
  call MPI_Barrier(MPI_COMM_WORLD CODE)
  call MPI_Finalize(code)
  if (wrong > 0) stop 1
  if (me == 0) print '(a, i0, a)', 'significant: well on ', p, ' ranks'

contains

  subroutine expect_gathered(what)
    character(*), intent(in) :: what
    call expect(what, all == [((r + i, i=1, n), r=0, p - 1)])
  end subroutine

  subroutine expect(what, right)
    character(*), intent(in) :: what
    logical, intent(in) :: right(:)
    if (count_of(right) == size(right)) return
    wrong = wrong + 1
    if (wrong <= 10) print '(a, i0, 3a, i0, a, i0)', 'rank ', me, ': ', what, ' of ', n, ' is wrong, garbage ', garbage
  end subroutine

  integer function count_of(right)
    logical, intent(in) :: right(:)
    integer :: k
    count_of = 0
    do k = 1, size(right)
      if (right(k)) count_of = count_of + 1
    end do
  end function
end program
