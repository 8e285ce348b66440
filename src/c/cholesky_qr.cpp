// The C interface: Cholesky and QR factorizations, and what is solved with them.
#include <complex>
#include <vector>

#include "allport/linalg/cholesky.h"
#include "allport/linalg/householder.h"
#include "allport/linalg/least_squares.h"
#include "options.h"
#include "plan_handles.h"

namespace {

using namespace allport;
using namespace allport::c_interface;

bool is_left(char side) {
  bool const left = side == 'L' || side == 'l';
  ensure(left || side == 'R' || side == 'r', "side", show(std::string(1, side)), "'L' or 'R'");
  return left;
}

/// Of CholeskyOptions and QrOptions.
template <class Options>
Options tiling_of(char const* text) {
  Options options;
  read_options(text, "nb= or workers=", [&](std::string const& key, std::string const& value) {
    return take_tiling(options, key, value);
  });
  return options;
}

/// @throws Error on every rank where an argument of one is NULL that points to something
void ensure_given(allport_comm_s const& on, bool given, char const* name, char const* wanted) {
  on.comm.ensure_all_well(given ? "" : Error::argument(name, "NULL", wanted).what(), ErrorKind::argument);
}
void ensure_info(allport_comm_s const& on, std::int64_t const* info) {
  ensure_given(on, info != nullptr, "info", "a place for what the factorization finds");
}

template <class T>
std::vector<T> reflector_scalars(allport_comm_s const& on, T const* tau, std::int64_t k) {
  ensure_given(on, tau != nullptr || k == 0, "tau", "as many elements as there are reflectors");
  return {tau, tau + k};
}

template <class T>
int run_potrf(allport_comm comm, char uplo, void* a, std::int64_t lda, allport_distribution a_distribution,
              std::int64_t* info, char const* options) {
  return guarded([&] {
    auto const& on = the(comm, "comm");
    ensure_info(on, info);
    auto const factored = matrix(on, static_cast<T*>(a), lda, a_distribution, "a_distribution");
    *info = cholesky(factored, uplo_of(uplo), tiling_of<CholeskyOptions>(options)).info;
  });
}

template <class T>
int run_potrf_planned(allport_comm comm, allport_plan_handle plan, void* a, std::int64_t lda,
                      allport_distribution a_distribution, std::int64_t* info) {
  return guarded([&] {
    auto const& on = the(comm, "comm");
    auto const& how = planned<CholeskyPlan>(on, plan, "one of allport_plan_potrf()");
    ensure_info(on, info);
    *info = cholesky(how, matrix(on, static_cast<T*>(a), lda, a_distribution, "a_distribution")).info;
  });
}

template <class T>
int run_potrs(allport_comm comm, char uplo, void const* a, std::int64_t lda, allport_distribution a_distribution,
              void* b, std::int64_t ldb, allport_distribution b_distribution, char const* options) {
  return guarded([&] {
    auto const& on = the(comm, "comm");
    auto const factors = matrix(on, static_cast<T const*>(a), lda, a_distribution, "a_distribution");
    auto const right = matrix(on, static_cast<T*>(b), ldb, b_distribution, "b_distribution");
    cholesky_solve<T>(factors, uplo_of(uplo), right, tiling_of<CholeskyOptions>(options));
  });
}

template <class T>
int run_posv(allport_comm comm, char uplo, void* a, std::int64_t lda, allport_distribution a_distribution, void* b,
             std::int64_t ldb, allport_distribution b_distribution, std::int64_t* info, char const* options) {
  return guarded([&] {
    auto const& on = the(comm, "comm");
    ensure_info(on, info);
    auto const factored = matrix(on, static_cast<T*>(a), lda, a_distribution, "a_distribution");
    auto const right = matrix(on, static_cast<T*>(b), ldb, b_distribution, "b_distribution");
    auto const report = solve_positive_definite(factored, uplo_of(uplo), right, tiling_of<CholeskyOptions>(options));
    *info = report.factorization.info;
  });
}

/// factor(A, scalars), which are then tau on this rank.
template <class T, class Factor>
void factor_qr(allport_comm_s const& on, Matrix<T> const& a, void* tau, Factor const& factor) {
  ensure_given(on, tau != nullptr || std::min(a.rows(), a.cols()) == 0, "tau",
               "a place for as many elements as the smaller extent of A");
  std::vector<T> scalars;
  factor(a, scalars);
  std::copy(scalars.begin(), scalars.end(), static_cast<T*>(tau));
}

template <class T>
int run_geqrf(allport_comm comm, void* a, std::int64_t lda, allport_distribution a_distribution, void* tau,
              char const* options) {
  return guarded([&] {
    auto const& on = the(comm, "comm");
    factor_qr(on, matrix(on, static_cast<T*>(a), lda, a_distribution, "a_distribution"), tau,
              [&](Matrix<T> const& factored, std::vector<T>& scalars) {
                geqrf(factored, scalars, tiling_of<QrOptions>(options));
              });
  });
}

template <class T>
int run_geqrf_planned(allport_comm comm, allport_plan_handle plan, void* a, std::int64_t lda,
                      allport_distribution a_distribution, void* tau) {
  return guarded([&] {
    auto const& on = the(comm, "comm");
    auto const& how = planned<QrPlan>(on, plan, "one of allport_plan_geqrf()");
    factor_qr(on, matrix(on, static_cast<T*>(a), lda, a_distribution, "a_distribution"), tau,
              [&](Matrix<T> const& factored, std::vector<T>& scalars) { geqrf(how, factored, scalars); });
  });
}

template <class T>
int run_ormqr(allport_comm comm, char side, char trans, void const* a, std::int64_t lda,
              allport_distribution a_distribution, void const* tau, void* c, std::int64_t ldc,
              allport_distribution c_distribution) {
  return guarded([&] {
    auto const& on = the(comm, "comm");
    auto const v = matrix(on, static_cast<T const*>(a), lda, a_distribution, "a_distribution");
    auto const multiplied = matrix(on, static_cast<T*>(c), ldc, c_distribution, "c_distribution");
    auto const scalars = reflector_scalars(on, static_cast<T const*>(tau), v.cols());
    apply_householder<T>(is_left(side), trans_of(trans, "trans"), v, scalars, multiplied);
  });
}

template <class T>
int run_orgqr(allport_comm comm, void const* a, std::int64_t lda, allport_distribution a_distribution, void const* tau,
              void* q, std::int64_t ldq, allport_distribution q_distribution) {
  return guarded([&] {
    auto const& on = the(comm, "comm");
    auto const v = matrix(on, static_cast<T const*>(a), lda, a_distribution, "a_distribution");
    auto const made = matrix(on, static_cast<T*>(q), ldq, q_distribution, "q_distribution");
    form_householder_q<T>(v, reflector_scalars(on, static_cast<T const*>(tau), v.cols()), made);
  });
}

template <class T>
int run_gels(allport_comm comm, void* a, std::int64_t lda, allport_distribution a_distribution, void* b,
             std::int64_t ldb, allport_distribution b_distribution, void* x, std::int64_t ldx,
             allport_distribution x_distribution, std::int64_t* info, char const* options) {
  return guarded([&] {
    auto const& on = the(comm, "comm");
    ensure_info(on, info);
    auto const factored = matrix(on, static_cast<T*>(a), lda, a_distribution, "a_distribution");
    auto const right = matrix(on, static_cast<T*>(b), ldb, b_distribution, "b_distribution");
    auto const solution = matrix(on, static_cast<T*>(x), ldx, x_distribution, "x_distribution");
    *info = least_squares(factored, right, solution, tiling_of<QrOptions>(options)).dependent + 1;
  });
}

}  // namespace

