// The C interface: QR factorizations, products with Q, and least squares.
#include <algorithm>
#include <vector>

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

/// Called by all ranks.
template <class T>
std::vector<T> reflector_scalars(allport_comm_s const& on, void const* tau, Index k) {
  Trouble trouble;
  trouble.check(tau != nullptr || k == 0, "tau", "NULL", "as many elements as there are reflectors");
  trouble.throw_on_all(on.comm);
  auto const* const first = static_cast<T const*>(tau);
  return {first, first + k};
}

}  // namespace

extern "C" {

int allport_geqrf(allport_comm comm, allport_type type, void* a, int64_t lda, allport_distribution a_distribution,
                  void* tau, allport_plan plan, char const* options) {
  return guarded([&] {
    with_scalar(type, [&]<class T>(T) {
      auto const& on = the(comm, "comm");
      auto const factored = matrix(on, static_cast<T*>(a), lda, a_distribution, "a_distribution");
      Trouble trouble;
      auto const* how = trouble.plan<QrPlan>(plan, options, "of geqrf");
      trouble.check(tau != nullptr || std::min(factored.rows(), factored.cols()) == 0, "tau", "NULL",
                    "a place for as many elements as the smaller extent of A");
      trouble.throw_on_all(on.comm);
      std::vector<T> scalars;
      if (how != nullptr) {
        geqrf(*how, factored, scalars);
      } else {
        geqrf(factored, scalars, tiling_of<QrOptions>(options));
      }
      std::copy(scalars.begin(), scalars.end(), static_cast<T*>(tau));
    });
  });
}

int allport_unmqr(allport_comm comm, allport_type type, char side, char trans, void const* a, int64_t lda,
                  allport_distribution a_distribution, void const* tau, void* c, int64_t ldc,
                  allport_distribution c_distribution) {
  return guarded([&] {
    with_scalar(type, [&]<class T>(T) {
      auto const& on = the(comm, "comm");
      auto const v = matrix(on, static_cast<T const*>(a), lda, a_distribution, "a_distribution");
      auto const multiplied = matrix(on, static_cast<T*>(c), ldc, c_distribution, "c_distribution");
      auto const scalars = reflector_scalars<T>(on, tau, v.cols());
      apply_householder<T>(is_left(side), trans_of(trans, "trans"), v, scalars, multiplied);
    });
  });
}

int allport_ungqr(allport_comm comm, allport_type type, void const* a, int64_t lda, allport_distribution a_distribution,
                  void const* tau, void* q, int64_t ldq, allport_distribution q_distribution) {
  return guarded([&] {
    with_scalar(type, [&]<class T>(T) {
      auto const& on = the(comm, "comm");
      auto const v = matrix(on, static_cast<T const*>(a), lda, a_distribution, "a_distribution");
      auto const columns = matrix(on, static_cast<T*>(q), ldq, q_distribution, "q_distribution");
      form_householder_q<T>(v, reflector_scalars<T>(on, tau, v.cols()), columns);
    });
  });
}

int allport_gels(allport_comm comm, allport_type type, void* a, int64_t lda, allport_distribution a_distribution,
                 void* b, int64_t ldb, allport_distribution b_distribution, void* x, int64_t ldx,
                 allport_distribution x_distribution, int64_t* info, char const* options) {
  return guarded([&] {
    with_scalar(type, [&]<class T>(T) {
      auto const& on = the(comm, "comm");
      Trouble trouble;
      trouble.check_info(info);
      trouble.throw_on_all(on.comm);
      auto const factored = matrix(on, static_cast<T*>(a), lda, a_distribution, "a_distribution");
      auto const right = matrix(on, static_cast<T*>(b), ldb, b_distribution, "b_distribution");
      auto const solution = matrix(on, static_cast<T*>(x), ldx, x_distribution, "x_distribution");
      *info = least_squares(factored, right, solution, tiling_of<QrOptions>(options)).dependent + 1;
    });
  });
}

}  // extern "C"
