! As failures.c from Fortran, by the three faces of MPI: mpif.h (FACE = 77), use mpi (90), use mpi_f08 (8).
#include "face.h"

module heard
#if FACE == 8
  use mpi_f08
#endif
  implicit none
  integer :: times = 0, last = 0
contains
  subroutine hear(comm, code)
    HANDLE(MPI_Comm) :: comm
    integer :: code
    times = times + 1
    last = code
  end subroutine hear
end module heard

program failures
  use heard
#include "face.inc"
  integer :: code, me, i, wrong, words, all
  integer, asynchronous :: a(64)
  HANDLE(MPI_Comm) :: comm
  HANDLE(MPI_Request) :: requests(2)
  HANDLE(MPI_Errhandler) :: handler
  integer :: which, done, indices(2), got
  logical :: flag
#if FACE == 8
  type(MPI_Status) :: status
#else
  integer :: status(MPI_STATUS_SIZE)
#endif

  wrong = 0
  call MPI_Init(code)
  call MPI_Comm_rank(MPI_COMM_WORLD, me, code)
  call MPI_Comm_create_errhandler(hear, handler, code)
  call MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler, code)
  words = merge(64, 16, me == 0)
  a = me
  do i = 0, 8
    call MPI_Comm_dup(MPI_COMM_WORLD, comm, code)
    times = 0
    last = 0
    if (i == 0) then
      call MPI_Bcast(a, words, MPI_INTEGER, 0, comm, code)
    else
      call MPI_Ibcast(a, words, MPI_INTEGER, 0, comm, requests(1), code)
      call MPI_Ibarrier(comm, requests(2), code)
    end if
    select case (i)
    case (1)
      call MPI_Wait(requests(1), MPI_STATUS_IGNORE, code)
      call MPI_Wait(requests(2), MPI_STATUS_IGNORE, got)
    case (2)
      call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, code)
    case (3)
      call MPI_Waitany(2, requests, which, MPI_STATUS_IGNORE, code)
      call MPI_Waitany(2, requests, which, MPI_STATUS_IGNORE, got)
      code = max(code, got)
    case (4)
      all = 0
      code = 0
      do while (all < 2)
        call MPI_Waitsome(2, requests, done, indices, MPI_STATUSES_IGNORE, got)
        all = all + done
        code = max(code, got)
      end do
    case (5)
      flag = .false.
      do while (.not. flag)
        call MPI_Request_get_status(requests(1), flag, status, code)  ! Open MPI does not look where it is ignored
      end do
      call expect('heard of a look', times, 0)
      flag = .false.
      do while (.not. flag)
        call MPI_Test(requests(1), flag, MPI_STATUS_IGNORE, code)
        flag = flag .or. code /= MPI_SUCCESS  ! MPICH sets no flag then
      end do
      call MPI_Wait(requests(2), MPI_STATUS_IGNORE, got)
    case (6)
      flag = .false.
      do while (.not. flag)
        call MPI_Testall(2, requests, flag, MPI_STATUSES_IGNORE, code)
        flag = flag .or. code /= MPI_SUCCESS
      end do
    case (7)
      all = 0
      code = 0
      do while (all < 2)
        call MPI_Testany(2, requests, which, flag, MPI_STATUS_IGNORE, got)
        if (flag .or. got /= MPI_SUCCESS) all = all + 1
        code = max(code, got)
      end do
    case (8)
      all = 0
      code = 0
      do while (all < 2)
        call MPI_Testsome(2, requests, done, indices, MPI_STATUSES_IGNORE, got)
        all = all + done
        code = max(code, got)
      end do
    end select
    call expect('times heard', times, merge(0, 1, me == 0))
    call expect('fails', merge(0, 1, code == MPI_SUCCESS), merge(0, 1, me == 0))
    call expect('code heard', last, code)
    call MPI_Comm_free(comm, code)
  end do
  call MPI_Errhandler_free(handler, code)
  if (wrong == 0) print '(a, i0)', 'failures: well on rank ', me
  call MPI_Finalize(code)
  if (wrong /= 0) stop 1

contains

  subroutine expect(what, is, wanted)
    character(*), intent(in) :: what
    integer, intent(in) :: is, wanted
    if (is == wanted) return
    wrong = wrong + 1
    print '(a, i0, 3a, i0, a, i0, a, i0)', 'rank ', me, ': ', what, ' [', i, ']: ', is, ' instead of ', wanted
  end subroutine expect

end program failures
