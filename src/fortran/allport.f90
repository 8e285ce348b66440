! Fortran module over allport.h, made from it by tools/make_fortran.py. Functions return 0 or one of the codes below;
! allport_error() has the message. Communicators are the integers of mpif.h and `use mpi` (with `use mpi_f08`:
! comm%MPI_VAL). What C's comments let be NULL may be left out; buffers are given as c_loc of the data.
module allport
  use, intrinsic :: iso_c_binding, only: c_ptr, c_null_ptr, c_null_char, c_char, c_signed_char, c_int, c_int64_t, &
       c_size_t, c_float, c_double, c_float_complex, c_double_complex, c_loc, c_associated, c_f_pointer
  implicit none
  private

  integer, parameter, public :: allport_success = 0, allport_argument = 1, allport_io = 2, allport_memory = 3, &
       allport_machine = 4, allport_schedule = 5, allport_mpi = 6, allport_mismatch = 7, allport_unsupported = 8, &
       allport_internal = 99

  type, public :: allport_comm
    type(c_ptr) :: handle = c_null_ptr
  end type allport_comm

  type, public :: allport_distribution
    type(c_ptr) :: handle = c_null_ptr
  end type allport_distribution

  public :: allport_error, allport_version, allport_comm_create, allport_comm_free, allport_bcast, &
       allport_reduce_sum, allport_distribution_cyclic, allport_distribution_local, allport_distribution_free, &
       allport_gemm_distribution, allport_gemm_report, allport_gemm, allport_potrf, allport_potrs, allport_posv, &
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
    function c_bcast(comm, buffer, bytes, root, algorithm) bind(C, name='allport_bcast') result(code)
      import
      type(c_ptr), value :: comm, buffer
      integer(c_int64_t), value :: bytes
      integer(c_int), value :: root
      type(c_ptr), value :: algorithm
      integer(c_int) :: code
    end function c_bcast
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

  ! Starts a collective of comm, runs it to its end. algorithm: a registered name, or NULL to have it chosen by price.
  integer function allport_bcast(comm, buffer, bytes, root, algorithm) result(code)
    type(allport_comm), intent(in) :: comm
    type(c_ptr), intent(in) :: buffer
    integer(c_int64_t), intent(in) :: bytes
    integer, intent(in) :: root
    character(len=*), intent(in), optional :: algorithm
    character(len=:), allocatable, target :: algorithm_kept
    code = c_bcast(comm%handle, buffer, bytes, int(root, c_int), c_text(algorithm, algorithm_kept))
  end function allport_bcast

  ! Sums of count elements; type is 's', 'd', 'c' or 'z'. output matters at the root only and must not overlap input.
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
