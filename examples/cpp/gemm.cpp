// Plans a multiply, shows the plan's choice, runs it in the plan's own distributions, and compares what moved with the
// plan. Run: mpirun -n 4 ./gemm_cpp [MACHINE]
#include <allport/linalg/gemm.h>

#include <cstdio>
#include <exception>
#include <vector>

namespace {

int run(char const* spec) {
  auto const comm =
      spec == nullptr ? allport::Communicator(MPI_COMM_WORLD) : allport::Communicator(MPI_COMM_WORLD, spec);
  allport::GemmProblem const problem{.m = 500, .n = 400, .k = 300};
  auto const plan = allport::plan_gemm(problem, comm.machine());

  // Part (i, j) of A is [local_rows x local_cols], column-major; all entries are 2, of B 3, so C must be 6 k.
  auto const make = [&](allport::Distribution const& distribution, double value) {
    return std::vector<double>(
        static_cast<std::size_t>(distribution.local_rows(comm.rank()) * distribution.local_cols(comm.rank())), value);
  };
  auto const ld = [&](allport::Distribution const& distribution) {
    return std::max<long>(distribution.local_rows(comm.rank()), 1);
  };
  auto const a = make(plan.a, 2), b = make(plan.b, 3);
  auto c = make(plan.c, -1);
  auto const report = allport::gemm<double>(comm, plan, 1.0, plan.a, {a.data(), ld(plan.a)}, plan.b,
                                            {b.data(), ld(plan.b)}, 0.0, plan.c, {c.data(), ld(plan.c)});

  int wrong = 0;
  for (auto const x : c) wrong += x != 6.0 * 300;
  if (comm.rank() == 0) {
    std::printf("%s on %d x %d x %d, traffic as planned: %s\n", plan.chosen.algorithm.c_str(), plan.chosen.grid.rows,
                plan.chosen.grid.cols, plan.chosen.grid.layers, report.measured == plan.traffic ? "yes" : "no");
  }
  comm.ensure_all_well(wrong == 0 ? "" : "wrong elements: " + std::to_string(wrong));
  return report.measured == plan.traffic ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int code = 1;
  try {
    code = run(argc > 1 ? argv[1] : nullptr);
  } catch (std::exception const& e) {
    std::fprintf(stderr, "%s\n", e.what());
  }
  MPI_Finalize();
  return code;
}
