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
       0, allport_carries_sum = 1, allport_carries_order = 2, allport_carries_sent = 3, allport_talks_bcast = 0, &
       allport_talks_reduce = 1, allport_talks_allreduce = 2, allport_talks_messages = 3

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

  type, public :: allport_machine_handle
    type(c_ptr) :: handle = c_null_ptr
  end type allport_machine_handle

  type, public :: allport_schedule_handle
    type(c_ptr) :: handle = c_null_ptr
  end type allport_schedule_handle

  type, public :: allport_plan_handle
    type(c_ptr) :: handle = c_null_ptr
  end type allport_plan_handle

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

  type, bind(C), public :: allport_talk
    integer(c_int64_t) :: bytes = 0
    integer(c_int64_t) :: element = 0
    integer(c_int64_t) :: times = 0
    integer(c_int32_t) :: what = 0
    integer(c_int32_t) :: root = 0
  end type allport_talk

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
       allport_start_alltoallv, allport_prepare_alltoallv, allport_comm_create, allport_comm_part, allport_comm_free, &
       allport_reduce_sum, allport_comm_rank, allport_distribution_cyclic, allport_distribution_local, &
       allport_distribution_free, allport_gemm_distribution, allport_gemm_report, allport_team_create, allport_team_size, &
       allport_team_free, allport_parallel_for, allport_map_ranks, allport_graph_create, allport_graph_free, &
       allport_graph_set_entries, allport_graph_set_exits, allport_graph_set_count, allport_graph_set_owner, &
       allport_graph_set_parents, allport_graph_set_children, allport_graph_set_contributors, allport_graph_set_output, &
       allport_graph_set_parts, allport_graph_set_writes, allport_graph_set_in_place, allport_graph_set_memory, &
       allport_graph_set_forwards, allport_graph_set_gang, allport_graph_set_steps, allport_graph_set_priority, &
       allport_graph_set_flops, allport_graph_set_body, allport_visit_task, allport_visit_edge, allport_visit_talk, &
       allport_body_input, allport_body_output, allport_body_progress, allport_body_gang, allport_body_send, &
       allport_body_receive, allport_body_bcast, allport_body_reduce, allport_body_allreduce, allport_graph_check, &
       allport_graph_simulate, allport_graph_run, allport_machine_create, allport_machine_from_toml, &
       allport_comm_machine, allport_machine_placed, allport_machine_part, allport_machine_free, allport_machine_name, &
       allport_machine_size, allport_machine_extents, allport_machine_link, allport_machine_hops, allport_machine_json, &
       allport_machine_toml, allport_machine_preset, allport_algorithm_name, allport_algorithm_summary, &
       allport_schedule_create, allport_schedule_create_v, allport_schedule_from_json, allport_schedule_free, &
       allport_schedule_collective, allport_schedule_algorithm, allport_schedule_reason, allport_schedule_choice, &
       allport_schedule_seconds, allport_schedule_shape, allport_schedule_traffic, allport_schedule_verify, &
       allport_schedule_simulate, allport_schedule_json, allport_schedule_run, allport_schedule_start, &
       allport_schedule_prepare, allport_plan_gemm, allport_plan_getrf, allport_plan_potrf, allport_plan_geqrf, &
       allport_plan_free, allport_plan_algorithm, allport_plan_seconds, allport_plan_grid, allport_plan_block, &
       allport_plan_traffic, allport_plan_memory, allport_plan_distribution, allport_plan_simulate, allport_plan_json, &
       allport_gemm, allport_potrf, allport_potrs, allport_posv, allport_getrf, allport_getrs, allport_gesv, &
       allport_geqrf, allport_ormqr, allport_unmqr, allport_orgqr, allport_ungqr, allport_gels, allport_gemm_planned, &
       allport_getrf_planned, allport_potrf_planned, allport_geqrf_planned

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
  ! == 0. options: NULL, or "algorithm=2.5d grid=2x2x2 block=64 memory=1073741824 way=binomial pivoting=partial" (any of
  ! them; pivoting is tournament, partial or none; way as above).
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

  ! C = alpha op(A) op(B) + beta C as planned on allport_comm_machine(); else as allport_sgemm() and its like.
  interface allport_gemm_planned
    module procedure sgemm_planned_any, dgemm_planned_any, cgemm_planned_any, zgemm_planned_any
  end interface allport_gemm_planned

  ! P A = L U as planned; else as allport_sgetrf() and its like.
  interface allport_getrf_planned
    module procedure sgetrf_planned_any, dgetrf_planned_any, cgetrf_planned_any, zgetrf_planned_any
  end interface allport_getrf_planned

  ! A = L L^H or U^H U as planned; else as allport_spotrf() and its like.
  interface allport_potrf_planned
    module procedure spotrf_planned_any, dpotrf_planned_any, cpotrf_planned_any, zpotrf_planned_any
  end interface allport_potrf_planned

  ! A = Q R as planned; else as allport_sgeqrf() and its like.
  interface allport_geqrf_planned
    module procedure sgeqrf_planned_any, dgeqrf_planned_any, cgeqrf_planned_any, zgeqrf_planned_any
  end interface allport_geqrf_planned

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
    function c_comm_part(comm, ranks, members, created) bind(C, name='allport_comm_part') result(code)
      import
      type(c_ptr), value :: comm
      integer(c_int), value :: ranks
      type(c_ptr), value :: members
      type(c_ptr), intent(inout) :: created
      integer(c_int) :: code
    end function c_comm_part
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
    function c_graph_set_parts(graph, function) bind(C, name='allport_graph_set_parts') result(code)
      import
      type(c_ptr), value :: graph
      type(c_funptr), value :: function
      integer(c_int) :: code
    end function c_graph_set_parts
    function c_graph_set_writes(graph, function) bind(C, name='allport_graph_set_writes') result(code)
      import
      type(c_ptr), value :: graph
      type(c_funptr), value :: function
      integer(c_int) :: code
    end function c_graph_set_writes
    function c_graph_set_in_place(graph, function) bind(C, name='allport_graph_set_in_place') result(code)
      import
      type(c_ptr), value :: graph
      type(c_funptr), value :: function
      integer(c_int) :: code
    end function c_graph_set_in_place
    function c_graph_set_memory(graph, function) bind(C, name='allport_graph_set_memory') result(code)
      import
      type(c_ptr), value :: graph
      type(c_funptr), value :: function
      integer(c_int) :: code
    end function c_graph_set_memory
    function c_graph_set_forwards(graph, function) bind(C, name='allport_graph_set_forwards') result(code)
      import
      type(c_ptr), value :: graph
      type(c_funptr), value :: function
      integer(c_int) :: code
    end function c_graph_set_forwards
    function c_graph_set_gang(graph, function) bind(C, name='allport_graph_set_gang') result(code)
      import
      type(c_ptr), value :: graph
      type(c_funptr), value :: function
      integer(c_int) :: code
    end function c_graph_set_gang
    function c_graph_set_steps(graph, steps, tasks, step) bind(C, name='allport_graph_set_steps') result(code)
      import
      type(c_ptr), value :: graph
      integer(c_int64_t), value :: steps
      type(c_funptr), value :: tasks, step
      integer(c_int) :: code
    end function c_graph_set_steps
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
    function c_visit_talk(visitor, talk) bind(C, name='allport_visit_talk') result(code)
      import
      type(c_ptr), value :: visitor
      type(allport_talk), intent(in) :: talk
      integer(c_int) :: code
    end function c_visit_talk
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
    function c_body_gang(body, members, me) bind(C, name='allport_body_gang') result(code)
      import
      type(c_ptr), value :: body
      integer(c_int), intent(out) :: members, me
      integer(c_int) :: code
    end function c_body_gang
    function c_body_send(body, to, data, bytes) bind(C, name='allport_body_send') result(code)
      import
      type(c_ptr), value :: body
      integer(c_int), value :: to
      type(c_ptr), value :: data
      integer(c_int64_t), value :: bytes
      integer(c_int) :: code
    end function c_body_send
    function c_body_receive(body, from, data, bytes) bind(C, name='allport_body_receive') result(code)
      import
      type(c_ptr), value :: body
      integer(c_int), value :: from
      type(c_ptr), intent(out) :: data
      integer(c_int64_t), intent(out) :: bytes
      integer(c_int) :: code
    end function c_body_receive
    function c_body_bcast(body, root, data, bytes) bind(C, name='allport_body_bcast') result(code)
      import
      type(c_ptr), value :: body
      integer(c_int), value :: root
      type(c_ptr), value :: data
      integer(c_int64_t), value :: bytes
      integer(c_int) :: code
    end function c_body_bcast
    function c_body_reduce(body, root, op, type, data, count) bind(C, name='allport_body_reduce') result(code)
      import
      type(c_ptr), value :: body
      integer(c_int), value :: root, op
      integer(c_signed_char), value :: type
      type(c_ptr), value :: data
      integer(c_int64_t), value :: count
      integer(c_int) :: code
    end function c_body_reduce
    function c_body_allreduce(body, op, type, data, count) bind(C, name='allport_body_allreduce') result(code)
      import
      type(c_ptr), value :: body
      integer(c_int), value :: op
      integer(c_signed_char), value :: type
      type(c_ptr), value :: data
      integer(c_int64_t), value :: count
      integer(c_int) :: code
    end function c_body_allreduce
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
    function c_machine_create(spec, created) bind(C, name='allport_machine_create') result(code)
      import
      type(c_ptr), value :: spec
      type(c_ptr), intent(inout) :: created
      integer(c_int) :: code
    end function c_machine_create
    function c_machine_from_toml(text, created) bind(C, name='allport_machine_from_toml') result(code)
      import
      type(c_ptr), value :: text
      type(c_ptr), intent(inout) :: created
      integer(c_int) :: code
    end function c_machine_from_toml
    function c_comm_machine(comm, created) bind(C, name='allport_comm_machine') result(code)
      import
      type(c_ptr), value :: comm
      type(c_ptr), intent(inout) :: created
      integer(c_int) :: code
    end function c_comm_machine
    function c_machine_placed(machine, places, created) bind(C, name='allport_machine_placed') result(code)
      import
      type(c_ptr), value :: machine, places
      type(c_ptr), intent(inout) :: created
      integer(c_int) :: code
    end function c_machine_placed
    function c_machine_part(machine, ranks, members, created) bind(C, name='allport_machine_part') result(code)
      import
      type(c_ptr), value :: machine
      integer(c_int), value :: ranks
      type(c_ptr), value :: members
      type(c_ptr), intent(inout) :: created
      integer(c_int) :: code
    end function c_machine_part
    function c_machine_free(machine) bind(C, name='allport_machine_free') result(code)
      import
      type(c_ptr), intent(inout) :: machine
      integer(c_int) :: code
    end function c_machine_free
    function c_machine_name(machine) bind(C, name='allport_machine_name') result(text)
      import
      type(c_ptr), value :: machine
      type(c_ptr) :: text
    end function c_machine_name
    function c_machine_size(machine, nodes, ranks_per_node, ranks, links) bind(C, name='allport_machine_size') &
         result(code)
      import
      type(c_ptr), value :: machine
      integer(c_int), intent(out) :: nodes, ranks_per_node, ranks
      integer(c_int64_t), intent(out) :: links
      integer(c_int) :: code
    end function c_machine_size
    function c_machine_extents(machine, axes, lengths, wraps) bind(C, name='allport_machine_extents') result(code)
      import
      type(c_ptr), value :: machine
      integer(c_int), intent(out) :: axes
      type(c_ptr), value :: lengths, wraps
      integer(c_int) :: code
    end function c_machine_extents
    function c_machine_link(machine, node, port, neighbour, bandwidth, latency, works) bind(C, &
         name='allport_machine_link') result(code)
      import
      type(c_ptr), value :: machine
      integer(c_int), value :: node, port
      integer(c_int), intent(out) :: neighbour
      real(c_double), intent(out) :: bandwidth, latency
      integer(c_int), intent(out) :: works
      integer(c_int) :: code
    end function c_machine_link
    function c_machine_hops(machine, from_node, to_node, hops) bind(C, name='allport_machine_hops') result(code)
      import
      type(c_ptr), value :: machine
      integer(c_int), value :: from_node, to_node
      integer(c_int), intent(out) :: hops
      integer(c_int) :: code
    end function c_machine_hops
    function c_machine_json(machine) bind(C, name='allport_machine_json') result(text)
      import
      type(c_ptr), value :: machine
      type(c_ptr) :: text
    end function c_machine_json
    function c_machine_toml(machine) bind(C, name='allport_machine_toml') result(text)
      import
      type(c_ptr), value :: machine
      type(c_ptr) :: text
    end function c_machine_toml
    function c_machine_preset(index) bind(C, name='allport_machine_preset') result(text)
      import
      integer(c_int), value :: index
      type(c_ptr) :: text
    end function c_machine_preset
    function c_algorithm_name(of, index) bind(C, name='allport_algorithm_name') result(text)
      import
      type(c_ptr), value :: of
      integer(c_int), value :: index
      type(c_ptr) :: text
    end function c_algorithm_name
    function c_algorithm_summary(of, name) bind(C, name='allport_algorithm_summary') result(text)
      import
      type(c_ptr), value :: of, name
      type(c_ptr) :: text
    end function c_algorithm_summary
    function c_schedule_create(machine, collective, bytes, root, options, created) bind(C, &
         name='allport_schedule_create') result(code)
      import
      type(c_ptr), value :: machine, collective
      integer(c_int64_t), value :: bytes
      integer(c_int), value :: root
      type(c_ptr), value :: options
      type(c_ptr), intent(inout) :: created
      integer(c_int) :: code
    end function c_schedule_create
    function c_schedule_create_v(machine, collective, lengths, root, options, created) bind(C, &
         name='allport_schedule_create_v') result(code)
      import
      type(c_ptr), value :: machine, collective, lengths
      integer(c_int), value :: root
      type(c_ptr), value :: options
      type(c_ptr), intent(inout) :: created
      integer(c_int) :: code
    end function c_schedule_create_v
    function c_schedule_from_json(text, created) bind(C, name='allport_schedule_from_json') result(code)
      import
      type(c_ptr), value :: text
      type(c_ptr), intent(inout) :: created
      integer(c_int) :: code
    end function c_schedule_from_json
    function c_schedule_free(schedule) bind(C, name='allport_schedule_free') result(code)
      import
      type(c_ptr), intent(inout) :: schedule
      integer(c_int) :: code
    end function c_schedule_free
    function c_schedule_collective(schedule) bind(C, name='allport_schedule_collective') result(text)
      import
      type(c_ptr), value :: schedule
      type(c_ptr) :: text
    end function c_schedule_collective
    function c_schedule_algorithm(schedule) bind(C, name='allport_schedule_algorithm') result(text)
      import
      type(c_ptr), value :: schedule
      type(c_ptr) :: text
    end function c_schedule_algorithm
    function c_schedule_reason(schedule) bind(C, name='allport_schedule_reason') result(text)
      import
      type(c_ptr), value :: schedule
      type(c_ptr) :: text
    end function c_schedule_reason
    function c_schedule_choice(schedule) bind(C, name='allport_schedule_choice') result(text)
      import
      type(c_ptr), value :: schedule
      type(c_ptr) :: text
    end function c_schedule_choice
    function c_schedule_seconds(schedule, seconds, bound, mpi) bind(C, name='allport_schedule_seconds') result(code)
      import
      type(c_ptr), value :: schedule
      real(c_double), intent(out) :: seconds, bound, mpi
      integer(c_int) :: code
    end function c_schedule_seconds
    function c_schedule_shape(schedule, ranks, root, bytes, segment, window, trees) bind(C, &
         name='allport_schedule_shape') result(code)
      import
      type(c_ptr), value :: schedule
      integer(c_int), intent(out) :: ranks, root
      integer(c_int64_t), intent(out) :: bytes, segment
      integer(c_int), intent(out) :: window, trees
      integer(c_int) :: code
    end function c_schedule_shape
    function c_schedule_traffic(schedule, rank, messages_sent, bytes_sent, messages_received, bytes_received) &
         bind(C, name='allport_schedule_traffic') result(code)
      import
      type(c_ptr), value :: schedule
      integer(c_int), value :: rank
      integer(c_int64_t), intent(out) :: messages_sent, bytes_sent, messages_received, bytes_received
      integer(c_int) :: code
    end function c_schedule_traffic
    function c_schedule_verify(schedule, on) bind(C, name='allport_schedule_verify') result(code)
      import
      type(c_ptr), value :: schedule, on
      integer(c_int) :: code
    end function c_schedule_verify
    function c_schedule_simulate(schedule, on, options, seconds) bind(C, name='allport_schedule_simulate') &
         result(code)
      import
      type(c_ptr), value :: schedule, on, options
      real(c_double), intent(out) :: seconds
      integer(c_int) :: code
    end function c_schedule_simulate
    function c_schedule_json(schedule) bind(C, name='allport_schedule_json') result(text)
      import
      type(c_ptr), value :: schedule
      type(c_ptr) :: text
    end function c_schedule_json
    function c_schedule_run(comm, schedule, op, type, input, output) bind(C, name='allport_schedule_run') &
         result(code)
      import
      type(c_ptr), value :: comm, schedule
      integer(c_int), value :: op
      integer(c_signed_char), value :: type
      type(c_ptr), value :: input, output
      integer(c_int) :: code
    end function c_schedule_run
    function c_schedule_start(comm, schedule, op, type, input, output, created) bind(C, &
         name='allport_schedule_start') result(code)
      import
      type(c_ptr), value :: comm, schedule
      integer(c_int), value :: op
      integer(c_signed_char), value :: type
      type(c_ptr), value :: input, output
      type(c_ptr), intent(inout) :: created
      integer(c_int) :: code
    end function c_schedule_start
    function c_schedule_prepare(comm, schedule, op, type, input, output, created) bind(C, &
         name='allport_schedule_prepare') result(code)
      import
      type(c_ptr), value :: comm, schedule
      integer(c_int), value :: op
      integer(c_signed_char), value :: type
      type(c_ptr), value :: input, output
      type(c_ptr), intent(inout) :: created
      integer(c_int) :: code
    end function c_schedule_prepare
    function c_plan_gemm(machine, type, trans_a, trans_b, m, n, k, options, created) bind(C, &
         name='allport_plan_gemm') result(code)
      import
      type(c_ptr), value :: machine
      integer(c_signed_char), value :: type, trans_a, trans_b
      integer(c_int64_t), value :: m, n, k
      type(c_ptr), value :: options
      type(c_ptr), intent(inout) :: created
      integer(c_int) :: code
    end function c_plan_gemm
    function c_plan_getrf(machine, type, m, n, given, options, created) bind(C, name='allport_plan_getrf') &
         result(code)
      import
      type(c_ptr), value :: machine
      integer(c_signed_char), value :: type
      integer(c_int64_t), value :: m, n
      type(c_ptr), value :: given, options
      type(c_ptr), intent(inout) :: created
      integer(c_int) :: code
    end function c_plan_getrf
    function c_plan_potrf(machine, type, uplo, n, given, options, created) bind(C, name='allport_plan_potrf') &
         result(code)
      import
      type(c_ptr), value :: machine
      integer(c_signed_char), value :: type, uplo
      integer(c_int64_t), value :: n
      type(c_ptr), value :: given, options
      type(c_ptr), intent(inout) :: created
      integer(c_int) :: code
    end function c_plan_potrf
    function c_plan_geqrf(machine, type, m, n, given, options, created) bind(C, name='allport_plan_geqrf') &
         result(code)
      import
      type(c_ptr), value :: machine
      integer(c_signed_char), value :: type
      integer(c_int64_t), value :: m, n
      type(c_ptr), value :: given, options
      type(c_ptr), intent(inout) :: created
      integer(c_int) :: code
    end function c_plan_geqrf
    function c_plan_free(plan) bind(C, name='allport_plan_free') result(code)
      import
      type(c_ptr), intent(inout) :: plan
      integer(c_int) :: code
    end function c_plan_free
    function c_plan_algorithm(plan) bind(C, name='allport_plan_algorithm') result(text)
      import
      type(c_ptr), value :: plan
      type(c_ptr) :: text
    end function c_plan_algorithm
    function c_plan_seconds(plan, seconds) bind(C, name='allport_plan_seconds') result(code)
      import
      type(c_ptr), value :: plan
      real(c_double), intent(out) :: seconds
      integer(c_int) :: code
    end function c_plan_seconds
    function c_plan_grid(plan, rows, cols, layers) bind(C, name='allport_plan_grid') result(code)
      import
      type(c_ptr), value :: plan
      integer(c_int), intent(out) :: rows, cols, layers
      integer(c_int) :: code
    end function c_plan_grid
    function c_plan_block(plan, block) bind(C, name='allport_plan_block') result(code)
      import
      type(c_ptr), value :: plan
      integer(c_int64_t), intent(out) :: block
      integer(c_int) :: code
    end function c_plan_block
    function c_plan_traffic(plan, words, messages, bound_words) bind(C, name='allport_plan_traffic') result(code)
      import
      type(c_ptr), value :: plan
      integer(c_int64_t), intent(out) :: words, messages
      real(c_double), intent(out) :: bound_words
      integer(c_int) :: code
    end function c_plan_traffic
    function c_plan_memory(plan, bytes) bind(C, name='allport_plan_memory') result(code)
      import
      type(c_ptr), value :: plan
      integer(c_int64_t), intent(out) :: bytes
      integer(c_int) :: code
    end function c_plan_memory
    function c_plan_distribution(plan, which, created) bind(C, name='allport_plan_distribution') result(code)
      import
      type(c_ptr), value :: plan
      integer(c_signed_char), value :: which
      type(c_ptr), intent(inout) :: created
      integer(c_int) :: code
    end function c_plan_distribution
    function c_plan_simulate(plan, options, seconds) bind(C, name='allport_plan_simulate') result(code)
      import
      type(c_ptr), value :: plan, options
      real(c_double), intent(out) :: seconds
      integer(c_int) :: code
    end function c_plan_simulate
    function c_plan_json(plan) bind(C, name='allport_plan_json') result(text)
      import
      type(c_ptr), value :: plan
      type(c_ptr) :: text
    end function c_plan_json
    function c_sgemm_planned(comm, plan, alpha, a, lda, a_distribution, b, ldb, b_distribution, beta, c, ldc, &
         c_distribution) bind(C, name='allport_sgemm_planned') result(code)
      import
      type(c_ptr), value :: comm, plan, alpha, a
      integer(c_int64_t), value :: lda
      type(c_ptr), value :: a_distribution, b
      integer(c_int64_t), value :: ldb
      type(c_ptr), value :: b_distribution, beta, c
      integer(c_int64_t), value :: ldc
      type(c_ptr), value :: c_distribution
      integer(c_int) :: code
    end function c_sgemm_planned
    function c_dgemm_planned(comm, plan, alpha, a, lda, a_distribution, b, ldb, b_distribution, beta, c, ldc, &
         c_distribution) bind(C, name='allport_dgemm_planned') result(code)
      import
      type(c_ptr), value :: comm, plan, alpha, a
      integer(c_int64_t), value :: lda
      type(c_ptr), value :: a_distribution, b
      integer(c_int64_t), value :: ldb
      type(c_ptr), value :: b_distribution, beta, c
      integer(c_int64_t), value :: ldc
      type(c_ptr), value :: c_distribution
      integer(c_int) :: code
    end function c_dgemm_planned
    function c_cgemm_planned(comm, plan, alpha, a, lda, a_distribution, b, ldb, b_distribution, beta, c, ldc, &
         c_distribution) bind(C, name='allport_cgemm_planned') result(code)
      import
      type(c_ptr), value :: comm, plan, alpha, a
      integer(c_int64_t), value :: lda
      type(c_ptr), value :: a_distribution, b
      integer(c_int64_t), value :: ldb
      type(c_ptr), value :: b_distribution, beta, c
      integer(c_int64_t), value :: ldc
      type(c_ptr), value :: c_distribution
      integer(c_int) :: code
    end function c_cgemm_planned
    function c_zgemm_planned(comm, plan, alpha, a, lda, a_distribution, b, ldb, b_distribution, beta, c, ldc, &
         c_distribution) bind(C, name='allport_zgemm_planned') result(code)
      import
      type(c_ptr), value :: comm, plan, alpha, a
      integer(c_int64_t), value :: lda
      type(c_ptr), value :: a_distribution, b
      integer(c_int64_t), value :: ldb
      type(c_ptr), value :: b_distribution, beta, c
      integer(c_int64_t), value :: ldc
      type(c_ptr), value :: c_distribution
      integer(c_int) :: code
    end function c_zgemm_planned
    function c_sgetrf_planned(comm, plan, a, lda, a_distribution, pivots, info) bind(C, &
         name='allport_sgetrf_planned') result(code)
      import
      type(c_ptr), value :: comm, plan, a
      integer(c_int64_t), value :: lda
      type(c_ptr), value :: a_distribution, pivots
      integer(c_int64_t), intent(out) :: info
      integer(c_int) :: code
    end function c_sgetrf_planned
    function c_dgetrf_planned(comm, plan, a, lda, a_distribution, pivots, info) bind(C, &
         name='allport_dgetrf_planned') result(code)
      import
      type(c_ptr), value :: comm, plan, a
      integer(c_int64_t), value :: lda
      type(c_ptr), value :: a_distribution, pivots
      integer(c_int64_t), intent(out) :: info
      integer(c_int) :: code
    end function c_dgetrf_planned
    function c_cgetrf_planned(comm, plan, a, lda, a_distribution, pivots, info) bind(C, &
         name='allport_cgetrf_planned') result(code)
      import
      type(c_ptr), value :: comm, plan, a
      integer(c_int64_t), value :: lda
      type(c_ptr), value :: a_distribution, pivots
      integer(c_int64_t), intent(out) :: info
      integer(c_int) :: code
    end function c_cgetrf_planned
    function c_zgetrf_planned(comm, plan, a, lda, a_distribution, pivots, info) bind(C, &
         name='allport_zgetrf_planned') result(code)
      import
      type(c_ptr), value :: comm, plan, a
      integer(c_int64_t), value :: lda
      type(c_ptr), value :: a_distribution, pivots
      integer(c_int64_t), intent(out) :: info
      integer(c_int) :: code
    end function c_zgetrf_planned
    function c_spotrf_planned(comm, plan, a, lda, a_distribution, info) bind(C, name='allport_spotrf_planned') &
         result(code)
      import
      type(c_ptr), value :: comm, plan, a
      integer(c_int64_t), value :: lda
      type(c_ptr), value :: a_distribution
      integer(c_int64_t), intent(out) :: info
      integer(c_int) :: code
    end function c_spotrf_planned
    function c_dpotrf_planned(comm, plan, a, lda, a_distribution, info) bind(C, name='allport_dpotrf_planned') &
         result(code)
      import
      type(c_ptr), value :: comm, plan, a
      integer(c_int64_t), value :: lda
      type(c_ptr), value :: a_distribution
      integer(c_int64_t), intent(out) :: info
      integer(c_int) :: code
    end function c_dpotrf_planned
    function c_cpotrf_planned(comm, plan, a, lda, a_distribution, info) bind(C, name='allport_cpotrf_planned') &
         result(code)
      import
      type(c_ptr), value :: comm, plan, a
      integer(c_int64_t), value :: lda
      type(c_ptr), value :: a_distribution
      integer(c_int64_t), intent(out) :: info
      integer(c_int) :: code
    end function c_cpotrf_planned
    function c_zpotrf_planned(comm, plan, a, lda, a_distribution, info) bind(C, name='allport_zpotrf_planned') &
         result(code)
      import
      type(c_ptr), value :: comm, plan, a
      integer(c_int64_t), value :: lda
      type(c_ptr), value :: a_distribution
      integer(c_int64_t), intent(out) :: info
      integer(c_int) :: code
    end function c_zpotrf_planned
    function c_sgeqrf_planned(comm, plan, a, lda, a_distribution, tau) bind(C, name='allport_sgeqrf_planned') &
         result(code)
      import
      type(c_ptr), value :: comm, plan, a
      integer(c_int64_t), value :: lda
      type(c_ptr), value :: a_distribution, tau
      integer(c_int) :: code
    end function c_sgeqrf_planned
    function c_dgeqrf_planned(comm, plan, a, lda, a_distribution, tau) bind(C, name='allport_dgeqrf_planned') &
         result(code)
      import
      type(c_ptr), value :: comm, plan, a
      integer(c_int64_t), value :: lda
      type(c_ptr), value :: a_distribution, tau
      integer(c_int) :: code
    end function c_dgeqrf_planned
    function c_cgeqrf_planned(comm, plan, a, lda, a_distribution, tau) bind(C, name='allport_cgeqrf_planned') &
         result(code)
      import
      type(c_ptr), value :: comm, plan, a
      integer(c_int64_t), value :: lda
      type(c_ptr), value :: a_distribution, tau
      integer(c_int) :: code
    end function c_cgeqrf_planned
    function c_zgeqrf_planned(comm, plan, a, lda, a_distribution, tau) bind(C, name='allport_zgeqrf_planned') &
         result(code)
      import
      type(c_ptr), value :: comm, plan, a
      integer(c_int64_t), value :: lda
      type(c_ptr), value :: a_distribution, tau
      integer(c_int) :: code
    end function c_zgeqrf_planned
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

  ! Some ranks of comm, in this order, on the part of the machine where they are (allport_machine_part()). Called by
  ! exactly these.
  integer function allport_comm_part(comm, ranks, members, created) result(code)
    type(allport_comm), intent(in) :: comm
    integer, intent(in) :: ranks
    integer(c_int), intent(in), target, contiguous :: members(:)
    type(allport_comm), intent(out) :: created
    code = c_comm_part(comm%handle, int(ranks, c_int), c_loc(members), created%handle)
  end function allport_comm_part

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
  ! memory=1073741824 way=binomial" (any of them; way: how panels travel that several ranks need, axes, binomial,
  ! prefix, chain or flat).
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

  ! Of an output that is one of several parts of what goes to the same tasks: how many, 1 or more. They may take other
  ! ways, so that no link has all of it.
  integer function allport_graph_set_parts(graph, function) result(code)
    type(allport_graph), intent(in) :: graph
    type(c_funptr), intent(in) :: function
    code = c_graph_set_parts(graph%handle, function)
  end function allport_graph_set_parts

  ! Visits the tiles of its own rank that a task overwrites, so that a check finds what nothing orders. A tile's name is
  ! any allport_task.
  integer function allport_graph_set_writes(graph, function) result(code)
    type(allport_graph), intent(in) :: graph
    type(c_funptr), intent(in) :: function
    code = c_graph_set_writes(graph%handle, function)
  end function allport_graph_set_writes

  ! 1 where an output lies in the first tile that set_writes names, and is read and sent from there; else it has memory
  ! of its own. Needs memory.
  integer function allport_graph_set_in_place(graph, function) result(code)
    type(allport_graph), intent(in) :: graph
    type(c_funptr), intent(in) :: function
    code = c_graph_set_in_place(graph%handle, function)
  end function allport_graph_set_in_place

  integer function allport_graph_set_memory(graph, function) result(code)
    type(allport_graph), intent(in) :: graph
    type(c_funptr), intent(in) :: function
    code = c_graph_set_memory(graph%handle, function)
  end function allport_graph_set_memory

  ! The input that an output is, in the same memory: what is handed on without a copy. The body neither asks for it nor
  ! writes it. -1: the body makes the output.
  integer function allport_graph_set_forwards(graph, function) result(code)
    type(allport_graph), intent(in) :: graph
    type(c_funptr), intent(in) :: function
    code = c_graph_set_forwards(graph%handle, function)
  end function allport_graph_set_forwards

  ! Visits the members of the gang that a task is in, the task among them: tasks of different ranks, one a rank, that
  ! run at the same time because their bodies talk; and what they talk. The same for every member; nothing where the
  ! task is alone.
  integer function allport_graph_set_gang(graph, function) result(code)
    type(allport_graph), intent(in) :: graph
    type(c_funptr), intent(in) :: function
    code = c_graph_set_gang(graph%handle, function)
  end function allport_graph_set_gang

  ! An order that no edge runs against: tasks visits those of a rank in step 0 ... steps - 1, step is the one that a
  ! task is in. No task runs far ahead of the slowest rank then, and a run's memory is bounded. Members of a gang are in
  ! one.
  integer function allport_graph_set_steps(graph, steps, tasks, step) result(code)
    type(allport_graph), intent(in) :: graph
    integer, intent(in) :: steps
    type(c_funptr), intent(in) :: tasks, step
    code = c_graph_set_steps(graph%handle, int(steps, c_int64_t), tasks, step)
  end function allport_graph_set_steps

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

  integer function allport_visit_talk(visitor, talk) result(code)
    type(allport_visitor), intent(in) :: visitor
    type(allport_talk), intent(in) :: talk
    code = c_visit_talk(visitor%handle, talk)
  end function allport_visit_talk

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

  ! How the body of a gang's member talks to the others, who run at the same time; by one thread at a time. me, to,
  ! from, root: places among the members, in the order in which set_gang visits them. An error ends the body: return its
  ! code, for the run has failed elsewhere. ALLPORT_UNSUPPORTED where the task is alone.
  integer function allport_body_gang(body, members, me) result(code)
    type(allport_body), intent(in) :: body
    integer(c_int), intent(out) :: members, me
    code = c_body_gang(body%handle, members, me)
  end function allport_body_gang

  ! data is copied, and the call returns at once.
  integer function allport_body_send(body, to, data, bytes) result(code)
    type(allport_body), intent(in) :: body
    integer, intent(in) :: to
    type(c_ptr), intent(in) :: data
    integer(c_int64_t), intent(in) :: bytes
    code = c_body_send(body%handle, int(to, c_int), data, bytes)
  end function allport_body_send

  ! Waits for what another member has sent, in that order. data is there until the body returns.
  integer function allport_body_receive(body, from, data, bytes) result(code)
    type(allport_body), intent(in) :: body
    integer, intent(in) :: from
    type(c_ptr), intent(out) :: data
    integer(c_int64_t), intent(out) :: bytes
    code = c_body_receive(body%handle, int(from, c_int), data, bytes)
  end function allport_body_receive

  ! Sends the root's data into every member's, all of one length. Called by all members.
  integer function allport_body_bcast(body, root, data, bytes) result(code)
    type(allport_body), intent(in) :: body
    integer, intent(in) :: root
    type(c_ptr), intent(in) :: data
    integer(c_int64_t), intent(in) :: bytes
    code = c_body_bcast(body%handle, int(root, c_int), data, bytes)
  end function allport_body_bcast

  ! Everyone's data combined in the root's, elsewhere rubbish. op, type: as allport_reduce()'s. The order is the same on
  ! every run, though not the members'.
  integer function allport_body_reduce(body, root, op, type, data, count) result(code)
    type(allport_body), intent(in) :: body
    integer, intent(in) :: root, op
    character, intent(in) :: type
    type(c_ptr), intent(in) :: data
    integer(c_int64_t), intent(in) :: count
    code = c_body_reduce(body%handle, int(root, c_int), int(op, c_int), letter(type), data, count)
  end function allport_body_reduce

  ! As above, and the result on every member, with the same bits.
  integer function allport_body_allreduce(body, op, type, data, count) result(code)
    type(allport_body), intent(in) :: body
    integer, intent(in) :: op
    character, intent(in) :: type
    type(c_ptr), intent(in) :: data
    integer(c_int64_t), intent(in) :: count
    code = c_body_allreduce(body%handle, int(op, c_int), letter(type), data, count)
  end function allport_body_allreduce

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

  ! The machine of a spec such as "torus:4x4/ppn=2", of a preset such as "bgp:8x8x8", or of a machine file: rank r at
  ! place r, x-fastest. ALLPORT_MACHINE where it cannot be read.
  integer function allport_machine_create(spec, created) result(code)
    character(len=*), intent(in) :: spec
    type(allport_machine_handle), intent(out) :: created
    character(len=:), allocatable, target :: spec_kept
    code = c_machine_create(c_text(spec, spec_kept), created%handle)
  end function allport_machine_create

  ! From the text of a machine file (TOML, docs/reference/machine-file.md). ALLPORT_MACHINE naming what is wrong.
  integer function allport_machine_from_toml(text, created) result(code)
    character(len=*), intent(in) :: text
    type(allport_machine_handle), intent(out) :: created
    character(len=:), allocatable, target :: text_kept
    code = c_machine_from_toml(c_text(text, text_kept), created%handle)
  end function allport_machine_from_toml

  ! What a communicator is on its machine, with its ranks where they are: what its plans are made for.
  integer function allport_comm_machine(comm, created) result(code)
    type(allport_comm), intent(in) :: comm
    type(allport_machine_handle), intent(out) :: created
    code = c_comm_machine(comm%handle, created%handle)
  end function allport_comm_machine

  ! The same machine with rank r at places[r], a permutation of 0 ... ranks - 1.
  integer function allport_machine_placed(machine, places, created) result(code)
    type(allport_machine_handle), intent(in) :: machine
    integer(c_int), intent(in), target, contiguous :: places(:)
    type(allport_machine_handle), intent(out) :: created
    code = c_machine_placed(machine%handle, c_loc(places), created%handle)
  end function allport_machine_placed

  ! Some ranks of a machine, different ones: schedules that are made for this are theirs alone, members[i] their rank i,
  ! on the box of the machine that they fill, or else over trees among their places. They run on allport_comm_part() of
  ! the same members. Everything else that this says is the machine's, and nothing else is planned for it:
  ! ALLPORT_UNSUPPORTED.
  integer function allport_machine_part(machine, ranks, members, created) result(code)
    type(allport_machine_handle), intent(in) :: machine
    integer, intent(in) :: ranks
    integer(c_int), intent(in), target, contiguous :: members(:)
    type(allport_machine_handle), intent(out) :: created
    code = c_machine_part(machine%handle, int(ranks, c_int), c_loc(members), created%handle)
  end function allport_machine_part

  ! Frees and sets to NULL; schedules and plans that were made for it stay.
  integer function allport_machine_free(machine) result(code)
    type(allport_machine_handle), intent(inout) :: machine
    code = c_machine_free(machine%handle)
  end function allport_machine_free

  ! The spec, or the name that the machine file gives.
  function allport_machine_name(machine) result(text)
    type(allport_machine_handle), intent(in) :: machine
    character(len=:), allocatable :: text
    text = text_of(c_machine_name(machine%handle))
  end function allport_machine_name

  ! links: directed ones, dead ones included. ranks = nodes * ranks_per_node.
  integer function allport_machine_size(machine, nodes, ranks_per_node, ranks, links) result(code)
    type(allport_machine_handle), intent(in) :: machine
    integer(c_int), intent(out) :: nodes, ranks_per_node, ranks
    integer(c_int64_t), intent(out) :: links
    code = c_machine_size(machine%handle, nodes, ranks_per_node, ranks, links)
  end function allport_machine_size

  ! axes: how many there are, 8 at most. lengths, wraps: 8 numbers each, of which so many are written; wraps: 1 where an
  ! axis is a ring, 0 where it is open at both ends.
  integer function allport_machine_extents(machine, axes, lengths, wraps) result(code)
    type(allport_machine_handle), intent(in) :: machine
    integer(c_int), intent(out) :: axes
    integer(c_int), intent(out), target, contiguous :: lengths(:), wraps(:)
    code = c_machine_extents(machine%handle, axes, c_loc(lengths), c_loc(wraps))
  end function allport_machine_extents

  ! The directed link that leaves a node by a port (2 * axis, + 1 for the positive direction). neighbour: the node
  ! behind it, -1 where there is no link. bandwidth: bytes/s. latency: seconds of a hop. works: 0 where the link is
  ! dead.
  integer function allport_machine_link(machine, node, port, neighbour, bandwidth, latency, works) result(code)
    type(allport_machine_handle), intent(in) :: machine
    integer, intent(in) :: node, port
    integer(c_int), intent(out) :: neighbour
    real(c_double), intent(out) :: bandwidth, latency
    integer(c_int), intent(out) :: works
    code = c_machine_link(machine%handle, int(node, c_int), int(port, c_int), neighbour, bandwidth, latency, works)
  end function allport_machine_link

  ! Links of the shortest way between two nodes.
  integer function allport_machine_hops(machine, from_node, to_node, hops) result(code)
    type(allport_machine_handle), intent(in) :: machine
    integer, intent(in) :: from_node, to_node
    integer(c_int), intent(out) :: hops
    code = c_machine_hops(machine%handle, int(from_node, c_int), int(to_node, c_int), hops)
  end function allport_machine_hops

  ! What `allport machine show --json` prints.
  function allport_machine_json(machine) result(text)
    type(allport_machine_handle), intent(in) :: machine
    character(len=:), allocatable :: text
    text = text_of(c_machine_json(machine%handle))
  end function allport_machine_json

  ! The machine file's text, which allport_machine_from_toml() reads back to an equal machine.
  function allport_machine_toml(machine) result(text)
    type(allport_machine_handle), intent(in) :: machine
    character(len=:), allocatable :: text
    text = text_of(c_machine_toml(machine%handle))
  end function allport_machine_toml

  ! Names of built-in machines, from index 0 on; NULL behind the last.
  function allport_machine_preset(index) result(text)
    integer, intent(in) :: index
    character(len=:), allocatable :: text
    text = text_of(c_machine_preset(int(index, c_int)))
  end function allport_machine_preset

  ! Names of the algorithms of a collective ("bcast", "allreduce", ...), of "gemm" or of "lu", from index 0 on, those
  ! that the program added among them; NULL behind the last. Valid as long as the program runs.
  function allport_algorithm_name(of, index) result(text)
    character(len=*), intent(in) :: of
    integer, intent(in) :: index
    character(len=:), allocatable, target :: of_kept
    character(len=:), allocatable :: text
    text = text_of(c_algorithm_name(c_text(of, of_kept), int(index, c_int)))
  end function allport_algorithm_name

  ! What it does, in a sentence, with its source.
  function allport_algorithm_summary(of, name) result(text)
    character(len=*), intent(in) :: of, name
    character(len=:), allocatable, target :: of_kept, name_kept
    character(len=:), allocatable :: text
    text = text_of(c_algorithm_summary(c_text(of, of_kept), c_text(name, name_kept)))
  end function allport_algorithm_summary

  ! The schedule of a collective over all ranks of a machine. bytes: of the message, or of one rank's block; 0 of a
  ! barrier. root: a rank; 0 where there is none. options: NULL, or "algorithm=rectangular segment=65536 window=2
  ! element=8" (any of them): what is not given is chosen by predicted time (window is 2, element 1: bytes that are
  ! never cut apart, 8 for sums of doubles). ALLPORT_UNSUPPORTED with every candidate's reason where none can serve.
  integer function allport_schedule_create(machine, collective, bytes, root, created, options) result(code)
    type(allport_machine_handle), intent(in) :: machine
    character(len=*), intent(in) :: collective
    integer(c_int64_t), intent(in) :: bytes
    integer, intent(in) :: root
    type(allport_schedule_handle), intent(out) :: created
    character(len=*), intent(in), optional :: options
    character(len=:), allocatable, target :: collective_kept, options_kept
    code = c_schedule_create(machine%handle, c_text(collective, collective_kept), bytes, int(root, c_int), &
         c_text(options, options_kept), created%handle)
  end function allport_schedule_create

  ! The same with blocks of different lengths. lengths: bytes of each rank's block, as many as there are ranks:
  ! scattered to it, gathered from it, reduced and scattered to it; of an alltoall bytes from rank s to rank r at s *
  ! ranks + r.
  integer function allport_schedule_create_v(machine, collective, lengths, root, created, options) result(code)
    type(allport_machine_handle), intent(in) :: machine
    character(len=*), intent(in) :: collective
    integer(c_int64_t), intent(in), target, contiguous :: lengths(:)
    integer, intent(in) :: root
    type(allport_schedule_handle), intent(out) :: created
    character(len=*), intent(in), optional :: options
    character(len=:), allocatable, target :: collective_kept, options_kept
    code = c_schedule_create_v(machine%handle, c_text(collective, collective_kept), c_loc(lengths), int(root, &
         c_int), c_text(options, options_kept), created%handle)
  end function allport_schedule_create_v

  ! From what allport_schedule_json() gave: the same schedule, for no machine in particular. ALLPORT_IO naming the entry
  ! that is wrong.
  integer function allport_schedule_from_json(text, created) result(code)
    character(len=*), intent(in) :: text
    type(allport_schedule_handle), intent(out) :: created
    character(len=:), allocatable, target :: text_kept
    code = c_schedule_from_json(c_text(text, text_kept), created%handle)
  end function allport_schedule_from_json

  ! Frees and sets to NULL.
  integer function allport_schedule_free(schedule) result(code)
    type(allport_schedule_handle), intent(inout) :: schedule
    code = c_schedule_free(schedule%handle)
  end function allport_schedule_free

  ! "bcast", "reduce", ...
  function allport_schedule_collective(schedule) result(text)
    type(allport_schedule_handle), intent(in) :: schedule
    character(len=:), allocatable :: text
    text = text_of(c_schedule_collective(schedule%handle))
  end function allport_schedule_collective

  function allport_schedule_algorithm(schedule) result(text)
    type(allport_schedule_handle), intent(in) :: schedule
    character(len=:), allocatable :: text
    text = text_of(c_schedule_algorithm(schedule%handle))
  end function allport_schedule_algorithm

  ! Why it was chosen, in lines: every algorithm's price, and why others cannot serve. Empty for one from JSON.
  function allport_schedule_reason(schedule) result(text)
    type(allport_schedule_handle), intent(in) :: schedule
    character(len=:), allocatable :: text
    text = text_of(c_schedule_reason(schedule%handle))
  end function allport_schedule_reason

  ! The same as JSON, as `allport explain --json` prints it.
  function allport_schedule_choice(schedule) result(text)
    type(allport_schedule_handle), intent(in) :: schedule
    character(len=:), allocatable :: text
    text = text_of(c_schedule_choice(schedule%handle))
  end function allport_schedule_choice

  ! seconds: predicted. bound: no schedule takes less. mpi: predicted of MPI's own collective. -1 each where none is
  ! known.
  integer function allport_schedule_seconds(schedule, seconds, bound, mpi) result(code)
    type(allport_schedule_handle), intent(in) :: schedule
    real(c_double), intent(out) :: seconds, bound, mpi
    code = c_schedule_seconds(schedule%handle, seconds, bound, mpi)
  end function allport_schedule_seconds

  ! bytes: of the message, or of the longest block. segment: bytes at most that travel at once. window: segments in
  ! flight a stream. trees: spanning trees, or other parallel parts.
  integer function allport_schedule_shape(schedule, ranks, root, bytes, segment, window, trees) result(code)
    type(allport_schedule_handle), intent(in) :: schedule
    integer(c_int), intent(out) :: ranks, root
    integer(c_int64_t), intent(out) :: bytes, segment
    integer(c_int), intent(out) :: window, trees
    code = c_schedule_shape(schedule%handle, ranks, root, bytes, segment, window, trees)
  end function allport_schedule_shape

  ! Messages and bytes that a rank sends and receives.
  integer function allport_schedule_traffic(schedule, rank, messages_sent, bytes_sent, messages_received, &
       bytes_received) result(code)
    type(allport_schedule_handle), intent(in) :: schedule
    integer, intent(in) :: rank
    integer(c_int64_t), intent(out) :: messages_sent, bytes_sent, messages_received, bytes_received
    code = c_schedule_traffic(schedule%handle, int(rank, c_int), messages_sent, bytes_sent, messages_received, &
         bytes_received)
  end function allport_schedule_traffic

  ! Proves that every rank gets what it shall, once, without deadlock and races: ALLPORT_SCHEDULE with the first
  ! counterexample where that is not so. on: a machine; NULL: the one that the schedule was made for.
  integer function allport_schedule_verify(schedule, on) result(code)
    type(allport_schedule_handle), intent(in) :: schedule
    type(allport_machine_handle), intent(in), optional :: on
    type(c_ptr) :: on_at
    on_at = c_null_ptr
    if (present(on)) on_at = on%handle
    code = c_schedule_verify(schedule%handle, on_at)
  end function allport_schedule_verify

  ! Seconds on a simulated machine, segment by segment. on as above. options: NULL, or "sharing=fair overheads=serial
  ! engine=events eager=4096 header=64" (any of them; docs/reference/cli.md, allport simulate).
  integer function allport_schedule_simulate(schedule, seconds, on, options) result(code)
    type(allport_schedule_handle), intent(in) :: schedule
    real(c_double), intent(out) :: seconds
    type(allport_machine_handle), intent(in), optional :: on
    character(len=*), intent(in), optional :: options
    type(c_ptr) :: on_at
    character(len=:), allocatable, target :: options_kept
    on_at = c_null_ptr
    if (present(on)) on_at = on%handle
    code = c_schedule_simulate(schedule%handle, on_at, c_text(options, options_kept), seconds)
  end function allport_schedule_simulate

  ! What allport_schedule_from_json() reads: the contract and every rank's operations (docs/reference/exchange.md).
  function allport_schedule_json(schedule) result(text)
    type(allport_schedule_handle), intent(in) :: schedule
    character(len=:), allocatable :: text
    text = text_of(c_schedule_json(schedule%handle))
  end function allport_schedule_json

  ! Runs a schedule on a communicator of as many ranks, which all call. op, type: of reductions, as
  ! allport_allreduce()'s; 0 and ' ' where there are none. input, output: as the collective has them, NULL where it has
  ! none; of a bcast the message is in output. Blocks lie by place in the communicator's machine, which is by rank
  ! unless ranks were placed elsewhere. ALLPORT_ARGUMENT where the sizes of elements differ.
  integer function allport_schedule_run(comm, schedule, op, type, input, output) result(code)
    type(allport_comm), intent(in) :: comm
    type(allport_schedule_handle), intent(in) :: schedule
    integer, intent(in) :: op
    character, intent(in) :: type
    type(c_ptr), intent(in) :: input, output
    code = c_schedule_run(comm%handle, schedule%handle, int(op, c_int), letter(type), input, output)
  end function allport_schedule_run

  ! Starts it: done after allport_wait().
  integer function allport_schedule_start(comm, schedule, op, type, input, output, created) result(code)
    type(allport_comm), intent(in) :: comm
    type(allport_schedule_handle), intent(in) :: schedule
    integer, intent(in) :: op
    character, intent(in) :: type
    type(c_ptr), intent(in) :: input, output
    type(allport_transfer), intent(out) :: created
    code = c_schedule_start(comm%handle, schedule%handle, int(op, c_int), letter(type), input, output, &
         created%handle)
  end function allport_schedule_start

  ! Makes what allport_start() starts again and again.
  integer function allport_schedule_prepare(comm, schedule, op, type, input, output, created) result(code)
    type(allport_comm), intent(in) :: comm
    type(allport_schedule_handle), intent(in) :: schedule
    integer, intent(in) :: op
    character, intent(in) :: type
    type(c_ptr), intent(in) :: input, output
    type(allport_persistent), intent(out) :: created
    code = c_schedule_prepare(comm%handle, schedule%handle, int(op, c_int), letter(type), input, output, &
         created%handle)
  end function allport_schedule_prepare

  ! How C = op(A) op(B) will be done: op(A) m x k, op(B) k x n, C m x n, type 's', 'd', 'c' or 'z', trans 'N', 'T' or
  ! 'C'. Chosen by predicted time among all algorithms and grids that options leave open: NULL, or "algorithm=summa25
  ! grid=2x2x2 order=jil panel=256 memory=1073741824 way=binomial" (any of them; memory: bytes that a rank may keep;
  ! way: how panels travel that several ranks need, axes, binomial, prefix, chain or flat). ALLPORT_MEMORY with bytes
  ! needed and had where nothing fits.
  integer function allport_plan_gemm(machine, type, trans_a, trans_b, m, n, k, created, options) result(code)
    type(allport_machine_handle), intent(in) :: machine
    character, intent(in) :: type, trans_a, trans_b
    integer, intent(in) :: m, n, k
    type(allport_plan_handle), intent(out) :: created
    character(len=*), intent(in), optional :: options
    character(len=:), allocatable, target :: options_kept
    code = c_plan_gemm(machine%handle, letter(type), letter(trans_a), letter(trans_b), int(m, c_int64_t), int(n, &
         c_int64_t), int(k, c_int64_t), c_text(options, options_kept), created%handle)
  end function allport_plan_gemm

  ! How getrf will factor A, m x n. given: where A lies, so that moving it is priced; NULL: where the plan wants it.
  ! options: "algorithm=2.5d grid=2x2x2 order=ijl block=64 nb=128 big=256 memory=1073741824 way=binomial
  ! pivoting=partial" (any of them; pivoting is tournament, partial or none; way as above).
  integer function allport_plan_getrf(machine, type, m, n, created, given, options) result(code)
    type(allport_machine_handle), intent(in) :: machine
    character, intent(in) :: type
    integer, intent(in) :: m, n
    type(allport_plan_handle), intent(out) :: created
    type(allport_distribution), intent(in), optional :: given
    character(len=*), intent(in), optional :: options
    type(c_ptr) :: given_at
    character(len=:), allocatable, target :: options_kept
    given_at = c_null_ptr
    if (present(given)) given_at = given%handle
    code = c_plan_getrf(machine%handle, letter(type), int(m, c_int64_t), int(n, c_int64_t), given_at, &
         c_text(options, options_kept), created%handle)
  end function allport_plan_getrf

  ! How potrf will factor A, n x n, of which it has one triangle (uplo 'L' or 'U'). given as above. options: "grid=4x4
  ! order=ij nb=256 workers=2 memory=1073741824" (any of them). ALLPORT_MACHINE where a machine does not say its flop/s.
  ! Ranks count as if rank r were at place r.
  integer function allport_plan_potrf(machine, type, uplo, n, created, given, options) result(code)
    type(allport_machine_handle), intent(in) :: machine
    character, intent(in) :: type, uplo
    integer, intent(in) :: n
    type(allport_plan_handle), intent(out) :: created
    type(allport_distribution), intent(in), optional :: given
    character(len=*), intent(in), optional :: options
    type(c_ptr) :: given_at
    character(len=:), allocatable, target :: options_kept
    given_at = c_null_ptr
    if (present(given)) given_at = given%handle
    code = c_plan_potrf(machine%handle, letter(type), letter(uplo), int(n, c_int64_t), given_at, c_text(options, &
         options_kept), created%handle)
  end function allport_plan_potrf

  ! How geqrf will factor A, m x n; the rest as allport_plan_potrf()'s.
  integer function allport_plan_geqrf(machine, type, m, n, created, given, options) result(code)
    type(allport_machine_handle), intent(in) :: machine
    character, intent(in) :: type
    integer, intent(in) :: m, n
    type(allport_plan_handle), intent(out) :: created
    type(allport_distribution), intent(in), optional :: given
    character(len=*), intent(in), optional :: options
    type(c_ptr) :: given_at
    character(len=:), allocatable, target :: options_kept
    given_at = c_null_ptr
    if (present(given)) given_at = given%handle
    code = c_plan_geqrf(machine%handle, letter(type), int(m, c_int64_t), int(n, c_int64_t), given_at, &
         c_text(options, options_kept), created%handle)
  end function allport_plan_geqrf

  ! Frees and sets to NULL.
  integer function allport_plan_free(plan) result(code)
    type(allport_plan_handle), intent(inout) :: plan
    code = c_plan_free(plan%handle)
  end function allport_plan_free

  ! A name of allport_algorithm_name(); "tiles" of potrf and geqrf.
  function allport_plan_algorithm(plan) result(text)
    type(allport_plan_handle), intent(in) :: plan
    character(len=:), allocatable :: text
    text = text_of(c_plan_algorithm(plan%handle))
  end function allport_plan_algorithm

  ! Predicted, moving A included where it was given.
  integer function allport_plan_seconds(plan, seconds) result(code)
    type(allport_plan_handle), intent(in) :: plan
    real(c_double), intent(out) :: seconds
    code = c_plan_seconds(plan%handle, seconds)
  end function allport_plan_seconds

  ! The process grid, rows x cols x layers; potrf and geqrf have one layer.
  integer function allport_plan_grid(plan, rows, cols, layers) result(code)
    type(allport_plan_handle), intent(in) :: plan
    integer(c_int), intent(out) :: rows, cols, layers
    code = c_plan_grid(plan%handle, rows, cols, layers)
  end function allport_plan_grid

  ! Columns of a panel (gemm, getrf), or rows and columns of a tile (potrf, geqrf).
  integer function allport_plan_block(plan, block) result(code)
    type(allport_plan_handle), intent(in) :: plan
    integer(c_int64_t), intent(out) :: block
    code = c_plan_block(plan%handle, block)
  end function allport_plan_block

  ! Of the busiest rank: words, elements sent or received, and messages; -1 where a graph of more than 4 million tasks
  ! was not counted. bound_words: no algorithm moves fewer with that memory; 0: none is known.
  integer function allport_plan_traffic(plan, words, messages, bound_words) result(code)
    type(allport_plan_handle), intent(in) :: plan
    integer(c_int64_t), intent(out) :: words, messages
    real(c_double), intent(out) :: bound_words
    code = c_plan_traffic(plan%handle, words, messages, bound_words)
  end function allport_plan_traffic

  ! Bytes at most on a rank: its parts of the matrices, and work space.
  integer function allport_plan_memory(plan, bytes) result(code)
    type(allport_plan_handle), intent(in) :: plan
    integer(c_int64_t), intent(out) :: bytes
    code = c_plan_memory(plan%handle, bytes)
  end function allport_plan_memory

  ! Where the plan wants a matrix: which is 'A', 'B' or 'C' of gemm, 'A' of the others.
  integer function allport_plan_distribution(plan, which, created) result(code)
    type(allport_plan_handle), intent(in) :: plan
    character, intent(in) :: which
    type(allport_distribution), intent(out) :: created
    code = c_plan_distribution(plan%handle, letter(which), created%handle)
  end function allport_plan_distribution

  ! Seconds of a run as planned on the plan's machine, simulated task by task and message by message: all that
  ! allport_plan_seconds() samples, but without moving A. options: NULL, or "workers=2 segment=65536" (threads of a
  ! rank, which of potrf and geqrf are the plan's where this does not say; bytes that a relay has before it passes them
  ! on). Takes memory and time with the tasks that wait at one time. ALLPORT_UNSUPPORTED for Cannon's algorithm, and for
  ! ranks that are elsewhere than allport_machine_create() has them. A plan of getrf is simulated by one thread at a
  ! time.
  integer function allport_plan_simulate(plan, seconds, options) result(code)
    type(allport_plan_handle), intent(in) :: plan
    real(c_double), intent(out) :: seconds
    character(len=*), intent(in), optional :: options
    character(len=:), allocatable, target :: options_kept
    code = c_plan_simulate(plan%handle, c_text(options, options_kept), seconds)
  end function allport_plan_simulate

  ! Everything, as `allport plan gemm --json` and its like print it.
  function allport_plan_json(plan) result(text)
    type(allport_plan_handle), intent(in) :: plan
    character(len=:), allocatable :: text
    text = text_of(c_plan_json(plan%handle))
  end function allport_plan_json

  integer function sgemm_planned_any(comm, plan, alpha, a, a_distribution, b, b_distribution, beta, c, &
       c_distribution) result(code)
    type(allport_comm), intent(in) :: comm
    type(allport_plan_handle), intent(in) :: plan
    real(c_float), intent(in), target :: alpha
    real(c_float), intent(in), target, contiguous :: a(:, :)
    type(allport_distribution), intent(in) :: a_distribution
    real(c_float), intent(in), target, contiguous :: b(:, :)
    type(allport_distribution), intent(in) :: b_distribution
    real(c_float), intent(in), target :: beta
    real(c_float), intent(inout), target, contiguous :: c(:, :)
    type(allport_distribution), intent(in) :: c_distribution
    code = c_sgemm_planned(comm%handle, plan%handle, c_loc(alpha), c_loc(a), leading(size(a, 1)), &
         a_distribution%handle, c_loc(b), leading(size(b, 1)), b_distribution%handle, c_loc(beta), c_loc(c), &
         leading(size(c, 1)), c_distribution%handle)
  end function sgemm_planned_any

  integer function dgemm_planned_any(comm, plan, alpha, a, a_distribution, b, b_distribution, beta, c, &
       c_distribution) result(code)
    type(allport_comm), intent(in) :: comm
    type(allport_plan_handle), intent(in) :: plan
    real(c_double), intent(in), target :: alpha
    real(c_double), intent(in), target, contiguous :: a(:, :)
    type(allport_distribution), intent(in) :: a_distribution
    real(c_double), intent(in), target, contiguous :: b(:, :)
    type(allport_distribution), intent(in) :: b_distribution
    real(c_double), intent(in), target :: beta
    real(c_double), intent(inout), target, contiguous :: c(:, :)
    type(allport_distribution), intent(in) :: c_distribution
    code = c_dgemm_planned(comm%handle, plan%handle, c_loc(alpha), c_loc(a), leading(size(a, 1)), &
         a_distribution%handle, c_loc(b), leading(size(b, 1)), b_distribution%handle, c_loc(beta), c_loc(c), &
         leading(size(c, 1)), c_distribution%handle)
  end function dgemm_planned_any

  integer function cgemm_planned_any(comm, plan, alpha, a, a_distribution, b, b_distribution, beta, c, &
       c_distribution) result(code)
    type(allport_comm), intent(in) :: comm
    type(allport_plan_handle), intent(in) :: plan
    complex(c_float_complex), intent(in), target :: alpha
    complex(c_float_complex), intent(in), target, contiguous :: a(:, :)
    type(allport_distribution), intent(in) :: a_distribution
    complex(c_float_complex), intent(in), target, contiguous :: b(:, :)
    type(allport_distribution), intent(in) :: b_distribution
    complex(c_float_complex), intent(in), target :: beta
    complex(c_float_complex), intent(inout), target, contiguous :: c(:, :)
    type(allport_distribution), intent(in) :: c_distribution
    code = c_cgemm_planned(comm%handle, plan%handle, c_loc(alpha), c_loc(a), leading(size(a, 1)), &
         a_distribution%handle, c_loc(b), leading(size(b, 1)), b_distribution%handle, c_loc(beta), c_loc(c), &
         leading(size(c, 1)), c_distribution%handle)
  end function cgemm_planned_any

  integer function zgemm_planned_any(comm, plan, alpha, a, a_distribution, b, b_distribution, beta, c, &
       c_distribution) result(code)
    type(allport_comm), intent(in) :: comm
    type(allport_plan_handle), intent(in) :: plan
    complex(c_double_complex), intent(in), target :: alpha
    complex(c_double_complex), intent(in), target, contiguous :: a(:, :)
    type(allport_distribution), intent(in) :: a_distribution
    complex(c_double_complex), intent(in), target, contiguous :: b(:, :)
    type(allport_distribution), intent(in) :: b_distribution
    complex(c_double_complex), intent(in), target :: beta
    complex(c_double_complex), intent(inout), target, contiguous :: c(:, :)
    type(allport_distribution), intent(in) :: c_distribution
    code = c_zgemm_planned(comm%handle, plan%handle, c_loc(alpha), c_loc(a), leading(size(a, 1)), &
         a_distribution%handle, c_loc(b), leading(size(b, 1)), b_distribution%handle, c_loc(beta), c_loc(c), &
         leading(size(c, 1)), c_distribution%handle)
  end function zgemm_planned_any

  integer function sgetrf_planned_any(comm, plan, a, a_distribution, pivots, info) result(code)
    type(allport_comm), intent(in) :: comm
    type(allport_plan_handle), intent(in) :: plan
    real(c_float), intent(inout), target, contiguous :: a(:, :)
    type(allport_distribution), intent(in) :: a_distribution
    integer(c_int64_t), intent(out), target, contiguous :: pivots(:)
    integer(c_int64_t), intent(out) :: info
    code = c_sgetrf_planned(comm%handle, plan%handle, c_loc(a), leading(size(a, 1)), a_distribution%handle, &
         c_loc(pivots), info)
  end function sgetrf_planned_any

  integer function dgetrf_planned_any(comm, plan, a, a_distribution, pivots, info) result(code)
    type(allport_comm), intent(in) :: comm
    type(allport_plan_handle), intent(in) :: plan
    real(c_double), intent(inout), target, contiguous :: a(:, :)
    type(allport_distribution), intent(in) :: a_distribution
    integer(c_int64_t), intent(out), target, contiguous :: pivots(:)
    integer(c_int64_t), intent(out) :: info
    code = c_dgetrf_planned(comm%handle, plan%handle, c_loc(a), leading(size(a, 1)), a_distribution%handle, &
         c_loc(pivots), info)
  end function dgetrf_planned_any

  integer function cgetrf_planned_any(comm, plan, a, a_distribution, pivots, info) result(code)
    type(allport_comm), intent(in) :: comm
    type(allport_plan_handle), intent(in) :: plan
    complex(c_float_complex), intent(inout), target, contiguous :: a(:, :)
    type(allport_distribution), intent(in) :: a_distribution
    integer(c_int64_t), intent(out), target, contiguous :: pivots(:)
    integer(c_int64_t), intent(out) :: info
    code = c_cgetrf_planned(comm%handle, plan%handle, c_loc(a), leading(size(a, 1)), a_distribution%handle, &
         c_loc(pivots), info)
  end function cgetrf_planned_any

  integer function zgetrf_planned_any(comm, plan, a, a_distribution, pivots, info) result(code)
    type(allport_comm), intent(in) :: comm
    type(allport_plan_handle), intent(in) :: plan
    complex(c_double_complex), intent(inout), target, contiguous :: a(:, :)
    type(allport_distribution), intent(in) :: a_distribution
    integer(c_int64_t), intent(out), target, contiguous :: pivots(:)
    integer(c_int64_t), intent(out) :: info
    code = c_zgetrf_planned(comm%handle, plan%handle, c_loc(a), leading(size(a, 1)), a_distribution%handle, &
         c_loc(pivots), info)
  end function zgetrf_planned_any

  integer function spotrf_planned_any(comm, plan, a, a_distribution, info) result(code)
    type(allport_comm), intent(in) :: comm
    type(allport_plan_handle), intent(in) :: plan
    real(c_float), intent(inout), target, contiguous :: a(:, :)
    type(allport_distribution), intent(in) :: a_distribution
    integer(c_int64_t), intent(out) :: info
    code = c_spotrf_planned(comm%handle, plan%handle, c_loc(a), leading(size(a, 1)), a_distribution%handle, info)
  end function spotrf_planned_any

  integer function dpotrf_planned_any(comm, plan, a, a_distribution, info) result(code)
    type(allport_comm), intent(in) :: comm
    type(allport_plan_handle), intent(in) :: plan
    real(c_double), intent(inout), target, contiguous :: a(:, :)
    type(allport_distribution), intent(in) :: a_distribution
    integer(c_int64_t), intent(out) :: info
    code = c_dpotrf_planned(comm%handle, plan%handle, c_loc(a), leading(size(a, 1)), a_distribution%handle, info)
  end function dpotrf_planned_any

  integer function cpotrf_planned_any(comm, plan, a, a_distribution, info) result(code)
    type(allport_comm), intent(in) :: comm
    type(allport_plan_handle), intent(in) :: plan
    complex(c_float_complex), intent(inout), target, contiguous :: a(:, :)
    type(allport_distribution), intent(in) :: a_distribution
    integer(c_int64_t), intent(out) :: info
    code = c_cpotrf_planned(comm%handle, plan%handle, c_loc(a), leading(size(a, 1)), a_distribution%handle, info)
  end function cpotrf_planned_any

  integer function zpotrf_planned_any(comm, plan, a, a_distribution, info) result(code)
    type(allport_comm), intent(in) :: comm
    type(allport_plan_handle), intent(in) :: plan
    complex(c_double_complex), intent(inout), target, contiguous :: a(:, :)
    type(allport_distribution), intent(in) :: a_distribution
    integer(c_int64_t), intent(out) :: info
    code = c_zpotrf_planned(comm%handle, plan%handle, c_loc(a), leading(size(a, 1)), a_distribution%handle, info)
  end function zpotrf_planned_any

  integer function sgeqrf_planned_any(comm, plan, a, a_distribution, tau) result(code)
    type(allport_comm), intent(in) :: comm
    type(allport_plan_handle), intent(in) :: plan
    real(c_float), intent(inout), target, contiguous :: a(:, :)
    type(allport_distribution), intent(in) :: a_distribution
    real(c_float), intent(inout), target, contiguous :: tau(:)
    code = c_sgeqrf_planned(comm%handle, plan%handle, c_loc(a), leading(size(a, 1)), a_distribution%handle, &
         c_loc(tau))
  end function sgeqrf_planned_any

  integer function dgeqrf_planned_any(comm, plan, a, a_distribution, tau) result(code)
    type(allport_comm), intent(in) :: comm
    type(allport_plan_handle), intent(in) :: plan
    real(c_double), intent(inout), target, contiguous :: a(:, :)
    type(allport_distribution), intent(in) :: a_distribution
    real(c_double), intent(inout), target, contiguous :: tau(:)
    code = c_dgeqrf_planned(comm%handle, plan%handle, c_loc(a), leading(size(a, 1)), a_distribution%handle, &
         c_loc(tau))
  end function dgeqrf_planned_any

  integer function cgeqrf_planned_any(comm, plan, a, a_distribution, tau) result(code)
    type(allport_comm), intent(in) :: comm
    type(allport_plan_handle), intent(in) :: plan
    complex(c_float_complex), intent(inout), target, contiguous :: a(:, :)
    type(allport_distribution), intent(in) :: a_distribution
    complex(c_float_complex), intent(inout), target, contiguous :: tau(:)
    code = c_cgeqrf_planned(comm%handle, plan%handle, c_loc(a), leading(size(a, 1)), a_distribution%handle, &
         c_loc(tau))
  end function cgeqrf_planned_any

  integer function zgeqrf_planned_any(comm, plan, a, a_distribution, tau) result(code)
    type(allport_comm), intent(in) :: comm
    type(allport_plan_handle), intent(in) :: plan
    complex(c_double_complex), intent(inout), target, contiguous :: a(:, :)
    type(allport_distribution), intent(in) :: a_distribution
    complex(c_double_complex), intent(inout), target, contiguous :: tau(:)
    code = c_zgeqrf_planned(comm%handle, plan%handle, c_loc(a), leading(size(a, 1)), a_distribution%handle, &
         c_loc(tau))
  end function zgeqrf_planned_any

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
