! Fortran module over allport.h, made from it by tools/make_fortran.py. Functions return 0 or one of the codes below;
! allport_error() has the message. Communicators are the integers of mpif.h and `use mpi` (with `use mpi_f08`:
! comm%MPI_VAL). What C's comments let be NULL may be left out; buffers are given as c_loc of the data.
module allport
  use, intrinsic :: iso_c_binding, only: c_ptr, c_funptr, c_null_ptr, c_null_char, c_char, c_signed_char, c_int, &
       c_int16_t, c_int32_t, c_int64_t, c_size_t, c_float, c_double, c_float_complex, c_double_complex, &
       c_loc, c_associated, c_f_pointer
  implicit none
  private

  integer, parameter, public :: allport_success = 0, allport_argument = 1, allport_io = 2, allport_memory = 3, &
       allport_machine = 4, allport_schedule = 5, allport_mpi = 6, allport_mismatch = 7, allport_unsupported = 8, &
       allport_internal = 99, allport_sum = 0, allport_prod = 1, allport_max = 2, allport_min = 3, allport_carries_data = &
       0, allport_carries_sum = 1, allport_carries_order = 2, allport_carries_sent = 3

  type, public :: allport_comm
    type(c_ptr) :: handle = c_null_ptr
  end type allport_comm

  type, public :: allport_distribution
    type(c_ptr) :: handle = c_null_ptr
  end type allport_distribution

  type, public :: allport_transfer
    type(c_ptr) :: handle = c_null_ptr
  end type allport_transfer

  type, public :: allport_persistent
    type(c_ptr) :: handle = c_null_ptr
  end type allport_persistent

  type, public :: allport_team
    type(c_ptr) :: handle = c_null_ptr
  end type allport_team

  type, public :: allport_graph
    type(c_ptr) :: handle = c_null_ptr
  end type allport_graph

  type, public :: allport_body
    type(c_ptr) :: handle = c_null_ptr
  end type allport_body

  type, public :: allport_visitor
    type(c_ptr) :: handle = c_null_ptr
  end type allport_visitor

  type, bind(C), public :: allport_task
    integer(c_int16_t) :: kind = 0
    integer(c_int16_t) :: layer = 0
    integer(c_int32_t) :: i = 0
    integer(c_int32_t) :: j = 0
    integer(c_int32_t) :: k = 0
  end type allport_task

  type, bind(C), public :: allport_edge
    type(allport_task) :: child
    integer(c_int32_t) :: input = 0
    integer(c_int32_t) :: output = 0
    integer(c_int32_t) :: carries = 0
  end type allport_edge

  public :: allport_error, allport_version, allport_wait, allport_test, allport_start, allport_persistent_free, &
       allport_op_create, allport_barrier, allport_start_barrier, allport_prepare_barrier, allport_bcast, &
       allport_start_bcast, allport_prepare_bcast, allport_reduce, allport_start_reduce, allport_prepare_reduce, &
       allport_allreduce, allport_start_allreduce, allport_prepare_allreduce, allport_scatter, allport_start_scatter, &
       allport_prepare_scatter, allport_gather, allport_start_gather, allport_prepare_gather, allport_allgather, &
       allport_start_allgather, allport_prepare_allgather, allport_reduce_scatter, allport_start_reduce_scatter, &
       allport_prepare_reduce_scatter, allport_alltoall, allport_start_alltoall, allport_prepare_alltoall, &
       allport_scatterv, allport_start_scatterv, allport_prepare_scatterv, allport_gatherv, allport_start_gatherv, &
       allport_prepare_gatherv, allport_allgatherv, allport_start_allgatherv, allport_prepare_allgatherv, &
       allport_reduce_scatterv, allport_start_reduce_scatterv, allport_prepare_reduce_scatterv, allport_alltoallv, &
       allport_start_alltoallv, allport_prepare_alltoallv, allport_comm_create, allport_comm_free, allport_reduce_sum, &
       allport_comm_rank, allport_distribution_cyclic, allport_distribution_local, allport_distribution_free, &
       allport_gemm_distribution, allport_gemm_report, allport_team_create, allport_team_size, allport_team_free, &
       allport_parallel_for, allport_map_ranks, allport_graph_create, allport_graph_free, allport_graph_set_entries, &
       allport_graph_set_exits, allport_graph_set_count, allport_graph_set_owner, allport_graph_set_parents, &
       allport_graph_set_children, allport_graph_set_contributors, allport_graph_set_output, allport_graph_set_priority, &
       allport_graph_set_flops, allport_graph_set_body, allport_visit_task, allport_visit_edge, allport_body_input, &
       allport_body_output, allport_body_progress, allport_graph_check, allport_graph_simulate, allport_graph_run, &
       allport_gemm, allport_potrf, allport_potrs, allport_posv, allport_getrf, allport_getrs, allport_gesv, &
       allport_geqrf, allport_ormqr, allport_unmqr, allport_orgqr, allport_ungqr, allport_gels

  ! C = alpha op(A) op(B) + beta C. trans: 'N', 'T' or 'C'. a, b, c: this rank's parts with leading dimensions lda, ldb,
  ! ldc. beta == 0 never reads C. options as above.
  interface allport_gemm
    module procedure sgemm_any, dgemm_any, cgemm_any, zgemm_any
  end interface allport_gemm

  ! Cholesky: A = L L^H (uplo 'L') or U^H U ('U') in place, A n x n Hermitian positive definite. The other triangle is
  ! neither read nor changed. info, equal on all ranks: 0, or the order of the first leading minor, from 1, that is not
  ! positive or has a NaN; A is half factored then.
  interface allport_potrf
    module procedure spotrf_any, dpotrf_any, cpotrf_any, zpotrf_any
  end interface allport_potrf

  ! B = A^-1 B with the factor that potrf left in one triangle of A. B: n x any number of right-hand sides.
  interface allport_potrs
    module procedure spotrs_any, dpotrs_any, cpotrs_any, zpotrs_any
  end interface allport_potrs

  ! Both: A is overwritten by its factor, B by A^-1 B; where info is not 0, as above, B stays as it was.
  interface allport_posv
    module procedure sposv_any, dposv_any, cposv_any, zposv_any
  end interface allport_posv

  ! LU with row exchanges, P A = L U in place, A m x n. pivots: min(m, n) rows, equal on all ranks and counted from 1:
  ! row i was exchanged with row pivots[i], in order. info, equal on all ranks: 0, or the first j, from 1, with U(j, j)
  ! == 0. options: NULL, or "algorithm=2.5d grid=2x2x2 block=64 memory=1073741824 pivoting=partial" (any of them;
  ! pivoting is tournament, partial or none).
  interface allport_getrf
    module procedure sgetrf_any, dgetrf_any, cgetrf_any, zgetrf_any
  end interface allport_getrf

  ! B = op(A)^-1 B with the factors and pivots that getrf left. trans: 'N', 'T' or 'C'. B: n x any number of right-hand
  ! sides.
  interface allport_getrs
    module procedure sgetrs_any, dgetrs_any, cgetrs_any, zgetrs_any
  end interface allport_getrs

  ! Both: A is overwritten by its factors, B by A^-1 B; where info is not 0, as above, B stays as it was.
  interface allport_gesv
    module procedure sgesv_any, dgesv_any, cgesv_any, zgesv_any
  end interface allport_gesv

  ! QR in place, A m x n of any shape: R on and above the diagonal, which is real, below it V as LAPACK has it. tau:
  ! min(m, n) elements, equal on all ranks. Q = H(1) H(2) ..., H(j) = I - tau_j v_j v_j^H.
  interface allport_geqrf
    module procedure sgeqrf_any, dgeqrf_any, cgeqrf_any, zgeqrf_any
  end interface allport_geqrf

  ! C = op(Q) C (side 'L') or C op(Q) ('R') with the k reflectors in A, as many rows as Q has and k columns, and tau.
  ! trans: 'N', or 'T' for real and 'C' for all types.
  interface allport_ormqr
    module procedure sormqr_any, dormqr_any
  end interface allport_ormqr

  interface allport_unmqr
    module procedure cunmqr_any, zunmqr_any
  end interface allport_unmqr

  ! The first columns of Q, as many as Q's distribution has (k at least), from the k reflectors in A and tau. Q may be A
  ! itself.
  interface allport_orgqr
    module procedure sorgqr_any, dorgqr_any
  end interface allport_orgqr

  interface allport_ungqr
    module procedure cungqr_any, zungqr_any
  end interface allport_ungqr

  ! The x that minimizes ||b - A x||, or of those with A x = b the one of least norm, for every column b of B. A: m x n,
  ! B: m x any, X: n x as many. m >= n: A and B are overwritten (by R, and by Q^H B); m < n: they are not changed. info,
  ! equal on all ranks: 0, or the first column of A (m < n: row), from 1, that depends on those before it to rounding; X
  ! is not solved for then.
  interface allport_gels
    module procedure sgels_any, dgels_any, cgels_any, zgels_any
  end interface allport_gels

  interface
    function c_error() bind(C, name='allport_error') result(text)
      import
      type(c_ptr) :: text
    end function c_error
    function c_version() bind(C, name='allport_version') result(text)
      import
      type(c_ptr) :: text
    end function c_version
    function c_wait(transfer) bind(C, name='allport_wait') result(code)
      import
      type(c_ptr), intent(inout) :: transfer
      integer(c_int) :: code
    end function c_wait
    function c_test(transfer, done) bind(C, name='allport_test') result(code)
      import
      type(c_ptr), intent(inout) :: transfer
      integer(c_int), intent(out) :: done
      integer(c_int) :: code
    end function c_test
    function c_start(prepared, created) bind(C, name='allport_start') result(code)
      import
      type(c_ptr), value :: prepared
      type(c_ptr), intent(inout) :: created
      integer(c_int) :: code
    end function c_start
    function c_persistent_free(prepared) bind(C, name='allport_persistent_free') result(code)
      import
      type(c_ptr), intent(inout) :: prepared
      integer(c_int) :: code
    end function c_persistent_free
    function c_op_create(function, context, element_bytes, op) bind(C, name='allport_op_create') result(code)
      import
      type(c_funptr), value :: function
      type(c_ptr), value :: context
      integer(c_int64_t), value :: element_bytes
      integer(c_int), intent(out) :: op
      integer(c_int) :: code
    end function c_op_create
    function c_barrier(comm, algorithm) bind(C, name='allport_barrier') result(code)
      import
      type(c_ptr), value :: comm, algorithm
      integer(c_int) :: code
    end function c_barrier
    function c_start_barrier(comm, algorithm, created) bind(C, name='allport_start_barrier') result(code)
      import
      type(c_ptr), value :: comm, algorithm
      type(c_ptr), intent(inout) :: created
      integer(c_int) :: code
    end function c_start_barrier
    function c_prepare_barrier(comm, algorithm, created) bind(C, name='allport_prepare_barrier') result(code)
      import
      type(c_ptr), value :: comm, algorithm
      type(c_ptr), intent(inout) :: created
      integer(c_int) :: code
    end function c_prepare_barrier
    function c_bcast(comm, buffer, bytes, root, algorithm) bind(C, name='allport_bcast') result(code)
      import
      type(c_ptr), value :: comm, buffer
      integer(c_int64_t), value :: bytes
      integer(c_int), value :: root
      type(c_ptr), value :: algorithm
      integer(c_int) :: code
    end function c_bcast
    function c_start_bcast(comm, buffer, bytes, root, algorithm, created) bind(C, name='allport_start_bcast') &
         result(code)
      import
      type(c_ptr), value :: comm, buffer
      integer(c_int64_t), value :: bytes
      integer(c_int), value :: root
      type(c_ptr), value :: algorithm
      type(c_ptr), intent(inout) :: created
      integer(c_int) :: code
    end function c_start_bcast
    function c_prepare_bcast(comm, buffer, bytes, root, algorithm, created) bind(C, name='allport_prepare_bcast') &
         result(code)
      import
      type(c_ptr), value :: comm, buffer
      integer(c_int64_t), value :: bytes
      integer(c_int), value :: root
      type(c_ptr), value :: algorithm
      type(c_ptr), intent(inout) :: created
      integer(c_int) :: code
    end function c_prepare_bcast
    function c_reduce(comm, op, type, input, output, count, root, algorithm) bind(C, name='allport_reduce') &
         result(code)
      import
      type(c_ptr), value :: comm
      integer(c_int), value :: op
      integer(c_signed_char), value :: type
      type(c_ptr), value :: input, output
      integer(c_int64_t), value :: count
      integer(c_int), value :: root
      type(c_ptr), value :: algorithm
      integer(c_int) :: code
    end function c_reduce
    function c_start_reduce(comm, op, type, input, output, count, root, algorithm, created) bind(C, &
         name='allport_start_reduce') result(code)
      import
      type(c_ptr), value :: comm
      integer(c_int), value :: op
      integer(c_signed_char), value :: type
      type(c_ptr), value :: input, output
      integer(c_int64_t), value :: count
      integer(c_int), value :: root
      type(c_ptr), value :: algorithm
      type(c_ptr), intent(inout) :: created
      integer(c_int) :: code
    end function c_start_reduce
    function c_prepare_reduce(comm, op, type, input, output, count, root, algorithm, created) bind(C, &
         name='allport_prepare_reduce') result(code)
      import
      type(c_ptr), value :: comm
      integer(c_int), value :: op
      integer(c_signed_char), value :: type
      type(c_ptr), value :: input, output
      integer(c_int64_t), value :: count
      integer(c_int), value :: root
      type(c_ptr), value :: algorithm
      type(c_ptr), intent(inout) :: created
      integer(c_int) :: code
    end function c_prepare_reduce
    function c_allreduce(comm, op, type, input, output, count, algorithm) bind(C, name='allport_allreduce') &
         result(code)
      import
      type(c_ptr), value :: comm
      integer(c_int), value :: op
      integer(c_signed_char), value :: type
      type(c_ptr), value :: input, output
      integer(c_int64_t), value :: count
      type(c_ptr), value :: algorithm
      integer(c_int) :: code
    end function c_allreduce
    function c_start_allreduce(comm, op, type, input, output, count, algorithm, created) bind(C, &
         name='allport_start_allreduce') result(code)
      import
      type(c_ptr), value :: comm
      integer(c_int), value :: op
      integer(c_signed_char), value :: type
      type(c_ptr), value :: input, output
      integer(c_int64_t), value :: count
      type(c_ptr), value :: algorithm
      type(c_ptr), intent(inout) :: created
      integer(c_int) :: code
    end function c_start_allreduce
    function c_prepare_allreduce(comm, op, type, input, output, count, algorithm, created) bind(C, &
         name='allport_prepare_allreduce') result(code)
      import
      type(c_ptr), value :: comm
      integer(c_int), value :: op
      integer(c_signed_char), value :: type
      type(c_ptr), value :: input, output
      integer(c_int64_t), value :: count
      type(c_ptr), value :: algorithm
      type(c_ptr), intent(inout) :: created
      integer(c_int) :: code
    end function c_prepare_allreduce
    function c_scatter(comm, input, output, bytes, root, algorithm) bind(C, name='allport_scatter') result(code)
      import
      type(c_ptr), value :: comm, input, output
      integer(c_int64_t), value :: bytes
      integer(c_int), value :: root
      type(c_ptr), value :: algorithm
      integer(c_int) :: code
    end function c_scatter
    function c_start_scatter(comm, input, output, bytes, root, algorithm, created) bind(C, &
         name='allport_start_scatter') result(code)
      import
      type(c_ptr), value :: comm, input, output
      integer(c_int64_t), value :: bytes
      integer(c_int), value :: root
      type(c_ptr), value :: algorithm
      type(c_ptr), intent(inout) :: created
      integer(c_int) :: code
    end function c_start_scatter
    function c_prepare_scatter(comm, input, output, bytes, root, algorithm, created) bind(C, &
         name='allport_prepare_scatter') result(code)
      import
      type(c_ptr), value :: comm, input, output
      integer(c_int64_t), value :: bytes
      integer(c_int), value :: root
      type(c_ptr), value :: algorithm
      type(c_ptr), intent(inout) :: created
      integer(c_int) :: code
    end function c_prepare_scatter
    function c_gather(comm, input, output, bytes, root, algorithm) bind(C, name='allport_gather') result(code)
      import
      type(c_ptr), value :: comm, input, output
      integer(c_int64_t), value :: bytes
      integer(c_int), value :: root
      type(c_ptr), value :: algorithm
      integer(c_int) :: code
    end function c_gather
    function c_start_gather(comm, input, output, bytes, root, algorithm, created) bind(C, &
         name='allport_start_gather') result(code)
      import
      type(c_ptr), value :: comm, input, output
      integer(c_int64_t), value :: bytes
      integer(c_int), value :: root
      type(c_ptr), value :: algorithm
      type(c_ptr), intent(inout) :: created
      integer(c_int) :: code
    end function c_start_gather
    function c_prepare_gather(comm, input, output, bytes, root, algorithm, created) bind(C, &
         name='allport_prepare_gather') result(code)
      import
      type(c_ptr), value :: comm, input, output
      integer(c_int64_t), value :: bytes
      integer(c_int), value :: root
      type(c_ptr), value :: algorithm
      type(c_ptr), intent(inout) :: created
      integer(c_int) :: code
    end function c_prepare_gather
    function c_allgather(comm, input, output, bytes, algorithm) bind(C, name='allport_allgather') result(code)
      import
      type(c_ptr), value :: comm, input, output
      integer(c_int64_t), value :: bytes
      type(c_ptr), value :: algorithm
      integer(c_int) :: code
    end function c_allgather
    function c_start_allgather(comm, input, output, bytes, algorithm, created) bind(C, &
         name='allport_start_allgather') result(code)
      import
      type(c_ptr), value :: comm, input, output
      integer(c_int64_t), value :: bytes
      type(c_ptr), value :: algorithm
      type(c_ptr), intent(inout) :: created
      integer(c_int) :: code
    end function c_start_allgather
    function c_prepare_allgather(comm, input, output, bytes, algorithm, created) bind(C, &
         name='allport_prepare_allgather') result(code)
      import
      type(c_ptr), value :: comm, input, output
      integer(c_int64_t), value :: bytes
      type(c_ptr), value :: algorithm
      type(c_ptr), intent(inout) :: created
      integer(c_int) :: code
    end function c_prepare_allgather
    function c_reduce_scatter(comm, op, type, input, output, count, algorithm) bind(C, &
         name='allport_reduce_scatter') result(code)
      import
      type(c_ptr), value :: comm
      integer(c_int), value :: op
      integer(c_signed_char), value :: type
      type(c_ptr), value :: input, output
      integer(c_int64_t), value :: count
      type(c_ptr), value :: algorithm
      integer(c_int) :: code
    end function c_reduce_scatter
    function c_start_reduce_scatter(comm, op, type, input, output, count, algorithm, created) bind(C, &
         name='allport_start_reduce_scatter') result(code)
      import
      type(c_ptr), value :: comm
      integer(c_int), value :: op
      integer(c_signed_char), value :: type
      type(c_ptr), value :: input, output
      integer(c_int64_t), value :: count
      type(c_ptr), value :: algorithm
      type(c_ptr), intent(inout) :: created
      integer(c_int) :: code
    end function c_start_reduce_scatter
    function c_prepare_reduce_scatter(comm, op, type, input, output, count, algorithm, created) bind(C, &
         name='allport_prepare_reduce_scatter') result(code)
      import
      type(c_ptr), value :: comm
      integer(c_int), value :: op
      integer(c_signed_char), value :: type
      type(c_ptr), value :: input, output
      integer(c_int64_t), value :: count
      type(c_ptr), value :: algorithm
      type(c_ptr), intent(inout) :: created
      integer(c_int) :: code
    end function c_prepare_reduce_scatter
    function c_alltoall(comm, input, output, bytes, algorithm) bind(C, name='allport_alltoall') result(code)
      import
      type(c_ptr), value :: comm, input, output
      integer(c_int64_t), value :: bytes
      type(c_ptr), value :: algorithm
      integer(c_int) :: code
    end function c_alltoall
    function c_start_alltoall(comm, input, output, bytes, algorithm, created) bind(C, name='allport_start_alltoall') &
         result(code)
      import
      type(c_ptr), value :: comm, input, output
      integer(c_int64_t), value :: bytes
      type(c_ptr), value :: algorithm
      type(c_ptr), intent(inout) :: created
      integer(c_int) :: code
    end function c_start_alltoall
    function c_prepare_alltoall(comm, input, output, bytes, algorithm, created) bind(C, &
         name='allport_prepare_alltoall') result(code)
      import
      type(c_ptr), value :: comm, input, output
      integer(c_int64_t), value :: bytes
      type(c_ptr), value :: algorithm
      type(c_ptr), intent(inout) :: created
      integer(c_int) :: code
    end function c_prepare_alltoall
    function c_scatterv(comm, input, lengths, begins, output, root, algorithm) bind(C, name='allport_scatterv') &
         result(code)
      import
      type(c_ptr), value :: comm, input, lengths, begins, output
      integer(c_int), value :: root
      type(c_ptr), value :: algorithm
      integer(c_int) :: code
    end function c_scatterv
    function c_start_scatterv(comm, input, lengths, begins, output, root, algorithm, created) bind(C, &
         name='allport_start_scatterv') result(code)
      import
      type(c_ptr), value :: comm, input, lengths, begins, output
      integer(c_int), value :: root
      type(c_ptr), value :: algorithm
      type(c_ptr), intent(inout) :: created
      integer(c_int) :: code
    end function c_start_scatterv
    function c_prepare_scatterv(comm, input, lengths, begins, output, root, algorithm, created) bind(C, &
         name='allport_prepare_scatterv') result(code)
      import
      type(c_ptr), value :: comm, input, lengths, begins, output
      integer(c_int), value :: root
      type(c_ptr), value :: algorithm
      type(c_ptr), intent(inout) :: created
      integer(c_int) :: code
    end function c_prepare_scatterv
    function c_gatherv(comm, input, output, lengths, begins, root, algorithm) bind(C, name='allport_gatherv') &
         result(code)
      import
      type(c_ptr), value :: comm, input, output, lengths, begins
      integer(c_int), value :: root
      type(c_ptr), value :: algorithm
      integer(c_int) :: code
    end function c_gatherv
    function c_start_gatherv(comm, input, output, lengths, begins, root, algorithm, created) bind(C, &
         name='allport_start_gatherv') result(code)
      import
      type(c_ptr), value :: comm, input, output, lengths, begins
      integer(c_int), value :: root
      type(c_ptr), value :: algorithm
      type(c_ptr), intent(inout) :: created
      integer(c_int) :: code
    end function c_start_gatherv
    function c_prepare_gatherv(comm, input, output, lengths, begins, root, algorithm, created) bind(C, &
         name='allport_prepare_gatherv') result(code)
      import
      type(c_ptr), value :: comm, input, output, lengths, begins
      integer(c_int), value :: root
      type(c_ptr), value :: algorithm
      type(c_ptr), intent(inout) :: created
      integer(c_int) :: code
    end function c_prepare_gatherv
    function c_allgatherv(comm, input, output, lengths, begins, algorithm) bind(C, name='allport_allgatherv') &
         result(code)
      import
      type(c_ptr), value :: comm, input, output, lengths, begins, algorithm
      integer(c_int) :: code
    end function c_allgatherv
    function c_start_allgatherv(comm, input, output, lengths, begins, algorithm, created) bind(C, &
         name='allport_start_allgatherv') result(code)
      import
      type(c_ptr), value :: comm, input, output, lengths, begins, algorithm
      type(c_ptr), intent(inout) :: created
      integer(c_int) :: code
    end function c_start_allgatherv
    function c_prepare_allgatherv(comm, input, output, lengths, begins, algorithm, created) bind(C, &
         name='allport_prepare_allgatherv') result(code)
      import
      type(c_ptr), value :: comm, input, output, lengths, begins, algorithm
      type(c_ptr), intent(inout) :: created
      integer(c_int) :: code
    end function c_prepare_allgatherv
    function c_reduce_scatterv(comm, op, type, input, counts, output, algorithm) bind(C, &
         name='allport_reduce_scatterv') result(code)
      import
      type(c_ptr), value :: comm
      integer(c_int), value :: op
      integer(c_signed_char), value :: type
      type(c_ptr), value :: input, counts, output, algorithm
      integer(c_int) :: code
    end function c_reduce_scatterv
    function c_start_reduce_scatterv(comm, op, type, input, counts, output, algorithm, created) bind(C, &
         name='allport_start_reduce_scatterv') result(code)
      import
      type(c_ptr), value :: comm
      integer(c_int), value :: op
      integer(c_signed_char), value :: type
      type(c_ptr), value :: input, counts, output, algorithm
      type(c_ptr), intent(inout) :: created
      integer(c_int) :: code
    end function c_start_reduce_scatterv
    function c_prepare_reduce_scatterv(comm, op, type, input, counts, output, algorithm, created) bind(C, &
         name='allport_prepare_reduce_scatterv') result(code)
      import
      type(c_ptr), value :: comm
      integer(c_int), value :: op
      integer(c_signed_char), value :: type
      type(c_ptr), value :: input, counts, output, algorithm
      type(c_ptr), intent(inout) :: created
      integer(c_int) :: code
    end function c_prepare_reduce_scatterv
    function c_alltoallv(comm, input, lengths, begins, output, received, received_begins, algorithm) bind(C, &
         name='allport_alltoallv') result(code)
      import
      type(c_ptr), value :: comm, input, lengths, begins, output, received, received_begins, algorithm
      integer(c_int) :: code
    end function c_alltoallv
    function c_start_alltoallv(comm, input, lengths, begins, output, received, received_begins, algorithm, created) &
         bind(C, name='allport_start_alltoallv') result(code)
      import
      type(c_ptr), value :: comm, input, lengths, begins, output, received, received_begins, algorithm
      type(c_ptr), intent(inout) :: created
      integer(c_int) :: code
    end function c_start_alltoallv
    function c_prepare_alltoallv(comm, input, lengths, begins, output, received, received_begins, algorithm, &
         created) bind(C, name='allport_prepare_alltoallv') result(code)
      import
      type(c_ptr), value :: comm, input, lengths, begins, output, received, received_begins, algorithm
      type(c_ptr), intent(inout) :: created
      integer(c_int) :: code
    end function c_prepare_alltoallv
    function c_comm_create_fortran(comm, machine, created) bind(C, name='allport_comm_create_fortran') result(code)
      import
      integer(c_int), value :: comm
      type(c_ptr), value :: machine
      type(c_ptr), intent(inout) :: created
      integer(c_int) :: code
    end function c_comm_create_fortran
    function c_comm_free(comm) bind(C, name='allport_comm_free') result(code)
      import
      type(c_ptr), intent(inout) :: comm
      integer(c_int) :: code
    end function c_comm_free
    function c_reduce_sum(comm, type, input, output, count, root, algorithm) bind(C, name='allport_reduce_sum') &
         result(code)
      import
      type(c_ptr), value :: comm
      integer(c_signed_char), value :: type
      type(c_ptr), value :: input, output
      integer(c_int64_t), value :: count
      integer(c_int), value :: root
      type(c_ptr), value :: algorithm
      integer(c_int) :: code
    end function c_reduce_sum
    function c_comm_rank(comm, rank, size) bind(C, name='allport_comm_rank') result(code)
      import
      type(c_ptr), value :: comm
      integer(c_int), intent(out) :: rank, size
      integer(c_int) :: code
    end function c_comm_rank
    function c_distribution_cyclic(rows, cols, row_block, col_block, grid_rows, grid_cols, first_row, first_col, &
         order, created) bind(C, name='allport_distribution_cyclic') result(code)
      import
      integer(c_int64_t), value :: rows, cols, row_block, col_block
      integer(c_int), value :: grid_rows, grid_cols, first_row, first_col
      integer(c_signed_char), value :: order
      type(c_ptr), intent(inout) :: created
      integer(c_int) :: code
    end function c_distribution_cyclic
    function c_distribution_local(distribution, rank, rows, cols) bind(C, name='allport_distribution_local') &
         result(code)
      import
      type(c_ptr), value :: distribution
      integer(c_int), value :: rank
      integer(c_int64_t), intent(out) :: rows, cols
      integer(c_int) :: code
    end function c_distribution_local
    function c_distribution_free(distribution) bind(C, name='allport_distribution_free') result(code)
      import
      type(c_ptr), intent(inout) :: distribution
      integer(c_int) :: code
    end function c_distribution_free
    function c_gemm_distribution(comm, type, trans_a, trans_b, m, n, k, options, which, created) bind(C, &
         name='allport_gemm_distribution') result(code)
      import
      type(c_ptr), value :: comm
      integer(c_signed_char), value :: type, trans_a, trans_b
      integer(c_int64_t), value :: m, n, k
      type(c_ptr), value :: options
      integer(c_signed_char), value :: which
      type(c_ptr), intent(inout) :: created
      integer(c_int) :: code
    end function c_gemm_distribution
    function c_sgemm(comm, trans_a, trans_b, m, n, k, alpha, a, lda, a_distribution, b, ldb, b_distribution, beta, &
         c, ldc, c_distribution, options) bind(C, name='allport_sgemm') result(code)
      import
      type(c_ptr), value :: comm
      integer(c_signed_char), value :: trans_a, trans_b
      integer(c_int64_t), value :: m, n, k
      type(c_ptr), value :: alpha, a
      integer(c_int64_t), value :: lda
      type(c_ptr), value :: a_distribution, b
      integer(c_int64_t), value :: ldb
      type(c_ptr), value :: b_distribution, beta, c
      integer(c_int64_t), value :: ldc
      type(c_ptr), value :: c_distribution, options
      integer(c_int) :: code
    end function c_sgemm
    function c_dgemm(comm, trans_a, trans_b, m, n, k, alpha, a, lda, a_distribution, b, ldb, b_distribution, beta, &
         c, ldc, c_distribution, options) bind(C, name='allport_dgemm') result(code)
      import
      type(c_ptr), value :: comm
      integer(c_signed_char), value :: trans_a, trans_b
      integer(c_int64_t), value :: m, n, k
      type(c_ptr), value :: alpha, a
      integer(c_int64_t), value :: lda
      type(c_ptr), value :: a_distribution, b
      integer(c_int64_t), value :: ldb
      type(c_ptr), value :: b_distribution, beta, c
      integer(c_int64_t), value :: ldc
      type(c_ptr), value :: c_distribution, options
      integer(c_int) :: code
    end function c_dgemm
    function c_cgemm(comm, trans_a, trans_b, m, n, k, alpha, a, lda, a_distribution, b, ldb, b_distribution, beta, &
         c, ldc, c_distribution, options) bind(C, name='allport_cgemm') result(code)
      import
      type(c_ptr), value :: comm
      integer(c_signed_char), value :: trans_a, trans_b
      integer(c_int64_t), value :: m, n, k
      type(c_ptr), value :: alpha, a
      integer(c_int64_t), value :: lda
      type(c_ptr), value :: a_distribution, b
      integer(c_int64_t), value :: ldb
      type(c_ptr), value :: b_distribution, beta, c
      integer(c_int64_t), value :: ldc
      type(c_ptr), value :: c_distribution, options
      integer(c_int) :: code
    end function c_cgemm
    function c_zgemm(comm, trans_a, trans_b, m, n, k, alpha, a, lda, a_distribution, b, ldb, b_distribution, beta, &
         c, ldc, c_distribution, options) bind(C, name='allport_zgemm') result(code)
      import
      type(c_ptr), value :: comm
      integer(c_signed_char), value :: trans_a, trans_b
      integer(c_int64_t), value :: m, n, k
      type(c_ptr), value :: alpha, a
      integer(c_int64_t), value :: lda
      type(c_ptr), value :: a_distribution, b
      integer(c_int64_t), value :: ldb
      type(c_ptr), value :: b_distribution, beta, c
      integer(c_int64_t), value :: ldc
      type(c_ptr), value :: c_distribution, options
      integer(c_int) :: code
    end function c_zgemm
    function c_gemm_report(comm) bind(C, name='allport_gemm_report') result(text)
      import
      type(c_ptr), value :: comm
      type(c_ptr) :: text
    end function c_gemm_report
    function c_spotrf(comm, uplo, a, lda, a_distribution, info, options) bind(C, name='allport_spotrf') result(code)
      import
      type(c_ptr), value :: comm
      integer(c_signed_char), value :: uplo
      type(c_ptr), value :: a
      integer(c_int64_t), value :: lda
      type(c_ptr), value :: a_distribution
      integer(c_int64_t), intent(out) :: info
      type(c_ptr), value :: options
      integer(c_int) :: code
    end function c_spotrf
    function c_dpotrf(comm, uplo, a, lda, a_distribution, info, options) bind(C, name='allport_dpotrf') result(code)
      import
      type(c_ptr), value :: comm
      integer(c_signed_char), value :: uplo
      type(c_ptr), value :: a
      integer(c_int64_t), value :: lda
      type(c_ptr), value :: a_distribution
      integer(c_int64_t), intent(out) :: info
      type(c_ptr), value :: options
      integer(c_int) :: code
    end function c_dpotrf
    function c_cpotrf(comm, uplo, a, lda, a_distribution, info, options) bind(C, name='allport_cpotrf') result(code)
      import
      type(c_ptr), value :: comm
      integer(c_signed_char), value :: uplo
      type(c_ptr), value :: a
      integer(c_int64_t), value :: lda
      type(c_ptr), value :: a_distribution
      integer(c_int64_t), intent(out) :: info
      type(c_ptr), value :: options
      integer(c_int) :: code
    end function c_cpotrf
    function c_zpotrf(comm, uplo, a, lda, a_distribution, info, options) bind(C, name='allport_zpotrf') result(code)
      import
      type(c_ptr), value :: comm
      integer(c_signed_char), value :: uplo
      type(c_ptr), value :: a
      integer(c_int64_t), value :: lda
      type(c_ptr), value :: a_distribution
      integer(c_int64_t), intent(out) :: info
      type(c_ptr), value :: options
      integer(c_int) :: code
    end function c_zpotrf
    function c_spotrs(comm, uplo, a, lda, a_distribution, b, ldb, b_distribution, options) bind(C, &
         name='allport_spotrs') result(code)
      import
      type(c_ptr), value :: comm
      integer(c_signed_char), value :: uplo
      type(c_ptr), value :: a
      integer(c_int64_t), value :: lda
      type(c_ptr), value :: a_distribution, b
      integer(c_int64_t), value :: ldb
      type(c_ptr), value :: b_distribution, options
      integer(c_int) :: code
    end function c_spotrs
    function c_dpotrs(comm, uplo, a, lda, a_distribution, b, ldb, b_distribution, options) bind(C, &
         name='allport_dpotrs') result(code)
      import
      type(c_ptr), value :: comm
      integer(c_signed_char), value :: uplo
      type(c_ptr), value :: a
      integer(c_int64_t), value :: lda
      type(c_ptr), value :: a_distribution, b
      integer(c_int64_t), value :: ldb
      type(c_ptr), value :: b_distribution, options
      integer(c_int) :: code
    end function c_dpotrs
    function c_cpotrs(comm, uplo, a, lda, a_distribution, b, ldb, b_distribution, options) bind(C, &
         name='allport_cpotrs') result(code)
      import
      type(c_ptr), value :: comm
      integer(c_signed_char), value :: uplo
      type(c_ptr), value :: a
      integer(c_int64_t), value :: lda
      type(c_ptr), value :: a_distribution, b
      integer(c_int64_t), value :: ldb
      type(c_ptr), value :: b_distribution, options
      integer(c_int) :: code
    end function c_cpotrs
    function c_zpotrs(comm, uplo, a, lda, a_distribution, b, ldb, b_distribution, options) bind(C, &
         name='allport_zpotrs') result(code)
      import
      type(c_ptr), value :: comm
      integer(c_signed_char), value :: uplo
      type(c_ptr), value :: a
      integer(c_int64_t), value :: lda
      type(c_ptr), value :: a_distribution, b
      integer(c_int64_t), value :: ldb
      type(c_ptr), value :: b_distribution, options
      integer(c_int) :: code
    end function c_zpotrs
    function c_sposv(comm, uplo, a, lda, a_distribution, b, ldb, b_distribution, info, options) bind(C, &
         name='allport_sposv') result(code)
      import
      type(c_ptr), value :: comm
      integer(c_signed_char), value :: uplo
      type(c_ptr), value :: a
      integer(c_int64_t), value :: lda
      type(c_ptr), value :: a_distribution, b
      integer(c_int64_t), value :: ldb
      type(c_ptr), value :: b_distribution
      integer(c_int64_t), intent(out) :: info
      type(c_ptr), value :: options
      integer(c_int) :: code
    end function c_sposv
    function c_dposv(comm, uplo, a, lda, a_distribution, b, ldb, b_distribution, info, options) bind(C, &
         name='allport_dposv') result(code)
      import
      type(c_ptr), value :: comm
      integer(c_signed_char), value :: uplo
      type(c_ptr), value :: a
      integer(c_int64_t), value :: lda
      type(c_ptr), value :: a_distribution, b
      integer(c_int64_t), value :: ldb
      type(c_ptr), value :: b_distribution
      integer(c_int64_t), intent(out) :: info
      type(c_ptr), value :: options
      integer(c_int) :: code
    end function c_dposv
    function c_cposv(comm, uplo, a, lda, a_distribution, b, ldb, b_distribution, info, options) bind(C, &
         name='allport_cposv') result(code)
      import
      type(c_ptr), value :: comm
      integer(c_signed_char), value :: uplo
      type(c_ptr), value :: a
      integer(c_int64_t), value :: lda
      type(c_ptr), value :: a_distribution, b
      integer(c_int64_t), value :: ldb
      type(c_ptr), value :: b_distribution
      integer(c_int64_t), intent(out) :: info
      type(c_ptr), value :: options
      integer(c_int) :: code
    end function c_cposv
    function c_zposv(comm, uplo, a, lda, a_distribution, b, ldb, b_distribution, info, options) bind(C, &
         name='allport_zposv') result(code)
      import
      type(c_ptr), value :: comm
      integer(c_signed_char), value :: uplo
      type(c_ptr), value :: a
      integer(c_int64_t), value :: lda
      type(c_ptr), value :: a_distribution, b
      integer(c_int64_t), value :: ldb
      type(c_ptr), value :: b_distribution
      integer(c_int64_t), intent(out) :: info
      type(c_ptr), value :: options
      integer(c_int) :: code
    end function c_zposv
    function c_sgetrf(comm, a, lda, a_distribution, pivots, info, options) bind(C, name='allport_sgetrf') &
         result(code)
      import
      type(c_ptr), value :: comm, a
      integer(c_int64_t), value :: lda
      type(c_ptr), value :: a_distribution, pivots
      integer(c_int64_t), intent(out) :: info
      type(c_ptr), value :: options
      integer(c_int) :: code
    end function c_sgetrf
    function c_dgetrf(comm, a, lda, a_distribution, pivots, info, options) bind(C, name='allport_dgetrf') &
         result(code)
      import
      type(c_ptr), value :: comm, a
      integer(c_int64_t), value :: lda
      type(c_ptr), value :: a_distribution, pivots
      integer(c_int64_t), intent(out) :: info
      type(c_ptr), value :: options
      integer(c_int) :: code
    end function c_dgetrf
    function c_cgetrf(comm, a, lda, a_distribution, pivots, info, options) bind(C, name='allport_cgetrf') &
         result(code)
      import
      type(c_ptr), value :: comm, a
      integer(c_int64_t), value :: lda
      type(c_ptr), value :: a_distribution, pivots
      integer(c_int64_t), intent(out) :: info
      type(c_ptr), value :: options
      integer(c_int) :: code
    end function c_cgetrf
    function c_zgetrf(comm, a, lda, a_distribution, pivots, info, options) bind(C, name='allport_zgetrf') &
         result(code)
      import
      type(c_ptr), value :: comm, a
      integer(c_int64_t), value :: lda
      type(c_ptr), value :: a_distribution, pivots
      integer(c_int64_t), intent(out) :: info
      type(c_ptr), value :: options
      integer(c_int) :: code
    end function c_zgetrf
    function c_sgetrs(comm, trans, a, lda, a_distribution, pivots, b, ldb, b_distribution) bind(C, &
         name='allport_sgetrs') result(code)
      import
      type(c_ptr), value :: comm
      integer(c_signed_char), value :: trans
      type(c_ptr), value :: a
      integer(c_int64_t), value :: lda
      type(c_ptr), value :: a_distribution, pivots, b
      integer(c_int64_t), value :: ldb
      type(c_ptr), value :: b_distribution
      integer(c_int) :: code
    end function c_sgetrs
    function c_dgetrs(comm, trans, a, lda, a_distribution, pivots, b, ldb, b_distribution) bind(C, &
         name='allport_dgetrs') result(code)
      import
      type(c_ptr), value :: comm
      integer(c_signed_char), value :: trans
      type(c_ptr), value :: a
      integer(c_int64_t), value :: lda
      type(c_ptr), value :: a_distribution, pivots, b
      integer(c_int64_t), value :: ldb
      type(c_ptr), value :: b_distribution
      integer(c_int) :: code
    end function c_dgetrs
    function c_cgetrs(comm, trans, a, lda, a_distribution, pivots, b, ldb, b_distribution) bind(C, &
         name='allport_cgetrs') result(code)
      import
      type(c_ptr), value :: comm
      integer(c_signed_char), value :: trans
      type(c_ptr), value :: a
      integer(c_int64_t), value :: lda
      type(c_ptr), value :: a_distribution, pivots, b
      integer(c_int64_t), value :: ldb
      type(c_ptr), value :: b_distribution
      integer(c_int) :: code
    end function c_cgetrs
    function c_zgetrs(comm, trans, a, lda, a_distribution, pivots, b, ldb, b_distribution) bind(C, &
         name='allport_zgetrs') result(code)
      import
      type(c_ptr), value :: comm
      integer(c_signed_char), value :: trans
      type(c_ptr), value :: a
      integer(c_int64_t), value :: lda
      type(c_ptr), value :: a_distribution, pivots, b
      integer(c_int64_t), value :: ldb
      type(c_ptr), value :: b_distribution
      integer(c_int) :: code
    end function c_zgetrs
    function c_sgesv(comm, a, lda, a_distribution, pivots, b, ldb, b_distribution, info, options) bind(C, &
         name='allport_sgesv') result(code)
      import
      type(c_ptr), value :: comm, a
      integer(c_int64_t), value :: lda
      type(c_ptr), value :: a_distribution, pivots, b
      integer(c_int64_t), value :: ldb
      type(c_ptr), value :: b_distribution
      integer(c_int64_t), intent(out) :: info
      type(c_ptr), value :: options
      integer(c_int) :: code
    end function c_sgesv
    function c_dgesv(comm, a, lda, a_distribution, pivots, b, ldb, b_distribution, info, options) bind(C, &
         name='allport_dgesv') result(code)
      import
      type(c_ptr), value :: comm, a
      integer(c_int64_t), value :: lda
      type(c_ptr), value :: a_distribution, pivots, b
      integer(c_int64_t), value :: ldb
      type(c_ptr), value :: b_distribution
      integer(c_int64_t), intent(out) :: info
      type(c_ptr), value :: options
      integer(c_int) :: code
    end function c_dgesv
    function c_cgesv(comm, a, lda, a_distribution, pivots, b, ldb, b_distribution, info, options) bind(C, &
         name='allport_cgesv') result(code)
      import
      type(c_ptr), value :: comm, a
      integer(c_int64_t), value :: lda
      type(c_ptr), value :: a_distribution, pivots, b
      integer(c_int64_t), value :: ldb
      type(c_ptr), value :: b_distribution
      integer(c_int64_t), intent(out) :: info
      type(c_ptr), value :: options
      integer(c_int) :: code
    end function c_cgesv
    function c_zgesv(comm, a, lda, a_distribution, pivots, b, ldb, b_distribution, info, options) bind(C, &
         name='allport_zgesv') result(code)
      import
      type(c_ptr), value :: comm, a
      integer(c_int64_t), value :: lda
      type(c_ptr), value :: a_distribution, pivots, b
      integer(c_int64_t), value :: ldb
      type(c_ptr), value :: b_distribution
      integer(c_int64_t), intent(out) :: info
      type(c_ptr), value :: options
      integer(c_int) :: code
    end function c_zgesv
    function c_sgeqrf(comm, a, lda, a_distribution, tau, options) bind(C, name='allport_sgeqrf') result(code)
      import
      type(c_ptr), value :: comm, a
      integer(c_int64_t), value :: lda
      type(c_ptr), value :: a_distribution, tau, options
      integer(c_int) :: code
    end function c_sgeqrf
    function c_dgeqrf(comm, a, lda, a_distribution, tau, options) bind(C, name='allport_dgeqrf') result(code)
      import
      type(c_ptr), value :: comm, a
      integer(c_int64_t), value :: lda
      type(c_ptr), value :: a_distribution, tau, options
      integer(c_int) :: code
    end function c_dgeqrf
    function c_cgeqrf(comm, a, lda, a_distribution, tau, options) bind(C, name='allport_cgeqrf') result(code)
      import
      type(c_ptr), value :: comm, a
      integer(c_int64_t), value :: lda
      type(c_ptr), value :: a_distribution, tau, options
      integer(c_int) :: code
    end function c_cgeqrf
    function c_zgeqrf(comm, a, lda, a_distribution, tau, options) bind(C, name='allport_zgeqrf') result(code)
      import
      type(c_ptr), value :: comm, a
      integer(c_int64_t), value :: lda
      type(c_ptr), value :: a_distribution, tau, options
      integer(c_int) :: code
    end function c_zgeqrf
    function c_sormqr(comm, side, trans, a, lda, a_distribution, tau, c, ldc, c_distribution) bind(C, &
         name='allport_sormqr') result(code)
      import
      type(c_ptr), value :: comm
      integer(c_signed_char), value :: side, trans
      type(c_ptr), value :: a
      integer(c_int64_t), value :: lda
      type(c_ptr), value :: a_distribution, tau, c
      integer(c_int64_t), value :: ldc
      type(c_ptr), value :: c_distribution
      integer(c_int) :: code
    end function c_sormqr
    function c_dormqr(comm, side, trans, a, lda, a_distribution, tau, c, ldc, c_distribution) bind(C, &
         name='allport_dormqr') result(code)
      import
      type(c_ptr), value :: comm
      integer(c_signed_char), value :: side, trans
      type(c_ptr), value :: a
      integer(c_int64_t), value :: lda
      type(c_ptr), value :: a_distribution, tau, c
      integer(c_int64_t), value :: ldc
      type(c_ptr), value :: c_distribution
      integer(c_int) :: code
    end function c_dormqr
    function c_cunmqr(comm, side, trans, a, lda, a_distribution, tau, c, ldc, c_distribution) bind(C, &
         name='allport_cunmqr') result(code)
      import
      type(c_ptr), value :: comm
      integer(c_signed_char), value :: side, trans
      type(c_ptr), value :: a
      integer(c_int64_t), value :: lda
      type(c_ptr), value :: a_distribution, tau, c
      integer(c_int64_t), value :: ldc
      type(c_ptr), value :: c_distribution
      integer(c_int) :: code
    end function c_cunmqr
    function c_zunmqr(comm, side, trans, a, lda, a_distribution, tau, c, ldc, c_distribution) bind(C, &
         name='allport_zunmqr') result(code)
      import
      type(c_ptr), value :: comm
      integer(c_signed_char), value :: side, trans
      type(c_ptr), value :: a
      integer(c_int64_t), value :: lda
      type(c_ptr), value :: a_distribution, tau, c
      integer(c_int64_t), value :: ldc
      type(c_ptr), value :: c_distribution
      integer(c_int) :: code
    end function c_zunmqr
    function c_sorgqr(comm, a, lda, a_distribution, tau, q, ldq, q_distribution) bind(C, name='allport_sorgqr') &
         result(code)
      import
      type(c_ptr), value :: comm, a
      integer(c_int64_t), value :: lda
      type(c_ptr), value :: a_distribution, tau, q
      integer(c_int64_t), value :: ldq
      type(c_ptr), value :: q_distribution
      integer(c_int) :: code
    end function c_sorgqr
    function c_dorgqr(comm, a, lda, a_distribution, tau, q, ldq, q_distribution) bind(C, name='allport_dorgqr') &
         result(code)
      import
      type(c_ptr), value :: comm, a
      integer(c_int64_t), value :: lda
      type(c_ptr), value :: a_distribution, tau, q
      integer(c_int64_t), value :: ldq
      type(c_ptr), value :: q_distribution
      integer(c_int) :: code
    end function c_dorgqr
    function c_cungqr(comm, a, lda, a_distribution, tau, q, ldq, q_distribution) bind(C, name='allport_cungqr') &
         result(code)
      import
      type(c_ptr), value :: comm, a
      integer(c_int64_t), value :: lda
      type(c_ptr), value :: a_distribution, tau, q
      integer(c_int64_t), value :: ldq
      type(c_ptr), value :: q_distribution
      integer(c_int) :: code
    end function c_cungqr
    function c_zungqr(comm, a, lda, a_distribution, tau, q, ldq, q_distribution) bind(C, name='allport_zungqr') &
         result(code)
      import
      type(c_ptr), value :: comm, a
      integer(c_int64_t), value :: lda
      type(c_ptr), value :: a_distribution, tau, q
      integer(c_int64_t), value :: ldq
      type(c_ptr), value :: q_distribution
      integer(c_int) :: code
    end function c_zungqr
    function c_sgels(comm, a, lda, a_distribution, b, ldb, b_distribution, x, ldx, x_distribution, info, options) &
         bind(C, name='allport_sgels') result(code)
      import
      type(c_ptr), value :: comm, a
      integer(c_int64_t), value :: lda
      type(c_ptr), value :: a_distribution, b
      integer(c_int64_t), value :: ldb
      type(c_ptr), value :: b_distribution, x
      integer(c_int64_t), value :: ldx
      type(c_ptr), value :: x_distribution
      integer(c_int64_t), intent(out) :: info
      type(c_ptr), value :: options
      integer(c_int) :: code
    end function c_sgels
    function c_dgels(comm, a, lda, a_distribution, b, ldb, b_distribution, x, ldx, x_distribution, info, options) &
         bind(C, name='allport_dgels') result(code)
      import
      type(c_ptr), value :: comm, a
      integer(c_int64_t), value :: lda
      type(c_ptr), value :: a_distribution, b
      integer(c_int64_t), value :: ldb
      type(c_ptr), value :: b_distribution, x
      integer(c_int64_t), value :: ldx
      type(c_ptr), value :: x_distribution
      integer(c_int64_t), intent(out) :: info
      type(c_ptr), value :: options
      integer(c_int) :: code
    end function c_dgels
    function c_cgels(comm, a, lda, a_distribution, b, ldb, b_distribution, x, ldx, x_distribution, info, options) &
         bind(C, name='allport_cgels') result(code)
      import
      type(c_ptr), value :: comm, a
      integer(c_int64_t), value :: lda
      type(c_ptr), value :: a_distribution, b
      integer(c_int64_t), value :: ldb
      type(c_ptr), value :: b_distribution, x
      integer(c_int64_t), value :: ldx
      type(c_ptr), value :: x_distribution
      integer(c_int64_t), intent(out) :: info
      type(c_ptr), value :: options
      integer(c_int) :: code
    end function c_cgels
    function c_zgels(comm, a, lda, a_distribution, b, ldb, b_distribution, x, ldx, x_distribution, info, options) &
         bind(C, name='allport_zgels') result(code)
      import
      type(c_ptr), value :: comm, a
      integer(c_int64_t), value :: lda
      type(c_ptr), value :: a_distribution, b
      integer(c_int64_t), value :: ldb
      type(c_ptr), value :: b_distribution, x
      integer(c_int64_t), value :: ldx
      type(c_ptr), value :: x_distribution
      integer(c_int64_t), intent(out) :: info
      type(c_ptr), value :: options
      integer(c_int) :: code
    end function c_zgels
    function c_team_create(threads, created) bind(C, name='allport_team_create') result(code)
      import
      integer(c_int), value :: threads
      type(c_ptr), intent(inout) :: created
      integer(c_int) :: code
    end function c_team_create
    function c_team_size(team, threads) bind(C, name='allport_team_size') result(code)
      import
      type(c_ptr), value :: team
      integer(c_int), intent(out) :: threads
      integer(c_int) :: code
    end function c_team_size
    function c_team_free(team) bind(C, name='allport_team_free') result(code)
      import
      type(c_ptr), intent(inout) :: team
      integer(c_int) :: code
    end function c_team_free
    function c_parallel_for(team, begin, end, body, context, options) bind(C, name='allport_parallel_for') &
         result(code)
      import
      type(c_ptr), value :: team
      integer(c_int64_t), value :: begin, end
      type(c_funptr), value :: body
      type(c_ptr), value :: context, options
      integer(c_int) :: code
    end function c_parallel_for
    function c_map_ranks(machine, ranks, messages, from, to, bytes, order, places, seconds) bind(C, &
         name='allport_map_ranks') result(code)
      import
      type(c_ptr), value :: machine
      integer(c_int), value :: ranks
      integer(c_int64_t), value :: messages
      type(c_ptr), value :: from, to, bytes, order, places
      real(c_double), intent(out) :: seconds
      integer(c_int) :: code
    end function c_map_ranks
    function c_graph_create(ranks, context, created) bind(C, name='allport_graph_create') result(code)
      import
      integer(c_int), value :: ranks
      type(c_ptr), value :: context
      type(c_ptr), intent(inout) :: created
      integer(c_int) :: code
    end function c_graph_create
    function c_graph_free(graph) bind(C, name='allport_graph_free') result(code)
      import
      type(c_ptr), intent(inout) :: graph
      integer(c_int) :: code
    end function c_graph_free
    function c_graph_set_entries(graph, function) bind(C, name='allport_graph_set_entries') result(code)
      import
      type(c_ptr), value :: graph
      type(c_funptr), value :: function
      integer(c_int) :: code
    end function c_graph_set_entries
    function c_graph_set_exits(graph, function) bind(C, name='allport_graph_set_exits') result(code)
      import
      type(c_ptr), value :: graph
      type(c_funptr), value :: function
      integer(c_int) :: code
    end function c_graph_set_exits
    function c_graph_set_count(graph, function) bind(C, name='allport_graph_set_count') result(code)
      import
      type(c_ptr), value :: graph
      type(c_funptr), value :: function
      integer(c_int) :: code
    end function c_graph_set_count
    function c_graph_set_owner(graph, function) bind(C, name='allport_graph_set_owner') result(code)
      import
      type(c_ptr), value :: graph
      type(c_funptr), value :: function
      integer(c_int) :: code
    end function c_graph_set_owner
    function c_graph_set_parents(graph, function) bind(C, name='allport_graph_set_parents') result(code)
      import
      type(c_ptr), value :: graph
      type(c_funptr), value :: function
      integer(c_int) :: code
    end function c_graph_set_parents
    function c_graph_set_children(graph, function) bind(C, name='allport_graph_set_children') result(code)
      import
      type(c_ptr), value :: graph
      type(c_funptr), value :: function
      integer(c_int) :: code
    end function c_graph_set_children
    function c_graph_set_contributors(graph, function) bind(C, name='allport_graph_set_contributors') result(code)
      import
      type(c_ptr), value :: graph
      type(c_funptr), value :: function
      integer(c_int) :: code
    end function c_graph_set_contributors
    function c_graph_set_output(graph, function) bind(C, name='allport_graph_set_output') result(code)
      import
      type(c_ptr), value :: graph
      type(c_funptr), value :: function
      integer(c_int) :: code
    end function c_graph_set_output
    function c_graph_set_priority(graph, function) bind(C, name='allport_graph_set_priority') result(code)
      import
      type(c_ptr), value :: graph
      type(c_funptr), value :: function
      integer(c_int) :: code
    end function c_graph_set_priority
    function c_graph_set_flops(graph, function) bind(C, name='allport_graph_set_flops') result(code)
      import
      type(c_ptr), value :: graph
      type(c_funptr), value :: function
      integer(c_int) :: code
    end function c_graph_set_flops
    function c_graph_set_body(graph, function) bind(C, name='allport_graph_set_body') result(code)
      import
      type(c_ptr), value :: graph
      type(c_funptr), value :: function
      integer(c_int) :: code
    end function c_graph_set_body
    function c_visit_task(visitor, task) bind(C, name='allport_visit_task') result(code)
      import
      type(c_ptr), value :: visitor
      type(allport_task), intent(in) :: task
      integer(c_int) :: code
    end function c_visit_task
    function c_visit_edge(visitor, edge) bind(C, name='allport_visit_edge') result(code)
      import
      type(c_ptr), value :: visitor
      type(allport_edge), intent(in) :: edge
      integer(c_int) :: code
    end function c_visit_edge
    function c_body_input(body, index, data, bytes) bind(C, name='allport_body_input') result(code)
      import
      type(c_ptr), value :: body
      integer(c_int), value :: index
      type(c_ptr), intent(out) :: data
      integer(c_int64_t), intent(out) :: bytes
      integer(c_int) :: code
    end function c_body_input
    function c_body_output(body, index, data, bytes) bind(C, name='allport_body_output') result(code)
      import
      type(c_ptr), value :: body
      integer(c_int), value :: index
      type(c_ptr), intent(out) :: data
      integer(c_int64_t), intent(out) :: bytes
      integer(c_int) :: code
    end function c_body_output
    function c_body_progress(body) bind(C, name='allport_body_progress') result(code)
      import
      type(c_ptr), value :: body
      integer(c_int) :: code
    end function c_body_progress
    function c_graph_check(graph) bind(C, name='allport_graph_check') result(code)
      import
      type(c_ptr), value :: graph
      integer(c_int) :: code
    end function c_graph_check
    function c_graph_simulate(graph, machine, workers, seconds) bind(C, name='allport_graph_simulate') result(code)
      import
      type(c_ptr), value :: graph, machine
      integer(c_int), value :: workers
      real(c_double), intent(out) :: seconds
      integer(c_int) :: code
    end function c_graph_simulate
    function c_graph_run(comm, graph, op, type, tasks, options) bind(C, name='allport_graph_run') result(code)
      import
      type(c_ptr), value :: comm, graph
      integer(c_int), value :: op
      integer(c_signed_char), value :: type
      integer(c_int64_t), intent(out) :: tasks
      type(c_ptr), value :: options
      integer(c_int) :: code
    end function c_graph_run
    function c_strlen(text) bind(C, name='strlen') result(length)
      import
      type(c_ptr), value :: text
      integer(c_size_t) :: length
    end function c_strlen
  end interface

