! Fortran's messages by the three faces of MPI (FACE as in face.inc), all to the next rank; what ALLPORT_CAPTURE counts is
! compared in the end.
#include "face.h"

program messages
#include "face.inc"
  integer, parameter :: n = 10
  integer :: code, me, p, to, from, form, turn, provided, size
  integer :: a(n), b(2*n), buffer(2000)
  integer :: counts(2), begins(2)
  integer(MPI_ADDRESS_KIND) :: places(2)
  HANDLE(MPI_Request) :: requests(2)
  HANDLE(MPI_Comm) :: ring
  HANDLE(MPI_Datatype) :: types(2)
  integer :: bytes
  character(100000) :: wanted, got
  character(1000) :: path

  code = 0
  call MPI_Init_thread(MPI_THREAD_SERIALIZED, provided CODE)
  call MPI_Comm_rank(MPI_COMM_WORLD, me CODE)
  call MPI_Comm_size(MPI_COMM_WORLD, p CODE)
  to = mod(me + 1, p)
  from = mod(me + p - 1, p)
  a = me
  call MPI_Bcast(a, n, MPI_INTEGER, 0, MPI_COMM_WORLD CODE)
  size = 8000
  call MPI_Buffer_attach(buffer, size CODE)
  bytes = 0
  do form = 1, 8
    call MPI_Irecv(b, n, MPI_INTEGER, from, form, MPI_COMM_WORLD, requests(1) CODE)
    requests(2) = MPI_REQUEST_NULL
    call MPI_Barrier(MPI_COMM_WORLD CODE)
    if (form == 1) call MPI_Send(a, n, MPI_INTEGER, to, form, MPI_COMM_WORLD CODE)
    if (form == 2) call MPI_Bsend(a, n, MPI_INTEGER, to, form, MPI_COMM_WORLD CODE)
    if (form == 3) call MPI_Ssend(a, n, MPI_INTEGER, to, form, MPI_COMM_WORLD CODE)
    if (form == 4) call MPI_Rsend(a, n, MPI_INTEGER, to, form, MPI_COMM_WORLD CODE)
    if (form == 5) call MPI_Isend(a, n, MPI_INTEGER, to, form, MPI_COMM_WORLD, requests(2) CODE)
    if (form == 6) call MPI_Ibsend(a, n, MPI_INTEGER, to, form, MPI_COMM_WORLD, requests(2) CODE)
    if (form == 7) call MPI_Issend(a, n, MPI_INTEGER, to, form, MPI_COMM_WORLD, requests(2) CODE)
    if (form == 8) call MPI_Irsend(a, n, MPI_INTEGER, to, form, MPI_COMM_WORLD, requests(2) CODE)
    bytes = bytes + 4*n
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE CODE)
  end do
  do form = 1, 4
    call MPI_Recv_init(b, n, MPI_INTEGER, from, form, MPI_COMM_WORLD, requests(1) CODE)
    if (form == 1) call MPI_Send_init(a, n, MPI_INTEGER, to, form, MPI_COMM_WORLD, requests(2) CODE)
    if (form == 2) call MPI_Bsend_init(a, n, MPI_INTEGER, to, form, MPI_COMM_WORLD, requests(2) CODE)
    if (form == 3) call MPI_Ssend_init(a, n, MPI_INTEGER, to, form, MPI_COMM_WORLD, requests(2) CODE)
    if (form == 4) call MPI_Rsend_init(a, n, MPI_INTEGER, to, form, MPI_COMM_WORLD, requests(2) CODE)
    do turn = 1, 2
      call MPI_Start(requests(1) CODE)
      call MPI_Barrier(MPI_COMM_WORLD CODE)
      call MPI_Startall(1, requests(2:2) CODE)
      bytes = bytes + 4*n
      call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE CODE)
    end do
    call MPI_Request_free(requests(1) CODE)
    call MPI_Request_free(requests(2) CODE)
  end do
  call MPI_Sendrecv(a, 3, MPI_INTEGER, to, 1, b, 3, MPI_INTEGER, from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE CODE)
  call MPI_Sendrecv_replace(a, 5, MPI_INTEGER, to, 1, from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE CODE)
  bytes = bytes + 4*(3 + 5)
#if FACE != 8
  call MPI_Buffer_detach(buffer, size CODE)
#endif

  call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, [from], MPI_UNWEIGHTED, 1, [to], MPI_UNWEIGHTED, &
                                      MPI_INFO_NULL, .false., ring CODE)
  counts = 2
  begins = 0
  places = 0
  types = MPI_INTEGER
  call MPI_Neighbor_allgather(a, 2, MPI_INTEGER, b, 2, MPI_INTEGER, ring CODE)
  call MPI_Neighbor_allgatherv(a, 2, MPI_INTEGER, b, counts, begins, MPI_INTEGER, ring CODE)
  call MPI_Neighbor_alltoall(a, 2, MPI_INTEGER, b, 2, MPI_INTEGER, ring CODE)
  call MPI_Neighbor_alltoallv(a, counts, begins, MPI_INTEGER, b, counts, begins, MPI_INTEGER, ring CODE)
  call MPI_Neighbor_alltoallw(a, counts, places, types, b, counts, places, types, ring CODE)
  call MPI_Ineighbor_allgather(a, 2, MPI_INTEGER, b, 2, MPI_INTEGER, ring, requests(1) CODE)
  call MPI_Wait(requests(1), MPI_STATUS_IGNORE CODE)
  call MPI_Ineighbor_allgatherv(a, 2, MPI_INTEGER, b, counts, begins, MPI_INTEGER, ring, requests(1) CODE)
  call MPI_Wait(requests(1), MPI_STATUS_IGNORE CODE)
  call MPI_Ineighbor_alltoall(a, 2, MPI_INTEGER, b, 2, MPI_INTEGER, ring, requests(1) CODE)
  call MPI_Wait(requests(1), MPI_STATUS_IGNORE CODE)
  call MPI_Ineighbor_alltoallv(a, counts, begins, MPI_INTEGER, b, counts, begins, MPI_INTEGER, ring, requests(1) CODE)
  call MPI_Wait(requests(1), MPI_STATUS_IGNORE CODE)
  call MPI_Ineighbor_alltoallw(a, counts, places, types, b, counts, places, types, ring, requests(1) CODE)
  call MPI_Wait(requests(1), MPI_STATUS_IGNORE CODE)
  bytes = bytes + 10*2*4
  call MPI_Comm_free(ring CODE)

  call MPI_Finalize(code)
  call get_environment_variable('ALLPORT_CAPTURE', path)
  if (me /= 0) stop
  if (path /= '') then
    wanted = '{"messages":['
    do from = 0, p - 1
      to = mod(from + 1, p)
      if (from > 0) wanted = trim(wanted)//','
      write (got, '(a,i0,a,i0,a,i0,a)') '[', from, ',', to, ',', bytes, ']'
      wanted = trim(wanted)//got
    end do
    write (got, '(a,i0,a)') '],"ranks":', p, '}'
    wanted = trim(wanted)//got
    open (7, file=path, status='old')
    read (7, '(a)') got
    if (got /= wanted) then
      print *, 'captured ', trim(got), ', expected ', trim(wanted)
      stop 1
    end if
  end if
  print '(a, i0, a)', 'messages: well on ', p, ' ranks'
end program
