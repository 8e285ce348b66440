// The C interface: LU factorizations and what is solved with them.
#include <fmt/format.h>

#include <algorithm>
#include <complex>
#include <vector>

#include "allport/linalg/lu.h"
#include "allport/linalg/solve.h"
#include "options.h"
#include "plan_handles.h"

namespace {

using namespace allport;
using namespace allport::c_interface;

LuWanted lu_wanted(Communicator const& comm, Distribution const& given, char const* text) {
  auto wanted = lu_options(text);
  wanted.options.mapping = comm.mapping();
  wanted.options.given = given;
  return wanted;
}

/// In place. @return as LuReport::info
template <class T>
Index factor_by(LuPlan const& plan, Matrix<T> const& a, std::int64_t* pivots) {
  std::vector<Index> rows;
  auto const report = lu(plan, a, rows);
  std::transform(rows.begin(), rows.end(), pivots, [](Index row) { return row + 1; });
  return report.info;
}

template <class T>
Index factor(Matrix<T> const& a, std::int64_t* pivots, char const* options) {
  auto const& comm = a.comm();
  auto const wanted = lu_wanted(comm, a.distribution(), options);
  LuProblem const problem{a.rows(), a.cols(), scalar_of<T>, wanted.pivoting};
  return factor_by(plan_lu(problem, comm.machine(), wanted.options), a, pivots);
}

/// Both on every rank, where one of them is wrong on any.
template <class T>
void ensure_pivots(Matrix<T> const& a, std::int64_t const* pivots, bool with_info, std::int64_t const* info) {
  auto const trouble = pivots == nullptr && std::min(a.rows(), a.cols()) > 0
                           ? Error::argument("pivots", "NULL", "as many numbers as the smaller extent of A")
                       : with_info && info == nullptr
                           ? Error::argument("info", "NULL", "a place for what the factorization finds")
                           : Error(ErrorKind::argument, "");
  a.comm().ensure_all_well(trouble.what(), ErrorKind::argument);
}

template <class T>
std::vector<Index> rows_of(Matrix<T> const& a, std::int64_t const* pivots) {
  std::vector<Index> rows;
  std::string trouble;
  auto const n = std::min(a.rows(), a.cols());
  for (Index i = 0; i < n; ++i) {
    rows.push_back(pivots[i] - 1);
    if (trouble.empty() && (rows.back() < i || rows.back() >= a.rows())) {
      trouble =
          Error::argument("pivots", show(pivots[i]), "rows from their own on, counted from 1: what getrf gave").what();
    }
  }
  a.comm().ensure_all_well(trouble);
  return rows;
}

template <class T>
int run_getrf(allport_comm comm, void* a, std::int64_t lda, allport_distribution a_lies, std::int64_t* pivots,
              std::int64_t* info, char const* options) {
  return guarded([&] {
    auto const factored = matrix(the(comm, "comm"), static_cast<T*>(a), lda, a_lies, "a_distribution");
    ensure_pivots(factored, pivots, true, info);
    *info = factor(factored, pivots, options);
  });
}

template <class T>
int run_planned(allport_comm comm, allport_plan_handle plan, void* a, std::int64_t lda, allport_distribution a_lies,
                std::int64_t* pivots, std::int64_t* info) {
  return guarded([&] {
    auto const& on = the(comm, "comm");
    auto const& how = planned<LuPlan>(on, plan, "one of allport_plan_getrf()");
    auto const factored = matrix(on, static_cast<T*>(a), lda, a_lies, "a_distribution");
    ensure_pivots(factored, pivots, true, info);
    *info = factor_by(how, factored, pivots);
  });
}

template <class T>
int run_getrs(allport_comm comm, char trans, void const* a, std::int64_t lda, allport_distribution a_lies,
              std::int64_t const* pivots, void* b, std::int64_t ldb, allport_distribution b_lies) {
  return guarded([&] {
    auto const& on = the(comm, "comm");
    auto const factors = matrix(on, static_cast<T const*>(a), lda, a_lies, "a_distribution");
    auto const right = matrix(on, static_cast<T*>(b), ldb, b_lies, "b_distribution");
    auto const op = trans_of(trans, "trans");
    ensure_pivots(factors, pivots, false, nullptr);
    auto const rows = rows_of(factors, pivots);
    lu_solve<T>(op, factors, rows, right);
  });
}

template <class T>
int run_gesv(allport_comm comm, void* a, std::int64_t lda, allport_distribution a_lies, std::int64_t* pivots, void* b,
             std::int64_t ldb, allport_distribution b_lies, std::int64_t* info, char const* options) {
  return guarded([&] {
    auto const& on = the(comm, "comm");
    auto const factored = matrix(on, static_cast<T*>(a), lda, a_lies, "a_distribution");
    auto const right = matrix(on, static_cast<T*>(b), ldb, b_lies, "b_distribution");
    ensure(factored.rows() == factored.cols(), "a", fmt::format("{} x {}", factored.rows(), factored.cols()),
           "a square matrix");
    ensure(right.rows() == factored.rows(), "b", fmt::format("{} x {}", right.rows(), right.cols()),
           fmt::format("{} rows", factored.rows()));
    ensure_pivots(factored, pivots, true, info);
    *info = factor(factored, pivots, options);
    if (*info == 0) lu_solve<T>(Trans::none, factored, rows_of(factored, pivots), right);
  });
}

}  // namespace

extern "C" {

#define ALLPORT_LU(letter, number, T)                                                                                  \
  int allport_##letter##getrf(allport_comm comm, number* a, int64_t lda, allport_distribution a_lies, int64_t* pivots, \
                              int64_t* info, char const* options) {                                                    \
    return run_getrf<T>(comm, a, lda, a_lies, pivots, info, options);                                                  \
  }                                                                                                                    \
  int allport_##letter##getrf_planned(allport_comm comm, allport_plan_handle plan, number* a, int64_t lda,             \
                                      allport_distribution a_lies, int64_t* pivots, int64_t* info) {                   \
    return run_planned<T>(comm, plan, a, lda, a_lies, pivots, info);                                                   \
  }                                                                                                                    \
  int allport_##letter##getrs(allport_comm comm, char trans, number const* a, int64_t lda,                             \
                              allport_distribution a_lies, int64_t const* pivots, number* b, int64_t ldb,              \
                              allport_distribution b_lies) {                                                           \
    return run_getrs<T>(comm, trans, a, lda, a_lies, pivots, b, ldb, b_lies);                                          \
  }                                                                                                                    \
  int allport_##letter##gesv(allport_comm comm, number* a, int64_t lda, allport_distribution a_lies, int64_t* pivots,  \
                             number* b, int64_t ldb, allport_distribution b_lies, int64_t* info,                       \
                             char const* options) {                                                                    \
    return run_gesv<T>(comm, a, lda, a_lies, pivots, b, ldb, b_lies, info, options);                                   \
  }
ALLPORT_LU(s, float, float)
ALLPORT_LU(d, double, double)
ALLPORT_LU(c, void, std::complex<float>)
ALLPORT_LU(z, void, std::complex<double>)

}  // extern "C"
