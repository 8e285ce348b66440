// The C interface: products of matrices.
#include "allport/linalg/gemm.h"

#include <optional>

#include "options.h"
#include "plan_handles.h"

using namespace allport;
using namespace allport::c_interface;

extern "C" {

int allport_gemm(allport_comm comm, allport_type type, char trans_a, char trans_b, int64_t m, int64_t n, int64_t k,
                 void const* alpha, void const* a, int64_t lda, allport_distribution a_distribution, void const* b,
                 int64_t ldb, allport_distribution b_distribution, void const* beta, void* c, int64_t ldc,
                 allport_distribution c_distribution, allport_plan plan, char const* options) {
  return guarded([&] {
    auto& on = the(comm, "comm");
    GemmProblem const problem{
        m, n, k, scalar_of_type(type), trans_of(trans_a, "trans_a"), trans_of(trans_b, "trans_b")};
    Trouble trouble;
    auto const* how = trouble.plan<GemmPlan>(plan, options, "of gemm");
    trouble.check(how == nullptr || how->problem == problem, "plan", "of another product", "one of this product");
    trouble.check(alpha != nullptr, "alpha", "NULL", "a pointer to a number");
    trouble.check(beta != nullptr, "beta", "NULL", "a pointer to a number");
    trouble.throw_on_all(on.comm);
    std::optional<GemmPlan> own;
    if (how == nullptr) {
      auto wanted = gemm_options(options);
      wanted.mapping = on.comm.mapping();
      how = &own.emplace(plan_gemm(problem, on.comm.machine(), wanted));
    }
    with_scalar(type, [&]<class T>(T) {
      auto const left = matrix(on, static_cast<T const*>(a), lda, a_distribution, "a_distribution");
      auto const right = matrix(on, static_cast<T const*>(b), ldb, b_distribution, "b_distribution");
      auto const product = matrix(on, static_cast<T*>(c), ldc, c_distribution, "c_distribution");
      auto const report = gemm(*how, *static_cast<T const*>(alpha), left, right, *static_cast<T const*>(beta), product);
      on.report = report.to_json();
    });
  });
}

char const* allport_gemm_report(allport_comm comm) { return comm == nullptr ? "" : comm->report.c_str(); }

}  // extern "C"