contains

  ! The last error of the calling thread: argument, value, remedy. Valid until the thread's next call.
  function allport_error() result(text)
    character(len=:), allocatable :: text
    text = text_of(c_error())
  end function allport_error

  function allport_version() result(text)
    character(len=:), allocatable :: text
    text = text_of(c_version())
  end function allport_version

  ! Waits until the transfer is done, frees it and sets it to NULL; at once where it is NULL. After an error, too.
  integer function allport_wait(transfer) result(code)
    type(allport_transfer), intent(inout) :: transfer
    code = c_wait(transfer%handle)
  end function allport_wait

  ! Moves things along. done: 1 when the transfer is done, which is freed then and set to NULL; else 0.
  integer function allport_test(transfer, done) result(code)
    type(allport_transfer), intent(inout) :: transfer
    integer(c_int), intent(out) :: done
    code = c_test(transfer%handle, done)
  end function allport_test

  ! One start at a time: the transfer before must be done.
  integer function allport_start(prepared, created) result(code)
    type(allport_persistent), intent(in) :: prepared
    type(allport_transfer), intent(out) :: created
    code = c_start(prepared%handle, created%handle)
  end function allport_start

  ! Frees and sets to NULL; its transfer must be done.
  integer function allport_persistent_free(prepared) result(code)
    type(allport_persistent), intent(inout) :: prepared
    code = c_persistent_free(prepared%handle)
  end function allport_persistent_free

  ! An operator of the program's own on elements of so many bytes; associative. op: what reductions take. It stays as
  ! long as the program runs.
  integer function allport_op_create(function, context, element_bytes, op) result(code)
    type(c_funptr), intent(in) :: function
    type(c_ptr), intent(in) :: context
    integer(c_int64_t), intent(in) :: element_bytes
    integer(c_int), intent(out) :: op
    code = c_op_create(function, context, element_bytes, op)
  end function allport_op_create

  ! Waits until all ranks are here.
  integer function allport_barrier(comm, algorithm) result(code)
    type(allport_comm), intent(in) :: comm
    character(len=*), intent(in), optional :: algorithm
    character(len=:), allocatable, target :: algorithm_kept
    code = c_barrier(comm%handle, c_text(algorithm, algorithm_kept))
  end function allport_barrier

  integer function allport_start_barrier(comm, created, algorithm) result(code)
    type(allport_comm), intent(in) :: comm
    type(allport_transfer), intent(out) :: created
    character(len=*), intent(in), optional :: algorithm
    character(len=:), allocatable, target :: algorithm_kept
    code = c_start_barrier(comm%handle, c_text(algorithm, algorithm_kept), created%handle)
  end function allport_start_barrier

  integer function allport_prepare_barrier(comm, created, algorithm) result(code)
    type(allport_comm), intent(in) :: comm
    type(allport_persistent), intent(out) :: created
    character(len=*), intent(in), optional :: algorithm
    character(len=:), allocatable, target :: algorithm_kept
    code = c_prepare_barrier(comm%handle, c_text(algorithm, algorithm_kept), created%handle)
  end function allport_prepare_barrier

  ! Sends the root's data to every rank. buffer: bytes on every rank.
  integer function allport_bcast(comm, buffer, bytes, root, algorithm) result(code)
    type(allport_comm), intent(in) :: comm
    type(c_ptr), intent(in) :: buffer
    integer(c_int64_t), intent(in) :: bytes
    integer, intent(in) :: root
    character(len=*), intent(in), optional :: algorithm
    character(len=:), allocatable, target :: algorithm_kept
    code = c_bcast(comm%handle, buffer, bytes, int(root, c_int), c_text(algorithm, algorithm_kept))
  end function allport_bcast

  integer function allport_start_bcast(comm, buffer, bytes, root, created, algorithm) result(code)
    type(allport_comm), intent(in) :: comm
    type(c_ptr), intent(in) :: buffer
    integer(c_int64_t), intent(in) :: bytes
    integer, intent(in) :: root
    type(allport_transfer), intent(out) :: created
    character(len=*), intent(in), optional :: algorithm
    character(len=:), allocatable, target :: algorithm_kept
    code = c_start_bcast(comm%handle, buffer, bytes, int(root, c_int), c_text(algorithm, algorithm_kept), &
         created%handle)
  end function allport_start_bcast

  integer function allport_prepare_bcast(comm, buffer, bytes, root, created, algorithm) result(code)
    type(allport_comm), intent(in) :: comm
    type(c_ptr), intent(in) :: buffer
    integer(c_int64_t), intent(in) :: bytes
    integer, intent(in) :: root
    type(allport_persistent), intent(out) :: created
    character(len=*), intent(in), optional :: algorithm
    character(len=:), allocatable, target :: algorithm_kept
    code = c_prepare_bcast(comm%handle, buffer, bytes, int(root, c_int), c_text(algorithm, algorithm_kept), &
         created%handle)
  end function allport_prepare_bcast

  ! Combines every rank's elements, one by one, on the root. count elements; output matters on the root only.
  integer function allport_reduce(comm, op, type, input, output, count, root, algorithm) result(code)
    type(allport_comm), intent(in) :: comm
    integer, intent(in) :: op
    character, intent(in) :: type
    type(c_ptr), intent(in) :: input, output
    integer(c_int64_t), intent(in) :: count
    integer, intent(in) :: root
    character(len=*), intent(in), optional :: algorithm
    character(len=:), allocatable, target :: algorithm_kept
    code = c_reduce(comm%handle, int(op, c_int), letter(type), input, output, count, int(root, c_int), &
         c_text(algorithm, algorithm_kept))
  end function allport_reduce

  integer function allport_start_reduce(comm, op, type, input, output, count, root, created, algorithm) result(code)
    type(allport_comm), intent(in) :: comm
    integer, intent(in) :: op
    character, intent(in) :: type
    type(c_ptr), intent(in) :: input, output
    integer(c_int64_t), intent(in) :: count
    integer, intent(in) :: root
    type(allport_transfer), intent(out) :: created
    character(len=*), intent(in), optional :: algorithm
    character(len=:), allocatable, target :: algorithm_kept
    code = c_start_reduce(comm%handle, int(op, c_int), letter(type), input, output, count, int(root, c_int), &
         c_text(algorithm, algorithm_kept), created%handle)
  end function allport_start_reduce

  integer function allport_prepare_reduce(comm, op, type, input, output, count, root, created, algorithm) &
       result(code)
    type(allport_comm), intent(in) :: comm
    integer, intent(in) :: op
    character, intent(in) :: type
    type(c_ptr), intent(in) :: input, output
    integer(c_int64_t), intent(in) :: count
    integer, intent(in) :: root
    type(allport_persistent), intent(out) :: created
    character(len=*), intent(in), optional :: algorithm
    character(len=:), allocatable, target :: algorithm_kept
    code = c_prepare_reduce(comm%handle, int(op, c_int), letter(type), input, output, count, int(root, c_int), &
         c_text(algorithm, algorithm_kept), created%handle)
  end function allport_prepare_reduce

  ! Combines every rank's elements, one by one, on every rank, with the same bits. count elements.
  integer function allport_allreduce(comm, op, type, input, output, count, algorithm) result(code)
    type(allport_comm), intent(in) :: comm
    integer, intent(in) :: op
    character, intent(in) :: type
    type(c_ptr), intent(in) :: input, output
    integer(c_int64_t), intent(in) :: count
    character(len=*), intent(in), optional :: algorithm
    character(len=:), allocatable, target :: algorithm_kept
    code = c_allreduce(comm%handle, int(op, c_int), letter(type), input, output, count, c_text(algorithm, &
         algorithm_kept))
  end function allport_allreduce

  integer function allport_start_allreduce(comm, op, type, input, output, count, created, algorithm) result(code)
    type(allport_comm), intent(in) :: comm
    integer, intent(in) :: op
    character, intent(in) :: type
    type(c_ptr), intent(in) :: input, output
    integer(c_int64_t), intent(in) :: count
    type(allport_transfer), intent(out) :: created
    character(len=*), intent(in), optional :: algorithm
    character(len=:), allocatable, target :: algorithm_kept
    code = c_start_allreduce(comm%handle, int(op, c_int), letter(type), input, output, count, c_text(algorithm, &
         algorithm_kept), created%handle)
  end function allport_start_allreduce

  integer function allport_prepare_allreduce(comm, op, type, input, output, count, created, algorithm) result(code)
    type(allport_comm), intent(in) :: comm
    integer, intent(in) :: op
    character, intent(in) :: type
    type(c_ptr), intent(in) :: input, output
    integer(c_int64_t), intent(in) :: count
    type(allport_persistent), intent(out) :: created
    character(len=*), intent(in), optional :: algorithm
    character(len=:), allocatable, target :: algorithm_kept
    code = c_prepare_allreduce(comm%handle, int(op, c_int), letter(type), input, output, count, c_text(algorithm, &
         algorithm_kept), created%handle)
  end function allport_prepare_allreduce

  ! Sends block r of the root's data to rank r. bytes: of one block; input matters on the root only.
  integer function allport_scatter(comm, input, output, bytes, root, algorithm) result(code)
    type(allport_comm), intent(in) :: comm
    type(c_ptr), intent(in) :: input, output
    integer(c_int64_t), intent(in) :: bytes
    integer, intent(in) :: root
    character(len=*), intent(in), optional :: algorithm
    character(len=:), allocatable, target :: algorithm_kept
    code = c_scatter(comm%handle, input, output, bytes, int(root, c_int), c_text(algorithm, algorithm_kept))
  end function allport_scatter

  integer function allport_start_scatter(comm, input, output, bytes, root, created, algorithm) result(code)
    type(allport_comm), intent(in) :: comm
    type(c_ptr), intent(in) :: input, output
    integer(c_int64_t), intent(in) :: bytes
    integer, intent(in) :: root
    type(allport_transfer), intent(out) :: created
    character(len=*), intent(in), optional :: algorithm
    character(len=:), allocatable, target :: algorithm_kept
    code = c_start_scatter(comm%handle, input, output, bytes, int(root, c_int), c_text(algorithm, algorithm_kept), &
         created%handle)
  end function allport_start_scatter

  integer function allport_prepare_scatter(comm, input, output, bytes, root, created, algorithm) result(code)
    type(allport_comm), intent(in) :: comm
    type(c_ptr), intent(in) :: input, output
    integer(c_int64_t), intent(in) :: bytes
    integer, intent(in) :: root
    type(allport_persistent), intent(out) :: created
    character(len=*), intent(in), optional :: algorithm
    character(len=:), allocatable, target :: algorithm_kept
    code = c_prepare_scatter(comm%handle, input, output, bytes, int(root, c_int), c_text(algorithm, algorithm_kept), &
         created%handle)
  end function allport_prepare_scatter

  ! Collects every rank's block on the root, by rank. bytes: of one block; output matters on the root only.
  integer function allport_gather(comm, input, output, bytes, root, algorithm) result(code)
    type(allport_comm), intent(in) :: comm
    type(c_ptr), intent(in) :: input, output
    integer(c_int64_t), intent(in) :: bytes
    integer, intent(in) :: root
    character(len=*), intent(in), optional :: algorithm
    character(len=:), allocatable, target :: algorithm_kept
    code = c_gather(comm%handle, input, output, bytes, int(root, c_int), c_text(algorithm, algorithm_kept))
  end function allport_gather

  integer function allport_start_gather(comm, input, output, bytes, root, created, algorithm) result(code)
    type(allport_comm), intent(in) :: comm
    type(c_ptr), intent(in) :: input, output
    integer(c_int64_t), intent(in) :: bytes
    integer, intent(in) :: root
    type(allport_transfer), intent(out) :: created
    character(len=*), intent(in), optional :: algorithm
    character(len=:), allocatable, target :: algorithm_kept
    code = c_start_gather(comm%handle, input, output, bytes, int(root, c_int), c_text(algorithm, algorithm_kept), &
         created%handle)
  end function allport_start_gather

  integer function allport_prepare_gather(comm, input, output, bytes, root, created, algorithm) result(code)
    type(allport_comm), intent(in) :: comm
    type(c_ptr), intent(in) :: input, output
    integer(c_int64_t), intent(in) :: bytes
    integer, intent(in) :: root
    type(allport_persistent), intent(out) :: created
    character(len=*), intent(in), optional :: algorithm
    character(len=:), allocatable, target :: algorithm_kept
    code = c_prepare_gather(comm%handle, input, output, bytes, int(root, c_int), c_text(algorithm, algorithm_kept), &
         created%handle)
  end function allport_prepare_gather

  ! Collects every rank's block on every rank, by rank. bytes: of one block.
  integer function allport_allgather(comm, input, output, bytes, algorithm) result(code)
    type(allport_comm), intent(in) :: comm
    type(c_ptr), intent(in) :: input, output
    integer(c_int64_t), intent(in) :: bytes
    character(len=*), intent(in), optional :: algorithm
    character(len=:), allocatable, target :: algorithm_kept
    code = c_allgather(comm%handle, input, output, bytes, c_text(algorithm, algorithm_kept))
  end function allport_allgather

  integer function allport_start_allgather(comm, input, output, bytes, created, algorithm) result(code)
    type(allport_comm), intent(in) :: comm
    type(c_ptr), intent(in) :: input, output
    integer(c_int64_t), intent(in) :: bytes
    type(allport_transfer), intent(out) :: created
    character(len=*), intent(in), optional :: algorithm
    character(len=:), allocatable, target :: algorithm_kept
    code = c_start_allgather(comm%handle, input, output, bytes, c_text(algorithm, algorithm_kept), created%handle)
  end function allport_start_allgather

  integer function allport_prepare_allgather(comm, input, output, bytes, created, algorithm) result(code)
    type(allport_comm), intent(in) :: comm
    type(c_ptr), intent(in) :: input, output
    integer(c_int64_t), intent(in) :: bytes
    type(allport_persistent), intent(out) :: created
    character(len=*), intent(in), optional :: algorithm
    character(len=:), allocatable, target :: algorithm_kept
    code = c_prepare_allgather(comm%handle, input, output, bytes, c_text(algorithm, algorithm_kept), created%handle)
  end function allport_prepare_allgather

  ! Combines every rank's elements, one by one; rank r gets block r of the result. count: elements of one block.
  integer function allport_reduce_scatter(comm, op, type, input, output, count, algorithm) result(code)
    type(allport_comm), intent(in) :: comm
    integer, intent(in) :: op
    character, intent(in) :: type
    type(c_ptr), intent(in) :: input, output
    integer(c_int64_t), intent(in) :: count
    character(len=*), intent(in), optional :: algorithm
    character(len=:), allocatable, target :: algorithm_kept
    code = c_reduce_scatter(comm%handle, int(op, c_int), letter(type), input, output, count, c_text(algorithm, &
         algorithm_kept))
  end function allport_reduce_scatter

  integer function allport_start_reduce_scatter(comm, op, type, input, output, count, created, algorithm) &
       result(code)
    type(allport_comm), intent(in) :: comm
    integer, intent(in) :: op
    character, intent(in) :: type
    type(c_ptr), intent(in) :: input, output
    integer(c_int64_t), intent(in) :: count
    type(allport_transfer), intent(out) :: created
    character(len=*), intent(in), optional :: algorithm
    character(len=:), allocatable, target :: algorithm_kept
    code = c_start_reduce_scatter(comm%handle, int(op, c_int), letter(type), input, output, count, c_text(algorithm, &
         algorithm_kept), created%handle)
  end function allport_start_reduce_scatter

  integer function allport_prepare_reduce_scatter(comm, op, type, input, output, count, created, algorithm) &
       result(code)
    type(allport_comm), intent(in) :: comm
    integer, intent(in) :: op
    character, intent(in) :: type
    type(c_ptr), intent(in) :: input, output
    integer(c_int64_t), intent(in) :: count
    type(allport_persistent), intent(out) :: created
    character(len=*), intent(in), optional :: algorithm
    character(len=:), allocatable, target :: algorithm_kept
    code = c_prepare_reduce_scatter(comm%handle, int(op, c_int), letter(type), input, output, count, &
         c_text(algorithm, algorithm_kept), created%handle)
  end function allport_prepare_reduce_scatter

  ! Sends block r to rank r, and gets block s from rank s. bytes: of one block.
  integer function allport_alltoall(comm, input, output, bytes, algorithm) result(code)
    type(allport_comm), intent(in) :: comm
    type(c_ptr), intent(in) :: input, output
    integer(c_int64_t), intent(in) :: bytes
    character(len=*), intent(in), optional :: algorithm
    character(len=:), allocatable, target :: algorithm_kept
    code = c_alltoall(comm%handle, input, output, bytes, c_text(algorithm, algorithm_kept))
  end function allport_alltoall

  integer function allport_start_alltoall(comm, input, output, bytes, created, algorithm) result(code)
    type(allport_comm), intent(in) :: comm
    type(c_ptr), intent(in) :: input, output
    integer(c_int64_t), intent(in) :: bytes
    type(allport_transfer), intent(out) :: created
    character(len=*), intent(in), optional :: algorithm
    character(len=:), allocatable, target :: algorithm_kept
    code = c_start_alltoall(comm%handle, input, output, bytes, c_text(algorithm, algorithm_kept), created%handle)
  end function allport_start_alltoall

  integer function allport_prepare_alltoall(comm, input, output, bytes, created, algorithm) result(code)
    type(allport_comm), intent(in) :: comm
    type(c_ptr), intent(in) :: input, output
    integer(c_int64_t), intent(in) :: bytes
    type(allport_persistent), intent(out) :: created
    character(len=*), intent(in), optional :: algorithm
    character(len=:), allocatable, target :: algorithm_kept
    code = c_prepare_alltoall(comm%handle, input, output, bytes, c_text(algorithm, algorithm_kept), created%handle)
  end function allport_prepare_alltoall

  ! Sends blocks of different lengths from the root. lengths: bytes of each rank's block, the same on every rank.
  ! begins: in input, or NULL: one behind the other.
  integer function allport_scatterv(comm, input, lengths, output, root, begins, algorithm) result(code)
    type(allport_comm), intent(in) :: comm
    type(c_ptr), intent(in) :: input
    integer(c_int64_t), intent(in), target, contiguous :: lengths(:)
    type(c_ptr), intent(in) :: output
    integer, intent(in) :: root
    integer(c_int64_t), intent(in), optional, target, contiguous :: begins(:)
    character(len=*), intent(in), optional :: algorithm
    type(c_ptr) :: begins_at
    character(len=:), allocatable, target :: algorithm_kept
    begins_at = c_null_ptr
    if (present(begins)) begins_at = c_loc(begins)
    code = c_scatterv(comm%handle, input, c_loc(lengths), begins_at, output, int(root, c_int), c_text(algorithm, &
         algorithm_kept))
  end function allport_scatterv

  integer function allport_start_scatterv(comm, input, lengths, output, root, created, begins, algorithm) &
       result(code)
    type(allport_comm), intent(in) :: comm
    type(c_ptr), intent(in) :: input
    integer(c_int64_t), intent(in), target, contiguous :: lengths(:)
    type(c_ptr), intent(in) :: output
    integer, intent(in) :: root
    type(allport_transfer), intent(out) :: created
    integer(c_int64_t), intent(in), optional, target, contiguous :: begins(:)
    character(len=*), intent(in), optional :: algorithm
    type(c_ptr) :: begins_at
    character(len=:), allocatable, target :: algorithm_kept
    begins_at = c_null_ptr
    if (present(begins)) begins_at = c_loc(begins)
    code = c_start_scatterv(comm%handle, input, c_loc(lengths), begins_at, output, int(root, c_int), &
         c_text(algorithm, algorithm_kept), created%handle)
  end function allport_start_scatterv

  integer function allport_prepare_scatterv(comm, input, lengths, output, root, created, begins, algorithm) &
       result(code)
    type(allport_comm), intent(in) :: comm
    type(c_ptr), intent(in) :: input
    integer(c_int64_t), intent(in), target, contiguous :: lengths(:)
    type(c_ptr), intent(in) :: output
    integer, intent(in) :: root
    type(allport_persistent), intent(out) :: created
    integer(c_int64_t), intent(in), optional, target, contiguous :: begins(:)
    character(len=*), intent(in), optional :: algorithm
    type(c_ptr) :: begins_at
    character(len=:), allocatable, target :: algorithm_kept
    begins_at = c_null_ptr
    if (present(begins)) begins_at = c_loc(begins)
    code = c_prepare_scatterv(comm%handle, input, c_loc(lengths), begins_at, output, int(root, c_int), &
         c_text(algorithm, algorithm_kept), created%handle)
  end function allport_prepare_scatterv

  ! Collects blocks of different lengths on the root. lengths: bytes of each rank's block, the same on every rank.
  ! begins: in output, or NULL: one behind the other.
  integer function allport_gatherv(comm, input, output, lengths, root, begins, algorithm) result(code)
    type(allport_comm), intent(in) :: comm
    type(c_ptr), intent(in) :: input, output
    integer(c_int64_t), intent(in), target, contiguous :: lengths(:)
    integer, intent(in) :: root
    integer(c_int64_t), intent(in), optional, target, contiguous :: begins(:)
    character(len=*), intent(in), optional :: algorithm
    type(c_ptr) :: begins_at
    character(len=:), allocatable, target :: algorithm_kept
    begins_at = c_null_ptr
    if (present(begins)) begins_at = c_loc(begins)
    code = c_gatherv(comm%handle, input, output, c_loc(lengths), begins_at, int(root, c_int), c_text(algorithm, &
         algorithm_kept))
  end function allport_gatherv

  integer function allport_start_gatherv(comm, input, output, lengths, root, created, begins, algorithm) &
       result(code)
    type(allport_comm), intent(in) :: comm
    type(c_ptr), intent(in) :: input, output
    integer(c_int64_t), intent(in), target, contiguous :: lengths(:)
    integer, intent(in) :: root
    type(allport_transfer), intent(out) :: created
    integer(c_int64_t), intent(in), optional, target, contiguous :: begins(:)
    character(len=*), intent(in), optional :: algorithm
    type(c_ptr) :: begins_at
    character(len=:), allocatable, target :: algorithm_kept
    begins_at = c_null_ptr
    if (present(begins)) begins_at = c_loc(begins)
    code = c_start_gatherv(comm%handle, input, output, c_loc(lengths), begins_at, int(root, c_int), &
         c_text(algorithm, algorithm_kept), created%handle)
  end function allport_start_gatherv

  integer function allport_prepare_gatherv(comm, input, output, lengths, root, created, begins, algorithm) &
       result(code)
    type(allport_comm), intent(in) :: comm
    type(c_ptr), intent(in) :: input, output
    integer(c_int64_t), intent(in), target, contiguous :: lengths(:)
    integer, intent(in) :: root
    type(allport_persistent), intent(out) :: created
    integer(c_int64_t), intent(in), optional, target, contiguous :: begins(:)
    character(len=*), intent(in), optional :: algorithm
    type(c_ptr) :: begins_at
    character(len=:), allocatable, target :: algorithm_kept
    begins_at = c_null_ptr
    if (present(begins)) begins_at = c_loc(begins)
    code = c_prepare_gatherv(comm%handle, input, output, c_loc(lengths), begins_at, int(root, c_int), &
         c_text(algorithm, algorithm_kept), created%handle)
  end function allport_prepare_gatherv

  ! Collects blocks of different lengths on every rank. lengths: bytes of each rank's block, the same on every rank.
  ! begins: in output, or NULL: one behind the other.
  integer function allport_allgatherv(comm, input, output, lengths, begins, algorithm) result(code)
    type(allport_comm), intent(in) :: comm
    type(c_ptr), intent(in) :: input, output
    integer(c_int64_t), intent(in), target, contiguous :: lengths(:)
    integer(c_int64_t), intent(in), optional, target, contiguous :: begins(:)
    character(len=*), intent(in), optional :: algorithm
    type(c_ptr) :: begins_at
    character(len=:), allocatable, target :: algorithm_kept
    begins_at = c_null_ptr
    if (present(begins)) begins_at = c_loc(begins)
    code = c_allgatherv(comm%handle, input, output, c_loc(lengths), begins_at, c_text(algorithm, algorithm_kept))
  end function allport_allgatherv

  integer function allport_start_allgatherv(comm, input, output, lengths, created, begins, algorithm) result(code)
    type(allport_comm), intent(in) :: comm
    type(c_ptr), intent(in) :: input, output
    integer(c_int64_t), intent(in), target, contiguous :: lengths(:)
    type(allport_transfer), intent(out) :: created
    integer(c_int64_t), intent(in), optional, target, contiguous :: begins(:)
    character(len=*), intent(in), optional :: algorithm
    type(c_ptr) :: begins_at
    character(len=:), allocatable, target :: algorithm_kept
    begins_at = c_null_ptr
    if (present(begins)) begins_at = c_loc(begins)
    code = c_start_allgatherv(comm%handle, input, output, c_loc(lengths), begins_at, c_text(algorithm, &
         algorithm_kept), created%handle)
  end function allport_start_allgatherv

  integer function allport_prepare_allgatherv(comm, input, output, lengths, created, begins, algorithm) result(code)
    type(allport_comm), intent(in) :: comm
    type(c_ptr), intent(in) :: input, output
    integer(c_int64_t), intent(in), target, contiguous :: lengths(:)
    type(allport_persistent), intent(out) :: created
    integer(c_int64_t), intent(in), optional, target, contiguous :: begins(:)
    character(len=*), intent(in), optional :: algorithm
    type(c_ptr) :: begins_at
    character(len=:), allocatable, target :: algorithm_kept
    begins_at = c_null_ptr
    if (present(begins)) begins_at = c_loc(begins)
    code = c_prepare_allgatherv(comm%handle, input, output, c_loc(lengths), begins_at, c_text(algorithm, &
         algorithm_kept), created%handle)
  end function allport_prepare_allgatherv

  ! Combines every rank's elements, one by one; rank r gets its block of the result. counts: elements of each rank's
  ! block, the same on every rank; they lie one behind the other.
  integer function allport_reduce_scatterv(comm, op, type, input, counts, output, algorithm) result(code)
    type(allport_comm), intent(in) :: comm
    integer, intent(in) :: op
    character, intent(in) :: type
    type(c_ptr), intent(in) :: input
    integer(c_int64_t), intent(in), target, contiguous :: counts(:)
    type(c_ptr), intent(in) :: output
    character(len=*), intent(in), optional :: algorithm
    character(len=:), allocatable, target :: algorithm_kept
    code = c_reduce_scatterv(comm%handle, int(op, c_int), letter(type), input, c_loc(counts), output, &
         c_text(algorithm, algorithm_kept))
  end function allport_reduce_scatterv

  integer function allport_start_reduce_scatterv(comm, op, type, input, counts, output, created, algorithm) &
       result(code)
    type(allport_comm), intent(in) :: comm
    integer, intent(in) :: op
    character, intent(in) :: type
    type(c_ptr), intent(in) :: input
    integer(c_int64_t), intent(in), target, contiguous :: counts(:)
    type(c_ptr), intent(in) :: output
    type(allport_transfer), intent(out) :: created
    character(len=*), intent(in), optional :: algorithm
    character(len=:), allocatable, target :: algorithm_kept
    code = c_start_reduce_scatterv(comm%handle, int(op, c_int), letter(type), input, c_loc(counts), output, &
         c_text(algorithm, algorithm_kept), created%handle)
  end function allport_start_reduce_scatterv

  integer function allport_prepare_reduce_scatterv(comm, op, type, input, counts, output, created, algorithm) &
       result(code)
    type(allport_comm), intent(in) :: comm
    integer, intent(in) :: op
    character, intent(in) :: type
    type(c_ptr), intent(in) :: input
    integer(c_int64_t), intent(in), target, contiguous :: counts(:)
    type(c_ptr), intent(in) :: output
    type(allport_persistent), intent(out) :: created
    character(len=*), intent(in), optional :: algorithm
    character(len=:), allocatable, target :: algorithm_kept
    code = c_prepare_reduce_scatterv(comm%handle, int(op, c_int), letter(type), input, c_loc(counts), output, &
         c_text(algorithm, algorithm_kept), created%handle)
  end function allport_prepare_reduce_scatterv

  ! Sends a block to every rank and gets one from each. A start sends each at once to its rank; the other forms first
  ! tell all ranks all lengths, choose by price, and refuse on every rank what does not fit. lengths: bytes for each
  ! rank. received: bytes from each. begins: in input and output, or NULL: one behind the other.
  integer function allport_alltoallv(comm, input, lengths, output, received, begins, received_begins, algorithm) &
       result(code)
    type(allport_comm), intent(in) :: comm
    type(c_ptr), intent(in) :: input
    integer(c_int64_t), intent(in), target, contiguous :: lengths(:)
    type(c_ptr), intent(in) :: output
    integer(c_int64_t), intent(in), target, contiguous :: received(:)
    integer(c_int64_t), intent(in), optional, target, contiguous :: begins(:), received_begins(:)
    character(len=*), intent(in), optional :: algorithm
    type(c_ptr) :: begins_at, received_begins_at
    character(len=:), allocatable, target :: algorithm_kept
    begins_at = c_null_ptr
    if (present(begins)) begins_at = c_loc(begins)
    received_begins_at = c_null_ptr
    if (present(received_begins)) received_begins_at = c_loc(received_begins)
    code = c_alltoallv(comm%handle, input, c_loc(lengths), begins_at, output, c_loc(received), received_begins_at, &
         c_text(algorithm, algorithm_kept))
  end function allport_alltoallv

  integer function allport_start_alltoallv(comm, input, lengths, output, received, created, begins, received_begins, &
       algorithm) result(code)
    type(allport_comm), intent(in) :: comm
    type(c_ptr), intent(in) :: input
    integer(c_int64_t), intent(in), target, contiguous :: lengths(:)
    type(c_ptr), intent(in) :: output
    integer(c_int64_t), intent(in), target, contiguous :: received(:)
    type(allport_transfer), intent(out) :: created
    integer(c_int64_t), intent(in), optional, target, contiguous :: begins(:), received_begins(:)
    character(len=*), intent(in), optional :: algorithm
    type(c_ptr) :: begins_at, received_begins_at
    character(len=:), allocatable, target :: algorithm_kept
    begins_at = c_null_ptr
    if (present(begins)) begins_at = c_loc(begins)
    received_begins_at = c_null_ptr
    if (present(received_begins)) received_begins_at = c_loc(received_begins)
    code = c_start_alltoallv(comm%handle, input, c_loc(lengths), begins_at, output, c_loc(received), &
         received_begins_at, c_text(algorithm, algorithm_kept), created%handle)
  end function allport_start_alltoallv

  integer function allport_prepare_alltoallv(comm, input, lengths, output, received, created, begins, &
       received_begins, algorithm) result(code)
    type(allport_comm), intent(in) :: comm
    type(c_ptr), intent(in) :: input
    integer(c_int64_t), intent(in), target, contiguous :: lengths(:)
    type(c_ptr), intent(in) :: output
    integer(c_int64_t), intent(in), target, contiguous :: received(:)
    type(allport_persistent), intent(out) :: created
    integer(c_int64_t), intent(in), optional, target, contiguous :: begins(:), received_begins(:)
    character(len=*), intent(in), optional :: algorithm
    type(c_ptr) :: begins_at, received_begins_at
    character(len=:), allocatable, target :: algorithm_kept
    begins_at = c_null_ptr
    if (present(begins)) begins_at = c_loc(begins)
    received_begins_at = c_null_ptr
    if (present(received_begins)) received_begins_at = c_loc(received_begins)
    code = c_prepare_alltoallv(comm%handle, input, c_loc(lengths), begins_at, output, c_loc(received), &
         received_begins_at, c_text(algorithm, algorithm_kept), created%handle)
  end function allport_prepare_alltoallv

  ! machine: a spec such as "torus:4x4" or the path of a machine file; NULL: the environment's ALLPORT_MACHINE, else a
  ! machine without known links. Rank i of comm is rank i of the machine, x-fastest.
  integer function allport_comm_create(comm, created, machine) result(code)
    integer, intent(in) :: comm
    type(allport_comm), intent(out) :: created
    character(len=*), intent(in), optional :: machine
    character(len=:), allocatable, target :: machine_kept
    code = c_comm_create_fortran(int(comm, c_int), c_text(machine, machine_kept), created%handle)
  end function allport_comm_create

  ! Frees and sets to NULL; do it before MPI_Finalize.
  integer function allport_comm_free(comm) result(code)
    type(allport_comm), intent(inout) :: comm
    code = c_comm_free(comm%handle)
  end function allport_comm_free

  ! allport_reduce() with ALLPORT_SUM, which takes its place (CONTRIBUTING.md, deprecation).
  integer function allport_reduce_sum(comm, type, input, output, count, root, algorithm) result(code)
    type(allport_comm), intent(in) :: comm
    character, intent(in) :: type
    type(c_ptr), intent(in) :: input, output
    integer(c_int64_t), intent(in) :: count
    integer, intent(in) :: root
    character(len=*), intent(in), optional :: algorithm
    character(len=:), allocatable, target :: algorithm_kept
    code = c_reduce_sum(comm%handle, letter(type), input, output, count, int(root, c_int), c_text(algorithm, &
         algorithm_kept))
  end function allport_reduce_sum

  ! This process among the communicator's.
  integer function allport_comm_rank(comm, rank, size) result(code)
    type(allport_comm), intent(in) :: comm
    integer(c_int), intent(out) :: rank, size
    code = c_comm_rank(comm%handle, rank, size)
  end function allport_comm_rank

  ! A block-cyclic distribution as ScaLAPACK has it: rows x cols in blocks of row_block x col_block over a grid of
  ! grid_rows x grid_cols ranks, the first block on process row first_row and column first_col. The process at (r, c) is
  ! rank r + c * grid_rows ('C', column-major) or r * grid_cols + c ('R'). Local parts are column-major.
  integer function allport_distribution_cyclic(rows, cols, row_block, col_block, grid_rows, grid_cols, created, &
       first_row, first_col, order) result(code)
    integer, intent(in) :: rows, cols, row_block, col_block, grid_rows, grid_cols
    type(allport_distribution), intent(out) :: created
    integer, intent(in), optional :: first_row, first_col
    character, intent(in), optional :: order
    integer :: first_row_given, first_col_given
    character :: order_given
    first_row_given = 0
    if (present(first_row)) first_row_given = first_row
    first_col_given = 0
    if (present(first_col)) first_col_given = first_col
    order_given = 'C'
    if (present(order)) order_given = order
    code = c_distribution_cyclic(int(rows, c_int64_t), int(cols, c_int64_t), int(row_block, c_int64_t), &
         int(col_block, c_int64_t), int(grid_rows, c_int), int(grid_cols, c_int), int(first_row_given, c_int), &
         int(first_col_given, c_int), letter(order_given), created%handle)
  end function allport_distribution_cyclic

  ! Extents of a rank's local part: [*rows x *cols].
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

  ! Where an operand should lie so that a multiply redistributes nothing: which is 'A', 'B' or 'C' of the plan for
  ! op(A): m x k, op(B): k x n, C: m x n of the given type. options: NULL, or "algorithm=summa25 grid=2x2x2 panel=256
  ! memory=1073741824" (any of them).
  integer function allport_gemm_distribution(comm, type, trans_a, trans_b, m, n, k, which, created, options) &
       result(code)
    type(allport_comm), intent(in) :: comm
    character, intent(in) :: type, trans_a, trans_b
    integer, intent(in) :: m, n, k
    character, intent(in) :: which
    type(allport_distribution), intent(out) :: created
    character(len=*), intent(in), optional :: options
    character(len=:), allocatable, target :: options_kept
    code = c_gemm_distribution(comm%handle, letter(type), letter(trans_a), letter(trans_b), int(m, c_int64_t), &
         int(n, c_int64_t), int(k, c_int64_t), c_text(options, options_kept), letter(which), created%handle)
  end function allport_gemm_distribution

  integer function sgemm_any(comm, trans_a, trans_b, m, n, k, alpha, a, a_distribution, b, b_distribution, beta, c, &
       c_distribution, options) result(code)
    type(allport_comm), intent(in) :: comm
    character, intent(in) :: trans_a, trans_b
    integer, intent(in) :: m, n, k
    real(c_float), intent(in), target :: alpha
    real(c_float), intent(in), target, contiguous :: a(:, :)
    type(allport_distribution), intent(in) :: a_distribution
    real(c_float), intent(in), target, contiguous :: b(:, :)
    type(allport_distribution), intent(in) :: b_distribution
    real(c_float), intent(in), target :: beta
    real(c_float), intent(inout), target, contiguous :: c(:, :)
    type(allport_distribution), intent(in) :: c_distribution
    character(len=*), intent(in), optional :: options
    character(len=:), allocatable, target :: options_kept
    code = c_sgemm(comm%handle, letter(trans_a), letter(trans_b), int(m, c_int64_t), int(n, c_int64_t), int(k, &
         c_int64_t), c_loc(alpha), c_loc(a), leading(size(a, 1)), a_distribution%handle, c_loc(b), leading(size(b, 1)), &
         b_distribution%handle, c_loc(beta), c_loc(c), leading(size(c, 1)), c_distribution%handle, c_text(options, &
         options_kept))
  end function sgemm_any

  integer function dgemm_any(comm, trans_a, trans_b, m, n, k, alpha, a, a_distribution, b, b_distribution, beta, c, &
       c_distribution, options) result(code)
    type(allport_comm), intent(in) :: comm
    character, intent(in) :: trans_a, trans_b
    integer, intent(in) :: m, n, k
    real(c_double), intent(in), target :: alpha
    real(c_double), intent(in), target, contiguous :: a(:, :)
    type(allport_distribution), intent(in) :: a_distribution
    real(c_double), intent(in), target, contiguous :: b(:, :)
    type(allport_distribution), intent(in) :: b_distribution
    real(c_double), intent(in), target :: beta
    real(c_double), intent(inout), target, contiguous :: c(:, :)
    type(allport_distribution), intent(in) :: c_distribution
    character(len=*), intent(in), optional :: options
    character(len=:), allocatable, target :: options_kept
    code = c_dgemm(comm%handle, letter(trans_a), letter(trans_b), int(m, c_int64_t), int(n, c_int64_t), int(k, &
         c_int64_t), c_loc(alpha), c_loc(a), leading(size(a, 1)), a_distribution%handle, c_loc(b), leading(size(b, 1)), &
         b_distribution%handle, c_loc(beta), c_loc(c), leading(size(c, 1)), c_distribution%handle, c_text(options, &
         options_kept))
  end function dgemm_any

  integer function cgemm_any(comm, trans_a, trans_b, m, n, k, alpha, a, a_distribution, b, b_distribution, beta, c, &
       c_distribution, options) result(code)
    type(allport_comm), intent(in) :: comm
    character, intent(in) :: trans_a, trans_b
    integer, intent(in) :: m, n, k
    complex(c_float_complex), intent(in), target :: alpha
    complex(c_float_complex), intent(in), target, contiguous :: a(:, :)
    type(allport_distribution), intent(in) :: a_distribution
    complex(c_float_complex), intent(in), target, contiguous :: b(:, :)
    type(allport_distribution), intent(in) :: b_distribution
    complex(c_float_complex), intent(in), target :: beta
    complex(c_float_complex), intent(inout), target, contiguous :: c(:, :)
    type(allport_distribution), intent(in) :: c_distribution
    character(len=*), intent(in), optional :: options
    character(len=:), allocatable, target :: options_kept
    code = c_cgemm(comm%handle, letter(trans_a), letter(trans_b), int(m, c_int64_t), int(n, c_int64_t), int(k, &
         c_int64_t), c_loc(alpha), c_loc(a), leading(size(a, 1)), a_distribution%handle, c_loc(b), leading(size(b, 1)), &
         b_distribution%handle, c_loc(beta), c_loc(c), leading(size(c, 1)), c_distribution%handle, c_text(options, &
         options_kept))
  end function cgemm_any

  integer function zgemm_any(comm, trans_a, trans_b, m, n, k, alpha, a, a_distribution, b, b_distribution, beta, c, &
       c_distribution, options) result(code)
    type(allport_comm), intent(in) :: comm
    character, intent(in) :: trans_a, trans_b
    integer, intent(in) :: m, n, k
    complex(c_double_complex), intent(in), target :: alpha
    complex(c_double_complex), intent(in), target, contiguous :: a(:, :)
    type(allport_distribution), intent(in) :: a_distribution
    complex(c_double_complex), intent(in), target, contiguous :: b(:, :)
    type(allport_distribution), intent(in) :: b_distribution
    complex(c_double_complex), intent(in), target :: beta
    complex(c_double_complex), intent(inout), target, contiguous :: c(:, :)
    type(allport_distribution), intent(in) :: c_distribution
    character(len=*), intent(in), optional :: options
    character(len=:), allocatable, target :: options_kept
    code = c_zgemm(comm%handle, letter(trans_a), letter(trans_b), int(m, c_int64_t), int(n, c_int64_t), int(k, &
         c_int64_t), c_loc(alpha), c_loc(a), leading(size(a, 1)), a_distribution%handle, c_loc(b), leading(size(b, 1)), &
         b_distribution%handle, c_loc(beta), c_loc(c), leading(size(c, 1)), c_distribution%handle, c_text(options, &
         options_kept))
  end function zgemm_any

  ! The report of comm's last multiply as JSON (docs/reference/c.md); valid until the next one or allport_comm_free.
  function allport_gemm_report(comm) result(text)
    type(allport_comm), intent(in) :: comm
    character(len=:), allocatable :: text
    text = text_of(c_gemm_report(comm%handle))
  end function allport_gemm_report

  integer function spotrf_any(comm, uplo, a, a_distribution, info, options) result(code)
    type(allport_comm), intent(in) :: comm
    character, intent(in) :: uplo
    real(c_float), intent(inout), target, contiguous :: a(:, :)
    type(allport_distribution), intent(in) :: a_distribution
    integer(c_int64_t), intent(out) :: info
    character(len=*), intent(in), optional :: options
    character(len=:), allocatable, target :: options_kept
    code = c_spotrf(comm%handle, letter(uplo), c_loc(a), leading(size(a, 1)), a_distribution%handle, info, &
         c_text(options, options_kept))
  end function spotrf_any

  integer function dpotrf_any(comm, uplo, a, a_distribution, info, options) result(code)
    type(allport_comm), intent(in) :: comm
    character, intent(in) :: uplo
    real(c_double), intent(inout), target, contiguous :: a(:, :)
    type(allport_distribution), intent(in) :: a_distribution
    integer(c_int64_t), intent(out) :: info
    character(len=*), intent(in), optional :: options
    character(len=:), allocatable, target :: options_kept
    code = c_dpotrf(comm%handle, letter(uplo), c_loc(a), leading(size(a, 1)), a_distribution%handle, info, &
         c_text(options, options_kept))
  end function dpotrf_any

  integer function cpotrf_any(comm, uplo, a, a_distribution, info, options) result(code)
    type(allport_comm), intent(in) :: comm
    character, intent(in) :: uplo
    complex(c_float_complex), intent(inout), target, contiguous :: a(:, :)
    type(allport_distribution), intent(in) :: a_distribution
    integer(c_int64_t), intent(out) :: info
    character(len=*), intent(in), optional :: options
    character(len=:), allocatable, target :: options_kept
    code = c_cpotrf(comm%handle, letter(uplo), c_loc(a), leading(size(a, 1)), a_distribution%handle, info, &
         c_text(options, options_kept))
  end function cpotrf_any

  integer function zpotrf_any(comm, uplo, a, a_distribution, info, options) result(code)
    type(allport_comm), intent(in) :: comm
    character, intent(in) :: uplo
    complex(c_double_complex), intent(inout), target, contiguous :: a(:, :)
    type(allport_distribution), intent(in) :: a_distribution
    integer(c_int64_t), intent(out) :: info
    character(len=*), intent(in), optional :: options
    character(len=:), allocatable, target :: options_kept
    code = c_zpotrf(comm%handle, letter(uplo), c_loc(a), leading(size(a, 1)), a_distribution%handle, info, &
         c_text(options, options_kept))
  end function zpotrf_any

  integer function spotrs_any(comm, uplo, a, a_distribution, b, b_distribution, options) result(code)
    type(allport_comm), intent(in) :: comm
    character, intent(in) :: uplo
    real(c_float), intent(in), target, contiguous :: a(:, :)
    type(allport_distribution), intent(in) :: a_distribution
    real(c_float), intent(inout), target, contiguous :: b(:, :)
    type(allport_distribution), intent(in) :: b_distribution
    character(len=*), intent(in), optional :: options
    character(len=:), allocatable, target :: options_kept
    code = c_spotrs(comm%handle, letter(uplo), c_loc(a), leading(size(a, 1)), a_distribution%handle, c_loc(b), &
         leading(size(b, 1)), b_distribution%handle, c_text(options, options_kept))
  end function spotrs_any

  integer function dpotrs_any(comm, uplo, a, a_distribution, b, b_distribution, options) result(code)
    type(allport_comm), intent(in) :: comm
    character, intent(in) :: uplo
    real(c_double), intent(in), target, contiguous :: a(:, :)
    type(allport_distribution), intent(in) :: a_distribution
    real(c_double), intent(inout), target, contiguous :: b(:, :)
    type(allport_distribution), intent(in) :: b_distribution
    character(len=*), intent(in), optional :: options
    character(len=:), allocatable, target :: options_kept
    code = c_dpotrs(comm%handle, letter(uplo), c_loc(a), leading(size(a, 1)), a_distribution%handle, c_loc(b), &
         leading(size(b, 1)), b_distribution%handle, c_text(options, options_kept))
  end function dpotrs_any

  integer function cpotrs_any(comm, uplo, a, a_distribution, b, b_distribution, options) result(code)
    type(allport_comm), intent(in) :: comm
    character, intent(in) :: uplo
    complex(c_float_complex), intent(in), target, contiguous :: a(:, :)
    type(allport_distribution), intent(in) :: a_distribution
    complex(c_float_complex), intent(inout), target, contiguous :: b(:, :)
    type(allport_distribution), intent(in) :: b_distribution
    character(len=*), intent(in), optional :: options
    character(len=:), allocatable, target :: options_kept
    code = c_cpotrs(comm%handle, letter(uplo), c_loc(a), leading(size(a, 1)), a_distribution%handle, c_loc(b), &
         leading(size(b, 1)), b_distribution%handle, c_text(options, options_kept))
  end function cpotrs_any

  integer function zpotrs_any(comm, uplo, a, a_distribution, b, b_distribution, options) result(code)
    type(allport_comm), intent(in) :: comm
    character, intent(in) :: uplo
    complex(c_double_complex), intent(in), target, contiguous :: a(:, :)
    type(allport_distribution), intent(in) :: a_distribution
    complex(c_double_complex), intent(inout), target, contiguous :: b(:, :)
    type(allport_distribution), intent(in) :: b_distribution
    character(len=*), intent(in), optional :: options
    character(len=:), allocatable, target :: options_kept
    code = c_zpotrs(comm%handle, letter(uplo), c_loc(a), leading(size(a, 1)), a_distribution%handle, c_loc(b), &
         leading(size(b, 1)), b_distribution%handle, c_text(options, options_kept))
  end function zpotrs_any

  integer function sposv_any(comm, uplo, a, a_distribution, b, b_distribution, info, options) result(code)
    type(allport_comm), intent(in) :: comm
    character, intent(in) :: uplo
    real(c_float), intent(inout), target, contiguous :: a(:, :)
    type(allport_distribution), intent(in) :: a_distribution
    real(c_float), intent(inout), target, contiguous :: b(:, :)
    type(allport_distribution), intent(in) :: b_distribution
    integer(c_int64_t), intent(out) :: info
    character(len=*), intent(in), optional :: options
    character(len=:), allocatable, target :: options_kept
    code = c_sposv(comm%handle, letter(uplo), c_loc(a), leading(size(a, 1)), a_distribution%handle, c_loc(b), &
         leading(size(b, 1)), b_distribution%handle, info, c_text(options, options_kept))
  end function sposv_any

  integer function dposv_any(comm, uplo, a, a_distribution, b, b_distribution, info, options) result(code)
    type(allport_comm), intent(in) :: comm
    character, intent(in) :: uplo
    real(c_double), intent(inout), target, contiguous :: a(:, :)
    type(allport_distribution), intent(in) :: a_distribution
    real(c_double), intent(inout), target, contiguous :: b(:, :)
    type(allport_distribution), intent(in) :: b_distribution
    integer(c_int64_t), intent(out) :: info
    character(len=*), intent(in), optional :: options
    character(len=:), allocatable, target :: options_kept
    code = c_dposv(comm%handle, letter(uplo), c_loc(a), leading(size(a, 1)), a_distribution%handle, c_loc(b), &
         leading(size(b, 1)), b_distribution%handle, info, c_text(options, options_kept))
  end function dposv_any

  integer function cposv_any(comm, uplo, a, a_distribution, b, b_distribution, info, options) result(code)
    type(allport_comm), intent(in) :: comm
    character, intent(in) :: uplo
    complex(c_float_complex), intent(inout), target, contiguous :: a(:, :)
    type(allport_distribution), intent(in) :: a_distribution
    complex(c_float_complex), intent(inout), target, contiguous :: b(:, :)
    type(allport_distribution), intent(in) :: b_distribution
    integer(c_int64_t), intent(out) :: info
    character(len=*), intent(in), optional :: options
    character(len=:), allocatable, target :: options_kept
    code = c_cposv(comm%handle, letter(uplo), c_loc(a), leading(size(a, 1)), a_distribution%handle, c_loc(b), &
         leading(size(b, 1)), b_distribution%handle, info, c_text(options, options_kept))
  end function cposv_any

  integer function zposv_any(comm, uplo, a, a_distribution, b, b_distribution, info, options) result(code)
    type(allport_comm), intent(in) :: comm
    character, intent(in) :: uplo
    complex(c_double_complex), intent(inout), target, contiguous :: a(:, :)
    type(allport_distribution), intent(in) :: a_distribution
    complex(c_double_complex), intent(inout), target, contiguous :: b(:, :)
    type(allport_distribution), intent(in) :: b_distribution
    integer(c_int64_t), intent(out) :: info
    character(len=*), intent(in), optional :: options
    character(len=:), allocatable, target :: options_kept
    code = c_zposv(comm%handle, letter(uplo), c_loc(a), leading(size(a, 1)), a_distribution%handle, c_loc(b), &
         leading(size(b, 1)), b_distribution%handle, info, c_text(options, options_kept))
  end function zposv_any

  integer function sgetrf_any(comm, a, a_distribution, pivots, info, options) result(code)
    type(allport_comm), intent(in) :: comm
    real(c_float), intent(inout), target, contiguous :: a(:, :)
    type(allport_distribution), intent(in) :: a_distribution
    integer(c_int64_t), intent(out), target, contiguous :: pivots(:)
    integer(c_int64_t), intent(out) :: info
    character(len=*), intent(in), optional :: options
    character(len=:), allocatable, target :: options_kept
    code = c_sgetrf(comm%handle, c_loc(a), leading(size(a, 1)), a_distribution%handle, c_loc(pivots), info, &
         c_text(options, options_kept))
  end function sgetrf_any

  integer function dgetrf_any(comm, a, a_distribution, pivots, info, options) result(code)
    type(allport_comm), intent(in) :: comm
    real(c_double), intent(inout), target, contiguous :: a(:, :)
    type(allport_distribution), intent(in) :: a_distribution
    integer(c_int64_t), intent(out), target, contiguous :: pivots(:)
    integer(c_int64_t), intent(out) :: info
    character(len=*), intent(in), optional :: options
    character(len=:), allocatable, target :: options_kept
    code = c_dgetrf(comm%handle, c_loc(a), leading(size(a, 1)), a_distribution%handle, c_loc(pivots), info, &
         c_text(options, options_kept))
  end function dgetrf_any

  integer function cgetrf_any(comm, a, a_distribution, pivots, info, options) result(code)
    type(allport_comm), intent(in) :: comm
    complex(c_float_complex), intent(inout), target, contiguous :: a(:, :)
    type(allport_distribution), intent(in) :: a_distribution
    integer(c_int64_t), intent(out), target, contiguous :: pivots(:)
    integer(c_int64_t), intent(out) :: info
    character(len=*), intent(in), optional :: options
    character(len=:), allocatable, target :: options_kept
    code = c_cgetrf(comm%handle, c_loc(a), leading(size(a, 1)), a_distribution%handle, c_loc(pivots), info, &
         c_text(options, options_kept))
  end function cgetrf_any

  integer function zgetrf_any(comm, a, a_distribution, pivots, info, options) result(code)
    type(allport_comm), intent(in) :: comm
    complex(c_double_complex), intent(inout), target, contiguous :: a(:, :)
    type(allport_distribution), intent(in) :: a_distribution
    integer(c_int64_t), intent(out), target, contiguous :: pivots(:)
    integer(c_int64_t), intent(out) :: info
    character(len=*), intent(in), optional :: options
    character(len=:), allocatable, target :: options_kept
    code = c_zgetrf(comm%handle, c_loc(a), leading(size(a, 1)), a_distribution%handle, c_loc(pivots), info, &
         c_text(options, options_kept))
  end function zgetrf_any

  integer function sgetrs_any(comm, trans, a, a_distribution, pivots, b, b_distribution) result(code)
    type(allport_comm), intent(in) :: comm
    character, intent(in) :: trans
    real(c_float), intent(in), target, contiguous :: a(:, :)
    type(allport_distribution), intent(in) :: a_distribution
    integer(c_int64_t), intent(in), target, contiguous :: pivots(:)
    real(c_float), intent(inout), target, contiguous :: b(:, :)
    type(allport_distribution), intent(in) :: b_distribution
    code = c_sgetrs(comm%handle, letter(trans), c_loc(a), leading(size(a, 1)), a_distribution%handle, c_loc(pivots), &
         c_loc(b), leading(size(b, 1)), b_distribution%handle)
  end function sgetrs_any

  integer function dgetrs_any(comm, trans, a, a_distribution, pivots, b, b_distribution) result(code)
    type(allport_comm), intent(in) :: comm
    character, intent(in) :: trans
    real(c_double), intent(in), target, contiguous :: a(:, :)
    type(allport_distribution), intent(in) :: a_distribution
    integer(c_int64_t), intent(in), target, contiguous :: pivots(:)
    real(c_double), intent(inout), target, contiguous :: b(:, :)
    type(allport_distribution), intent(in) :: b_distribution
    code = c_dgetrs(comm%handle, letter(trans), c_loc(a), leading(size(a, 1)), a_distribution%handle, c_loc(pivots), &
         c_loc(b), leading(size(b, 1)), b_distribution%handle)
  end function dgetrs_any

  integer function cgetrs_any(comm, trans, a, a_distribution, pivots, b, b_distribution) result(code)
    type(allport_comm), intent(in) :: comm
    character, intent(in) :: trans
    complex(c_float_complex), intent(in), target, contiguous :: a(:, :)
    type(allport_distribution), intent(in) :: a_distribution
    integer(c_int64_t), intent(in), target, contiguous :: pivots(:)
    complex(c_float_complex), intent(inout), target, contiguous :: b(:, :)
    type(allport_distribution), intent(in) :: b_distribution
    code = c_cgetrs(comm%handle, letter(trans), c_loc(a), leading(size(a, 1)), a_distribution%handle, c_loc(pivots), &
         c_loc(b), leading(size(b, 1)), b_distribution%handle)
  end function cgetrs_any

  integer function zgetrs_any(comm, trans, a, a_distribution, pivots, b, b_distribution) result(code)
    type(allport_comm), intent(in) :: comm
    character, intent(in) :: trans
    complex(c_double_complex), intent(in), target, contiguous :: a(:, :)
    type(allport_distribution), intent(in) :: a_distribution
    integer(c_int64_t), intent(in), target, contiguous :: pivots(:)
    complex(c_double_complex), intent(inout), target, contiguous :: b(:, :)
    type(allport_distribution), intent(in) :: b_distribution
    code = c_zgetrs(comm%handle, letter(trans), c_loc(a), leading(size(a, 1)), a_distribution%handle, c_loc(pivots), &
         c_loc(b), leading(size(b, 1)), b_distribution%handle)
  end function zgetrs_any

  integer function sgesv_any(comm, a, a_distribution, pivots, b, b_distribution, info, options) result(code)
    type(allport_comm), intent(in) :: comm
    real(c_float), intent(inout), target, contiguous :: a(:, :)
    type(allport_distribution), intent(in) :: a_distribution
    integer(c_int64_t), intent(out), target, contiguous :: pivots(:)
    real(c_float), intent(inout), target, contiguous :: b(:, :)
    type(allport_distribution), intent(in) :: b_distribution
    integer(c_int64_t), intent(out) :: info
    character(len=*), intent(in), optional :: options
    character(len=:), allocatable, target :: options_kept
    code = c_sgesv(comm%handle, c_loc(a), leading(size(a, 1)), a_distribution%handle, c_loc(pivots), c_loc(b), &
         leading(size(b, 1)), b_distribution%handle, info, c_text(options, options_kept))
  end function sgesv_any

  integer function dgesv_any(comm, a, a_distribution, pivots, b, b_distribution, info, options) result(code)
    type(allport_comm), intent(in) :: comm
    real(c_double), intent(inout), target, contiguous :: a(:, :)
    type(allport_distribution), intent(in) :: a_distribution
    integer(c_int64_t), intent(out), target, contiguous :: pivots(:)
    real(c_double), intent(inout), target, contiguous :: b(:, :)
    type(allport_distribution), intent(in) :: b_distribution
    integer(c_int64_t), intent(out) :: info
    character(len=*), intent(in), optional :: options
    character(len=:), allocatable, target :: options_kept
    code = c_dgesv(comm%handle, c_loc(a), leading(size(a, 1)), a_distribution%handle, c_loc(pivots), c_loc(b), &
         leading(size(b, 1)), b_distribution%handle, info, c_text(options, options_kept))
  end function dgesv_any

  integer function cgesv_any(comm, a, a_distribution, pivots, b, b_distribution, info, options) result(code)
    type(allport_comm), intent(in) :: comm
    complex(c_float_complex), intent(inout), target, contiguous :: a(:, :)
    type(allport_distribution), intent(in) :: a_distribution
    integer(c_int64_t), intent(out), target, contiguous :: pivots(:)
    complex(c_float_complex), intent(inout), target, contiguous :: b(:, :)
    type(allport_distribution), intent(in) :: b_distribution
    integer(c_int64_t), intent(out) :: info
    character(len=*), intent(in), optional :: options
    character(len=:), allocatable, target :: options_kept
    code = c_cgesv(comm%handle, c_loc(a), leading(size(a, 1)), a_distribution%handle, c_loc(pivots), c_loc(b), &
         leading(size(b, 1)), b_distribution%handle, info, c_text(options, options_kept))
  end function cgesv_any

  integer function zgesv_any(comm, a, a_distribution, pivots, b, b_distribution, info, options) result(code)
    type(allport_comm), intent(in) :: comm
    complex(c_double_complex), intent(inout), target, contiguous :: a(:, :)
    type(allport_distribution), intent(in) :: a_distribution
    integer(c_int64_t), intent(out), target, contiguous :: pivots(:)
    complex(c_double_complex), intent(inout), target, contiguous :: b(:, :)
    type(allport_distribution), intent(in) :: b_distribution
    integer(c_int64_t), intent(out) :: info
    character(len=*), intent(in), optional :: options
    character(len=:), allocatable, target :: options_kept
    code = c_zgesv(comm%handle, c_loc(a), leading(size(a, 1)), a_distribution%handle, c_loc(pivots), c_loc(b), &
         leading(size(b, 1)), b_distribution%handle, info, c_text(options, options_kept))
  end function zgesv_any

  integer function sgeqrf_any(comm, a, a_distribution, tau, options) result(code)
    type(allport_comm), intent(in) :: comm
    real(c_float), intent(inout), target, contiguous :: a(:, :)
    type(allport_distribution), intent(in) :: a_distribution
    real(c_float), intent(inout), target, contiguous :: tau(:)
    character(len=*), intent(in), optional :: options
    character(len=:), allocatable, target :: options_kept
    code = c_sgeqrf(comm%handle, c_loc(a), leading(size(a, 1)), a_distribution%handle, c_loc(tau), c_text(options, &
         options_kept))
  end function sgeqrf_any

  integer function dgeqrf_any(comm, a, a_distribution, tau, options) result(code)
    type(allport_comm), intent(in) :: comm
    real(c_double), intent(inout), target, contiguous :: a(:, :)
    type(allport_distribution), intent(in) :: a_distribution
    real(c_double), intent(inout), target, contiguous :: tau(:)
    character(len=*), intent(in), optional :: options
    character(len=:), allocatable, target :: options_kept
    code = c_dgeqrf(comm%handle, c_loc(a), leading(size(a, 1)), a_distribution%handle, c_loc(tau), c_text(options, &
         options_kept))
  end function dgeqrf_any

  integer function cgeqrf_any(comm, a, a_distribution, tau, options) result(code)
    type(allport_comm), intent(in) :: comm
    complex(c_float_complex), intent(inout), target, contiguous :: a(:, :)
    type(allport_distribution), intent(in) :: a_distribution
    complex(c_float_complex), intent(inout), target, contiguous :: tau(:)
    character(len=*), intent(in), optional :: options
    character(len=:), allocatable, target :: options_kept
    code = c_cgeqrf(comm%handle, c_loc(a), leading(size(a, 1)), a_distribution%handle, c_loc(tau), c_text(options, &
         options_kept))
  end function cgeqrf_any

  integer function zgeqrf_any(comm, a, a_distribution, tau, options) result(code)
    type(allport_comm), intent(in) :: comm
    complex(c_double_complex), intent(inout), target, contiguous :: a(:, :)
    type(allport_distribution), intent(in) :: a_distribution
    complex(c_double_complex), intent(inout), target, contiguous :: tau(:)
    character(len=*), intent(in), optional :: options
    character(len=:), allocatable, target :: options_kept
    code = c_zgeqrf(comm%handle, c_loc(a), leading(size(a, 1)), a_distribution%handle, c_loc(tau), c_text(options, &
         options_kept))
  end function zgeqrf_any

  integer function sormqr_any(comm, side, trans, a, a_distribution, tau, c, c_distribution) result(code)
    type(allport_comm), intent(in) :: comm
    character, intent(in) :: side, trans
    real(c_float), intent(in), target, contiguous :: a(:, :)
    type(allport_distribution), intent(in) :: a_distribution
    real(c_float), intent(in), target, contiguous :: tau(:)
    real(c_float), intent(inout), target, contiguous :: c(:, :)
    type(allport_distribution), intent(in) :: c_distribution
    code = c_sormqr(comm%handle, letter(side), letter(trans), c_loc(a), leading(size(a, 1)), a_distribution%handle, &
         c_loc(tau), c_loc(c), leading(size(c, 1)), c_distribution%handle)
  end function sormqr_any

  integer function dormqr_any(comm, side, trans, a, a_distribution, tau, c, c_distribution) result(code)
    type(allport_comm), intent(in) :: comm
    character, intent(in) :: side, trans
    real(c_double), intent(in), target, contiguous :: a(:, :)
    type(allport_distribution), intent(in) :: a_distribution
    real(c_double), intent(in), target, contiguous :: tau(:)
    real(c_double), intent(inout), target, contiguous :: c(:, :)
    type(allport_distribution), intent(in) :: c_distribution
    code = c_dormqr(comm%handle, letter(side), letter(trans), c_loc(a), leading(size(a, 1)), a_distribution%handle, &
         c_loc(tau), c_loc(c), leading(size(c, 1)), c_distribution%handle)
  end function dormqr_any

  integer function cunmqr_any(comm, side, trans, a, a_distribution, tau, c, c_distribution) result(code)
    type(allport_comm), intent(in) :: comm
    character, intent(in) :: side, trans
    complex(c_float_complex), intent(in), target, contiguous :: a(:, :)
    type(allport_distribution), intent(in) :: a_distribution
    complex(c_float_complex), intent(in), target, contiguous :: tau(:)
    complex(c_float_complex), intent(inout), target, contiguous :: c(:, :)
    type(allport_distribution), intent(in) :: c_distribution
    code = c_cunmqr(comm%handle, letter(side), letter(trans), c_loc(a), leading(size(a, 1)), a_distribution%handle, &
         c_loc(tau), c_loc(c), leading(size(c, 1)), c_distribution%handle)
  end function cunmqr_any

  integer function zunmqr_any(comm, side, trans, a, a_distribution, tau, c, c_distribution) result(code)
    type(allport_comm), intent(in) :: comm
    character, intent(in) :: side, trans
    complex(c_double_complex), intent(in), target, contiguous :: a(:, :)
    type(allport_distribution), intent(in) :: a_distribution
    complex(c_double_complex), intent(in), target, contiguous :: tau(:)
    complex(c_double_complex), intent(inout), target, contiguous :: c(:, :)
    type(allport_distribution), intent(in) :: c_distribution
    code = c_zunmqr(comm%handle, letter(side), letter(trans), c_loc(a), leading(size(a, 1)), a_distribution%handle, &
         c_loc(tau), c_loc(c), leading(size(c, 1)), c_distribution%handle)
  end function zunmqr_any

  integer function sorgqr_any(comm, a, a_distribution, tau, q, q_distribution) result(code)
    type(allport_comm), intent(in) :: comm
    real(c_float), intent(in), target, contiguous :: a(:, :)
    type(allport_distribution), intent(in) :: a_distribution
    real(c_float), intent(in), target, contiguous :: tau(:)
    real(c_float), intent(inout), target, contiguous :: q(:, :)
    type(allport_distribution), intent(in) :: q_distribution
    code = c_sorgqr(comm%handle, c_loc(a), leading(size(a, 1)), a_distribution%handle, c_loc(tau), c_loc(q), &
         leading(size(q, 1)), q_distribution%handle)
  end function sorgqr_any

  integer function dorgqr_any(comm, a, a_distribution, tau, q, q_distribution) result(code)
    type(allport_comm), intent(in) :: comm
    real(c_double), intent(in), target, contiguous :: a(:, :)
    type(allport_distribution), intent(in) :: a_distribution
    real(c_double), intent(in), target, contiguous :: tau(:)
    real(c_double), intent(inout), target, contiguous :: q(:, :)
    type(allport_distribution), intent(in) :: q_distribution
    code = c_dorgqr(comm%handle, c_loc(a), leading(size(a, 1)), a_distribution%handle, c_loc(tau), c_loc(q), &
         leading(size(q, 1)), q_distribution%handle)
  end function dorgqr_any

  integer function cungqr_any(comm, a, a_distribution, tau, q, q_distribution) result(code)
    type(allport_comm), intent(in) :: comm
    complex(c_float_complex), intent(in), target, contiguous :: a(:, :)
    type(allport_distribution), intent(in) :: a_distribution
    complex(c_float_complex), intent(in), target, contiguous :: tau(:)
    complex(c_float_complex), intent(inout), target, contiguous :: q(:, :)
    type(allport_distribution), intent(in) :: q_distribution
    code = c_cungqr(comm%handle, c_loc(a), leading(size(a, 1)), a_distribution%handle, c_loc(tau), c_loc(q), &
         leading(size(q, 1)), q_distribution%handle)
  end function cungqr_any

  integer function zungqr_any(comm, a, a_distribution, tau, q, q_distribution) result(code)
    type(allport_comm), intent(in) :: comm
    complex(c_double_complex), intent(in), target, contiguous :: a(:, :)
    type(allport_distribution), intent(in) :: a_distribution
    complex(c_double_complex), intent(in), target, contiguous :: tau(:)
    complex(c_double_complex), intent(inout), target, contiguous :: q(:, :)
    type(allport_distribution), intent(in) :: q_distribution
    code = c_zungqr(comm%handle, c_loc(a), leading(size(a, 1)), a_distribution%handle, c_loc(tau), c_loc(q), &
         leading(size(q, 1)), q_distribution%handle)
  end function zungqr_any

  integer function sgels_any(comm, a, a_distribution, b, b_distribution, x, x_distribution, info, options) &
       result(code)
    type(allport_comm), intent(in) :: comm
    real(c_float), intent(inout), target, contiguous :: a(:, :)
    type(allport_distribution), intent(in) :: a_distribution
    real(c_float), intent(inout), target, contiguous :: b(:, :)
    type(allport_distribution), intent(in) :: b_distribution
    real(c_float), intent(inout), target, contiguous :: x(:, :)
    type(allport_distribution), intent(in) :: x_distribution
    integer(c_int64_t), intent(out) :: info
    character(len=*), intent(in), optional :: options
    character(len=:), allocatable, target :: options_kept
    code = c_sgels(comm%handle, c_loc(a), leading(size(a, 1)), a_distribution%handle, c_loc(b), leading(size(b, 1)), &
         b_distribution%handle, c_loc(x), leading(size(x, 1)), x_distribution%handle, info, c_text(options, &
         options_kept))
  end function sgels_any

  integer function dgels_any(comm, a, a_distribution, b, b_distribution, x, x_distribution, info, options) &
       result(code)
    type(allport_comm), intent(in) :: comm
    real(c_double), intent(inout), target, contiguous :: a(:, :)
    type(allport_distribution), intent(in) :: a_distribution
    real(c_double), intent(inout), target, contiguous :: b(:, :)
    type(allport_distribution), intent(in) :: b_distribution
    real(c_double), intent(inout), target, contiguous :: x(:, :)
    type(allport_distribution), intent(in) :: x_distribution
    integer(c_int64_t), intent(out) :: info
    character(len=*), intent(in), optional :: options
    character(len=:), allocatable, target :: options_kept
    code = c_dgels(comm%handle, c_loc(a), leading(size(a, 1)), a_distribution%handle, c_loc(b), leading(size(b, 1)), &
         b_distribution%handle, c_loc(x), leading(size(x, 1)), x_distribution%handle, info, c_text(options, &
         options_kept))
  end function dgels_any

  integer function cgels_any(comm, a, a_distribution, b, b_distribution, x, x_distribution, info, options) &
       result(code)
    type(allport_comm), intent(in) :: comm
    complex(c_float_complex), intent(inout), target, contiguous :: a(:, :)
    type(allport_distribution), intent(in) :: a_distribution
    complex(c_float_complex), intent(inout), target, contiguous :: b(:, :)
    type(allport_distribution), intent(in) :: b_distribution
    complex(c_float_complex), intent(inout), target, contiguous :: x(:, :)
    type(allport_distribution), intent(in) :: x_distribution
    integer(c_int64_t), intent(out) :: info
    character(len=*), intent(in), optional :: options
    character(len=:), allocatable, target :: options_kept
    code = c_cgels(comm%handle, c_loc(a), leading(size(a, 1)), a_distribution%handle, c_loc(b), leading(size(b, 1)), &
         b_distribution%handle, c_loc(x), leading(size(x, 1)), x_distribution%handle, info, c_text(options, &
         options_kept))
  end function cgels_any

  integer function zgels_any(comm, a, a_distribution, b, b_distribution, x, x_distribution, info, options) &
       result(code)
    type(allport_comm), intent(in) :: comm
    complex(c_double_complex), intent(inout), target, contiguous :: a(:, :)
    type(allport_distribution), intent(in) :: a_distribution
    complex(c_double_complex), intent(inout), target, contiguous :: b(:, :)
    type(allport_distribution), intent(in) :: b_distribution
    complex(c_double_complex), intent(inout), target, contiguous :: x(:, :)
    type(allport_distribution), intent(in) :: x_distribution
    integer(c_int64_t), intent(out) :: info
    character(len=*), intent(in), optional :: options
    character(len=:), allocatable, target :: options_kept
    code = c_zgels(comm%handle, c_loc(a), leading(size(a, 1)), a_distribution%handle, c_loc(b), leading(size(b, 1)), &
         b_distribution%handle, c_loc(x), leading(size(x, 1)), x_distribution%handle, info, c_text(options, &
         options_kept))
  end function zgels_any

  ! threads: the calling one and so many less one of the team's own; 0: one for each processor that it may use.
  integer function allport_team_create(threads, created) result(code)
    integer, intent(in) :: threads
    type(allport_team), intent(out) :: created
    code = c_team_create(int(threads, c_int), created%handle)
  end function allport_team_create

  integer function allport_team_size(team, threads) result(code)
    type(allport_team), intent(in) :: team
    integer(c_int), intent(out) :: threads
    code = c_team_size(team%handle, threads)
  end function allport_team_size

  ! Frees and sets to NULL.
  integer function allport_team_free(team) result(code)
    type(allport_team), intent(inout) :: team
    code = c_team_free(team%handle)
  end function allport_team_free

  ! body for chunks of begin ... end - 1, by all threads of the team; returns when all have run. options: NULL, or
  ! "schedule=dynamic chunk=16" (either): static, dynamic or guided, as OpenMP has them.
  integer function allport_parallel_for(team, begin, end, body, context, options) result(code)
    type(allport_team), intent(in) :: team
    integer(c_int64_t), intent(in) :: begin, end
    type(c_funptr), intent(in) :: body
    type(c_ptr), intent(in) :: context
    character(len=*), intent(in), optional :: options
    character(len=:), allocatable, target :: options_kept
    code = c_parallel_for(team%handle, begin, end, body, context, c_text(options, options_kept))
  end function allport_parallel_for

  ! Where ranks should go that send each other so many messages at the same time: rank r at places[r] of the machine,
  ! which has as many places as there are ranks. Message i goes from[i] to to[i] and has bytes[i]. order: a registered
  ! one (docs/concepts/mapping.md); NULL: the best by predicted time. seconds: as predicted, of all messages. No MPI.
  integer function allport_map_ranks(ranks, messages, from, to, bytes, places, seconds, machine, order) result(code)
    integer, intent(in) :: ranks
    integer(c_int64_t), intent(in) :: messages
    integer(c_int), intent(in), target, contiguous :: from(:), to(:)
    integer(c_int64_t), intent(in), target, contiguous :: bytes(:)
    integer(c_int), intent(out), target, contiguous :: places(:)
    real(c_double), intent(out) :: seconds
    character(len=*), intent(in), optional :: machine, order
    character(len=:), allocatable, target :: machine_kept, order_kept
    code = c_map_ranks(c_text(machine, machine_kept), int(ranks, c_int), messages, c_loc(from), c_loc(to), &
         c_loc(bytes), c_text(order, order_kept), c_loc(places), seconds)
  end function allport_map_ranks

  ! A graph of so many ranks that has no functions yet. Set entries, owner, parents, children and body at least.
  integer function allport_graph_create(ranks, context, created) result(code)
    integer, intent(in) :: ranks
    type(c_ptr), intent(in) :: context
    type(allport_graph), intent(out) :: created
    code = c_graph_create(int(ranks, c_int), context, created%handle)
  end function allport_graph_create

  ! Frees and sets to NULL.
  integer function allport_graph_free(graph) result(code)
    type(allport_graph), intent(inout) :: graph
    code = c_graph_free(graph%handle)
  end function allport_graph_free

  ! Visits the tasks of a rank that wait for nothing.
  integer function allport_graph_set_entries(graph, function) result(code)
    type(allport_graph), intent(in) :: graph
    type(c_funptr), intent(in) :: function
    code = c_graph_set_entries(graph%handle, function)
  end function allport_graph_set_entries

  ! Visits the tasks of a rank that nobody waits for; needed where there is no count.
  integer function allport_graph_set_exits(graph, function) result(code)
    type(allport_graph), intent(in) :: graph
    type(c_funptr), intent(in) :: function
    code = c_graph_set_exits(graph%handle, function)
  end function allport_graph_set_exits

  ! How many tasks a rank runs.
  integer function allport_graph_set_count(graph, function) result(code)
    type(allport_graph), intent(in) :: graph
    type(c_funptr), intent(in) :: function
    code = c_graph_set_count(graph%handle, function)
  end function allport_graph_set_count

  ! The rank that runs a task.
  integer function allport_graph_set_owner(graph, function) result(code)
    type(allport_graph), intent(in) :: graph
    type(c_funptr), intent(in) :: function
    code = c_graph_set_owner(graph%handle, function)
  end function allport_graph_set_owner

  ! How many edges lead to a task; contributions to a sum count one by one.
  integer function allport_graph_set_parents(graph, function) result(code)
    type(allport_graph), intent(in) :: graph
    type(c_funptr), intent(in) :: function
    code = c_graph_set_parents(graph%handle, function)
  end function allport_graph_set_parents

  ! Visits the edges that leave a task.
  integer function allport_graph_set_children(graph, function) result(code)
    type(allport_graph), intent(in) :: graph
    type(c_funptr), intent(in) :: function
    code = c_graph_set_children(graph%handle, function)
  end function allport_graph_set_children

  ! Visits the tasks whose outputs are summed into an input.
  integer function allport_graph_set_contributors(graph, function) result(code)
    type(allport_graph), intent(in) :: graph
    type(c_funptr), intent(in) :: function
    code = c_graph_set_contributors(graph%handle, function)
  end function allport_graph_set_contributors

  ! Bytes of a task's output; 0 where there is none.
  integer function allport_graph_set_output(graph, function) result(code)
    type(allport_graph), intent(in) :: graph
    type(c_funptr), intent(in) :: function
    code = c_graph_set_output(graph%handle, function)
  end function allport_graph_set_output

  ! Larger first.
  integer function allport_graph_set_priority(graph, function) result(code)
    type(allport_graph), intent(in) :: graph
    type(c_funptr), intent(in) :: function
    code = c_graph_set_priority(graph%handle, function)
  end function allport_graph_set_priority

  ! Floating point operations of a task, for the simulation.
  integer function allport_graph_set_flops(graph, function) result(code)
    type(allport_graph), intent(in) :: graph
    type(c_funptr), intent(in) :: function
    code = c_graph_set_flops(graph%handle, function)
  end function allport_graph_set_flops

  integer function allport_graph_set_body(graph, function) result(code)
    type(allport_graph), intent(in) :: graph
    type(c_funptr), intent(in) :: function
    code = c_graph_set_body(graph%handle, function)
  end function allport_graph_set_body

  ! What a function of a graph says to its visitor.
  integer function allport_visit_task(visitor, task) result(code)
    type(allport_visitor), intent(in) :: visitor
    type(allport_task), intent(in) :: task
    code = c_visit_task(visitor%handle, task)
  end function allport_visit_task

  integer function allport_visit_edge(visitor, edge) result(code)
    type(allport_visitor), intent(in) :: visitor
    type(allport_edge), intent(in) :: edge
    code = c_visit_edge(visitor%handle, edge)
  end function allport_visit_edge

  ! What a body reads and writes; memory is its own until it returns.
  integer function allport_body_input(body, index, data, bytes) result(code)
    type(allport_body), intent(in) :: body
    integer, intent(in) :: index
    type(c_ptr), intent(out) :: data
    integer(c_int64_t), intent(out) :: bytes
    code = c_body_input(body%handle, int(index, c_int), data, bytes)
  end function allport_body_input

  integer function allport_body_output(body, index, data, bytes) result(code)
    type(allport_body), intent(in) :: body
    integer, intent(in) :: index
    type(c_ptr), intent(out) :: data
    integer(c_int64_t), intent(out) :: bytes
    code = c_body_output(body%handle, int(index, c_int), data, bytes)
  end function allport_body_output

  ! Moves communication along; bodies that run long call it now and then.
  integer function allport_body_progress(body) result(code)
    type(allport_body), intent(in) :: body
    code = c_body_progress(body%handle)
  end function allport_body_progress

  ! Whether the graph holds together: parents agree with children, every input is filled once, no cycle. No MPI.
  integer function allport_graph_check(graph) result(code)
    type(allport_graph), intent(in) :: graph
    code = c_graph_check(graph%handle)
  end function allport_graph_check

  ! Seconds that the graph takes on a machine as predicted, with so many workers a rank. No MPI.
  integer function allport_graph_simulate(graph, workers, seconds, machine) result(code)
    type(allport_graph), intent(in) :: graph
    integer, intent(in) :: workers
    real(c_double), intent(out) :: seconds
    character(len=*), intent(in), optional :: machine
    character(len=:), allocatable, target :: machine_kept
    code = c_graph_simulate(graph%handle, c_text(machine, machine_kept), int(workers, c_int), seconds)
  end function allport_graph_simulate

  ! Runs it; called by all ranks of comm with equal graphs. op, type: of sums; 0 and 'd' where there are none. tasks:
  ! how many this rank has run. options: NULL, or "workers=2" (threads that run bodies).
  integer function allport_graph_run(comm, graph, op, type, tasks, options) result(code)
    type(allport_comm), intent(in) :: comm
    type(allport_graph), intent(in) :: graph
    integer, intent(in) :: op
    character, intent(in) :: type
    integer(c_int64_t), intent(out) :: tasks
    character(len=*), intent(in), optional :: options
    character(len=:), allocatable, target :: options_kept
    code = c_graph_run(comm%handle, graph%handle, int(op, c_int), letter(type), tasks, c_text(options, &
         options_kept))
  end function allport_graph_run

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

  ! A text as C has it, kept by the caller; a null pointer where there is none.
  function c_text(text, kept) result(pointer)
    character(len=*), intent(in), optional :: text
    character(len=:), allocatable, target, intent(out) :: kept
    type(c_ptr) :: pointer
    pointer = c_null_ptr
    if (.not. present(text)) return
    kept = trim(text)//c_null_char
    pointer = c_loc(kept)
  end function c_text

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
