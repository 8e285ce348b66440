// The C interface: Cholesky factorizations and solves with them.
#include "allport/linalg/cholesky.h"

#include "options.h"
#include "plan_handles.h"

using namespace allport;
using namespace allport::c_interface;

extern "C" {

int allport_potrf(allport_comm comm, allport_type type, char uplo, void* a, int64_t lda,
                  allport_distribution a_distribution, int64_t* info, allport_plan plan, char const* options) {
  return guarded([&] {
    with_scalar(type, [&]<class T>(T) {
      auto const& on = the(comm, "comm");
      auto const triangle = uplo_of(uplo);
      Trouble trouble;
      auto const* how = trouble.plan<CholeskyPlan>(plan, options, "of potrf");
      trouble.check(how == nullptr || how->problem.uplo == triangle, "plan", "of the other triangle", "one of uplo");
      trouble.check_info(info);
      trouble.throw_on_all(on.comm);
      auto const factored = matrix(on, static_cast<T*>(a), lda, a_distribution, "a_distribution");
      *info = how != nullptr ? cholesky(*how, factored).info
                             : cholesky(factored, triangle, tiling_of<CholeskyOptions>(options)).info;
    });
  });
}

int allport_potrs(allport_comm comm, allport_type type, char uplo, void const* a, int64_t lda,
                  allport_distribution a_distribution, void* b, int64_t ldb, allport_distribution b_distribution,
                  char const* options) {
  return guarded([&] {
    with_scalar(type, [&]<class T>(T) {
      auto const& on = the(comm, "comm");
      auto const factors = matrix(on, static_cast<T const*>(a), lda, a_distribution, "a_distribution");
      auto const right = matrix(on, static_cast<T*>(b), ldb, b_distribution, "b_distribution");
      cholesky_solve<T>(factors, uplo_of(uplo), right, tiling_of<CholeskyOptions>(options));
    });
  });
}

int allport_posv(allport_comm comm, allport_type type, char uplo, void* a, int64_t lda,
                 allport_distribution a_distribution, void* b, int64_t ldb, allport_distribution b_distribution,
                 int64_t* info, char const* options) {
  return guarded([&] {
    with_scalar(type, [&]<class T>(T) {
      auto const& on = the(comm, "comm");
      Trouble trouble;
      trouble.check_info(info);
      trouble.throw_on_all(on.comm);
      auto const factored = matrix(on, static_cast<T*>(a), lda, a_distribution, "a_distribution");
      auto const right = matrix(on, static_cast<T*>(b), ldb, b_distribution, "b_distribution");
      auto const how = tiling_of<CholeskyOptions>(options);
      *info = solve_positive_definite(factored, uplo_of(uplo), right, how).factorization.info;
    });
  });
}

}  // extern "C"