extern "C" {

// The functions of one type: its letter, LAPACK's names of two, how the caller and how we call it.
#define ALLPORT_FACTORIZATIONS(letter, ormqr, orgqr, number, T)                                                        \
  int allport_##letter##potrf(allport_comm comm, char uplo, number* a, int64_t lda, allport_distribution a_lies,       \
                              int64_t* info, char const* options) {                                                    \
    return run_potrf<T>(comm, uplo, a, lda, a_lies, info, options);                                                    \
  }                                                                                                                    \
  int allport_##letter##potrf_planned(allport_comm comm, allport_plan_handle plan, number* a, int64_t lda,             \
                                      allport_distribution a_lies, int64_t* info) {                                    \
    return run_potrf_planned<T>(comm, plan, a, lda, a_lies, info);                                                     \
  }                                                                                                                    \
  int allport_##letter##geqrf_planned(allport_comm comm, allport_plan_handle plan, number* a, int64_t lda,             \
                                      allport_distribution a_lies, number* tau) {                                      \
    return run_geqrf_planned<T>(comm, plan, a, lda, a_lies, tau);                                                      \
  }                                                                                                                    \
  int allport_##letter##potrs(allport_comm comm, char uplo, number const* a, int64_t lda, allport_distribution a_lies, \
                              number* b, int64_t ldb, allport_distribution b_lies, char const* options) {              \
    return run_potrs<T>(comm, uplo, a, lda, a_lies, b, ldb, b_lies, options);                                          \
  }                                                                                                                    \
  int allport_##letter##posv(allport_comm comm, char uplo, number* a, int64_t lda, allport_distribution a_lies,        \
                             number* b, int64_t ldb, allport_distribution b_lies, int64_t* info,                       \
                             char const* options) {                                                                    \
    return run_posv<T>(comm, uplo, a, lda, a_lies, b, ldb, b_lies, info, options);                                     \
  }                                                                                                                    \
  int allport_##letter##geqrf(allport_comm comm, number* a, int64_t lda, allport_distribution a_lies, number* tau,     \
                              char const* options) {                                                                   \
    return run_geqrf<T>(comm, a, lda, a_lies, tau, options);                                                           \
  }                                                                                                                    \
  int allport_##letter##ormqr(allport_comm comm, char side, char trans, number const* a, int64_t lda,                  \
                              allport_distribution a_lies, number const* tau, number* c, int64_t ldc,                  \
                              allport_distribution c_lies) {                                                           \
    return run_ormqr<T>(comm, side, trans, a, lda, a_lies, tau, c, ldc, c_lies);                                       \
  }                                                                                                                    \
  int allport_##letter##orgqr(allport_comm comm, number const* a, int64_t lda, allport_distribution a_lies,            \
                              number const* tau, number* q, int64_t ldq, allport_distribution q_lies) {                \
    return run_orgqr<T>(comm, a, lda, a_lies, tau, q, ldq, q_lies);                                                    \
  }                                                                                                                    \
  int allport_##letter##gels(allport_comm comm, number* a, int64_t lda, allport_distribution a_lies, number* b,        \
                             int64_t ldb, allport_distribution b_lies, number* x, int64_t ldx,                         \
                             allport_distribution x_lies, int64_t* info, char const* options) {                        \
    return run_gels<T>(comm, a, lda, a_lies, b, ldb, b_lies, x, ldx, x_lies, info, options);                           \
  }
ALLPORT_FACTORIZATIONS(s, ormqr, orgqr, float, float)
ALLPORT_FACTORIZATIONS(d, ormqr, orgqr, double, double)
ALLPORT_FACTORIZATIONS(c, unmqr, ungqr, void, std::complex<float>)
ALLPORT_FACTORIZATIONS(z, unmqr, ungqr, void, std::complex<double>)

}  // extern "C"
