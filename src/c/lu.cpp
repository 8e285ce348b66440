// The C interface: LU factorizations and solves with them.
#include "allport/linalg/lu.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "allport/linalg/solve.h"
#include "options.h"
#include "plan_handles.h"

namespace {

using namespace allport;
using namespace allport::c_interface;

/// In place; without a plan by options. @return as LuReport::info
template <class T>
Index factor(Matrix<T> const& a, std::int64_t* pivots, LuPlan const* plan, char const* options) {
  std::vector<Index> rows;
  auto const wanted = plan == nullptr ? lu_options(options) : LuWanted();
  auto const info = (plan != nullptr ? lu(*plan, a, rows) : lu(a, rows, wanted.pivoting, wanted.options)).info;
  std::transform(rows.begin(), rows.end(), pivots, [](Index row) { return row + 1; });
  return info;
}

template <class T>
void check_pivots(Trouble& trouble, Matrix<T> const& a, std::int64_t const* pivots) {
  trouble.check(pivots != nullptr || std::min(a.rows(), a.cols()) == 0, "pivots", "NULL",
                "as many numbers as the smaller extent of A");
}

template <class T>
std::vector<Index> rows_of(Matrix<T> const& a, std::int64_t const* pivots) {
  std::vector<Index> rows;
  Trouble trouble;
  auto const n = std::min(a.rows(), a.cols());
  for (Index i = 0; i < n; ++i) {
    rows.push_back(pivots[i] - 1);
    trouble.check(rows.back() >= i && rows.back() < a.rows(), "pivots", show(pivots[i]),
                  "rows from their own on, counted from 1: what getrf gave");
  }
  trouble.throw_on_all(a.comm());
  return rows;
}

}  // namespace

extern "C" {

int allport_getrf(allport_comm comm, allport_type type, void* a, int64_t lda, allport_distribution a_distribution,
                  int64_t* pivots, int64_t* info, allport_plan plan, char const* options) {
  return guarded([&] {
    with_scalar(type, [&]<class T>(T) {
      auto const& on = the(comm, "comm");
      auto const factored = matrix(on, static_cast<T*>(a), lda, a_distribution, "a_distribution");
      Trouble trouble;
      auto const* how = trouble.plan<LuPlan>(plan, options, "of getrf");
      check_pivots(trouble, factored, pivots);
      trouble.check_info(info);
      trouble.throw_on_all(on.comm);
      *info = factor(factored, pivots, how, options);
    });
  });
}

int allport_getrs(allport_comm comm, allport_type type, char trans, void const* a, int64_t lda,
                  allport_distribution a_distribution, int64_t const* pivots, void* b, int64_t ldb,
                  allport_distribution b_distribution) {
  return guarded([&] {
    with_scalar(type, [&]<class T>(T) {
      auto const& on = the(comm, "comm");
      auto const factors = matrix(on, static_cast<T const*>(a), lda, a_distribution, "a_distribution");
      auto const right = matrix(on, static_cast<T*>(b), ldb, b_distribution, "b_distribution");
      auto const op = trans_of(trans, "trans");
      Trouble trouble;
      check_pivots(trouble, factors, pivots);
      trouble.throw_on_all(on.comm);
      lu_solve<T>(op, factors, rows_of(factors, pivots), right);
    });
  });
}

int allport_gesv(allport_comm comm, allport_type type, void* a, int64_t lda, allport_distribution a_distribution,
                 int64_t* pivots, void* b, int64_t ldb, allport_distribution b_distribution, int64_t* info,
                 char const* options) {
  return guarded([&] {
    with_scalar(type, [&]<class T>(T) {
      auto const& on = the(comm, "comm");
      auto const factored = matrix(on, static_cast<T*>(a), lda, a_distribution, "a_distribution");
      auto const right = matrix(on, static_cast<T*>(b), ldb, b_distribution, "b_distribution");
      ensure(factored.rows() == factored.cols(), "a", fmt::format("{} x {}", factored.rows(), factored.cols()),
             "a square matrix");
      ensure(right.rows() == factored.rows(), "b", fmt::format("{} x {}", right.rows(), right.cols()),
             fmt::format("{} rows", factored.rows()));
      Trouble trouble;
      check_pivots(trouble, factored, pivots);
      trouble.check_info(info);
      trouble.throw_on_all(on.comm);
      *info = factor(factored, pivots, nullptr, options);
      if (*info == 0) lu_solve<T>(Trans::none, factored, rows_of(factored, pivots), right);
    });
  });
}

}  // extern "C"
